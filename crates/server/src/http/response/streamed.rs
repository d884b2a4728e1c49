//! Responses that take long to read from the database: one at a time, so that other requests are answered meanwhile. Very
//! long ones are read part by part, as fast as the client takes them.

use std::future::Future;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use tokio::sync::Semaphore;
use wishbone_core::error::{Code, Error};

use crate::http::response::headers::as_json;
use crate::limit_key::LimitKey;
use crate::slot_limiter::{Slot, SlotLimiter};

/// Parts that are read at the same time.
const READS: usize = 1;

/// Long responses, and calls with many items, at the same time. Each is in memory, or a part of it is, until its client takes
/// it.
const RESPONSES: usize = 60;
/// Those of one caller.
const RESPONSES_PER_CALLER: usize = 4;

pub struct LongReads {
    reads: Semaphore,
    responses: Arc<SlotLimiter<LimitKey>>,
}

impl Default for LongReads {
    fn default() -> Self {
        Self { reads: Semaphore::new(READS), responses: SlotLimiter::new(RESPONSES, RESPONSES_PER_CALLER) }
    }
}

impl LongReads {
    /// Runs a read, of a response or of a part, when it is its turn.
    pub(crate) async fn run<T>(&self, read: impl Future<Output = T>) -> T {
        // The semaphore is never closed.
        let _permit = self.reads.acquire().await.ok();
        read.await
    }

    /// Admits a long response, which holds the slot until it has been read.
    pub(crate) fn admit(&self, caller: LimitKey) -> Result<Slot<LimitKey>, Error> {
        self.responses.acquire(Some(caller)).ok_or_else(|| {
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
