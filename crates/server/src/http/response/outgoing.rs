//! How every response is sent: compressed if the client wants that, in frames, and known to the connection until the client
//! has read it.

use std::collections::VecDeque;
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, VARY};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::FutureExt;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;

use crate::http::clients::client::{Client, Unread};
use crate::http::response::compression::{MIN_COMPRESSED, compress};
use crate::http::response::large_response::{self, Reservation, SMALL};
use crate::http::response::shared_text::Shared;

/// The largest frame, and how much is compressed at once.
const FRAME: usize = 64 << 10;
/// The end of a part is a frame of its own on HTTP/2: the body is dropped when the last frame has been handed over, which
/// happens once the client's window has taken all others.
const LAST_FRAME: usize = 256;

/// Prepares a response for a client.
pub(crate) fn outgoing(response: Response, accepts_gzip: bool, client: Option<&Arc<Client>>) -> Response {
    let held = large_response::held(&response);
    let (mut head, body) = response.into_parts();
    let exact = body.size_hint().exact();
    if exact == Some(0) {
        return Response::from_parts(head, body);
    }
    let mut source = match exact {
        // Those bodies are in memory, so they are complete at once.
        Some(_) => Source::Parts(frames(body)),
        None => Source::Stream(body),
    };
    let shared = head.extensions.remove::<Shared>();
    let mut gzip = None;
    if is_compressible(&head.headers, exact) && shared.as_ref().is_none_or(|shared| shared.gzip.is_some()) {
        head.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
        if accepts_gzip {
            head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            head.headers.remove(CONTENT_LENGTH);
            match (&source, shared.and_then(|shared| shared.gzip)) {
                (_, Some(compressed)) => source = Source::Parts([compressed].into()),
                // An unread response has no room for the state of a compressor, unless it has a reservation.
                (Source::Parts(parts), None) if length(parts) <= SMALL => {
                    source = Source::Parts([Bytes::from(compress(parts, Compression::fast()))].into());
                }
                _ => gzip = Some(Box::new(GzEncoder::new(Vec::new(), Compression::fast()))),
            }
        }
    }
    let reservation = head.extensions.remove::<Arc<Reservation>>();
    let (remaining, in_memory) = match &source {
        Source::Parts(parts) => (Some(length(parts) as u64).filter(|_| gzip.is_none()), length(parts)),
        Source::Stream(_) => (None, 0),
    };
    let reserved = reservation.as_ref().map_or(0, |reservation| reservation.bytes());
    let uncounted = if reservation.is_some() { 0 } else { held.unwrap_or(in_memory) };
    let unread = client.map(|client| client.start(uncounted, reserved));
    if let (Source::Parts(_), Some(unread)) = (&source, &unread) {
        // All of it is there, whether or not the client has opened a window for it.
        unread.hand_over(in_memory);
    }
    let body = Outgoing {
        source,
        part: Bytes::new(),
        input: Bytes::new(),
        gzip,
        remaining,
        last_frame: if client.is_some_and(|client| client.is_multiplexed()) { LAST_FRAME } else { 0 },
        unread,
        _reservation: reservation,
    };
    Response::from_parts(head, Body::new(body))
}

/// Streams of events are sent event by event, and images are compressed already.
fn is_compressible(headers: &HeaderMap, exact: Option<u64>) -> bool {
    let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_text = media_type.starts_with(b"text/")
        || media_type.starts_with(b"application/json")
        || media_type.starts_with(b"image/svg");
    is_text
        && !media_type.starts_with(b"text/event-stream")
        && !headers.contains_key(CONTENT_ENCODING)
        && exact.is_none_or(|length| length >= MIN_COMPRESSED)
}

/// The frames of a body that is in memory.
fn frames(mut body: Body) -> VecDeque<Bytes> {
    let mut frames = VecDeque::new();
    while let Some(Some(Ok(frame))) = body.frame().now_or_never() {
        frames.extend(frame.into_data().ok().filter(|data| !data.is_empty()));
    }
    frames
}

fn length(parts: &VecDeque<Bytes>) -> usize {
    parts.iter().map(Bytes::len).sum()
}

enum Source {
    Parts(VecDeque<Bytes>),
    Stream(Body),
}

impl Source {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, axum::Error>>> {
        match self {
            Self::Parts(parts) => Poll::Ready(parts.pop_front().map(Ok)),
            Self::Stream(body) => loop {
                match ready!(Pin::new(&mut *body).poll_frame(context)) {
                    None => return Poll::Ready(None),
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    Some(Ok(frame)) => {
                        if let Ok(data) = frame.into_data() {
                            return Poll::Ready(Some(Ok(data)));
                        }
                    }
                }
            },
        }
    }
}

struct Outgoing {
    source: Source,
    /// What is sent next.
    part: Bytes,
    /// What is compressed next.
    input: Bytes,
    gzip: Option<Box<GzEncoder<Vec<u8>>>>,
    /// The bytes to be sent, if that is known.
    remaining: Option<u64>,
    last_frame: usize,
    /// `None` if the request did not come over a socket.
    unread: Option<Unread>,
    /// Released when the response has been read, or the client has disconnected.
    _reservation: Option<Arc<Reservation>>,
}

impl Outgoing {
    /// Makes `part` the next one. Returns false at the end.
    fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, axum::Error>> {
        while self.part.is_empty() {
            if self.input.is_empty() {
                match ready!(self.source.poll_next(context)?) {
                    Some(next) => self.input = next,
                    None => match self.gzip.take() {
                        Some(gzip) => self.part = gzip.finish().map_err(axum::Error::new)?.into(),
                        None => return Poll::Ready(Ok(false)),
                    },
                }
            }
            match &mut self.gzip {
                None if self.part.is_empty() => self.part = std::mem::take(&mut self.input),
                None => {}
                Some(gzip) => {
                    let some = self.input.split_to(self.input.len().min(FRAME));
                    gzip.write_all(&some).map_err(axum::Error::new)?;
                    self.part = std::mem::take(gzip.get_mut()).into();
                }
            }
        }
        Poll::Ready(Ok(true))
    }
}

impl HttpBody for Outgoing {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let is_new = this.part.is_empty();
        match this.poll_part(context) {
            Poll::Pending => {
                if let Some(unread) = &this.unread {
                    unread.await_server();
                }
                return Poll::Pending;
            }
            Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
            Poll::Ready(Ok(false)) => return Poll::Ready(None),
            Poll::Ready(Ok(true)) => {}
        }
        if let Some(unread) = &this.unread {
            // A response of known length is due as a whole, from its start on; any other part by part.
            let is_due = is_new && this.remaining.is_none();
            unread.hand_over(if is_due { this.part.len() } else { 0 });
        }
        let length = this.part.len();
        let most = if length > this.last_frame { length - this.last_frame } else { length };
        let frame = this.part.split_to(most.min(FRAME));
        if let Some(remaining) = &mut this.remaining {
            *remaining -= frame.len() as u64;
        }
        Poll::Ready(Some(Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.remaining.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::response::IntoResponse;
    use flate2::read::GzDecoder;

    use super::*;
    use crate::http::clients::client::Clients;
    use crate::http::response::large_response::InParts;
    use crate::http::response::shared_text::SharedText;

    fn parts() -> (InParts, Vec<u8>) {
        let items = Bytes::from(b"0123456789".repeat(FRAME / 3));
        let parts =
            vec![Bytes::from_static(b"<"), items.clone(), Bytes::new(), items.clone(), Bytes::from_static(b">")];
        let all = parts.concat();
        (InParts(parts), all)
    }

    async fn sent(response: Response) -> (Vec<usize>, Vec<u8>) {
        let (mut body, mut lengths, mut all) = (response.into_body(), Vec::new(), Vec::new());
        while let Some(frame) = body.frame().await {
            let data = frame.unwrap().into_data().unwrap();
            lengths.push(data.len());
            all.extend_from_slice(&data);
        }
        (lengths, all)
    }

    fn decompressed(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        GzDecoder::new(bytes).read_to_end(&mut out).unwrap();
        out
    }

    #[tokio::test]
    async fn parts_are_sent_completely_in_order_and_in_frames() {
        let (parts, expected) = parts();
        let response = outgoing(parts.into_response(), false, None);
        assert_eq!(response.body().size_hint().exact(), Some(expected.len() as u64));
        let (lengths, all) = sent(response).await;
        assert!(lengths.iter().all(|length| (1..=FRAME).contains(length)), "{lengths:?}");
        assert_eq!(all, expected);
    }

    #[tokio::test]
    async fn every_body_is_compressed_for_those_who_accept_it() {
        let (parts, expected) = parts();
        let large = Bytes::from(b"abc".repeat(SMALL));
        let stream = futures_util::stream::iter([Ok::<_, axum::Error>(large.clone())]);
        let json = crate::http::response::headers::as_json;
        for (response, expected) in [
            (parts.into_response(), expected),
            (json(Body::from(large.clone())), large.to_vec()),
            (json(Body::from_stream(stream)), large.to_vec()),
            (([(CONTENT_TYPE, "text/html")], SharedText::new(large.clone())).into_response(), large.to_vec()),
        ] {
            let response = outgoing(response, true, None);
            assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
            let (_, all) = sent(response).await;
            assert!(all.len() < expected.len() / 10);
            assert_eq!(decompressed(&all), expected);
        }
    }

    #[tokio::test]
    async fn the_last_frame_on_http2_is_small() {
        let client = Arc::new(Clients::default()).connect(None, false);
        client.set_multiplexed();
        let response = outgoing(Body::from(vec![b'x'; 3 * FRAME]).into_response(), false, Some(&client));
        let (lengths, _) = sent(response).await;
        assert_eq!(lengths, [FRAME, FRAME, FRAME - LAST_FRAME, LAST_FRAME]);
    }
}
