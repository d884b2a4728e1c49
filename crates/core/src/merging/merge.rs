//! Merges a guest into a shopper. The first transaction retires the guest and merges the first lists; a guest with many, or
//! long ones, is merged in further steps, see [`merge_steps`](crate::merging::merge_steps).

use std::sync::Arc;

use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::guest_sessions::{self, GuestSession};
use crate::identity::profile::{BY_EMAIL, ShopperKey};
use crate::identity::shoppers;
use crate::merging::belongings;
use crate::merging::journal::{self, NewMerge};
use crate::merging::merge_steps::MergeStep;
use crate::merging::pending::{self, PendingMerge};
use crate::merging::plan::{MergePlan, MergedLists};
use crate::moment::{DAY, Millis, Moment};
use crate::stores::record::StoreRecord;
use crate::subscriptions::confirm::confirm;
use crate::subscriptions::limits::count_of_shopper;
use crate::tokens::{Regid, RegidKind, ShopperId};

/// Finds the shopper of a login, and what is left of the guest.
pub(crate) struct FindLogin {
    pub(crate) store: Arc<StoreRecord>,
    pub(crate) regid: Regid,
    pub(crate) email: String,
}

/// The state of a login.
pub(crate) struct FoundLogin {
    pub(crate) shopper: ShopperId,
    pub(crate) generation: i64,
    /// Of a guest who is merged.
    pub(crate) leftovers: Leftovers,
    /// False if there is something to merge.
    pub(crate) is_complete: bool,
    /// The guest's last visit.
    seen_at: Option<Millis>,
}

impl FoundLogin {
    /// True if there is nothing to write: neither something to merge, nor, once a day, a visit for what stays with the guest.
    pub(crate) fn is_settled(&self, now: Millis) -> bool {
        let is_seen = self.leftovers.lists == 0 || self.seen_at.is_none_or(|seen_at| seen_at > now - DAY);
        self.is_complete && is_seen
    }
}

impl Read for FindLogin {
    const NAME: &'static str = "find_login";
    /// `None` if no shopper has the address.
    type Out = Option<FoundLogin>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let Participants { shopper, merged_into, list_count, has_subscribed, seen_at } =
            self.participants(query).await?;
        let found = |leftovers, is_complete| {
            shopper.map(|(shopper, generation)| FoundLogin { shopper, generation, leftovers, is_complete, seen_at })
        };
        if self.regid.kind == RegidKind::LoggedIn {
            return match shopper {
                Some(shopper) if shopper.0 == self.regid.shopper => Ok(found(Leftovers::default(), true)),
                _ => Err(forbidden()),
            };
        }
        if !is_merged(merged_into, shopper.map(|(shopper, _)| shopper))? {
            return Ok(found(Leftovers::default(), false));
        }
        let mut leftovers = Leftovers::default();
        let shopper_id = shopper.as_ref().map(|(shopper, _)| shopper);
        let mut is_complete = true;
        if has_subscribed {
            leftovers.subscriptions = count_of_shopper(query, self.store.store_id, &self.regid.shopper).await?;
            if let Some(shopper) = shopper_id.filter(|_| leftovers.subscriptions > 0) {
                let fit = belongings::subscriptions_that_fit(query, self.store.store_id, &self.regid.shopper, shopper);
                is_complete = fit.await? == 0;
            }
        }
        if list_count > 0 {
            let plan = self.plan(query, shopper_id).await?;
            leftovers.add_lists(&plan);
            is_complete &= plan.fits.is_empty();
        }
        Ok(found(leftovers, is_complete))
    }
}

/// Who takes part in a login.
#[derive(Default)]
pub(crate) struct Participants {
    /// The shopper of the address, and the shopper's generation.
    pub(crate) shopper: Option<(ShopperId, i64)>,
    /// The shopper whom the guest was merged into.
    merged_into: Option<ShopperId>,
    /// The number of the guest's lists.
    list_count: i64,
    /// True if the guest ever had subscriptions.
    has_subscribed: bool,
    seen_at: Option<Millis>,
}

impl FindLogin {
    pub(crate) async fn participants<Q: Query>(&self, query: &mut Q) -> Result<Participants> {
        let by_email = [self.store.store_id.into(), (&self.email).into()];
        let by_id = [self.store.store_id.into(), (&self.regid.shopper.0).into()];
        let mut found = Participants::default();
        query
            .query_all(&[BY_EMAIL.bind(&by_email), MERGED_INTO.bind(&by_id)], &mut |number, row| {
                match number {
                    0 => {
                        let ShopperKey(shopper, generation) = ShopperKey::from_row(row)?;
                        found.shopper = Some((shopper, generation));
                    }
                    _ => {
                        found.merged_into = row.opt_blob(0)?.map(ShopperId::from_slice).transpose()?;
                        found.list_count = row.int(1)?;
                        found.has_subscribed = row.int(2)? > 0;
                        found.seen_at = row.opt_int(3)?;
                    }
                }
                Ok(())
            })
            .await?;
        Ok(found)
    }

    pub(crate) async fn plan<Q: Query>(&self, query: &mut Q, shopper: Option<&ShopperId>) -> Result<MergePlan> {
        let lists = MergedLists::read(query, self.store.store_id, &self.regid.shopper, shopper).await?;
        Ok(MergePlan::new(lists, (&self.store.settings).into()))
    }
}

/// What stays with a guest, because the shopper has no room for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    pub lists: i64,
    pub items: i64,
    pub subscriptions: i64,
}

impl Leftovers {
    fn add_lists(&mut self, plan: &MergePlan) {
        for (list, _) in plan.fits.iter().chain(&plan.stays) {
            self.lists += 1;
            self.items += list.item_count;
        }
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

/// Merges a guest, or begins with it. Callers have checked that the regid is a guest's. Repeating it merges what fits by then.
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
    pub(crate) list_count: i64,
}

impl FromRow for Participant {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            next_list: row.int(0)?,
            next_subscription: row.int(1)?,
            first_name: row.text(2)?.to_owned(),
            last_name: row.text(3)?.to_owned(),
            merged_into: row.opt_blob(4)?.map(ShopperId::from_slice).transpose()?,
            list_count: row.int(5)?,
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
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let (store_id, guest_id) = (self.regid.store_id, self.regid.shopper);
        // Locks are always taken in this order: the shopper, the guest, the first guest of the device.
        let (shopper_id, generation) = shoppers::add(tx, store_id, &self.email, &self.moment).await?;
        let shopper = self.lock(tx, &shopper_id).await?;
        let guest = self.lock(tx, &guest_id).await?;
        let is_repeated = is_merged(guest.merged_into, Some(shopper_id))?;
        let has_subscriptions = is_repeated && guest.next_subscription > 0 && {
            belongings::subscriptions_that_fit(tx, store_id, &guest_id, &shopper_id).await? > 0
        };
        if is_repeated && guest.list_count == 0 && !has_subscriptions {
            return Ok(());
        }
        // Copies must be complete before their lists are united. (Nobody else can copy a list of a guest.) So must earlier
        // merges: of two items of a variant the first takes precedence.
        pending::require_settled(tx, store_id, &guest_id).await?;
        pending::require_settled(tx, store_id, &shopper_id).await?;
        // The guest's lists keep their order, after those that the shopper has.
        let merge = PendingMerge { store_id, guest: guest_id, shopper: shopper_id, list_offset: shopper.next_list };
        let step = MergeStep { merge: &merge, store: &self.store, moment: &self.moment };
        let plan = step.plan(tx).await?;
        if is_repeated {
            tx.execute(RENEW.bind(&[self.moment.now.into(), store_id.into(), (&guest_id.0).into()])).await?;
            if plan.fits.is_empty() && !has_subscriptions {
                return Ok(());
            }
        }
        if is_repeated {
            self.resume(tx, &merge, &shopper, &guest, has_subscriptions).await?;
        } else {
            self.retire(tx, &merge, &shopper, &guest).await?;
            let generations = (self.store.generation, generation);
            guest_sessions::save(tx, &self.regid, &shopper_id, generations, &self.sessions, self.moment.now).await?;
        }
        tx.execute(RESERVE.bind(&[guest.next_list.into(), store_id.into(), (&shopper_id.0).into()])).await?;
        step.run(tx, plan, true).await
    }
}

impl MergeGuest {
    /// Locks a shopper's row. A guest without a row gets one, which retires the regid.
    async fn lock<T: Tx>(&self, tx: &mut T, shopper: &ShopperId) -> Result<Participant> {
        let args = [self.regid.store_id.into(), (&shopper.0).into(), self.moment.now.into()];
        tx.first(LOCK.bind(&args)).await?.ok_or_else(|| Error::internal("the shopper's row was not returned"))
    }

    /// Continues with what had stayed with the guest.
    async fn resume<T: Tx>(
        &self,
        tx: &mut T,
        pending: &PendingMerge,
        shopper: &Participant,
        guest: &Participant,
        has_subscriptions: bool,
    ) -> Result<()> {
        let PendingMerge { store_id, shopper: shopper_id, .. } = pending;
        let now = self.moment.now;
        let offset = journal::resume(tx, &self.regid, shopper_id, shopper.next_subscription, now).await?;
        if !has_subscriptions {
            return Ok(());
        }
        belongings::transfer_subscriptions(tx, pending, offset).await?;
        // The ordinals are reserved already, unless the journal begins anew.
        if offset == shopper.next_subscription {
            let reserved = [guest.next_subscription.into(), (*store_id).into(), (&shopper_id.0).into()];
            tx.execute(RESERVE_SUBSCRIPTIONS.bind(&reserved)).await?;
        }
        Ok(())
    }

    /// Retires the guest, and transfers the subscriptions.
    async fn retire<T: Tx>(
        &self,
        tx: &mut T,
        pending: &PendingMerge,
        shopper: &Participant,
        guest: &Participant,
    ) -> Result<()> {
        let (store_id, now) = (self.regid.store_id, self.moment.now);
        let PendingMerge { guest: guest_id, shopper: shopper_id, .. } = pending;
        let fills_names = shopper.names() == ("", "") && guest.names() != ("", "");
        let subscription_offset = shopper.next_subscription;
        let merge = NewMerge { shopper: *shopper_id, fills_names, subscription_offset, merged_at: now };
        journal::write(tx, &self.regid, &merge).await?;
        if guest.next_subscription > 0 {
            belongings::transfer_subscriptions(tx, pending, subscription_offset).await?;
            // Who logs in with an address need not confirm it by a link.
            let moment = self.moment.part(0);
            confirm(tx, &self.store, &self.email, shopper_id, &moment).await?;
        }
        let (first_name, last_name) = if fills_names { guest.names() } else { shopper.names() };
        let counts = [
            guest.next_subscription.into(),
            first_name.into(),
            last_name.into(),
            store_id.into(),
            (&shopper_id.0).into(),
        ];
        let retired = [(&shopper_id.0).into(), now.into(), store_id.into(), (&guest_id.0).into()];
        tx.execute_all(&[COUNT.bind(&counts), RETIRE.bind(&retired)]).await?;
        if self.regid.kind == RegidKind::DeviceGuest {
            let epoch = self.regid.generation;
            let first = guest_id.in_epoch(store_id, epoch);
            tx.execute(RAISE_EPOCH.bind(&[store_id.into(), (&first.0).into(), now.into(), (epoch + 1).into()])).await?;
        }
        Ok(())
    }
}

statements! {
    MERGED_INTO = "select merged_into, list_count, next_subscription, seen_at from shoppers where store_id = $1 and shopper_id = $2";
    LOCK = "insert into shoppers (store_id, shopper_id, generation, first_name, last_name, list_count, next_list,
                                  next_subscription, created_at, updated_at)
            values ($1, $2, 0, '', '', 0, 0, 0, $3, $3)
            on conflict (store_id, shopper_id) do update set generation = shoppers.generation
            returning next_list, next_subscription, first_name, last_name, merged_into, list_count";
    COUNT = "update shoppers set next_subscription = next_subscription + $1, first_name = $2, last_name = $3
             where store_id = $4 and shopper_id = $5";
    // What stays with the guest expires when the guest has not logged in for long.
    RETIRE = "update shoppers set merged_into = $1, updated_at = $2,
                                  seen_at = case when seen_at is null then seen_at else $2 end
              where store_id = $3 and shopper_id = $4";
    RENEW = "update shoppers set seen_at = $1 where store_id = $2 and shopper_id = $3 and seen_at < $1";
    RESERVE_SUBSCRIPTIONS = "update shoppers set next_subscription = next_subscription + $1
                             where store_id = $2 and shopper_id = $3";
    RESERVE = "update shoppers set next_list = next_list + $1 where store_id = $2 and shopper_id = $3";
    RAISE_EPOCH = "insert into shoppers (store_id, shopper_id, generation, first_name, last_name, list_count, next_list,
                                         next_subscription, created_at, updated_at, device_epoch)
        values ($1, $2, 0, '', '', 0, 0, 0, $3, $3, $4)
        on conflict (store_id, shopper_id) do update set
          device_epoch = case when shoppers.device_epoch < excluded.device_epoch then excluded.device_epoch
                              else shoppers.device_epoch end";
}
