//! Shutdown phases, and the signals that advance them.

use tokio::sync::watch;

use crate::supervisor;

/// A phase of the shutdown, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShutdownPhase {
    Running,
    /// In-flight requests are completed.
    Draining,
    /// The process exits without waiting for requests.
    Immediate,
}

/// Reports the shutdown phase: the first SIGTERM or SIGINT starts draining, the second exits immediately.
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
                tracing::info!(
                    "shutting down: completing in-flight requests; send the signal again to exit immediately"
                );
            }
            let _ = sender.send(phase);
        }
    });
    Ok(receiver)
}
