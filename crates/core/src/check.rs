//! Looks for what must never be: counts that are wrong, and rows whose owner is gone.

use wishbone_store::{Query, Read};

use crate::caller::Operator;
use crate::{Error, Result};

pub struct CheckData {
    pub by: Operator,
}

/// How much there is, and sentences that say what is wrong with it.
#[derive(Debug, Default)]
pub struct CheckReport {
    pub stores: i64,
    pub shoppers: i64,
    pub lists: i64,
    pub items: i64,
    pub products: i64,
    pub subscriptions: i64,
    pub faults: Vec<String>,
}

impl Read for CheckData {
    const NAME: &'static str = "check_data";
    type Out = CheckReport;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<CheckReport> {
        let mut counts = Vec::new();
        query
            .query_all(&[COUNTS.bind(&[])], &mut |_, row| {
                counts = (0..6).map(|column| row.int(column)).collect::<wishbone_store::Result<_>>()?;
                Ok(())
            })
            .await?;
        let mut report = CheckReport {
            stores: counts[0],
            shoppers: counts[1],
            lists: counts[2],
            items: counts[3],
            products: counts[4],
            subscriptions: counts[5],
            faults: Vec::new(),
        };
        let mut fault = |text: String| report.faults.push(text);
        for Named(store, id, kept, found) in query.rows(WRONG_ITEM_COUNTS.bind(&[])).await? {
            fault(format!("store {store}: list {id} says that it has {kept} items, but has {found}"));
        }
        for Named(store, id, kept, found) in query.rows(WRONG_COMMENT_COUNTS.bind(&[])).await? {
            fault(format!("store {store}: list {id} says that it has {kept} comments, but has {found}"));
        }
        for Named(store, id, kept, found) in query.rows(WRONG_LIST_COUNTS.bind(&[])).await? {
            fault(format!("store {store}: shopper {id} is said to have {kept} lists, but has {found}"));
        }
        for Named(store, id, _, found) in query.rows(LOST_COMMENTS.bind(&[])).await? {
            fault(format!("store {store}: {found} comments on list {id} are about items that it does not have"));
        }
        for Named(store, id, said, found) in query.rows(WRONG_COPIES.bind(&[])).await? {
            let [said, found] = [said, found].map(|number| if number == 0 { "is not" } else { "is" });
            fault(format!("store {store}: list {id} says that it {said} being copied, but it {found}"));
        }
        for Named(store, id, _, _) in query.rows(ORPHAN_COPIES.bind(&[])).await? {
            fault(format!("store {store}: list {id} is being copied, but does not exist"));
        }
        for Named(store, id, _, _) in query.rows(LIVING_REMAINS.bind(&[])).await? {
            fault(format!("store {store}: list {id} is to be cleared away, but exists"));
        }
        for Named(store, id, _, found) in query.rows(ORPHAN_ITEMS.bind(&[])).await? {
            fault(format!("store {store}: {found} items belong to list {id}, which does not exist"));
        }
        for (statement, what) in
            [(ORPHAN_COMMENTS, "comments"), (ORPHAN_EDITORS, "editors"), (ORPHAN_LINKS, "share links")]
        {
            for Named(store, id, _, found) in query.rows(statement.bind(&[])).await? {
                fault(format!("store {store}: {found} {what} belong to list {id}, which does not exist"));
            }
        }
        for Named(store, id, _, found) in query.rows(ORPHAN_LISTS.bind(&[])).await? {
            fault(format!("store {store}: {found} lists belong to shopper {id}, who does not exist"));
        }
        for Named(store, id, _, found) in query.rows(RETIRED_OWNERS.bind(&[])).await? {
            fault(format!("store {store}: {found} lists belong to guest {id}, who has become someone else"));
        }
        for Named(store, id, _, found) in query.rows(ORPHAN_SUBSCRIPTIONS.bind(&[])).await? {
            fault(format!("store {store}: {found} subscriptions belong to shopper {id}, who does not exist"));
        }
        Ok(report)
    }
}

/// Store, whose id, what is kept, what was found.
struct Named(i64, String, i64, i64);

impl wishbone_store::FromRow for Named {
    fn from_row(row: &dyn wishbone_store::Row) -> wishbone_store::Result<Self> {
        let id = uuid::Uuid::from_slice(row.blob(1)?).map_err(wishbone_store::Error::bug)?;
        Ok(Self(row.int(0)?, id.to_string(), row.int(2)?, row.int(3)?))
    }
}

macro_rules! without_list {
    ($table:literal) => {
        concat!(
            "select x.store_id, x.list_id, 0, count(*) from ",
            $table,
            " x left join lists l on l.store_id = x.store_id and l.list_id = x.list_id
                  left join remains r on r.store_id = x.store_id and r.list_id = x.list_id
             where l.list_id is null and r.list_id is null group by x.store_id, x.list_id limit 100"
        )
    };
}

statements! {
    COUNTS = "select (select count(*) from stores), (select count(*) from shoppers), (select count(*) from lists),
                     (select count(*) from items), (select count(*) from products), (select count(*) from subscriptions)";
    WRONG_ITEM_COUNTS = "select l.store_id, l.list_id, l.item_count, count(i.item_id)
        from lists l left join items i on i.store_id = l.store_id and i.list_id = l.list_id
        group by l.store_id, l.list_id, l.item_count having l.item_count <> count(i.item_id) limit 100";
    // Counted first: joined list by list, SQLite would walk all lists of the store for each shopper.
    WRONG_LIST_COUNTS = "select s.store_id, s.shopper_id, s.list_count, coalesce(l.found, 0)
        from shoppers s left join (select store_id, shopper_id, count(*) as found from lists
                                   group by store_id, shopper_id) l
             on l.store_id = s.store_id and l.shopper_id = s.shopper_id
        where s.list_count <> coalesce(l.found, 0) limit 100";
    WRONG_COMMENT_COUNTS = "select l.store_id, l.list_id, l.comment_count, coalesce(c.found, 0)
        from lists l left join (select store_id, list_id, count(*) as found from comments group by store_id, list_id) c
             on c.store_id = l.store_id and c.list_id = l.list_id
        where l.comment_count <> coalesce(c.found, 0) limit 100";
    ORPHAN_ITEMS = without_list!("items");
    ORPHAN_COMMENTS = without_list!("comments");
    ORPHAN_EDITORS = without_list!("editors");
    ORPHAN_LINKS = without_list!("share_links");
    LOST_COMMENTS = "select c.store_id, c.list_id, 0, count(*)
        from comments c join lists l on l.store_id = c.store_id and l.list_id = c.list_id
             left join items i on i.store_id = c.store_id and i.list_id = c.list_id and i.variant_id = c.variant_id
        where i.variant_id is null group by c.store_id, c.list_id limit 100";
    WRONG_COPIES = "select l.store_id, l.list_id, l.copying, count(c.list_id)
        from lists l left join copies c on c.store_id = l.store_id and c.list_id = l.list_id
        group by l.store_id, l.list_id, l.copying having l.copying <> count(c.list_id) limit 100";
    ORPHAN_COPIES = "select c.store_id, c.list_id, 0, 0
        from copies c left join lists l on l.store_id = c.store_id and l.list_id = c.list_id
        where l.list_id is null limit 100";
    LIVING_REMAINS = "select r.store_id, r.list_id, 0, 0
        from remains r join lists l on l.store_id = r.store_id and l.list_id = r.list_id limit 100";
    ORPHAN_LISTS = "select l.store_id, l.shopper_id, 0, count(*)
        from lists l left join shoppers s on s.store_id = l.store_id and s.shopper_id = l.shopper_id
        where s.shopper_id is null group by l.store_id, l.shopper_id limit 100";
    RETIRED_OWNERS = "select l.store_id, l.shopper_id, 0, count(*)
        from lists l join shoppers s on s.store_id = l.store_id and s.shopper_id = l.shopper_id
        where s.merged_into is not null group by l.store_id, l.shopper_id limit 100";
    ORPHAN_SUBSCRIPTIONS = "select u.store_id, u.shopper_id, 0, count(*)
        from subscriptions u left join shoppers s on s.store_id = u.store_id and s.shopper_id = u.shopper_id
        where s.shopper_id is null group by u.store_id, u.shopper_id limit 100";
}
