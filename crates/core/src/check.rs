//! Looks for what must never be: counts that are wrong, rows whose owner is gone, and contents that cannot be read.
//!
//! Each rule is a read of its own, so that a check of a large database holds no old state of it for long, and tells
//! how far it is.

use wishbone_store::{FromRow, Query, Read, Row, Store, Watch};

use crate::caller::Operator;
use crate::check_rules::{RULES, Rule};
use crate::check_stores::{HasStores, TABLES};
use crate::{Error, Result, check_contents};

/// So many examples of a fault are shown.
pub(crate) const EXAMPLES: usize = 5;

/// How much there is, and what is wrong with it.
#[derive(Debug, Default)]
pub struct CheckReport {
    pub stores: i64,
    pub shoppers: i64,
    pub lists: i64,
    pub items: i64,
    pub products: i64,
    pub subscriptions: i64,
    pub faults: Vec<Fault>,
}

/// One rule that rows do not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A name for programs, such as `item-count`.
    pub kind: &'static str,
    /// How often it was found.
    pub count: i64,
    /// Sentences about the first few.
    pub examples: Vec<String>,
    /// What follows from it, and what to do.
    pub meaning: &'static str,
}

/// Checks every row of every store. Faults that another change makes and mends at once are not seen, since each rule
/// looks at one state.
pub async fn check(store: &Store, by: Operator, watch: &Watch) -> Result<CheckReport> {
    let mut report = store.read_long(Count(by)).await?;
    let all = (RULES.len() + TABLES.len()) as u64;
    for (done, rule) in RULES.iter().enumerate() {
        watch.tell("checking counts and owners", done as u64, all)?;
        report.faults.extend(store.read_long(Keeps(rule)).await?);
    }
    for (done, table) in TABLES.iter().enumerate() {
        watch.tell("checking counts and owners", (RULES.len() + done) as u64, all)?;
        report.faults.extend(store.read_long(HasStores { ..*table }).await?);
    }
    report.faults.extend(check_contents::check(store, report.items + report.products, watch).await?);
    Ok(report)
}

struct Count(Operator);

impl Read for Count {
    const NAME: &'static str = "check_count";
    type Out = CheckReport;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        query
            .query_all(&[COUNTS.bind(&[])], &mut |_, row| {
                report.stores = row.int(0)?;
                report.shoppers = row.int(1)?;
                report.lists = row.int(2)?;
                report.items = row.int(3)?;
                report.products = row.int(4)?;
                report.subscriptions = row.int(5)?;
                Ok(())
            })
            .await?;
        Ok(report)
    }
}

struct Keeps(&'static Rule);

impl Read for Keeps {
    const NAME: &'static str = "check_rule";
    type Out = Option<Fault>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Option<Fault>> {
        let rule = self.0;
        let found: Vec<Found> = query.rows(rule.sql.bind(&[])).await?;
        Ok(found.first().map(|first| Fault {
            kind: rule.kind,
            count: first.total,
            examples: found.iter().map(|found| format!("store {}: {}", found.store, (rule.says)(found))).collect(),
            meaning: rule.meaning,
        }))
    }
}

/// A row that breaks a rule: whose it is, what is said of it, what was found, and how many more there are.
pub(crate) struct Found {
    store: i64,
    pub(crate) id: String,
    pub(crate) said: i64,
    pub(crate) found: i64,
    total: i64,
}

impl FromRow for Found {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        let id = row.blob(1)?;
        let id = uuid::Uuid::from_slice(id).map_or_else(|_| format!("{id:02x?}"), |id| id.to_string());
        Ok(Self { store: row.int(0)?, id, said: row.int(2)?, found: row.int(3)?, total: row.int(4)? })
    }
}

/// Every table that has rows of stores, as the check knows them.
pub fn tables() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.table)
}

statements! {
    COUNTS = "select (select count(*) from stores), (select count(*) from shoppers), (select count(*) from lists),
                     (select count(*) from items), (select count(*) from products), (select count(*) from subscriptions)";
}
