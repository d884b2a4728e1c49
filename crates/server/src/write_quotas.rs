//! Limits on writes: how often and how much a shopper, the browser guests of one client address, and all shoppers of a store
//! may write. Each node counts for itself.

use std::net::IpAddr;
use std::sync::Arc;

use wishbone_core::error::Result;
use wishbone_core::identity::caller::Shopper;
use wishbone_core::moment::Millis;
use wishbone_core::stores::record::StoreRecord;
use wishbone_core::stores::settings::Settings;
use wishbone_storage::{Tx, Write, WriteSet};

use crate::http::edge::rate_limit::{Rate, RateLimiter};
use crate::limit_key::guest_address;

/// Bursts of writes are allowed for this many seconds: a shop may import a shopper's lists at once.
const BURST_SECONDS: u32 = 20;

type ShopperKey = (i64, [u8; 16]);
type AddressKey = (i64, IpAddr);

#[derive(Default)]
pub(crate) struct WriteQuotas {
    shopper_rates: RateLimiter<ShopperKey>,
    address_rates: RateLimiter<AddressKey>,
    shopper_bytes: RateLimiter<ShopperKey>,
    address_bytes: RateLimiter<AddressKey>,
    store_bytes: RateLimiter<i64>,
}

/// Who pays for what a request writes.
#[derive(Clone)]
pub(crate) struct Payer {
    quotas: Arc<WriteQuotas>,
    now: Millis,
    store: Arc<StoreRecord>,
    shopper: ShopperKey,
    /// Set for browser guests only.
    address: Option<AddressKey>,
}

impl Payer {
    pub(crate) fn new(quotas: &Arc<WriteQuotas>, by: &Shopper, address: Option<IpAddr>, now: Millis) -> Self {
        let store = Arc::clone(by.store());
        let address = guest_address(by, address).map(|address| (store.store_id, address));
        Self { quotas: Arc::clone(quotas), now, shopper: by.fingerprint(), address, store }
    }

    /// Admits a write, or tells when the next one will be.
    pub(crate) fn admit(&self) -> Result<()> {
        let (quotas, settings, now) = (&self.quotas, &self.store.settings, self.now);
        let rate = Rate::with_burst(settings.write_rate_limit, BURST_SECONDS);
        quotas.shopper_rates.take(self.shopper, rate, now).require("a shopper may write", "times a second")?;
        if let Some(address) = self.address {
            let rate = Rate::with_burst(settings.address_write_rate_limit, BURST_SECONDS);
            quotas.address_rates.take(address, rate, now).require("an address may write", "times a second")?;
        }
        let [shopper, address, store] = byte_rates(settings);
        quotas.shopper_bytes.check(self.shopper, shopper, now).require("a shopper may write", "KiB a day")?;
        if let Some(key) = self.address {
            quotas.address_bytes.check(key, address, now).require("an address may write", "KiB a day")?;
        }
        let of_store = quotas.store_bytes.check(self.store.store_id, store, now);
        of_store.require("shoppers of this store may write", "KiB a day")
    }

    /// Counts what was written. More than is left is a debt that delays the next write.
    pub(crate) fn charge(&self, bytes: u64) {
        let kib = u32::try_from(bytes.div_ceil(1_024)).unwrap_or(u32::MAX);
        let (quotas, now) = (&self.quotas, self.now);
        let [shopper, address, store] = byte_rates(&self.store.settings);
        quotas.shopper_bytes.charge(self.shopper, shopper, kib, now);
        if let Some(key) = self.address {
            quotas.address_bytes.charge(key, address, kib, now);
        }
        quotas.store_bytes.charge(self.store.store_id, store, kib, now);
    }
}

/// The quotas of a shopper, of an address and of the store.
fn byte_rates(settings: &Settings) -> [Rate; 3] {
    [settings.shopper_quota, settings.address_quota, settings.store_quota].map(Rate::mib_per_day)
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

    fn write_set(&self, out: &Self::Out) -> WriteSet {
        self.operation.write_set(out)
    }
}
