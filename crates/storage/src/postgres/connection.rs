//! A pooled connection while an operation uses it.

use std::time::Duration;

use deadpool_postgres::Object;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::error::{Error, Result};

/// The time in which a connection must respond after its operation was dropped.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(1);
/// The same for an operation that may take long. A dead peer is noticed earlier.
const LONG_RECOVERY_TIMEOUT: Duration = Duration::from_secs(60);

/// What a long operation holds until it has ended.
pub(super) type Held = Box<dyn Send>;

/// If the operation is dropped before it ends, because its caller is gone or timed out, the connection may be dead: it is
/// reused once it has responded, and otherwise closed. (Closing it at once would let callers who disconnect exhaust the
/// server with new connections.)
pub(super) struct PooledConnection {
    client: Option<Object>,
    /// Of a write; returned after the connection.
    permit: Option<OwnedSemaphorePermit>,
    held: Option<Held>,
}

impl PooledConnection {
    pub(super) fn for_read(client: Object, held: Option<Held>) -> Self {
        Self { client: Some(client), permit: None, held }
    }

    pub(super) fn for_write((client, permit): (Object, OwnedSemaphorePermit)) -> Self {
        Self { client: Some(client), permit: Some(permit), held: None }
    }

    pub(super) fn client(&self) -> Result<&Object> {
        self.client.as_ref().ok_or_else(|| Error::bug("the connection was released"))
    }

    /// Returns the connection to the pool, and what the operation holds.
    pub(super) fn release(mut self) -> Option<Held> {
        drop(self.client.take());
        self.held.take()
    }

    /// Closes a connection that has not responded in time.
    pub(super) fn close(mut self) {
        drop(self.client.take().map(Object::take));
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        let (permit, held) = (self.permit.take(), self.held.take());
        let Ok(runtime) = Handle::try_current() else { return drop(Object::take(client)) };
        runtime.spawn(async move {
            let patience = if held.is_some() { LONG_RECOVERY_TIMEOUT } else { RECOVERY_TIMEOUT };
            // The response to an empty query comes after those to all earlier statements.
            let responds = timeout(patience, client.batch_execute("")).await;
            match responds {
                Ok(Ok(())) => drop(client),
                _ => drop(Object::take(client)),
            }
            drop((permit, held));
        });
    }
}
