//! The guest's lists in the journal of a merge, and what an undo makes of them.

use std::collections::HashSet;

use uuid::Uuid;
use wishbone_storage::{FromRow, Row};

use crate::decode::uuid;

/// A list of the guest in the journal, and its present version.
pub(crate) struct RecordedList {
    pub(crate) list_id: Uuid,
    /// The shopper's list that it was united with; `None` for a list that moved.
    pub(crate) into: Option<Uuid>,
    pub(crate) seq_offset: Option<i64>,
    /// The present version of a list that moved, while it is the shopper's.
    pub(crate) version: Option<i64>,
    /// The version right after the merge, of the list itself or of the one that it was united with.
    pub(crate) merged_version: Option<i64>,
    /// The version of the shopper's list right before the union.
    pub(crate) into_version: Option<i64>,
    pub(crate) unarchived: bool,
}

impl FromRow for RecordedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            into: row.opt_blob(1)?.map(Uuid::from_slice).transpose().map_err(wishbone_storage::Error::bug)?,
            merged_version: row.opt_int(2)?,
            version: row.opt_int(3)?,
            unarchived: row.opt_int(4)? == Some(1),
            seq_offset: row.opt_int(5)?,
            into_version: row.opt_int(6)?,
        })
    }
}

/// What becomes of a list that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is the guest's again, as it is.
    Returned,
    /// It is restored from the journal. The shopper has deleted it.
    Freed,
    /// It is restored from the journal: another list of the guest was united with it.
    Restored,
    /// It is restored from the journal. It was changed or shared since, so the shopper keeps it under a new id.
    Kept,
}

impl RecordedList {
    pub(crate) fn fate(&self, recorded: &[RecordedList], linked: &HashSet<Uuid>) -> Fate {
        let Some(version) = self.version else { return Fate::Freed };
        if self.merged_version != Some(version) || linked.contains(&self.list_id) {
            return Fate::Kept;
        }
        if recorded.iter().any(|other| other.into == Some(self.list_id)) { Fate::Restored } else { Fate::Returned }
    }
}

/// Tells whether a list of the shopper moved, or had one of the guest's united with it.
pub(crate) fn is_target(recorded: &[RecordedList], id: &Uuid) -> bool {
    recorded.iter().any(|list| list.into.unwrap_or(list.list_id) == *id)
}
