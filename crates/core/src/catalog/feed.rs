//! The catalogue feed: product fields, prices and stock, sent by the store.
//!
//! Feeds of one store are serialized: each starts by locking the store's row. A new variant has no row of its own to
//! lock, and two feeds in different orders would deadlock.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};
use wishbone_storage::{Arg, Bound, FromRow, InvalidationKey, Row, Tx, Write, WriteSet};

use crate::cache::invalidation::{catalog_key, variant_key};
use crate::catalog::alert_events::{self, VariantChange, VariantState, is_in_stock};
use crate::catalog::fields::{NullPolicy, ProductFields, Rejection, id, url};
use crate::error::{Code, Error, Result};
use crate::moment::{Millis, Moment};
use crate::stores::admin::StoreAdmin;

/// Maximum elements of one call.
pub const MAX_ELEMENTS: usize = 1_000;
pub const MAX_STOCK: i64 = 1_000_000_000_000;

/// An element that was rejected, and why.
#[derive(Clone, Debug, Serialize)]
pub struct FailedElement {
    pub(super) index: usize,
    epi: Value,
    #[serde(rename = "error-code")]
    code: &'static str,
    msg: String,
}

impl FailedElement {
    pub(super) fn new(index: usize, element: &Value, code: Code, msg: impl Into<String>) -> Self {
        let epi = element.get("epi").and_then(|value| id("epi", value).ok()).map_or(Value::Null, Value::from);
        Self { index, epi, code: code.as_str(), msg: msg.into() }
    }
}

/// The number of elements or variants that were applied, and the rejected elements.
#[derive(Clone, Debug)]
pub struct CatalogChange {
    pub updated: u64,
    pub failed: Vec<FailedElement>,
    pub(super) write_set: WriteSet,
}

impl CatalogChange {
    pub(super) fn new() -> Self {
        Self { updated: 0, failed: Vec::new(), write_set: WriteSet::nothing() }
    }
}

/// Adds and changes variants. An absent key leaves its field as it is, `null` clears it.
pub struct UpsertProducts {
    pub by: StoreAdmin,
    pub products: Vec<Value>,
    pub moment: Moment,
}

/// A row of `products`.
#[derive(Clone, Debug, Default)]
struct Product {
    product_id: i64,
    url: String,
    fields: ProductFields,
    stock: Option<i64>,
    stored: Option<StoredProduct>,
}

/// A product before the change.
#[derive(Clone, Debug)]
struct StoredProduct {
    /// Encoded.
    fields: String,
    price: Option<String>,
    state: VariantState,
}

impl FromRow for Product {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let state = VariantState::from_row(row)?;
        let encoded = row.text(6)?;
        let fields = ProductFields::decode(encoded).map_err(wishbone_storage::Error::bug)?;
        let price = fields.price_text();
        Ok(Self {
            product_id: row.int(4)?,
            url: row.text(5)?.to_owned(),
            fields,
            stock: state.stock,
            stored: Some(StoredProduct { fields: encoded.to_owned(), price, state }),
        })
    }
}

impl Product {
    fn was_in_stock(&self) -> bool {
        is_in_stock(self.stock) || self.stored.as_ref().is_some_and(|stored| stored.state.was_in_stock)
    }

    fn change(&self, variant_id: i64) -> VariantChange {
        let (stock, price, was_in_stock) = (self.stock, self.fields.price(), self.was_in_stock());
        VariantChange {
            variant_id,
            before: self.stored.as_ref().map(|stored| stored.state.clone()),
            after: VariantState { deleted: false, stock, price, was_in_stock },
            previous_price: self.stored.as_ref().and_then(|stored| stored.price.clone()),
        }
    }

    fn apply(&mut self, element: &Map<String, Value>) -> std::result::Result<(), Rejection> {
        self.product_id = id("empi", element.get("empi").unwrap_or(&Value::Null))?;
        match element.get("du") {
            None => {}
            Some(Value::Null) => self.url.clear(),
            Some(value) => self.url = url("du", value)?,
        }
        if let Some(value) = element.get("stock") {
            self.stock = stock(value)?;
        }
        self.fields.apply(element, NullPolicy::Clear)?;
        Ok(())
    }
}

impl Write for UpsertProducts {
    const NAME: &'static str = "upsert_products";
    type Out = CatalogChange;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CatalogChange> {
        let mut change = CatalogChange::new();
        let variants: Vec<i64> = {
            let ids = self.products.iter().filter_map(|element| id("epi", element.get("epi")?).ok());
            let mut ids: Vec<i64> = ids.collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let mut products = self.read(tx, &variants).await?;
        let mut touched = Vec::new();
        for (index, element) in self.products.iter().enumerate() {
            let applied = read_element(element).and_then(|(variant_id, object)| {
                let mut product = products.get(&variant_id).cloned().unwrap_or_default();
                product.apply(object)?;
                products.insert(variant_id, product);
                Ok(variant_id)
            });
            match applied {
                Ok(variant_id) => touched.push(variant_id),
                Err(rejection) => change.failed.push(FailedElement::new(index, element, Code::InvalidItem, rejection)),
            }
        }
        change.updated = touched.len() as u64;
        touched.sort_unstable();
        touched.dedup();
        change.write_set = self.save(tx, &touched, &products).await?;
        let changes = touched.iter().filter_map(|id| Some(products.get(id)?.change(*id)));
        alert_events::record(tx, &self.by, &changes.collect::<Vec<_>>(), &self.moment).await?;
        Ok(change)
    }

    fn write_set(&self, change: &Self::Out) -> WriteSet {
        change.write_set.clone()
    }
}

pub(super) fn read_element(element: &Value) -> std::result::Result<(i64, &Map<String, Value>), Rejection> {
    let object = element.as_object().ok_or("each element must be an object with epi and empi")?;
    Ok((id("epi", object.get("epi").unwrap_or(&Value::Null))?, object))
}

impl UpsertProducts {
    /// Locks the catalogue, then reads the variants, in one round trip.
    async fn read<T: Tx>(&self, tx: &mut T, variants: &[i64]) -> Result<HashMap<i64, Product>> {
        let store = [self.by.store_id().into()];
        let keys: Vec<[Arg<'_>; 2]> = variants.iter().map(|id| [self.by.store_id().into(), (*id).into()]).collect();
        let mut batch = vec![LOCK.bind(&store)];
        batch.extend(keys.iter().map(|key| FIND.bind(key)));
        let mut out = HashMap::with_capacity(variants.len());
        tx.query_all(&batch, &mut |number, row| {
            if let Some(index) = number.checked_sub(1) {
                out.insert(variants[index], Product::from_row(row)?);
            }
            Ok(())
        })
        .await?;
        Ok(out)
    }

    async fn save<T: Tx>(&self, tx: &mut T, touched: &[i64], products: &HashMap<i64, Product>) -> Result<WriteSet> {
        struct Encoded<'a> {
            variant_id: i64,
            product: &'a Product,
            fields: String,
            title_key: Option<Vec<u8>>,
        }
        let mut encoded = Vec::with_capacity(touched.len());
        for variant_id in touched {
            let Some(product) = products.get(variant_id) else { continue };
            let (fields, title_key) = (product.fields.encode()?, product.fields.title_key());
            encoded.push(Encoded { variant_id: *variant_id, product, fields, title_key });
        }
        let rows: Vec<[Arg<'_>; 11]> = encoded
            .iter()
            .map(|row| {
                [
                    self.by.store_id().into(),
                    row.variant_id.into(),
                    row.product.product_id.into(),
                    (&row.product.url).into(),
                    (&row.fields).into(),
                    row.product.fields.price().into(),
                    row.title_key.as_ref().into(),
                    row.product.stock.into(),
                    is_in_stock(row.product.stock).into(),
                    row.product.was_in_stock().into(),
                    self.moment.now.into(),
                ]
            })
            .collect();
        let mut batch: Vec<Bound<'_>> = rows.iter().map(|row| UPSERT.bind(row)).collect();
        // Feeds repeat themselves: only variants whose fields changed invalidate caches.
        let changed =
            encoded.iter().filter(|row| row.product.stored.as_ref().is_none_or(|stored| stored.fields != row.fields));
        let mut changed: Vec<InvalidationKey> =
            changed.map(|row| variant_key(self.by.store_id(), row.variant_id)).collect();
        let stamp = [self.moment.stamp().into(), self.by.store_id().into()];
        if !changed.is_empty() {
            changed.push(catalog_key(self.by.store_id()));
            batch.push(STAMP.bind(&stamp));
        }
        tx.execute_all(&batch).await?;
        Ok(WriteSet::of(changed))
    }
}

/// Marks variants (`{epi}`) or whole products (`{empi}`) as deleted. Items keep showing their last fields.
pub struct DeleteProducts {
    pub by: StoreAdmin,
    pub products: Vec<Value>,
    pub now: Millis,
}

impl Write for DeleteProducts {
    const NAME: &'static str = "delete_products";
    type Out = CatalogChange;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CatalogChange> {
        let mut change = CatalogChange::new();
        let mut rows = Vec::new();
        for (index, element) in self.products.iter().enumerate() {
            let found = match (element.get("epi"), element.get("empi")) {
                (Some(epi), _) if !epi.is_null() => id("epi", epi).map(|id| (DELETE_VARIANT, id)),
                (_, Some(empi)) => id("empi", empi).map(|id| (DELETE_PRODUCT, id)),
                _ => Err("each element must be an object with epi or empi".to_owned()),
            };
            match found {
                Ok((sql, id)) => rows.push((sql, [self.now.into(), self.by.store_id().into(), id.into()])),
                Err(rejection) => change.failed.push(FailedElement::new(index, element, Code::InvalidItem, rejection)),
            }
        }
        let store = [self.by.store_id().into()];
        let mut batch = vec![LOCK.bind(&store)];
        batch.extend(rows.iter().map(|(sql, args)| sql.bind(args)));
        change.updated = tx.execute_all(&batch).await?.iter().skip(1).sum();
        Ok(change)
    }

    /// Empty: items keep showing the fields of deleted products.
    fn write_set(&self, change: &Self::Out) -> WriteSet {
        change.write_set.clone()
    }
}

pub(super) fn stock(value: &Value) -> std::result::Result<Option<i64>, Rejection> {
    let parsed = match value {
        Value::Null => return Ok(None),
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    };
    let parsed = parsed.filter(|stock| (-MAX_STOCK..=MAX_STOCK).contains(stock));
    parsed.map(Some).ok_or_else(|| "stock must be an integer, or null for untracked".to_owned())
}

statements! {
    pub(super) LOCK = "update store_states set catalog_stamp = catalog_stamp where store_id = $1";
    FIND = "select deleted, stock, price, was_in_stock, product_id, url, fields from products where store_id = $1 and variant_id = $2";
    UPSERT = "insert into products (store_id, variant_id, product_id, url, fields, price, title_key, stock, deleted,
                                    in_stock, was_in_stock, updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, $11)
              on conflict (store_id, variant_id) do update set
                product_id = excluded.product_id, url = excluded.url, fields = excluded.fields, price = excluded.price,
                title_key = excluded.title_key, stock = excluded.stock, deleted = 0, in_stock = excluded.in_stock,
                was_in_stock = excluded.was_in_stock, updated_at = excluded.updated_at";
    DELETE_VARIANT = "update products set deleted = 1, in_stock = 0, updated_at = $1
                      where store_id = $2 and variant_id = $3 and deleted = 0";
    // Without the inner select SQLite would scan all products of the store.
    DELETE_PRODUCT = "update products set deleted = 1, in_stock = 0, updated_at = $1
                      where store_id = $2 and deleted = 0 and variant_id in
                        (select variant_id from products where store_id = $2 and product_id = $3)";
    STAMP = "update store_states set catalog_stamp = $1 where store_id = $2";
}
