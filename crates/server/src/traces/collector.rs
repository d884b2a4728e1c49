//! The collector that receives traces: OTLP over HTTP.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Request, Response};
use opentelemetry_http::{HttpClient as OtlpClient, HttpError};
use tokio::runtime::Handle;

use crate::outbound::client::HttpClient;

pub(super) struct Collector {
    client: HttpClient,
    runtime: Handle,
    is_failing: AtomicBool,
}

impl Collector {
    /// For use by a thread outside of this runtime.
    pub(super) fn new(client: HttpClient, runtime: Handle) -> Self {
        Self { client, runtime, is_failing: AtomicBool::new(false) }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let headers: Vec<_> = head
            .headers
            .iter()
            .filter(|(name, _)| *name != CONTENT_TYPE)
            .filter_map(|(name, value)| Some((name.clone(), value.to_str().ok()?.to_owned())))
            .collect();
        let url = head.uri.to_string();
        let sent = self.runtime.block_on(self.client.post(&url, "application/x-protobuf", &headers, body.into()));
        let problem = match &sent {
            Ok(200..300) => None,
            Ok(status) => Some(format!("HTTP {status}")),
            Err(problem) => Some(problem.clone()),
        };
        self.report(problem.as_deref());
        Ok(Response::builder().status(sent?).body(Bytes::new())?)
    }

    /// Logs when exports start to fail and when they succeed again, not each of them.
    fn report(&self, problem: Option<&str>) {
        let outcome = if problem.is_some() { "failed" } else { "sent" };
        metrics::counter!("wishbone_trace_exports_total", "outcome" => outcome).increment(1);
        match (problem, self.is_failing.swap(problem.is_some(), Ordering::Relaxed)) {
            (Some(problem), false) => {
                tracing::warn!(problem, "cannot send traces, which are lost meanwhile: check --otlp-endpoint");
            }
            (None, true) => tracing::info!("traces are sent again"),
            _ => {}
        }
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Collector")
    }
}

impl OtlpClient for Collector {
    /// Blocks: the thread that calls it does nothing else.
    fn send_bytes<'client, 'future>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'future>>
    where
        'client: 'future,
        Self: 'future,
    {
        Box::pin(async move { self.send(request) })
    }
}
