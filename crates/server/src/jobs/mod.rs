//! Background work, one file a job. A job works in steps that can be repeated and that any number of nodes may take at
//! once; what must not be done twice is claimed in the database. So it needs no leader, and a crash leaves nothing that
//! the next step, here or elsewhere, would not find.

pub mod clean;
pub mod copy;
pub mod mail;
pub mod visits;

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::sleep;
use wishbone_core::{Error, Result};

use crate::app::App;
use crate::http::serve::Told;
use crate::supervisor;

/// A short rest.
const SHORT_REST: Duration = Duration::from_millis(50);
/// The longest rest after steps that failed.
const LONGEST_REST: Duration = Duration::from_secs(60);
/// How long steps under way get to finish once the server is told to stop.
const FINISH: Duration = Duration::from_secs(10);

/// What a step left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// There is more at once.
    None,
    /// There is more, which is in no hurry: callers come first.
    Short,
    UntilWoken,
}

trait Job: Send + Sync + 'static {
    const NAME: &'static str;
    /// How long it sleeps when nothing wakes it: other nodes cannot.
    const PAUSE: Duration;

    fn step(app: &App) -> impl Future<Output = Result<Rest>> + Send;

    /// What wakes it.
    fn bell(_: &App) -> Option<&Notify> {
        None
    }
}

/// The jobs of a server.
pub struct Jobs {
    /// Closed when the last job has ended.
    running: mpsc::Receiver<()>,
}

impl Jobs {
    /// Starts every job; they end when `stop` says so.
    pub fn start(app: &Arc<App>, stop: &watch::Receiver<Told>) -> Self {
        let (alive, running) = mpsc::channel(1);
        start::<mail::SendMail>(app, stop, &alive);
        start::<copy::CopyLists>(app, stop, &alive);
        start::<visits::NoteGuests>(app, stop, &alive);
        start::<clean::CleanUp>(app, stop, &alive);
        Self { running }
    }

    /// Waits until the steps under way are done. One that takes too long is left: what it claimed, another will do.
    pub async fn finish(mut self, mut stop: watch::Receiver<Told>) {
        tokio::select! {
            biased;
            _ = self.running.recv() => {}
            _ = stop.wait_for(|told| *told == Told::LeaveNow) => {
                tracing::warn!("stopped at once, with background work under way");
            }
            () = sleep(FINISH) => tracing::warn!("stopped with background work under way"),
        }
    }
}

fn start<J: Job>(app: &Arc<App>, stop: &watch::Receiver<Told>, alive: &mpsc::Sender<()>) {
    let (app, mut stop, alive) = (Arc::clone(app), stop.clone(), alive.clone());
    supervisor::start(J::NAME, async move {
        let mut failures = 0;
        while *stop.borrow() == Told::GoOn {
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
                () = rung(J::bell(&app)) => {}
                _ = stop.wait_for(|told| *told >= Told::Finish) => {}
            }
        }
        drop(alive);
    });
}

/// A step that panics has failed like any other: the job goes on.
async fn guarded(step: impl Future<Output = Result<Rest>>) -> Result<Rest> {
    AssertUnwindSafe(step).catch_unwind().await.unwrap_or_else(|_| Err(Error::internal("the step panicked")))
}

async fn rung(bell: Option<&Notify>) {
    match bell {
        Some(bell) => bell.notified().await,
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
