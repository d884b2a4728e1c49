//! The catalogue feed: product fields, prices and stock, sent by the store.
//!
//! Feeds of one store are serialized: each starts by locking the store's row. A new variant has no row of its own to
//! lock, and two feeds in different orders would deadlock.

use std::collections::HashMap;

use wishbone_storage::{Arg, Bound, FromRow, InvalidationKey, Row, Sql, Tx, Write, WriteSet};

use crate::cache::invalidation::{catalog_key, variant_key};
use crate::catalog::alert_events::{self, VariantChange, VariantState, is_in_stock};
use crate::catalog::availability::Availability;
use crate::catalog::feed_input::{DeletedInput, FailedElement, FeedInputs, ProductInput};
use crate::catalog::fields::ProductFields;
use crate::error::{Error, Result};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;

/// The number of elements or variants that were applied, and the rejected elements.
#[derive(Clone, Debug)]
pub struct CatalogChange {
    pub updated: u64,
    pub failed: Vec<FailedElement>,
    pub(super) write_set: WriteSet,
}

impl CatalogChange {
    pub(super) fn new(failed: Vec<FailedElement>) -> Self {
        Self { updated: 0, failed, write_set: WriteSet::nothing() }
    }
}

/// What items show of these variants has changed.
pub(super) fn invalidation(store_id: i64, variants: impl Iterator<Item = i64>) -> WriteSet {
    let mut changed: Vec<InvalidationKey> = variants.map(|variant_id| variant_key(store_id, variant_id)).collect();
    if !changed.is_empty() {
        changed.push(catalog_key(store_id));
    }
    WriteSet::of(changed)
}

/// Adds and changes variants.
pub struct UpsertProducts {
    pub by: StoreAdmin,
    pub products: FeedInputs<ProductInput>,
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

    fn apply(&mut self, input: &ProductInput) -> Result<()> {
        self.product_id = input.product_id;
        if let Some(url) = &input.url {
            self.url.clone_from(url);
        }
        if let Some(stock) = input.stock {
            self.stock = stock;
        }
        input.apply(&mut self.fields)
    }
}

impl Write for UpsertProducts {
    const NAME: &'static str = "upsert_products";
    type Out = CatalogChange;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CatalogChange> {
        let mut change = CatalogChange::new(self.products.failed());
        let mut touched: Vec<i64> = self.products.valid().map(|(_, input)| input.variant_id).collect();
        change.updated = touched.len() as u64;
        touched.sort_unstable();
        touched.dedup();
        let mut products = self.read(tx, &touched).await?;
        for (_, input) in self.products.valid() {
            products.entry(input.variant_id).or_default().apply(input)?;
        }
        change.write_set = self.save(tx, &touched, &products).await?;
        let changes = touched.iter().filter_map(|id| Some(products.get(id)?.change(*id)));
        alert_events::record(tx, &self.by, &changes.collect::<Vec<_>>(), &self.moment).await?;
        Ok(change)
    }

    fn write_set(&self, change: &Self::Out) -> WriteSet {
        change.write_set.clone()
    }
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
        // Feeds repeat themselves: only variants that are shown differently invalidate caches.
        let low_stock = self.by.store().settings.alerts.low_stock;
        let is_shown_differently = |row: &&Encoded<'_>| {
            row.product.stored.as_ref().is_none_or(|StoredProduct { fields, state, .. }| {
                *fields != row.fields
                    || state.deleted
                    || state.availability(low_stock) != Availability::new(row.product.stock, false, low_stock)
            })
        };
        let changed = encoded.iter().filter(is_shown_differently).map(|row| row.variant_id);
        let write_set = invalidation(self.by.store_id(), changed);
        let stamp = [self.moment.stamp().into(), self.by.store_id().into()];
        batch.extend((!write_set.is_empty()).then(|| STAMP.bind(&stamp)));
        tx.execute_all(&batch).await?;
        Ok(write_set)
    }
}

/// Marks variants (`{epi}`) or whole products (`{empi}`) as deleted. Items keep showing their last fields.
pub struct DeleteProducts {
    pub by: StoreAdmin,
    pub products: FeedInputs<DeletedInput>,
    pub moment: Moment,
}

impl Write for DeleteProducts {
    const NAME: &'static str = "delete_products";
    type Out = CatalogChange;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CatalogChange> {
        let mut change = CatalogChange::new(self.products.failed());
        let row = |(_, input): (usize, &DeletedInput)| {
            let (sql, id) = match input {
                DeletedInput::Variant(id) => (DELETE_VARIANT, id),
                DeletedInput::Product(id) => (DELETE_PRODUCT, id),
            };
            (sql, [self.moment.now.into(), self.by.store_id().into(), (*id).into()])
        };
        let rows: Vec<(Sql, [Arg<'_>; 3])> = self.products.valid().map(row).collect();
        let store = [self.by.store_id().into()];
        let mut batch = vec![LOCK.bind(&store)];
        batch.extend(rows.iter().map(|(sql, args)| sql.bind(args)));
        let mut deleted = Vec::new();
        tx.query_all(&batch, &mut |number, row| {
            if number > 0 {
                deleted.push(row.int(0)?);
            }
            Ok(())
        })
        .await?;
        change.updated = deleted.len() as u64;
        change.write_set = invalidation(self.by.store_id(), deleted.into_iter());
        if !change.write_set.is_empty() {
            tx.execute(STAMP.bind(&[self.moment.stamp().into(), store[0]])).await?;
        }
        Ok(change)
    }

    fn write_set(&self, change: &Self::Out) -> WriteSet {
        change.write_set.clone()
    }
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
                      where store_id = $2 and variant_id = $3 and deleted = 0 returning variant_id";
    // Without the inner select SQLite would scan all products of the store.
    DELETE_PRODUCT = "update products set deleted = 1, in_stock = 0, updated_at = $1
                      where store_id = $2 and deleted = 0 and variant_id in
                        (select variant_id from products where store_id = $2 and product_id = $3)
                      returning variant_id";
    pub(super) STAMP = "update store_states set catalog_stamp = $1 where store_id = $2";
}
