//! Background work, one file a job. A job works in steps that can be repeated and that any number of nodes may take at
//! once; what must not be done twice is claimed in the database. So it needs no leader, and a crash leaves nothing that
//! the next step, here or elsewhere, would not find.

pub mod clean;
pub mod copy;
pub mod mail;
pub mod visits;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{sleep, timeout};
use wishbone_core::Result;

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
    pub async fn finish(mut self) {
        if timeout(FINISH, self.running.recv()).await.is_err() {
            tracing::warn!("stopped with background work under way");
        }
    }
}

fn start<J: Job>(app: &Arc<App>, stop: &watch::Receiver<Told>, alive: &mpsc::Sender<()>) {
    let (app, mut stop, alive) = (Arc::clone(app), stop.clone(), alive.clone());
    supervisor::start(J::NAME, async move {
        let mut failures = 0;
        while *stop.borrow() == Told::GoOn {
            let rest = match J::step(&app).await {
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

async fn rung(bell: Option<&Notify>) {
    match bell {
        Some(bell) => bell.notified().await,
        None => std::future::pending().await,
    }
}
