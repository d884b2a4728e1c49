//! Consistency rules, each with a statement that returns its violations: store, id, stored value, actual value, total.

use wishbone_storage::Sql;

use crate::integrity::fault::Violation;

pub(crate) struct Rule {
    pub(crate) kind: &'static str,
    pub(crate) sql: Sql,
    pub(crate) describe: fn(&Violation) -> String,
    pub(crate) meaning: &'static str,
}

const COUNTED: &str = "Shoppers see a wrong count, and limits apply too early or too late; no data is lost. This is a bug: save a \
                       copy of the database and report it. Restore the last good backup to correct the count.";

const TAKEN: &str = "The next number is in use already, so that adding fails. Save a copy of the database, report it, and restore \
                     the last good backup.";

const LOST: &str = "The rows are unreachable, because their owner does not exist. If shoppers miss data, restore the last good \
                    backup; otherwise the rows only use space.";

const COPIED: &str = "A copy of a list never completes. Restart a server to resume the copies; if the fault remains, restore the \
                      last good backup.";

const QUEUED: &str =
    "Events are not delivered to a webhook. Call webhooks/replay for it; lists are not affected. Report it.";

const EDITED: &str = "Items or lists do not tell who added or changed them; no other data is lost. Report it, and restore the last \
                      good backup if that matters.";

const MERGED: &str = "A merge on login could not be undone completely. Shoppers are not affected otherwise; report it.";

macro_rules! rules {
    ($($name:ident $kind:literal, $sql:expr, $describe:expr, $meaning:expr;)*) => {
        statements! {
            // A store that is being deleted has rows without those that they belong to.
            $($name = concat!("select x.*, count(*) over () from (", $sql, ") x
                where x.store_id not in (select store_id from stores where deleting_since is not null) limit 5");)*
        }
        pub(crate) const RULES: &[Rule] =
            &[$(Rule { kind: $kind, sql: $name, describe: $describe, meaning: $meaning }),*];
    };
}

/// Rows of a table whose list does not exist and is not being purged.
macro_rules! without_list {
    ($table:literal) => {
        concat!(
            "select x.store_id, x.list_id as id, 0 as stored, count(*) as actual from ",
            $table,
            " x left join lists l on l.store_id = x.store_id and l.list_id = x.list_id
                left join deleted_lists r on r.store_id = x.store_id and r.list_id = x.list_id
              where l.list_id is null and r.list_id is null group by x.store_id, x.list_id"
        )
    };
}

macro_rules! without_shopper {
    ($table:literal, $column:literal) => {
        concat!(
            "select x.store_id, x.",
            $column,
            " as id, 0 as stored, count(*) as actual from ",
            $table,
            " x left join shoppers s on s.store_id = x.store_id and s.shopper_id = x.",
            $column,
            " where x.",
            $column,
            " is not null and s.shopper_id is null group by x.store_id, x.",
            $column
        )
    };
}

macro_rules! without_merge {
    ($table:literal) => {
        concat!(
            "select x.store_id, x.guest_id as id, 0 as stored, count(*) as actual from ",
            $table,
            " x left join merges m on m.store_id = x.store_id and m.guest_id = x.guest_id
              where m.guest_id is null group by x.store_id, x.guest_id"
        )
    };
}

macro_rules! of_list {
    ($what:literal) => {
        |f| format!(concat!("{} ", $what, " belong to list {}, which does not exist"), f.actual, f.id)
    };
}

macro_rules! of_shopper {
    ($what:literal) => {
        |f| format!(concat!("{} ", $what, " belong to shopper {}, who does not exist"), f.actual, f.id)
    };
}

macro_rules! of_merge {
    ($what:literal) => {
        |f| {
            format!(
                concat!("{} ", $what, " are recorded for a merge of guest {}, which does not exist"),
                f.actual, f.id
            )
        }
    };
}

rules! {
    ITEM_COUNT "item-count",
        "select l.store_id, l.list_id as id, l.item_count as stored, count(i.variant_id) as actual
         from lists l left join items i on i.store_id = l.store_id and i.list_id = l.list_id
         group by l.store_id, l.list_id, l.item_count having l.item_count <> count(i.variant_id)",
        |f| format!("list {} has the item count {} instead of {}", f.id, f.stored, f.actual), COUNTED;
    COMMENT_COUNT "comment-count",
        "select l.store_id, l.list_id as id, l.comment_count as stored, coalesce(c.actual, 0) as actual
         from lists l left join (select store_id, list_id, count(*) as actual from comments group by store_id, list_id) c
              on c.store_id = l.store_id and c.list_id = l.list_id
         where l.comment_count <> coalesce(c.actual, 0)",
        |f| format!("list {} has the comment count {} instead of {}", f.id, f.stored, f.actual), COUNTED;
    // Aggregated before the join, or SQLite would scan all lists of the store for each shopper.
    LIST_COUNT "list-count",
        "select s.store_id, s.shopper_id as id, s.list_count as stored, coalesce(l.actual, 0) as actual
         from shoppers s left join (select store_id, shopper_id, count(*) as actual from lists
                                    group by store_id, shopper_id) l
              on l.store_id = s.store_id and l.shopper_id = s.shopper_id
         where s.list_count <> coalesce(l.actual, 0)",
        |f| format!("shopper {} has the list count {} instead of {}", f.id, f.stored, f.actual), COUNTED;
    NEXT_ITEM "next-item",
        "select l.store_id, l.list_id as id, l.next_seq as stored, max(i.seq) as actual
         from lists l join items i on i.store_id = l.store_id and i.list_id = l.list_id
         group by l.store_id, l.list_id, l.next_seq having l.next_seq <= max(i.seq)",
        |f| format!("list {} has the next item number {}, but its highest is {}", f.id, f.stored, f.actual), TAKEN;
    NEXT_LIST "next-list",
        "select s.store_id, s.shopper_id as id, s.next_list as stored, l.actual
         from (select store_id, shopper_id, max(ordinal) as actual from lists group by store_id, shopper_id) l
              join shoppers s on s.store_id = l.store_id and s.shopper_id = l.shopper_id
         where s.next_list <= l.actual",
        |f| format!("shopper {} has the next list number {}, but the highest is {}", f.id, f.stored, f.actual), TAKEN;
    NEXT_SUBSCRIPTION "next-subscription",
        "select s.store_id, s.shopper_id as id, s.next_subscription as stored, u.actual
         from (select store_id, shopper_id, max(ordinal) as actual from subscriptions group by store_id, shopper_id) u
              join shoppers s on s.store_id = u.store_id and s.shopper_id = u.shopper_id
         where s.next_subscription <= u.actual",
        |f| format!("shopper {} has the next subscription number {}, but the highest is {}", f.id, f.stored, f.actual),
        TAKEN;
    LISTS "list-owner", without_shopper!("lists", "shopper_id"), of_shopper!("lists"), LOST;
    MERGE_STEPS "merge-step",
        "select x.store_id, x.guest_id as id, 0 as stored, count(*) as actual
         from merge_steps x left join shoppers s
              on s.store_id = x.store_id and s.shopper_id = x.guest_id and s.merged_into = x.shopper_id
         where s.shopper_id is null group by x.store_id, x.guest_id",
        |f| format!("lists of guest {} are being merged, but the guest is not", f.id), MERGED;
    ITEMS "item-list", without_list!("items"), of_list!("items"), LOST;
    COMMENTS "comment-list", without_list!("comments"), of_list!("comments"), LOST;
    LOST_COMMENTS "comment-item",
        "select c.store_id, c.list_id as id, 0 as stored, count(*) as actual
         from comments c join lists l on l.store_id = c.store_id and l.list_id = c.list_id
              left join items i on i.store_id = c.store_id and i.list_id = c.list_id and i.variant_id = c.variant_id
         where i.variant_id is null
           and not exists (select 1 from unions u where u.store_id = c.store_id and u.into_id = c.list_id) group by c.store_id, c.list_id",
        |f| format!("{} comments on list {} refer to items that it does not have", f.actual, f.id), LOST;
    EDITORS "editor-list", without_list!("editors"), of_list!("editors"), LOST;
    ITEM_EDITORS "editor",
        "select i.store_id, i.list_id as id, 0 as stored, count(*) as actual
         from items i join lists l on l.store_id = i.store_id and l.list_id = i.list_id
         where (i.added_by > 0 and not exists (select 1 from editors e
                  where e.store_id = i.store_id and e.list_id = i.list_id and e.number = i.added_by))
            or (i.changed_by > 0 and not exists (select 1 from editors e
                  where e.store_id = i.store_id and e.list_id = i.list_id and e.number = i.changed_by))
         group by i.store_id, i.list_id",
        |f| format!("{} items of list {} were added or changed by an editor who is not in its list", f.actual, f.id), EDITED;
    LIST_EDITORS "editor",
        "select l.store_id, l.list_id as id, 0 as stored, l.changed_by as actual from lists l
         where l.changed_by > 0 and not exists (select 1 from editors e
                 where e.store_id = l.store_id and e.list_id = l.list_id and e.number = l.changed_by)",
        |f| format!("list {} was changed by editor {}, who is not in its list", f.id, f.actual), EDITED;
    LINKS "share-link-list", without_list!("share_links"), of_list!("share links"), LOST;
    SHARES "share-list", without_list!("shares"), of_list!("share counts"), LOST;
    LIST_STAMPS "list-stamp", without_shopper!("list_stamps", "shopper_id"), of_shopper!("stamps"), LOST;
    SUBSCRIPTIONS "subscription-owner", without_shopper!("subscriptions", "shopper_id"), of_shopper!("subscriptions"), LOST;
    SESSIONS "session-owner", without_shopper!("guest_sessions", "shopper_id"), of_shopper!("sessions"), LOST;
    WRONG_COPIES "copying",
        "select l.store_id, l.list_id as id, l.copying as stored, count(c.list_id) as actual
         from lists l left join (select store_id, list_id from copies union select store_id, into_id from unions
                                 union
                                 select m.store_id, m.into_id from merge_steps p
                                 join merged_lists m on m.store_id = p.store_id and m.guest_id = p.guest_id
                                 join lists r on r.store_id = m.store_id and r.list_id = m.list_id
                                                 and r.shopper_id = m.guest_id
                                 join lists t on t.store_id = m.store_id and t.list_id = m.into_id
                                 where t.copying = 1) c
              on c.store_id = l.store_id and c.list_id = l.list_id
         group by l.store_id, l.list_id, l.copying having l.copying <> count(c.list_id)",
        |f| format!("list {} {} marked as being copied, but {} copied", f.id, is(f.stored), is(f.actual)), COPIED;
    ORPHAN_COPIES "copying",
        "select c.store_id, c.list_id as id, 0 as stored, count(*) as actual
         from copies c left join lists l on l.store_id = c.store_id and l.list_id = c.list_id
         where l.list_id is null group by c.store_id, c.list_id",
        |f| format!("list {} is being copied to, but does not exist", f.id), COPIED;
    ORPHAN_UNIONS "union",
        "select u.store_id, u.list_id as id, 0 as stored, count(*) as actual
         from unions u left join merged_lists m
                on m.store_id = u.store_id and m.guest_id = u.guest_id and m.list_id = u.list_id
                   and (u.renames = 1 or m.into_id = u.into_id)
              left join deleted_lists d on d.store_id = u.store_id and d.list_id = u.list_id
         where m.list_id is null or d.list_id is null group by u.store_id, u.list_id",
        |f| format!("list {} is being united, but is not part of a merge", f.id), MERGED;
    DELETED_LISTS "deleted-list",
        "select r.store_id, r.list_id as id, 0 as stored, count(*) as actual
         from deleted_lists r join lists l on l.store_id = r.store_id and l.list_id = r.list_id group by r.store_id, r.list_id",
        |f| format!("list {} is marked for purging, but exists", f.id),
        "Its items will be deleted although it is in use: stop the servers, and restore the last good backup.";
    // Compared product by product, of lists and of those that are being purged.
    WISHES "wish-count",
        "select x.store_id, x.wisher as id, max(x.stored) as stored, max(x.actual) as actual
         from (select w.store_id, w.wisher, w.product_id, w.items as stored, 0 as actual from wishes w
               union all
               select l.store_id, l.wished_by, i.product_id, 0 as stored, count(*) as actual
               from (select store_id, list_id, wished_by from lists
                     union all select store_id, list_id, wished_by from deleted_lists) l
                    join items i on i.store_id = l.store_id and i.list_id = l.list_id
               where l.wished_by is not null group by l.store_id, l.wished_by, i.product_id) x
         group by x.store_id, x.wisher, x.product_id having max(x.stored) <> max(x.actual)",
        |f| format!("shopper {} has {} wishes for a product instead of {}", f.id, f.stored, f.actual), COUNTED;
    // Others may have edited what stayed with a guest: that is transferred when more of it is merged.
    WISHERS "wish-person",
        "select x.store_id, x.wisher as id, 0 as stored, count(*) as actual
         from (select l.store_id, l.wished_by as wisher, coalesce(o.merged_into, o.shopper_id) as person
               from lists l join shoppers o on o.store_id = l.store_id and o.shopper_id = l.shopper_id
               where l.wished_by is not null
               union all
               select w.store_id, w.wisher, w.person from wishes w
               where not exists (select 1 from wish_transfers t where t.store_id = w.store_id and t.wisher = w.wisher)) x
              join shoppers s on s.store_id = x.store_id and s.shopper_id = x.wisher
         where coalesce(s.merged_into, s.shopper_id) <> x.person
           and (s.list_count = 0 or x.person <> x.wisher)
         group by x.store_id, x.wisher",
        |f| format!("{} lists or wishes of shopper {} are counted for another person", f.actual, f.id), COUNTED;
    NOT_WISHED "wish-list",
        "select l.store_id, l.list_id as id, 0 as stored, count(*) as actual from lists l
         where (l.type = 'wl') <> (l.wished_by is not null) group by l.store_id, l.list_id",
        |f| format!("list {} is counted as a wishlist but is none, or the other way round", f.id), COUNTED;
    DELIVERIES "delivery-event",
        "select d.store_id, d.event_id as id, 0 as stored, count(*) as actual
         from webhook_deliveries d left join webhook_events e
              on e.store_id = d.store_id and e.at = d.at and e.n = d.n and e.event_id = d.event_id
         where e.event_id is null group by d.store_id, d.event_id",
        |f| format!("{} webhook deliveries are of event {}, which does not exist", f.actual, f.id), QUEUED;
    QUEUES "delivery-queue",
        "select d.store_id, d.webhook_id as id, 0 as stored, count(*) as actual
         from webhook_deliveries d
              join webhooks w on w.store_id = d.store_id and w.webhook_id = d.webhook_id
              left join webhook_queues q
                   on q.store_id = d.store_id and q.webhook_id = d.webhook_id and q.subject = d.subject
         where d.state = 0 and q.subject is null group by d.store_id, d.webhook_id",
        |f| format!("{} deliveries of webhook {} wait without a queue", f.actual, f.id), QUEUED;
    MERGES "merge-owner", without_shopper!("merges", "shopper_id"), of_shopper!("merges"), MERGED;
    MERGED_LISTS "merge", without_merge!("merged_lists"), of_merge!("lists"), MERGED;
    MERGED_ITEMS "merge", without_merge!("merged_items"), of_merge!("items"), MERGED;
    MERGED_PARTS "merge", without_merge!("merged_parts"), of_merge!("parts"), MERGED;
    MERGED_COMMENTS "merge", without_merge!("merged_comments"), of_merge!("comments"), MERGED;
}

fn is(number: i64) -> &'static str {
    if number == 0 { "is not" } else { "is" }
}
