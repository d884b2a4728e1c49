//! How far long commands are, on stderr: a line that rewrites itself on a terminal, else a line now and then.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use wishbone_storage::{Progress, ProgressReporter};

use crate::supervisor;

const ON_A_TERMINAL: Duration = Duration::from_millis(100);
/// Who reads a log wants to see that it goes on, no more.
const IN_A_LOG: Duration = Duration::from_secs(10);

/// Shows what it is told, until a signal asks to stop: Ctrl-C ends the work, not the program, so that it can clean up.
pub(super) fn watch() -> std::io::Result<ProgressReporter> {
    let stopped = Arc::new(AtomicBool::new(false));
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let heard = stopped.clone();
    supervisor::start("signals", async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        heard.store(true, Ordering::Relaxed);
    });
    let line = Mutex::new(Line::new(std::io::stderr().is_terminal()));
    Ok(ProgressReporter::new(move |progress| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(progress);
        !stopped.load(Ordering::Relaxed)
    }))
}

/// Shows what it is told. Signals end the program, which has nothing to clean up.
pub(super) fn show() -> ProgressReporter {
    let line = Mutex::new(Line::new(std::io::stderr().is_terminal()));
    ProgressReporter::new(move |progress| {
        line.lock().unwrap_or_else(PoisonError::into_inner).show(progress);
        true
    })
}

struct Line {
    rewrites: bool,
    /// What was last shown, and when it and the work that it is about began.
    doing: String,
    shown: Instant,
    began: Instant,
}

impl Line {
    fn new(rewrites: bool) -> Self {
        let now = Instant::now();
        Self { rewrites, doing: String::new(), shown: now, began: now }
    }

    fn show(&mut self, progress: Progress<'_>) {
        // A log wants the stages, not each table.
        let stage = |text: &str| if self.rewrites { text.to_owned() } else { text.split(' ').take(1).collect() };
        let is_new = stage(&self.doing) != stage(progress.phase);
        let pause = if self.rewrites { ON_A_TERMINAL } else { IN_A_LOG };
        if !is_new && self.shown.elapsed() < pause {
            return;
        }
        if is_new {
            self.doing = progress.phase.to_owned();
            self.began = Instant::now();
        }
        self.shown = Instant::now();
        let text = text(progress, self.began.elapsed());
        let mut out = std::io::stderr();
        // To the start of the line, and what was there before is cleared.
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

fn text(progress: Progress<'_>, since: Duration) -> String {
    let Progress { phase, done, total } = progress;
    let seconds = since.as_secs();
    match total {
        0 if seconds == 0 => format!("{phase} …"),
        0 => format!("{phase} … {seconds} s"),
        _ => format!("{phase} … {} %", done.min(total) * 100 / total),
    }
}
