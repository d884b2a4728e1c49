//! Decides which lists of a guest are united with a list of the shopper, which move, and which stay because the shopper's
//! limits leave no room.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Row};

use crate::decode::uuid;
use crate::error::Result;
use crate::lists::row::{WISHLIST, is_save_for_later};
use crate::moment::Millis;
use crate::sharing::comments::MAX_COMMENTS;
use crate::sharing::links::MAX_LINKS;
use crate::stores::settings::Settings;
use crate::tokens::ShopperId;

/// The names that the client script gives to default lists, in the language of the page, with their case folded.
pub const DEFAULT_NAMES: [&str; 8] = [
    "my wishlist",
    "meine wunschliste",
    "mi lista de deseos",
    "ma liste d’envies",
    "la mia lista dei desideri",
    "マイほしい物リスト",
    "mijn verlanglijst",
    "minha lista de desejos",
];

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

/// The limits of a store that a merge must not exceed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergeLimits {
    pub(crate) lists: i64,
    pub(crate) items: i64,
}

impl From<&Settings> for MergeLimits {
    fn from(settings: &Settings) -> Self {
        Self { lists: settings.max_lists, items: settings.max_items }
    }
}

/// A union of which a part is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BegunUnion {
    pub(crate) into: Uuid,
    /// Items with lower numbers have numbers reserved in the other list.
    pub(crate) next_seq: i64,
}

/// The lists of a guest and of a shopper, and what a plan needs besides.
#[derive(Debug, Default)]
pub(crate) struct MergedLists {
    pub(crate) of_guest: Vec<MergeList>,
    pub(crate) of_shopper: Vec<MergeList>,
    /// The guest's lists of which a part was united already.
    pub(crate) begun: HashMap<Uuid, BegunUnion>,
    /// Lists that this merge has moved to the shopper. The guest kept them apart from others of their name, and so does the
    /// merge, in however many steps.
    pub(crate) moved: HashSet<Uuid>,
    /// The number of share links, by list; only of lists that may be united.
    pub(crate) links: HashMap<Uuid, i64>,
}

impl MergedLists {
    pub(crate) async fn read<Q: Query>(
        query: &mut Q,
        store_id: i64,
        guest: &ShopperId,
        shopper: Option<&ShopperId>,
    ) -> Result<Self> {
        let of_guest = [store_id.into(), (&guest.0).into()];
        let mut found = Self { of_guest: query.rows(LISTS.bind(&of_guest)).await?, ..Self::default() };
        let Some(shopper) = shopper.filter(|_| !found.of_guest.is_empty()) else { return Ok(found) };
        let of_shopper = [store_id.into(), (&shopper.0).into()];
        found.of_shopper = query.rows(LISTS.bind(&of_shopper)).await?;
        let (begun, moved, links) = (&mut found.begun, &mut found.moved, &mut found.links);
        query
            .query_all(&[BEGUN, MOVED, LINKS].map(|sql| sql.bind(&of_guest)), &mut |number, row| {
                match number {
                    0 => drop(begun.insert(uuid(row, 0)?, BegunUnion { into: uuid(row, 1)?, next_seq: row.int(2)? })),
                    1 => drop(moved.insert(uuid(row, 0)?)),
                    _ => drop(links.insert(uuid(row, 0)?, row.int(1)?)),
                }
                Ok(())
            })
            .await?;
        if !links.is_empty() {
            query
                .query_all(&[LINKS.bind(&of_shopper)], &mut |_, row| {
                    links.insert(uuid(row, 0)?, row.int(1)?);
                    Ok(())
                })
                .await?;
        }
        Ok(found)
    }
}

/// The guest's lists, each with the list that it is united with, if any.
#[derive(Debug, Default)]
pub(crate) struct MergePlan {
    /// In the order in which they are merged.
    pub(crate) fits: Vec<(MergeList, Option<Uuid>)>,
    /// Those for which there is no room now.
    pub(crate) stays: Vec<(MergeList, Option<Uuid>)>,
    /// The guest's lists of which a part was united already.
    pub(crate) begun: HashMap<Uuid, BegunUnion>,
}

impl MergePlan {
    /// Lists that are united come first, since they need no room among the shopper's lists; then save-for-later lists, of
    /// which a shopper has one; then those that were updated last.
    pub(crate) fn new(lists_of_both: MergedLists, limits: MergeLimits) -> Self {
        let MergedLists { mut of_guest, of_shopper, begun, moved, links } = lists_of_both;
        of_guest.sort_by_key(|list| list.ordinal);
        let saved = save_for_later(&of_shopper).or_else(|| save_for_later(&of_guest)).cloned();
        let others = || of_shopper.iter().filter(|list| !moved.contains(&list.list_id));
        let by_name = newest_by_name(others());
        let default = others().filter(|list| is_default(list)).min_by_key(|list| (list.archived, list.ordinal));
        let first = others().find(|list| list.list_type == WISHLIST && !list.archived);
        let by_id: HashMap<Uuid, &MergeList> = of_shopper.iter().map(|list| (list.list_id, list)).collect();
        let plan_one = |number: usize| {
            let list = &of_guest[number];
            // A part of the list is there already, so that the rest follows, whatever the names are now.
            let begun = begun.get(&list.list_id).and_then(|begun| by_id.get(&begun.into).copied().cloned());
            let is_saved = is_save_for_later(&list.list_type);
            let is_begun = begun.is_some();
            let into = begun.or_else(|| match is_saved {
                true => saved.clone().filter(|saved| saved.list_id != list.list_id),
                false => {
                    let named = by_name.get(&(list.list_type.as_str(), fold(&list.name))).copied();
                    let is_empty =
                        list.item_count == 0 && list.comment_count == 0 && !links.contains_key(&list.list_id);
                    let default = || default.or(first.filter(|_| is_empty)).filter(|_| is_default(list));
                    named.or_else(default).cloned()
                }
            });
            // The guest's first save-for-later list moves before others are united with it.
            let waits = into.as_ref().is_some_and(|into| into.shopper_id == list.shopper_id);
            let order = match (is_begun, into.is_some() && !waits, is_saved) {
                (true, ..) => (0, false, Reverse(0)),
                (_, true, _) => (1, false, Reverse(0)),
                (_, _, true) => (2, waits, Reverse(0)),
                _ => (3, false, Reverse(list.updated_at)),
            };
            (order, list, into)
        };
        let mut planned: Vec<_> = (0..of_guest.len()).map(plan_one).collect();
        planned.sort_by_key(|(order, list, _)| (*order, list.ordinal));
        let mut plan = Self::default();
        let mut lists = i64::try_from(of_shopper.len()).unwrap_or(i64::MAX);
        let mut targets: HashMap<Uuid, MergeList> = HashMap::new();
        let mut link_counts = links;
        for (_, list, into) in planned {
            let fits = match &into {
                None => {
                    let fits = lists < limits.lists;
                    lists += i64::from(fits);
                    fits
                }
                // The list that it would be united with stays itself.
                Some(into)
                    if into.shopper_id == list.shopper_id
                        && plan.stays.iter().any(|(other, _)| other.list_id == into.list_id) =>
                {
                    false
                }
                Some(into) => {
                    let target = targets.entry(into.list_id).or_insert_with(|| into.clone());
                    let count = |id: &Uuid| link_counts.get(id).copied().unwrap_or(0);
                    let link_count = count(&list.list_id) + count(&into.list_id);
                    let fits = has_room(list, target, limits) && (count(&list.list_id) == 0 || link_count <= MAX_LINKS);
                    if fits {
                        // At most: some of the items may be there already.
                        target.item_count = (target.item_count + list.item_count).min(limits.items);
                        target.comment_count += list.comment_count;
                        link_counts.insert(into.list_id, link_count);
                    }
                    fits
                }
            };
            let planned = (list.clone(), into.as_ref().map(|into| into.list_id));
            if fits { plan.fits.push(planned) } else { plan.stays.push(planned) }
        }
        plan.begun = begun;
        plan
    }

    pub(crate) fn moves(&self) -> impl Iterator<Item = &MergeList> {
        self.fits.iter().filter(|(_, into)| into.is_none()).map(|(list, _)| list)
    }

    /// The lists that others were united with in part, for the rest of which there is no room.
    pub(crate) fn stopped(&self) -> impl Iterator<Item = Uuid> {
        let begun = &self.begun;
        let stopped = move |(list, into): &(MergeList, Option<Uuid>)| {
            begun.get(&list.list_id).map(|begun| begun.into).filter(|begun| *into == Some(*begun))
        };
        self.stays.iter().filter_map(stopped)
    }

    pub(crate) fn unites(&self) -> impl Iterator<Item = (&MergeList, Uuid)> {
        self.fits.iter().filter_map(|(list, into)| Some((list, (*into)?)))
    }
}

/// True if a list, or a part of it, can be united with another.
pub(crate) fn has_room(list: &MergeList, target: &MergeList, limits: MergeLimits) -> bool {
    (list.item_count == 0 || target.item_count < limits.items)
        && (list.comment_count == 0 || target.comment_count + list.comment_count <= MAX_COMMENTS)
}

/// True if a list of the guest may be united with a list: the types and names are equal. The names of default lists count as
/// equal; an empty default list leaves nothing behind, whatever the shopper's lists are called.
pub(crate) fn is_same(list: &MergeList, other: &MergeList) -> bool {
    match is_save_for_later(&list.list_type) {
        true => is_save_for_later(&other.list_type),
        false if other.list_type != list.list_type => false,
        false => {
            let is_empty = list.item_count == 0 && list.comment_count == 0;
            fold(&other.name) == fold(&list.name) || is_default(list) && (is_default(other) || is_empty)
        }
    }
}

/// True for a wishlist that has the name of a default list.
fn is_default(list: &MergeList) -> bool {
    list.list_type == WISHLIST && DEFAULT_NAMES.contains(&fold(&list.name).as_str())
}

/// The lists by type and folded name; of several, the one updated last.
fn newest_by_name<'a>(lists: impl Iterator<Item = &'a MergeList>) -> HashMap<(&'a str, String), &'a MergeList> {
    let mut newest: HashMap<(&str, String), &MergeList> = HashMap::new();
    for list in lists {
        let known = newest.entry((&list.list_type, fold(&list.name))).or_insert(list);
        if known.updated_at <= list.updated_at {
            *known = list;
        }
    }
    newest
}

/// The list that `sfl/fetch` returns: the oldest that is not archived, else the oldest.
fn save_for_later(lists: &[MergeList]) -> Option<&MergeList> {
    let saved = || lists.iter().filter(|list| is_save_for_later(&list.list_type));
    saved().find(|list| !list.archived).or_else(|| saved().next())
}

/// Folds the case of a name; not in SQL, where the engines agree on ASCII only. Upper case first makes `Straße` equal
/// `STRASSE`.
fn fold(name: &str) -> String {
    name.trim().to_uppercase().to_lowercase()
}

statements! {
    LISTS = concat!("select ", merge_list!(), " from lists where store_id = $1 and shopper_id = $2 order by ordinal");
    BEGUN = "select m.list_id, m.into_id, m.next_seq from merged_lists m join lists l on l.store_id = $1 and l.list_id = m.list_id
             where m.store_id = $1 and l.store_id = $1 and m.guest_id = $2 and l.shopper_id = $2 and m.into_id is not null";
    MOVED = "select list_id from merged_lists where store_id = $1 and guest_id = $2 and into_id is null";
    LINKS = "select l.list_id, (select count(*) from share_links k where k.store_id = $1 and k.list_id = l.list_id)
             from lists l where l.store_id = $1 and l.shopper_id = $2
               and exists (select 1 from share_links k where k.store_id = $1 and k.list_id = l.list_id)
             order by l.ordinal";
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
        let plan = plan_within(lists, MergeLimits { lists: 1_000, items: 1_000 });
        assert!(plan.stays.is_empty());
        let mut planned: Vec<_> =
            plan.fits.iter().map(|(list, into)| (first(&list.list_id), into.as_ref().map(first))).collect();
        planned.sort_unstable();
        planned
    }

    fn plan_within(lists: &[MergeList], limits: MergeLimits) -> MergePlan {
        let (of_guest, of_shopper) = lists.iter().cloned().partition(|list| list.shopper_id == GUEST);
        MergePlan::new(MergedLists { of_guest, of_shopper, ..MergedLists::default() }, limits)
    }

    #[test]
    fn default_lists_are_one_in_every_language() {
        let default = |n: u8, of: [u8; 16], name: &str| MergeList { item_count: 1, ..list(n, of, "wl", name) };
        let hers = default(9, SHOPPER, "Meine Wunschliste");
        assert_eq!(plan(&[default(1, GUEST, " My WISHLIST "), hers.clone()]), [(1, Some(9))]);
        // Equal names come first.
        assert_eq!(
            plan(&[default(1, GUEST, "My Wishlist"), hers.clone(), default(10, SHOPPER, "my wishlist")]),
            [(1, Some(10))]
        );
        // Other names, and other types, are not those of default lists.
        assert_eq!(plan(&[default(1, GUEST, "Wishes"), hers.clone()]), [(1, None)]);
        assert_eq!(
            plan(&[MergeList { list_type: "registry".into(), ..default(1, GUEST, "My Wishlist") }, hers]),
            [(1, None)]
        );
        assert_eq!(plan(&[default(1, GUEST, "My Wishlist"), default(9, SHOPPER, "Birthday")]), [(1, None)]);
    }

    #[test]
    fn an_empty_default_list_leaves_nothing_behind() {
        let empty = list(1, GUEST, "wl", "My Wishlist");
        let archived = MergeList { archived: true, ..list(8, SHOPPER, "wl", "Old") };
        assert_eq!(plan(&[empty.clone(), archived.clone(), list(9, SHOPPER, "wl", "Birthday")]), [(1, Some(9))]);
        // It does not bring an archived list back, and a list with a name of its own stays.
        assert_eq!(plan(&[empty.clone(), archived]), [(1, None)]);
        assert_eq!(plan(&[empty]), [(1, None)]);
        assert_eq!(plan(&[list(1, GUEST, "wl", "Garden"), list(9, SHOPPER, "wl", "Birthday")]), [(1, None)]);
    }

    #[test]
    fn what_fits_is_united_first_then_saved_for_later_then_the_newest() {
        let updated = |n: u8, at: Millis, list_type: &str, name: &str| MergeList {
            updated_at: at,
            item_count: 2,
            ..list(n, GUEST, list_type, name)
        };
        let lists = [
            updated(1, 5, "wl", "old"),
            updated(2, 9, "wl", "new"),
            updated(3, 1, "sfl", "saved"),
            updated(4, 1, "wl", "A"),
            updated(5, 1, "sfl", "saved too"),
            list(6, SHOPPER, "wl", "a"),
        ];
        let first = |(list, _): &(MergeList, Option<Uuid>)| list.list_id.as_bytes()[0];
        for (max_lists, fits, stays) in [
            (4, vec![4, 3, 5, 2, 1], vec![]),
            (3, vec![4, 3, 5, 2], vec![1]),
            (2, vec![4, 3, 5], vec![2, 1]),
            (1, vec![4], vec![3, 5, 2, 1]),
            (0, vec![4], vec![3, 5, 2, 1]),
        ] {
            let plan = plan_within(&lists, MergeLimits { lists: max_lists, items: 9 });
            assert_eq!(plan.fits.iter().map(first).collect::<Vec<_>>(), fits, "{max_lists}");
            assert_eq!(plan.stays.iter().map(first).collect::<Vec<_>>(), stays, "{max_lists}");
        }
    }

    #[test]
    fn a_list_that_is_full_takes_nothing_but_empty_lists() {
        let full = MergeList { item_count: 3, ..list(9, SHOPPER, "wl", "A") };
        let of_guest = |n: u8, items: i64| MergeList { item_count: items, ..list(n, GUEST, "wl", "a") };
        let limits = MergeLimits { lists: 9, items: 3 };
        let stays = |lists: &[MergeList]| plan_within(lists, limits).stays.len();
        assert_eq!(stays(&[of_guest(1, 1), of_guest(2, 0), full.clone()]), 1);
        // A part of the first fits, then none of the second.
        assert_eq!(stays(&[of_guest(1, 2), of_guest(2, 1), MergeList { item_count: 2, ..full.clone() }]), 1);
        let many = |count: i64, list: MergeList| MergeList { comment_count: count, ..list };
        let other = MergeList { item_count: 0, ..full };
        assert_eq!(stays(&[many(1, of_guest(1, 1)), many(MAX_COMMENTS, other.clone())]), 1);
        assert_eq!(stays(&[of_guest(1, 1), many(MAX_COMMENTS, other)]), 0);
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
