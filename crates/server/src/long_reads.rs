//! Reads that take long: one at a time, so that other requests are answered meanwhile, and each caller's one after another,
//! so that a caller with many of them delays others by one at most.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use wishbone_core::error::Error;

use crate::limit_key::LimitKey;

/// Reads at the same time.
const READS: usize = 1;

/// Entries of a map after which those not in use are removed.
const MANY: usize = 1_000;

type Result<T> = std::result::Result<T, Error>;

/// A store and a product.
type CountKey = (i64, i64);
type Count = BoxFuture<'static, Result<i64>>;

pub struct LongReads {
    reads: Arc<Semaphore>,
    callers: Mutex<HashMap<LimitKey, Weak<AsyncMutex<()>>>>,
    /// Counts that have not begun.
    waiting: Arc<Mutex<HashMap<CountKey, WeakShared<Count>>>>,
}

impl Default for LongReads {
    fn default() -> Self {
        Self { reads: Arc::new(Semaphore::new(READS)), callers: Mutex::default(), waiting: Arc::default() }
    }
}

impl LongReads {
    /// Waits for the caller's turn.
    pub(crate) async fn turn(&self, caller: LimitKey) -> Result<Turn> {
        let of_caller = self.turn_of_caller(caller).await;
        let permit = acquire(&self.reads).await?;
        Ok(Turn { _permit: permit, _of_caller: Some(of_caller) })
    }

    /// Counts a product when it is the caller's turn. Callers who wait for the same count share it; none gets one that has
    /// begun before the call, since it might miss the caller's last write.
    pub(crate) async fn count<F>(
        &self,
        caller: LimitKey,
        key: CountKey,
        read: impl FnOnce(Turn) -> F + Send + 'static,
    ) -> Result<i64>
    where
        F: Future<Output = Result<i64>> + Send + 'static,
    {
        let _of_caller = self.turn_of_caller(caller).await;
        self.join(key, read).await
    }

    fn join<F>(&self, key: CountKey, read: impl FnOnce(Turn) -> F + Send + 'static) -> Shared<Count>
    where
        F: Future<Output = Result<i64>> + Send + 'static,
    {
        let mut waiting = lock(&self.waiting);
        if let Some(count) = waiting.get(&key).and_then(WeakShared::upgrade) {
            return count;
        }
        if waiting.len() >= MANY {
            waiting.retain(|_, count| count.upgrade().is_some());
        }
        let (reads, begun) = (Arc::clone(&self.reads), Arc::clone(&self.waiting));
        let count: Count = Box::pin(async move {
            let permit = acquire(&reads).await?;
            lock(&begun).remove(&key);
            read(Turn { _permit: permit, _of_caller: None }).await
        });
        let count = count.shared();
        waiting.extend(count.downgrade().map(|count| (key, count)));
        count
    }

    /// Waits until the caller's reads before this one have ended.
    async fn turn_of_caller(&self, caller: LimitKey) -> OwnedMutexGuard<()> {
        let turns = {
            let mut callers = lock(&self.callers);
            if callers.len() >= MANY {
                callers.retain(|_, turns| turns.strong_count() > 0);
            }
            let entry = callers.entry(caller).or_default();
            entry.upgrade().unwrap_or_else(|| {
                let turns = Arc::default();
                *entry = Arc::downgrade(&turns);
                turns
            })
        };
        turns.lock_owned().await
    }
}

/// The turn of a read, which holds it until it has ended.
pub(crate) struct Turn {
    _permit: OwnedSemaphorePermit,
    _of_caller: Option<OwnedMutexGuard<()>>,
}

async fn acquire(reads: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit> {
    Arc::clone(reads).acquire_owned().await.map_err(Error::internal)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    fn caller(number: u8) -> LimitKey {
        LimitKey::Address(Ipv4Addr::new(127, 0, 0, number).into())
    }

    /// Lets a future run until it waits.
    fn begin<T>(future: impl Future<Output = T>) -> Pin<Box<impl Future<Output = T>>> {
        let mut future = Box::pin(future);
        assert!((&mut future).now_or_never().is_none(), "it does not wait");
        future
    }

    #[tokio::test]
    async fn a_caller_with_many_reads_delays_another_by_one() {
        let reads = LongReads::default();
        let first = reads.turn(caller(1)).await.unwrap();
        let mut second = begin(reads.turn(caller(1)));
        let third = begin(reads.turn(caller(1)));
        let other = begin(reads.turn(caller(2)));
        drop(first);
        assert!((&mut second).now_or_never().is_none(), "the other caller comes first");
        drop(other.await.unwrap());
        drop(second.await.unwrap());
        third.await.unwrap();
    }

    #[tokio::test]
    async fn waiting_counts_are_shared_and_those_that_have_begun_are_not() {
        let (reads, runs) = (LongReads::default(), Arc::new(AtomicI64::new(0)));
        let count = |by: u8, key| {
            let runs = Arc::clone(&runs);
            reads.count(caller(by), key, |turn| async move {
                let number = runs.fetch_add(1, Ordering::Relaxed);
                tokio::task::yield_now().await;
                drop(turn);
                Ok(number)
            })
        };
        let other = reads.turn(caller(9)).await.unwrap();
        let first = begin(count(1, (1, 7)));
        let second = begin(count(2, (1, 7)));
        let third = begin(count(3, (1, 8)));
        drop(other);
        let mut first = begin(first);
        let late = begin(count(4, (1, 7)));
        assert_eq!((&mut first).await.unwrap(), 0);
        assert_eq!(second.await.unwrap(), 0);
        assert_eq!(third.await.unwrap(), 1);
        assert_eq!(late.await.unwrap(), 2);
        assert!(lock(&reads.waiting).is_empty());
    }

    #[tokio::test]
    async fn callers_who_are_gone_take_no_memory() {
        let reads = LongReads::default();
        let _other = reads.turn(caller(1)).await.unwrap();
        for number in 0..3 * i64::try_from(MANY).unwrap() {
            let id = (number, [0; 16]);
            drop(begin(reads.count(LimitKey::Shopper(id), (1, number), |_| async { Ok(1) })));
        }
        assert!(lock(&reads.callers).len() <= MANY);
        assert!(lock(&reads.waiting).len() <= MANY);
    }
}
