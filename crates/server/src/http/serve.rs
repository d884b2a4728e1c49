//! Listening, and stopping without dropping what was accepted.

use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{probes, router};
use crate::app::App;

/// How long requests under way get to finish once the server is told to stop.
const DRAIN: Duration = Duration::from_secs(20);

/// Serves until `stop` says so, then finishes what was accepted.
pub async fn serve(app: Arc<App>, listener: TcpListener, mut stop: watch::Receiver<bool>) -> std::io::Result<()> {
    probes::recorder();
    let listener = listener.tap_io(|stream| {
        // Answers are written whole; waiting for more would only delay them.
        let _ = stream.set_nodelay(true);
    });
    let draining = Arc::clone(&app);
    let mut told = stop.clone();
    let server = axum::serve(listener, router(&app)).with_graceful_shutdown(async move {
        let _ = told.wait_for(|stop| *stop).await;
        draining.drain();
    });
    let too_long = async {
        let _ = stop.wait_for(|stop| *stop).await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        done = server.into_future() => done,
        () = too_long => {
            tracing::warn!("stopped with requests still under way");
            Ok(())
        }
    }
}

/// Turns the first SIGTERM or SIGINT into a word to stop.
pub fn on_signal() -> std::io::Result<watch::Receiver<bool>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = watch::channel(false);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    crate::supervisor::start("signals", async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: finishing what was accepted");
        let _ = sender.send(true);
    });
    Ok(receiver)
}
