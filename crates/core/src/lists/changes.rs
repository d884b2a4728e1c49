//! What has changed of a shopper's lists, for those who watch them: a stamp that rises with every change, and the last changes.
//! It is one row, so that watching costs the same however many lists there are.
//!
//! Every write that changes lists records that last, after all other locks: writes about different lists of a shopper meet
//! in this row, and must not wait for each other in a circle.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Row, Tx};

use crate::error::Result;
use crate::lists::row::ListRow;

/// Changes that are kept.
const KEPT: usize = 12;

/// The length of an encoded change: the kind, the list's id and its version.
const LENGTH: usize = 1 + 32 + 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Created,
    Updated,
    Deleted,
    /// More lists than are kept have changed.
    Many,
}

/// A change of a list, or of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListChange {
    pub kind: ChangeKind,
    pub list_id: Uuid,
    /// The list's version after the change.
    pub version: i64,
}

impl ListChange {
    fn encode(&self) -> String {
        let kind = match self.kind {
            ChangeKind::Created => 'c',
            ChangeKind::Updated => 'u',
            ChangeKind::Deleted => 'd',
            ChangeKind::Many => 'm',
        };
        format!("{kind}{}{:016x}", self.list_id.simple(), self.version)
    }

    /// `None` for what this server does not know.
    fn decode(text: &str) -> Option<Self> {
        let kind = match text.get(..1)? {
            "c" => ChangeKind::Created,
            "u" => ChangeKind::Updated,
            "d" => ChangeKind::Deleted,
            _ => ChangeKind::Many,
        };
        let list_id = Uuid::try_parse(text.get(1..33)?).ok()?;
        Some(Self { kind, list_id, version: i64::from_str_radix(text.get(33..LENGTH)?, 16).ok()? })
    }
}

/// The state of a shopper's lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListsState {
    /// Rises with every change; 0 before the first.
    pub stamp: i64,
    /// The last changes, newest first.
    pub recent: Vec<ListChange>,
}

impl ListsState {
    /// Reads a stamp and the encoded changes from a row.
    pub(crate) fn from_columns(row: &dyn Row, first: usize) -> wishbone_storage::Result<Self> {
        let recent = row.text(first + 1)?.as_bytes().chunks(LENGTH);
        let recent = recent.map_while(|text| ListChange::decode(std::str::from_utf8(text).ok()?)).collect();
        Ok(Self { stamp: row.int(first)?, recent })
    }
}

impl FromRow for ListsState {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Self::from_columns(row, 0)
    }
}

/// Records the change of one list.
pub(crate) async fn record<T: Tx>(tx: &mut T, store_id: i64, kind: ChangeKind, list: &ListRow) -> Result<()> {
    record_all(tx, store_id, &[(list.shopper_id, change(kind, list))]).await
}

pub(crate) fn change(kind: ChangeKind, list: &ListRow) -> ListChange {
    ListChange { kind, list_id: list.list_id, version: list.version }
}

/// Records changes of lists with their owners, which are locked in the order of their ids.
pub(crate) async fn record_all<T: Tx>(tx: &mut T, store_id: i64, changes: &[([u8; 16], ListChange)]) -> Result<()> {
    let mut changes = changes.to_vec();
    changes.sort_by_key(|(owner, _)| *owner);
    let mut encoded: Vec<([u8; 16], String)> = Vec::with_capacity(changes.len());
    for of_owner in changes.chunk_by(|(a, _), (b, _)| a == b) {
        match of_owner {
            [(owner, _), ..] if of_owner.len() > KEPT => encoded.push((*owner, many().encode())),
            some => encoded.extend(some.iter().map(|(owner, change)| (*owner, change.encode()))),
        }
    }
    let rows: Vec<[Arg<'_>; 3]> =
        encoded.iter().map(|(owner, change)| [store_id.into(), owner.into(), change.into()]).collect();
    tx.defer_all(&rows.iter().map(|row| RECORD.bind(row)).collect::<Vec<Bound<'_>>>()).await?;
    Ok(())
}

/// Records that any lists of these owners may have changed.
pub(crate) async fn record_many<T: Tx>(tx: &mut T, store_id: i64, owners: &[[u8; 16]]) -> Result<()> {
    record_all(tx, store_id, &owners.iter().map(|owner| (*owner, many())).collect::<Vec<_>>()).await
}

fn many() -> ListChange {
    ListChange { kind: ChangeKind::Many, list_id: Uuid::nil(), version: 0 }
}

statements! {
    // 588 is the length of the changes that are kept.
    RECORD = "insert into list_stamps (store_id, shopper_id, stamp, recent) values ($1, $2, 1, $3)
              on conflict (store_id, shopper_id) do update set
                stamp = list_stamps.stamp + 1, recent = substr(excluded.recent || list_stamps.recent, 1, 588)";
    pub(crate) FORGET = "delete from list_stamps where store_id = $1 and shopper_id = $2";
    pub(crate) FORGET_GUESTS = "delete from list_stamps
        where store_id = $1 and shopper_id in (select g.shopper_id from shoppers g
                                               where g.store_id = $1 and g.merged_into = $2)";
    // The lists that have lost a comment: their owners may be anyone.
    pub(crate) OWNER = "select shopper_id, version from lists where store_id = $1 and list_id = $2";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_survives_its_text() {
        for kind in [ChangeKind::Created, ChangeKind::Updated, ChangeKind::Deleted, ChangeKind::Many] {
            let change = ListChange { kind, list_id: Uuid::from_u128(77), version: i64::MAX };
            let text = change.encode();
            assert_eq!((text.len(), ListChange::decode(&text)), (LENGTH, Some(change)));
        }
        assert_eq!(ListChange::decode(""), None);
        assert!(RECORD.text().contains(&(KEPT * LENGTH).to_string()));
    }
}
