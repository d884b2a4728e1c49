//! Where the database is, and how it is opened.

use std::path::PathBuf;
use std::time::Duration;

use crate::fail_point::FailPoint;
use crate::step_recorder::StepRecorder;

/// The location of a database.
#[derive(Clone, Debug)]
pub enum Location {
    /// The path of a SQLite file in an existing directory.
    Sqlite(PathBuf),
    /// A `postgres://` URL.
    Postgres(String),
}

#[derive(Clone, Debug)]
pub struct Options {
    /// SQLite: number of read connections. With one per runtime thread no read waits.
    pub readers: usize,
    /// SQLite: capacity of the write queue. When it is full, writes fail with [`crate::Error::Busy`].
    pub write_queue: usize,
    /// SQLite: a group of writes takes no more after this time, so that its first one does not wait long.
    pub max_group_time: Duration,
    /// PostgreSQL: number of connections.
    pub pool_size: usize,
    /// PostgreSQL: a table and its column by which a Citus cluster distributes rows. With it, operations that have a shard
    /// key run on the worker that has the rows of the key.
    pub distributed_by: Option<(&'static str, &'static str)>,
    /// Time limit for any statement on PostgreSQL and for reads on SQLite, where it is approximated by a number of
    /// virtual machine instructions.
    pub statement_timeout: Duration,
    /// For tests: rolls back the first attempt of every write and runs it again, as after a serialization failure.
    pub fail_first_attempt: bool,
    /// For tests: makes a write fail at a chosen point.
    pub fail_point: FailPoint,
    /// For tests: counts what operations cost on SQLite.
    pub steps: StepRecorder,
}

impl Default for Options {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(4, usize::from);
        Self {
            readers: threads + 2,
            write_queue: 4096,
            max_group_time: Duration::from_millis(20),
            pool_size: 8 * threads.min(8),
            distributed_by: None,
            statement_timeout: Duration::from_secs(5),
            fail_first_attempt: false,
            fail_point: FailPoint::default(),
            steps: StepRecorder::default(),
        }
    }
}
