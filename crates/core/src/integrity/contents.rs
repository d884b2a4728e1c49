//! Decodes everything that is stored encoded, batch by batch along the primary key, so that memory stays flat.

use serde_json::{Map, Value};
use uuid::Uuid;
use wishbone_storage::{Arg, Database, ProgressReporter, Query, Read, Row, Sql};

use crate::catalog::fields::ProductFields;
use crate::error::{Error, Result};
use crate::integrity::fault::{EXAMPLES, Fault};
use crate::items::input::Attributes;
use crate::json;
use crate::stores::settings::Settings;

const ROWS: i64 = 1_000;
const MEANING: &str = "Calls that need it fail, or answer with what is not JSON. No call writes such a thing: keep a copy of the \
                       database, restore the last good backup, and check the disk.";

/// What is wrong with a row's contents, which begin at a column.
type Look = fn(&dyn Row, usize) -> wishbone_storage::Result<Option<&'static str>>;

struct Table {
    name: &'static str,
    sql: Sql,
    /// The kinds of the key's columns, which come first.
    key: &'static [Kind],
    look: Look,
}

#[derive(Clone, Copy)]
enum Kind {
    Int,
    Blob,
    Text,
}

const TABLES: &[Table] = &[
    Table { name: "stores", sql: STORES, key: &[Kind::Int], look: look_at_store },
    Table { name: "lists", sql: LISTS, key: &[Kind::Int, Kind::Blob], look: look_at_list },
    Table { name: "items", sql: ITEMS, key: &[Kind::Int, Kind::Blob, Kind::Int, Kind::Int], look: look_at_item },
    Table { name: "products", sql: PRODUCTS, key: &[Kind::Int, Kind::Int], look: look_at_product },
    Table {
        name: "subscriptions",
        sql: SUBSCRIPTIONS,
        key: &[Kind::Int, Kind::Blob, Kind::Text, Kind::Int],
        look: look_at_subscription,
    },
];

pub(crate) async fn check(database: &Database, total: i64, watch: &ProgressReporter) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let (mut done, total) = (0, u64::try_from(total).unwrap_or(0));
    for table in TABLES {
        let mut fault = Fault { kind: "contents", count: 0, examples: Vec::new(), meaning: MEANING };
        let mut after: Vec<Part> = table.key.iter().map(Part::before_all).collect();
        loop {
            watch.report("reading contents", done.min(total), total)?;
            let batch = database.read_long(Batch { table, after }).await?;
            fault.count += batch.faults.len() as i64;
            fault.examples.extend(batch.faults);
            fault.examples.truncate(EXAMPLES);
            done += batch.rows;
            match batch.last {
                Some(last) if batch.rows >= ROWS as u64 => after = last,
                _ => break,
            }
        }
        if fault.count > 0 {
            faults.push(fault);
        }
    }
    Ok(faults)
}

/// A column of a key.
#[derive(Clone)]
enum Part {
    Int(i64),
    Blob(Vec<u8>),
    Text(String),
}

impl Part {
    fn before_all(kind: &Kind) -> Self {
        match kind {
            Kind::Int => Self::Int(i64::MIN),
            Kind::Blob => Self::Blob(Vec::new()),
            Kind::Text => Self::Text(String::new()),
        }
    }

    fn of(kind: Kind, row: &dyn Row, column: usize) -> wishbone_storage::Result<Self> {
        Ok(match kind {
            Kind::Int => Self::Int(row.int(column)?),
            Kind::Blob => Self::Blob(row.blob(column)?.to_owned()),
            Kind::Text => Self::Text(row.text(column)?.to_owned()),
        })
    }

    fn arg(&self) -> Arg<'_> {
        match self {
            Self::Int(value) => (*value).into(),
            Self::Blob(value) => value.into(),
            Self::Text(value) => value.into(),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Blob(value) => Uuid::from_slice(value).map_or_else(|_| format!("{value:02x?}"), |id| id.to_string()),
            Self::Text(value) => value.clone(),
        }
    }
}

struct Batch {
    table: &'static Table,
    after: Vec<Part>,
}

#[derive(Default)]
struct Looked {
    rows: u64,
    last: Option<Vec<Part>>,
    faults: Vec<String>,
}

impl Read for Batch {
    const NAME: &'static str = "check_contents";
    type Out = Looked;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Looked> {
        let Table { name, sql, key, look } = self.table;
        let mut args: Vec<Arg<'_>> = self.after.iter().map(Part::arg).collect();
        args.push(ROWS.into());
        let mut looked = Looked::default();
        query
            .query_all(&[sql.bind(&args)], &mut |_, row| {
                looked.rows += 1;
                let parts = key.iter().enumerate().map(|(i, kind)| Part::of(*kind, row, i));
                let last = parts.collect::<wishbone_storage::Result<Vec<_>>>()?;
                if let Some(fault) = look(row, key.len()).unwrap_or(Some("a value is of the wrong kind")) {
                    let key: Vec<String> = last.iter().map(Part::words).collect();
                    looked.faults.push(format!("{name} {}: {fault}", key.join("/")));
                }
                looked.last = Some(last);
                Ok(())
            })
            .await?;
        Ok(looked)
    }
}

fn look_at_store(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    let readable = serde_json::from_str::<Settings>(row.text(at)?).is_ok();
    Ok((!readable).then_some("its settings cannot be read"))
}

fn look_at_list(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(if !is_object(row.opt_text(at)?) { Some("its properties are no JSON object") } else { None })
}

fn look_at_item(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(if Uuid::from_slice(row.blob(at)?).is_err() {
        Some("its id is no UUID")
    } else if json::from_members::<Attributes>(row.text(at + 1)?).is_err() {
        Some("its attributes cannot be read")
    } else {
        fault_of_product(row.opt_text(at + 2)?, row.opt_double(at + 3)?)
    })
}

fn look_at_product(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(fault_of_product(Some(row.text(at)?), row.opt_double(at + 1)?))
}

fn look_at_subscription(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    let given = row.opt_text(at)?;
    Ok(if given.is_some_and(|given| ProductFields::decode(given).is_err()) {
        Some("what was given of its product cannot be read")
    } else if !is_object(row.opt_text(at + 1)?) {
        Some("its extras are no JSON object")
    } else {
        None
    })
}

/// The price stands beside the words that it is part of, so that lists can be sorted by it.
fn fault_of_product(fields: Option<&str>, price: Option<f64>) -> Option<&'static str> {
    match fields.map(ProductFields::decode).transpose() {
        Err(_) => Some("its product's words cannot be read"),
        Ok(fields) if fields.as_ref().and_then(|fields| fields.price()) != price => {
            Some("it is sorted by another price than its own")
        }
        Ok(_) => None,
    }
}

fn is_object(text: Option<&str>) -> bool {
    text.is_none_or(|text| serde_json::from_str::<Map<String, Value>>(text).is_ok())
}

statements! {
    STORES = "select store_id, settings from stores where store_id > $1 order by store_id limit $2";
    LISTS = "select store_id, list_id, properties from lists where (store_id, list_id) > ($1, $2)
             order by store_id, list_id limit $3";
    ITEMS = "select store_id, list_id, added_at, seq, item_id, attributes, given, given_price from items
             where (store_id, list_id, added_at, seq) > ($1, $2, $3, $4)
             order by store_id, list_id, added_at, seq limit $5";
    PRODUCTS = "select store_id, variant_id, fields, price from products where (store_id, variant_id) > ($1, $2)
                order by store_id, variant_id limit $3";
    SUBSCRIPTIONS = "select store_id, shopper_id, topic, ordinal, given, extras from subscriptions
                     where (store_id, shopper_id, topic, ordinal) > ($1, $2, $3, $4)
                     order by store_id, subscriptions.shopper_id, topic, ordinal limit $5";
}
