//! Starts all jobs, and waits for their current steps at shutdown.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use crate::app::App;
use crate::jobs::clean_up::CleanUp;
use crate::jobs::copy_lists::CopyLists;
use crate::jobs::deliver_webhooks;
use crate::jobs::dispatch_events::DispatchEvents;
use crate::jobs::job::start;
use crate::jobs::maintenance;
use crate::jobs::measure_alerts::MeasureAlerts;
use crate::jobs::probe_writes::ProbeWrites;
use crate::jobs::purge_lists::PurgeLists;
use crate::jobs::send_alerts;
use crate::jobs::send_mail::SendMail;
use crate::jobs::send_reminders::SendReminders;
use crate::jobs::signing_keys::RecordKeys;
use crate::jobs::watch_lists::WatchLists;
use crate::jobs::write_visits::WriteVisits;
use crate::shutdown::ShutdownPhase;

/// Time for current steps to complete at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// The running jobs of a server.
pub struct Jobs {
    /// Closed when the last job has ended.
    running: mpsc::Receiver<()>,
}

impl Jobs {
    /// Starts all jobs. They end when `stop` leaves the phase `Running`.
    pub async fn start(app: &Arc<App>, stop: &watch::Receiver<ShutdownPhase>) -> Self {
        maintenance::watch(app).await;
        let (alive, running) = mpsc::channel(1);
        start::<SendMail>(app, stop, &alive);
        start::<SendReminders>(app, stop, &alive);
        start::<DispatchEvents>(app, stop, &alive);
        send_alerts::start(app, stop, &alive);
        start::<MeasureAlerts>(app, stop, &alive);
        deliver_webhooks::start(app, stop, &alive);
        start::<CopyLists>(app, stop, &alive);
        start::<PurgeLists>(app, stop, &alive);
        start::<WatchLists>(app, stop, &alive);
        start::<WriteVisits>(app, stop, &alive);
        start::<RecordKeys>(app, stop, &alive);
        start::<ProbeWrites>(app, stop, &alive);
        start::<CleanUp>(app, stop, &alive);
        Self { running }
    }

    /// Waits for the current steps, up to a timeout. Work that a cancelled step had claimed is later done by another node,
    /// or after a restart.
    pub async fn finish(mut self, mut stop: watch::Receiver<ShutdownPhase>) {
        tokio::select! {
            biased;
            _ = self.running.recv() => {}
            _ = stop.wait_for(|phase| *phase == ShutdownPhase::Immediate) => {
                tracing::warn!("exiting immediately with job steps in progress");
            }
            () = sleep(SHUTDOWN_TIMEOUT) => tracing::warn!("exiting with job steps still in progress"),
        }
    }
}
