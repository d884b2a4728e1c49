//! The steps of undoing a merge of long lists. Each is a small transaction; what is left to do follows from the data, so any
//! node can resume. The guest gets everything at once, with the last step.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;
use wishbone_storage::{Tx, Write, WriteSet};

use crate::error::{Error, Result};
use crate::merging::detach::{Boundary, COUNT_COMMENTS, Detach};
use crate::merging::pending::PendingUndo;
use crate::merging::plan::MergeList;
use crate::merging::recorded_list::RecordedList;
use crate::merging::restore::{self, COUNT_LISTS};
use crate::merging::undo::{self, Merged};
use crate::merging::union;
use crate::moment::Moment;

/// Takes a step before the last.
pub struct PrepareUndo {
    pub undo: PendingUndo,
    pub moment: Moment,
}

impl Write for PrepareUndo {
    const NAME: &'static str = "prepare_undo";
    /// The keys of the lists; `None` if the next step is the last.
    type Out = Option<WriteSet>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let Some(merged) = undo::lock(tx, &self.undo, self.moment.now).await? else { return Ok(None) };
        let mut detach = Detach::new(&self.undo, &self.moment);
        let write_set = match undo::next_step(tx, &self.undo, &detach, &merged).await? {
            None => return Ok(None),
            Some(undo::Step::Detach(list, fate)) => {
                let renamed = detach.start_detaching(tx, list, fate).await?;
                self.mark(tx).await?;
                self.undo.write_set([&list.list_id, &renamed])
            }
            Some(undo::Step::Restore(boundary)) => {
                // Marked first: what is restored belongs to a list that does not exist yet.
                self.mark(tx).await?;
                let mut changed = self.restore(tx, &mut detach, &merged, &boundary).await?;
                changed.extend(merged.lists.iter().flat_map(|list| [Some(list.list_id), list.into]).flatten());
                self.undo.write_set(&changed)
            }
        };
        Ok(Some(write_set))
    }

    fn write_set(&self, write_set: &Self::Out) -> WriteSet {
        write_set.clone().unwrap_or_default()
    }
}

impl PrepareUndo {
    /// Marks the undo as begun, so that it is completed even if the call ends.
    async fn mark<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let PendingUndo { store_id, guest, shopper } = &self.undo;
        let key = [(*store_id).into(), (&guest.0).into()];
        let of_shopper = [key[0], (&shopper.0).into()];
        tx.execute_all(&[
            START.bind(&[key[0], key[1], of_shopper[1], self.moment.now.into()]),
            MARK_LISTS.bind(&key),
            COUNT_LISTS.bind(&of_shopper),
        ])
        .await?;
        Ok(())
    }

    /// Restores the items in the journal before `boundary`, and removes them from the shopper's lists. Returns the lists whose
    /// comments have changed.
    async fn restore<T: Tx>(
        &self,
        tx: &mut T,
        detach: &mut Detach<'_>,
        merged: &Merged,
        boundary: &Boundary,
    ) -> Result<BTreeSet<Uuid>> {
        let changed = detach.return_comments(tx, &merged.of_shopper).await?;
        let removed = detach.remove_united(tx, &merged.lists, &merged.of_shopper, boundary).await?;
        restore::items(tx, &self.undo, boundary).await?;
        let mut lists: BTreeMap<Uuid, i64> = changed.iter().map(|list| (*list, 0)).collect();
        for RecordedList { list_id, into, .. } in &merged.lists {
            if let (Some(into), Some(count)) = (into, removed.get(list_id)) {
                *lists.entry(*into).or_insert(0) += count;
            }
        }
        for list in &merged.of_shopper {
            if let Some(removed) = lists.get(&list.list_id) {
                self.save(tx, list, *removed).await?;
            }
        }
        Ok(changed)
    }

    /// Saves a list of the shopper, as a change by the merge and not by the shopper.
    async fn save<T: Tx>(&self, tx: &mut T, list: &MergeList, removed: i64) -> Result<()> {
        let key = [self.undo.store_id.into(), list.list_id.as_bytes().into()];
        let updated_at = self.moment.after(list.updated_at);
        let versions = [(list.version + 1).into(), key[0], (&self.undo.guest.0).into(), key[1], list.version.into()];
        tx.execute_all(&[
            SAVE.bind(&[removed.into(), updated_at.into(), key[0], key[1]]),
            COUNT_COMMENTS.bind(&key),
            union::RECORD_VERSION.bind(&versions),
        ])
        .await?;
        Ok(())
    }
}

statements! {
    START = "insert into undos (store_id, guest_id, shopper_id, started_at) values ($1, $2, $3, $4)
             on conflict (store_id, guest_id) do nothing";
    // What belongs to a list that does not exist yet is kept by the mark.
    MARK_LISTS = "insert into deleted_lists (store_id, list_id, wished_by)
        select m.store_id, m.list_id, case when m.type = 'wl' then m.guest_id end from merged_lists m
        where m.store_id = $1 and m.guest_id = $2
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = m.list_id)
        on conflict (store_id, list_id) do nothing";
    SAVE = "update lists set item_count = item_count - $1, updated_at = $2, version = version + 1
            where store_id = $3 and list_id = $4";
}
