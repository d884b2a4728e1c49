//! Merges the lists of a guest in steps, each a small transaction: any node can resume, and nothing is merged twice. What is
//! left to do follows from the data: the guest's lists for which the shopper has room.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Tx, Write};

use crate::error::{Error, Result};
use crate::lists::changes::{self, ChangeKind, ListChange};
use crate::lists::copy::{self, BATCH};
use crate::lists::delete;
use crate::lists::merge_journal::END;
use crate::lists::wishes;
use crate::merging::belongings;
use crate::merging::events::MergeEvents;
use crate::merging::journal::{self, ListUnion, RECORD_VERSION};
use crate::merging::pending::PendingMerge;
use crate::merging::plan::{BegunUnion, MergeLimits, MergeList, MergePlan, MergedLists, has_room, is_same, merge_list};
use crate::merging::union;
use crate::moment::{Millis, Moment};
use crate::stores::record::{self, StoreRecord};

/// Lists that are merged in one transaction, and that an undo returns in one.
pub(crate) const LISTS: usize = 50;

/// Takes the next step of a merge.
pub struct MergeLists {
    pub merge: PendingMerge,
    pub moment: Moment,
}

impl Write for MergeLists {
    const NAME: &'static str = "merge_lists";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let PendingMerge { store_id, guest, shopper, .. } = &self.merge;
        let [guest_key, shopper_key] = [guest, shopper].map(|id| [(*store_id).into(), (&id.0).into()]);
        // The shopper before the guest, as everywhere. A concurrent call waits here, then continues with what is left.
        tx.execute(LOCK.bind(&shopper_key)).await?;
        tx.execute(LOCK.bind(&guest_key)).await?;
        let Some(merge) = tx.first::<PendingMerge>(FIND.bind(&guest_key)).await? else {
            return Ok(());
        };
        // A list that is still being copied to is completed first: it counts for its limit.
        if tx.first::<copy::PendingCopy>(copy::OF_SHOPPER.bind(&shopper_key)).await?.is_some() {
            return Ok(());
        }
        let Some(store) = tx.first::<StoreRecord>(record::BY_ID.bind(&shopper_key[..1])).await? else {
            return Ok(());
        };
        let store = Arc::new(store);
        let step = MergeStep { merge: &merge, store: &store, moment: &self.moment };
        let plan = step.plan(tx).await?;
        step.run(tx, plan, false).await
    }
}

/// A step of a merge whose participants are locked.
pub(crate) struct MergeStep<'a> {
    pub(crate) merge: &'a PendingMerge,
    pub(crate) store: &'a Arc<StoreRecord>,
    pub(crate) moment: &'a Moment,
}

/// What a step has done.
#[derive(Default)]
struct Done {
    moved: Vec<Uuid>,
    /// Lists that others were united with.
    targets: BTreeSet<Uuid>,
    /// Lists that were united completely.
    gone: Vec<Uuid>,
    /// True if a list was united in part, and there is room for the rest.
    has_more: bool,
    items: i64,
}

impl MergeStep<'_> {
    /// No list of either can be created or deleted meanwhile, since both shoppers are locked.
    pub(crate) async fn plan<T: Tx>(&self, tx: &mut T) -> Result<MergePlan> {
        let PendingMerge { store_id, guest, shopper, .. } = self.merge;
        let lists = MergedLists::read(tx, *store_id, guest, Some(shopper)).await?;
        Ok(MergePlan::new(lists, self.limits()))
    }

    /// Merges the first lists of a plan. If that was all that fits, the merge is complete.
    pub(crate) async fn run<T: Tx>(&self, tx: &mut T, plan: MergePlan, is_first: bool) -> Result<()> {
        let PendingMerge { store_id, guest, shopper, .. } = self.merge;
        let has_belongings = belongings::transfer(tx, self.merge).await?;
        let mut lists = self.lock(tx, &plan).await?;
        let chosen = self.choose(&plan, &lists);
        let unites: Vec<Uuid> = chosen.iter().filter(|(_, into)| into.is_some()).map(|(list, _)| *list).collect();
        let events = MergeEvents::begin(tx, self.store, guest, shopper, &unites).await?;
        journal::record(
            tx,
            *store_id,
            chosen.iter().map(|(list, _)| list).filter(|list| !plan.begun.contains_key(*list)),
        )
        .await?;
        let mut done = Done::default();
        self.move_lists(tx, &chosen, &plan, &mut lists, &mut done).await?;
        let mut left = BATCH;
        for (list, into) in &chosen {
            let Some(into) = *into else { continue };
            let (Some(mut list), Some(mut target)) = (lists.remove(list), lists.remove(&into)) else { continue };
            let begun = plan.begun.get(&list.list_id).filter(|begun| begun.into == into);
            left -= self.unite(tx, &mut list, &mut target, (begun, left), &mut done).await?;
            lists.insert(into, target);
        }
        self.count(tx, &done).await?;
        let moved = done.moved.iter().map(|list| (ChangeKind::Created, list));
        let changed = moved.chain(done.targets.iter().map(|list| (ChangeKind::Updated, list)));
        let changed = changed.filter_map(|(kind, list)| {
            let list = lists.get(list)?;
            Some((shopper.0, ListChange { kind, list_id: list.list_id, version: list.version }))
        });
        changes::record_all(tx, *store_id, &changed.collect::<Vec<_>>()).await?;
        if let Some(events) = &events {
            let changed: Vec<Uuid> = done.moved.iter().chain(&done.targets).copied().collect();
            events.save_lists(tx, &changed, &done.gone, self.moment).await?;
        }
        // After a union there may be more room than planned for: some items may have been there already.
        let plans_again = !plan.stays.is_empty() && !done.targets.is_empty();
        let is_complete = plan.fits.len() == chosen.len() && !done.has_more && !has_belongings && !plans_again;
        if is_first || is_complete {
            // While the lists are locked, and again at the end: until then the guest's other lists may be changed.
            wishes::transfer(tx, *store_id, guest, shopper).await?;
        }
        let key = [(*store_id).into(), (&guest.0).into()];
        if is_complete {
            // What is left of the lists that were united with these does not fit any more.
            let stopped: Vec<Uuid> = plan.stopped().collect();
            let stopped: Vec<_> = stopped.iter().map(|into| [key[0], into.as_bytes().into()]).collect();
            let unmark = stopped.iter().map(|into| UNMARK_COPYING.bind(into));
            tx.execute_all(&unmark.chain([FINISH.bind(&key)]).collect::<Vec<_>>()).await?;
            if let Some(events) = events {
                events.save_merge(tx, self.moment).await?;
            }
        } else if is_first {
            let start = [key[0], key[1], (&shopper.0).into(), self.merge.list_offset.into()];
            tx.execute(START.bind(&start)).await?;
        }
        Ok(())
    }

    fn limits(&self) -> MergeLimits {
        (&self.store.settings).into()
    }

    /// Locks the lists of the step, in the order of their ids.
    async fn lock<T: Tx>(&self, tx: &mut T, plan: &MergePlan) -> Result<HashMap<Uuid, MergeList>> {
        let planned = plan.fits.iter().take(LISTS);
        let mut ids: BTreeSet<Uuid> = planned.flat_map(|(list, into)| [Some(list.list_id), *into]).flatten().collect();
        ids.extend(plan.stopped());
        let lists = lock_lists(tx, self.merge.store_id, &ids).await?;
        Ok(lists.into_iter().map(|list| (list.list_id, list)).collect())
    }

    /// The lists that are merged now: those that still are as they were when the plan was made, and of those that are united,
    /// as many as have the items of one step.
    fn choose(&self, plan: &MergePlan, lists: &HashMap<Uuid, MergeList>) -> Vec<(Uuid, Option<Uuid>)> {
        let PendingMerge { guest, shopper, .. } = self.merge;
        let is_valid = |(list, into): &&(MergeList, Option<Uuid>)| {
            let Some(list) = lists.get(&list.list_id).filter(|list| list.shopper_id == guest.0) else { return false };
            let Some(into) = into else { return true };
            let is_begun = plan.begun.get(&list.list_id).is_some_and(|begun| begun.into == *into);
            lists.get(into).is_some_and(|target| {
                let is_moving = target.shopper_id == guest.0;
                (is_moving || target.shopper_id == shopper.0)
                    && (is_begun || is_same(list, target))
                    && has_room(list, target, self.limits())
            })
        };
        let mut left = BATCH;
        let mut chosen: Vec<(Uuid, Option<Uuid>)> = Vec::new();
        for (list, into) in plan.fits.iter().take(LISTS).filter(is_valid) {
            // A list of the guest that others are united with moves first.
            let waits = into.is_some_and(|into| {
                lists.get(&into).is_some_and(|target| target.shopper_id == guest.0) && !chosen.contains(&(into, None))
            });
            // The items of a list that moves are not touched; comments are recorded of every list. A list that is too long for
            // one step is the first of its step.
            let cost = list.comment_count + if into.is_some() { list.item_count.max(1) } else { 0 };
            if !waits && (cost <= left || left == BATCH) {
                left -= cost;
                chosen.push((list.list_id, *into));
            }
        }
        chosen
    }

    /// Moves lists, which changes only their owner. Their items are recorded when they first change.
    async fn move_lists<T: Tx>(
        &self,
        tx: &mut T,
        chosen: &[(Uuid, Option<Uuid>)],
        plan: &MergePlan,
        lists: &mut HashMap<Uuid, MergeList>,
        done: &mut Done,
    ) -> Result<()> {
        let PendingMerge { store_id, guest, shopper, list_offset } = self.merge;
        done.moved = chosen.iter().filter(|(_, into)| into.is_none()).map(|(list, _)| *list).collect();
        let [owner, store_id, guest]: [Arg<'_>; 3] = [(&shopper.0).into(), (*store_id).into(), (&guest.0).into()];
        let moves: Vec<_> =
            done.moved.iter().map(|list| [owner, (*list_offset).into(), store_id, list.as_bytes().into()]).collect();
        let keys: Vec<_> = moves.iter().map(|[.., list]| [store_id, guest, *list]).collect();
        let mut batch: Vec<Bound<'_>> = Vec::with_capacity(3 * moves.len());
        for ((list, key), id) in moves.iter().zip(&keys).zip(&done.moved) {
            if plan.begun.contains_key(id) {
                batch.push(journal::FORGET_UNION.bind(key));
            }
            batch.extend([MOVE_LIST.bind(list), RECORD_VERSION.bind(key)]);
        }
        tx.execute_all(&batch).await?;
        for list in &done.moved {
            if let Some(list) = lists.get_mut(list) {
                (list.shopper_id, list.version) = (shopper.0, list.version + 1);
                done.items += list.item_count;
            }
        }
        Ok(())
    }

    /// Unites a list with `target`, at most `limit` items of it, and no more than the target has room for. Returns how many
    /// items the list has lost, at least one.
    async fn unite<T: Tx>(
        &self,
        tx: &mut T,
        list: &mut MergeList,
        target: &mut MergeList,
        (begun, limit): (Option<&BegunUnion>, i64),
        done: &mut Done,
    ) -> Result<i64> {
        let PendingMerge { store_id, guest, .. } = self.merge;
        let (from, into) = (list.list_id.into_bytes(), target.list_id.into_bytes());
        let [store_id, guest]: [Arg<'_>; 2] = [(*store_id).into(), (&guest.0).into()];
        let key = [store_id, (&from).into()];
        let former = target.version;
        match begun {
            None => self.begin_union(tx, list, target).await?,
            // Others have edited what was left of the list.
            Some(begun) if begun.next_seq != list.next_seq => {
                let reserved = [target.next_seq.into(), list.next_seq.into(), store_id, guest, key[1]];
                tx.execute(RESERVE.bind(&reserved)).await?;
                target.next_seq += list.next_seq;
            }
            Some(_) => {}
        }
        let room = (self.limits().items - target.item_count).max(0);
        let (before, taken) = boundary(tx, [store_id, key[1], (&into).into()], room, limit).await?;
        target.item_count += union::move_items(tx, &[store_id, guest, key[1]], before, true).await?;
        list.item_count -= taken;
        let rename = [(&into).into(), store_id, key[1]];
        if list.comment_count > 0 {
            // Comments follow their items.
            let moved = i64::try_from(tx.execute(MOVE_COMMENTS.bind(&rename)).await?).map_err(Error::internal)?;
            list.comment_count -= moved;
            target.comment_count += moved;
        }
        target.version += 1;
        // Not before the time of any of its items.
        target.updated_at = self.moment.after(target.updated_at.max(list.updated_at));
        let is_gone = list.item_count == 0;
        let is_full = target.item_count >= self.limits().items;
        let saved = [
            target.item_count.into(),
            target.comment_count.into(),
            target.next_seq.into(),
            target.archived.into(),
            target.updated_at.into(),
            target.version.into(),
            (!is_gone && !is_full).into(),
            store_id,
            rename[0],
        ];
        let left = [list.item_count.into(), list.comment_count.into(), store_id, key[1]];
        let versions = [target.version.into(), store_id, guest, rename[0], former.into()];
        let mut batch = vec![SAVE_TARGET.bind(&saved), union::RECORD_VERSION.bind(&versions)];
        if is_gone {
            batch.extend([MOVE_LINKS, UNITE_SHARES].map(|sql| sql.bind(&rename)));
            batch.extend([delete::DELETE_OF_LIST, DELETE_EDITORS, DELETE_LIST].map(|sql| sql.bind(&key)));
            done.gone.push(list.list_id);
        } else {
            batch.push(SAVE_REST.bind(&left));
            done.has_more |= !is_full;
        }
        tx.execute_all(&batch).await?;
        done.targets.insert(target.list_id);
        done.items += taken;
        Ok(taken.max(1))
    }

    /// Records a union, and reserves numbers for the items and editors of the list.
    async fn begin_union<T: Tx>(&self, tx: &mut T, list: &MergeList, target: &mut MergeList) -> Result<()> {
        let PendingMerge { store_id, guest, .. } = self.merge;
        let (from, into) = (list.list_id.into_bytes(), target.list_id.into_bytes());
        let store_id: Arg<'_> = (*store_id).into();
        let editor_count: i64 = tx.first(NEXT_EDITOR.bind(&[store_id, (&from).into()])).await?.unwrap_or(0);
        let editor_offset: i64 = tx.first(NEXT_EDITOR.bind(&[store_id, (&into).into()])).await?.unwrap_or(0);
        // A list that the guest had not archived must not disappear in an archived one.
        let unarchives = target.archived && !list.archived;
        let union = ListUnion { list: &list.list_id, into: target, editor_offset, editor_count, unarchives };
        journal::record_union(tx, self.merge.store_id, guest, &union).await?;
        tx.execute(UNITE_EDITORS.bind(&[editor_offset.into(), (&into).into(), store_id, (&from).into()])).await?;
        target.next_seq += list.next_seq;
        target.archived &= list.archived;
        Ok(())
    }

    async fn count<T: Tx>(&self, tx: &mut T, done: &Done) -> Result<()> {
        let PendingMerge { store_id, guest, shopper, .. } = self.merge;
        let moved = i64::try_from(done.moved.len()).map_err(Error::internal)?;
        let lost = moved + i64::try_from(done.gone.len()).map_err(Error::internal)?;
        tx.execute_all(&[
            COUNT.bind(&[moved.into(), (*store_id).into(), (&shopper.0).into()]),
            COUNT.bind(&[(-lost).into(), (*store_id).into(), (&guest.0).into()]),
            COUNT_ITEMS.bind(&[done.items.into(), (*store_id).into(), (&guest.0).into()]),
        ])
        .await?;
        Ok(())
    }
}

/// Locks lists in the order of their ids.
pub(crate) async fn lock_lists<T: Tx>(tx: &mut T, store_id: i64, ids: &BTreeSet<Uuid>) -> Result<Vec<MergeList>> {
    let keys: Vec<_> = ids.iter().map(|id| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| LOCK_LIST.bind(key)).collect();
    let mut lists = Vec::with_capacity(ids.len());
    tx.query_all(&batch, &mut |_, row| {
        lists.push(MergeList::from_row(row)?);
        Ok(())
    })
    .await?;
    Ok(lists)
}

/// Returns the time and number of the first item that does not move, and how many come before it: the oldest, at most
/// `limit`, of which at most `room` are not on the other list. `lists` are the store, the list and the other one.
async fn boundary<T: Tx>(tx: &mut T, lists: [Arg<'_>; 3], room: i64, limit: i64) -> Result<((Millis, i64), i64)> {
    let [store_id, list, other] = lists;
    let (mut end, mut taken, mut new) = (None, 0, 0);
    tx.query_all(&[OLDEST.bind(&[store_id, other, list, (limit + 1).into()])], &mut |_, row| {
        let is_new = row.int(2)? == 0;
        if end.is_none() && (taken == limit || is_new && new == room) {
            end = Some((row.int(0)?, row.int(1)?));
        }
        if end.is_none() {
            taken += 1;
            new += i64::from(is_new);
        }
        Ok(())
    })
    .await?;
    Ok((end.unwrap_or(END), taken))
}

statements! {
    LOCK = "update shoppers set generation = generation where store_id = $1 and shopper_id = $2";
    LOCK_LIST = concat!("update lists set version = version where store_id = $1 and list_id = $2 returning ", merge_list!());
    START = "insert into merge_steps (store_id, guest_id, shopper_id, list_offset) values ($1, $2, $3, $4)";
    FIND = "select store_id, guest_id, shopper_id, list_offset from merge_steps where store_id = $1 and guest_id = $2";
    FINISH = "delete from merge_steps where store_id = $1 and guest_id = $2";
    NEXT_EDITOR = "select number + 1 from editors where store_id = $1 and list_id = $2 order by number desc limit 1";
    RESERVE = "update merged_lists set seq_offset = $1, next_seq = $2 where store_id = $3 and guest_id = $4 and list_id = $5";
    OLDEST = "select i.added_at, i.seq,
                     (select count(*) from items o where o.store_id = $1 and o.list_id = $2 and o.variant_id = i.variant_id)
              from items i where i.store_id = $1 and i.list_id = $3 order by i.added_at, i.seq limit $4";

    UNITE_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, t.list_id, e.number + $1, e.shopper_id
        from editors e join lists t on t.list_id = $2 and t.store_id = $3
        where e.store_id = $3 and e.list_id = $4";
    // Those whose items are not on the list any more.
    MOVE_COMMENTS = "update comments set list_id = $1 where store_id = $2 and list_id = $3
        and not exists (select 1 from items i
                        where i.store_id = $2 and i.list_id = $3 and i.variant_id = comments.variant_id)";
    MOVE_LINKS = "update share_links set list_id = $1 where store_id = $2 and list_id = $3";
    UNITE_SHARES = "insert into shares (store_id, list_id, medium, times, last_at)
        select h.store_id, t.list_id, h.medium, h.times, h.last_at
        from lists t, shares h
        where t.list_id = $1 and t.store_id = $2 and h.store_id = $2 and h.list_id = $3
        on conflict (store_id, list_id, medium) do update set times = shares.times + excluded.times";
    DELETE_EDITORS = "delete from editors where store_id = $1 and list_id = $2";
    DELETE_LIST = "delete from lists where store_id = $1 and list_id = $2";
    SAVE_TARGET = "update lists set item_count = $1, comment_count = $2, next_seq = $3, archived = $4, updated_at = $5,
                                    version = $6, copying = $7
                   where store_id = $8 and list_id = $9";
    UNMARK_COPYING = "update lists set copying = 0 where store_id = $1 and list_id = $2";
    SAVE_REST = "update lists set item_count = $1, comment_count = $2, version = version + 1
                 where store_id = $3 and list_id = $4";
    MOVE_LIST = "update lists set shopper_id = $1, ordinal = ordinal + $2, version = version + 1, merged = 1
                 where store_id = $3 and list_id = $4";
    COUNT = "update shoppers set list_count = list_count + $1 where store_id = $2 and shopper_id = $3";
    COUNT_ITEMS = "update merges set item_count = item_count + $1 where store_id = $2 and guest_id = $3";
}
