//! The catalogue feed: product fields, prices and stock, sent by the store.
//!
//! Feeds of one store are serialized: each starts by raising the version of the store's catalogue. A new variant has no row of
//! its own to lock, and two feeds in different orders would deadlock. A variant that is shown differently has the version in
//! which it changed, so that caches know what to read again.

use std::collections::HashMap;

use wishbone_storage::{Arg, Bound, FromRow, Row, Sql, Tx, Write};

use crate::catalog::alert_events::{self, VariantChange, VariantState, is_in_stock};
use crate::catalog::availability::Availability;
use crate::catalog::feed_input::{DeletedInput, FailedElement, FeedInputs, ProductInput};
use crate::catalog::fields::ProductFields;
use crate::error::{Error, Result};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::unknown;

/// The number of elements or variants that were applied, and the rejected elements.
#[derive(Clone, Debug)]
pub struct CatalogChange {
    pub updated: u64,
    pub failed: Vec<FailedElement>,
}

impl CatalogChange {
    pub(super) fn new(failed: Vec<FailedElement>) -> Self {
        Self { updated: 0, failed }
    }
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
    changed_in: i64,
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
            stored: Some(StoredProduct { fields: encoded.to_owned(), price, state, changed_in: row.int(7)? }),
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
        let (version, mut products) = self.read(tx, &touched).await?;
        for (_, input) in self.products.valid() {
            products.entry(input.variant_id).or_default().apply(input)?;
        }
        self.save(tx, version, &touched, &products).await?;
        let changes = touched.iter().filter_map(|id| Some(products.get(id)?.change(*id)));
        alert_events::record(tx, &self.by, &changes.collect::<Vec<_>>(), &self.moment).await?;
        Ok(change)
    }
}

impl UpsertProducts {
    /// Raises the version of the catalogue, then reads the variants, in one round trip.
    async fn read<T: Tx>(&self, tx: &mut T, variants: &[i64]) -> Result<(i64, HashMap<i64, Product>)> {
        let raise = [self.moment.now.into(), self.by.store_id().into()];
        let keys: Vec<[Arg<'_>; 2]> = variants.iter().map(|id| [self.by.store_id().into(), (*id).into()]).collect();
        let mut batch = vec![RAISE_VERSION.bind(&raise)];
        batch.extend(keys.iter().map(|key| FIND.bind(key)));
        let (mut version, mut out) = (None, HashMap::with_capacity(variants.len()));
        tx.query_all(&batch, &mut |number, row| {
            match number.checked_sub(1) {
                Some(index) => _ = out.insert(variants[index], Product::from_row(row)?),
                None => version = row.opt_int(0)?,
            }
            Ok(())
        })
        .await?;
        Ok((version.ok_or_else(|| unknown(&self.by.store().pid))?, out))
    }

    async fn save<T: Tx>(
        &self,
        tx: &mut T,
        version: i64,
        touched: &[i64],
        products: &HashMap<i64, Product>,
    ) -> Result<()> {
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
        let low_stock = self.by.store().settings.alerts.low_stock;
        // Feeds repeat themselves: only variants that are shown differently have to be read again.
        let changed_in = |row: &Encoded<'_>| match &row.product.stored {
            Some(StoredProduct { fields, state, changed_in, .. })
                if *fields == row.fields
                    && !state.deleted
                    && state.availability(low_stock) == Availability::new(row.product.stock, false, low_stock) =>
            {
                *changed_in
            }
            _ => version,
        };
        let rows: Vec<[Arg<'_>; 12]> = encoded
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
                    changed_in(row).into(),
                ]
            })
            .collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| UPSERT.bind(row)).collect();
        tx.execute_all(&batch).await?;
        Ok(())
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
        let raise = [self.moment.now.into(), self.by.store_id().into()];
        let version: Option<i64> = tx.first(RAISE_VERSION.bind(&raise)).await?;
        let version = version.ok_or_else(|| unknown(&self.by.store().pid))?;
        let row = |(_, input): (usize, &DeletedInput)| {
            let (sql, id) = match input {
                DeletedInput::Variant(id) => (DELETE_VARIANT, id),
                DeletedInput::Product(id) => (DELETE_PRODUCT, id),
            };
            (sql, [self.moment.now.into(), version.into(), self.by.store_id().into(), (*id).into()])
        };
        let rows: Vec<(Sql, [Arg<'_>; 4])> = self.products.valid().map(row).collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|(sql, args)| sql.bind(args)).collect();
        change.updated = tx.execute_all(&batch).await?.iter().sum();
        Ok(change)
    }
}

statements! {
    // Time has passed since a fail-over that lost commits, so it does not repeat.
    pub(super) RAISE_VERSION = "update store_states
                                set catalog_version = case when catalog_version < $1 then $1 else catalog_version + 1 end
                                where store_id = $2 returning catalog_version";
    FIND = "select deleted, stock, price, was_in_stock, product_id, url, fields, changed_in from products
            where store_id = $1 and variant_id = $2";
    UPSERT = "insert into products (store_id, variant_id, product_id, url, fields, price, title_key, stock, deleted,
                                    in_stock, was_in_stock, updated_at, changed_in)
              values ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, $11, $12)
              on conflict (store_id, variant_id) do update set
                product_id = excluded.product_id, url = excluded.url, fields = excluded.fields, price = excluded.price,
                title_key = excluded.title_key, stock = excluded.stock, deleted = 0, in_stock = excluded.in_stock,
                was_in_stock = excluded.was_in_stock, updated_at = excluded.updated_at, changed_in = excluded.changed_in";
    DELETE_VARIANT = "update products set deleted = 1, in_stock = 0, updated_at = $1, changed_in = $2
                      where store_id = $3 and variant_id = $4 and deleted = 0";
    // Without the inner select SQLite would scan all products of the store.
    DELETE_PRODUCT = "update products set deleted = 1, in_stock = 0, updated_at = $1, changed_in = $2
                      where store_id = $3 and deleted = 0 and variant_id in
                        (select variant_id from products where store_id = $3 and product_id = $4)";
}
