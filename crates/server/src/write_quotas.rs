//! Limits on writes: how often and how much a shopper, the browser guests of one client address, and all shoppers of a store
//! may write. Each node counts for itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wishbone_core::error::Result;
use wishbone_core::identity::caller::Shopper;
use wishbone_core::moment::Millis;
use wishbone_core::stores::record::StoreRecord;
use wishbone_core::stores::settings::Settings;
use wishbone_storage::{Tx, Write};

use crate::http::edge::rate_limit::{Rate, RateLimiter};
use crate::limit_key::{ClientAddress, LimitKey, guest_address};

/// Bursts of writes are allowed for this many seconds: a shop may import a shopper's lists at once.
const BURST_SECONDS: u32 = 20;

type ShopperKey = (i64, [u8; 16]);
type AddressKey = (i64, ClientAddress);

#[derive(Default)]
pub(crate) struct WriteQuotas {
    shopper_rates: RateLimiter<ShopperKey>,
    address_rates: RateLimiter<AddressKey>,
    shopper_bytes: RateLimiter<ShopperKey>,
    address_bytes: RateLimiter<AddressKey>,
    /// The half of a store's quota that only shoppers who are logged in use, and that they use first.
    reserved_bytes: RateLimiter<i64>,
    /// The other half, which is all that guests have.
    shared_bytes: RateLimiter<i64>,
    /// What was refunded.
    refunded_bytes: RateLimiter<(i64, LimitKey)>,
}

/// Who pays for what a request writes.
#[derive(Clone)]
pub(crate) struct Payer {
    quotas: Arc<WriteQuotas>,
    now: Millis,
    store: Arc<StoreRecord>,
    shopper: ShopperKey,
    is_logged_in: bool,
    /// Set for browser guests only.
    address: Option<AddressKey>,
    /// KiB that were charged before they are written.
    reserved: Arc<AtomicU32>,
}

impl Payer {
    pub(crate) fn new(quotas: &Arc<WriteQuotas>, by: &Shopper, address: Option<ClientAddress>, now: Millis) -> Self {
        let store = Arc::clone(by.store());
        let address = guest_address(by, address).map(|address| (store.store_id, address));
        let (shopper, is_logged_in) = (by.fingerprint(), by.email().is_some());
        Self { quotas: Arc::clone(quotas), now, store, shopper, is_logged_in, address, reserved: Arc::default() }
    }

    /// The same payer at another time.
    pub(crate) fn at(self, now: Millis) -> Self {
        Self { now, ..self }
    }

    /// Admits a write, or tells when the next one will be.
    pub(crate) fn admit_rate(&self) -> Result<()> {
        let (quotas, settings, now) = (&self.quotas, &self.store.settings, self.now);
        let rate = Rate::with_burst(settings.write_rate_limit, BURST_SECONDS);
        quotas.shopper_rates.take(self.shopper, rate, now).require("a shopper may write", "times a second")?;
        if let Some(address) = self.address {
            let rate = Rate::with_burst(settings.address_write_rate_limit, BURST_SECONDS);
            quotas.address_rates.take(address, rate, now).require("an address may write", "times a second")?;
        }
        Ok(())
    }

    /// Fails if a quota is used up.
    pub(crate) fn admit_bytes(&self) -> Result<()> {
        let (quotas, settings, now) = (&self.quotas, &self.store.settings, self.now);
        let [shopper, address] = byte_rates(settings);
        quotas.shopper_bytes.check(self.shopper, shopper, now).require("a shopper may write", "KiB a day")?;
        if let Some(key) = self.address {
            quotas.address_bytes.check(key, address, now).require("an address may write", "KiB a day")?;
        }
        let (store_id, half) = (self.store.store_id, half_of_store(settings));
        if self.has_reserved_share() {
            return Ok(());
        }
        let who = if self.is_logged_in { "shoppers of this store may write" } else { "guests of this store may write" };
        quotas.shared_bytes.check(store_id, half, now).require(who, "KiB a day in the share of guests")
    }

    /// True while something is left of the share that guests cannot touch.
    fn has_reserved_share(&self) -> bool {
        let half = half_of_store(&self.store.settings);
        self.is_logged_in && self.quotas.reserved_bytes.check(self.store.store_id, half, self.now).allowed
    }

    /// Counts what was written, unless it was reserved. More than is left is a debt that delays the next write.
    pub(crate) fn charge(&self, bytes: u64) {
        let kib = kib(bytes);
        let reserved = take(&self.reserved, kib);
        self.count(kib - reserved);
    }

    /// Counts what is going to be written in the background.
    pub(crate) fn reserve(&self, bytes: u64) -> Self {
        let kib = kib(bytes);
        self.count(kib);
        Self { reserved: Arc::new(kib.into()), ..self.clone() }
    }

    /// Refunds what was reserved and has not been written.
    pub(crate) fn settle(&self) {
        self.uncount(take(&self.reserved, u32::MAX));
    }

    /// Refunds what was deleted, up to a day's quota in a day: writing and deleting by turns is limited too.
    pub(crate) fn refund(&self, bytes: u64) {
        let [shopper, address] = byte_rates(&self.store.settings);
        let (key, rate) = match self.address {
            Some((store, key)) => ((store, LimitKey::Address(key)), address),
            None => ((self.shopper.0, LimitKey::Shopper(self.shopper)), shopper),
        };
        self.uncount(self.quotas.refunded_bytes.take_up_to(key, rate, kib(bytes), self.now));
    }

    fn count(&self, kib: u32) {
        let (quotas, settings, store_id, now) = (&self.quotas, &self.store.settings, self.store.store_id, self.now);
        let [shopper, address] = byte_rates(settings);
        quotas.shopper_bytes.charge(self.shopper, shopper, kib, now);
        if let Some(key) = self.address {
            quotas.address_bytes.charge(key, address, kib, now);
        }
        let share = if self.has_reserved_share() { &quotas.reserved_bytes } else { &quotas.shared_bytes };
        share.charge(store_id, half_of_store(settings), kib, now);
    }

    /// Gives back what was counted. What a shopper who is logged in gives back is never added to the share of guests, which
    /// may not have been charged for it.
    fn uncount(&self, kib: u32) {
        let (quotas, settings, store_id, now) = (&self.quotas, &self.store.settings, self.store.store_id, self.now);
        let [shopper, address] = byte_rates(settings);
        quotas.shopper_bytes.refund(self.shopper, shopper, kib, now);
        if let Some(key) = self.address {
            quotas.address_bytes.refund(key, address, kib, now);
        }
        let share = if self.is_logged_in { &quotas.reserved_bytes } else { &quotas.shared_bytes };
        share.refund(store_id, half_of_store(settings), kib, now);
    }
}

/// The quotas of a shopper and of an address.
fn byte_rates(settings: &Settings) -> [Rate; 2] {
    [settings.shopper_quota, settings.address_quota].map(Rate::mib_per_day)
}

/// The quota of each share of a store.
fn half_of_store(settings: &Settings) -> Rate {
    Rate::mib_per_day(settings.store_quota).half()
}

fn kib(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX)
}

/// Takes up to `amount`. Returns how much was there.
fn take(from: &AtomicU32, amount: u32) -> u32 {
    let before = from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(amount)));
    before.unwrap_or_default().min(amount)
}

/// A write that counts its bytes. It counts them before the commit, since a client that disconnects does not stop it.
pub(crate) struct Metered<W> {
    pub(crate) operation: W,
    /// `None` for calls by the store.
    pub(crate) payer: Option<Payer>,
}

impl<W: Write> Write for Metered<W> {
    const NAME: &'static str = W::NAME;
    const SERIALIZABLE: bool = W::SERIALIZABLE;
    const IDEMPOTENT: bool = W::IDEMPOTENT;
    type Out = W::Out;
    type Error = W::Error;

    fn shard_key(&self) -> Option<i64> {
        self.operation.shard_key()
    }

    async fn run<T: Tx>(&self, tx: &mut T) -> std::result::Result<Self::Out, Self::Error> {
        let out = self.operation.run(tx).await?;
        if let Some(payer) = &self.payer {
            payer.charge(tx.written_bytes());
        }
        Ok(out)
    }
}
