//! Undoing a merge, for as long as its journal is kept: the guest has its lists again as they were, and the shopper
//! keeps what was done since.

use std::collections::HashSet;

use uuid::Uuid;
use wishbone_storage::{FromRow, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, bad_regid};
use crate::identity::guest_sessions;
use crate::identity::profile::{BY_EMAIL, ShopperKey};
use crate::lists::copy;
use crate::lists::row::ListId;
use crate::merging::journal::{
    PURGE_COMMENTS, PURGE_ITEMS, PURGE_LISTS, PURGE_PARTS, UNDO_TIME, guest_regid, item_columns, list_columns,
};
use crate::merging::merge::{self, Participant};
use crate::merging::plan::MergeList;
use crate::moment::{Millis, Moment};
use crate::stores::admin::StoreAdmin;
use crate::tokens::{Keys, Regid, RegidKind, ShopperId};

/// Undoes a merge.
pub struct UndoMerge {
    by: StoreAdmin,
    regid: Regid,
    email: String,
    moment: Moment,
}

impl UndoMerge {
    pub fn new(by: StoreAdmin, keys: &Keys, regid: &str, email: String, moment: Moment) -> Result<Self> {
        let regid = keys.read_regid(regid).filter(|regid| regid.store_id == by.store_id()).ok_or_else(bad_regid)?;
        Ok(Self { by, regid, email, moment })
    }

    /// What the guest calls with again.
    pub fn credentials(&self, keys: &Keys) -> Credentials {
        let epoch = (self.regid.kind == RegidKind::DeviceGuest).then_some(self.regid.generation);
        Credentials::of(keys, self.by.store(), guest_regid(self.by.store(), self.regid.shopper, epoch), 0)
    }
}

/// What the journal says of the merge itself.
struct Journal {
    filled_names: bool,
    subscription_offset: i64,
    merged_at: Millis,
}

impl FromRow for Journal {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { filled_names: row.flag(0)?, subscription_offset: row.int(1)?, merged_at: row.int(2)? })
    }
}

/// What it says of a list, beside how the list is now.
struct JournalList {
    list_id: Uuid,
    into: Option<Uuid>,
    into_version: Option<i64>,
    seq_offset: Option<i64>,
    /// Right after the merge, for one that moved.
    merged_version: Option<i64>,
    /// The journal's list still is the shopper's, with this version.
    version: Option<i64>,
    unarchived: bool,
}

impl FromRow for JournalList {
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

impl Write for UndoMerge {
    const NAME: &'static str = "undo_merge";
    /// How many lists the guest has again; `None` when there is nothing to undo: the guest never was merged, or has been
    /// undone already.
    type Out = Option<i64>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let (store_id, guest_id) = (self.by.store_id(), &self.regid.shopper.0);
        let by_email = [store_id.into(), (&self.email).into()];
        // The shopper before the guest, as a merge locks them.
        let Some(ShopperKey(shopper_id, _)) = tx.first(BY_EMAIL.bind(&by_email)).await? else { return Ok(None) };
        let Some(shopper) = self.lock(tx, &shopper_id).await? else { return Ok(None) };
        let Some(guest) = self.lock(tx, &self.regid.shopper).await? else { return Ok(None) };
        match guest.merged_into {
            None => return Ok(None),
            Some(into) if into != shopper_id => return Err(merge::forbidden()),
            Some(_) => {}
        }
        let key = [store_id.into(), guest_id.into()];
        let journal: Option<Journal> = tx.first(FIND.bind(&key)).await?;
        let journal =
            journal.filter(|journal| self.moment.now - journal.merged_at <= UNDO_TIME).ok_or_else(too_late)?;
        // What the shopper copies from a list that goes back must be complete.
        copy::finish_all(tx, store_id, &shopper_id, self.moment.now).await?;
        let (lists, targets) = self.lock_journal(tx, &shopper_id).await?;
        let mut touched = self.make_room(tx, &lists, &targets, journal.merged_at, &shopper_id).await?;
        touched.extend(targets.iter().map(|target| target.list_id));
        self.restore(tx, &lists, &shopper_id, journal.subscription_offset).await?;
        let counted: Vec<_> = touched.iter().map(|list| [key[0], list.as_bytes().into()]).collect();
        tx.execute_all(&counted.iter().map(|key| COUNT_COMMENTS.bind(key)).collect::<Vec<_>>()).await?;
        let filled = journal.filled_names && shopper.names() == guest.names();
        let (first_name, last_name) = if filled { ("", "") } else { shopper.names() };
        let names = [first_name.into(), last_name.into(), key[0], (&shopper_id.0).into()];
        let undone = [self.moment.now.into(), key[0], key[1]];
        tx.execute_all(&[
            SET_NAMES.bind(&names),
            REVIVE.bind(&undone),
            guest_sessions::DELETE_OF_GUEST.bind(&[key[0], (&shopper_id.0).into(), key[1]]),
            UNDONE.bind(&undone),
            PURGE_LISTS.bind(&key),
            PURGE_ITEMS.bind(&key),
            PURGE_PARTS.bind(&key),
            PURGE_COMMENTS.bind(&key),
        ])
        .await?;
        Ok(Some(i64::try_from(lists.len()).map_err(Error::internal)?))
    }
}

impl UndoMerge {
    async fn lock<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<Option<Participant>> {
        Ok(tx.first(LOCK.bind(&[self.by.store_id().into(), (&shopper.0).into()])).await?)
    }

    /// The lists of the journal, once those of the shopper that it is about are locked.
    async fn lock_journal<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<(Vec<JournalList>, Vec<MergeList>)> {
        let (store_id, guest_id) = (self.by.store_id(), (&self.regid.shopper.0).into());
        let mut ids: Vec<ListId> = tx.rows(TARGETS.bind(&[store_id.into(), guest_id])).await?;
        ids.sort_unstable();
        ids.dedup();
        let targets = merge::lock_lists(tx, store_id, ids).await?;
        let lists: Vec<JournalList> =
            tx.rows(FIND_LISTS.bind(&[(&shopper.0).into(), store_id.into(), guest_id])).await?;
        for list in &lists {
            // A list that moved was nobody's target before; into any other, what came later has the higher offset.
            let (into, offset) = (list.into.unwrap_or(list.list_id), list.seq_offset.unwrap_or(-1));
            let later = [store_id.into(), into.as_bytes().into(), guest_id, offset.into()];
            if tx.first::<i64>(LATER.bind(&later)).await?.is_some() {
                return Err(Error::new(
                    Code::Forbidden,
                    "a later login of this shopper added to the same list: undo that one first (user/merges lists them)",
                ));
            }
        }
        Ok((lists, targets))
    }

    /// Takes from the shopper what goes back. Answers the lists that there are now.
    async fn make_room<T: Tx>(
        &self,
        tx: &mut T,
        lists: &[JournalList],
        targets: &[MergeList],
        merged_at: Millis,
        shopper: &ShopperId,
    ) -> Result<Vec<Uuid>> {
        let (mut ids, mut out) = (0, Vec::new());
        for list in lists {
            out.push(list.list_id);
            match list.into {
                None => out.extend(self.take_back(tx, list, merged_at, shopper, &mut ids).await?),
                // Where all of the other list goes back, there is nothing to take out of it.
                Some(into) if lists.iter().any(|other| other.list_id == into) => {}
                Some(into) => self.take_out(tx, list, into).await?,
            }
        }
        for target in targets {
            self.renew_ids(tx, &target.list_id, &mut ids).await?;
            self.note_untouched(tx, target, lists).await?;
        }
        Ok(out)
    }

    /// Gives the guest what the journal has.
    async fn restore<T: Tx>(
        &self,
        tx: &mut T,
        lists: &[JournalList],
        shopper: &ShopperId,
        subscription_offset: i64,
    ) -> Result<()> {
        let key = [self.by.store_id().into(), (&self.regid.shopper.0).into()];
        let of_shopper = [key[0], (&shopper.0).into()];
        let person = [key[0], key[1], of_shopper[1]];
        let subscriptions = [subscription_offset.into(), key[0], key[1], of_shopper[1]];
        let version = |list: &JournalList| list.version.map(|version| (version + 1, list.list_id));
        let versions: Vec<_> = lists.iter().filter_map(version).collect();
        let versions: Vec<_> =
            versions.iter().map(|(version, list)| [(*version).into(), key[0], list.as_bytes().into()]).collect();
        let mut batch = vec![RESTORE_ITEMS.bind(&key), RESTORE_LISTS.bind(&key)];
        batch.extend(versions.iter().map(|args| SET_VERSION.bind(args)));
        batch.extend(
            [RESTORE_COMMENTS, RESTORE_LINKS, RESTORE_EDITORS, EDITORS_ARE, COUNT_LISTS]
                .map(|statement| statement.bind(&key)),
        );
        batch.extend([
            COMMENTS_BY.bind(&person),
            RESTORE_LOST_COMMENTS.bind(&person[..2]),
            MOVE_SUBSCRIPTIONS.bind(&subscriptions),
            COUNT_LISTS.bind(&of_shopper),
        ]);
        tx.execute_all(&batch).await?;
        Ok(())
    }

    /// A list that moved makes room for what the journal has. If it was changed or shared since, the shopper keeps it
    /// under a new id, which comes back.
    async fn take_back<T: Tx>(
        &self,
        tx: &mut T,
        list: &JournalList,
        merged_at: Millis,
        shopper: &ShopperId,
        ids: &mut usize,
    ) -> Result<Option<Uuid>> {
        let (store_id, id) = (self.by.store_id().into(), list.list_id.into_bytes());
        let Some(version) = list.version else { return Ok(None) };
        let key = [store_id, (&id).into()];
        let shared_at = tx.first::<i64>(SHARED_SINCE.bind(&[key[0], key[1], merged_at.into()])).await?;
        if list.merged_version == Some(version) && shared_at.is_none() {
            tx.execute_all(&[DELETE_ITEMS.bind(&key), DELETE_LIST.bind(&key)]).await?;
            return Ok(None);
        }
        let (new, record) = (self.fresh(ids).into_bytes(), self.fresh(ids).into_bytes());
        let rename = [(&new).into(), store_id, (&id).into()];
        let since = [rename[0], store_id, rename[2], merged_at.into()];
        let keep = [rename[0], (&record).into(), store_id, rename[2], (&shopper.0).into()];
        let editors = [rename[2], store_id, (&self.regid.shopper.0).into(), rename[0]];
        tx.execute_all(&[
            KEEP_LIST.bind(&keep),
            RENAME_ITEMS.bind(&rename),
            RENAME_EDITORS.bind(&rename),
            COPY_EDITORS.bind(&editors),
            RENAME_COMMENTS.bind(&since),
            RENAME_LINKS.bind(&since),
        ])
        .await?;
        let new = Uuid::from_bytes(new);
        self.renew_ids(tx, &new, ids).await?;
        Ok(Some(new))
    }

    /// What came from a list of the guest and was not changed since leaves the shopper's list; the rest stays.
    async fn take_out<T: Tx>(&self, tx: &mut T, list: &JournalList, into: Uuid) -> Result<()> {
        let (store_id, guest_id) = (self.by.store_id().into(), (&self.regid.shopper.0).into());
        let target = [store_id, into.as_bytes().into()];
        let Some(updated_at) = tx.first::<i64>(UPDATED_AT.bind(&target)).await? else { return Ok(()) };
        let gone = tx.execute(TAKE_OUT.bind(&[store_id, target[1], guest_id, list.list_id.as_bytes().into()])).await?;
        let gone = i64::try_from(gone).map_err(Error::internal)?;
        let touched = if gone > 0 { self.moment.after(updated_at) } else { updated_at };
        let save = [gone.into(), touched.into(), list.unarchived.into(), store_id, target[1]];
        tx.execute(SAVE_TARGET.bind(&save)).await?;
        Ok(())
    }

    /// If nothing but this merge changed a list, earlier merges into it must not take its undoing for a change either.
    async fn note_untouched<T: Tx>(&self, tx: &mut T, target: &MergeList, lists: &[JournalList]) -> Result<()> {
        let unions =
            || lists.iter().filter(|list| list.into == Some(target.list_id)).filter_map(|list| list.into_version);
        let (Some(first), Some(last)) = (unions().min(), unions().max()) else { return Ok(()) };
        if target.version != last + 1 {
            return Ok(());
        }
        let count = i64::try_from(unions().count()).map_err(Error::internal)?;
        let (now, store_id, list_id) =
            (target.version + count, self.by.store_id().into(), target.list_id.as_bytes().into());
        let moved = [now.into(), store_id, list_id, first.into()];
        let united = [(now - 1).into(), store_id, list_id, (first - 1).into()];
        tx.execute_all(&[NOTE_MOVED.bind(&moved), NOTE_UNITED.bind(&united)]).await?;
        Ok(())
    }

    /// Items that both keep get ids of their own on the shopper's side. They are matched here and not in a join, which
    /// an engine without statistics of a new journal would run once for each pair.
    async fn renew_ids<T: Tx>(&self, tx: &mut T, list: &Uuid, ids: &mut usize) -> Result<()> {
        let (store_id, list_id) = (self.by.store_id().into(), list.as_bytes().into());
        let kept: Vec<ItemKey> = tx.rows(ITEMS.bind(&[store_id, list_id])).await?;
        let journal: Vec<ItemKey> = tx.rows(JOURNAL_ITEMS.bind(&[store_id, (&self.regid.shopper.0).into()])).await?;
        let journal: HashSet<Uuid> = journal.into_iter().map(|item| item.item_id).collect();
        let shared = kept.iter().filter(|item| journal.contains(&item.item_id));
        let fresh: Vec<_> = shared.map(|item| (self.fresh(ids), item.variant_id)).collect();
        let renewed: Vec<_> =
            fresh.iter().map(|(id, variant)| [id.as_bytes().into(), store_id, list_id, (*variant).into()]).collect();
        tx.execute_all(&renewed.iter().map(|args| RENEW_ID.bind(args)).collect::<Vec<_>>()).await?;
        Ok(())
    }

    fn fresh(&self, ids: &mut usize) -> Uuid {
        *ids += 1;
        self.moment.id(*ids)
    }
}

fn too_late() -> Error {
    Error::new(Code::Forbidden, "this login is more than 30 days ago: it cannot be undone any more")
}

statements! {
    LOCK = "update shoppers set generation = generation where store_id = $1 and shopper_id = $2
            returning next_list, next_subscription, first_name, last_name, merged_into";
    FIND = "select filled_names, subscription_offset, merged_at from merges
            where store_id = $1 and guest_id = $2 and undone_at is null";
    TARGETS = "select coalesce(into_id, list_id) from merged_lists where store_id = $1 and guest_id = $2";
    LATER = "select seq_offset from merged_lists
             where store_id = $1 and into_id = $2 and guest_id <> $3 and seq_offset > $4
             order by seq_offset desc nulls last limit 1";
    FIND_LISTS = "select m.list_id, m.into_id, m.merged_version, l.version, m.unarchived, m.seq_offset, m.into_version
        from merged_lists m
        left join lists l on l.store_id = m.store_id and l.list_id = m.list_id and l.shopper_id = $1
        where m.store_id = $2 and m.guest_id = $3 order by m.ordinal";

    DELETE_ITEMS = "delete from items where store_id = $1 and list_id = $2";
    DELETE_LIST = "delete from lists where store_id = $1 and list_id = $2";
    KEEP_LIST = "update lists set list_id = $1, record_id = $2, version = version + 1
                 where store_id = $3 and list_id = $4 and shopper_id = $5";
    RENAME_ITEMS = "update items set list_id = $1 where store_id = $2 and list_id = $3";
    RENAME_EDITORS = "update editors set list_id = $1 where store_id = $2 and list_id = $3";
    COPY_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, m.list_id, e.number, e.shopper_id
        from merged_lists m join editors e on e.store_id = m.store_id
        where m.list_id = $1 and m.store_id = $2 and m.guest_id = $3 and e.list_id = $4";
    RENAME_COMMENTS = "update comments set list_id = $1 where store_id = $2 and list_id = $3 and created_at > $4";
    SHARED_SINCE = "select created_at from share_links where store_id = $1 and list_id = $2 and created_at >= $3 limit 1";
    RENAME_LINKS = "update share_links set list_id = $1 where store_id = $2 and list_id = $3 and created_at >= $4";

    UPDATED_AT = "select updated_at from lists where store_id = $1 and list_id = $2";
    TAKE_OUT = "delete from items where store_id = $1 and list_id = $2
                  and exists (select 1 from merged_items m
                              where m.store_id = items.store_id and m.guest_id = $3 and m.item_id = items.item_id
                                and m.variant_id = items.variant_id and m.list_id = $4
                                and m.updated_at = items.updated_at)";
    SAVE_TARGET = "update lists set item_count = item_count - $1, updated_at = $2, version = version + 1,
                                    archived = case when $3 = 1 then 1 else archived end
                   where store_id = $4 and list_id = $5";
    NOTE_MOVED = "update merged_lists set merged_version = $1
                  where store_id = $2 and list_id = $3 and merged_version = $4
                    and guest_id in (select m.guest_id from merged_lists m where m.store_id = $2 and m.list_id = $3)";
    NOTE_UNITED = "update merged_lists set into_version = $1
                   where store_id = $2 and into_id = $3 and into_version = $4
                     and guest_id in (select m.guest_id from merged_lists m where m.store_id = $2 and m.into_id = $3)";
    ITEMS = "select variant_id, item_id from items where store_id = $1 and list_id = $2 order by variant_id";
    JOURNAL_ITEMS = "select variant_id, item_id from merged_items where store_id = $1 and guest_id = $2";
    RENEW_ID = "update items set item_id = $1 where store_id = $2 and list_id = $3 and variant_id = $4";

    RESTORE_ITEMS = concat!("insert into items (store_id, list_id, ", item_columns!(), ")
        select store_id, list_id, ", item_columns!(), " from merged_items m
        where store_id = $1 and guest_id = $2
          and not exists (select 1 from lists l where l.store_id = m.store_id and l.list_id = m.list_id)");
    RESTORE_LISTS = concat!("insert into lists (store_id, shopper_id, list_id, ", list_columns!(), ")
        select store_id, guest_id, list_id, ", list_columns!(), " from merged_lists m
        where store_id = $1 and guest_id = $2
          and not exists (select 1 from lists l where l.store_id = m.store_id and l.list_id = m.list_id)");
    RESTORE_COMMENTS = "update comments set list_id = p.list_id
        from merged_parts p, merged_lists m
        where p.store_id = comments.store_id and p.kind = 'comment' and p.number = comments.variant_id
          and p.part_id = comments.comment_id
          and m.store_id = p.store_id and m.guest_id = p.guest_id and m.list_id = p.list_id
          and comments.list_id = m.into_id and comments.store_id = $1 and p.guest_id = $2";
    RESTORE_LINKS = "update share_links set list_id = p.list_id
        from merged_parts p, merged_lists m
        where p.store_id = share_links.store_id and p.kind = 'link' and p.part_id = share_links.link_id
          and m.store_id = p.store_id and m.guest_id = p.guest_id and m.list_id = p.list_id
          and share_links.list_id = m.into_id and share_links.store_id = $1 and p.guest_id = $2";
    // Nobody who saw the list in the meantime may take it for what it was then.
    SET_VERSION = "update lists set version = $1 where store_id = $2 and list_id = $3";
    // The shopper's list keeps them too, for what stays there.
    RESTORE_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, m.list_id, e.number - m.editor_offset, e.shopper_id
        from merged_lists m
        join editors e on e.store_id = m.store_id and e.list_id = m.into_id
             and e.number >= m.editor_offset and e.number < m.editor_offset + m.editor_count
        where m.store_id = $1 and m.guest_id = $2";
    COMMENTS_BY = "update comments set shopper_id = p.guest_id
        from merged_parts p
        where p.store_id = comments.store_id and p.kind = 'comment by' and p.list_id = comments.list_id
          and p.number = comments.variant_id and p.part_id = comments.comment_id and comments.store_id = $1
          and p.guest_id = $2 and comments.shopper_id = $3";
    EDITORS_ARE = "update editors set shopper_id = p.guest_id
        from merged_parts p
        where p.store_id = editors.store_id and p.kind = 'editor' and p.list_id = editors.list_id
          and p.number = editors.number and editors.store_id = $1 and p.guest_id = $2";
    MOVE_SUBSCRIPTIONS = "update subscriptions set shopper_id = p.guest_id, ordinal = ordinal - $1
        from merged_parts p
        where p.store_id = subscriptions.store_id and p.kind = 'subscription' and p.part_id = subscriptions.subscription_id
          and subscriptions.store_id = $2 and p.guest_id = $3 and subscriptions.shopper_id = $4";
    RESTORE_LOST_COMMENTS = "insert into comments (store_id, list_id, variant_id, created_at, comment_id, shopper_id, name, text)
        select m.store_id, m.list_id, m.variant_id, m.created_at, m.comment_id, m.shopper_id, m.name, m.text
        from merged_comments m
        where m.store_id = $1 and m.guest_id = $2
          and not exists (select 1 from comments c where c.store_id = m.store_id and c.list_id = m.list_id
                                                     and c.comment_id = m.comment_id)";
    COUNT_COMMENTS = "update lists set comment_count = (select count(*) from comments c
                                                        where c.store_id = lists.store_id and c.list_id = lists.list_id)
                      where store_id = $1 and list_id = $2";
    COUNT_LISTS = "update shoppers set list_count = (select count(*) from lists l
                                                     where l.store_id = shoppers.store_id
                                                       and l.shopper_id = shoppers.shopper_id)
                   where store_id = $1 and shopper_id = $2";
    SET_NAMES = "update shoppers set first_name = $1, last_name = $2 where store_id = $3 and shopper_id = $4";
    // It counts as a visit: the guest does not expire for having been away as the shopper.
    REVIVE = "update shoppers set merged_into = null, updated_at = $1, seen_at = $1 where store_id = $2 and shopper_id = $3";
    UNDONE = "update merges set undone_at = $1 where store_id = $2 and guest_id = $3";
}
