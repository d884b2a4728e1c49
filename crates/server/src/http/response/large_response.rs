//! Large responses. A list of 10,000 items with custom fields fills tens of megabytes, and a client that reads
//! slowly keeps them in memory: all such responses together have a budget, and past it callers are told to
//! try again.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wishbone_core::error::{Code, Error};

use crate::http::response::error::Result;
use crate::http::response::headers::as_json;

/// Smaller responses are not worth counting.
const SMALL: usize = 1 << 20;
/// For all large responses of the server together.
const BUDGET: usize = 192 << 20;
/// What is handed over at once: the rest stays here, counted, until the client has taken it.
const SLICE: usize = 64 << 10;
const KIB: usize = 1 << 10;

pub struct LargeResponses(Arc<Semaphore>);

impl Default for LargeResponses {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET / KIB)))
    }
}

impl LargeResponses {
    /// An response made of encoded parts, which are sent as they are; a part may stand in it twice.
    pub(crate) fn response(&self, parts: Vec<Bytes>) -> Result<LargeResponse> {
        let length: usize = parts.iter().map(Bytes::len).sum();
        let mut seen = HashSet::new();
        let kept: usize = parts.iter().filter(|part| seen.insert(part.as_ptr())).map(Bytes::len).sum();
        let reserved = if kept <= SMALL { None } else { Some(self.reserve(kept)?) };
        Ok(LargeResponse { parts: parts.into(), remaining: length, _reserved: reserved })
    }

    /// One that is larger than the whole budget gets it when nobody else needs any.
    fn reserve(&self, length: usize) -> Result<OwnedSemaphorePermit> {
        let wanted = u32::try_from(length.div_ceil(KIB).min(BUDGET / KIB)).unwrap_or(u32::MAX);
        Arc::clone(&self.0).try_acquire_many_owned(wanted).map_err(|_| {
            let message = "too many large responses are under way; try again in a moment, or ask for less with limit";
            Error::new(Code::Overloaded, message).into()
        })
    }
}

pub(crate) struct LargeResponse {
    parts: VecDeque<Bytes>,
    remaining: usize,
    /// Given back when the response has been taken, or its client is gone.
    _reserved: Option<OwnedSemaphorePermit>,
}

impl HttpBody for LargeResponse {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        while let Some(part) = self.parts.front_mut() {
            let slice = part.split_to(part.len().min(SLICE));
            if slice.is_empty() {
                self.parts.pop_front();
                continue;
            }
            self.remaining -= slice.len();
            return Poll::Ready(Some(Ok(Frame::data(slice))));
        }
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining as u64)
    }
}

impl IntoResponse for LargeResponse {
    fn into_response(self) -> Response {
        as_json(Body::new(self))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn parts_come_out_whole_and_in_order() {
        let items = Bytes::from(vec![b'x'; 3 * SLICE + 7]);
        let parts =
            vec![Bytes::from_static(b"<"), items.clone(), Bytes::new(), items.clone(), Bytes::from_static(b">")];
        let response = LargeResponses::default().response(parts).ok().unwrap();
        assert_eq!(response.size_hint().exact(), Some(2 * items.len() as u64 + 2));
        let sent = response.collect().await.unwrap().to_bytes();
        assert_eq!(sent, [b"<", &items[..], &items[..], b">"].concat());
    }

    #[test]
    fn past_the_budget_answers_are_refused_until_one_has_gone() {
        let responses = LargeResponses::default();
        let half = || responses.response(vec![Bytes::from(vec![0; BUDGET / 2])]);
        let (first, second) = (half().ok().unwrap(), half().ok().unwrap());
        assert_eq!(half().err().unwrap().0.code, Code::Overloaded);
        // Small ones go on.
        assert!(responses.response(vec![Bytes::from(vec![0; SMALL])]).is_ok());
        drop(first);
        assert!(half().is_ok());
        drop(second);
        assert!(responses.response(vec![Bytes::from(vec![0; BUDGET + 1])]).is_ok());
    }
}
