//! The union of a guest's list with one of the shopper. A short list is united by the merge itself; the items of a long one
//! move in small transactions: any node can resume, and no item is moved twice. An undo renames long lists in the same way.

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::lists::changes::{self, ChangeKind};
use crate::lists::copy::{self, BATCH};
use crate::lists::delete;
use crate::lists::item_members;
use crate::lists::merge_journal::{self, END, item_columns};
use crate::lists::row::{self, ListId, ListRow};
use crate::lists::wishes::{self, Changes};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;

/// A list of a guest that is being united.
#[derive(Clone, Copy, Debug)]
pub struct PendingUnion {
    pub(crate) store_id: i64,
    pub(crate) list_id: Uuid,
}

impl FromRow for PendingUnion {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id: row.int(0)?, list_id: uuid(row, 1)? })
    }
}

/// Finds pending unions of a store.
pub struct FindUnions {
    pub by: Operator,
    pub store_id: i64,
    pub limit: i64,
}

impl Read for FindUnions {
    const NAME: &'static str = "find_unions";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<PendingUnion>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(PENDING.bind(&[self.store_id.into(), self.limit.into()])).await?)
    }
}

/// Moves the next items of a pending union, or of an earlier one with the same list.
pub struct UniteItems {
    pub union: PendingUnion,
    pub moment: Moment,
}

impl Write for UniteItems {
    const NAME: &'static str = "unite_items";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let PendingUnion { store_id, list_id } = self.union;
        let key = [store_id.into(), list_id.as_bytes().into()];
        // A concurrent call waits here for the first, then continues with what is left.
        let Some(Union { guest, into, renames }) = tx.first(LOCK.bind(&key)).await? else {
            return Ok(());
        };
        // Of two items of a variant the first takes precedence, so lists are united one after the other.
        let first: Option<ListId> = tx.first(FIRST.bind(&[key[0], into.as_bytes().into(), (&guest.0).into()])).await?;
        let ListId(list_id) = first.unwrap_or(ListId(list_id));
        let key = [key[0], list_id.as_bytes().into()];
        if tx.first::<Union>(LOCK.bind(&key)).await?.is_none() {
            return Ok(());
        }
        merge_journal::lock(tx, &key).await?;
        let boundary = delete::boundary(tx, &key, BATCH).await?;
        let union = [key[0], (&guest.0).into(), key[1]];
        // If the shopper has deleted the list, the items are only recorded.
        let target: Option<ListRow> = tx.first(row::LOCK.bind(&[key[0], into.as_bytes().into()])).await?;
        let (before, has_target) = (boundary.unwrap_or(END), target.is_some());
        let united = match renames {
            false => move_items(tx, &union, before, has_target).await?,
            true => rename_items(tx, &key, target.as_ref().map(|list| &list.list_id), before, &self.moment).await?,
        };
        if boundary.is_none() {
            tx.execute(FINISH.bind(&key)).await?;
            // A list that is renamed by an undo stays marked until the undo restores it.
            if !renames {
                tx.execute(delete::UNMARK_DELETED.bind(&key)).await?;
            }
        }
        if let Some(target) = target {
            self.save(tx, &guest, target, united).await?;
        }
        Ok(())
    }
}

impl UniteItems {
    /// Counts the items, as a change by the merge and not by the shopper.
    async fn save<T: Tx>(&self, tx: &mut T, guest: &ShopperId, mut target: ListRow, united: i64) -> Result<()> {
        let store_id = self.union.store_id;
        let into = [store_id.into(), target.list_id.as_bytes().into()];
        let former = target.version;
        target.item_count += united;
        target.version += 1;
        target.updated_at = self.moment.after(target.updated_at);
        target.copying = tx.first::<i64>(OF_TARGET.bind(&into)).await?.is_some();
        copy::save(tx, store_id, &target).await?;
        let versions = [target.version.into(), into[0], (&guest.0).into(), into[1], former.into()];
        tx.execute(RECORD_VERSION.bind(&versions)).await?;
        changes::record(tx, store_id, ChangeKind::Updated, &target).await?;
        if !target.copying
            && let Some(mut events) = copy::events_of(tx, store_id, &target).await?
        {
            let record = events.list_record(&target);
            events.add(EventType::ListUpdated, &target, record);
            events.save(tx, &self.moment).await?;
        }
        Ok(())
    }
}

struct Union {
    guest: ShopperId,
    into: Uuid,
    renames: bool,
}

impl FromRow for Union {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { guest: ShopperId::from_slice(row.blob(0)?)?, into: uuid(row, 1)?, renames: row.flag(2)? })
    }
}

/// Records the items of a list before a time and number, and moves them to the renamed list, if it exists, under the ids of
/// `ids`: the recorded ones keep theirs. Returns how many have moved.
pub(crate) async fn rename_items<T: Tx>(
    tx: &mut T,
    list: &[Arg<'_>; 2],
    renamed: Option<&Uuid>,
    before: (Millis, i64),
    ids: &Moment,
) -> Result<i64> {
    let [store_id, list_id] = *list;
    let items = [store_id, list_id, before.0.into(), before.1.into()];
    merge_journal::record_before(tx, list, before).await?;
    wishes::subtract(tx, list, before).await?;
    let mut moved = 0;
    if let Some(renamed) = renamed {
        let variants: Vec<RenamedItem> = tx.rows(VARIANTS.bind(&items)).await?;
        let ids: Vec<String> = (0..variants.len()).map(|number| item_members::encoded_id(&ids.id(number))).collect();
        let rows: Vec<_> = ids
            .iter()
            .zip(&variants)
            .map(|(id, item)| [renamed.as_bytes().into(), id.into(), store_id, list_id, item.variant_id.into()])
            .collect();
        let counts = tx.execute_all(&rows.iter().map(|row| RENAME.bind(row)).collect::<Vec<_>>()).await?;
        moved = i64::try_from(counts.iter().sum::<u64>()).map_err(Error::internal)?;
        let mut changes = Changes::new();
        for (item, _) in variants.iter().zip(counts).filter(|(_, count)| *count > 0) {
            *changes.entry(item.product_id).or_default() += 1;
        }
        wishes::apply(tx, store_id, renamed.as_bytes(), &changes).await?;
    }
    tx.execute(delete::DELETE_BEFORE.bind(&items)).await?;
    Ok(moved)
}

struct RenamedItem {
    variant_id: i64,
    product_id: i64,
}

impl FromRow for RenamedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, product_id: row.int(1)? })
    }
}

/// Records the items of a guest's list before a time and number, and moves them to the list of the shopper, if it exists.
/// `union` is the store, the guest and the list. Returns how many items the shopper's list did not have.
pub(crate) async fn move_items<T: Tx>(
    tx: &mut T,
    union: &[Arg<'_>; 3],
    before: (Millis, i64),
    has_target: bool,
) -> Result<i64> {
    let [store_id, guest, list] = *union;
    let items = [store_id, guest, list, before.0.into(), before.1.into()];
    tx.execute(RECORD.bind(&items)).await?;
    let united = if has_target { tx.execute_all(&[ADD_WISHES.bind(&items), UNITE.bind(&items)]).await?[1] } else { 0 };
    delete::delete_items(tx, &[store_id, list], before).await?;
    i64::try_from(united).map_err(Error::internal)
}

statements! {
    PENDING = "select store_id, list_id from unions where store_id = $1 order by list_id limit $2";
    pub(crate) OF_SHOPPER = "select store_id, list_id from unions where store_id = $1 and shopper_id = $2";
    OF_TARGET = "select 1 from unions where store_id = $1 and into_id = $2 limit 1";
    pub(crate) START = "insert into unions (store_id, list_id, guest_id, shopper_id, into_id) values ($1, $2, $3, $4, $5)";
    pub(crate) START_RENAME = "insert into unions (store_id, list_id, guest_id, shopper_id, into_id, renames)
                               values ($1, $2, $3, $4, $5, 1)";
    LOCK = "update unions set guest_id = guest_id where store_id = $1 and list_id = $2 returning guest_id, into_id, renames";
    FIRST = "select m.list_id from merged_lists m
             where m.store_id = $1 and m.into_id = $2 and m.guest_id = $3
               and exists (select 1 from unions u where u.store_id = $1 and u.list_id = m.list_id)
             order by m.seq_offset nulls last limit 1";
    FINISH = "delete from unions where store_id = $1 and list_id = $2";
    RECORD = concat!("insert into merged_items (store_id, guest_id, list_id, ", item_columns!(""), ")
        select m.store_id, m.guest_id, m.list_id, ", item_columns!("i."), "
        from merged_lists m join items i on i.store_id = m.store_id and i.list_id = m.list_id
        where m.store_id = $1 and i.store_id = $1 and m.guest_id = $2 and m.list_id = $3 and i.list_id = $3
          and (i.added_at, i.seq) < ($4, $5)");
    // The same items as in [`UNITE`].
    ADD_WISHES = "insert into wishes (store_id, wisher, product_id, person, items)
        select t.store_id, t.wished_by, i.product_id, t.shopper_id, count(*)
        from merged_lists m join items i on i.store_id = m.store_id and i.list_id = m.list_id
             join lists t on t.store_id = m.store_id and t.list_id = m.into_id
        where m.store_id = $1 and i.store_id = $1 and t.store_id = $1 and m.guest_id = $2 and m.list_id = $3 and i.list_id = $3
          and (i.added_at, i.seq) < ($4, $5) and t.wished_by is not null
          and not exists (select 1 from items o
                          where o.store_id = $1 and o.list_id = m.into_id and o.variant_id = i.variant_id)
        group by t.store_id, t.wished_by, i.product_id, t.shopper_id order by i.product_id
        on conflict (store_id, wisher, product_id) do update set items = wishes.items + excluded.items";
    // The shopper's item of a variant takes precedence. An offset keeps the numbers of the items distinct. Who has edited a
    // list only after it was recorded has no number there: 0 is an anonymous editor.
    UNITE = concat!("insert into items (store_id, list_id, ", item_columns!(""), ")
        select m.store_id, m.into_id, i.added_at, i.seq + m.seq_offset, i.members, i.variant_id, i.product_id,
               coalesce(i.device, m.device), i.given, i.given_price, i.given_title_key,
               case when i.added_by >= m.editor_count then 0
                    when i.added_by > 0 then i.added_by + m.editor_offset else i.added_by end,
               case when i.changed_by >= m.editor_count then 0
                    when i.changed_by > 0 then i.changed_by + m.editor_offset else i.changed_by end
        from merged_lists m join items i on i.store_id = m.store_id and i.list_id = m.list_id
        where m.store_id = $1 and i.store_id = $1 and m.guest_id = $2 and m.list_id = $3 and i.list_id = $3
          and (i.added_at, i.seq) < ($4, $5)
          and not exists (select 1 from items o
                          where o.store_id = $1 and o.list_id = m.into_id and o.variant_id = i.variant_id)");
    VARIANTS = "select variant_id, product_id from items where store_id = $1 and list_id = $2 and (added_at, seq) < ($3, $4) order by added_at, seq";
    // What the shopper has added to the renamed list since takes precedence.
    RENAME = "update items set list_id = $1, members = $2 || substr(members, 44)
              where store_id = $3 and list_id = $4 and variant_id = $5
                and not exists (select 1 from items o where o.store_id = $3 and o.list_id = $1 and o.variant_id = $5)";
    pub(crate) RECORD_VERSION = "update merged_lists set merged_version = $1
        where store_id = $2 and guest_id = $3 and (list_id = $4 or into_id = $4) and merged_version = $5";
}
