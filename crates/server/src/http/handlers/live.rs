//! Live lists: a stream of events about the caller's own lists.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use wishbone_core::error::{Code, Error};
use wishbone_core::lists::changes::ListsState;
use wishbone_core::lists::live::ReadState;

use crate::api::lists::MAX_LIVE_SECONDS;
use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::response::error::Result;
use crate::limit_key::LimitKey;
use crate::live::events;
use crate::live::registry::MAX_STREAMS_OF_SHOPPER;
use crate::slot_limiter::Slot;

pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Well below the idle timeouts of proxies, which are 30 seconds and more.
const HEARTBEAT: Duration = Duration::from_secs(15);

pub(crate) async fn live(State(app): State<Arc<App>>, headers: HeaderMap, call: ShopperCall) -> Result<Response> {
    let seconds = call.form.count("timeout")?.map_or(MAX_LIVE_SECONDS, i64::unsigned_abs);
    if seconds > MAX_LIVE_SECONDS {
        let rule = format!("must be between 0 and {MAX_LIVE_SECONDS} seconds, got {seconds}");
        return Err(Error::invalid("timeout", rule).into());
    }
    let time = app.limits.live_timeout.min(Duration::from_secs(seconds));
    // An id that is not one of this server is that of a state that is not the current one.
    let header = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
    let last_seen = call.form.get("last-event-id").or(header).map(|id| id.parse().ok());
    // Clients without a stream ask from time to time instead.
    if app.is_draining() || app.admission.is_overloaded() && !time.is_zero() {
        return Err(Error::new(Code::Overloaded, "no live lists now: retry after the time in Retry-After").into());
    }
    let slot = app.live.acquire(call.limit_key()).ok_or_else(|| {
        let message = format!(
            "too many streams of this shopper (at most {MAX_STREAMS_OF_SHOPPER}) or of this server: close others, or retry \
             after the time in Retry-After"
        );
        Error::new(Code::Overloaded, message)
    })?;
    let key = call.by.fingerprint();
    let seen = Arc::new(app.database.read(ReadState { by: call.by }).await?);
    let opening = events::opening(&seen, last_seen);
    if time.is_zero() {
        return Ok(event_stream(Body::from(opening)));
    }
    let watching = Watching {
        states: app.live.watch(key, &seen),
        seen: seen.stamp,
        closing: app.live.closing(),
        ends_at: Instant::now() + time,
        _slot: slot,
    };
    let rest = stream::unfold(watching, |mut watching| async { Some((watching.next().await?, watching)) });
    let all = stream::once(async { opening }).chain(rest).map(Ok::<Bytes, Infallible>);
    Ok(event_stream(Body::from_stream(all)))
}

/// A stream after its opening.
struct Watching {
    states: watch::Receiver<Arc<ListsState>>,
    /// The stamp of what the client knows.
    seen: i64,
    closing: watch::Receiver<bool>,
    ends_at: Instant,
    _slot: Slot<LimitKey>,
}

impl Watching {
    /// The next events, or a heartbeat. `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let heartbeat = sleep(HEARTBEAT);
        tokio::pin!(heartbeat);
        loop {
            tokio::select! {
                changed = self.states.changed() => changed.ok()?,
                () = &mut heartbeat => return Some(events::HEARTBEAT),
                () = sleep_until(self.ends_at) => return None,
                _ = self.closing.wait_for(|closing| *closing) => return None,
            }
            let now = Arc::clone(&self.states.borrow_and_update());
            // The shopper was erased: the next call says so.
            if now.stamp == 0 && self.seen > 0 {
                return None;
            }
            // What was published last may have been read before what the client knows.
            if now.stamp <= self.seen {
                continue;
            }
            let before = std::mem::replace(&mut self.seen, now.stamp);
            let changes = events::changes(before, &now);
            if !changes.is_empty() {
                return Some(changes);
            }
        }
    }
}

fn event_stream(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // nginx collects responses, unless it is told not to.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
