//! What every request shares, and the one way to run a write.

use std::cell::Cell;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::cache::products::ProductCache;
use wishbone_core::catalog::lookup::ProductLookup;
use wishbone_core::error::{self as core_error, Code, Error};
use wishbone_core::idempotency::{FindResponse, IdempotencyKey, Idempotent};
use wishbone_core::tokens::Keys;
use wishbone_storage::{Database, ReadVersion, Write};

use crate::api::page::Pages;
use crate::cache::caches::{Caches, PRODUCTS};
use crate::cache::visit_buffer::VisitBuffer;
use crate::demo::page::DemoPage;
use crate::environment::Environment;
use crate::http::edge::address::Proxies;
use crate::http::edge::admission::AdmissionControl;
use crate::http::edge::rate_limit::RateLimiter;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::LargeResponses;
use crate::mail::mailer::Mailer;

tokio::task_local! {
    /// Writes of the request under way that were made, or may have been.
    static WRITES: Cell<u32>;
}

/// Runs a request whose writes are counted.
pub(crate) async fn count_writes<T>(request: impl Future<Output = T>) -> T {
    WRITES.scope(Cell::new(0), request).await
}

/// True if the request under way has changed something, or may have.
pub(crate) fn has_written() -> bool {
    WRITES.with(Cell::get) > 0
}

pub struct App {
    pub database: Database,
    pub keys: Keys,
    pub environment: Environment,
    pub limits: Limits,
    /// Calls of a shopper.
    pub rates: RateLimiter<(i64, [u8; 16])>,
    /// Calls from an address to a store.
    pub address_rates: RateLimiter<(i64, IpAddr)>,
    pub proxies: Proxies,
    /// Where clients reach this server, if the operator set it.
    pub public_url: Option<String>,
    pub admission: Arc<AdmissionControl>,
    pub large_responses: LargeResponses,
    /// The API's description, once someone has asked for it.
    pub pages: OnceLock<Pages>,
    /// `None` on an engine that other processes write to.
    pub(crate) caches: Option<Caches>,
    pub(crate) products: Arc<ProductCache>,
    /// The start page, when this is the demo.
    pub demo: Option<DemoPage>,
    /// Rung when a list is to be copied.
    pub new_copy: Notify,
    pub visits: VisitBuffer,
    /// The last night whose clean-up this node has finished.
    pub cleaned_night: AtomicI64,
    /// Without one, mails wait in the queue.
    pub mailer: Option<Mailer>,
    /// Rung when a mail was queued here.
    pub new_mail: Notify,
    draining: AtomicBool,
    maintenance: AtomicBool,
}

/// What one request may take, and how many there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub request_timeout: Duration,
    /// How long a server that was told to stop goes on as before, so that those who send requests can turn elsewhere.
    pub drain_grace: Duration,
    /// Requests under way at once.
    pub requests: usize,
    pub connections: usize,
    /// Of one address that is no trusted proxy.
    pub connections_per_address: usize,
    pub form_bytes: usize,
    pub json_bytes: usize,
    /// Bytes of pages of lists that are kept.
    pub page_memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(4, usize::from);
        Self {
            request_timeout: Duration::from_secs(15),
            drain_grace: Duration::ZERO,
            // Some full group commits on SQLite, which are what makes it quick, and a fraction of a second of work.
            requests: 1_024 * threads.min(8),
            connections: 20_000,
            connections_per_address: 10_000,
            form_bytes: 1 << 20,
            json_bytes: 4 << 20,
            page_memory: 96 << 20,
        }
    }
}

impl App {
    pub fn new(database: Database, keys: Keys, environment: Environment, limits: Limits) -> Self {
        Self {
            caches: database.change_tracker().map(|changes| Caches::new(changes, limits.page_memory)),
            products: Arc::new(ProductCache::new(database.change_tracker(), PRODUCTS)),
            database,
            keys,
            environment,
            limits,
            rates: RateLimiter::default(),
            address_rates: RateLimiter::default(),
            proxies: Proxies::default(),
            public_url: None,
            admission: AdmissionControl::new(limits.requests),
            large_responses: LargeResponses::default(),
            pages: OnceLock::new(),
            demo: None,
            new_copy: Notify::new(),
            visits: VisitBuffer::default(),
            cleaned_night: AtomicI64::new(i64::MIN),
            mailer: None,
            new_mail: Notify::new(),
            draining: AtomicBool::new(false),
            maintenance: AtomicBool::new(false),
        }
    }

    /// The version of whatever is read from now on; `None` if nothing may be cached.
    pub(crate) fn read_version(&self) -> Option<ReadVersion> {
        self.caches.as_ref().and_then(Caches::read_version)
    }

    /// The product lookup of a request that reads at this version.
    pub(crate) fn product_lookup(&self, version: Option<ReadVersion>) -> Option<ProductLookup> {
        match (&self.caches, version) {
            (None, _) => Some(ProductLookup::new(&self.products, None, self.environment.now())),
            (Some(_), None) => None,
            (Some(_), version) => Some(ProductLookup::new(&self.products, version, self.environment.now())),
        }
    }

    /// The stored response to an earlier call with this key. For calls that are several writes: the last one stores it.
    pub(crate) async fn stored_response(&self, key: Option<&IdempotencyKey>) -> Result<Option<Answer>> {
        let Some(key) = key else { return Ok(None) };
        Ok(self.database.read(FindResponse { key: key.clone() }).await?.map(Answer))
    }

    /// Runs a write and shapes its answer. Under an idempotency key it runs once, and is answered the same again.
    pub(crate) async fn write<W: Write<Error = Error>>(
        &self,
        key: Option<IdempotencyKey>,
        operation: W,
        shape: impl Fn(W::Out) -> Answer + Send + Sync + 'static,
    ) -> Result<Answer> {
        match key {
            None => Ok(shape(counted(self.database.write(operation)).await?)),
            Some(key) => {
                let answer = move |out| shape(out).0;
                let (response, _) = counted(self.database.write(Idempotent { key, operation, answer })).await?;
                Ok(Answer(response))
            }
        }
    }

    /// From now on `/readyz` says no to whoever still has a connection.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// As it was when the database was last asked.
    pub fn is_in_maintenance(&self) -> bool {
        self.maintenance.load(Ordering::Relaxed)
    }

    pub fn set_maintenance(&self, on: bool) {
        self.maintenance.store(on, Ordering::Relaxed);
    }
}

/// Awaits a write. Once it has begun, nobody can say that the request has changed nothing, unless the write fails in a
/// way that says so itself.
async fn counted<T>(write: impl Future<Output = core_error::Result<T>>) -> core_error::Result<T> {
    let count = |change: fn(u32) -> u32| WRITES.try_with(|writes| writes.set(change(writes.get()))).unwrap_or_default();
    count(|writes| writes + 1);
    let out = write.await;
    if out.as_ref().is_err_and(|error| error.code != Code::OutcomeUnknown) {
        count(|writes| writes - 1);
    }
    out
}
