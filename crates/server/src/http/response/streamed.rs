//! Very long responses, which are read from the database part by part, as fast as the client takes them.

use std::future::Future;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use wishbone_core::error::Error;

use crate::http::response::headers::as_json;

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
