//! Background jobs: steps that are repeated until the server shuts down.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::sleep;
use wishbone_core::error::{Error, Result};

use crate::app::App;
use crate::shutdown::ShutdownPhase;
use crate::supervisor;

/// Pause between steps of work that is not urgent.
const SHORT_REST: Duration = Duration::from_millis(50);
/// Maximum pause after failed steps.
const MAX_REST: Duration = Duration::from_secs(60);

/// The pause before the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// More work is due now.
    None,
    /// More work is due but not urgent: requests take precedence.
    Short,
    /// No work is due.
    UntilWoken,
}

pub(super) trait Job: Send + Sync + 'static {
    const NAME: &'static str;
    /// Polling interval, for work that other nodes have added: they cannot wake this one.
    const PAUSE: Duration;

    fn step(app: &App) -> impl Future<Output = Result<Rest>> + Send;

    /// Notified when this node adds work.
    fn wake(_: &App) -> Option<&Notify> {
        None
    }
}

pub(super) fn start<J: Job>(app: &Arc<App>, stop: &watch::Receiver<ShutdownPhase>, alive: &mpsc::Sender<()>) {
    let (app, mut stop, alive) = (Arc::clone(app), stop.clone(), alive.clone());
    supervisor::start(J::NAME, async move {
        let mut failures = 0;
        while *stop.borrow() == ShutdownPhase::Running {
            let rest = match guarded(J::step(&app)).await {
                Ok(Rest::None) => continue,
                Ok(Rest::Short) => SHORT_REST,
                Ok(Rest::UntilWoken) => {
                    failures = 0;
                    J::PAUSE
                }
                Err(error) => {
                    failures += 1;
                    let rest = J::PAUSE.saturating_mul(1 << failures.min(10)).min(MAX_REST);
                    tracing::warn!(job = J::NAME, cause = error.cause, %error, "job step failed: retrying");
                    rest
                }
            };
            tokio::select! {
                () = sleep(rest) => {}
                () = notified(J::wake(&app)) => {}
                _ = stop.wait_for(|phase| *phase >= ShutdownPhase::Draining) => {}
            }
        }
        drop(alive);
    });
}

/// Runs a step. A panic counts as a failed step, and the job continues.
async fn guarded(step: impl Future<Output = Result<Rest>>) -> Result<Rest> {
    AssertUnwindSafe(step).catch_unwind().await.unwrap_or_else(|_| Err(Error::internal("the step panicked")))
}

async fn notified(wake: Option<&Notify>) {
    match wake {
        Some(wake) => wake.notified().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_counts_as_a_failed_step() {
        let outcome = guarded(async { panic!("unexpected record") }).await;
        assert!(outcome.is_err());
    }
}
