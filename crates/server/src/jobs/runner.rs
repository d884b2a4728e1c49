//! Starts every job, and waits for the steps under way at shutdown.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::app::App;
use crate::jobs::clean_up::CleanUp;
use crate::jobs::copy_lists::CopyLists;
use crate::jobs::job::start;
use crate::jobs::maintenance;
use crate::jobs::send_mail::SendMail;
use crate::jobs::write_visits::WriteVisits;
use crate::shutdown::ShutdownPhase;

/// How long steps under way get to finish once shutdown began.
const FINISH: Duration = Duration::from_secs(10);

/// The jobs of a server.
pub struct Jobs {
    /// Closed when the last job has ended.
    running: mpsc::Receiver<()>,
}

impl Jobs {
    /// Starts every job; they end when `stop` says so.
    pub async fn start(app: &Arc<App>, stop: &watch::Receiver<ShutdownPhase>) -> Self {
        maintenance::watch(app).await;
        let (alive, running) = mpsc::channel(1);
        start::<SendMail>(app, stop, &alive);
        start::<CopyLists>(app, stop, &alive);
        start::<WriteVisits>(app, stop, &alive);
        start::<CleanUp>(app, stop, &alive);
        Self { running }
    }

    /// Waits until the steps under way are done. One that takes too long is left: what it claimed, another will do.
    pub async fn finish(mut self, mut stop: watch::Receiver<ShutdownPhase>) {
        tokio::select! {
            biased;
            _ = self.running.recv() => {}
            _ = stop.wait_for(|phase| *phase == ShutdownPhase::Immediate) => {
                tracing::warn!("exiting at once with background work under way");
            }
            () = sleep(FINISH) => tracing::warn!("exiting with background work still under way"),
        }
    }
}
