//! Whether another process has written to the database: commands do, beside a running server.
//!
//! Every commit raises a number in the shared memory file of the write-ahead log, at a place that SQLite documents
//! ("WAL-index format", `iChange`). Looking at it costs next to nothing, so that every request can.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::shared_number::SharedNumber;
use crate::changes::{ChangeTracker, WriteSet};

/// Where the number is in the file.
const AT: usize = 8;
const NEVER: u64 = u64::MAX;

/// What is known of other writers.
pub(crate) struct Others {
    shared: Arc<Shared>,
    /// The number when only our own commits had raised it since we last looked.
    ours: AtomicU64,
}

impl Others {
    /// The database is open already, so that its companions exist.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { shared: Shared::open(path)?, ours: AtomicU64::new(NEVER) })
    }

    /// Whether nobody else has written since we last looked at what there is.
    pub(crate) fn are_silent(&self) -> bool {
        self.number() == self.ours.load(Ordering::SeqCst)
    }

    fn number(&self) -> u64 {
        self.shared.number.load().into()
    }
}

/// The writer's knowledge of others: SQLite tells a connection whether anyone but itself has committed.
#[derive(Default)]
pub(super) struct Witness {
    version: Option<i64>,
}

impl Witness {
    /// To be asked by the writer after its own commits, and now and then.
    pub(super) fn look(&mut self, connection: &Connection, changes: &ChangeTracker) {
        let Some(others) = changes.others() else { return };
        // A commit in between would be taken for ours: then once more. They are rare.
        for _ in 0..10 {
            let number = others.number();
            let read = |row: &rusqlite::Row<'_>| row.get(0);
            let version =
                connection.prepare_cached("pragma data_version").and_then(|mut it| it.query_row([], read)).ok();
            if version.is_none() || version != self.version {
                // Nobody says what others have changed, so that it may be anything.
                changes.end(&[WriteSet::Everything]);
            }
            self.version = version;
            if number == others.number() {
                others.ours.store(number, Ordering::SeqCst);
                return;
            }
        }
        others.ours.store(NEVER, Ordering::SeqCst);
    }
}

/// The file, and the number in it.
struct Shared {
    file: File,
    number: SharedNumber,
}

impl Shared {
    /// One for all stores of a database in this process. Its file is closed only when SQLite has deleted it: to close it
    /// while any connection of this process uses it would give up that connection's locks; POSIX wants it so.
    fn open(database: &Path) -> io::Result<Arc<Self>> {
        static OPEN: Mutex<Vec<Arc<Shared>>> = Mutex::new(Vec::new());
        let mut path = database.canonicalize()?.into_os_string();
        path.push("-shm");
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|shared| shared.file.metadata().is_ok_and(|it| it.nlink() > 0));
        let wanted = std::fs::metadata(&path)?;
        let is_wanted = |it: Metadata| (it.dev(), it.ino()) == (wanted.dev(), wanted.ino());
        if let Some(shared) = open.iter().find(|shared| shared.file.metadata().is_ok_and(is_wanted)) {
            return Ok(Arc::clone(shared));
        }
        let file = File::open(&path)?;
        let number = match SharedNumber::new(&file, AT) {
            Ok(number) => number,
            Err(error) => {
                // Not even then is it closed.
                std::mem::forget(file);
                return Err(error);
            }
        };
        let shared = Arc::new(Self { file, number });
        open.push(Arc::clone(&shared));
        Ok(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvalidationKey;

    /// Ours has a table and is watched for others, theirs is the other's.
    fn two_connections(path: &Path) -> (Connection, ChangeTracker, Connection) {
        let (ours, theirs) = (super::super::open_writer(path).unwrap(), Connection::open(path).unwrap());
        ours.execute_batch("create table a (x integer)").unwrap();
        (ours, ChangeTracker::new(Some(Others::of(path).unwrap())), theirs)
    }

    #[test]
    fn a_database_that_was_deleted_and_made_again_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let first = two_connections(&path);
        let old = Others::of(&path).unwrap();
        drop((first.0, first.2));
        std::fs::remove_file(&path).unwrap();
        let (ours, changes, theirs) = two_connections(&path);
        assert!(!Arc::ptr_eq(&old.shared, &Others::of(&path).unwrap().shared));
        Witness::default().look(&ours, &changes);
        assert!(changes.now().is_some());
        theirs.execute("insert into a values (7)", []).unwrap();
        assert!(changes.now().is_none());
    }

    #[test]
    fn another_process_that_writes_is_noticed_at_once_and_our_own_commits_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (ours, changes, theirs) = two_connections(&path);
        let mut witness = Witness::default();
        assert!(changes.now().is_none(), "nobody has looked yet");
        witness.look(&ours, &changes);
        let since = changes.now().unwrap();
        let subject = [InvalidationKey::new(1, b"a")];
        for number in 0..3 {
            ours.execute("insert into a values (?1)", [number]).unwrap();
            witness.look(&ours, &changes);
            assert!(changes.now().is_some() && changes.is_valid(since, subject));
        }
        theirs.execute("insert into a values (7)", []).unwrap();
        assert!(changes.now().is_none());
        witness.look(&ours, &changes);
        assert!(changes.now().is_some() && !changes.is_valid(since, subject));
    }

    #[test]
    fn one_who_writes_between_our_commit_and_our_look_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (ours, changes, theirs) = two_connections(&path);
        let mut witness = Witness::default();
        witness.look(&ours, &changes);
        for ours_writes in [true, false] {
            let since = changes.now().unwrap();
            ours.execute("insert into a select 1 where ?1", [ours_writes]).unwrap();
            theirs.execute("insert into a values (7)", []).unwrap();
            witness.look(&ours, &changes);
            assert!(changes.now().is_some() && !changes.is_valid(since, []));
        }
    }
}
