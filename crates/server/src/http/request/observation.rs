//! The layer around every handler: admission, request id, timeout, panic handling, log line, metrics, error body and
//! default headers.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::header::{CONNECTION, HeaderValue, WWW_AUTHENTICATE};
use axum::http::{StatusCode, Version};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use metrics::{Counter, Histogram};
use tracing::Instrument;
use wishbone_core::error::{Code, Error};
use wishbone_core::stores::record::FindStore;

use crate::api::operation::Operation;
use crate::app::{self, App};
use crate::http::edge::admission::Permit;
use crate::http::edge::metrics::recorder;
use crate::http::request::authentication::pid_of;
use crate::http::request::context::{REQUEST_ID, RequestContext};
use crate::http::response::error::{self, Failure};
use crate::http::response::outgoing::outgoing;
use crate::http::response::{cors, headers};
use crate::spans;

/// The target of request log lines.
pub(crate) const TARGET: &str = module_path!();

/// An operation with its metrics, which are too slow to look up for every request.
pub(crate) struct Observed {
    app: Arc<App>,
    operation: Operation,
    /// Responses with status 200.
    succeeded: Counter,
    seconds: Histogram,
}

impl Observed {
    pub(crate) fn new(app: &Arc<App>, operation: Operation) -> Arc<Self> {
        // Metrics created before the recorder is installed are lost.
        let _ = recorder();
        let succeeded = metrics::counter!("wishbone_requests_total", "operation" => operation.path, "status" => "200");
        let seconds = metrics::histogram!("wishbone_request_seconds", "operation" => operation.path);
        Arc::new(Self { app: Arc::clone(app), operation, succeeded, seconds })
    }

    fn count(&self, status: StatusCode, time: Duration) {
        let path = self.operation.path;
        match status {
            StatusCode::OK => self.succeeded.increment(1),
            _ => metrics::counter!("wishbone_requests_total", "operation" => path, "status" => status.as_u16().to_string())
                .increment(1),
        }
        self.seconds.record(time);
    }
}

/// A handler with the observation layer around it.
#[derive(Clone)]
pub(crate) struct Observing<H> {
    pub(crate) observed: Arc<Observed>,
    pub(crate) handler: H,
}

/// The future of a handler function.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

impl<H: Handler<T, Arc<App>, Future = Answering>, T> Handler<T, Arc<App>> for Observing<H> {
    type Future = Answering;

    fn call(self, mut request: Request, app: Arc<App>) -> Answering {
        let context = RequestContext::new(&app, self.observed.operation, &request);
        let admitted = context.admit(&app, &request);
        let stage = if context.is_preflight() {
            Stage::Preflight(request.uri().query().filter(|_| admitted.is_ok()).map(str::to_owned))
        } else if let Err(error) = admitted {
            Stage::Rejected(error)
        } else {
            request.extensions_mut().insert(Arc::clone(&context));
            Stage::Handled(self.handler.call(request, app))
        };
        Box::pin(Permit::measure(context.permit().cloned(), respond(self.observed, context, stage)))
    }
}

/// How a request proceeds after its head has been checked.
enum Stage {
    /// With the query string, if the store is to be looked up.
    Preflight(Option<String>),
    Rejected(Error),
    Handled(Answering),
}

async fn respond(observed: Arc<Observed>, context: Arc<RequestContext>, stage: Stage) -> Response {
    let (app, operation) = (&observed.app, context.operation);
    let mut response = match stage {
        // Boxed, so that other requests do not carry its state around.
        Stage::Preflight(query) => {
            let answering = preflight(app, &context, query.as_deref());
            Box::pin(answering.instrument(context.span.clone())).await
        }
        Stage::Rejected(error) => {
            app.admission.pace_rejection(context.started).await;
            Failure(error).into_response()
        }
        Stage::Handled(answering) => run(app, &context, answering).instrument(context.span.clone()).await,
    };

    let store = context.store();
    let failure = response.extensions_mut().remove::<Arc<Error>>();
    if let Some(failure) = &failure {
        error::write(&mut response, &operation, failure);
    }
    let headers = response.headers_mut();
    if context.asks_for_password {
        // The browser would send it from then on with the requests of any page.
        headers.remove(WWW_AUTHENTICATE);
    }
    if context.is_cross_origin() {
        cors::allow(headers, context.origin.as_ref(), store.map(AsRef::as_ref));
    }
    headers::secure(headers);
    let is_last = app.is_draining() || context.is_cut_off.load(Ordering::Relaxed);
    if is_last && context.version <= Version::HTTP_11 {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        // hyper adds `keep-alive` to a response over HTTP/1.0 whose version is a later one.
        *response.version_mut() = context.version;
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&context.id) {
        headers.insert(REQUEST_ID, value);
    }

    let elapsed = context.started.elapsed();
    observed.count(response.status(), elapsed);
    let line = LogLine {
        id: &context.id,
        method: context.method.as_str(),
        operation: operation.path,
        store: store.map(|store| store.name.as_str()),
        status: response.status().as_u16(),
        micros: u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
    };
    line.write(failure.as_deref());
    spans::record_response(&context.span, line.status, line.store, failure.as_deref().map(|it| it.code.as_str()));
    outgoing(response, context.accepts_gzip, context.arriving.as_ref().map(|arriving| arriving.client()))
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
    /// Logs these fields only: never a key, an address, a regid or a sessionid.
    fn write(&self, failure: Option<&Error>) {
        let Self { id, method, operation, store, status, micros } = self;
        let code = failure.map(|failure| failure.code.as_str());
        let cause = failure.and_then(|failure| failure.cause.as_deref());
        if failure.is_some_and(|failure| failure.code == Code::Internal) {
            tracing::error!(request_id = %id, %method, %operation, store, status, micros, code, cause, "request");
        } else if cause.is_some() {
            tracing::warn!(request_id = %id, %method, %operation, store, status, micros, code, cause, "request");
        } else {
            tracing::info!(request_id = %id, %method, %operation, store, status, micros, code, "request");
        }
    }
}

/// Runs a handler, and admits its response. A timeout or panic becomes an error response.
async fn run(app: &App, context: &RequestContext, answering: Answering) -> Response {
    if let Some(permit) = context.permit() {
        permit.wait().await;
    }
    let admitted = async {
        let mut response = answering.await;
        match app.admit_response(context.limit_key(), &mut response) {
            Ok(()) => response,
            Err(error) => Failure(error).into_response(),
        }
    };
    let guarded = AssertUnwindSafe(admitted).catch_unwind();
    let limited = async {
        match tokio::time::timeout(app.limits.request_timeout, guarded).await {
            // A read for the response has failed after the write. `Overloaded` would invite a retry, and so a second write.
            Ok(Ok(response)) if app::has_written() && is_overloaded(&response) => {
                Failure(Error::outcome_unknown("the change was made, but its response could not be built"))
                    .into_response()
            }
            Ok(Ok(response)) => response,
            Ok(Err(_)) => Failure(Error::internal("the handler panicked")).into_response(),
            Err(_) if app::has_written() => Failure(Error::outcome_unknown("the request timed out")).into_response(),
            Err(_) => {
                let message = "request timed out: retry after the time in Retry-After";
                Failure(Error::new(Code::Overloaded, message)).into_response()
            }
        }
    };
    app::count_writes(limited).await
}

fn is_overloaded(response: &Response) -> bool {
    response.extensions().get::<Arc<Error>>().is_some_and(|error| error.code == Code::Overloaded)
}

/// Answers a preflight request. It is answered even when the request itself is going to be rejected, with `query` absent:
/// otherwise the browser would hide the reason from the page.
async fn preflight(app: &App, context: &RequestContext, query: Option<&str>) -> Response {
    if let Some(pid) = query.and_then(pid_of) {
        match app.database.read(FindStore { pid }).await {
            Ok(Some(store)) => context.note_store(Arc::new(store)),
            Ok(None) => {}
            Err(error) => return Failure(error).into_response(),
        }
    }
    cors::preflight()
}
