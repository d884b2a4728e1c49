//! Progress of long commands on stderr: one updated line on a terminal, otherwise a line from time to time.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use wishbone_storage::{Progress, ProgressReporter};

use crate::supervisor;

const TERMINAL_INTERVAL: Duration = Duration::from_millis(100);
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Shows progress until a signal arrives. The signal stops the work but not the program, so that it can clean up.
pub(super) fn watch() -> std::io::Result<ProgressReporter> {
    let stopped = Arc::new(AtomicBool::new(false));
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = stopped.clone();
    supervisor::start("signals", async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stop.store(true, Ordering::Relaxed);
    });
    let line = Mutex::new(Line::new(std::io::stderr().is_terminal()));
    Ok(ProgressReporter::new(move |progress| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(progress);
        !stopped.load(Ordering::Relaxed)
    }))
}

/// Shows progress, for commands with nothing to clean up: signals end the program.
pub(super) fn show() -> ProgressReporter {
    let line = Mutex::new(Line::new(std::io::stderr().is_terminal()));
    ProgressReporter::new(move |progress| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(progress);
        true
    })
}

struct Line {
    rewrites: bool,
    /// The current stage.
    doing: String,
    shown_at: Instant,
    started_at: Instant,
}

impl Line {
    fn new(rewrites: bool) -> Self {
        let now = Instant::now();
        Self { rewrites, doing: String::new(), shown_at: now, started_at: now }
    }

    fn show(&mut self, progress: Progress<'_>) {
        // A log gets one line per stage, not per table.
        let stage = |text: &str| if self.rewrites { text.to_owned() } else { text.split(' ').take(1).collect() };
        let is_new = stage(&self.doing) != stage(progress.phase);
        let pause = if self.rewrites { TERMINAL_INTERVAL } else { LOG_INTERVAL };
        if !is_new && self.shown_at.elapsed() < pause {
            return;
        }
        if is_new {
            self.doing = progress.phase.to_owned();
            self.started_at = Instant::now();
        }
        self.shown_at = Instant::now();
        let text = text(progress, self.started_at.elapsed());
        let mut out = std::io::stderr();
        // Returns to the start of the line and clears it.
        let _ = if self.rewrites { write!(out, "\r\x1b[K{text}") } else { writeln!(out, "{text}") };
        let _ = out.flush();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.rewrites && !self.doing.is_empty() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn text(progress: Progress<'_>, elapsed: Duration) -> String {
    let Progress { phase, done, total } = progress;
    let seconds = elapsed.as_secs();
    match total {
        0 if done > 0 => format!("{phase} … {done} rows so far, {seconds} s"),
        0 if seconds == 0 => format!("{phase} …"),
        0 => format!("{phase} … {seconds} s"),
        _ => format!("{phase} … {} %", done.min(total) * 100 / total),
    }
}
