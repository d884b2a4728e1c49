//! The first half of undoing a merge: removes from the shopper's lists what goes back to the guest. Changes made since the
//! merge stay with the shopper.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use uuid::Uuid;
use wishbone_storage::{Bound, FromRow, Row, Tx};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::lists::copy::BATCH;
use crate::lists::delete;
use crate::lists::item_members;
use crate::lists::merge_journal::END;
use crate::lists::row::ListId;
use crate::lists::wishes::{self, Changes};
use crate::merging::pending::PendingUndo;
use crate::merging::plan::MergeList;
use crate::merging::recorded_list::{Fate, RecordedList, is_target};
use crate::merging::union;
use crate::moment::{Millis, Moment};
use crate::tokens::ShopperId;

/// An item in the journal.
struct RecordedItem {
    list_id: Uuid,
    variant_id: i64,
    members: String,
    product_id: i64,
}

impl FromRow for RecordedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            variant_id: row.int(1)?,
            members: row.text(2)?.to_owned(),
            product_id: row.int(3)?,
        })
    }
}

struct CommentKey {
    list_id: Uuid,
    comment_id: Uuid,
}

impl FromRow for CommentKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { list_id: uuid(row, 0)?, comment_id: uuid(row, 1)? })
    }
}

pub(crate) struct Detach<'a> {
    store_id: i64,
    guest: &'a ShopperId,
    shopper: &'a ShopperId,
    moment: &'a Moment,
    /// Ids of the call that are used already.
    used_ids: usize,
}

/// Items in the journal up to a list, time and number.
pub(crate) type Boundary = (Vec<u8>, Millis, i64);

/// Comes after all items in a journal: ids of lists have 16 bytes.
pub(crate) fn end_of_journal() -> Boundary {
    (vec![u8::MAX; 17], Millis::MAX, i64::MAX)
}

impl<'a> Detach<'a> {
    pub(crate) fn new(undo: &'a PendingUndo, moment: &'a Moment) -> Self {
        Self { store_id: undo.store_id, guest: &undo.guest, shopper: &undo.shopper, moment, used_ids: 0 }
    }

    /// Returns the lists whose comments have changed. All lists of the shopper are locked.
    pub(crate) async fn run<T: Tx>(
        &mut self,
        tx: &mut T,
        recorded: &[RecordedList],
        of_shopper: &[MergeList],
    ) -> Result<BTreeSet<Uuid>> {
        let mut changed = self.return_comments(tx, of_shopper).await?;
        let others: Vec<Uuid> = changed.iter().filter(|list| !is_target(recorded, list)).copied().collect();
        self.touch(tx, &others).await?;
        let linked = self.newly_linked(tx).await?;
        for list in recorded {
            changed.insert(list.list_id);
            if list.into.is_none()
                && let Some(renamed) = self.detach_moved(tx, list, recorded, &linked).await?
            {
                changed.insert(renamed);
            }
        }
        let removed = self.remove_united(tx, recorded, of_shopper, &end_of_journal()).await?;
        for list in recorded {
            // A list that was united with another of the guest's is not removed from it: that one goes back as a whole.
            if let Some(into) = list.into.filter(|into| recorded.iter().all(|other| other.list_id != *into)) {
                let count = removed.get(&list.list_id).copied().unwrap_or(0);
                self.save_target(tx, list, &into, count).await?;
            }
        }
        for target in of_shopper.iter().filter(|list| is_target(recorded, &list.list_id)) {
            changed.insert(target.list_id);
            self.update_other_journals(tx, target, recorded).await?;
        }
        Ok(changed)
    }

    /// Returns the first list that moved and cannot be detached by [`Detach::run`], since together they have too many items.
    pub(crate) async fn next_long<'l, T: Tx>(
        &self,
        tx: &mut T,
        recorded: &'l [RecordedList],
        of_shopper: &[MergeList],
    ) -> Result<Option<(&'l RecordedList, Fate)>> {
        let linked = self.newly_linked(tx).await?;
        let mut left = BATCH;
        for list in recorded.iter().filter(|list| list.into.is_none()) {
            let count = of_shopper.iter().find(|row| row.list_id == list.list_id).map_or(0, |row| row.item_count);
            let fate = list.fate(recorded, &linked);
            if count > 0 && matches!(fate, Fate::Kept | Fate::Restored) {
                left -= count;
                if left < 0 {
                    return Ok(Some((list, fate)));
                }
            }
        }
        Ok(None)
    }

    /// Takes a long list that moved from under its id. Its items follow in steps, as in a union. Returns its new id.
    pub(crate) async fn start_detaching<T: Tx>(&mut self, tx: &mut T, list: &RecordedList, fate: Fate) -> Result<Uuid> {
        let (store_id, id) = (self.store_id.into(), list.list_id.into_bytes());
        let key = [store_id, (&id).into()];
        tx.execute(delete::MARK_DELETED.bind(&key)).await?;
        let new = match fate {
            Fate::Kept => {
                let new = self.rename(tx, list).await?;
                let renamed = [store_id, new.as_bytes().into()];
                tx.execute_all(&[EMPTY_LIST.bind(&renamed), COUNT_COMMENTS.bind(&renamed)]).await?;
                new
            }
            // There is no such list: the items are only recorded.
            _ => {
                tx.execute(DELETE_LIST.bind(&key)).await?;
                self.next_id()
            }
        };
        let (guest, shopper) = ((&self.guest.0).into(), (&self.shopper.0).into());
        tx.execute_all(&[
            union::START_RENAME.bind(&[store_id, key[1], guest, shopper, new.as_bytes().into()]),
            // A version that was seen in the meantime must not return for other contents.
            RECORD_NEXT_VERSION.bind(&[(list.version.unwrap_or(0) + 1).into(), store_id, guest, key[1]]),
        ])
        .await?;
        Ok(new)
    }

    /// Removes from the shopper's lists what the journal has before a boundary, of lists that do not exist any more.
    /// Items that were changed or commented on since stay, under new ids. Returns how many were removed, by the guest's list.
    pub(crate) async fn remove_united<T: Tx>(
        &mut self,
        tx: &mut T,
        recorded: &[RecordedList],
        of_shopper: &[MergeList],
        (list, added_at, seq): &Boundary,
    ) -> Result<BTreeMap<Uuid, i64>> {
        let (store_id, guest_id) = (self.store_id.into(), (&self.guest.0).into());
        let before = [store_id, guest_id, list.into(), (*added_at).into(), (*seq).into()];
        let items: Vec<RecordedItem> = tx.rows(RECORDED_ITEMS.bind(&before)).await?;
        let targets: HashMap<Uuid, Uuid> = recorded
            .iter()
            .filter_map(|list| Some((list.list_id, list.into?)))
            .filter(|(_, into)| recorded.iter().all(|list| list.list_id != *into))
            .filter(|(_, into)| of_shopper.iter().any(|list| list.list_id == *into))
            .collect();
        let united: Vec<(&RecordedItem, [u8; 16])> =
            items.iter().filter_map(|item| Some((item, targets.get(&item.list_id)?.into_bytes()))).collect();
        let rows: Vec<_> = united
            .iter()
            .map(|(item, into)| [store_id, into.into(), item.variant_id.into(), (&item.members).into()])
            .collect();
        let counts = tx.execute_all(&rows.iter().map(|row| REMOVE_UNCHANGED.bind(row)).collect::<Vec<_>>()).await?;
        let mut removed = BTreeMap::new();
        let mut kept = Vec::new();
        let mut wishes: BTreeMap<[u8; 16], Changes> = BTreeMap::new();
        for ((item, into), count) in united.iter().zip(counts) {
            match count {
                0 => kept.push((item_members::encoded_id(&self.next_id()), *into, *item)),
                _ => {
                    *removed.entry(item.list_id).or_insert(0) += 1;
                    *wishes.entry(*into).or_default().entry(item.product_id).or_default() -= 1;
                }
            }
        }
        for (list, changes) in &wishes {
            wishes::apply(tx, store_id, list, changes).await?;
        }
        let rows: Vec<_> = kept
            .iter()
            .map(|(id, into, item)| {
                [id.into(), store_id, into.into(), item.variant_id.into(), item_members::id(&item.members).into()]
            })
            .collect();
        tx.execute_all(&rows.iter().map(|row| SET_ITEM_ID.bind(row)).collect::<Vec<_>>()).await?;
        Ok(removed)
    }

    /// Moves the comments in the journal back to the guest's lists, from wherever the merge or move-items has taken them.
    /// Returns the lists that they were on.
    pub(crate) async fn return_comments<T: Tx>(&self, tx: &mut T, of_shopper: &[MergeList]) -> Result<BTreeSet<Uuid>> {
        let (store_id, guest_id) = (self.store_id.into(), (&self.guest.0).into());
        let recorded: Vec<CommentKey> = tx.rows(RECORDED_COMMENTS.bind(&[store_id, guest_id])).await?;
        if recorded.is_empty() {
            return Ok(BTreeSet::new());
        }
        let home: HashMap<Uuid, Uuid> = recorded.into_iter().map(|key| (key.comment_id, key.list_id)).collect();
        let keys: Vec<_> = of_shopper
            .iter()
            .filter(|list| list.comment_count > 0)
            .map(|list| [store_id, list.list_id.as_bytes().into()])
            .collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| COMMENTS.bind(key)).collect();
        let mut moved = Vec::new();
        tx.query_all(&batch, &mut |_, row| {
            let comment = CommentKey::from_row(row)?;
            let list = home.get(&comment.comment_id).filter(|list| **list != comment.list_id);
            moved.extend(list.map(|list| (*list, comment)));
            Ok(())
        })
        .await?;
        let rows: Vec<_> = moved
            .iter()
            .map(|(list, comment)| {
                [
                    list.as_bytes().into(),
                    store_id,
                    comment.list_id.as_bytes().into(),
                    comment.comment_id.as_bytes().into(),
                ]
            })
            .collect();
        tx.execute_all(&rows.iter().map(|row| RETURN_COMMENT.bind(row)).collect::<Vec<_>>()).await?;
        Ok(moved.iter().map(|(_, comment)| comment.list_id).collect())
    }

    /// Raises the versions of lists that lose comments but are not part of the merge.
    async fn touch<T: Tx>(&self, tx: &mut T, lists: &[Uuid]) -> Result<()> {
        let keys: Vec<_> = lists.iter().map(|list| [self.store_id.into(), list.as_bytes().into()]).collect();
        tx.execute_all(&keys.iter().map(|key| TOUCH.bind(key)).collect::<Vec<_>>()).await?;
        Ok(())
    }

    /// The lists that moved and have a share link since.
    async fn newly_linked<T: Tx>(&self, tx: &mut T) -> Result<HashSet<Uuid>> {
        let lists: Vec<ListId> = tx.rows(NEWLY_LINKED.bind(&[self.store_id.into(), (&self.guest.0).into()])).await?;
        Ok(lists.into_iter().map(|ListId(list)| list).collect())
    }

    /// Returns a list that moved to the guest, or frees its id for the list in the journal. If the shopper keeps it, returns
    /// its new id.
    async fn detach_moved<T: Tx>(
        &mut self,
        tx: &mut T,
        list: &RecordedList,
        recorded: &[RecordedList],
        linked: &HashSet<Uuid>,
    ) -> Result<Option<Uuid>> {
        let (store_id, id) = (self.store_id.into(), list.list_id.into_bytes());
        let key = [store_id, (&id).into()];
        match list.fate(recorded, linked) {
            Fate::Freed => Ok(None),
            Fate::Returned => {
                tx.execute(RETURN_LIST.bind(&[store_id, (&self.guest.0).into(), key[1]])).await?;
                Ok(None)
            }
            Fate::Restored => {
                union::rename_items(tx, &key, None, END, self.moment).await?;
                tx.execute(DELETE_LIST.bind(&key)).await?;
                Ok(None)
            }
            Fate::Kept => {
                tx.execute(delete::MARK_DELETED.bind(&key)).await?;
                let new = self.rename(tx, list).await?;
                let ids = self.moment.part(self.used_ids);
                union::rename_items(tx, &key, Some(&new), END, &ids).await?;
                tx.execute(delete::UNMARK_DELETED.bind(&key)).await?;
                Ok(Some(new))
            }
        }
    }

    /// Gives the shopper's list and what belongs to it a new id, except items. What the journal has stays under the former.
    async fn rename<T: Tx>(&mut self, tx: &mut T, list: &RecordedList) -> Result<Uuid> {
        let (store_id, guest, id) = (self.store_id.into(), (&self.guest.0).into(), list.list_id.into_bytes());
        let (renamed, record) = (self.next_id(), self.next_id().into_bytes());
        let new = renamed.into_bytes();
        let rename = [(&new).into(), store_id, (&id).into()];
        let unrecorded = [rename[0], store_id, rename[2], guest];
        tx.execute_all(&[
            RENAME_LIST.bind(&[rename[0], (&record).into(), store_id, rename[2], (&self.shopper.0).into()]),
            RENAME_EDITORS.bind(&rename),
            COPY_EDITORS.bind(&[rename[2], store_id, guest, rename[0]]),
            RENAME_NEW_COMMENTS.bind(&unrecorded),
            RENAME_NEW_LINKS.bind(&unrecorded),
        ])
        .await?;
        Ok(renamed)
    }

    /// Saves the shopper's list that a list of the guest was united with, after `removed` items of that were removed.
    async fn save_target<T: Tx>(&self, tx: &mut T, list: &RecordedList, into: &Uuid, removed: i64) -> Result<()> {
        let target = [self.store_id.into(), into.as_bytes().into()];
        let Some(updated_at) = tx.first::<i64>(UPDATED_AT.bind(&target)).await? else { return Ok(()) };
        let updated_at = if removed > 0 { self.moment.after(updated_at) } else { updated_at };
        let save = [removed.into(), updated_at.into(), list.unarchived.into(), target[0], target[1]];
        tx.execute(SAVE_TARGET.bind(&save)).await?;
        Ok(())
    }

    /// If only this merge has changed a list, the journals of earlier merges into it get its new version: undoing those must
    /// not take this undo for a change by the shopper.
    async fn update_other_journals<T: Tx>(
        &self,
        tx: &mut T,
        target: &MergeList,
        recorded: &[RecordedList],
    ) -> Result<()> {
        let unions = || recorded.iter().filter(|list| list.into == Some(target.list_id));
        let before = unions().filter_map(|list| list.into_version).min();
        let after = unions().filter_map(|list| list.merged_version).max();
        let Some(before) = before.filter(|_| after == Some(target.version)) else { return Ok(()) };
        let count = i64::try_from(unions().count()).map_err(Error::internal)?;
        let (store_id, list_id) = (self.store_id.into(), target.list_id.as_bytes().into());
        let versions = [(target.version + count).into(), store_id, list_id, before.into()];
        tx.execute_all(&[SET_VERSION_OF_MOVED.bind(&versions), SET_VERSION_OF_UNITED.bind(&versions)]).await?;
        Ok(())
    }

    fn next_id(&mut self) -> Uuid {
        self.used_ids += 1;
        self.moment.id(self.used_ids)
    }
}

statements! {
    RECORDED_COMMENTS = "select list_id, part_id from merged_parts where store_id = $1 and guest_id = $2 and kind = 'comment'";
    COMMENTS = "select list_id, comment_id from comments where store_id = $1 and list_id = $2";
    RETURN_COMMENT = "update comments set list_id = $1 where store_id = $2 and list_id = $3 and comment_id = $4";
    pub(crate) COUNT_COMMENTS = "update lists set comment_count = (select count(*) from comments c
                                                        where c.store_id = $1 and c.list_id = lists.list_id)
                      where store_id = $1 and list_id = $2";
    TOUCH = "update lists set version = version + 1, updated_at = updated_at + 1 where store_id = $1 and list_id = $2";

    // Other merges may have changed it, and were undone.
    RETURN_LIST = "update lists set shopper_id = m.guest_id, ordinal = m.ordinal, archived = m.archived, next_seq = m.next_seq,
                                    updated_at = m.updated_at, changed_by = m.changed_by, version = lists.version + 1, merged = 0
                   from merged_lists m
                   where lists.store_id = $1 and m.store_id = $1 and m.guest_id = $2 and m.list_id = $3 and lists.list_id = $3";
    DELETE_LIST = "delete from lists where store_id = $1 and list_id = $2";
    RENAME_LIST = "update lists set list_id = $1, record_id = $2, version = version + 1, merged = 0,
                                    wished_by = case when wished_by is not null then shopper_id end
                   where store_id = $3 and list_id = $4 and shopper_id = $5";
    EMPTY_LIST = "update lists set item_count = 0, copying = 1 where store_id = $1 and list_id = $2";
    RENAME_EDITORS = "update editors set list_id = $1 where store_id = $2 and list_id = $3";
    COPY_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, m.list_id, e.number, e.shopper_id
        from merged_lists m, editors e
        where m.list_id = $1 and m.store_id = $2 and m.guest_id = $3 and e.store_id = $2 and e.list_id = $4";
    // New is what the journal does not have. Times do not tell: a comment's may be ahead of the clock.
    RENAME_NEW_COMMENTS = "update comments set list_id = $1 where store_id = $2 and list_id = $3
        and not exists (select 1 from merged_parts p
                        where p.store_id = $2 and p.guest_id = $4 and p.kind = 'comment'
                          and p.list_id = comments.list_id and p.part_id = comments.comment_id)";
    RENAME_NEW_LINKS = "update share_links set list_id = $1 where store_id = $2 and list_id = $3
        and not exists (select 1 from merged_parts p
                        where p.store_id = $2 and p.guest_id = $4 and p.kind = 'link'
                          and p.list_id = share_links.list_id and p.part_id = share_links.link_id)";
    NEWLY_LINKED = "select k.list_id from share_links k
        where k.store_id = $1
          and k.list_id in (select m.list_id from merged_lists m
                            where m.store_id = $1 and m.guest_id = $2 and m.into_id is null)
          and not exists (select 1 from merged_parts p
                          where p.store_id = $1 and p.guest_id = $2 and p.kind = 'link' and p.list_id = k.list_id
                            and p.part_id = k.link_id)";
    RECORD_NEXT_VERSION = "update merged_lists set version = $1 where store_id = $2 and guest_id = $3 and list_id = $4";

    UPDATED_AT = "select updated_at from lists where store_id = $1 and list_id = $2";
    // Lists that exist are not restored from the journal, or not yet.
    RECORDED_ITEMS = "select m.list_id, m.variant_id, m.members, m.product_id from merged_items m
        where m.store_id = $1 and m.guest_id = $2 and (m.list_id, m.added_at, m.seq) < ($3, $4, $5)
          and not exists (select 1 from lists l where l.store_id = $1 and l.list_id = m.list_id)";
    REMOVE_UNCHANGED = "delete from items
        where store_id = $1 and list_id = $2 and variant_id = $3 and members = $4
          and not exists (select 1 from comments c
                          where c.store_id = $1 and c.list_id = items.list_id
                            and c.variant_id = items.variant_id)";
    SAVE_TARGET = "update lists set item_count = item_count - $1, updated_at = $2, version = version + 1,
                                    archived = case when $3 = 1 then 1 else archived end
                   where store_id = $4 and list_id = $5";
    SET_VERSION_OF_MOVED = "update merged_lists set merged_version = $1
        where store_id = $2 and list_id = $3 and merged_version = $4
          and guest_id in (select m.guest_id from merged_lists m where m.store_id = $2 and m.list_id = $3)";
    SET_VERSION_OF_UNITED = "update merged_lists set merged_version = $1
        where store_id = $2 and into_id = $3 and merged_version = $4
          and guest_id in (select m.guest_id from merged_lists m where m.store_id = $2 and m.into_id = $3)";
    SET_ITEM_ID = "update items set members = $1 || substr(members, 44)
        where store_id = $2 and list_id = $3 and variant_id = $4 and substr(members, 1, 43) = $5";
}
