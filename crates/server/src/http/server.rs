//! Serving the API.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::App;
use crate::http::edge::address::Proxies;
use crate::http::edge::admission::AdmissionControl;
use crate::http::edge::listener::{self, ConnectionSettings};
use crate::http::edge::metrics;
use crate::http::handlers::probes;
use crate::http::router::router;
use crate::shutdown::ShutdownPhase;

/// Serves until shutdown begins, keeps serving while `/readyz` returns 503, then finishes what was accepted.
pub async fn serve(app: Arc<App>, listener: TcpListener, shutdown: watch::Receiver<ShutdownPhase>) {
    metrics::start_upkeep();
    let settings = ConnectionSettings {
        connections: app.limits.connections,
        connections_per_address: app.limits.connections_per_address,
        proxies: app.proxies.clone(),
        clients: Arc::clone(&app.clients),
        admission: Arc::clone(&app.admission),
        drain_grace: app.limits.drain_grace,
        tls: app.tls.clone(),
    };
    listener::serve(router(&app), listener, &settings, shutdown, || app.drain()).await;
}

/// Connections to the metrics.
const METRICS_CONNECTIONS: usize = 100;

/// The metrics, which are not for everyone who can reach the API.
pub fn metrics_router() -> Router {
    Router::new().route("/metrics", get(probes::metrics))
}

/// Serves the metrics until shutdown.
pub async fn serve_metrics(listener: TcpListener, shutdown: watch::Receiver<ShutdownPhase>) {
    let settings = ConnectionSettings {
        connections: METRICS_CONNECTIONS,
        connections_per_address: METRICS_CONNECTIONS,
        proxies: Proxies::default(),
        clients: Arc::default(),
        admission: AdmissionControl::new(METRICS_CONNECTIONS),
        drain_grace: Duration::ZERO,
        tls: None,
    };
    listener::serve(metrics_router(), listener, &settings, shutdown, || ()).await;
}
