//! Probes and metrics, for operators and their tools.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::time::timeout;
use wishbone_core::error::{Code, Error};

use crate::app::App;
use crate::http::edge::metrics::recorder;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::outage::DatabaseProblem;

/// Time for the database to respond. Load balancers give up after two seconds or more.
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// Liveness: the process runs.
pub(crate) async fn healthz() -> Answer {
    Answer::object(|answer| answer.text("status", "ok"))
}

/// Readiness: the process can serve requests.
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Result<Answer> {
    if app.is_draining() {
        return Err(Error::new(Code::Overloaded, "this server is shutting down: send requests to another one").into());
    }
    let problem = database_problem(&app).await;
    let is_outage = problem.as_ref().is_some_and(|problem| problem.is_outage);
    let problem = problem.map(|problem| problem.text);
    if app.outage.is_too_long(is_outage, app.environment.now()) {
        return Err(Error::new(Code::Overloaded, problem.unwrap_or_default()).into());
    }
    Ok(Answer::object(|answer| {
        answer.text("status", "ok");
        answer.text("engine", app.database.engine());
        answer.text("database", problem.as_deref().unwrap_or("ok"));
        // Still ready: callers are to get the response that says so.
        answer.flag("maintenance", app.is_in_maintenance());
    }))
}

/// What is wrong with the database.
async fn database_problem(app: &App) -> Option<DatabaseProblem> {
    let ping = timeout(PING_TIMEOUT, app.database.ping()).await.unwrap_or(Err(wishbone_storage::Error::Timeout));
    match ping {
        // A busy database is reachable: removing this node would only move its load to the others.
        Ok(()) | Err(wishbone_storage::Error::Busy) => {}
        Err(error) => {
            // The cause may have names of hosts.
            tracing::warn!(%error, "not ready");
            return Some(DatabaseProblem { text: "the database does not respond".to_owned(), is_outage: true });
        }
    }
    let problem = app.write_problem()?;
    // It responds again: the reason may be out of date.
    app.probe_writes.notify_one();
    Some(problem)
}

pub(crate) async fn metrics() -> Response {
    let text = recorder().map(PrometheusHandle::render).unwrap_or_default();
    let mut response = text.into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"));
    response
}
