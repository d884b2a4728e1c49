//! Snapshots of the lists of shoppers who watch them: what tells whether something has changed.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Query, Read, Row};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::operator::Operator;

/// Shoppers whose lists are read in one statement.
pub const MAX_WATCHED: usize = 64;

/// A digest of all lists of a shopper. Versions and ordinals only rise, so that every change of a list, a new one and a
/// deleted one give another digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListsDigest {
    count: i64,
    versions: i64,
    newest: i64,
}

impl ListsDigest {
    fn of(lists: &[WatchedList]) -> Self {
        Self {
            count: lists.len() as i64,
            versions: lists.iter().map(|list| list.version).sum(),
            newest: lists.iter().map(|list| list.ordinal).max().unwrap_or_default(),
        }
    }
}

impl fmt::Display for ListsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.count, self.versions, self.newest)
    }
}

impl FromStr for ListsDigest {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let mut numbers = text.splitn(3, '-').map(|number| number.parse().map_err(drop));
        let mut next = || numbers.next().unwrap_or(Err(()));
        Ok(Self { count: next()?, versions: next()?, newest: next()? })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedList {
    pub id: Uuid,
    pub version: i64,
    ordinal: i64,
}

impl FromRow for WatchedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { id: uuid(row, 0)?, version: row.int(1)?, ordinal: row.int(2)? })
    }
}

/// All lists of a shopper, by id.
#[derive(Debug, Default)]
pub struct ListsSnapshot {
    pub digest: ListsDigest,
    pub lists: Vec<WatchedList>,
}

impl ListsSnapshot {
    fn of(mut lists: Vec<WatchedList>) -> Self {
        lists.sort_unstable_by_key(|list| list.id);
        Self { digest: ListsDigest::of(&lists), lists }
    }
}

/// Takes a snapshot of the caller's own lists.
pub struct TakeSnapshot {
    pub by: Shopper,
}

impl Read for TakeSnapshot {
    const NAME: &'static str = "take_lists_snapshot";
    const SINGLE_STATEMENT: bool = true;
    type Out = ListsSnapshot;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<ListsSnapshot> {
        let (store_id, shopper_id) = self.by.fingerprint();
        Ok(ListsSnapshot::of(query.rows(OF_SHOPPER.bind(&[store_id.into(), (&shopper_id).into()])).await?))
    }
}

/// Takes snapshots for shoppers of one store.
pub struct TakeSnapshots {
    pub by: Operator,
    pub store_id: i64,
    /// At most [`MAX_WATCHED`].
    pub shoppers: Vec<[u8; 16]>,
}

impl Read for TakeSnapshots {
    const NAME: &'static str = "take_lists_snapshots";
    const SINGLE_STATEMENT: bool = true;
    /// In the order of the input.
    type Out = Vec<ListsSnapshot>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        // The last shopper stands for those that are missing: the statement has a fixed number of parameters.
        let Some(last) = self.shoppers.last() else { return Ok(Vec::new()) };
        let shoppers = self.shoppers.iter().chain(std::iter::repeat(last)).take(MAX_WATCHED);
        let args: Vec<Arg<'_>> = std::iter::once(self.store_id.into()).chain(shoppers.map(Into::into)).collect();
        let mut lists: HashMap<[u8; 16], Vec<WatchedList>> = HashMap::new();
        query
            .query_all(&[OF_SHOPPERS.bind(&args)], &mut |_, row| {
                lists.entry(uuid(row, 3)?.into_bytes()).or_default().push(WatchedList::from_row(row)?);
                Ok(())
            })
            .await?;
        let snapshot = |shopper| ListsSnapshot::of(lists.remove(shopper).unwrap_or_default());
        Ok(self.shoppers.iter().map(snapshot).collect())
    }
}

statements! {
    OF_SHOPPER = "select list_id, version, ordinal from lists where store_id = $1 and shopper_id = $2 order by ordinal";
    OF_SHOPPERS = "select list_id, version, ordinal, shopper_id from lists
               where store_id = $1 and shopper_id in (
                $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
                $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44,
                $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65)
               order by lists.shopper_id, lists.ordinal";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_survives_its_text() {
        let digest = ListsDigest { count: 2, versions: 17, newest: 3 };
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for other in ["", "1", "1-2", "1-2-", "a-b-c", "1-2-3-4", "-1-2-3"] {
            assert_ne!(other.parse(), Ok(digest), "{other}");
        }
    }

    #[test]
    fn every_change_gives_another_digest() {
        let list = |ordinal, version| WatchedList { id: Uuid::from_u128(ordinal as u128), version, ordinal };
        let before = ListsDigest::of(&[list(0, 3), list(1, 1)]);
        for after in [
            vec![list(0, 4), list(1, 1)],
            vec![list(0, 3)],
            vec![list(1, 1)],
            vec![list(0, 3), list(1, 1), list(2, 0)],
            // One was deleted, and another made and changed.
            vec![list(0, 3), list(2, 1)],
            vec![],
        ] {
            assert_ne!(ListsDigest::of(&after), before, "{after:?}");
        }
    }
}
