//! Probes and metrics, for operators and their tools.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::PrometheusHandle;
use wishbone_core::error::{Code, Error};

use crate::app::App;
use crate::http::edge::metrics::recorder;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

/// Liveness: the process runs.
pub(crate) async fn healthz() -> Answer {
    Answer::object(|answer| answer.text("status", "ok"))
}

/// Readiness: the process can serve requests.
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Result<Answer> {
    if app.is_draining() {
        return Err(Error::new(Code::Overloaded, "this server is shutting down: send requests to another one").into());
    }
    match app.database.ping().await {
        // A busy database is reachable: removing this node would only move its load to the others.
        Ok(()) | Err(wishbone_storage::Error::Busy) => {}
        Err(error) => return Err(error.into()),
    }
    if let Some(problem) = app.write_problem() {
        return Err(Error::new(Code::Overloaded, format!("the database accepts no writes: {problem}")).into());
    }
    Ok(Answer::object(|answer| {
        answer.text("status", "ok");
        answer.text("engine", app.database.engine());
        // Still ready: callers are to get the response that says so.
        answer.flag("maintenance", app.is_in_maintenance());
    }))
}

pub(crate) async fn metrics() -> Response {
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    let mut response = text.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    response
}
