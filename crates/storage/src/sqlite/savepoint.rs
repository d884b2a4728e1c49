//! Runs one operation of a group in its own savepoint.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::Connection;

use super::hold_time;
use super::tx::{SqliteTx, control, poll_once};
use crate::error::{Error, Result};
use crate::fail_point::FailPoint;
use crate::operation::Write;
use crate::step_recorder::{Holds, StepRecorder};

/// Settings for tests.
#[derive(Clone)]
pub(super) struct TestOptions {
    pub(super) fail_first_attempt: bool,
    pub(super) fail_point: FailPoint,
    pub(super) steps: StepRecorder,
}

/// Runs the operation. If it fails or panics, its changes are rolled back, and the rest of the group is not affected.
pub(super) fn run<W: Write>(
    connection: &mut Connection,
    operation: &W,
    tests: &TestOptions,
) -> std::result::Result<W::Out, W::Error> {
    let attempt = || attempt(connection, operation, tests);
    catch_unwind(AssertUnwindSafe(|| hold_time::write(W::NAME, attempt)))
        .unwrap_or_else(|_| Err(roll_back_after_panic(connection, W::NAME).into()))
}

fn attempt<W: Write>(
    connection: &mut Connection,
    operation: &W,
    tests: &TestOptions,
) -> std::result::Result<W::Out, W::Error> {
    if tests.fail_first_attempt {
        control(connection, "savepoint operation")?;
        let _ = poll_once(W::NAME, operation.run(&mut SqliteTx::new(connection)));
        roll_back(connection)?;
    }
    control(connection, "savepoint operation")?;
    let mut tx = SqliteTx::new(connection).with_fail_point(&tests.fail_point).counting(tests.steps.is_enabled());
    let mut out = poll_once(W::NAME, operation.run(&mut tx));
    tests.steps.record(Holds::Writer, W::NAME, tx.steps());
    if let (Ok(_), Some(failure)) = (&out, tx.failure.take()) {
        out = Err(failure.into());
    }
    match &out {
        Ok(_) => control(connection, "release operation")?,
        Err(_) => roll_back(connection)?,
    }
    out
}

fn roll_back(connection: &Connection) -> Result<()> {
    control(connection, "rollback to operation")?;
    control(connection, "release operation")
}

fn roll_back_after_panic(connection: &Connection, name: &str) -> Error {
    if let Err(error) = roll_back(connection) {
        tracing::error!(operation = name, %error, "could not roll back an operation that panicked");
    }
    Error::Bug(format!("{name} panicked"))
}
