//! The writer thread: runs all queued operations as one group and commits them together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::queue_delay::QueueDelay;
use super::tx::control;
use crate::error::{Error, Result};
use crate::fail_point::FailPoint;

/// The number of operations that share a commit at most: enough to amortize the disk sync, few enough that the first of
/// them does not wait long.
pub(super) const MAX_GROUP: usize = 256;

/// Runs a queued operation on the writer's connection, or receives the error that prevented a transaction. Returns a
/// callback that receives the outcome of the commit.
pub(super) type Job = Box<dyn FnOnce(Result<&mut Connection>) -> Respond + Send>;
pub(super) type Respond = Box<dyn FnOnce(Result<()>) + Send>;

/// The state of the writer thread.
pub(super) struct CommitLoop {
    pub(super) connection: Connection,
    pub(super) depth: Arc<AtomicUsize>,
    pub(super) delay: Arc<QueueDelay>,
    pub(super) fail_point: FailPoint,
    pub(super) max_group_time: Duration,
}

impl CommitLoop {
    /// Processes jobs until the queue is closed and empty.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        while let Ok(first) = jobs.recv() {
            self.run_group(first, jobs);
        }
    }

    fn run_group(&mut self, first: Job, jobs: &Receiver<Job>) {
        let began = Instant::now();
        let mut state = control(&self.connection, "begin immediate");
        let mut responses = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            self.depth.fetch_sub(1, Ordering::Relaxed);
            responses.push(job(state.clone().map(|()| &mut self.connection)));
            state = state.and_then(|()| ensure_in_transaction(&self.connection));
            let is_full = responses.len() == MAX_GROUP || began.elapsed() > self.max_group_time;
            next = if is_full { None } else { jobs.try_recv().ok() };
        }
        let run_time = began.elapsed();
        let outcome = state.and_then(|()| self.fail_point.pass()).and_then(|()| commit(&self.connection));
        if outcome.is_err() && !self.connection.is_autocommit() {
            let _ = control(&self.connection, "rollback");
        }
        self.delay.record(responses.len(), run_time, began.elapsed() - run_time);
        let outcome = outcome.and_then(|()| self.fail_point.pass().map_err(Error::into_outcome_unknown));
        metrics::gauge!("wishbone_database_queue_depth").set(self.depth.load(Ordering::Relaxed) as f64);
        metrics::histogram!("wishbone_database_group_size").record(responses.len() as f64);
        for respond in responses {
            respond(outcome.clone());
        }
    }
}

/// Commits the group. After an I/O error (of the sync, for example) this process has discarded the change, but it may
/// be in the log: a restart before the next commit would recover it.
fn commit(connection: &Connection) -> Result<()> {
    let committed = connection.prepare_cached("commit").and_then(|mut commit| commit.raw_execute());
    committed.map(drop).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => Error::from(error).into_outcome_unknown(),
        _ => error.into(),
    })
}

/// Fails if SQLite has rolled back the whole transaction, as it does when the disk is full. A savepoint would then
/// start and commit a transaction of its own.
fn ensure_in_transaction(connection: &Connection) -> Result<()> {
    if connection.is_autocommit() {
        return Err(Error::unavailable("SQLite rolled back the transaction"));
    }
    Ok(())
}
