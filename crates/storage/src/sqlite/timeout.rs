//! The timeout of reads, measured in instructions of SQLite's virtual machine.

use std::cell::Cell;
use std::time::Duration;

use rusqlite::Connection;

use crate::error::Result;

/// Instructions between two calls of the progress handler: about 2.5 ms of work on a machine of 2025.
const INSTRUCTIONS_PER_CALL: i32 = 100_000;
const CALLS_PER_SECOND: f64 = 400.0;

thread_local! {
    /// Calls of the progress handler since the operation on this thread began.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Restarts the timeout for the next operation on this thread.
pub(super) fn restart() {
    CALLS.set(0);
}

/// Interrupts statements on the connection once an operation has run for `timeout`.
pub(super) fn install(connection: &mut Connection, timeout: Duration) -> Result<()> {
    let limit = (timeout.as_secs_f64() * CALLS_PER_SECOND) as usize;
    let is_expired = move || {
        CALLS.set(CALLS.get() + 1);
        CALLS.get() > limit
    };
    Ok(connection.progress_handler(INSTRUCTIONS_PER_CALL, Some(is_expired))?)
}
