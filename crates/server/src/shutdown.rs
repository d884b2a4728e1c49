//! Shutdown phases, and the signals that advance them.

use tokio::sync::watch;

use crate::supervisor;

/// How far the shutdown has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShutdownPhase {
    Running,
    /// Requests under way are finished.
    Draining,
    /// Nothing is waited for.
    Immediate,
}

/// The first SIGTERM or SIGINT starts draining, the second ends the process at once.
pub fn on_signal() -> std::io::Result<watch::Receiver<ShutdownPhase>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = watch::channel(ShutdownPhase::Running);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    supervisor::start("signals", async move {
        for phase in [ShutdownPhase::Draining, ShutdownPhase::Immediate] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if phase == ShutdownPhase::Draining {
                tracing::info!("shutting down: finishing requests under way; send the signal again to exit at once");
            }
            let _ = sender.send(phase);
        }
    });
    Ok(receiver)
}
