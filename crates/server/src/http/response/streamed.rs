//! Responses that are too long to be read from the database at once. They are read part by part, as fast as the client
//! takes them. All of them together occupy one thread at most, so that other requests are answered meanwhile.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use tokio::sync::Semaphore;
use wishbone_core::error::{Code, Error};
use wishbone_core::identity::caller::Shopper;

use crate::http::response::headers::as_json;
use crate::slot_limiter::{Slot, SlotLimiter};

/// Parts that are read at the same time.
const READS: usize = 1;

/// Streamed responses at the same time. Each holds a part in memory until its client takes it.
const STREAMS: usize = 60;
/// Those of one reader.
const STREAMS_PER_READER: usize = 4;

pub struct LongReads {
    reads: Semaphore,
    streams: Arc<SlotLimiter<Reader>>,
}

/// A shopper; of browser guests, which anyone can have many of, their client address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reader {
    Shopper((i64, [u8; 16])),
    Address(IpAddr),
}

impl Reader {
    pub(crate) fn new(by: &Shopper, address: Option<IpAddr>) -> Self {
        let address = address.filter(|_| by.is_browser_guest());
        address.map_or_else(|| Self::Shopper(by.fingerprint()), Self::Address)
    }
}

impl Default for LongReads {
    fn default() -> Self {
        Self { reads: Semaphore::new(READS), streams: SlotLimiter::new(STREAMS, STREAMS_PER_READER) }
    }
}

impl LongReads {
    /// Runs the read of one part when it is its turn.
    pub(crate) async fn run<T>(&self, read: impl Future<Output = T>) -> T {
        // The semaphore is never closed.
        let _permit = self.reads.acquire().await.ok();
        read.await
    }

    /// Admits a streamed response, which holds the slot.
    pub(crate) fn admit(&self, reader: Reader) -> Result<Slot<Reader>, Error> {
        self.streams.acquire(Some(reader)).ok_or_else(|| {
            let message = "too many large responses in progress: read them, or retry after the time in Retry-After";
            Error::new(Code::Overloaded, message)
        })
    }
}

/// A JSON response made of parts. `read` returns the next part and the state after it; `None` ends the response. If it
/// fails, the response is cut off, which clients recognize by its missing end.
pub(crate) fn streamed<S, F>(start: S, mut read: impl FnMut(S) -> F + Send + 'static) -> Response
where
    S: Send + 'static,
    F: Future<Output = Result<Option<(Bytes, S)>, Error>> + Send + 'static,
{
    as_json(Body::from_stream(stream::try_unfold(start, move |state| {
        let part = read(state);
        async move {
            part.await.map_err(|error| {
                tracing::error!(?error, "response cut off");
                error
            })
        }
    })))
}
