//! The journal of merges: the guest's data before the merge, kept while the merge can be undone.

use uuid::Uuid;
use wishbone_storage::{Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Credentials;
use crate::identity::profile::{BY_EMAIL, ShopperKey};
use crate::merging::plan::MergeList;
use crate::moment::{DAY, Millis};
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::StoreRecord;
use crate::tokens::{Keys, Regid, RegidKind, ShopperId};

/// How long a merge can be undone.
pub const UNDO_TIME: Millis = 30 * DAY;

/// Rows of a table that are deleted from the journal at once.
const PURGED_ROWS: i64 = 1_000;

/// A merge to be recorded.
pub(crate) struct NewMerge {
    pub(crate) shopper: ShopperId,
    pub(crate) fills_names: bool,
    pub(crate) subscription_offset: i64,
    pub(crate) merged_at: Millis,
}

/// Begins the journal of a merge.
pub(crate) async fn write<T: Tx>(tx: &mut T, guest: &Regid, merge: &NewMerge) -> Result<()> {
    let merge = [
        guest.store_id.into(),
        (&guest.shopper.0).into(),
        (&merge.shopper.0).into(),
        device_epoch(guest).into(),
        merge.fills_names.into(),
        merge.subscription_offset.into(),
        merge.merged_at.into(),
    ];
    tx.execute(MERGE.bind(&merge)).await?;
    Ok(())
}

/// Prepares the journal for more lists of a guest who is merged already. The time in which the merge can be undone begins
/// again, unless it is over: then a part of the journal may be deleted already. Returns the offset of subscriptions, which is
/// `next_subscription` if the journal begins anew.
pub(crate) async fn resume<T: Tx>(
    tx: &mut T,
    guest: &Regid,
    shopper: &ShopperId,
    next_subscription: i64,
    now: Millis,
) -> Result<i64> {
    let key = [guest.store_id.into(), (&guest.shopper.0).into()];
    let merge = [key[0], key[1], (&shopper.0).into(), device_epoch(guest).into(), next_subscription.into(), now.into()];
    tx.execute_all(&[RESUME.bind(&merge), RENEW.bind(&[now.into(), key[0], key[1], (now - UNDO_TIME).into()])]).await?;
    Ok(tx.first(OFFSET.bind(&key)).await?.unwrap_or(next_subscription))
}

fn device_epoch(guest: &Regid) -> Option<i64> {
    (guest.kind == RegidKind::DeviceGuest).then_some(guest.generation)
}

/// Records lists of the guest before they change, except items: those of lists that move are recorded when they first change,
/// those of the others when they are united.
pub(crate) async fn record<'a, T: Tx>(tx: &mut T, store_id: i64, lists: impl Iterator<Item = &'a Uuid>) -> Result<()> {
    let keys: Vec<_> = lists.map(|list| [store_id.into(), list.as_bytes().into()]).collect();
    let statements = [LIST, COMMENTS, COMMENT_CONTENTS, LINKS];
    let batch: Vec<Bound<'_>> = keys.iter().flat_map(|key| statements.map(|statement| statement.bind(key))).collect();
    tx.execute_all(&batch).await?;
    Ok(())
}

/// The union of a list of the guest with one of the shopper.
pub(crate) struct ListUnion<'a> {
    pub(crate) list: &'a Uuid,
    /// The shopper's list before the union.
    pub(crate) into: &'a MergeList,
    pub(crate) editor_offset: i64,
    pub(crate) editor_count: i64,
    pub(crate) unarchives: bool,
}

pub(crate) async fn record_union<T: Tx>(
    tx: &mut T,
    store_id: i64,
    guest: &ShopperId,
    union: &ListUnion<'_>,
) -> Result<()> {
    let args = [
        union.into.list_id.as_bytes().into(),
        union.into.version.into(),
        union.into.next_seq.into(),
        union.editor_offset.into(),
        union.editor_count.into(),
        union.unarchives.into(),
        (union.into.version + 1).into(),
        store_id.into(),
        (&guest.0).into(),
        union.list.as_bytes().into(),
    ];
    tx.execute(RECORD_UNION.bind(&args)).await?;
    Ok(())
}

/// Lists the merges of a shopper that can be undone or have been undone, newest first.
pub struct ListMerges {
    pub by: StoreAdmin,
    pub email: String,
}

#[derive(Debug)]
pub struct MergeRow {
    guest: ShopperId,
    device_epoch: Option<i64>,
    pub merged_at: Millis,
    pub undone_at: Option<Millis>,
    pub lists: i64,
    pub items: i64,
    /// Lists that stay with the guest, because the shopper has no room.
    pub left_lists: i64,
}

impl FromRow for MergeRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            guest: ShopperId::from_slice(row.blob(0)?)?,
            device_epoch: row.opt_int(1)?,
            merged_at: row.int(2)?,
            undone_at: row.opt_int(3)?,
            lists: row.int(4)?,
            items: row.int(5)?,
            left_lists: row.opt_int(6)?.unwrap_or(0),
        })
    }
}

impl MergeRow {
    /// The guest's credentials, which work again once the merge is undone.
    pub fn credentials(&self, keys: &Keys, by: &StoreAdmin) -> Credentials {
        Credentials::of(keys, by.store(), guest_regid(by.store(), self.guest, self.device_epoch), 0)
    }
}

/// A browser's regid gets the store's present generation: its former one may be revoked.
pub(crate) fn guest_regid(store: &StoreRecord, shopper: ShopperId, device_epoch: Option<i64>) -> Regid {
    let (kind, generation) = match device_epoch {
        Some(epoch) => (RegidKind::DeviceGuest, epoch),
        None => (RegidKind::BrowserGuest, store.generation),
    };
    Regid { kind, store_id: store.store_id, shopper, generation }
}

impl Read for ListMerges {
    const NAME: &'static str = "list_merges";
    type Out = Vec<MergeRow>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let store_id = self.by.store_id();
        let shopper: Option<ShopperKey> = query.first(BY_EMAIL.bind(&[store_id.into(), (&self.email).into()])).await?;
        let Some(ShopperKey(shopper, _)) = shopper else { return Ok(Vec::new()) };
        Ok(query.rows(OF_SHOPPER.bind(&[store_id.into(), (&shopper.0).into()])).await?)
    }
}

/// Deletes an old journal entry of a store, or a part of it.
pub struct PurgeMerges {
    pub by: Operator,
    pub store_id: i64,
    pub before: Millis,
}

impl Write for PurgeMerges {
    const NAME: &'static str = "purge_merges";
    /// False if there is nothing left.
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let args = [self.store_id.into(), self.before.into()];
        let Some(guest) = tx.first::<ShopperId>(EXPIRED.bind(&args)).await? else { return Ok(false) };
        // The guest may have logged in again since.
        let locked: Option<ShopperId> = tx.first(LOCK_EXPIRED.bind(&[args[0], (&guest.0).into(), args[1]])).await?;
        purge(tx, self.store_id, locked).await?;
        Ok(true)
    }
}

/// Deletes a journal entry of a guest of a shopper, or a part of it. Returns false if there is nothing left.
pub(crate) async fn purge_guests_of<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId) -> Result<bool> {
    let args = [store_id.into(), (&shopper.0).into()];
    let Some(guest) = tx.first::<ShopperId>(GUEST_OF.bind(&args)).await? else { return Ok(false) };
    let locked: Option<ShopperId> = tx.first(LOCK_GUEST_OF.bind(&[args[0], (&guest.0).into(), args[1]])).await?;
    purge(tx, store_id, locked).await?;
    Ok(true)
}

/// Finds the guests who were merged into a shopper and have lists for which there was no room.
pub(crate) async fn guests_with_lists<Q: Query>(
    query: &mut Q,
    store_id: i64,
    shopper: &ShopperId,
) -> Result<Vec<ShopperId>> {
    Ok(query.rows(GUESTS_WITH_LISTS.bind(&[store_id.into(), (&shopper.0).into()])).await?)
}

/// Finds the guests who were merged into a shopper.
pub(crate) async fn guests_of<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<Vec<ShopperId>> {
    Ok(query.rows(GUESTS.bind(&[store_id.into(), (&shopper.0).into()])).await?)
}

/// Ends the time in which merges into a shopper can be undone, before their lists are erased.
pub(crate) async fn expire<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId) -> Result<()> {
    tx.execute(EXPIRE.bind(&[store_id.into(), (&shopper.0).into()])).await?;
    Ok(())
}

/// Deletes a guest's journal entry and personal data, in several steps if that is much. The guest's row stays, since it keeps the
/// regid retired.
async fn purge<T: Tx>(tx: &mut T, store_id: i64, guest: Option<ShopperId>) -> Result<()> {
    let Some(guest) = guest else { return Ok(()) };
    let key = [store_id.into(), (&guest.0).into()];
    // An undo may have begun just before.
    if tx.first::<i64>(IS_BEING_UNDONE.bind(&key)).await?.is_some() {
        return Ok(());
    }
    let some = [key[0], key[1], PURGED_ROWS.into()];
    let counts = tx.execute_all(&[PURGE_ITEMS, PURGE_PARTS, PURGE_COMMENTS].map(|sql| sql.bind(&some))).await?;
    let limit = u64::try_from(PURGED_ROWS).map_err(Error::internal)?;
    if counts.iter().all(|count| *count < limit) {
        tx.execute_all(&[UNMARK_LISTS, PURGE, PURGE_LISTS, PURGE_NAMES].map(|sql| sql.bind(&key))).await?;
    }
    Ok(())
}

/// The columns of a list in the journal: all but its key and owner.
macro_rules! list_columns {
    () => {
        "ordinal, record_id, type, name, note, description, properties, public, archived, copying, device, item_count,
         comment_count, next_seq, version, created_at, updated_at, changed_by"
    };
}
pub(crate) use list_columns;

/// The kinds of rows of `merged_parts`.
pub(crate) const PART_KINDS: [&str; 5] = ["comment", "link", "comment by", "editor", "subscription"];

/// A list of a guest that was merged.
pub struct MergedList {
    pub list_id: Uuid,
    /// The shopper's list that it was united with.
    pub into: Option<Uuid>,
    /// The name of the list that has its items now.
    pub name: String,
    /// The number of items that it had.
    pub items: i64,
}

impl FromRow for MergedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let into = row.opt_blob(1)?.map(Uuid::from_slice).transpose().map_err(wishbone_storage::Error::bug)?;
        Ok(Self { list_id: uuid(row, 0)?, into, name: row.text(2)?.to_owned(), items: row.int(3)? })
    }
}

/// Finds what a merge has made of a guest's lists, without those that were deleted since.
pub(crate) struct FindMergedLists {
    pub(crate) store_id: i64,
    pub(crate) guest: ShopperId,
}

impl Read for FindMergedLists {
    const NAME: &'static str = "find_merged_lists";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<MergedList>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(MERGED_LISTS.bind(&[self.store_id.into(), (&self.guest.0).into()])).await?)
    }
}

statements! {
    MERGED_LISTS = "select m.list_id, m.into_id, l.name, m.item_count
                    from merged_lists m join lists l on l.list_id = coalesce(m.into_id, m.list_id)
                    where m.store_id = $1 and l.store_id = $1 and m.guest_id = $2 order by m.ordinal";
    GUESTS = "select shopper_id from shoppers where store_id = $1 and merged_into = $2 order by shoppers.shopper_id";
    GUESTS_WITH_LISTS = "select shopper_id from shoppers
                         where store_id = $1 and list_count > 0
                           and shopper_id in (select g.shopper_id from shoppers g
                                              where g.store_id = $1 and g.merged_into = $2)
                         order by shoppers.shopper_id";
    GUEST_OF = "select guest_id from merges where store_id = $1 and shopper_id = $2 limit 1";
    PURGE_NAMES = "update shoppers set first_name = '', last_name = '', language = null, region = null
                    where store_id = $1 and shopper_id = $2 and merged_into is not null";
    MERGE = "insert into merges (store_id, guest_id, shopper_id, device_epoch, filled_names, subscription_offset,
                                   merged_at, item_count)
               values ($1, $2, $3, $4, $5, $6, $7, 0)
               on conflict (store_id, guest_id) do update set
                 shopper_id = excluded.shopper_id, device_epoch = excluded.device_epoch,
                 filled_names = excluded.filled_names, subscription_offset = excluded.subscription_offset,
                 merged_at = excluded.merged_at, item_count = excluded.item_count, undone_at = null";
    RESUME = "insert into merges (store_id, guest_id, shopper_id, device_epoch, filled_names, subscription_offset,
                                  merged_at, item_count)
              values ($1, $2, $3, $4, 0, $5, $6, 0) on conflict (store_id, guest_id) do nothing";
    OFFSET = "select subscription_offset from merges where store_id = $1 and guest_id = $2";
    RENEW = "update merges set merged_at = $1 where store_id = $2 and guest_id = $3 and merged_at >= $4";
    LIST = concat!("insert into merged_lists (store_id, guest_id, list_id, ", list_columns!(), ")
        select store_id, shopper_id, list_id, ", list_columns!(), " from lists where store_id = $1 and list_id = $2");
    COMMENTS = "insert into merged_parts (store_id, guest_id, kind, list_id, part_id, number)
        select c.store_id, g.shopper_id, 'comment', c.list_id, c.comment_id, c.variant_id
        from comments c join lists g on g.store_id = $1 and g.list_id = c.list_id
        where c.store_id = $1 and c.list_id = $2";
    LINKS = "insert into merged_parts (store_id, guest_id, kind, list_id, part_id, number)
        select k.store_id, g.shopper_id, 'link', k.list_id, k.link_id, 0
        from share_links k join lists g on g.store_id = $1 and g.list_id = k.list_id
        where k.store_id = $1 and k.list_id = $2";
    // With their contents, since the shopper may delete them before the undo.
    COMMENT_CONTENTS = "insert into merged_comments (store_id, guest_id, list_id, comment_id, variant_id, created_at, shopper_id, name, text)
        select c.store_id, g.shopper_id, c.list_id, c.comment_id, c.variant_id, c.created_at, c.shopper_id, c.name, c.text
        from comments c join lists g on g.store_id = $1 and g.list_id = c.list_id
        where c.store_id = $1 and c.list_id = $2";
    RECORD_UNION = "update merged_lists set into_id = $1, into_version = $2, seq_offset = $3, editor_offset = $4,
                                          editor_count = $5, unarchived = $6, merged_version = $7
                  where store_id = $8 and guest_id = $9 and list_id = $10";
    // The list that it was united with does not exist any more. What went there is in the journal, the rest moves.
    pub(crate) FORGET_UNION = "update merged_lists set into_id = null, into_version = null, seq_offset = null,
                                 editor_offset = null, editor_count = null, unarchived = null, merged_version = null,
                                 next_seq = l.next_seq
                               from lists l
                               where l.store_id = $1 and l.list_id = merged_lists.list_id
                                 and merged_lists.store_id = $1 and merged_lists.guest_id = $2 and merged_lists.list_id = $3";
    pub(crate) RECORD_VERSION = "update merged_lists set merged_version = l.version
                    from lists l
                    where l.store_id = $1 and l.list_id = merged_lists.list_id
                      and merged_lists.store_id = $1 and merged_lists.guest_id = $2 and merged_lists.list_id = $3";

    OF_SHOPPER = "select m.guest_id, m.device_epoch, m.merged_at, m.undone_at,
               (select count(*) from merged_lists l where l.store_id = $1 and l.guest_id = m.guest_id),
               m.item_count,
               (select s.list_count from shoppers s where s.store_id = $1 and s.shopper_id = m.guest_id and s.merged_into = $2)
        from merges m where m.store_id = $1 and m.shopper_id = $2 order by m.merged_at desc, m.guest_id limit 100";
    // Items that are still being united are in the journal only by their list.
    EXPIRED = "select j.guest_id from merges j
               where j.store_id = $1 and j.merged_at < $2
                 and not exists (select 1 from unions u
                                 where u.store_id = $1 and u.shopper_id = j.shopper_id and u.guest_id = j.guest_id)
                 and not exists (select 1 from undos u where u.store_id = $1 and u.guest_id = j.guest_id)
               order by j.merged_at limit 1";
    LOCK_EXPIRED = "update merges set undone_at = undone_at where store_id = $1 and guest_id = $2 and merged_at < $3 returning guest_id";
    LOCK_GUEST_OF = "update merges set undone_at = undone_at where store_id = $1 and guest_id = $2 and shopper_id = $3 returning guest_id";
    EXPIRE = "update merges set merged_at = 0
              where store_id = $1 and shopper_id = $2
                and guest_id in (select j.guest_id from merges j where j.store_id = $1 and j.shopper_id = $2)";
    IS_BEING_UNDONE = "select 1 from undos where store_id = $1 and guest_id = $2";
    UNMARK_LISTS = "update lists set merged = 0
                    where store_id = $1 and list_id in (select m.list_id from merged_lists m
                                                        where m.store_id = $1 and m.guest_id = $2 and m.into_id is null)";
    PURGE = "delete from merges where store_id = $1 and guest_id = $2";
    PURGE_LISTS = "delete from merged_lists where store_id = $1 and guest_id = $2";
    PURGE_ITEMS = "delete from merged_items
        where store_id = $1 and guest_id = $2 and (list_id, added_at, seq) in (
          select i.list_id, i.added_at, i.seq from merged_items i
          where i.store_id = $1 and i.guest_id = $2 order by i.list_id, i.added_at, i.seq limit $3)";
    pub(crate) PURGE_PARTS = "delete from merged_parts
        where store_id = $1 and guest_id = $2 and (kind, list_id, part_id, number) in (
          select p.kind, p.list_id, p.part_id, p.number from merged_parts p
          where p.store_id = $1 and p.guest_id = $2 order by p.kind, p.list_id, p.part_id, p.number limit $3)";
    PURGE_COMMENTS = "delete from merged_comments
        where store_id = $1 and guest_id = $2 and (list_id, comment_id) in (
          select c.list_id, c.comment_id from merged_comments c
          where c.store_id = $1 and c.guest_id = $2 order by c.list_id, c.comment_id limit $3)";
}
