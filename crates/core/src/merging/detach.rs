//! The first half of undoing a merge: removes from the shopper's lists what goes back to the guest. Changes made since the
//! merge stay with the shopper.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::lists::delete;
use crate::lists::item_members;
use crate::lists::merge_journal::END;
use crate::lists::wishes::{self, Changes};
use crate::merging::pending::PendingUndo;
use crate::merging::plan::MergeList;
use crate::merging::recorded_list::{Fate, RecordedList};
use crate::merging::union;
use crate::moment::{Millis, Moment};
use crate::tokens::ShopperId;

/// An item in the journal.
struct RecordedItem {
    variant_id: i64,
    members: String,
    product_id: i64,
}

impl FromRow for RecordedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, members: row.text(1)?.to_owned(), product_id: row.int(2)? })
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

/// A list of the shopper that lists of the guest were united with.
#[derive(Default)]
struct Target {
    removed: i64,
    unarchived: bool,
    /// Its version before the first of the unions, and after the last.
    before: Option<i64>,
    after: Option<i64>,
}

impl<'a> Detach<'a> {
    pub(crate) fn new(undo: &'a PendingUndo, moment: &'a Moment) -> Self {
        Self { store_id: undo.store_id, guest: &undo.guest, shopper: &undo.shopper, moment, used_ids: 0 }
    }

    /// Detaches lists, which are locked with all that they affect. `affected` are those of the shopper. Returns the lists
    /// that have changed.
    pub(crate) async fn run<T: Tx>(
        &mut self,
        tx: &mut T,
        recorded: &[RecordedList],
        affected: &[MergeList],
    ) -> Result<BTreeSet<Uuid>> {
        let mut changed = self.return_comments(tx, recorded, affected).await?;
        let is_part = |id: &Uuid| recorded.iter().any(|list| list.into.unwrap_or(list.list_id) == *id);
        let others: Vec<Uuid> = changed.iter().filter(|list| !is_part(list)).copied().collect();
        self.touch(tx, &others).await?;
        for list in recorded {
            changed.insert(list.list_id);
            if list.into.is_none()
                && let Some(renamed) = self.detach_moved(tx, list).await?
            {
                changed.insert(renamed);
            }
        }
        let mut targets: BTreeMap<Uuid, Target> = BTreeMap::new();
        for list in recorded {
            let Some(into) = list.into.filter(|into| affected.iter().any(|other| other.list_id == *into)) else {
                continue;
            };
            let target = targets.entry(into).or_default();
            target.removed += self.remove_united(tx, list, &into, END).await?;
            target.unarchived |= list.unarchived;
            target.before = target.before.into_iter().chain(list.into_version).min();
            target.after = target.after.max(list.merged_version);
        }
        for list in affected {
            if let Some(target) = targets.get(&list.list_id) {
                self.save_target(tx, list, target, recorded).await?;
                changed.insert(list.list_id);
            }
        }
        Ok(changed)
    }

    /// Takes a long list that moved from under its id. Its items follow in steps, as in a union.
    pub(crate) async fn start_detaching<T: Tx>(&mut self, tx: &mut T, list: &RecordedList, fate: Fate) -> Result<()> {
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
        Ok(())
    }

    /// Removes from `into` what the journal has of a list before a time and number. Items that were changed or commented on
    /// since stay, under new ids. Returns how many were removed.
    pub(crate) async fn remove_united<T: Tx>(
        &mut self,
        tx: &mut T,
        list: &RecordedList,
        into: &Uuid,
        before: (Millis, i64),
    ) -> Result<i64> {
        let (store_id, into) = (self.store_id.into(), into.into_bytes());
        let recorded =
            [store_id, (&self.guest.0).into(), list.list_id.as_bytes().into(), before.0.into(), before.1.into()];
        let items: Vec<RecordedItem> = tx.rows(RECORDED_ITEMS.bind(&recorded)).await?;
        let rows: Vec<_> = items
            .iter()
            .map(|item| [store_id, (&into).into(), item.variant_id.into(), (&item.members).into()])
            .collect();
        let counts = tx.execute_all(&rows.iter().map(|row| REMOVE_UNCHANGED.bind(row)).collect::<Vec<_>>()).await?;
        let mut removed = 0;
        let mut kept = Vec::new();
        let mut wishes = Changes::new();
        for (item, count) in items.iter().zip(counts) {
            match count {
                0 => kept.push((item_members::encoded_id(&self.next_id()), item)),
                _ => {
                    removed += 1;
                    *wishes.entry(item.product_id).or_default() -= 1;
                }
            }
        }
        wishes::apply(tx, store_id, &into, &wishes).await?;
        let rows: Vec<_> = kept
            .iter()
            .map(|(id, item)| {
                [id.into(), store_id, (&into).into(), item.variant_id.into(), item_members::id(&item.members).into()]
            })
            .collect();
        tx.execute_all(&rows.iter().map(|row| SET_ITEM_ID.bind(row)).collect::<Vec<_>>()).await?;
        Ok(removed)
    }

    /// Moves the comments in the journal back to these lists, from wherever the merge or move-items has taken them. Returns
    /// the lists that they were on.
    pub(crate) async fn return_comments<T: Tx>(
        &self,
        tx: &mut T,
        recorded: &[RecordedList],
        affected: &[MergeList],
    ) -> Result<BTreeSet<Uuid>> {
        let mut left = BTreeSet::new();
        for list in recorded.iter().filter(|list| list.has_comments()) {
            let key = [self.store_id.into(), (&self.guest.0).into(), list.list_id.as_bytes().into()];
            let comments: Vec<CommentKey> = tx.rows(RECORDED_COMMENTS.bind(&key)).await?;
            let moved = || {
                comments
                    .iter()
                    .filter(|comment| comment.list_id != list.list_id)
                    .filter(|comment| affected.iter().any(|other| other.list_id == comment.list_id))
            };
            let rows: Vec<_> = moved()
                .map(|comment| {
                    [key[2], key[0], comment.list_id.as_bytes().into(), comment.comment_id.as_bytes().into()]
                })
                .collect();
            tx.execute_all(&rows.iter().map(|row| RETURN_COMMENT.bind(row)).collect::<Vec<_>>()).await?;
            left.extend(moved().map(|comment| comment.list_id));
        }
        Ok(left)
    }

    /// Raises the versions of lists that lose comments but are not part of the merge.
    async fn touch<T: Tx>(&self, tx: &mut T, lists: &[Uuid]) -> Result<()> {
        let keys: Vec<_> = lists.iter().map(|list| [self.store_id.into(), list.as_bytes().into()]).collect();
        tx.execute_all(&keys.iter().map(|key| TOUCH.bind(key)).collect::<Vec<_>>()).await?;
        Ok(())
    }

    /// Returns a list that moved to the guest, or frees its id for the list in the journal. If the shopper keeps it, returns
    /// its new id.
    async fn detach_moved<T: Tx>(&mut self, tx: &mut T, list: &RecordedList) -> Result<Option<Uuid>> {
        let (store_id, id) = (self.store_id.into(), list.list_id.into_bytes());
        let key = [store_id, (&id).into()];
        match list.fate() {
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

    /// Saves a list of the shopper that lists of the guest were united with. If only the merge has changed it, the journals
    /// get its new version: neither the rest of this undo nor that of an earlier merge must take it for a change by the
    /// shopper.
    async fn save_target<T: Tx>(
        &self,
        tx: &mut T,
        list: &MergeList,
        target: &Target,
        recorded: &[RecordedList],
    ) -> Result<()> {
        let key = [self.store_id.into(), list.list_id.as_bytes().into()];
        let updated_at = if target.removed > 0 { self.moment.after(list.updated_at) } else { list.updated_at };
        let save = [target.removed.into(), updated_at.into(), target.unarchived.into(), key[0], key[1]];
        tx.execute(SAVE_TARGET.bind(&save)).await?;
        if target.after != Some(list.version) {
            return Ok(());
        }
        let version = (list.version + 1).into();
        let unions: i64 = tx.first(UNIONS.bind(&[key[0], key[1], (&self.guest.0).into()])).await?.unwrap_or(0);
        let returned = recorded.iter().filter(|other| other.into == Some(list.list_id)).count();
        if unions > i64::try_from(returned).map_err(Error::internal)? {
            tx.execute(SET_VERSION_OF_REST.bind(&[version, key[0], key[1], (&self.guest.0).into()])).await?;
        } else if let Some(before) = target.before {
            let versions = [version, key[0], key[1], before.into()];
            tx.execute_all(&[SET_VERSION_OF_MOVED.bind(&versions), SET_VERSION_OF_UNITED.bind(&versions)]).await?;
        }
        Ok(())
    }

    fn next_id(&mut self) -> Uuid {
        self.used_ids += 1;
        self.moment.id(self.used_ids)
    }
}

statements! {
    // Where the comments of a list are by now.
    RECORDED_COMMENTS = "select c.list_id, c.comment_id
        from merged_parts p join comments c on c.store_id = $1 and c.comment_id = p.part_id
        where p.store_id = $1 and c.store_id = $1 and p.guest_id = $2 and p.kind = 'comment' and p.list_id = $3";
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
    RECORD_NEXT_VERSION = "update merged_lists set version = $1 where store_id = $2 and guest_id = $3 and list_id = $4";

    RECORDED_ITEMS = "select variant_id, members, product_id from merged_items
        where store_id = $1 and guest_id = $2 and list_id = $3 and (added_at, seq) < ($4, $5)";
    REMOVE_UNCHANGED = "delete from items
        where store_id = $1 and list_id = $2 and variant_id = $3 and members = $4
          and not exists (select 1 from comments c
                          where c.store_id = $1 and c.list_id = items.list_id
                            and c.variant_id = items.variant_id)";
    SAVE_TARGET = "update lists set item_count = item_count - $1, updated_at = $2, version = version + 1,
                                    archived = case when $3 = 1 then 1 else archived end
                   where store_id = $4 and list_id = $5";
    UNIONS = "select count(*) from merged_lists where store_id = $1 and into_id = $2 and guest_id = $3";
    SET_VERSION_OF_REST = "update merged_lists set merged_version = $1 where store_id = $2 and into_id = $3 and guest_id = $4";
    SET_VERSION_OF_MOVED = "update merged_lists set merged_version = $1
        where store_id = $2 and list_id = $3 and merged_version = $4
          and guest_id in (select m.guest_id from merged_lists m where m.store_id = $2 and m.list_id = $3)";
    SET_VERSION_OF_UNITED = "update merged_lists set merged_version = $1
        where store_id = $2 and into_id = $3 and merged_version = $4
          and guest_id in (select m.guest_id from merged_lists m where m.store_id = $2 and m.into_id = $3)";
    SET_ITEM_ID = "update items set members = $1 || substr(members, 44)
        where store_id = $2 and list_id = $3 and variant_id = $4 and substr(members, 1, 43) = $5";
}
