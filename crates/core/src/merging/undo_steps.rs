//! The steps of undoing a merge of long lists. Each is a small transaction; what is left to do follows from the data, so any
//! node can resume. The guest gets everything at once, with the last step.

use wishbone_storage::{Query, Read, Tx, Write};

use crate::error::{Error, Result};
use crate::lists::changes;
use crate::merging::belongings;
use crate::merging::detach::{COUNT_COMMENTS, Detach};
use crate::merging::pending::PendingUndo;
use crate::merging::plan::MergeList;
use crate::merging::recorded_list::{self, RecordedList};
use crate::merging::restore;
use crate::merging::undo::{self, Merged, Step};
use crate::merging::union;
use crate::moment::{Millis, Moment};

/// Determines whether an undo needs steps before the last.
pub(crate) struct NeedsSteps {
    pub(crate) undo: PendingUndo,
}

impl Read for NeedsSteps {
    const NAME: &'static str = "needs_steps";
    type Out = bool;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<bool> {
        let ids = recorded_list::next_ids(query, &self.undo).await?;
        let lists = recorded_list::read(query, &self.undo, &ids).await?;
        Ok(!matches!(undo::next_step(query, &self.undo, &lists).await?, Step::Last))
    }
}

/// Takes a step before the last.
pub struct PrepareUndo {
    pub undo: PendingUndo,
    pub moment: Moment,
}

impl Write for PrepareUndo {
    const NAME: &'static str = "prepare_undo";
    /// False if the next step is the last.
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let Some(merged) = undo::lock(tx, &self.undo, self.moment.now).await? else { return Ok(false) };
        let step = undo::next_step(tx, &self.undo, &merged.lists).await?;
        if matches!(step, Step::Last) {
            return Ok(false);
        }
        // Marked as begun, so that it is completed even if the call ends.
        let PendingUndo { store_id, guest, shopper } = &self.undo;
        let start = [(*store_id).into(), (&guest.0).into(), (&shopper.0).into(), self.moment.now.into()];
        tx.execute(START.bind(&start)).await?;
        match step {
            Step::Detach(list) => {
                Detach::new(&self.undo, &self.moment).start_detaching(tx, list, list.fate()).await?;
                restore::count_lists(tx, &self.undo).await?;
            }
            Step::Restore(list, before) => self.restore(tx, &merged, list, before).await?,
            Step::Belongings => belongings::restore(tx, &self.undo).await?,
            Step::Return | Step::Last => {
                undo::return_lists(tx, &self.undo, &merged, &self.moment).await?;
            }
        }
        changes::record_many(tx, *store_id, &[shopper.0]).await?;
        Ok(true)
    }
}

impl PrepareUndo {
    /// Restores the items of a long list in the journal before a time and number, and removes them from the shopper's list.
    async fn restore<T: Tx>(
        &self,
        tx: &mut T,
        merged: &Merged,
        list: &RecordedList,
        before: (Millis, i64),
    ) -> Result<()> {
        let mut detach = Detach::new(&self.undo, &self.moment);
        // Marked first: what is restored may belong to a list that does not exist yet.
        restore::mark_list(tx, &self.undo, list).await?;
        let changed = detach.return_comments(tx, std::slice::from_ref(list), &merged.affected).await?;
        for target in &merged.affected {
            let is_target = list.into == Some(target.list_id);
            let removed = if is_target { detach.remove_united(tx, list, &target.list_id, before).await? } else { 0 };
            if is_target || changed.contains(&target.list_id) {
                self.save(tx, target, removed).await?;
            }
        }
        restore::items(tx, &self.undo, list, before).await?;
        let home = [self.undo.store_id.into(), list.list_id.as_bytes().into()];
        tx.execute(COUNT_COMMENTS.bind(&home)).await?;
        Ok(())
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
    SAVE = "update lists set item_count = item_count - $1, updated_at = $2, version = version + 1
            where store_id = $3 and list_id = $4";
}
