//! `wishbone check` finds, names and explains faults of every kind, which tests create directly in the database.

use std::collections::BTreeSet;

use serde_json::json;
use wishbone_core::integrity::check::{check, enumerated_columns, tables};
use wishbone_core::integrity::fault::Fault;
use wishbone_core::operator::Operator;
use wishbone_core::registry::MIGRATIONS;
use wishbone_storage::ProgressReporter;

use crate::support::TestApp;

/// Columns with numbers, times and texts of any value: by name, and of those whose name is used otherwise too, with their table.
const FREE_COLUMNS: &[&str] = &[
    "accepted_at",
    "added_at",
    "added_by",
    "address",
    "after_product",
    "after_time",
    "alerted_at",
    "at",
    "at_added",
    "at_seq",
    "attempts",
    "before_seq",
    "catalog_version",
    "changed_by",
    "changed_in",
    "claims",
    "comment_count",
    "content",
    "counter",
    "created_at",
    "data",
    "deleting_since",
    "description",
    "device",
    "device_epoch",
    "due_at",
    "editor_count",
    "editor_offset",
    "email",
    "events",
    "expires_at",
    "extras",
    "failing_since",
    "fields",
    "fingerprint",
    "first_name",
    "generation",
    "given",
    "happened_at",
    "http_status",
    "id",
    "into_version",
    "item_count",
    "items",
    "label",
    "language",
    "last_at",
    "last_batch_at",
    "last_name",
    "last_store_id",
    "list_count",
    "list_offset",
    "list_version",
    "lists.type",
    "maintenance",
    "marketing_at",
    "members",
    "merged_at",
    "merged_lists.type",
    "merged_version",
    "message_id",
    "messages",
    "n",
    "name",
    "next_list",
    "next_seq",
    "next_subscription",
    "note",
    "number",
    "ordinal",
    "owner_name",
    "pid",
    "previous_key_until",
    "previous_price",
    "previous_until",
    "problem",
    "product_id",
    "properties",
    "quantity",
    "queued_at",
    "recent",
    "record_stamp",
    "refused_at",
    "region",
    "remaining",
    "reminded_at",
    "reminders_at",
    "seen_at",
    "seq",
    "seq_offset",
    "settings",
    "shares.medium",
    "shopper_generation",
    "signed_since",
    "since",
    "source",
    "stamp",
    "started_at",
    "stock",
    "store_generation",
    "store_id",
    "subscription_offset",
    "suppressed_at",
    "suppressed_because",
    "target_price",
    "text",
    "times",
    "undone_at",
    "untouched_since",
    "updated_at",
    "url",
    "variant_id",
    "version",
    "waiting_since",
    "webhook_events",
];

async fn faults(app: &TestApp) -> Vec<Fault> {
    check(&app.app.database, Operator::of_this_machine(), &ProgressReporter::none()).await.unwrap().faults
}

/// Makes the changes one by one, and asserts that each is found as a new fault.
async fn finds_each(app: &TestApp, changes: &[(&'static str, &str, &str)]) {
    app.assert_sound().await;
    for (sql, kind, words) in changes {
        let has_fault = |faults: &[Fault]| {
            let mut same = faults.iter().filter(|fault| fault.kind == *kind);
            same.any(|fault| fault.meaning.len() > 40 && fault.examples.iter().any(|example| example.contains(words)))
        };
        assert!(!has_fault(&faults(app).await), "{kind} {words:?} was there before {sql}");
        app.straight(sql).await;
        let after = faults(app).await;
        assert!(has_fault(&after), "{sql}: no {kind} with {words:?} in {after:#?}");
    }
}

async fn filled(app: &TestApp) {
    let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
    let lid = ann.list("Wishes").await;
    ann.add(&lid, &[1, 2, 3]).await;
    ann.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", "blue")]).await.ok();
    app.store_admin().upsert(json!([{ "epi": 9, "empi": 9, "du": "https://shop.example/9", "pr": 5 }])).await;
    bob.list("Others").await;
}

both_engines! {
    async fn wrong_counts_and_numbers_are_found(app: TestApp) {
        filled(&app).await;
        finds_each(
            &app,
            &[
                ("update lists set item_count = 7 where item_count = 3", "item-count", "item count 7 instead of 3"),
                ("update lists set comment_count = 7 where comment_count = 1", "comment-count", "comment count 7 instead of 1"),
                ("update shoppers set list_count = 7 where email = 'bob@example.com'", "list-count", "list count 7 instead of 1"),
                ("update lists set next_seq = 1 where next_seq = 3", "next-item", "number 1, but its highest is 2"),
                ("update shoppers set next_list = 0 where email = 'ann@example.com'", "next-list", "number 0, but the highest is 0"),
                (
                    "update wishes set person = (select shopper_id from shoppers where store_id = 1 and email = 'bob@example.com')
                     where store_id = 1",
                    "wish-person",
                    "3 lists or wishes of shopper",
                ),
                ("delete from store_states", "store-state", "has no row in store_states"),
                ("update wishes set items = 7", "wish-count", "has 7 wishes for a product instead of 1"),
                ("delete from wishes", "wish-count", "has 0 wishes for a product instead of 1"),
                ("update lists set type = 'registry' where item_count = 7", "wish-list", "as a wishlist but is none"),
                ("update lists set copying = 1 where item_count = 0", "copying", "is marked as being copied, but is not copied"),
                ("insert into deleted_lists (store_id, list_id) select store_id, list_id from lists where item_count = 0", "deleted-list", "but exists"),
                (
                    "insert into subscriptions (store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id, product_id,
                                                url, given, extras, mailing_list, status, made_by_shopper, created_at, updated_at)
                     select store_id, shopper_id, 5, shopper_id, 'backinstock', 'email', 'a', 1, 1, '',
                                                      null, null, 0, 0, 1, 0, 0 from shoppers where email = 'bob@example.com'",
                    "next-subscription",
                    "number 0, but the highest is 5",
                ),
            ],
        )
        .await;
    }

    async fn orphaned_rows_are_found_in_every_table(app: TestApp) {
        filled(&app).await;
        finds_each(
            &app,
            &[
                ("insert into editors select store_id, shopper_id, 1, shopper_id from shoppers", "editor-list", "1 editors"),
                (
                    "insert into share_links select store_id, shopper_id, shopper_id, 0, null, null, 0, null from shoppers",
                    "share-link-list",
                    "1 share links",
                ),
                ("insert into shares select store_id, shopper_id, 'mail', 1, 1 from shoppers", "share-list", "1 share counts"),
                (
                    "insert into copies select store_id, shopper_id, shopper_id, shopper_id, 0, 0, 0, shopper_id, 0 from shoppers",
                    "copying",
                    "is being copied to, but does not exist",
                ),
                (
                    "insert into unions select store_id, shopper_id, shopper_id, shopper_id, shopper_id, 0 from shoppers",
                    "union",
                    "is being united, but is not part of a merge",
                ),
                (
                    "insert into guest_sessions select store_id, list_id, list_id, list_id, '', 0, 0, 0 from lists",
                    "session-owner",
                    "1 sessions",
                ),
                (
                    "insert into merges select store_id, list_id, list_id, 0, 0, 0, 0, null, 0 from lists where item_count = 0",
                    "merge-owner",
                    "1 merges",
                ),
                (
                    "insert into merged_parts select store_id, shopper_id, 'comment', list_id, list_id, 0 from lists",
                    "merge",
                    "1 parts",
                ),
                (
                    "insert into merged_comments select store_id, shopper_id, list_id, comment_id, 1, 1, shopper_id, null, ''
                     from comments",
                    "merge",
                    "1 comments",
                ),
                (
                    "insert into merged_items (store_id, guest_id, list_id, added_at, seq, members, variant_id, product_id)
                     select i.store_id, i.list_id, i.list_id, i.added_at, i.seq, i.members, 1, 1 from items i where i.variant_id = 1",
                    "merge",
                    "1 items",
                ),
                (
                    "insert into merged_lists (store_id, guest_id, list_id, ordinal, record_id, type, name, public, archived,
                                               copying, device, item_count, comment_count, next_seq, version, created_at, updated_at)
                     select store_id, list_id, shopper_id, 0, record_id, type, name, 0, 0, 0, '', 0, 0, 0, 0, 0, 0 from lists
                     where item_count = 3",
                    "merge",
                    "1 lists",
                ),
                ("update items set variant_id = 77 where variant_id = 1", "comment-item", "1 comments on list"),
                (
                    "insert into merge_steps select store_id, shopper_id, shopper_id, 0 from shoppers
                     where email = 'bob@example.com'",
                    "merge-step",
                    "are being merged, but the guest is not",
                ),
                (
                    "insert into list_stamps select store_id, list_id, 1, '' from lists where item_count = 3",
                    "list-stamp",
                    "1 stamps belong to shopper",
                ),
                (
                    "insert into comments select store_id, shopper_id, 1, 1, shopper_id, shopper_id, null, '' from shoppers",
                    "comment-list",
                    "1 comments belong to list",
                ),
                (
                    "insert into subscriptions (store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id, product_id,
                                                url, given, extras, mailing_list, status, made_by_shopper, created_at, updated_at)
                     select store_id, list_id, 0, list_id, 'backinstock', 'email', 'a', 1, 1, '', null,
                                                      null, 0, 0, 1, 0, 0 from lists where item_count = 0",
                    "subscription-owner",
                    "1 subscriptions",
                ),
                ("delete from shoppers where email = 'ann@example.com'", "list-owner", "who does not exist"),
                ("delete from lists where item_count = 3", "item-list", "3 items belong to list"),
                ("insert into recipients (store_id, recipient_id, refused_at) select 99, shopper_id, null from shoppers", "store-gone", "rows in recipients"),
            ],
        )
        .await;
    }

    async fn unknown_values_missing_editors_and_other_forms_of_addresses_are_found(app: TestApp) {
        filled(&app).await;
        let ann = app.shopper("ann").await;
        ann.post("subscriptions/add", &[
            ("epi", "9"), ("empi", "9"), ("du", "https://shop.example/9"), ("topic", "backinstock"), ("medium", "email"),
            ("mediumvalue", "ann@example.com"),
        ]).await.ok();
        finds_each(
            &app,
            &[
                ("update subscriptions set status = 9", "unknown-value", "1 rows of subscriptions have the status 9"),
                ("update subscriptions set topic = 'sale'", "unknown-value", "the topic \"sale\""),
                ("update subscriptions set medium = 'fax'", "unknown-value", "the medium \"fax\""),
                ("update lists set public = 2 where item_count = 3", "unknown-value", "lists have the public 2"),
                ("update items set added_by = 7 where variant_id = 1", "editor", "1 items of list"),
                ("update lists set changed_by = 7 where item_count = 3", "editor", "was changed by editor 7"),
                ("update shoppers set email = 'Bob@Example.com' where email = 'bob@example.com'", "contents", "shoppers 1/"),
            ],
        )
        .await;
    }

    async fn addresses_of_subscriptions_and_mails_have_one_form(app: TestApp) {
        let ann = app.shopper("ann").await;
        ann.post("subscriptions/add", &[
            ("epi", "9"), ("empi", "9"), ("du", "https://shop.example/9"), ("topic", "backinstock"), ("medium", "email"),
            ("mediumvalue", "Eve@Example.com"),
        ]).await.ok();
        finds_each(
            &app,
            &[
                ("update mails set address = 'EVE@example.com'", "contents", "mails 1/"),
                ("update subscriptions set address = 'EVE@example.com'", "contents", "subscriptions 1/"),
            ],
        )
        .await;
    }

    async fn unreadable_contents_are_found(app: TestApp) {
        filled(&app).await;
        finds_each(
            &app,
            &[
                ("update items set product_id = 5 where variant_id = 1", "contents", "the members differ from the columns"),
                ("update items set members = replace(members, '\"qty\"', 'qty') where variant_id = 1", "contents", "invalid attributes"),
                ("update items set members = '' where variant_id = 1", "contents", "invalid members"),
                ("update items set given = '[]' where variant_id = 2", "contents", "invalid product fields"),
                ("update items set given_price = 12.5 where variant_id = 3", "contents", "the sort price differs"),
                ("update lists set properties = '[1' where item_count = 3", "contents", "properties are not a JSON object"),
                ("update products set fields = 'x' where variant_id = 9", "contents", "products 1/9: invalid product fields"),
                ("update stores set settings = '{'", "contents", "invalid settings"),
            ],
        )
        .await;
    }

    async fn the_check_knows_the_values_of_every_column_that_has_a_fixed_set(app: TestApp) {
        let known: BTreeSet<String> = enumerated_columns().map(|(table, column)| format!("{table}.{column}")).collect();
        let described = app.app.database.describe().await.unwrap();
        let columns = described.iter().filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let is_value = rest.starts_with("int") || rest.starts_with("text");
            (name.contains('.') && is_value).then_some(name)
        });
        let mut count = 0;
        for name in columns {
            count += 1;
            let column = name.split_once('.').unwrap().1;
            let is_free = FREE_COLUMNS.contains(&column) || FREE_COLUMNS.contains(&name);
            assert!(
                known.contains(name) != is_free,
                "{name}: name it in integrity/enumerated.rs if its values are a fixed set, or else in FREE_COLUMNS"
            );
        }
        assert!(count > 150, "{count} columns were found");
    }

    async fn faults_are_counted_and_only_examples_are_shown(app: TestApp) {
        let ann = app.shopper("ann").await;
        for n in 0..8 {
            ann.list(&format!("List {n}")).await;
        }
        app.straight("update lists set item_count = 1").await;
        let found = faults(&app).await;
        let fault = found.iter().find(|fault| fault.kind == "item-count").unwrap();
        assert_eq!((fault.count, fault.examples.len()), (8, 5));
    }
}

#[test]
fn the_check_covers_every_table() {
    let all: BTreeSet<&str> = wishbone_storage::tables(MIGRATIONS).into_iter().collect();
    let of_no_store = BTreeSet::from(["schema_versions", "server", "signing_keys", "stores"]);
    assert_eq!(tables().collect::<BTreeSet<_>>(), all.difference(&of_no_store).copied().collect());
}
