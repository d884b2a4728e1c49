//! State shared by all requests, and the single entry point for writes.

use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::response::Response;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;
use wishbone_core::catalog::lookup::ProductLookup;
use wishbone_core::catalog::product_cache::ProductCache;
use wishbone_core::error::{self as core_error, Code, Error};
use wishbone_core::idempotency::{FindResponse, IdempotencyKey, Idempotent};
use wishbone_core::identity::caller::Shopper;
use wishbone_core::registry::DISTRIBUTED_TABLE;
use wishbone_core::stores::record_cache::RecordCache;
use wishbone_core::stores::work::Work;
use wishbone_core::tokens::Keys;
use wishbone_storage::{Database, Write};

use crate::api::lists::MAX_LIVE_SECONDS;
use crate::background_payers::BackgroundPayers;
use crate::demo::page::DemoShop;
use crate::environment::Environment;
use crate::http::clients::client::Clients;
use crate::http::edge::address::Proxies;
use crate::http::edge::admission::{AdmissionControl, overloaded};
use crate::http::edge::rate_limit::{Rate, RateLimiter};
use crate::http::edge::tls::ServerTls;
use crate::http::response::answer::Answer;
use crate::http::response::documents::Documents;
use crate::http::response::error::Result;
use crate::http::response::large_response::{self, LargeResponses, Reservation, SMALL};
use crate::limit_key::{Addressed, ClientAddress, HashedKey, LimitKey};
use crate::live::registry::LiveLists;
use crate::long_reads::LongReads;
use crate::mail::mailer::Mailer;
use crate::mail::pool::RenderPool;
use crate::outage::{DatabaseProblem, Outage};
use crate::outbound::client::HttpClient;
use crate::pacing::Pacing;
use crate::reachable_stores::ReachableStores;
use crate::slot_limiter::{Slot, SlotLimiter};
use crate::visit_buffer::VisitBuffer;
use crate::worker_limiter::WorkerLimiter;
use crate::write_quotas::{Metered, Payer, WriteQuotas};

/// The writes of a request.
#[derive(Default)]
struct RequestWrites {
    /// How many were committed, or may have been.
    count: Cell<u32>,
    payer: OnceCell<Payer>,
}

tokio::task_local! {
    /// Of the current request.
    static WRITES: RequestWrites;
}

/// Runs a request and counts its writes.
pub(crate) async fn count_writes<T>(request: impl Future<Output = T>) -> T {
    WRITES.scope(RequestWrites::default(), request).await
}

/// Who pays for what the current request writes.
fn payer() -> Option<Payer> {
    WRITES.try_with(|writes| writes.payer.get().cloned()).ok().flatten()
}

/// True if the current request has changed data, or may have.
pub(crate) fn has_written() -> bool {
    WRITES.with(|writes| writes.count.get()) > 0
}

pub struct App {
    pub database: Database,
    pub keys: Keys,
    pub environment: Environment,
    pub limits: Limits,
    /// Calls per shopper.
    pub rates: RateLimiter<(i64, [u8; 16])>,
    /// Calls per store and client address.
    pub address_rates: RateLimiter<(i64, ClientAddress)>,
    write_quotas: Arc<WriteQuotas>,
    background_payers: BackgroundPayers,
    pub proxies: Proxies,
    /// `None` if the server speaks plain HTTP.
    pub tls: Option<Arc<ServerTls>>,
    /// Where clients reach this server, if the operator set it.
    pub public_url: Option<String>,
    pub admission: Arc<AdmissionControl>,
    pub pacing: Pacing,
    pub(crate) clients: Arc<Clients>,
    pub large_responses: LargeResponses,
    /// Large bodies of a store's server, until their responses.
    pub(crate) large_bodies: Arc<SlotLimiter<i64>>,
    /// Bodies that are too large, which are read so that the client gets to read the error.
    pub(crate) discarded_bodies: Arc<SlotLimiter<ClientAddress>>,
    /// Calls that have messages sent to an address.
    recipients: Arc<SlotLimiter<Addressed>>,
    /// Calls of a mail's link at the same time: more would wait for each other, with connections that others need.
    pub(crate) mail_links: Arc<SlotLimiter<HashedKey>>,
    /// Calls of a shared list's page at the same time, per link.
    pub(crate) shared_links: Arc<SlotLimiter<HashedKey>>,
    /// KiB of large responses per caller.
    large_response_rates: RateLimiter<LimitKey>,
    pub long_reads: LongReads,
    pub(crate) live: LiveLists,
    /// The API description, rendered on first use.
    pub(crate) documents: OnceLock<Documents>,
    products: Arc<ProductCache>,
    pub(crate) stores: RecordCache,
    /// The shop of `wishbone demo`.
    pub demo: Option<DemoShop>,
    /// Notified when copies, unions, undos or transfers of wishes are left to be done in steps.
    pub new_copy: Notify,
    /// Notified when items of a deleted list are left to be purged.
    pub deleted_list: Notify,
    pub visits: VisitBuffer,
    /// The last night whose clean-up this node has finished.
    pub cleaned_night: AtomicI64,
    reachable_stores: ReachableStores,
    /// `None` if the database is not sharded.
    workers: Option<WorkerLimiter>,
    /// Renders mails and pages.
    pub(crate) renders: RenderPool,
    /// Without a mailer, mail stays in the queue.
    pub mailer: Option<Mailer>,
    /// Notified when this node queues a mail.
    pub new_mail: Notify,
    /// Notified when a change of the catalogue has an event that somebody waits for.
    pub new_alert: Notify,
    /// Notified when this node makes alerts due.
    pub due_alert: Notify,
    /// Sends webhooks and SMS.
    pub outbound: HttpClient,
    draining: AtomicBool,
    maintenance: AtomicBool,
    /// What is wrong with writes, if something is.
    write_problem: Mutex<Option<DatabaseProblem>>,
    /// Notified when it is to be found out whether the problem is over.
    pub(crate) probe_writes: Notify,
    pub(crate) outage: Outage,
    job_operations: Semaphore,
    large_writes: Semaphore,
}

/// Size of the product cache in bytes.
const PRODUCT_CACHE: usize = 48 << 20;
/// Operations of jobs on the database at the same time. Requests keep the other connections: there are 16 by default.
const JOB_OPERATIONS: usize = 8;
pub(crate) const LARGE_BODIES_PER_STORE: usize = 4;
const DISCARDED_BODIES_PER_ADDRESS: usize = 4;
/// Calls of one caller that have a message sent to an address at the same time; all callers have four times as many. More would
/// wait for its row, with connections that others need.
const CALLS_PER_RECIPIENT: usize = 1;
/// Calls of a mail's link at the same time.
const CALLS_PER_LINK: usize = 4;
/// Calls of a shared list's page at the same time. Many people have the link; the store's other pages need renderings too.
const CALLS_PER_SHARED_LINK: usize = 8;

/// Large writes at the same time. On SQLite all others wait behind them.
const LARGE_WRITES: usize = 1;

/// KiB of large responses that a caller may receive per second, and in a burst. An ordinary list of 10,000 items has 4,000.
const LARGE_RESPONSE_RATE: Rate = Rate { calls: 8 << 10, period: 1_000, burst: 64 << 10 };

/// The default of connections from one address. Each takes about 28 KiB after its first request.
pub const MAX_CONNECTIONS_PER_ADDRESS: usize = 2_000;

/// Limits on requests and connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub request_timeout: Duration,
    /// The longest time of a stream of live lists.
    pub live_timeout: Duration,
    /// Time to keep serving after SIGTERM, so that load balancers can switch to other nodes.
    pub drain_grace: Duration,
    /// Concurrent requests.
    pub requests: usize,
    pub connections: usize,
    /// True if the limit on open files leaves room for fewer than the default.
    pub is_cut_short: bool,
    /// Connections from one address, unless it is a trusted proxy.
    pub connections_per_address: usize,
    pub form_bytes: usize,
    pub json_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(4, usize::from);
        Self {
            request_timeout: Duration::from_secs(15),
            live_timeout: Duration::from_secs(MAX_LIVE_SECONDS),
            drain_grace: Duration::ZERO,
            // Enough to fill several group commits on SQLite, and no more than a fraction of a second of work.
            requests: 1_024 * threads.min(8),
            connections: 20_000,
            is_cut_short: false,
            connections_per_address: MAX_CONNECTIONS_PER_ADDRESS,
            form_bytes: 1 << 20,
            json_bytes: 4 << 20,
        }
    }
}

impl App {
    pub fn new(database: Database, keys: Keys, environment: Environment, limits: Limits) -> Self {
        let admission = AdmissionControl::new(limits.requests);
        let clients = Arc::<Clients>::default();
        let [jitter] = Environment::Real.random();
        let outage = Outage::new(database.engine() == "postgres", jitter);
        Self {
            stores: RecordCache::default(),
            products: Arc::new(ProductCache::new(PRODUCT_CACHE)),
            database,
            keys,
            environment,
            limits,
            rates: RateLimiter::default(),
            address_rates: RateLimiter::default(),
            write_quotas: Arc::default(),
            background_payers: BackgroundPayers::default(),
            proxies: Proxies::default(),
            tls: None,
            public_url: None,
            pacing: Pacing::new(Arc::clone(&admission)),
            admission,
            large_responses: LargeResponses::new(Arc::clone(&clients)),
            large_bodies: SlotLimiter::new(usize::MAX, LARGE_BODIES_PER_STORE),
            discarded_bodies: SlotLimiter::new(usize::MAX, DISCARDED_BODIES_PER_ADDRESS),
            recipients: SlotLimiter::new(usize::MAX, CALLS_PER_RECIPIENT),
            mail_links: SlotLimiter::new(usize::MAX, CALLS_PER_LINK),
            shared_links: SlotLimiter::new(usize::MAX, CALLS_PER_SHARED_LINK),
            clients,
            large_response_rates: RateLimiter::default(),
            long_reads: LongReads::default(),
            live: LiveLists::default(),
            documents: OnceLock::new(),
            demo: None,
            new_copy: Notify::new(),
            deleted_list: Notify::new(),
            visits: VisitBuffer::default(),
            cleaned_night: AtomicI64::new(i64::MIN),
            reachable_stores: ReachableStores::default(),
            workers: None,
            renders: RenderPool::default(),
            mailer: None,
            new_mail: Notify::new(),
            new_alert: Notify::new(),
            due_alert: Notify::new(),
            outbound: HttpClient::new(false),
            draining: AtomicBool::new(false),
            maintenance: AtomicBool::new(false),
            write_problem: Mutex::default(),
            probe_writes: Notify::new(),
            outage,
            job_operations: Semaphore::new(JOB_OPERATIONS),
            large_writes: Semaphore::new(LARGE_WRITES),
        }
    }

    /// Wakes the jobs that continue what a call leaves to be done in steps, or waited for the end of such steps.
    pub(crate) fn wake_steps(&self) {
        self.new_copy.notify_one();
        self.deleted_list.notify_one();
    }

    /// The product lookup of a request.
    pub(crate) fn product_lookup(&self) -> ProductLookup {
        ProductLookup::new(&self.products, self.environment.now())
    }

    /// The stored response to an earlier call with this key. For operations of several writes, whose last write stores it.
    pub(crate) async fn stored_response(&self, key: Option<&IdempotencyKey>) -> Result<Option<Answer>> {
        let Some(key) = key else { return Ok(None) };
        Ok(self.database.read(FindResponse { key: key.clone() }).await?.map(Answer))
    }

    /// Runs a write and builds its response. With an idempotency key it runs once; repeats get the stored response.
    pub(crate) async fn write<W: Write<Error = Error>>(
        &self,
        key: Option<IdempotencyKey>,
        operation: W,
        respond: impl Fn(W::Out) -> Answer + Send + Sync + 'static,
    ) -> Result<Answer> {
        match key {
            None => Ok(respond(self.metered(operation).await?)),
            Some(key) => {
                let respond = move |out| respond(out).0;
                let response = self.metered(Idempotent { key, operation, respond }).await?;
                Ok(Answer(response))
            }
        }
    }

    /// Runs a write that the shopper of the current request pays for.
    pub(crate) async fn metered<W: Write<Error = Error>>(&self, operation: W) -> core_error::Result<W::Out> {
        let out = counted(self.database.write(Metered { operation, payer: payer() })).await;
        // A limit with a cause concerns the operator.
        if out.as_ref().is_err_and(|error| error.limit.is_some() && error.cause.is_some()) {
            metrics::counter!("wishbone_message_limits_total").increment(1);
        }
        out
    }

    /// Admits a write by a shopper, who pays for everything that the current request writes. One that frees more than it
    /// writes needs no quota.
    pub(crate) fn admit_write(
        &self,
        by: &Shopper,
        address: Option<ClientAddress>,
        frees: bool,
    ) -> core_error::Result<()> {
        let payer = Payer::new(&self.write_quotas, by, address, self.environment.now());
        payer.admit_rate()?;
        if !frees {
            payer.admit_bytes()?;
        }
        let _ = WRITES.try_with(|writes| writes.payer.set(payer));
        Ok(())
    }

    /// Makes the current request pay for what is going to be written to a list in the background.
    pub(crate) fn reserve(&self, list: Uuid, bytes: u64) {
        if let Some(payer) = payer().filter(|_| bytes > 0) {
            self.background_payers.insert(list, payer.reserve(bytes));
        }
    }

    /// Runs a write to a list in the background, which was paid for in advance.
    pub(crate) async fn write_reserved<W: Write<Error = Error>>(
        &self,
        list: Uuid,
        operation: W,
    ) -> core_error::Result<W::Out> {
        let payer = self.background_payers.get(list).map(|payer| payer.at(self.environment.now()));
        self.database.write(Metered { operation, payer }).await
    }

    /// Refunds what was reserved for a list and has not been written, once no more will be.
    pub(crate) fn settle(&self, list: Uuid) {
        if let Some(payer) = self.background_payers.remove(list) {
            payer.at(self.environment.now()).settle();
        }
    }

    /// Refunds what the current request has deleted. The rest of a list that is purged in the background is refunded then.
    pub(crate) fn refund_list(&self, list: Uuid, freed: u64, is_left: bool) {
        self.settle(list);
        let Some(payer) = payer() else { return };
        payer.refund(freed);
        if is_left {
            self.background_payers.insert(list, payer);
        }
    }

    /// Refunds what was purged of a list.
    pub(crate) fn refund_purged(&self, list: Uuid, freed: u64, is_left: bool) {
        let payers = &self.background_payers;
        let payer = if is_left { payers.get(list) } else { payers.remove(list) };
        if let Some(payer) = payer {
            payer.at(self.environment.now()).refund(freed);
        }
    }

    /// Begins a call that has a message sent to an address. Its owner waits in line, whatever others do.
    pub(crate) fn enter_recipient(
        &self,
        by: &Shopper,
        client: Option<ClientAddress>,
        address: &str,
    ) -> core_error::Result<Slot<Addressed>> {
        let is_own = by.email() == Some(address);
        let call = (!is_own).then(|| Addressed::new(by.store().store_id, address, LimitKey::new(by, client)));
        self.recipients.acquire(call).ok_or_else(overloaded)
    }

    /// Fails if the caller has received too much in large responses lately.
    pub(crate) fn require_response_rate(&self, caller: LimitKey) -> core_error::Result<()> {
        let verdict = self.large_response_rates.check(caller, LARGE_RESPONSE_RATE, self.environment.now());
        verdict.require("a caller may receive", "KiB a second in large responses")
    }

    /// Reserves memory for a response that may be large, before it is made. Fails if the caller has received too much lately.
    pub(crate) fn reserve_response(&self, caller: LimitKey, bytes: usize) -> core_error::Result<Reservation> {
        self.require_response_rate(caller)?;
        self.large_responses.reserve(Some(caller), bytes)
    }

    /// Admits a response, which every one passes. A large one is a debt that delays the caller's next one, also if it is
    /// refused: it has been made.
    pub(crate) fn admit_response(&self, caller: Option<LimitKey>, response: &mut Response) -> core_error::Result<()> {
        let bytes = large_response::size(response);
        let admitted = self.large_responses.admit(caller, response);
        if let Some(caller) = caller.filter(|_| bytes > SMALL) {
            let kib = u32::try_from(bytes >> 10).unwrap_or(u32::MAX);
            self.large_response_rates.charge(caller, LARGE_RESPONSE_RATE, kib, self.environment.now());
        }
        admitted
    }

    /// Starts draining: `/readyz` returns 503, HTTP/1 connections are closed after their next response, and streams end.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.live.close();
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Limits the share of the connections that requests for the stores of one worker of a sharded database hold.
    pub fn limit_workers(&mut self, connections: usize) {
        self.workers = Some(WorkerLimiter::new(connections));
    }

    pub(crate) fn is_sharded(&self) -> bool {
        self.workers.is_some()
    }

    /// Waits until a request for a store may run. The permit is held until the request has ended.
    pub(crate) async fn enter_worker(&self, store_id: i64) -> core_error::Result<Option<OwnedSemaphorePermit>> {
        let Some(workers) = &self.workers else { return Ok(None) };
        Ok(Some(workers.enter(store_id, self.database.worker(DISTRIBUTED_TABLE, store_id)).await?))
    }

    /// Returns the stores for which a job has work of a kind.
    pub(crate) async fn stores_with(&self, work: Work) -> core_error::Result<Vec<i64>> {
        self.reachable_stores.with_work(&self.database, work, self.environment.now()).await
    }

    /// Runs an operation of a job that has many at the same time.
    pub(crate) async fn of_job<T>(&self, operation: impl Future<Output = T>) -> T {
        // The semaphore is never closed.
        let _permit = self.job_operations.acquire().await.ok();
        operation.await
    }

    /// Runs a write that takes long when it is its turn.
    pub(crate) async fn large_write<T>(&self, write: impl Future<Output = T>) -> T {
        // The semaphore is never closed.
        let _permit = self.large_writes.acquire().await.ok();
        write.await
    }

    /// What was wrong with writes when they were last probed.
    pub fn write_problem(&self) -> Option<DatabaseProblem> {
        self.write_problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_write_problem(&self, problem: Option<DatabaseProblem>) {
        if problem.is_none() {
            self.outage.end();
        }
        *self.write_problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }

    /// The maintenance state when it was last read from the database.
    pub fn is_in_maintenance(&self) -> bool {
        self.maintenance.load(Ordering::Relaxed)
    }

    pub fn set_maintenance(&self, on: bool) {
        self.maintenance.store(on, Ordering::Relaxed);
    }
}

/// Awaits a write and counts it before it starts: a cancelled write may have been committed. A failed write is not
/// counted, unless its outcome is unknown.
async fn counted<T>(write: impl Future<Output = core_error::Result<T>>) -> core_error::Result<T> {
    let count = |change: fn(u32) -> u32| {
        WRITES.try_with(|writes| writes.count.set(change(writes.count.get()))).unwrap_or_default();
    };
    count(|writes| writes + 1);
    let out = write.await;
    if out.as_ref().is_err_and(|error| error.code != Code::OutcomeUnknown) {
        count(|writes| writes - 1);
    }
    out
}
