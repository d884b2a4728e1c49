//! Large responses. A list of 10,000 items with custom fields takes tens of megabytes, which stay in memory while the
//! client reads. All large responses share a memory budget, and a caller has few of them at a time; requests beyond that are
//! rejected as overloaded.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wishbone_core::error::{Code, Error, Result};

use crate::http::clients::client::Clients;
use crate::http::response::headers::as_json;
use crate::http::response::shared_text::Shared;
use crate::limit_key::LimitKey;
use crate::slot_limiter::{Slot, SlotLimiter};

/// Responses up to this size need no reservation.
pub(crate) const SMALL: usize = 1 << 20;
/// Responses up to this size are sent even if there is no memory for unread ones.
const TINY: usize = 64 << 10;
/// Memory for all concurrent large responses.
const BUDGET: usize = 64 << 20;
/// Large responses at the same time.
const RESPONSES: usize = 60;
/// Those of one caller.
const RESPONSES_PER_CALLER: usize = 4;
const KIB: usize = 1 << 10;

pub struct LargeResponses {
    memory: Arc<Semaphore>,
    slots: Arc<SlotLimiter<LimitKey>>,
    /// Those who hold the memory.
    clients: Arc<Clients>,
}

impl LargeResponses {
    pub(crate) fn new(clients: Arc<Clients>) -> Self {
        let slots = SlotLimiter::new(RESPONSES, RESPONSES_PER_CALLER);
        Self { memory: Arc::new(Semaphore::new(BUDGET / KIB)), slots, clients }
    }

    /// Bytes that are reserved.
    pub fn reserved(&self) -> usize {
        BUDGET - self.memory.available_permits() * KIB
    }

    /// Reserves memory for a response before it is made. One larger than the whole budget is sent when no other large one is.
    pub(crate) fn reserve(&self, caller: Option<LimitKey>, bytes: usize) -> Result<Reservation> {
        let slot = self.slots.acquire(caller).ok_or_else(|| {
            if self.slots.is_full() {
                self.clients.ask_for(bytes);
            }
            too_many()
        })?;
        Ok(Reservation { memory: self.acquire(permits(bytes))?, _slot: slot })
    }

    /// Admits a response, which every one passes before it is sent: what was reserved for it is made to fit, and a large one
    /// without a reservation needs one now.
    pub(crate) fn admit(&self, caller: Option<LimitKey>, response: &mut Response) -> Result<()> {
        let bytes = size(response);
        let reserved = response.extensions_mut().remove::<Arc<Reservation>>();
        let reservation = match reserved.map(Arc::try_unwrap) {
            Some(Ok(mut reservation)) => {
                self.resize(&mut reservation, bytes)?;
                reservation
            }
            None if bytes > SMALL => self.reserve(caller, bytes)?,
            None if bytes > TINY && self.clients.is_too_much() => return Err(too_many()),
            _ => return Ok(()),
        };
        response.extensions_mut().insert(Arc::new(reservation));
        Ok(())
    }

    /// Changes how much memory is reserved.
    pub(crate) fn resize(&self, reservation: &mut Reservation, bytes: usize) -> Result<()> {
        let (held, wanted) = (reservation.memory.num_permits(), permits(bytes));
        match wanted.checked_sub(held) {
            Some(0) => {}
            Some(more) => reservation.memory.merge(self.acquire(more)?),
            None => drop(reservation.memory.split(held - wanted)),
        }
        Ok(())
    }

    fn acquire(&self, permits: usize) -> Result<OwnedSemaphorePermit> {
        let wanted = u32::try_from(permits).unwrap_or(u32::MAX);
        Arc::clone(&self.memory).try_acquire_many_owned(wanted).map_err(|_| {
            self.clients.ask_for(permits * KIB);
            too_many()
        })
    }
}

/// The memory that a response takes until it has been read.
pub(crate) fn size(response: &Response) -> usize {
    match response.body().size_hint().exact() {
        Some(length) => held(response).unwrap_or(usize::try_from(length).unwrap_or(usize::MAX)),
        // One part of it at a time is in memory. Events are small.
        None if is_event_stream(response) => 0,
        None => SMALL + 1,
    }
}

fn permits(bytes: usize) -> usize {
    bytes.div_ceil(KIB).min(BUDGET / KIB)
}

fn too_many() -> Error {
    let message =
        "too many large responses in progress: read them, use a smaller limit, or retry after the time in Retry-After";
    Error::new(Code::Overloaded, message)
}

fn is_event_stream(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|media_type| media_type == "text/event-stream")
}

/// A slot and memory for a large response.
pub(crate) struct Reservation {
    memory: OwnedSemaphorePermit,
    _slot: Slot<LimitKey>,
}

impl Reservation {
    pub(crate) fn bytes(&self) -> usize {
        self.memory.num_permits() * KIB
    }

    /// Makes a response hold this until it has been read.
    pub(crate) fn hold(self, response: impl IntoResponse) -> Response {
        let mut response = response.into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// A response that holds what was reserved for it, if anything was.
pub(crate) fn holding(response: impl IntoResponse, reservation: Option<Reservation>) -> Response {
    match reservation {
        Some(reservation) => reservation.hold(response),
        None => response.into_response(),
    }
}

/// The memory that a response takes, if that is not its length.
#[derive(Clone, Copy)]
struct Held(usize);

pub(crate) fn held(response: &Response) -> Option<usize> {
    let extensions = response.extensions();
    extensions.get::<Shared>().map(|_| 0).or_else(|| extensions.get::<Held>().map(|held| held.0))
}

/// A JSON response made of encoded parts, sent in order. A part that occurs twice is in memory once.
pub(crate) struct InParts(pub(crate) Vec<Bytes>);

impl IntoResponse for InParts {
    fn into_response(self) -> Response {
        let mut seen = HashSet::new();
        let held = self.0.iter().filter(|part| seen.insert(part.as_ptr())).map(Bytes::len).sum();
        let remaining = self.0.iter().map(Bytes::len).sum();
        let mut response = as_json(Body::new(Parts { parts: self.0.into(), remaining }));
        response.extensions_mut().insert(Held(held));
        response
    }
}

struct Parts {
    parts: VecDeque<Bytes>,
    remaining: usize,
}

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        let part = self.parts.pop_front();
        self.remaining -= part.as_ref().map_or(0, Bytes::len);
        Poll::Ready(part.map(|part| Ok(Frame::data(part))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::http::response::shared_text::SharedText;

    fn caller(number: u8) -> Option<LimitKey> {
        Some(LimitKey::Address(Ipv4Addr::new(10, 0, number, 1).into()))
    }

    fn response(length: usize) -> Response {
        Body::from(vec![0; length]).into_response()
    }

    #[test]
    fn every_large_response_is_counted_whoever_makes_it() {
        let responses = LargeResponses::new(Arc::default());
        let send = |number, length| {
            let mut response = response(length);
            responses.admit(caller(number), &mut response).map(|_| response)
        };
        let first = send(1, BUDGET / 2).unwrap();
        let _second = send(2, BUDGET / 2).unwrap();
        assert_eq!(send(3, SMALL + 1).unwrap_err().code, Code::Overloaded);
        // Small ones are not affected.
        assert!(send(3, SMALL).is_ok());
        drop(first);
        assert!(send(3, BUDGET / 2).is_ok());
    }

    #[test]
    fn a_caller_has_few_large_responses_at_a_time() {
        let responses = LargeResponses::new(Arc::default());
        let reserve = |number| responses.reserve(caller(number), SMALL + 1);
        let held: Vec<_> = (0..RESPONSES_PER_CALLER).map(|_| reserve(1).unwrap()).collect();
        assert_eq!(reserve(1).err().unwrap().code, Code::Overloaded);
        assert!(reserve(2).is_ok());
        drop(held);
        assert!(reserve(1).is_ok());
    }

    #[test]
    fn without_memory_for_unread_responses_only_tiny_ones_are_sent() {
        let clients = Arc::new(Clients::default());
        let responses = LargeResponses::new(Arc::clone(&clients));
        let client = clients.connect(None, false);
        client.set_multiplexed();
        let unread = client.start(100 << 20, 0);
        let admits = |length| responses.admit(caller(1), &mut response(length)).is_ok();
        assert!(admits(TINY) && !admits(TINY + 1) && !admits(SMALL));
        drop(unread);
        assert!(admits(SMALL));
    }

    #[test]
    fn a_reservation_is_made_to_fit() {
        let responses = LargeResponses::new(Arc::default());
        for (reserved, length) in [(2 * SMALL, 3 * SMALL), (8 * SMALL, 2 * SMALL), (8 * SMALL, 10)] {
            let mut response = responses.reserve(caller(1), reserved).unwrap().hold(response(length));
            responses.admit(caller(1), &mut response).unwrap();
            assert_eq!(responses.reserved(), length.next_multiple_of(KIB));
        }
        assert_eq!(responses.reserved(), 0);
    }

    #[test]
    fn parts_that_occur_twice_and_shared_texts_are_not_counted_again() {
        let responses = LargeResponses::new(Arc::default());
        let items = Bytes::from(vec![b'x'; 2 * SMALL]);
        let mut twice = InParts(vec![items.clone(), items]).into_response();
        responses.admit(caller(1), &mut twice).unwrap();
        assert_eq!((size(&twice), responses.reserved()), (2 * SMALL, 2 * SMALL));
        let mut shared = SharedText::new(vec![b'x'; 2 * SMALL]).into_response();
        responses.admit(caller(2), &mut shared).unwrap();
        assert_eq!((size(&shared), responses.reserved()), (0, 2 * SMALL));
    }

    #[test]
    fn a_response_larger_than_the_budget_is_sent_alone() {
        let responses = LargeResponses::new(Arc::default());
        let mut large = response(BUDGET + 1);
        assert!(responses.admit(caller(1), &mut large).is_ok());
        assert!(responses.reserve(caller(2), SMALL + 1).is_err());
    }
}
