//! What every request shares.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use wishbone_core::identity::Keys;
use wishbone_store::Store;

use crate::demo::DemoPage;
use crate::http::large::LargeAnswers;
use crate::http::rate::RateLimiter;
use crate::jobs::clean::LastNight;
use crate::jobs::visits::Visits;
use crate::mail::Mailer;
use crate::world::World;

pub struct App {
    pub store: Store,
    pub keys: Keys,
    pub world: World,
    pub limits: Limits,
    pub rates: RateLimiter,
    pub large_answers: LargeAnswers,
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
}

/// What one request may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub request_timeout: Duration,
    pub form_bytes: usize,
    pub json_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { request_timeout: Duration::from_secs(15), form_bytes: 1 << 20, json_bytes: 4 << 20 }
    }
}

impl App {
    pub fn new(store: Store, keys: Keys, world: World, limits: Limits) -> Self {
        let rates = RateLimiter::default();
        let large_answers = LargeAnswers::default();
        Self {
            store,
            keys,
            world,
            limits,
            rates,
            large_answers,
            demo: None,
            new_copy: Notify::new(),
            visits: Visits::default(),
            last_night: LastNight::default(),
            mailer: None,
            new_mail: Notify::new(),
            draining: AtomicBool::new(false),
        }
    }

    /// From now on `/readyz` says no to whoever still has a connection.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}
