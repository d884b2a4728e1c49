//! The spans of requests and deliveries, by OpenTelemetry's conventions. None has anything of a shopper: names of operations
//! and stores, ids and outcomes only.

use axum::http::{HeaderMap, Method};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use wishbone_storage::trace::{TARGET, is_traced};

/// The span of a request, within the trace of its `traceparent` header if it has one.
pub(crate) fn request(method: &Method, route: &'static str, request_id: &str, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        target: TARGET,
        "request",
        otel.name = %format_args!("{} {route}", known(method)),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = known(method),
        http.route = route,
        http.response.status_code = Empty,
        error.type = Empty,
        wishbone.request_id = request_id,
        wishbone.store = Empty,
    );
    if !span.is_disabled() {
        let parent = TraceContextPropagator::new().extract(&TraceParent(headers));
        if parent.span().span_context().is_valid() {
            // Fails only if the span has started.
            let _ = span.set_parent(parent);
        }
    }
    span
}

pub(crate) fn record_response(span: &Span, status: u16, store: Option<&str>, code: Option<&str>) {
    if span.is_disabled() {
        return;
    }
    // Signed: the bridge to OpenTelemetry sends unsigned integers as text.
    span.record("http.response.status_code", i64::from(status));
    span.record("wishbone.store", store);
    span.record("error.type", code);
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
}

/// The span of a delivery by a job: a mail, an alert or a webhook, from the claim to the record of its outcome.
pub(crate) fn delivery(name: &'static str) -> Span {
    tracing::info_span!(
        target: TARGET,
        parent: None,
        "delivery",
        otel.name = name,
        otel.kind = "consumer",
        otel.status_code = Empty,
        wishbone.id = Empty,
        wishbone.outcome = Empty,
    )
}

/// Records the outcome of the current delivery.
pub(crate) fn record_outcome(id: impl std::fmt::Display, outcome: &'static str) {
    if !is_traced() {
        return;
    }
    let span = Span::current();
    span.record("wishbone.id", tracing::field::display(id));
    span.record("wishbone.outcome", outcome);
    if outcome == "failed" {
        span.record("otel.status_code", "ERROR");
    }
}

/// The span of a call of another server, within a trace.
pub(crate) fn outbound(name: &'static str, host: &str) -> Span {
    if !is_traced() {
        return Span::none();
    }
    tracing::info_span!(
        target: TARGET,
        "outbound",
        otel.name = name,
        otel.kind = "client",
        otel.status_code = Empty,
        server.address = host,
        http.response.status_code = Empty,
    )
}

/// Records the response to an outbound call; `None` if there was none.
pub(crate) fn record_status(span: &Span, status: Option<u16>) {
    span.record("http.response.status_code", status.map(i64::from));
    if status.is_none_or(|status| status >= 400) {
        record_failure(span);
    }
}

pub(crate) fn record_failure(span: &Span) {
    span.record("otel.status_code", "ERROR");
}

/// The methods of the API; a client can send any other word.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::OPTIONS => "OPTIONS",
        _ => "_OTHER",
    }
}

/// The header `traceparent` alone. `tracestate` is up to the client, has no limit, and would be kept with every span.
struct TraceParent<'a>(&'a HeaderMap);

impl Extractor for TraceParent<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        (name == "traceparent").then(|| self.0.get(name)?.to_str().ok()).flatten()
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent"]
    }
}
