//! Around every request: whether it is let in, its id, its time limit, its log line, its metrics, its error body
//! and the headers that all answers have.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::header::{CONNECTION, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use metrics::{Counter, Histogram};
use wishbone_core::stores::FindStore;
use wishbone_core::{Code, Error};

use super::address::Arrival;
use super::auth::{SeenStore, pid_of};
use super::error::{self, Failure, Result};
use super::gate::Ticket;
use super::{Caller, Operation, cors, headers, maintenance, probes};
use crate::app::App;

/// Of its log lines.
pub(super) const TARGET: &str = module_path!();

tokio::task_local! {
    /// Writes of the request under way that were made, or may have been.
    static WRITES: Cell<u32>;
}

/// Awaits a write. From its begin on nobody can say that the request has changed nothing, unless it fails in a way that
/// says so itself.
pub(super) async fn write<T>(write: impl Future<Output = wishbone_core::Result<T>>) -> wishbone_core::Result<T> {
    let count = |more: fn(u32) -> u32| WRITES.try_with(|writes| writes.set(more(writes.get()))).unwrap_or_default();
    count(|writes| writes + 1);
    let out = write.await;
    if out.as_ref().is_err_and(|error| error.code != Code::OutcomeUnknown) {
        count(|writes| writes - 1);
    }
    out
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// An operation, and where its requests are counted: to look that up for each of them would take a while.
pub(super) struct Observed {
    app: Arc<App>,
    operation: Operation,
    /// Answers with status 200.
    answered: Counter,
    seconds: Histogram,
}

impl Observed {
    pub(super) fn new(app: &Arc<App>, operation: Operation) -> Arc<Self> {
        // What is counted before there is a recorder is lost.
        let _ = probes::recorder();
        let answered = metrics::counter!("wishbone_requests_total", "operation" => operation.path, "status" => "200");
        let seconds = metrics::histogram!("wishbone_request_seconds", "operation" => operation.path);
        Arc::new(Self { app: Arc::clone(app), operation, answered, seconds })
    }

    fn count(&self, status: StatusCode, time: Duration) {
        let path = self.operation.path;
        match status {
            StatusCode::OK => self.answered.increment(1),
            _ => metrics::counter!("wishbone_requests_total", "operation" => path, "status" => status.as_u16().to_string())
                .increment(1),
        }
        self.seconds.record(time);
    }
}

/// A handler with all that is around each of its requests.
#[derive(Clone)]
pub(super) struct Observing<H> {
    pub(super) observed: Arc<Observed>,
    pub(super) handler: H,
}

/// What handlers that are functions answer with.
pub(super) type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

impl<H: Handler<T, Arc<App>, Future = Answering>, T> Handler<T, Arc<App>> for Observing<H> {
    type Future = Answering;

    fn call(self, mut request: Request, app: Arc<App>) -> Answering {
        let asked = Asked::new(self.observed, &mut request);
        let admitted = asked.admit(&request);
        let first = if asked.is_preflight() {
            First::Preflight(request.uri().query().filter(|_| admitted.is_ok()).map(str::to_owned))
        } else {
            match admitted {
                Err(failure) => First::Refused(failure),
                Ok(ticket) => {
                    if let Some(ticket) = &ticket {
                        request.extensions_mut().insert(ticket.clone());
                    }
                    First::Handled(self.handler.call(request, app), ticket)
                }
            }
        };
        Box::pin(asked.answer(first))
    }
}

/// A request, and what is noted of it before anyone else takes it.
struct Asked {
    observed: Arc<Observed>,
    started: Instant,
    id: String,
    method: Method,
    version: Version,
    origin: Option<HeaderValue>,
    seen: SeenStore,
}

/// What a request comes to at first.
enum First {
    /// With the query, if the store is to be looked up.
    Preflight(Option<String>),
    Refused(Failure),
    /// The ticket is held until it is answered.
    Handled(Answering, Option<Ticket>),
}

impl Asked {
    fn new(observed: Arc<Observed>, request: &mut Request) -> Self {
        let asked = Self {
            started: Instant::now(),
            id: request_id(&observed.app, request.headers()),
            method: request.method().clone(),
            version: request.version(),
            origin: request.headers().get(ORIGIN).cloned(),
            seen: SeenStore::default(),
            observed,
        };
        request.extensions_mut().insert(asked.seen.clone());
        if cfg!(debug_assertions) {
            // For the check that handlers read nothing but what is described.
            request.extensions_mut().insert(asked.observed.operation);
        }
        asked
    }

    /// Probes and files are always let in: who looks after the server must see it when it is busy.
    fn admit(&self, request: &Request) -> Result<Option<Ticket>> {
        let app = &self.observed.app;
        if self.observed.operation.caller == Caller::Anyone {
            return Ok(None);
        }
        if app.is_in_maintenance() {
            return Err(maintenance::refusal().into());
        }
        let waited = request.extensions().get::<Arrival>().map_or(Duration::ZERO, |arrival| arrival.waited);
        app.gate.ticket(waited, self.started).map(Some)
    }

    /// Whether pages of other origins may call the operation.
    fn is_open(&self) -> bool {
        matches!(self.observed.operation.caller, Caller::Shopper | Caller::Browser)
    }

    fn is_preflight(&self) -> bool {
        self.is_open() && self.method == Method::OPTIONS && self.origin.is_some()
    }

    async fn answer(self, first: First) -> Response {
        let (app, operation) = (&self.observed.app, self.observed.operation);
        let mut response = match first {
            First::Preflight(query) => preflight(app, &self.seen, query.as_deref()).await,
            First::Refused(failure) => {
                app.gate.refuse(self.started).await;
                failure.into_response()
            }
            First::Handled(answering, _ticket) => run(app, answering).await,
        };

        let store = self.seen.0.get();
        let failure = response.extensions_mut().remove::<Arc<Error>>();
        if let Some(failure) = &failure {
            error::write(&mut response, &operation, failure);
        }
        let headers = response.headers_mut();
        if self.is_open() {
            cors::allow(headers, self.origin.as_ref(), store.map(AsRef::as_ref));
        }
        headers::secure(headers);
        if app.is_draining() && self.version <= Version::HTTP_11 {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Ok(value) = HeaderValue::from_str(&self.id) {
            headers.insert(REQUEST_ID, value);
        }

        let elapsed = self.started.elapsed();
        self.observed.count(response.status(), elapsed);
        let line = LogLine {
            id: &self.id,
            method: self.method.as_str(),
            operation: operation.path,
            store: store.map(|store| store.name.as_str()),
            status: response.status().as_u16(),
            micros: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
        };
        line.write(failure.as_deref());
        response
    }
}

struct LogLine<'a> {
    id: &'a str,
    method: &'a str,
    operation: &'a str,
    store: Option<&'a str>,
    status: u16,
    micros: u64,
}

impl LogLine<'_> {
    /// Never a key, an address, a regid or a sessionid: only what is named here.
    fn write(&self, failure: Option<&Error>) {
        let Self { id, method, operation, store, status, micros } = self;
        let code = failure.map(|failure| failure.code.as_str());
        let cause = failure.and_then(|failure| failure.cause.as_deref());
        if failure.is_some_and(|failure| failure.code == Code::Internal) {
            tracing::error!(request_id = id, method, operation, store, status, micros, code, cause, "request");
        } else if cause.is_some() {
            tracing::warn!(request_id = id, method, operation, store, status, micros, code, cause, "request");
        } else {
            tracing::info!(request_id = id, method, operation, store, status, micros, code, "request");
        }
    }
}

/// A request that takes too long or panics is answered like any other failure.
async fn run(app: &App, answering: Answering) -> Response {
    let guarded = AssertUnwindSafe(answering).catch_unwind();
    let limited = async {
        match tokio::time::timeout(app.limits.request_timeout, guarded).await {
            // Reading what to answer has failed after the change was made: "try again" would be to make it twice.
            Ok(Ok(response)) if WRITES.with(Cell::get) > 0 && is_refused(&response) => {
                Failure(Error::outcome_unknown("the change was made, but not what to answer")).into_response()
            }
            Ok(Ok(response)) => response,
            Ok(Err(_)) => Failure(Error::internal("the handler panicked")).into_response(),
            Err(_) if WRITES.with(Cell::get) > 0 => {
                Failure(Error::outcome_unknown("the request took too long")).into_response()
            }
            Err(_) => {
                let message = "the request took too long; try again in a moment";
                Failure(Error::new(Code::Overloaded, message)).into_response()
            }
        }
    };
    WRITES.scope(Cell::new(0), limited).await
}

fn is_refused(response: &Response) -> bool {
    response.extensions().get::<Arc<Error>>().is_some_and(|error| error.code == Code::Overloaded)
}

/// Without a query no store is looked up: a browser that could not ask would not let the page see why.
async fn preflight(app: &App, seen: &SeenStore, query: Option<&str>) -> Response {
    if let Some(pid) = query.and_then(pid_of) {
        match app.store.read(FindStore { pid }).await {
            Ok(Some(store)) => {
                let _ = seen.0.set(Arc::new(store));
            }
            Ok(None) => {}
            Err(error) => return Failure(error).into_response(),
        }
    }
    cors::preflight()
}

/// The caller's own id when it is harmless to repeat, else a new one.
fn request_id(app: &App, headers: &HeaderMap) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let harmless = |id: &&str| {
        (8..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    sent.filter(harmless).map_or_else(|| app.world.label().to_string(), str::to_owned)
}
