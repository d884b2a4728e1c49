//! Decodes all encoded contents, in batches along the primary key, so that memory use is constant.

use serde_json::{Map, Value};
use uuid::Uuid;
use wishbone_storage::{Arg, Database, ProgressReporter, Query, Read, Row, Sql};

use crate::catalog::fields::ProductFields;
use crate::error::{Error, Result};
use crate::integrity::fault::{Fault, MAX_EXAMPLES};
use crate::items::input::ItemAttributes;
use crate::json;
use crate::lists::item_members::ItemMembers;
use crate::mail::medium::Medium;
use crate::stores::settings::Settings;

const BATCH_ROWS: i64 = 1_000;
const MEANING: &str = "Calls that read it fail, or return invalid JSON. No call writes such data: save a copy of the database, restore \
                       the last good backup, and check the disk.";

/// Returns what is wrong with a row's contents, which begin at a column.
type Validate = fn(&dyn Row, usize) -> wishbone_storage::Result<Option<&'static str>>;

struct ContentTable {
    name: &'static str,
    sql: Sql,
    /// The types of the key's columns, which come first.
    key: &'static [KeyType],
    validate: Validate,
}

#[derive(Clone, Copy)]
enum KeyType {
    Int,
    Blob,
    Text,
}

const TABLES: &[ContentTable] = &[
    ContentTable { name: "stores", sql: STORES, key: &[KeyType::Int], validate: validate_store },
    ContentTable { name: "shoppers", sql: SHOPPERS, key: &[KeyType::Int, KeyType::Blob], validate: validate_shopper },
    ContentTable { name: "mails", sql: MAILS, key: &[KeyType::Int, KeyType::Blob], validate: validate_mail },
    ContentTable { name: "lists", sql: LISTS, key: &[KeyType::Int, KeyType::Blob], validate: validate_list },
    ContentTable {
        name: "items",
        sql: ITEMS,
        key: &[KeyType::Int, KeyType::Blob, KeyType::Int, KeyType::Int],
        validate: validate_item,
    },
    ContentTable { name: "products", sql: PRODUCTS, key: &[KeyType::Int, KeyType::Int], validate: validate_product },
    ContentTable {
        name: "subscriptions",
        sql: SUBSCRIPTIONS,
        key: &[KeyType::Int, KeyType::Blob, KeyType::Text, KeyType::Int],
        validate: validate_subscription,
    },
    ContentTable {
        name: "webhook_events",
        sql: WEBHOOK_EVENTS,
        key: &[KeyType::Int, KeyType::Int, KeyType::Int, KeyType::Blob],
        validate: validate_event,
    },
];

pub(crate) async fn check(database: &Database, total: i64, watch: &ProgressReporter) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let (mut done, total) = (0, u64::try_from(total).unwrap_or(0));
    for table in TABLES {
        let mut fault = Fault { kind: "contents", count: 0, examples: Vec::new(), meaning: MEANING };
        let mut after: Vec<KeyValue> = table.key.iter().map(KeyValue::minimum).collect();
        loop {
            watch.report("reading contents", done.min(total), total)?;
            let batch = database.read_long(ReadBatch { table, after }).await?;
            fault.count += batch.faults.len() as i64;
            fault.examples.extend(batch.faults);
            fault.examples.truncate(MAX_EXAMPLES);
            done += batch.rows;
            match batch.last {
                Some(last) if batch.rows >= BATCH_ROWS as u64 => after = last,
                _ => break,
            }
        }
        if fault.count > 0 {
            faults.push(fault);
        }
    }
    Ok(faults)
}

/// A value of a key's column.
#[derive(Clone)]
enum KeyValue {
    Int(i64),
    Blob(Vec<u8>),
    Text(String),
}

impl KeyValue {
    fn minimum(kind: &KeyType) -> Self {
        match kind {
            KeyType::Int => Self::Int(i64::MIN),
            KeyType::Blob => Self::Blob(Vec::new()),
            KeyType::Text => Self::Text(String::new()),
        }
    }

    fn of(kind: KeyType, row: &dyn Row, column: usize) -> wishbone_storage::Result<Self> {
        Ok(match kind {
            KeyType::Int => Self::Int(row.int(column)?),
            KeyType::Blob => Self::Blob(row.blob(column)?.to_owned()),
            KeyType::Text => Self::Text(row.text(column)?.to_owned()),
        })
    }

    fn arg(&self) -> Arg<'_> {
        match self {
            Self::Int(value) => (*value).into(),
            Self::Blob(value) => value.into(),
            Self::Text(value) => value.into(),
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Int(value) => value.to_string(),
            Self::Blob(value) => Uuid::from_slice(value).map_or_else(|_| format!("{value:02x?}"), |id| id.to_string()),
            Self::Text(value) => value.clone(),
        }
    }
}

struct ReadBatch {
    table: &'static ContentTable,
    after: Vec<KeyValue>,
}

#[derive(Default)]
struct BatchResult {
    rows: u64,
    last: Option<Vec<KeyValue>>,
    faults: Vec<String>,
}

impl Read for ReadBatch {
    const NAME: &'static str = "check_contents";
    type Out = BatchResult;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<BatchResult> {
        let ContentTable { name, sql, key, validate } = self.table;
        let mut args: Vec<Arg<'_>> = self.after.iter().map(KeyValue::arg).collect();
        args.push(BATCH_ROWS.into());
        let mut result = BatchResult::default();
        query
            .query_all(&[sql.bind(&args)], &mut |_, row| {
                result.rows += 1;
                let parts = key.iter().enumerate().map(|(i, kind)| KeyValue::of(*kind, row, i));
                let last = parts.collect::<wishbone_storage::Result<Vec<_>>>()?;
                if let Some(fault) = validate(row, key.len()).unwrap_or(Some("a value has the wrong type")) {
                    let key: Vec<String> = last.iter().map(KeyValue::to_text).collect();
                    result.faults.push(format!("{name} {}: {fault}", key.join("/")));
                }
                result.last = Some(last);
                Ok(())
            })
            .await?;
        Ok(result)
    }
}

fn validate_store(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    let readable = serde_json::from_str::<Settings>(row.text(at)?).is_ok();
    Ok((!readable).then_some("invalid settings"))
}

fn validate_shopper(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(row.opt_text(at)?.and_then(|email| address_fault("email", email)))
}

/// The address of a confirmation may be a phone number.
fn validate_mail(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    let address = row.opt_text(at)?;
    let medium = |address: &str| if address.contains('@') { "email" } else { "sms" };
    Ok(address.and_then(|address| address_fault(medium(address), address)))
}

/// Addresses are compared as they are stored, so they are stored in one form.
fn address_fault(medium: &str, address: &str) -> Option<&'static str> {
    let normal = Medium::parse(medium).and_then(|medium| medium.normalize(address));
    (normal.ok().as_deref() != Some(address)).then_some("the address is not in its normal form")
}

fn validate_list(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(if !is_object(row.opt_text(at)?) { Some("properties are not a JSON object") } else { None })
}

fn validate_item(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    let Ok(item) = ItemMembers::decode(row.text(at)?) else { return Ok(Some("invalid members")) };
    let attributes = json::from_members::<ItemAttributes>(item.attributes);
    Ok(if !attributes.is_ok_and(|attributes| attributes.is_sound()) {
        Some("invalid attributes")
    } else if (item.added_at, item.variant_id, item.product_id) != (row.int(2)?, row.int(at + 1)?, row.int(at + 2)?) {
        Some("the members differ from the columns")
    } else {
        product_fault(row.opt_text(at + 3)?, row.opt_double(at + 4)?)
    })
}

fn validate_product(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(product_fault(Some(row.text(at)?), row.opt_double(at + 1)?))
}

fn validate_subscription(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    let given = row.opt_text(at)?;
    Ok(if given.is_some_and(|given| ProductFields::decode(given).is_err()) {
        Some("invalid product fields")
    } else if !is_object(row.opt_text(at + 1)?) {
        Some("extras are not a JSON object")
    } else {
        address_fault(row.text(at + 2)?, row.text(at + 3)?)
    })
}

fn validate_event(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<&'static str>> {
    Ok(if !is_object(Some(row.text(at)?)) { Some("data is not a JSON object") } else { None })
}

/// Validates product fields. The price is stored a second time, in a column of its own, to sort by it.
fn product_fault(fields: Option<&str>, price: Option<f64>) -> Option<&'static str> {
    match fields.map(ProductFields::decode).transpose() {
        Err(_) => Some("invalid product fields"),
        Ok(fields) if fields.as_ref().and_then(|fields| fields.price()) != price => {
            Some("the sort price differs from the price in the product fields")
        }
        Ok(_) => None,
    }
}

fn is_object(text: Option<&str>) -> bool {
    text.is_none_or(|text| serde_json::from_str::<Map<String, Value>>(text).is_ok())
}

statements! {
    STORES = "select store_id, settings from stores where store_id > $1 and deleting_since is null order by store_id limit $2";
    SHOPPERS = "select store_id, shopper_id, email from shoppers where (store_id, shopper_id) > ($1, $2)
                order by store_id, shoppers.shopper_id limit $3";
    MAILS = "select store_id, mail_id, address from mails where (store_id, mail_id) > ($1, $2)
             order by store_id, mail_id limit $3";
    LISTS = "select store_id, list_id, properties from lists where (store_id, list_id) > ($1, $2)
             order by store_id, list_id limit $3";
    ITEMS = "select store_id, list_id, added_at, seq, members, variant_id, product_id, given, given_price from items
             where (store_id, list_id, added_at, seq) > ($1, $2, $3, $4)
             order by store_id, list_id, added_at, seq limit $5";
    PRODUCTS = "select store_id, variant_id, fields, price from products where (store_id, variant_id) > ($1, $2)
                order by store_id, variant_id limit $3";
    WEBHOOK_EVENTS = "select store_id, at, n, event_id, data from webhook_events
                      where (store_id, at, n, event_id) > ($1, $2, $3, $4) order by store_id, at, n, event_id limit $5";
    SUBSCRIPTIONS = "select store_id, shopper_id, topic, ordinal, given, extras, medium, address from subscriptions
                     where (store_id, shopper_id, topic, ordinal) > ($1, $2, $3, $4)
                     order by store_id, subscriptions.shopper_id, topic, ordinal limit $5";
}
