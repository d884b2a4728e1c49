//! Large responses. A list of 10,000 items with custom fields takes tens of megabytes, which stay in memory while the
//! client reads. All large responses share a memory budget; requests beyond it are rejected as overloaded.

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

/// Responses up to this size are not counted.
pub(crate) const SMALL: usize = 1 << 20;
/// Memory for all concurrent large responses.
const BUDGET: usize = 64 << 20;
/// Size of a frame. The rest of the response stays counted against the budget until the client has read it.
const FRAME: usize = 64 << 10;
const KIB: usize = 1 << 10;
/// Size of the record of an item with custom fields of maximum size.
const LARGE_RECORD: usize = 10 * KIB;

pub struct LargeResponses(Arc<Semaphore>);

impl Default for LargeResponses {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(BUDGET / KIB)))
    }
}

impl LargeResponses {
    /// A response made of encoded parts, sent in order. A part that occurs twice is counted once.
    pub(crate) fn response(&self, parts: Vec<Bytes>) -> Result<LargeResponse> {
        let length: usize = parts.iter().map(Bytes::len).sum();
        let mut seen = HashSet::new();
        let held: usize = parts.iter().filter(|part| seen.insert(part.as_ptr())).map(Bytes::len).sum();
        let reserved = if held <= SMALL { None } else { Some(self.reserve(held)?) };
        Ok(LargeResponse { parts: parts.into(), remaining: length, _reserved: reserved })
    }

    /// Reserves memory for a response with the records of so many items, if they may be large.
    pub(crate) fn reserve_records(&self, count: usize) -> Result<Option<OwnedSemaphorePermit>> {
        let length = count * LARGE_RECORD;
        if length <= SMALL { Ok(None) } else { self.reserve(length).map(Some) }
    }

    /// Reserves memory. A response larger than the whole budget is sent when no other large response is.
    pub(crate) fn reserve(&self, length: usize) -> Result<OwnedSemaphorePermit> {
        let wanted = u32::try_from(length.div_ceil(KIB).min(BUDGET / KIB)).unwrap_or(u32::MAX);
        Arc::clone(&self.0).try_acquire_many_owned(wanted).map_err(|_| {
            let message =
                "too many large responses in progress: retry after the time in Retry-After, or use a smaller limit";
            Error::new(Code::Overloaded, message).into()
        })
    }
}

/// A response that holds what was reserved for it until it has been read.
pub(crate) fn holding<R: Send + Unpin + 'static>(response: Response, reserved: Option<R>) -> Response {
    match reserved {
        None => response,
        Some(reserved) => response.map(|body| Body::new(HoldingBody { body, _reserved: reserved })),
    }
}

struct HoldingBody<R> {
    body: Body,
    _reserved: R,
}

impl<R: Unpin> HttpBody for HoldingBody<R> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        HttpBody::size_hint(&self.body)
    }
}

pub(crate) struct LargeResponse {
    parts: VecDeque<Bytes>,
    remaining: usize,
    /// Released when the response has been read, or the client has disconnected.
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
            let frame = part.split_to(part.len().min(FRAME));
            if frame.is_empty() {
                self.parts.pop_front();
                continue;
            }
            self.remaining -= frame.len();
            return Poll::Ready(Some(Ok(Frame::data(frame))));
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
    async fn parts_are_sent_completely_and_in_order() {
        let items = Bytes::from(vec![b'x'; 3 * FRAME + 7]);
        let parts =
            vec![Bytes::from_static(b"<"), items.clone(), Bytes::new(), items.clone(), Bytes::from_static(b">")];
        let response = LargeResponses::default().response(parts).ok().unwrap();
        assert_eq!(response.size_hint().exact(), Some(2 * items.len() as u64 + 2));
        let sent = response.collect().await.unwrap().to_bytes();
        assert_eq!(sent, [b"<", &items[..], &items[..], b">"].concat());
    }

    #[test]
    fn responses_beyond_the_budget_are_rejected_until_another_completes() {
        let responses = LargeResponses::default();
        let half = || responses.response(vec![Bytes::from(vec![0; BUDGET / 2])]);
        let (first, second) = (half().ok().unwrap(), half().ok().unwrap());
        assert_eq!(half().err().unwrap().0.code, Code::Overloaded);
        // Small ones are not affected.
        assert!(responses.response(vec![Bytes::from(vec![0; SMALL])]).is_ok());
        drop(first);
        assert!(half().is_ok());
        drop(second);
        assert!(responses.response(vec![Bytes::from(vec![0; BUDGET + 1])]).is_ok());
    }
}
