//! The write queue: passes operations to the writer thread and waits for their commit.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::commit_loop::{CommitLoop, Job, MAX_GROUP};
use super::queue_delay::QueueDelay;
use super::savepoint::{self, TestOptions};
use crate::error::{Error, Result};
use crate::operation::Write;
use crate::options::Options;

pub(super) struct Writer {
    queue: Option<SyncSender<Job>>,
    depth: Arc<AtomicUsize>,
    delay: Arc<QueueDelay>,
    thread: Mutex<Option<JoinHandle<()>>>,
    tests: TestOptions,
}

impl Writer {
    pub(super) fn start(connection: Connection, options: &Options) -> Result<Self> {
        let (queue, jobs) = sync_channel(options.write_queue);
        let depth = Arc::new(AtomicUsize::new(0));
        let delay = Arc::new(QueueDelay::new(MAX_GROUP));
        let commit_loop = CommitLoop {
            connection,
            depth: Arc::clone(&depth),
            delay: Arc::clone(&delay),
            fail_point: options.fail_point.clone(),
            max_group_time: options.max_group_time,
        };
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || commit_loop.run(&jobs))
            .map_err(Error::unavailable)?;
        let tests = TestOptions {
            fail_first_attempt: options.fail_first_attempt,
            fail_point: options.fail_point.clone(),
            steps: options.steps.clone(),
        };
        Ok(Self { queue: Some(queue), depth, delay, thread: Mutex::new(Some(thread)), tests })
    }

    /// Queues the operation and returns its result after the commit.
    pub(super) async fn run<W: Write>(&self, operation: W) -> std::result::Result<W::Out, W::Error> {
        let (sender, response) = oneshot::channel();
        let tests = self.tests.clone();
        let job: Job = Box::new(move |connection| {
            let out = connection
                .map_err(W::Error::from)
                .and_then(|connection| savepoint::run(connection, &operation, &tests));
            Box::new(move |committed: Result<()>| {
                // Fails if the caller is gone; the write is committed all the same.
                let _ = sender.send(committed.map_err(W::Error::from).and(out));
            })
        });
        let queue = self.queue.as_ref().ok_or_else(|| Error::unavailable("shutting down"))?;
        if self.delay.exceeds_limit(self.depth.load(Ordering::Relaxed)) {
            return Err(Error::Busy.into());
        }
        let depth = self.depth.fetch_add(1, Ordering::Relaxed) + 1;
        metrics::gauge!("wishbone_database_queue_depth").set(depth as f64);
        if let Err(error) = queue.try_send(job) {
            self.depth.fetch_sub(1, Ordering::Relaxed);
            return Err(match error {
                TrySendError::Full(_) => Error::Busy,
                TrySendError::Disconnected(_) => thread_stopped(),
            }
            .into());
        }
        response.await.map_err(|_| thread_stopped().into_outcome_unknown())?
    }

    /// Fails if the writer thread has stopped.
    pub(super) fn ping(&self) -> Result<()> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        match thread.as_ref() {
            Some(thread) if !thread.is_finished() => Ok(()),
            _ => Err(thread_stopped()),
        }
    }
}

fn thread_stopped() -> Error {
    Error::unavailable("the writer thread has stopped")
}

/// Closes the queue and waits until all accepted operations are committed.
impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use super::*;
    use crate::operation::Tx;
    use crate::sql::Sql;
    use crate::sqlite::connection::open_writer;

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

    /// Adds a number, calls the function, and fails.
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

    /// Blocks the writer until the sender sends or is dropped.
    struct Block(Mutex<mpsc::Receiver<()>>);

    impl Write for Block {
        const NAME: &'static str = "block";
        type Out = ();
        type Error = Error;

        async fn run<T: Tx>(&self, _: &mut T) -> Result<()> {
            let _ = self.0.lock().unwrap().recv();
            Ok(())
        }
    }

    struct TestWriter {
        writer: Writer,
        commits: Arc<AtomicUsize>,
    }

    fn start(path: &Path, write_queue: usize) -> TestWriter {
        let mut connection = open_writer(path).unwrap();
        connection.execute_batch("create table numbers (number integer not null primary key)").unwrap();
        let commits = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&commits);
        let count = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        };
        connection.commit_hook(Some(count)).unwrap();
        // However slow the machine is, a group is complete.
        let options = Options { write_queue, max_group_time: Duration::MAX, ..Options::default() };
        let writer = Writer::start(connection, &options).unwrap();
        TestWriter { writer, commits }
    }

    /// The numbers that another process can read.
    fn committed(path: &Path) -> Vec<i64> {
        let connection = Connection::open(path).unwrap();
        let mut statement = connection.prepare("select number from numbers order by number").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(|number| number.unwrap()).collect()
    }

    /// Queues an operation without waiting for its response.
    fn submit<F: Future>(future: F) -> std::pin::Pin<Box<F>> {
        let mut future = Box::pin(future);
        let response = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(response.is_pending(), "responded before the commit");
        future
    }

    #[tokio::test]
    async fn queued_writes_share_commits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let test = start(&path, 1_000);
        let (unblock, blocked) = mpsc::channel();
        let blocker = submit(test.writer.run(Block(Mutex::new(blocked))));
        let writes: Vec<_> = (0..600).map(|number| submit(test.writer.run(Add(number)))).collect();
        unblock.send(()).unwrap();
        blocker.await.unwrap();
        for (number, write) in (0..).zip(writes) {
            assert_eq!(write.await.unwrap(), number);
        }
        // 601 operations in groups of at most 256.
        assert_eq!(test.commits.load(Ordering::Relaxed), 3);
        assert_eq!(committed(&path).len(), 600);
    }

    #[tokio::test]
    async fn an_acknowledged_write_is_visible_to_other_processes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let test = start(&path, 10);
        for number in 0..5 {
            test.writer.run(Add(number)).await.unwrap();
            assert_eq!(committed(&path).last(), Some(&number));
        }
    }

    #[tokio::test]
    async fn dropping_the_writer_commits_accepted_writes_whose_callers_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let test = start(&path, 1_000);
        let (unblock, blocked) = mpsc::channel();
        drop(submit(test.writer.run(Block(Mutex::new(blocked)))));
        for number in 0..300 {
            drop(submit(test.writer.run(Add(number))));
        }
        drop(unblock);
        drop(test);
        assert_eq!(committed(&path), (0..300).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn failing_and_panicking_operations_do_not_affect_the_rest_of_their_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let test = start(&path, 10);
        let (unblock, blocked) = mpsc::channel();
        let blocker = submit(test.writer.run(Block(Mutex::new(blocked))));
        let first = submit(test.writer.run(Add(1)));
        let failed = submit(test.writer.run(AddAnd(2, || {})));
        let panicked = submit(test.writer.run(AddAnd(3, || panic!("on purpose"))));
        let duplicate = submit(test.writer.run(Add(1)));
        let last = submit(test.writer.run(Add(4)));
        drop(unblock);
        blocker.await.unwrap();
        first.await.unwrap();
        assert!(matches!(failed.await, Err(Error::Busy)));
        assert!(matches!(panicked.await, Err(Error::Bug(why)) if why.contains("add_and panicked")));
        assert!(matches!(duplicate.await, Err(Error::Bug(_))));
        last.await.unwrap();
        assert_eq!(test.commits.load(Ordering::Relaxed), 1);
        assert_eq!(committed(&path), [1, 4]);
    }

    #[tokio::test]
    async fn a_write_is_rejected_at_once_when_the_queue_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let test = start(&path, 2);
        let (unblock, blocked) = mpsc::channel();
        let blocker = submit(test.writer.run(Block(Mutex::new(blocked))));
        // The writer may or may not have taken the first operation from the queue yet.
        let mut accepted = Vec::new();
        let mut rejected = 0;
        for number in 0..5 {
            let mut write = Box::pin(test.writer.run(Add(number)));
            match write.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Pending => accepted.push(write),
                Poll::Ready(response) => {
                    assert!(matches!(response, Err(Error::Busy)), "{response:?}");
                    rejected += 1;
                }
            }
        }
        assert!(rejected >= 3, "{rejected}");
        drop(unblock);
        blocker.await.unwrap();
        let count = accepted.len();
        for write in accepted {
            write.await.unwrap();
        }
        assert_eq!(committed(&path).len(), count);
        test.writer.run(Add(100)).await.unwrap();
    }

    #[test]
    fn a_group_rolled_back_by_sqlite_fails_as_a_whole() {
        struct RollBack;

        impl Write for RollBack {
            const NAME: &'static str = "roll_back";
            type Out = ();
            type Error = Error;

            async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
                // As SQLite does when the disk is full.
                const ROLLBACK: Sql = Sql::new("rollback");
                tx.execute(ROLLBACK.bind(&[])).await?;
                Ok(())
            }
        }

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.db");
        let test = start(&path, 10);
        let (unblock, blocked) = mpsc::channel();
        let blocker = submit(test.writer.run(Block(Mutex::new(blocked))));
        let before = submit(test.writer.run(Add(1)));
        let cause = submit(test.writer.run(RollBack));
        let after = submit(test.writer.run(Add(2)));
        drop(unblock);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            assert!(matches!(blocker.await, Err(Error::Unavailable(_))));
            assert!(matches!(before.await, Err(Error::Unavailable(_))));
            assert!(matches!(cause.await, Err(Error::Unavailable(_))));
            assert!(matches!(after.await, Err(Error::Unavailable(_))));
            test.writer.run(Add(3)).await.unwrap();
        });
        assert_eq!(committed(&path), [3]);
    }
}
