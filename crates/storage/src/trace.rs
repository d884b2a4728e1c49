//! Spans of traces.

use tracing::Span;

/// The target of all spans that belong to traces. Nothing else has it, so that one filter turns traces on and off.
pub const TARGET: &str = "wishbone_trace";

/// True within a trace. Work outside of one, such as the polls of a job, makes no trace of its own.
pub fn is_traced() -> bool {
    tracing::span_enabled!(target: TARGET, tracing::Level::INFO) && !Span::current().is_none()
}

/// Records that the current operation has failed for a reason of the database.
pub(crate) fn record_failure(kind: &'static str) {
    if is_traced() {
        let span = Span::current();
        span.record("error.type", kind);
        span.record("otel.status_code", "ERROR");
    }
}

/// The span of an operation on the database, with its waits for a connection, locks and the commit.
pub(crate) fn operation_span(system: &'static str, name: &'static str) -> Span {
    if !is_traced() {
        return Span::none();
    }
    tracing::info_span!(
        target: TARGET,
        "database",
        otel.name = name,
        otel.kind = "client",
        db.system.name = system,
        db.operation.name = name,
        error.type = tracing::field::Empty,
        otel.status_code = tracing::field::Empty,
    )
}
