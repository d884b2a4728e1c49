//! Renders on a few threads, since templates and texts of stores are not trusted and would hold those of the runtime. A
//! store renders one thing at a time, so that it leaves the other threads to others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use wishbone_core::error::{Code, Error, Result};

use crate::mail::budget::Budget;
use crate::slot_limiter::SlotLimiter;

/// Renderings at the same time.
const THREADS: usize = 2;
/// Processor time for one rendering. The dearest that the budget allows takes a tenth of it.
const TIME: Duration = Duration::from_secs(1);
/// Calls that render or wait for it, in total and of one store.
const CALLS: usize = 64;
const CALLS_PER_STORE: usize = 16;
/// The time that a call waits for its turn.
const CALL_WAIT: Duration = Duration::from_secs(10);
/// The same for a mail, which has a lease of minutes.
const MAIL_WAIT: Duration = Duration::from_secs(20);
/// Entries of the map after which those not in use are removed.
const MANY: usize = 1_000;

/// The key of renderings that belong to no store.
pub(crate) const NO_STORE: i64 = 0;

pub struct RenderPool {
    threads: Arc<Semaphore>,
    stores: Mutex<HashMap<i64, Weak<Semaphore>>>,
    calls: Arc<SlotLimiter<i64>>,
}

/// What a rendering is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An answer: rejected if too many wait.
    Call,
    /// A mail or SMS: the job that sends them limits how many wait.
    Mail,
}

impl Default for RenderPool {
    fn default() -> Self {
        Self {
            threads: Arc::new(Semaphore::new(THREADS)),
            stores: Mutex::default(),
            calls: SlotLimiter::new(CALLS, CALLS_PER_STORE),
        }
    }
}

impl RenderPool {
    /// Renders when it is the store's turn. The outer error is `Overloaded`: too many wait, or the time was not enough.
    pub(crate) async fn run<T, E>(
        &self,
        store_id: i64,
        purpose: Purpose,
        render: impl FnOnce(&Arc<Budget>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<std::result::Result<T, E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        let (slot, wait) = match purpose {
            Purpose::Call => (Some(self.calls.acquire(Some(store_id)).ok_or_else(overloaded)?), CALL_WAIT),
            Purpose::Mail => (None, MAIL_WAIT),
        };
        let turn = timeout(wait, self.turn(store_id)).await.map_err(|_| overloaded())??;
        // What was begun goes on if the caller leaves, and holds its turn.
        let rendering = spawn_blocking(move || {
            let _held = (slot, turn);
            let budget = Budget::new(TIME);
            let rendered = render(&budget);
            if rendered.is_err() && budget.is_over() { Err(overloaded()) } else { Ok(rendered) }
        });
        rendering.await.map_err(Error::internal)?
    }

    async fn turn(&self, store_id: i64) -> Result<[OwnedSemaphorePermit; 2]> {
        let of_store = self.of_store(store_id).acquire_owned().await.map_err(Error::internal)?;
        let thread = Arc::clone(&self.threads).acquire_owned().await.map_err(Error::internal)?;
        Ok([of_store, thread])
    }

    fn of_store(&self, store_id: i64) -> Arc<Semaphore> {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if stores.len() >= MANY {
            stores.retain(|_, turns| turns.strong_count() > 0);
        }
        let entry = stores.entry(store_id).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let turns = Arc::new(Semaphore::new(1));
            *entry = Arc::downgrade(&turns);
            turns
        })
    }
}

fn overloaded() -> Error {
    Error::new(Code::Overloaded, "too much is being rendered: retry after the time in Retry-After")
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::mpsc;

    use futures_util::FutureExt;

    use super::*;

    type Rendering<'a> = Pin<Box<dyn Future<Output = Result<std::result::Result<(), ()>>> + 'a>>;

    /// A rendering that has begun or waits, and lasts until the sender is dropped.
    fn begin(pool: &RenderPool, store_id: i64, purpose: Purpose) -> (mpsc::Sender<()>, Rendering<'_>) {
        let (end, ended) = mpsc::channel::<()>();
        let mut rendering: Rendering<'_> = Box::pin(pool.run(store_id, purpose, move |_| {
            ended.recv().ok();
            Ok(())
        }));
        assert!((&mut rendering).now_or_never().is_none());
        (end, rendering)
    }

    #[tokio::test]
    async fn a_store_leaves_threads_to_others() {
        let pool = RenderPool::default();
        let (end, first) = begin(&pool, 1, Purpose::Call);
        let (second_end, mut second) = begin(&pool, 1, Purpose::Call);
        drop(second_end);
        assert!(pool.run(2, Purpose::Mail, |_| Ok::<_, ()>(7)).await.is_ok_and(|rendered| rendered == Ok(7)));
        assert!((&mut second).now_or_never().is_none(), "the first of the store is not done");
        drop(end);
        assert!(first.await.is_ok() && second.await.is_ok());
    }

    #[tokio::test]
    async fn a_caller_who_leaves_holds_the_turn_until_the_rendering_ends() {
        let pool = RenderPool::default();
        let (end, first) = begin(&pool, 1, Purpose::Call);
        drop(first);
        let (second_end, mut second) = begin(&pool, 1, Purpose::Call);
        drop(second_end);
        assert!((&mut second).now_or_never().is_none());
        drop(end);
        assert!(second.await.is_ok());
    }

    #[tokio::test]
    async fn calls_beyond_the_limit_are_rejected_and_mails_wait() {
        let pool = RenderPool::default();
        let waiting: Vec<_> = (0..CALLS_PER_STORE).map(|_| begin(&pool, 1, Purpose::Call)).collect();
        let rejected = pool.run(1, Purpose::Call, |_| Ok::<_, ()>(())).await;
        assert_eq!(rejected.unwrap_err().code, Code::Overloaded);
        let (end, mail) = begin(&pool, 1, Purpose::Mail);
        assert!(pool.run(2, Purpose::Call, |_| Ok::<_, ()>(())).await.is_ok(), "other stores go on");
        drop(end);
        for (end, rendering) in waiting {
            drop(end);
            assert!(rendering.await.is_ok());
        }
        assert!(mail.await.is_ok());
    }

    #[tokio::test]
    async fn stores_that_render_nothing_take_no_memory() {
        let pool = RenderPool::default();
        for store_id in 0..3 * i64::try_from(MANY).unwrap() {
            drop(pool.of_store(store_id));
        }
        assert!(pool.stores.lock().unwrap().len() <= MANY);
    }
}
