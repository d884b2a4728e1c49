//! Serving the API.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::app::App;
use crate::http::edge::listener::{self, ConnectionLimits};
use crate::http::edge::metrics;
use crate::http::router::router;
use crate::shutdown::ShutdownPhase;

/// Serves until shutdown begins, keeps serving while `/readyz` returns 503, then finishes what was accepted.
pub async fn serve(app: Arc<App>, listener: TcpListener, shutdown: watch::Receiver<ShutdownPhase>) {
    metrics::start_upkeep();
    let limits = ConnectionLimits {
        connections: app.limits.connections,
        connections_per_address: app.limits.connections_per_address,
        proxies: app.proxies.clone(),
        drain_grace: app.limits.drain_grace,
    };
    listener::serve(router(&app), listener, &limits, shutdown, || app.drain()).await;
}
