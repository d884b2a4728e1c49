//! Decides which lists of a guest are united with a list of the shopper, and which move.

use std::collections::HashMap;

use uuid::Uuid;
use wishbone_storage::{FromRow, Row};

use crate::decode::uuid;
use crate::lists::row::is_save_for_later;
use crate::moment::Millis;

macro_rules! merge_list {
    () => {
        "list_id, shopper_id, ordinal, type, name, archived, item_count, comment_count, next_seq, updated_at, version"
    };
}
pub(crate) use merge_list;

/// The columns of a list that a merge needs, see [`merge_list`].
#[derive(Clone, Debug)]
pub(crate) struct MergeList {
    pub(crate) list_id: Uuid,
    pub(crate) shopper_id: [u8; 16],
    pub(crate) ordinal: i64,
    pub(crate) list_type: String,
    pub(crate) name: String,
    pub(crate) archived: bool,
    pub(crate) item_count: i64,
    pub(crate) comment_count: i64,
    pub(crate) next_seq: i64,
    pub(crate) updated_at: Millis,
    pub(crate) version: i64,
}

impl FromRow for MergeList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            shopper_id: row.blob(1)?.try_into().map_err(wishbone_storage::Error::bug)?,
            ordinal: row.int(2)?,
            list_type: row.text(3)?.to_owned(),
            name: row.text(4)?.to_owned(),
            archived: row.flag(5)?,
            item_count: row.int(6)?,
            comment_count: row.int(7)?,
            next_seq: row.int(8)?,
            updated_at: row.int(9)?,
            version: row.int(10)?,
        })
    }
}

/// The guest's lists in order, each with the list that it is united with, if any.
#[derive(Debug)]
pub(crate) struct MergePlan {
    pub(crate) lists: Vec<(MergeList, Option<Uuid>)>,
    /// The lists that others are united with.
    pub(crate) targets: HashMap<Uuid, MergeList>,
}

impl MergePlan {
    /// `lists` are those of the guest and of the shopper.
    pub(crate) fn new(mut lists: Vec<MergeList>, guest: &[u8; 16]) -> Self {
        lists.sort_by_key(|list| list.ordinal);
        let (of_guest, of_shopper): (Vec<_>, Vec<_>) = lists.into_iter().partition(|list| list.shopper_id == *guest);
        let saved = save_for_later(&of_shopper).or_else(|| save_for_later(&of_guest)).cloned();
        let mut plan = Self { lists: Vec::with_capacity(of_guest.len()), targets: HashMap::new() };
        for list in of_guest {
            let into = if is_save_for_later(&list.list_type) {
                saved.as_ref().filter(|saved| saved.list_id != list.list_id)
            } else {
                same_name(&of_shopper, &list)
            };
            if let Some(into) = into {
                plan.targets.entry(into.list_id).or_insert_with(|| into.clone());
            }
            let into = into.map(|into| into.list_id);
            plan.lists.push((list, into));
        }
        plan
    }

    pub(crate) fn moves(&self) -> impl Iterator<Item = &MergeList> {
        self.lists.iter().filter(|(_, into)| into.is_none()).map(|(list, _)| list)
    }

    pub(crate) fn unites(&self) -> impl Iterator<Item = (&MergeList, Uuid)> {
        self.lists.iter().filter_map(|(list, into)| Some((list, (*into)?)))
    }
}

/// The list that `sfl/fetch` returns: the oldest that is not archived, else the oldest.
fn save_for_later(lists: &[MergeList]) -> Option<&MergeList> {
    let saved = || lists.iter().filter(|list| is_save_for_later(&list.list_type));
    saved().find(|list| !list.archived).or_else(|| saved().next())
}

/// The shopper's list of the same type and name; of several, the one updated last.
fn same_name<'a>(of_shopper: &'a [MergeList], list: &MergeList) -> Option<&'a MergeList> {
    let name = fold(&list.name);
    let is_same = |other: &&MergeList| other.list_type == list.list_type && fold(&other.name) == name;
    of_shopper.iter().filter(is_same).max_by_key(|other| other.updated_at)
}

/// Folds the case of a name; not in SQL, where the engines agree on ASCII only. Upper case first makes `Straße` equal
/// `STRASSE`.
fn fold(name: &str) -> String {
    name.trim().to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUEST: [u8; 16] = [1; 16];
    const SHOPPER: [u8; 16] = [2; 16];

    fn list(n: u8, shopper_id: [u8; 16], list_type: &str, name: &str) -> MergeList {
        MergeList {
            list_id: Uuid::from_bytes([n; 16]),
            shopper_id,
            ordinal: n.into(),
            list_type: list_type.into(),
            name: name.into(),
            archived: false,
            item_count: 0,
            comment_count: 0,
            next_seq: 0,
            updated_at: 0,
            version: 1,
        }
    }

    /// The first byte of each list of the guest, and of the list that it is united with.
    fn plan(lists: &[MergeList]) -> Vec<(u8, Option<u8>)> {
        let first = |id: &Uuid| id.as_bytes()[0];
        let plan = MergePlan::new(lists.to_vec(), &GUEST);
        plan.lists.iter().map(|(list, into)| (first(&list.list_id), into.as_ref().map(first))).collect()
    }

    #[test]
    fn names_are_compared_case_insensitively_in_any_script() {
        for (name, same) in [("Gifts", "GIFTS"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("Ёлка", "ёлка")]
        {
            let lists = [list(1, GUEST, "wl", name), list(2, SHOPPER, "wl", same)];
            assert_eq!(plan(&lists), [(1, Some(2))], "{name}");
        }
        assert_eq!(plan(&[list(1, GUEST, "wl", "a"), list(2, SHOPPER, "wl", "á")]), [(1, None)]);
    }

    #[test]
    fn lists_of_different_types_are_not_united() {
        assert_eq!(plan(&[list(1, GUEST, "wl", "A"), list(2, SHOPPER, "registry", "A")]), [(1, None)]);
    }

    #[test]
    fn of_several_lists_the_one_updated_last_is_chosen() {
        let mut newest = list(3, SHOPPER, "wl", "A");
        newest.updated_at = 9;
        let lists = [list(1, GUEST, "wl", "A"), list(2, SHOPPER, "wl", "A"), newest, list(4, SHOPPER, "wl", "A")];
        assert_eq!(plan(&lists), [(1, Some(3))]);
    }

    #[test]
    fn equal_names_of_the_guest_are_united_only_with_a_list_of_the_shopper() {
        let two = [list(1, GUEST, "wl", "A"), list(2, GUEST, "wl", "a")];
        assert_eq!(plan(&two), [(1, None), (2, None)]);
        let [first, second] = two;
        assert_eq!(plan(&[first, second, list(3, SHOPPER, "wl", "A")]), [(1, Some(3)), (2, Some(3))]);
    }

    #[test]
    fn save_for_later_lists_are_always_united() {
        let two = [list(1, GUEST, "sfl", "A"), list(2, GUEST, "_saveForLater", "B")];
        assert_eq!(plan(&two), [(1, None), (2, Some(1))]);
        let [first, second] = two;
        assert_eq!(plan(&[first, second, list(3, SHOPPER, "_saveForLater", "C")]), [(1, Some(3)), (2, Some(3))]);
    }
}
