//! Where log lines go. Those of requests are many: each with a system call of its own would cost as much as a page from
//! memory, so they are gathered and written together, a moment later. All others are written at once, in order.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use crate::http::request::observation::TARGET as REQUEST_LINES;

/// How long a line may wait.
const MOMENT: Duration = Duration::from_millis(50);
const MOST: usize = 64 << 10;

static WAITING: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The writer of `tracing`.
pub(super) struct Lines;

impl Lines {
    /// Begins to write what waits, every moment.
    pub(super) fn start() -> Self {
        let write_on = || {
            loop {
                std::thread::sleep(MOMENT);
                flush();
            }
        };
        // Without the thread, lines are written when there are many, and at the end.
        let _ = std::thread::Builder::new().name("log".into()).spawn(write_on);
        Self
    }
}

/// Writes what waits. To be called before the process ends.
pub(super) fn flush() {
    write_out(&mut waiting());
}

fn waiting() -> MutexGuard<'static, Vec<u8>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nobody can be told that logs cannot be written.
fn write_out(lines: &mut Vec<u8>) {
    let _ = io::stderr().write_all(lines);
    lines.clear();
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { may_wait: false }
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Line {
        Line { may_wait: line.target() == REQUEST_LINES && *line.level() == Level::INFO }
    }
}

pub(super) struct Line {
    may_wait: bool,
}

impl Write for Line {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut waiting = waiting();
        waiting.extend_from_slice(text);
        if !self.may_wait || waiting.len() > MOST {
            write_out(&mut waiting);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
