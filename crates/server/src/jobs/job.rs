//! A background job: a step that is repeated until the server shuts down.

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

/// A short rest.
const SHORT_REST: Duration = Duration::from_millis(50);
/// The longest rest after steps that failed.
const LONGEST_REST: Duration = Duration::from_secs(60);

/// What a step left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// There is more at once.
    None,
    /// There is more, which is in no hurry: callers come first.
    Short,
    UntilWoken,
}

pub(super) trait Job: Send + Sync + 'static {
    const NAME: &'static str;
    /// How long it sleeps when nothing wakes it: other nodes cannot.
    const PAUSE: Duration;

    fn step(app: &App) -> impl Future<Output = Result<Rest>> + Send;

    /// What wakes it.
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
                    let rest = J::PAUSE.saturating_mul(1 << failures.min(10)).min(LONGEST_REST);
                    tracing::warn!(job = J::NAME, cause = error.cause, %error, "a step failed; it is tried again");
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

/// A step that panics has failed like any other: the job goes on.
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
    async fn a_step_that_panics_is_a_step_that_failed() {
        let outcome = guarded(async { panic!("a record that nobody foresaw") }).await;
        assert!(outcome.is_err());
    }
}
