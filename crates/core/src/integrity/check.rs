//! Checks the invariants of a database: counts, owners and decodable contents.
//!
//! Each rule is a read of its own, so that checking a large database does not hold one snapshot for long and can report
//! progress.

use wishbone_storage::{Database, ProgressReporter, Query, Read};

use crate::error::{Error, Result};
use crate::integrity::contents;
use crate::integrity::enumerated::COLUMNS;
use crate::integrity::fault::{Fault, Violation};
use crate::integrity::rules::{RULES, Rule};
use crate::integrity::stores::{OrphanedRows, StoresWithoutState, TABLES};
use crate::operator::Operator;

/// The number of rows, and the faults.
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

/// Checks every row of every store. Each rule reads one consistent snapshot, so concurrent writes cause no false alarms.
pub async fn check(database: &Database, by: Operator, watch: &ProgressReporter) -> Result<CheckReport> {
    let mut report = database.read_long(CountRows(by)).await?;
    let total = (RULES.len() + TABLES.len() + COLUMNS.len()) as u64;
    for (done, rule) in RULES.iter().enumerate() {
        watch.report("checking counts and owners", done as u64, total)?;
        report.faults.extend(database.read_long(CheckRule(rule)).await?);
    }
    for (done, table) in TABLES.iter().enumerate() {
        watch.report("checking counts and owners", (RULES.len() + done) as u64, total)?;
        report.faults.extend(database.read_long(OrphanedRows { ..*table }).await?);
    }
    for (done, column) in COLUMNS.iter().enumerate() {
        watch.report("checking counts and owners", (RULES.len() + TABLES.len() + done) as u64, total)?;
        report.faults.extend(database.read_long(column).await?);
    }
    report.faults.extend(database.read_long(StoresWithoutState).await?);
    report.faults.extend(contents::check(database, report.items + report.products, watch).await?);
    Ok(report)
}

struct CountRows(Operator);

impl Read for CountRows {
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

struct CheckRule(&'static Rule);

impl Read for CheckRule {
    const NAME: &'static str = "check_rule";
    type Out = Option<Fault>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Option<Fault>> {
        let rule = self.0;
        let found: Vec<Violation> = query.rows(rule.sql.bind(&[])).await?;
        Ok(found.first().map(|first| Fault {
            kind: rule.kind,
            count: first.total,
            examples: found.iter().map(|found| format!("store {}: {}", found.store, (rule.describe)(found))).collect(),
            meaning: rule.meaning,
        }))
    }
}

/// Returns every column whose values the check knows: its table and its name.
pub fn enumerated_columns() -> impl Iterator<Item = (&'static str, &'static str)> {
    COLUMNS.iter().map(|column| (column.table, column.column))
}

/// Returns every table with rows of stores that the check covers.
pub fn tables() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|table| table.table)
}

statements! {
    COUNTS = "select (select count(*) from stores), (select count(*) from shoppers), (select count(*) from lists),
                     (select count(*) from items), (select count(*) from products), (select count(*) from subscriptions)";
}
