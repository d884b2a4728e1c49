//! The one writer: a thread that groups whatever is waiting into one durable commit, each operation
//! in a savepoint of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::tx::{SqliteTx, control, finish};
use crate::{Error, Options, Result, Write};

/// How many operations share a commit at most: enough to hide the cost of the disk, few enough that
/// the first of them does not wait long.
const GROUP: usize = 256;

/// Runs an operation on the writer's connection (or learns why there is no transaction) and hands
/// back what to call with the fate of the commit.
type Job = Box<dyn FnOnce(Result<&mut Connection>) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<()>) + Send>;

pub(super) struct Writer {
    queue: Option<SyncSender<Job>>,
    depth: Arc<AtomicUsize>,
    thread: Mutex<Option<JoinHandle<()>>>,
    fail_first_attempt: bool,
}

impl Writer {
    pub(super) fn start(connection: Connection, options: &Options) -> Result<Self> {
        let (queue, jobs) = sync_channel(options.write_queue);
        let depth = Arc::new(AtomicUsize::new(0));
        let waiting = Arc::clone(&depth);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || work(connection, &jobs, &waiting))
            .map_err(Error::unavailable)?;
        Ok(Self {
            queue: Some(queue),
            depth,
            thread: Mutex::new(Some(thread)),
            fail_first_attempt: options.fail_first_attempt,
        })
    }

    pub(super) async fn run<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        let (sender, answer) = oneshot::channel();
        let fail_first_attempt = self.fail_first_attempt;
        let job: Job = Box::new(move |connection| {
            let out = match connection {
                Err(error) => Err(error.into()),
                Ok(connection) => {
                    catch_unwind(AssertUnwindSafe(|| attempt(connection, &operation, fail_first_attempt)))
                        .unwrap_or_else(|_| Err(abandon(connection, W::NAME).into()))
                }
            };
            Box::new(move |committed| {
                // The caller may have gone away; the write stands all the same.
                let _ = sender.send(committed.map_err(W::Error::from).and(out));
            })
        });
        let queue = self.queue.as_ref().ok_or_else(|| Error::unavailable("shutting down"))?;
        self.count(self.depth.fetch_add(1, Ordering::Relaxed) + 1);
        if let Err(error) = queue.try_send(job) {
            self.depth.fetch_sub(1, Ordering::Relaxed);
            return Err(match error {
                TrySendError::Full(_) => Error::Busy,
                TrySendError::Disconnected(_) => Error::unavailable("the writer has stopped"),
            }
            .into());
        }
        answer.await.map_err(|_| Error::unavailable("the writer has stopped"))?
    }

    pub(super) fn is_alive(&self) -> Result<()> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        match thread.as_ref() {
            Some(thread) if !thread.is_finished() => Ok(()),
            _ => Err(Error::unavailable("the writer has stopped")),
        }
    }

    fn count(&self, depth: usize) {
        metrics::gauge!("wishbone_store_queue_depth").set(depth as f64);
    }
}

/// What was accepted is finished before the database closes.
impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn work(mut connection: Connection, jobs: &Receiver<Job>, depth: &AtomicUsize) {
    while let Ok(first) = jobs.recv() {
        let mut state = control(&connection, "begin immediate");
        let mut answers = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            depth.fetch_sub(1, Ordering::Relaxed);
            answers.push(job(state.clone().map(|()| &mut connection)));
            state = state.and_then(|()| still_open(&connection));
            next = if answers.len() < GROUP { jobs.try_recv().ok() } else { None };
        }
        let fate = state.and_then(|()| control(&connection, "commit"));
        if fate.is_err() && !connection.is_autocommit() {
            let _ = control(&connection, "rollback");
        }
        metrics::gauge!("wishbone_store_queue_depth").set(depth.load(Ordering::Relaxed) as f64);
        metrics::histogram!("wishbone_store_group_size").record(answers.len() as f64);
        for answer in answers {
            answer(fate.clone());
        }
    }
}

/// A full disk makes SQLite roll the whole transaction back by itself; a savepoint after that would
/// silently begin and commit one of its own.
fn still_open(connection: &Connection) -> Result<()> {
    if connection.is_autocommit() {
        return Err(Error::unavailable("SQLite rolled the group back"));
    }
    Ok(())
}

fn attempt<W: Write>(
    connection: &mut Connection,
    operation: &W,
    fail_first_attempt: bool,
) -> std::result::Result<W::Out, W::Error> {
    if fail_first_attempt {
        control(connection, "savepoint operation")?;
        let _ = finish(W::NAME, operation.run(&mut SqliteTx::new(connection)));
        undo(connection)?;
    }
    control(connection, "savepoint operation")?;
    let mut tx = SqliteTx::new(connection);
    let mut out = finish(W::NAME, operation.run(&mut tx));
    if let (Ok(_), Some(failure)) = (&out, tx.failure.take()) {
        out = Err(failure.into());
    }
    match out {
        Ok(_) => control(connection, "release operation")?,
        Err(_) => undo(connection)?,
    }
    out
}

fn undo(connection: &Connection) -> Result<()> {
    control(connection, "rollback to operation")?;
    control(connection, "release operation")
}

/// After a panic: undo what the operation did, keep the others.
fn abandon(connection: &Connection, name: &str) -> Error {
    if let Err(error) = undo(connection) {
        tracing::error!(operation = name, %error, "could not undo an operation that panicked");
    }
    Error::Bug(format!("{name} panicked"))
}
