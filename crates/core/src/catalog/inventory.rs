//! Inventory updates: the stock of variants, sent by the store.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wishbone_storage::{Arg, Bound, FromRow, Tx, Write, WriteSet};

use crate::catalog::alert_events::{self, VariantChange, VariantState};
use crate::catalog::feed::{self, CatalogChange, LOCK};
use crate::catalog::feed_input::{FailedElement, FeedInputs, StockInput};
use crate::error::{Code, Error, Result};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;

/// Sets the stock of variants in the catalogue.
pub struct UpdateInventory {
    pub by: StoreAdmin,
    pub inventory: FeedInputs<StockInput>,
    pub moment: Moment,
}

impl Write for UpdateInventory {
    const NAME: &'static str = "update_inventory";
    type Out = CatalogChange;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CatalogChange> {
        let mut change = CatalogChange::new(self.inventory.failed());
        let variants: BTreeSet<i64> = self.inventory.valid().map(|(_, input)| input.variant_id).collect();
        let before = self.read(tx, &variants.into_iter().collect::<Vec<_>>()).await?;
        // The last element about a variant counts.
        let mut after: BTreeMap<i64, VariantState> = BTreeMap::new();
        for (index, StockInput { variant_id, stock }) in self.inventory.valid() {
            let Some(state) = before.get(variant_id) else {
                let message = "this variant is not in the catalogue: add it with products/upsert first";
                change.failed.push(FailedElement::new(index, Some(*variant_id), Code::UnknownProduct, message));
                continue;
            };
            change.updated += 1;
            let state = VariantState { stock: *stock, ..state.clone() };
            let was_in_stock = state.was_in_stock || state.is_in_stock();
            after.insert(*variant_id, VariantState { was_in_stock, ..state });
        }
        change.failed.sort_by_key(|failed| failed.index);
        let low_stock = self.by.store().settings.alerts.low_stock;
        let is_shown_differently = |(variant_id, after): &(&i64, &VariantState)| {
            before.get(variant_id).is_none_or(|it| it.availability(low_stock) != after.availability(low_stock))
        };
        let changed = after.iter().filter(is_shown_differently).map(|(variant_id, _)| *variant_id);
        change.write_set = feed::invalidation(self.by.store_id(), changed);
        self.save(tx, &after, &change.write_set).await?;
        let changes = after.into_iter().map(|(variant_id, after)| VariantChange {
            variant_id,
            before: before.get(&variant_id).cloned(),
            after,
            previous_price: None,
        });
        alert_events::record(tx, &self.by, &changes.collect::<Vec<_>>(), &self.moment).await?;
        Ok(change)
    }

    fn write_set(&self, change: &Self::Out) -> WriteSet {
        change.write_set.clone()
    }
}

impl UpdateInventory {
    /// Locks the catalogue, then reads the variants, in one round trip.
    async fn read<T: Tx>(&self, tx: &mut T, variants: &[i64]) -> Result<HashMap<i64, VariantState>> {
        let store = [self.by.store_id().into()];
        let keys: Vec<[Arg<'_>; 2]> = variants.iter().map(|id| [self.by.store_id().into(), (*id).into()]).collect();
        let mut batch = vec![LOCK.bind(&store)];
        batch.extend(keys.iter().map(|key| alert_events::STATE.bind(key)));
        let mut out = HashMap::with_capacity(variants.len());
        tx.query_all(&batch, &mut |number, row| {
            if let Some(index) = number.checked_sub(1) {
                out.insert(variants[index], VariantState::from_row(row)?);
            }
            Ok(())
        })
        .await?;
        Ok(out)
    }

    async fn save<T: Tx>(&self, tx: &mut T, after: &BTreeMap<i64, VariantState>, write_set: &WriteSet) -> Result<()> {
        let row = |(variant_id, state): (&i64, &VariantState)| {
            [
                state.stock.into(),
                state.is_in_stock().into(),
                state.was_in_stock.into(),
                self.moment.now.into(),
                self.by.store_id().into(),
                (*variant_id).into(),
            ]
        };
        let rows: Vec<[Arg<'_>; 6]> = after.iter().map(row).collect();
        let mut batch: Vec<Bound<'_>> = rows.iter().map(|row| SET_STOCK.bind(row)).collect();
        let stamp = [self.moment.stamp().into(), self.by.store_id().into()];
        batch.extend((!write_set.is_empty()).then(|| feed::STAMP.bind(&stamp)));
        tx.execute_all(&batch).await?;
        Ok(())
    }
}

statements! {
    SET_STOCK = "update products set stock = $1, in_stock = $2, was_in_stock = $3, updated_at = $4
                 where store_id = $5 and variant_id = $6";
}
