//! The one writer: a thread that groups whatever is waiting into one durable commit, each operation
//! in a savepoint of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;

use super::others::Witness;
use super::pace::Pace;
use super::tx::{SqliteTx, control, finish};
use crate::changes::{ChangeTracker, WriteSet};
use crate::{Error, FailPoint, Options, Result, Write};

/// How many operations share a commit at most: enough to hide the cost of the disk, few enough that
/// the first of them does not wait long.
pub(super) const GROUP: usize = 256;
/// How often an idle writer looks whether others have written. Until it has, nothing is answered from memory.
const LOOK: Duration = Duration::from_millis(200);

/// Runs an operation on the writer's connection (or learns why there is no transaction) and hands
/// back what it changed, and what to call with the fate of the commit.
type Job = Box<dyn FnOnce(Result<&mut Connection>) -> (WriteSet, Answer) + Send>;
type Answer = Box<dyn FnOnce(Result<()>) + Send>;

pub(super) struct Writer {
    queue: Option<SyncSender<Job>>,
    depth: Arc<AtomicUsize>,
    pace: Arc<Pace>,
    thread: Mutex<Option<JoinHandle<()>>>,
    fail_first_attempt: bool,
    fail_point: FailPoint,
}

impl Writer {
    pub(super) fn start(connection: Connection, changes: Arc<ChangeTracker>, options: &Options) -> Result<Self> {
        let (queue, jobs) = sync_channel(options.write_queue);
        let depth = Arc::new(AtomicUsize::new(0));
        let pace = Arc::new(Pace::default());
        let work = Work {
            connection,
            changes,
            depth: Arc::clone(&depth),
            pace: Arc::clone(&pace),
            fail_point: options.fail_point.clone(),
            witness: Witness::default(),
        };
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || work.go_on(&jobs))
            .map_err(Error::unavailable)?;
        Ok(Self {
            queue: Some(queue),
            depth,
            pace,
            thread: Mutex::new(Some(thread)),
            fail_first_attempt: options.fail_first_attempt,
            fail_point: options.fail_point.clone(),
        })
    }

    pub(super) async fn run<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        let (sender, answer) = oneshot::channel();
        let (fail_first_attempt, fail_point) = (self.fail_first_attempt, self.fail_point.clone());
        let job: Job = Box::new(move |connection| {
            let mut write_set = WriteSet::nothing();
            let out = match connection {
                Err(error) => Err(error.into()),
                Ok(connection) => {
                    let run = || attempt(connection, &operation, fail_first_attempt, &fail_point, &mut write_set);
                    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(abandon(connection, W::NAME).into()))
                }
            };
            let answer = move |committed: Result<()>| {
                // The caller may have gone away; the write stands all the same.
                let _ = sender.send(committed.map_err(W::Error::from).and(out));
            };
            (write_set, Box::new(answer))
        });
        let queue = self.queue.as_ref().ok_or_else(|| Error::unavailable("shutting down"))?;
        if self.pace.is_too_slow_for(self.depth.load(Ordering::Relaxed)) {
            return Err(Error::Busy.into());
        }
        self.count(self.depth.fetch_add(1, Ordering::Relaxed) + 1);
        if let Err(error) = queue.try_send(job) {
            self.depth.fetch_sub(1, Ordering::Relaxed);
            return Err(match error {
                TrySendError::Full(_) => Error::Busy,
                TrySendError::Disconnected(_) => Error::unavailable("the writer has stopped"),
            }
            .into());
        }
        answer.await.map_err(|_| Error::unavailable("the writer has stopped").in_commit())?
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

/// What the writer's thread has.
struct Work {
    connection: Connection,
    changes: Arc<ChangeTracker>,
    depth: Arc<AtomicUsize>,
    pace: Arc<Pace>,
    fail_point: FailPoint,
    witness: Witness,
}

impl Work {
    fn go_on(mut self, jobs: &Receiver<Job>) {
        self.witness.look(&self.connection, &self.changes);
        loop {
            match jobs.recv_timeout(LOOK) {
                Ok(first) => self.group(first, jobs),
                Err(RecvTimeoutError::Timeout) => self.witness.look(&self.connection, &self.changes),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn group(&mut self, first: Job, jobs: &Receiver<Job>) {
        let began = Instant::now();
        let mut state = control(&self.connection, "begin immediate");
        let (mut answers, mut write_sets) = (Vec::new(), Vec::new());
        let mut next = Some(first);
        while let Some(job) = next {
            self.depth.fetch_sub(1, Ordering::Relaxed);
            let (write_set, answer) = job(state.clone().map(|()| &mut self.connection));
            write_sets.push(write_set);
            answers.push(answer);
            state = state.and_then(|()| still_open(&self.connection));
            next = if answers.len() < GROUP { jobs.try_recv().ok() } else { None };
        }
        let ran = began.elapsed();
        self.changes.begin(&write_sets);
        let fate = state.and_then(|()| self.fail_point.pass()).and_then(|()| commit(&self.connection));
        if fate.is_err() && !self.connection.is_autocommit() {
            let _ = control(&self.connection, "rollback");
        }
        self.changes.end(&write_sets);
        self.witness.look(&self.connection, &self.changes);
        self.pace.learn(answers.len(), ran, began.elapsed() - ran);
        let fate = fate.and_then(|()| self.fail_point.pass().map_err(Error::in_commit));
        metrics::gauge!("wishbone_store_queue_depth").set(self.depth.load(Ordering::Relaxed) as f64);
        metrics::histogram!("wishbone_store_group_size").record(answers.len() as f64);
        for answer in answers {
            answer(fate.clone());
        }
    }
}

/// When the disk fails after the log was written (syncing it, say), this process goes on without the change, but a
/// restart before the next commit would find it in the log.
fn commit(connection: &Connection) -> Result<()> {
    let committed = connection.prepare_cached("commit").and_then(|mut commit| commit.raw_execute());
    committed.map(drop).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => Error::from(error).in_commit(),
        _ => error.into(),
    })
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
    fail_point: &FailPoint,
    write_set: &mut WriteSet,
) -> std::result::Result<W::Out, W::Error> {
    if fail_first_attempt {
        control(connection, "savepoint operation")?;
        let _ = finish(W::NAME, operation.run(&mut SqliteTx::new(connection)));
        undo(connection)?;
    }
    control(connection, "savepoint operation")?;
    let mut tx = SqliteTx::new(connection).breaking_at(fail_point);
    let mut out = finish(W::NAME, operation.run(&mut tx));
    if let (Ok(_), Some(failure)) = (&out, tx.failure.take()) {
        out = Err(failure.into());
    }
    match &out {
        Ok(out) => {
            *write_set = operation.write_set(out);
            control(connection, "release operation")?;
        }
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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::{Sql, Tx};

    const ADD: Sql = Sql::new("insert into numbers (number) values ($1)");

    struct Add(i64);

    impl Write for Add {
        const NAME: &'static str = "add";
        type Out = i64;
        type Error = Error;

        async fn run<T: Tx>(&self, tx: &mut T) -> Result<i64> {
            tx.execute(ADD.bind(&[self.0.into()])).await?;
            Ok(self.0)
        }
    }

    /// Adds a number, then does something else that is not right.
    struct AddAnd(i64, fn());

    impl Write for AddAnd {
        const NAME: &'static str = "add_and";
        type Out = ();
        type Error = Error;

        async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
            tx.execute(ADD.bind(&[self.0.into()])).await?;
            self.1();
            Err(Error::Busy)
        }
    }

    /// Keeps the writer busy until it is told to go on.
    struct Hold(Mutex<mpsc::Receiver<()>>);

    impl Write for Hold {
        const NAME: &'static str = "hold";
        type Out = ();
        type Error = Error;

        async fn run<T: Tx>(&self, _: &mut T) -> Result<()> {
            let _ = self.0.lock().unwrap().recv();
            Ok(())
        }
    }

    struct Bench {
        writer: Writer,
        commits: Arc<AtomicUsize>,
    }

    fn start(path: &Path, write_queue: usize) -> Bench {
        let mut connection = super::super::open_writer(path).unwrap();
        connection.execute_batch("create table numbers (number integer not null primary key)").unwrap();
        let commits = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&commits);
        let count = move || {
            seen.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection.commit_hook(Some(count)).unwrap();
        let options = Options { write_queue, ..Options::default() };
        let writer = Writer::start(connection, Arc::new(ChangeTracker::new(None)), &options).unwrap();
        Bench { writer, commits }
    }

    /// What another process would find.
    fn on_disk(path: &Path) -> Vec<i64> {
        let connection = Connection::open(path).unwrap();
        let mut statement = connection.prepare("select number from numbers order by number").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(|number| number.unwrap()).collect()
    }

    /// Hands an operation to the writer without waiting for its answer.
    fn submit<F: Future>(future: F) -> std::pin::Pin<Box<F>> {
        let mut future = Box::pin(future);
        let answer = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(answer.is_pending(), "an answer comes only after the commit");
        future
    }

    #[tokio::test]
    async fn many_waiting_writes_share_few_commits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let bench = start(&path, 1_000);
        let (go_on, wait) = mpsc::channel();
        let held = submit(bench.writer.run(Hold(Mutex::new(wait))));
        let writes: Vec<_> = (0..600).map(|number| submit(bench.writer.run(Add(number)))).collect();
        go_on.send(()).unwrap();
        held.await.unwrap();
        for (number, write) in (0..).zip(writes) {
            assert_eq!(write.await.unwrap(), number);
        }
        // 601 operations in groups of 256.
        assert_eq!(bench.commits.load(Ordering::Relaxed), 3);
        assert_eq!(on_disk(&path).len(), 600);
    }

    #[tokio::test]
    async fn what_was_answered_can_be_seen_by_others_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let bench = start(&path, 10);
        for number in 0..5 {
            bench.writer.run(Add(number)).await.unwrap();
            assert_eq!(on_disk(&path).last(), Some(&number));
        }
    }

    #[tokio::test]
    async fn the_end_of_the_writer_waits_for_what_was_accepted_even_when_its_callers_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let bench = start(&path, 1_000);
        let (go_on, wait) = mpsc::channel();
        drop(submit(bench.writer.run(Hold(Mutex::new(wait)))));
        for number in 0..300 {
            drop(submit(bench.writer.run(Add(number))));
        }
        drop(go_on);
        drop(bench);
        assert_eq!(on_disk(&path), (0..300).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_failing_operation_and_a_panicking_one_leave_the_rest_of_their_group_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let bench = start(&path, 10);
        let (go_on, wait) = mpsc::channel();
        let held = submit(bench.writer.run(Hold(Mutex::new(wait))));
        let first = submit(bench.writer.run(Add(1)));
        let refused = submit(bench.writer.run(AddAnd(2, || {})));
        let panicked = submit(bench.writer.run(AddAnd(3, || panic!("on purpose"))));
        let twice = submit(bench.writer.run(Add(1)));
        let last = submit(bench.writer.run(Add(4)));
        drop(go_on);
        held.await.unwrap();
        first.await.unwrap();
        assert!(matches!(refused.await, Err(Error::Busy)));
        assert!(matches!(panicked.await, Err(Error::Bug(why)) if why.contains("add_and panicked")));
        assert!(matches!(twice.await, Err(Error::Bug(_))));
        last.await.unwrap();
        assert_eq!(bench.commits.load(Ordering::Relaxed), 1);
        assert_eq!(on_disk(&path), [1, 4]);
    }

    #[tokio::test]
    async fn one_write_too_many_is_refused_at_once_and_the_others_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let bench = start(&path, 2);
        let (go_on, wait) = mpsc::channel();
        let held = submit(bench.writer.run(Hold(Mutex::new(wait))));
        // The writer may or may not have taken the first one out of the queue of two yet.
        let mut accepted = Vec::new();
        let mut refused = 0;
        for number in 0..5 {
            let mut write = Box::pin(bench.writer.run(Add(number)));
            match write.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Pending => accepted.push(write),
                Poll::Ready(answer) => {
                    assert!(matches!(answer, Err(Error::Busy)), "{answer:?}");
                    refused += 1;
                }
            }
        }
        assert!(refused >= 3, "{refused}");
        drop(go_on);
        held.await.unwrap();
        let count = accepted.len();
        for write in accepted {
            write.await.unwrap();
        }
        assert_eq!(on_disk(&path).len(), count);
        bench.writer.run(Add(100)).await.unwrap();
    }

    #[test]
    fn a_group_that_sqlite_rolled_back_by_itself_is_answered_as_lost() {
        struct RollBack;

        impl Write for RollBack {
            const NAME: &'static str = "roll_back";
            type Out = ();
            type Error = Error;

            async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
                // As a full disk would do it.
                const ROLLBACK: Sql = Sql::new("rollback");
                tx.execute(ROLLBACK.bind(&[])).await?;
                Ok(())
            }
        }

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let bench = start(&path, 10);
        let (go_on, wait) = mpsc::channel();
        let held = submit(bench.writer.run(Hold(Mutex::new(wait))));
        let before = submit(bench.writer.run(Add(1)));
        let cause = submit(bench.writer.run(RollBack));
        let after = submit(bench.writer.run(Add(2)));
        drop(go_on);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            assert!(matches!(held.await, Err(Error::Unavailable(_))));
            assert!(matches!(before.await, Err(Error::Unavailable(_))));
            assert!(matches!(cause.await, Err(Error::Unavailable(_))));
            assert!(matches!(after.await, Err(Error::Unavailable(_))));
            bench.writer.run(Add(3)).await.unwrap();
        });
        assert_eq!(on_disk(&path), [3]);
    }
}
