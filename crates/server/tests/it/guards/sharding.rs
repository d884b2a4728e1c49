//! A statement names the store of every table in it, so that an engine that shards by store runs it on one shard.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Delete, Expr, FromTable, Insert, JoinConstraint, JoinOperator, ObjectName, Query, Select, SelectItem, SetExpr,
    Statement, TableFactor, TableObject, TableWithJoins, Update, UpdateTableFromKind, Value, Visit, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use tokio_postgres::SimpleQueryMessage;
use wishbone_core::registry::{REFERENCE_TABLES, statements};

use super::{allows, assert_none, texts};
use crate::support::{Engine, TestApp, is_on_citus};

/// Statements that span stores: why they may, and what bounds them. A module's name stands for all of its statements.
const MAY_SPAN_STORES: &[(&str, &str)] = &[
    ("integrity::check::", "the operator's check is about all stores, on a connection of its own"),
    ("integrity::contents::", "the operator's check is about all stores, on a connection of its own"),
    ("integrity::rules::", "the operator's check is about all stores, on a connection of its own"),
    ("integrity::stores::", "the operator's check is about all stores, on a connection of its own"),
    ("integrity::enumerated::", "the operator's check is about all stores, on a connection of its own"),
    ("encrypted_secrets::WEBHOOK", "a rotation of keys is about every store; a store has at most 20 webhooks"),
    ("encrypted_secrets::PREVIOUS_WEBHOOK", "a rotation of keys is about every store; a store has at most 20 webhooks"),
    ("stores::work::MAILS", "finds the stores that a job serves: a look at an index for each store"),
    ("stores::work::ALERT_EVENTS", "finds the stores that a job serves: a look at an index for each store"),
    ("stores::work::ALERTS", "finds the stores that a job serves: a look at an index for each store"),
    ("stores::work::WEBHOOKS", "finds the stores that a job serves: looks at an index for at most 20 webhooks of each"),
    ("stores::work::STEPS", "finds the stores that a job serves: the tables hold only what is in progress"),
    ("stores::work::DELETED_LISTS", "finds the stores that a job serves: a look at an index for each store"),
];

#[test]
fn every_statement_names_the_store_of_every_table() {
    let mut findings = Vec::new();
    let mut spanning = BTreeSet::new();
    for (name, text) in texts() {
        let unconfined = unconfined(&text);
        if unconfined.is_empty() {
            continue;
        }
        if !allows(MAY_SPAN_STORES, &name) {
            findings.push(format!("{name} does not name the store of {unconfined:?}: {text}"));
        }
        spanning.insert(name);
    }
    for (name, reason) in MAY_SPAN_STORES {
        if !spanning.iter().any(|spanning| spanning.starts_with(name)) {
            findings.push(format!("{name} may span stores ({reason}) and does not: take it off the list"));
        }
    }
    assert_none(&findings);
}

/// Runs on Citus only: there a plan tells how many tasks, each on one shard, a statement becomes.
#[tokio::test]
async fn citus_runs_every_statement_as_one_task() {
    if !is_on_citus() {
        return;
    }
    let app = TestApp::start(Engine::Postgres).await;
    let client = app.connect().await;
    client.batch_execute("set plan_cache_mode = force_custom_plan").await.unwrap();
    let (mut findings, mut examined) = (Vec::new(), 0);
    for (name, sql) in statements() {
        let text = sql.text();
        let call = match sql.parameters() {
            0 => String::new(),
            count => format!("({})", vec!["'1'"; count].join(", ")),
        };
        let script = format!("prepare plan as {text}; explain (costs off) execute plan{call}; deallocate plan");
        let plan = match client.simple_query(&script).await {
            Ok(plan) => plan,
            Err(error) => panic!("{name}: {error:?}"),
        };
        let lines = plan.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        let lines: Vec<&str> = lines.collect();
        let is_one_task = |line: &&str| line.trim() == "Task Count: 1";
        let spans = |line: &&str| {
            let line = line.trim().trim_start_matches("->").trim();
            (line.starts_with("Task Count: ") && line != "Task Count: 1") || line.starts_with("Distributed Subplan")
        };
        examined += usize::from(lines.iter().any(is_one_task));
        if lines.iter().any(spans) && !allows(MAY_SPAN_STORES, &name) {
            findings.push(format!("{name}:\n  {}", lines.join("\n  ")));
        }
    }
    assert!(examined > 300, "only {examined} statements have a task");
    assert_none(&findings);
}

#[test]
fn a_table_without_its_store_is_found() {
    for (text, expected) in [
        ("select 1 from lists where store_id = $1", &[][..]),
        ("select 1 from lists where list_id = $1", &["lists"]),
        ("select 1 from lists where store_id = $1 or list_id = $2", &["lists"]),
        ("select 1 from stores s join lists l on l.store_id = s.store_id where s.pid = $1", &["l"]),
        ("select 1 from lists l join items i on i.list_id = l.list_id where l.store_id = $1", &["i"]),
        ("select 1 from lists l, items i where l.store_id = $1 and i.store_id = $1", &[]),
        (
            "select 1 from lists l where l.store_id = $1 and exists (select 1 from items i where i.list_id = l.list_id)",
            &["i"],
        ),
        ("select (select count(*) from items i) from lists l where l.store_id = $1", &["i"]),
        ("with x as (select 1 from items) select 1 from x", &["items"]),
        ("select 1 from (select 1 from items where store_id = $1 union all select 1 from lists) x", &["lists"]),
        ("update lists set name = $1 where store_id = $2 and list_id = $3", &[]),
        ("update lists set name = (select name from items) where store_id = $1", &["items"]),
        ("delete from lists where list_id = $1", &["lists"]),
        ("insert into lists (store_id, list_id) values ($1, $2)", &[]),
        ("insert into lists (list_id, store_id) values ($1, 7)", &["lists"]),
        ("insert into lists (store_id, list_id) select store_id, list_id from items where store_id = $1", &[]),
        ("insert into lists (store_id, list_id) select other, list_id from items where store_id = $1", &["lists"]),
        ("insert into lists (store_id) select store_id from items", &["items"]),
    ] {
        assert_eq!(unconfined(text), expected, "{text}");
    }
}

/// The aliases of the tables whose store a statement does not name.
fn unconfined(text: &str) -> Vec<String> {
    let parsed = Parser::parse_sql(&PostgreSqlDialect {}, text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut tables = Tables::default();
    let _ = parsed.visit(&mut tables);
    let seen = tables.relations.iter().filter(|name| !tables.common.contains(*name)).count();
    assert_eq!(tables.examined, seen, "not every table was examined: {text}");
    tables.unconfined
}

#[derive(Default)]
struct Tables {
    relations: Vec<String>,
    /// Names of common table expressions.
    common: BTreeSet<String>,
    examined: usize,
    unconfined: Vec<String>,
}

impl Visitor for Tables {
    type Break = ();

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        self.relations.push(relation.to_string());
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let common = query.with.iter().flat_map(|with| &with.cte_tables);
        self.common.extend(common.map(|table| table.alias.name.to_string()));
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.examine(&select.from, select.selection.as_ref());
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        match statement {
            Statement::Query(_) => {}
            Statement::Insert(insert) => self.examine_insert(insert),
            Statement::Update(Update { table, from, selection, .. }) => {
                let from = from
                    .iter()
                    .flat_map(|(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from))| from);
                let tables: Vec<TableWithJoins> = [table].into_iter().chain(from).cloned().collect();
                self.examine(&tables, selection.as_ref());
            }
            Statement::Delete(Delete { from, using, selection, .. }) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = from;
                let tables: Vec<TableWithJoins> = from.iter().chain(using.iter().flatten()).cloned().collect();
                self.examine(&tables, selection.as_ref());
            }
            other => panic!("not expected: {other}"),
        }
        ControlFlow::Continue(())
    }
}

impl Tables {
    fn examine(&mut self, from: &[TableWithJoins], selection: Option<&Expr>) {
        let (mut names, mut conditions) = (Vec::new(), Vec::new());
        conjuncts(selection, &mut conditions);
        for tables in from {
            collect(tables, &mut names, &mut conditions);
        }
        names.retain(|(name, _)| !self.common.contains(name));
        self.examined += names.len();
        let only = names.len() == 1;
        for (name, alias) in names {
            let names_store = |condition: &&Expr| names_store(condition, &alias, only);
            if !REFERENCE_TABLES.contains(&name.as_str()) && !conditions.iter().any(names_store) {
                self.unconfined.push(alias);
            }
        }
    }

    /// The row's store is a parameter, or the store of the rows that it is made of.
    fn examine_insert(&mut self, insert: &Insert) {
        let TableObject::TableName(name) = &insert.table else { panic!("not expected: {insert}") };
        self.examined += 1;
        let at = insert.columns.iter().position(|column| column.to_string() == "store_id");
        let is_confined = at.is_some_and(|at| match insert.source.as_ref().map(|source| source.body.as_ref()) {
            Some(SetExpr::Values(values)) => values.rows.iter().all(|row| is_parameter(&row.content[at])),
            Some(SetExpr::Select(select)) => match &select.projection[at] {
                SelectItem::UnnamedExpr(expr) => {
                    is_parameter(expr) || column(expr).is_some_and(|(_, name)| name == "store_id")
                }
                _ => false,
            },
            _ => false,
        });
        if !REFERENCE_TABLES.contains(&name.to_string().as_str()) && !is_confined {
            self.unconfined.push(name.to_string());
        }
    }
}

/// Collects the tables, by name and alias, and the conditions of their joins.
fn collect<'a>(tables: &'a TableWithJoins, names: &mut Vec<(String, String)>, conditions: &mut Vec<&'a Expr>) {
    let factors = [&tables.relation].into_iter().chain(tables.joins.iter().map(|join| &join.relation));
    for factor in factors {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let alias = alias.as_ref().map_or_else(|| name.to_string(), |alias| alias.name.to_string());
                names.push((name.to_string(), alias));
            }
            TableFactor::NestedJoin { table_with_joins, .. } => collect(table_with_joins, names, conditions),
            // Its tables are in a select of its own.
            TableFactor::Derived { .. } => {}
            other => panic!("not expected: {other}"),
        }
    }
    for join in &tables.joins {
        let (JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::CrossJoin(constraint)) = &join.join_operator
        else {
            panic!("not expected: {join}");
        };
        if let JoinConstraint::On(condition) = constraint {
            conjuncts(Some(condition), conditions);
        }
    }
}

/// Collects the conditions that all must hold.
fn conjuncts<'a>(condition: Option<&'a Expr>, conditions: &mut Vec<&'a Expr>) {
    match condition {
        Some(Expr::BinaryOp { left, op: sqlparser::ast::BinaryOperator::And, right }) => {
            conjuncts(Some(left), conditions);
            conjuncts(Some(right), conditions);
        }
        Some(Expr::Nested(inner)) => conjuncts(Some(inner), conditions),
        Some(other) => conditions.push(other),
        None => {}
    }
}

/// `alias.store_id = $n`; the alias can be absent if it is the only table.
fn names_store(condition: &Expr, alias: &str, only: bool) -> bool {
    let Expr::BinaryOp { left, op: sqlparser::ast::BinaryOperator::Eq, right } = condition else { return false };
    let is_key = column(left)
        .is_some_and(|(table, name)| name == "store_id" && table.as_deref().map_or(only, |table| table == alias));
    is_key && is_parameter(right)
}

fn column(expr: &Expr) -> Option<(Option<String>, String)> {
    match expr {
        Expr::Identifier(name) => Some((None, name.to_string())),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [table, name] => Some((Some(table.to_string()), name.to_string())),
            _ => None,
        },
        _ => None,
    }
}

fn is_parameter(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(value.value, Value::Placeholder(_)))
}
