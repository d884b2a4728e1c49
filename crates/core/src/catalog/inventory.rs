//! Inventory updates: the stock of variants, sent by the store.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wishbone_storage::{Arg, Bound, FromRow, Tx, Write};

use crate::catalog::alert_events::{self, VariantChange, VariantState};
use crate::catalog::feed::{CatalogChange, RAISE_VERSION};
use crate::catalog::feed_input::{FailedElement, FeedInputs, StockInput};
use crate::error::{Code, Error, Result};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::unknown;

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
        let (version, before) = self.read(tx, &variants.into_iter().collect::<Vec<_>>()).await?;
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
        self.save(tx, version, &before, &after).await?;
        let changes = after.into_iter().map(|(variant_id, after)| VariantChange {
            variant_id,
            before: before.get(&variant_id).cloned(),
            after,
            previous_price: None,
        });
        alert_events::record(tx, &self.by, &changes.collect::<Vec<_>>(), &self.moment).await?;
        Ok(change)
    }
}

impl UpdateInventory {
    /// Raises the version of the catalogue, then reads the variants, in one round trip.
    async fn read<T: Tx>(&self, tx: &mut T, variants: &[i64]) -> Result<(i64, HashMap<i64, VariantState>)> {
        let raise = [self.moment.now.into(), self.by.store_id().into()];
        let keys: Vec<[Arg<'_>; 2]> = variants.iter().map(|id| [self.by.store_id().into(), (*id).into()]).collect();
        let mut batch = vec![RAISE_VERSION.bind(&raise)];
        batch.extend(keys.iter().map(|key| alert_events::STATE.bind(key)));
        let (mut version, mut out) = (None, HashMap::with_capacity(variants.len()));
        tx.query_all(&batch, &mut |number, row| {
            match number.checked_sub(1) {
                Some(index) => _ = out.insert(variants[index], VariantState::from_row(row)?),
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
        before: &HashMap<i64, VariantState>,
        after: &BTreeMap<i64, VariantState>,
    ) -> Result<()> {
        let low_stock = self.by.store().settings.alerts.low_stock;
        let row = |(variant_id, state): (&i64, &VariantState)| {
            let is_shown_as_before =
                before.get(variant_id).is_some_and(|it| it.availability(low_stock) == state.availability(low_stock));
            [
                state.stock.into(),
                state.is_in_stock().into(),
                state.was_in_stock.into(),
                self.moment.now.into(),
                (!is_shown_as_before).then_some(version).into(),
                self.by.store_id().into(),
                (*variant_id).into(),
            ]
        };
        let rows: Vec<[Arg<'_>; 7]> = after.iter().map(row).collect();
        let batch: Vec<Bound<'_>> = rows.iter().map(|row| SET_STOCK.bind(row)).collect();
        tx.execute_all(&batch).await?;
        Ok(())
    }
}

statements! {
    SET_STOCK = "update products set stock = $1, in_stock = $2, was_in_stock = $3, updated_at = $4,
                   changed_in = coalesce($5, changed_in)
                 where store_id = $6 and variant_id = $7";
}
