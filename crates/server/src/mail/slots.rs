//! A limit on mails that are sent at the same time. A slot is taken before a mail is claimed, so that no time of its lease
//! is spent waiting, and is given back when the mail server is slow, so that mails that hang do not hold up the others.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Mail servers commonly allow ten connections of one client.
const SLOTS: usize = 10;
/// After this time a mail that is still being sent does not count any more.
const SLOW: Duration = Duration::from_secs(5);

pub(crate) struct Slots(Arc<Semaphore>);

pub(crate) struct Slot(Option<OwnedSemaphorePermit>);

impl Default for Slots {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(SLOTS)))
    }
}

impl Slots {
    /// Waits for a slot.
    pub(crate) async fn take(&self) -> Slot {
        // The semaphore is never closed.
        Slot(Arc::clone(&self.0).acquire_owned().await.ok())
    }

    pub(crate) fn try_take(&self) -> Option<Slot> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(|permit| Slot(Some(permit)))
    }
}

impl Slot {
    /// Runs a send that occupies the slot.
    pub(crate) async fn hold<T>(self, send: impl Future<Output = T>) -> T {
        let mut send = std::pin::pin!(send);
        match timeout(SLOW, &mut send).await {
            Ok(out) => out,
            Err(_) => {
                drop(self.0);
                send.await
            }
        }
    }
}
