//! Responses that are too long to be read from the database at once. They are read part by part, as fast as the client
//! takes them. All of them together occupy one thread at most, so that other requests are answered meanwhile.

use std::future::Future;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use tokio::sync::Semaphore;
use wishbone_core::error::Error;

use crate::http::response::headers::as_json;

/// Parts that are read at the same time.
const READS: usize = 1;

pub struct LongReads(Semaphore);

impl Default for LongReads {
    fn default() -> Self {
        Self(Semaphore::new(READS))
    }
}

impl LongReads {
    /// Runs the read of one part when it is its turn.
    pub(crate) async fn run<T>(&self, read: impl Future<Output = T>) -> T {
        // The semaphore is never closed.
        let _permit = self.0.acquire().await.ok();
        read.await
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
