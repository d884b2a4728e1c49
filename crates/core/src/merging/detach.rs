//! The first half of undoing a merge: removes from the shopper's lists what goes back to the guest. Changes made since the
//! merge stay with the shopper.

use std::collections::{BTreeSet, HashMap, HashSet};

use uuid::Uuid;
use wishbone_storage::{Bound, FromRow, Row, Tx};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::lists::merge_journal;
use crate::merging::plan::MergeList;
use crate::moment::Moment;
use crate::tokens::ShopperId;

/// A list of the guest in the journal, and its present version.
pub(crate) struct RecordedList {
    pub(crate) list_id: Uuid,
    /// The shopper's list that it was united with; `None` for a list that moved.
    pub(crate) into: Option<Uuid>,
    pub(crate) seq_offset: Option<i64>,
    /// The present version of a list that moved, while it is the shopper's.
    pub(crate) version: Option<i64>,
    /// The version right after the merge, of the list itself or of the one that it was united with.
    merged_version: Option<i64>,
    /// The version of the shopper's list right before the union.
    into_version: Option<i64>,
    unarchived: bool,
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

struct ItemKey {
    variant_id: i64,
    item_id: Uuid,
}

impl FromRow for ItemKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, item_id: uuid(row, 1)? })
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

/// What became of a list that moved.
enum Detached {
    /// It is the guest's again, as it is.
    Returned,
    /// It does not exist, until it is restored from the journal.
    Freed,
    /// It was changed or shared since, so the shopper keeps it under this id.
    Renamed(Uuid),
}

pub(crate) struct Detach<'a> {
    pub(crate) store_id: i64,
    pub(crate) guest: &'a ShopperId,
    pub(crate) shopper: &'a ShopperId,
    pub(crate) moment: &'a Moment,
    /// Ids of the call that are used already.
    pub(crate) used_ids: usize,
}

impl Detach<'_> {
    /// Returns the lists whose comments have changed. All lists of the shopper are locked.
    pub(crate) async fn run<T: Tx>(
        &mut self,
        tx: &mut T,
        recorded: &[RecordedList],
        of_shopper: &[MergeList],
    ) -> Result<BTreeSet<Uuid>> {
        let is_target = |id: &Uuid| recorded.iter().any(|list| list.into.unwrap_or(list.list_id) == *id);
        let mut changed = self.return_comments(tx, of_shopper).await?;
        let others: Vec<Uuid> = changed.iter().filter(|list| !is_target(list)).copied().collect();
        self.touch(tx, &others).await?;
        let mut returned = HashSet::new();
        for list in recorded {
            changed.insert(list.list_id);
            match list.into {
                None => match self.detach_moved(tx, list, recorded).await? {
                    Detached::Returned => drop(returned.insert(list.list_id)),
                    Detached::Freed => {}
                    Detached::Renamed(new) => drop(changed.insert(new)),
                },
                // The other list goes back as a whole.
                Some(into) if recorded.iter().any(|other| other.list_id == into) => {}
                Some(into) => self.remove_united(tx, list, into).await?,
            }
        }
        for target in of_shopper.iter().filter(|list| is_target(&list.list_id)) {
            changed.insert(target.list_id);
            if !returned.contains(&target.list_id) {
                self.assign_new_ids(tx, &target.list_id).await?;
            }
            self.update_other_journals(tx, target, recorded).await?;
        }
        Ok(changed)
    }

    /// Moves the comments in the journal back to the guest's lists, from wherever the merge or move-items has taken them.
    /// Returns the lists that they were on.
    async fn return_comments<T: Tx>(&self, tx: &mut T, of_shopper: &[MergeList]) -> Result<BTreeSet<Uuid>> {
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

    /// Returns a list that moved to the guest, or frees its id for the list in the journal.
    async fn detach_moved<T: Tx>(
        &mut self,
        tx: &mut T,
        list: &RecordedList,
        recorded: &[RecordedList],
    ) -> Result<Detached> {
        let (store_id, id) = (self.store_id.into(), list.list_id.into_bytes());
        let Some(version) = list.version else { return Ok(Detached::Freed) };
        let key = [store_id, (&id).into()];
        let new_link: Option<i64> = tx.first(NEW_LINK.bind(&[key[0], key[1], (&self.guest.0).into()])).await?;
        let is_unchanged = list.merged_version == Some(version) && new_link.is_none();
        if is_unchanged && recorded.iter().all(|other| other.into != Some(list.list_id)) {
            tx.execute(RETURN_LIST.bind(&[store_id, (&self.guest.0).into(), key[1]])).await?;
            return Ok(Detached::Returned);
        }
        merge_journal::record_before(tx, &key, merge_journal::END).await?;
        if is_unchanged {
            tx.execute_all(&[DELETE_ITEMS.bind(&key), DELETE_LIST.bind(&key)]).await?;
            return Ok(Detached::Freed);
        }
        let (new, record) = (self.next_id().into_bytes(), self.next_id().into_bytes());
        let rename = [(&new).into(), store_id, (&id).into()];
        let unrecorded = [rename[0], store_id, rename[2], (&self.guest.0).into()];
        let rename_list = [rename[0], (&record).into(), store_id, rename[2], (&self.shopper.0).into()];
        let editors = [rename[2], store_id, (&self.guest.0).into(), rename[0]];
        tx.execute_all(&[
            RENAME_LIST.bind(&rename_list),
            RENAME_ITEMS.bind(&rename),
            RENAME_EDITORS.bind(&rename),
            COPY_EDITORS.bind(&editors),
            RENAME_NEW_COMMENTS.bind(&unrecorded),
            RENAME_NEW_LINKS.bind(&unrecorded),
        ])
        .await?;
        let new = Uuid::from_bytes(new);
        self.assign_new_ids(tx, &new).await?;
        Ok(Detached::Renamed(new))
    }

    /// Removes the items of a list of the guest from the shopper's list that it was united with, unless they were changed
    /// or commented on since. (The guest's own comments are back on the guest's list by now.)
    async fn remove_united<T: Tx>(&self, tx: &mut T, list: &RecordedList, into: Uuid) -> Result<()> {
        let (store_id, guest_id) = (self.store_id.into(), (&self.guest.0).into());
        let target = [store_id, into.as_bytes().into()];
        let Some(updated_at) = tx.first::<i64>(UPDATED_AT.bind(&target)).await? else { return Ok(()) };
        let args = [store_id, target[1], guest_id, list.list_id.as_bytes().into()];
        let removed = i64::try_from(tx.execute(REMOVE_UNCHANGED.bind(&args)).await?).map_err(Error::internal)?;
        let updated_at = if removed > 0 { self.moment.after(updated_at) } else { updated_at };
        let save = [removed.into(), updated_at.into(), list.unarchived.into(), store_id, target[1]];
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

    /// Gives items that both the guest and the shopper keep new ids on the shopper's side. They are matched here: without
    /// statistics of a new journal, an engine would run a join once for each pair.
    async fn assign_new_ids<T: Tx>(&mut self, tx: &mut T, list: &Uuid) -> Result<()> {
        let (store_id, list_id) = (self.store_id.into(), list.as_bytes().into());
        let items: Vec<ItemKey> = tx.rows(ITEMS.bind(&[store_id, list_id])).await?;
        let recorded: Vec<ItemKey> = tx.rows(RECORDED_ITEMS.bind(&[store_id, (&self.guest.0).into()])).await?;
        let recorded: HashSet<Uuid> = recorded.into_iter().map(|item| item.item_id).collect();
        let shared = items.iter().filter(|item| recorded.contains(&item.item_id));
        let new_ids: Vec<_> = shared.map(|item| (self.next_id(), item.variant_id)).collect();
        let rows: Vec<_> =
            new_ids.iter().map(|(id, variant)| [id.as_bytes().into(), store_id, list_id, (*variant).into()]).collect();
        tx.execute_all(&rows.iter().map(|row| SET_ITEM_ID.bind(row)).collect::<Vec<_>>()).await?;
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
    TOUCH = "update lists set version = version + 1, updated_at = updated_at + 1 where store_id = $1 and list_id = $2";

    // Other merges may have changed it, and were undone.
    RETURN_LIST = "update lists set shopper_id = m.guest_id, ordinal = m.ordinal, archived = m.archived, next_seq = m.next_seq,
                                    updated_at = m.updated_at, changed_by = m.changed_by, version = lists.version + 1, merged = 0
                   from merged_lists m
                   where lists.store_id = $1 and m.store_id = $1 and m.guest_id = $2 and m.list_id = $3 and lists.list_id = $3";
    DELETE_ITEMS = "delete from items where store_id = $1 and list_id = $2";
    DELETE_LIST = "delete from lists where store_id = $1 and list_id = $2";
    RENAME_LIST = "update lists set list_id = $1, record_id = $2, version = version + 1, merged = 0
                   where store_id = $3 and list_id = $4 and shopper_id = $5";
    RENAME_ITEMS = "update items set list_id = $1 where store_id = $2 and list_id = $3";
    RENAME_EDITORS = "update editors set list_id = $1 where store_id = $2 and list_id = $3";
    COPY_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, m.list_id, e.number, e.shopper_id
        from merged_lists m join editors e on e.store_id = m.store_id
        where m.list_id = $1 and m.store_id = $2 and m.guest_id = $3 and e.list_id = $4";
    // New is what the journal does not have. Times do not tell: a comment's may be ahead of the clock.
    RENAME_NEW_COMMENTS = "update comments set list_id = $1 where store_id = $2 and list_id = $3
        and not exists (select 1 from merged_parts p
                        where p.store_id = comments.store_id and p.guest_id = $4 and p.kind = 'comment'
                          and p.list_id = comments.list_id and p.part_id = comments.comment_id)";
    RENAME_NEW_LINKS = "update share_links set list_id = $1 where store_id = $2 and list_id = $3
        and not exists (select 1 from merged_parts p
                        where p.store_id = share_links.store_id and p.guest_id = $4 and p.kind = 'link'
                          and p.list_id = share_links.list_id and p.part_id = share_links.link_id)";
    NEW_LINK = "select k.created_at from share_links k where k.store_id = $1 and k.list_id = $2
        and not exists (select 1 from merged_parts p
                        where p.store_id = k.store_id and p.guest_id = $3 and p.kind = 'link' and p.list_id = k.list_id
                          and p.part_id = k.link_id)
        limit 1";

    UPDATED_AT = "select updated_at from lists where store_id = $1 and list_id = $2";
    REMOVE_UNCHANGED = "delete from items where store_id = $1 and list_id = $2
        and exists (select 1 from merged_items m
                    where m.store_id = items.store_id and m.guest_id = $3 and m.item_id = items.item_id
                      and m.variant_id = items.variant_id and m.list_id = $4 and m.updated_at = items.updated_at)
        and not exists (select 1 from comments c
                        where c.store_id = items.store_id and c.list_id = items.list_id
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
    ITEMS = "select variant_id, item_id from items where store_id = $1 and list_id = $2 order by variant_id";
    RECORDED_ITEMS = "select variant_id, item_id from merged_items where store_id = $1 and guest_id = $2";
    SET_ITEM_ID = "update items set item_id = $1 where store_id = $2 and list_id = $3 and variant_id = $4";
}
