//! Previews a merge without changing anything.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use wishbone_storage::{Query, Read};

use crate::error::{Error, Result};
use crate::merging::belongings::subscriptions_that_fit;
use crate::merging::merge::FindLogin;
use crate::merging::plan::MergeList;
use crate::subscriptions::limits::count_of_shopper;

pub(crate) struct DryRun {
    pub(crate) login: FindLogin,
}

#[derive(Debug, Default)]
pub struct Preview {
    pub moves: Vec<PreviewedList>,
    pub unites: Vec<PreviewedUnion>,
    /// Those that stay with the guest, because the shopper has no room.
    pub stays: Vec<PreviewedList>,
    pub subscriptions: i64,
}

#[derive(Debug)]
pub struct PreviewedList {
    pub list_id: Uuid,
    pub name: String,
    pub list_type: String,
    pub items: i64,
}

#[derive(Debug)]
pub struct PreviewedUnion {
    pub list: PreviewedList,
    pub into: Uuid,
    /// The number of its items that the other list does not have and has room for.
    pub adds: i64,
    /// The number of its items that the other list has.
    pub already: i64,
}

impl From<&MergeList> for PreviewedList {
    fn from(list: &MergeList) -> Self {
        let (name, list_type) = (list.name.clone(), list.list_type.clone());
        Self { list_id: list.list_id, name, list_type, items: list.item_count }
    }
}

impl Read for DryRun {
    const NAME: &'static str = "preview_merge";
    type Out = Preview;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Preview> {
        // The subscriptions of a guest who is merged have moved.
        if self.login.run(query).await?.is_some_and(|found| found.is_complete && found.leftovers.lists == 0) {
            return Ok(Preview::default());
        }
        let shopper = self.login.participants(query).await?.shopper.map(|(shopper, _)| shopper);
        let store_id = self.login.store.store_id;
        let mut plan = self.login.plan(query, shopper.as_ref()).await?;
        plan.fits.sort_by_key(|(list, _)| list.ordinal);
        plan.stays.sort_by_key(|(list, _)| list.ordinal);
        let max_items = self.login.store.settings.max_items;
        let mut variants: HashMap<Uuid, HashSet<i64>> = HashMap::new();
        let mut unites = Vec::new();
        for (list, into) in plan.unites() {
            let key = [store_id.into(), list.list_id.as_bytes().into()];
            let new: Vec<i64> = query.rows(VARIANTS.bind(&key)).await?;
            let present = match variants.entry(into) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let key = [store_id.into(), into.as_bytes().into()];
                    entry.insert(query.rows(VARIANTS.bind(&key)).await?.into_iter().collect())
                }
            };
            // As in the merge, the oldest first, until the list is full.
            let (mut adds, mut already) = (0, 0);
            for variant in new {
                let is_full = i64::try_from(present.len()).unwrap_or(i64::MAX) >= max_items;
                match present.contains(&variant) {
                    true => already += 1,
                    false if is_full => break,
                    false => {
                        present.insert(variant);
                        adds += 1;
                    }
                }
            }
            unites.push(PreviewedUnion { list: list.into(), into, adds, already });
        }
        let subscriptions = match &shopper {
            Some(shopper) => subscriptions_that_fit(query, store_id, &self.login.regid.shopper, shopper).await?,
            None => count_of_shopper(query, store_id, &self.login.regid.shopper).await?,
        };
        let moves = plan.moves().map(PreviewedList::from).collect();
        let stays = plan.stays.iter().map(|(list, _)| list.into()).collect();
        Ok(Preview { moves, unites, stays, subscriptions })
    }
}

statements! {
    VARIANTS = "select variant_id from items where store_id = $1 and list_id = $2 order by added_at, seq";
}
