//! Buffered log output. A system call per request line would be a notable part of a short request, so request lines are
//! buffered for a short time. All other lines are written immediately, in order.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use wishbone_core::moment::iso8601;

use crate::environment::Environment;
use crate::http::request::observation::TARGET as REQUEST_LINES;

/// How often the buffer is flushed.
const FLUSH_INTERVAL: Duration = Duration::from_millis(50);
/// Size at which the buffer is flushed early.
const CAPACITY: usize = 64 << 10;

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The writer for `tracing`.
pub(super) struct Lines;

impl Lines {
    /// Starts the thread that flushes the buffer.
    pub(super) fn start() -> Self {
        let flush_periodically = || {
            loop {
                std::thread::sleep(FLUSH_INTERVAL);
                flush();
            }
        };
        // Without the thread, the buffer is flushed when it is full and at exit.
        let _ = std::thread::Builder::new().name("log".into()).spawn(flush_periodically);
        Self
    }
}

/// Flushes the buffer. Must be called before the process exits.
pub(super) fn flush() {
    write_out(&mut buffer());
}

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Errors are ignored: there is nowhere to report them.
fn write_out(lines: &mut Vec<u8>) {
    let _ = io::stderr().write_all(lines);
    lines.clear();
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { is_buffered: false }
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> Line {
        Line { is_buffered: line.target() == REQUEST_LINES && *line.level() == Level::INFO }
    }
}

thread_local! {
    /// The second of the last line, and its date and time.
    static SECOND: RefCell<(i64, String)> = RefCell::default();
}

/// The time of a line. Date and time of day are formatted once a second: every request has a line.
pub(super) struct Timestamp;

impl FormatTime for Timestamp {
    fn format_time(&self, line: &mut Writer<'_>) -> fmt::Result {
        let now = Environment::Real.now();
        let second = now.div_euclid(1_000);
        SECOND.with_borrow_mut(|(last, text)| {
            if *last != second {
                *text = iso8601(second * 1_000).trim_end_matches("000Z").to_owned();
                *last = second;
            }
            write!(line, "{text}{:03}Z", now.rem_euclid(1_000))
        })
    }
}

pub(super) struct Line {
    is_buffered: bool,
}

impl Write for Line {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut buffer = buffer();
        buffer.extend_from_slice(text);
        if !self.is_buffered || buffer.len() > CAPACITY {
            write_out(&mut buffer);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
