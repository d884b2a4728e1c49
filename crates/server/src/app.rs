//! What every request shares.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::dictionary::Dictionary;
use wishbone_core::identity::Keys;
use wishbone_core::words::KnownWords;
use wishbone_store::Store;

use crate::demo::DemoPage;
use crate::http::address::Proxies;
use crate::http::gate::Gate;
use crate::http::large::LargeAnswers;
use crate::http::rate::RateLimiter;
use crate::jobs::clean::LastNight;
use crate::jobs::visits::Visits;
use crate::mail::Mailer;
use crate::memory::{Memories, Memory, WORDS};
use crate::openapi::Pages;
use crate::world::World;

pub struct App {
    pub store: Store,
    pub keys: Keys,
    pub world: World,
    pub limits: Limits,
    /// Calls of a shopper.
    pub rates: RateLimiter<(i64, [u8; 16])>,
    /// Calls from an address to a store.
    pub address_rates: RateLimiter<(i64, IpAddr)>,
    pub proxies: Proxies,
    pub gate: Arc<Gate>,
    pub large_answers: LargeAnswers,
    /// The API's description, once someone has asked for it.
    pub pages: OnceLock<Pages>,
    /// None where other nodes write too.
    memory: Option<Memory>,
    pub(crate) words: Arc<Dictionary>,
    /// The start page, when this is the demo.
    pub demo: Option<DemoPage>,
    /// Rung when a list is to be copied.
    pub new_copy: Notify,
    pub visits: Visits,
    pub last_night: LastNight,
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
    pub fn new(store: Store, keys: Keys, world: World, limits: Limits) -> Self {
        Self {
            memory: store.changes().map(|changes| Memory::new(changes, limits.page_memory)),
            words: Arc::new(Dictionary::new(store.changes(), WORDS)),
            store,
            keys,
            world,
            limits,
            rates: RateLimiter::default(),
            address_rates: RateLimiter::default(),
            proxies: Proxies::default(),
            gate: Gate::new(limits.requests),
            large_answers: LargeAnswers::default(),
            pages: OnceLock::new(),
            demo: None,
            new_copy: Notify::new(),
            visits: Visits::default(),
            last_night: LastNight::default(),
            mailer: None,
            new_mail: Notify::new(),
            draining: AtomicBool::new(false),
            maintenance: AtomicBool::new(false),
        }
    }

    /// What this process has in memory, if that can be trusted now.
    pub(crate) fn memories(&self) -> Option<Memories<'_>> {
        self.memory.as_ref().and_then(Memory::now)
    }

    /// What is known of products by a request that sees this of the memory.
    pub(crate) fn known_words(&self, memories: Option<Memories<'_>>) -> Option<KnownWords> {
        if self.memory.is_none() {
            return Some(KnownWords::new(&self.words, None, self.world.now()));
        }
        memories.map(|memories| KnownWords::new(&self.words, Some(memories.since), self.world.now()))
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
