//! Merges a guest into a shopper in one transaction; only the items of long lists that are united follow later. The journal
//! records the former state, so that the merge can be undone.

use std::sync::Arc;

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::cache::invalidation::{list_key, shopper_key};
use crate::error::{Code, Error, Result};
use crate::idempotency;
use crate::identity::guest_sessions::{self, GuestSession};
use crate::identity::profile::{BY_EMAIL, ShopperKey};
use crate::identity::shoppers;
use crate::lists::copy::BATCH;
use crate::lists::delete;
use crate::lists::merge_journal::END;
use crate::lists::row::ListId;
use crate::lists::wishes;
use crate::merging::events::MergeEvents;
use crate::merging::journal::{self, ListUnion, NewMerge, RECORD_VERSION};
use crate::merging::plan::{MergeList, MergePlan, merge_list};
use crate::merging::{pending, union};
use crate::moment::Moment;
use crate::stores::record::StoreRecord;
use crate::subscriptions::confirm::confirm;
use crate::tokens::{Regid, RegidKind, ShopperId};
use crate::webhooks::personal_data;

/// Finds the shopper, and the shopper's generation, of a login whose guest is merged already.
pub(crate) struct FindLogin {
    pub(crate) regid: Regid,
    pub(crate) email: String,
}

impl Read for FindLogin {
    const NAME: &'static str = "find_login";
    type Out = Option<(ShopperId, i64)>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (shopper, merged_into) = self.participants(query).await?;
        if self.regid.kind == RegidKind::LoggedIn {
            return match shopper {
                Some(shopper) if shopper.0 == self.regid.shopper => Ok(Some(shopper)),
                _ => Err(forbidden()),
            };
        }
        is_merged(merged_into, shopper.map(|(shopper, _)| shopper)).map(|merged| shopper.filter(|_| merged))
    }
}

impl FindLogin {
    /// Returns the shopper of the address, and the shopper that the guest was merged into.
    pub(crate) async fn participants<Q: Query>(
        &self,
        query: &mut Q,
    ) -> Result<(Option<(ShopperId, i64)>, Option<ShopperId>)> {
        let by_email = [self.regid.store_id.into(), (&self.email).into()];
        let by_id = [self.regid.store_id.into(), (&self.regid.shopper.0).into()];
        let (mut shopper, mut merged_into) = (None, None);
        query
            .query_all(&[BY_EMAIL.bind(&by_email), MERGED_INTO.bind(&by_id)], &mut |number, row| {
                match number {
                    0 => shopper = Some(ShopperKey::from_row(row)?),
                    _ => merged_into = row.opt_blob(0)?.map(ShopperId::from_slice).transpose()?,
                }
                Ok(())
            })
            .await?;
        Ok((shopper.map(|ShopperKey(shopper, generation)| (shopper, generation)), merged_into))
    }
}

fn is_merged(into: Option<ShopperId>, shopper: Option<ShopperId>) -> Result<bool> {
    match into {
        None => Ok(false),
        Some(into) if Some(into) == shopper => Ok(true),
        Some(_) => Err(forbidden()),
    }
}

pub(crate) fn forbidden() -> Error {
    Error::new(Code::Forbidden, "this regid belongs to another e-mail address: get a regid for this address")
}

/// Merges a guest. Callers have checked that the regid is a guest's.
pub struct MergeGuest {
    pub(crate) regid: Regid,
    pub(crate) email: String,
    pub(crate) sessions: Vec<GuestSession>,
    pub(crate) store: Arc<StoreRecord>,
    pub(crate) moment: Moment,
}

/// The locked row of the shopper or of the guest.
pub(crate) struct Participant {
    pub(crate) next_list: i64,
    pub(crate) next_subscription: i64,
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) merged_into: Option<ShopperId>,
}

impl FromRow for Participant {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            next_list: row.int(0)?,
            next_subscription: row.int(1)?,
            first_name: row.text(2)?.to_owned(),
            last_name: row.text(3)?.to_owned(),
            merged_into: row.opt_blob(4)?.map(ShopperId::from_slice).transpose()?,
        })
    }
}

impl Participant {
    pub(crate) fn names(&self) -> (&str, &str) {
        (&self.first_name, &self.last_name)
    }
}

impl Write for MergeGuest {
    const NAME: &'static str = "merge_guest";
    /// The keys of both and of their lists.
    type Out = WriteSet;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let (store_id, guest_id, now) = (self.regid.store_id, &self.regid.shopper.0, self.moment.now);
        // Locks are always taken in this order: the shopper, the guest, the first guest of the device.
        let (shopper_id, generation) = shoppers::add(tx, store_id, &self.email, &self.moment).await?;
        let shopper = self.lock(tx, &shopper_id).await?;
        let guest = self.lock(tx, &self.regid.shopper).await?;
        let mut write_set = WriteSet::of([shopper_id, self.regid.shopper].map(|id| shopper_key(store_id, &id)));
        if is_merged(guest.merged_into, Some(shopper_id))? {
            return Ok(write_set);
        }
        // Copies must be complete before their lists are united. (Nobody else can copy a list of a guest.) So must earlier
        // unions: of two items of a variant the first takes precedence.
        pending::require_settled(tx, store_id, &self.regid.shopper).await?;
        pending::require_settled(tx, store_id, &shopper_id).await?;
        let plan = self.plan(tx, &shopper_id).await?;
        let lists = plan.lists.iter().map(|(list, _)| &list.list_id).chain(plan.targets.keys());
        write_set.extend(lists.map(|list| list_key(store_id, list)));
        let fills_names = shopper.names() == ("", "") && guest.names() != ("", "");
        let subscription_offset = shopper.next_subscription;
        let merge = NewMerge { shopper: shopper_id, fills_names, subscription_offset, merged_at: now };
        journal::write(tx, &self.regid, &plan, &merge).await?;
        let events = MergeEvents::begin(tx, &self.store, &self.regid.shopper, &shopper_id, &plan).await?;
        self.unite(tx, &plan, &shopper_id).await?;
        self.transfer(tx, &plan, &shopper_id, &shopper).await?;
        wishes::transfer(tx, store_id, &self.regid.shopper, &shopper_id).await?;
        idempotency::transfer(tx, store_id, guest_id, &shopper_id.0).await?;
        if guest.next_subscription > 0 {
            // Who logs in with an address need not confirm it by a link.
            let moment = self.moment.part(0);
            confirm(tx, &self.store, &self.email, Some(&shopper_id), &moment).await?;
        }

        let (first_name, last_name) = if fills_names { guest.names() } else { shopper.names() };
        let counts = [
            i64::try_from(plan.moves().count()).map_err(Error::internal)?.into(),
            guest.next_list.into(),
            guest.next_subscription.into(),
            first_name.into(),
            last_name.into(),
            store_id.into(),
            (&shopper_id.0).into(),
        ];
        let retired = [(&shopper_id.0).into(), now.into(), store_id.into(), guest_id.into()];
        tx.execute_all(&[COUNT.bind(&counts), RETIRE.bind(&retired)]).await?;
        if self.regid.kind == RegidKind::DeviceGuest {
            let epoch = self.regid.generation;
            let first = self.regid.shopper.in_epoch(store_id, epoch);
            write_set.extend([shopper_key(store_id, &first)]);
            tx.execute(RAISE_EPOCH.bind(&[store_id.into(), (&first.0).into(), now.into(), (epoch + 1).into()])).await?;
        }
        let generations = (self.store.generation, generation);
        guest_sessions::save(tx, &self.regid, &shopper_id, generations, &self.sessions, now).await?;
        if let Some(events) = events {
            events.save(tx, &plan, &self.moment).await?;
        }
        Ok(write_set)
    }

    fn write_set(&self, write_set: &Self::Out) -> WriteSet {
        write_set.clone()
    }
}

impl MergeGuest {
    /// Locks a shopper's row. A guest without a row gets one, which retires the regid.
    async fn lock<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<Participant> {
        let args = [self.regid.store_id.into(), (&shopper.0).into(), self.moment.now.into()];
        tx.first(LOCK.bind(&args)).await?.ok_or_else(|| Error::internal("the shopper's row was not returned"))
    }

    /// Locks the lists of both and plans the merge. No list can be created or deleted meanwhile, since both shoppers are
    /// locked.
    async fn plan<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<MergePlan> {
        let guest = &self.regid.shopper;
        let mut ids = lists_of(tx, self.regid.store_id, guest).await?;
        if !ids.is_empty() {
            ids.extend(lists_of(tx, self.regid.store_id, shopper).await?);
        }
        Ok(MergePlan::new(lock_lists(tx, self.regid.store_id, ids).await?, &guest.0))
    }

    /// Unites lists, the long ones later. The number of statements depends on the number of lists, not of items.
    async fn unite<T: Tx>(&self, tx: &mut T, plan: &MergePlan, shopper: &ShopperId) -> Result<()> {
        let mut targets = plan.targets.clone();
        let mut left = BATCH;
        for (list, into) in plan.unites() {
            let Some(target) = targets.get_mut(&into) else { continue };
            left -= list.item_count;
            let is_later = left < 0 && list.item_count > 0;
            self.unite_one(tx, list, target, is_later.then_some(shopper)).await?;
        }
        Ok(())
    }

    /// Transfers the remaining lists, the subscriptions, and the guest's comments and edits on lists of others.
    async fn transfer<T: Tx>(
        &self,
        tx: &mut T,
        plan: &MergePlan,
        shopper_id: &ShopperId,
        shopper: &Participant,
    ) -> Result<()> {
        let [owner, store_id, guest_id]: [Arg<'_>; 3] =
            [(&shopper_id.0).into(), self.regid.store_id.into(), (&self.regid.shopper.0).into()];
        let owners = [owner, store_id, guest_id];
        let subscriptions = [owner, shopper.next_subscription.into(), store_id, guest_id];
        let moves: Vec<_> = plan
            .moves()
            .map(|list| [owner, shopper.next_list.into(), store_id, list.list_id.as_bytes().into()])
            .collect();
        let versions: Vec<_> = moves.iter().map(|[_, _, _, list]| [store_id, guest_id, *list]).collect();
        let mut batch = vec![
            personal_data::TRANSFER.bind(&owners),
            TRANSFER_COMMENTS.bind(&owners),
            TRANSFER_EDITORS.bind(&owners),
            MOVE_SUBSCRIPTIONS.bind(&subscriptions),
        ];
        for (list, version) in moves.iter().zip(&versions) {
            batch.extend([MOVE_LIST.bind(list), RECORD_VERSION.bind(version)]);
        }
        tx.execute_all(&batch).await?;
        Ok(())
    }

    /// Unites a list with `target`. Its items follow later if `later` is the shopper.
    async fn unite_one<T: Tx>(
        &self,
        tx: &mut T,
        list: &MergeList,
        target: &mut MergeList,
        later: Option<&ShopperId>,
    ) -> Result<()> {
        let store_id = self.regid.store_id.into();
        let (from, into) = (list.list_id.into_bytes(), target.list_id.into_bytes());
        let key = [store_id, (&from).into()];
        let editor_count: i64 = tx.first(NEXT_EDITOR.bind(&key)).await?.unwrap_or(0);
        let editor_offset: i64 = tx.first(NEXT_EDITOR.bind(&[store_id, (&into).into()])).await?.unwrap_or(0);
        // A list that the guest had not archived must not disappear in an archived one.
        let unarchives = target.archived && !list.archived;
        let union = ListUnion { list: &list.list_id, into: target, editor_offset, editor_count, unarchives };
        journal::record_union(tx, &self.regid, &union).await?;
        let items = [editor_offset.into(), (&into).into(), store_id, (&from).into()];
        let rename = [(&into).into(), store_id, (&from).into()];
        let guest = (&self.regid.shopper.0).into();
        match later {
            None => target.item_count += union::move_items(tx, &[store_id, guest, key[1]], END, true).await?,
            Some(shopper) => {
                let start = [store_id, key[1], guest, (&shopper.0).into(), (&into).into()];
                tx.execute_all(&[
                    union::START.bind(&start),
                    delete::MARK_DELETED.bind(&key),
                    MARK_COPYING.bind(&[store_id, start[4]]),
                ])
                .await?;
            }
        }
        tx.execute_all(&[
            UNITE_EDITORS.bind(&items),
            MOVE_COMMENTS.bind(&rename),
            MOVE_LINKS.bind(&rename),
            UNITE_SHARES.bind(&rename),
            delete::DELETE_OF_LIST.bind(&key),
            DELETE_EDITORS.bind(&key),
            DELETE_LIST.bind(&key),
        ])
        .await?;
        target.comment_count += list.comment_count;
        target.next_seq += list.next_seq;
        target.archived &= list.archived;
        target.version += 1;
        // Not before the time of any of its items.
        target.updated_at = self.moment.after(target.updated_at.max(list.updated_at));
        let saved = [
            target.item_count.into(),
            target.comment_count.into(),
            target.next_seq.into(),
            target.archived.into(),
            target.updated_at.into(),
            target.version.into(),
            store_id,
            (&into).into(),
        ];
        tx.execute(SAVE_TARGET.bind(&saved)).await?;
        Ok(())
    }
}

pub(crate) async fn lists_of<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<Vec<ListId>> {
    Ok(query.rows(LISTS_OF.bind(&[store_id.into(), (&shopper.0).into()])).await?)
}

/// Locks lists in the order of their ids.
pub(crate) async fn lock_lists<T: Tx>(tx: &mut T, store_id: i64, mut ids: Vec<ListId>) -> Result<Vec<MergeList>> {
    ids.sort_unstable();
    let keys: Vec<_> = ids.iter().map(|ListId(id)| [store_id.into(), id.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| LOCK_LIST.bind(key)).collect();
    let mut lists = Vec::with_capacity(ids.len());
    tx.query_all(&batch, &mut |_, row| {
        lists.push(MergeList::from_row(row)?);
        Ok(())
    })
    .await?;
    Ok(lists)
}

statements! {
    MERGED_INTO = "select merged_into from shoppers where store_id = $1 and shopper_id = $2";
    LOCK = "insert into shoppers (store_id, shopper_id, generation, first_name, last_name, list_count, next_list,
                                  next_subscription, created_at, updated_at)
            values ($1, $2, 0, '', '', 0, 0, 0, $3, $3)
            on conflict (store_id, shopper_id) do update set generation = shoppers.generation
            returning next_list, next_subscription, first_name, last_name, merged_into";
    LISTS_OF = "select list_id from lists where store_id = $1 and shopper_id = $2 order by ordinal";
    LOCK_LIST = concat!("update lists set version = version where store_id = $1 and list_id = $2 returning ", merge_list!());
    NEXT_EDITOR = "select number + 1 from editors where store_id = $1 and list_id = $2 order by number desc limit 1";

    UNITE_EDITORS = "insert into editors (store_id, list_id, number, shopper_id)
        select e.store_id, t.list_id, e.number + $1, e.shopper_id
        from editors e join lists t on t.list_id = $2 and t.store_id = $3
        where e.store_id = $3 and e.list_id = $4";
    MOVE_COMMENTS = "update comments set list_id = $1 where store_id = $2 and list_id = $3";
    MOVE_LINKS = "update share_links set list_id = $1 where store_id = $2 and list_id = $3";
    UNITE_SHARES = "insert into shares (store_id, list_id, medium, times, last_at)
        select h.store_id, t.list_id, h.medium, h.times, h.last_at
        from lists t, shares h
        where t.list_id = $1 and t.store_id = $2 and h.store_id = $2 and h.list_id = $3
        on conflict (store_id, list_id, medium) do update set times = shares.times + excluded.times";
    MARK_COPYING = "update lists set copying = 1 where store_id = $1 and list_id = $2";
    DELETE_EDITORS = "delete from editors where store_id = $1 and list_id = $2";
    DELETE_LIST = "delete from lists where store_id = $1 and list_id = $2";
    SAVE_TARGET = "update lists set item_count = $1, comment_count = $2, next_seq = $3, archived = $4, updated_at = $5,
                                    version = $6
                   where store_id = $7 and list_id = $8";

    TRANSFER_COMMENTS = "update comments set shopper_id = $1
                         where store_id = $2 and shopper_id = $3
                           and list_id in (select c.list_id from comments c where c.store_id = $2 and c.shopper_id = $3)";
    TRANSFER_EDITORS = "update editors set shopper_id = $1 where store_id = $2 and shopper_id = $3";
    MOVE_LIST = "update lists set shopper_id = $1, ordinal = ordinal + $2, version = version + 1, merged = 1
                 where store_id = $3 and list_id = $4";
    MOVE_SUBSCRIPTIONS = "update subscriptions set shopper_id = $1, ordinal = ordinal + $2
                          where store_id = $3 and shopper_id = $4";
    COUNT = "update shoppers set list_count = list_count + $1, next_list = next_list + $2,
                                 next_subscription = next_subscription + $3, first_name = $4, last_name = $5
             where store_id = $6 and shopper_id = $7";
    RETIRE = "update shoppers set merged_into = $1, list_count = 0, updated_at = $2
              where store_id = $3 and shopper_id = $4";
    RAISE_EPOCH = "insert into shoppers (store_id, shopper_id, generation, first_name, last_name, list_count, next_list,
                                         next_subscription, created_at, updated_at, device_epoch)
        values ($1, $2, 0, '', '', 0, 0, 0, $3, $3, $4)
        on conflict (store_id, shopper_id) do update set
          device_epoch = case when shoppers.device_epoch < excluded.device_epoch then excluded.device_epoch
                              else shoppers.device_epoch end";
}
