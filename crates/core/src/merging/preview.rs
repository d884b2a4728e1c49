//! Previews a merge without changing anything.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use wishbone_storage::{Query, Read};

use crate::error::{Error, Result};
use crate::merging::merge::FindLogin;
use crate::merging::plan::{MergeList, MergePlan, merge_list};

pub(crate) struct DryRun {
    pub(crate) login: FindLogin,
}

#[derive(Debug, Default)]
pub struct Preview {
    pub moves: Vec<PreviewedList>,
    pub unites: Vec<PreviewedUnion>,
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
    /// The number of its items that the other list does not have.
    pub adds: i64,
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
        if self.login.run(query).await?.is_some() {
            return Ok(Preview::default());
        }
        let (shopper, _) = self.login.participants(query).await?;
        let (store_id, guest) = (self.login.regid.store_id, &self.login.regid.shopper.0);
        let of_guest = [store_id.into(), guest.into()];
        let mut lists: Vec<MergeList> = query.rows(LISTS.bind(&of_guest)).await?;
        if let Some((shopper, _)) = shopper {
            lists.extend(query.rows::<MergeList>(LISTS.bind(&[store_id.into(), (&shopper.0).into()])).await?);
        }
        let plan = MergePlan::new(lists, guest);
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
            let adds = new.into_iter().filter(|variant| present.insert(*variant)).count();
            unites.push(PreviewedUnion { list: list.into(), into, adds: i64::try_from(adds).unwrap_or(i64::MAX) });
        }
        let subscriptions = query.first(COUNT_SUBSCRIPTIONS.bind(&of_guest)).await?.unwrap_or(0);
        Ok(Preview { moves: plan.moves().map(PreviewedList::from).collect(), unites, subscriptions })
    }
}

statements! {
    LISTS = concat!("select ", merge_list!(), " from lists where store_id = $1 and shopper_id = $2 order by ordinal");
    VARIANTS = "select variant_id from items where store_id = $1 and list_id = $2";
    COUNT_SUBSCRIPTIONS = "select count(*) from subscriptions where store_id = $1 and shopper_id = $2";
}
