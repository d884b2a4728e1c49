//! Whether another process has written to the database: commands do, beside a running server.
//!
//! Every commit raises a number in the shared memory file of the write-ahead log, at a place that SQLite documents
//! ("WAL-index format", `iChange`). Reading it takes a fraction of the microseconds that any statement takes.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use rusqlite::Connection;

use crate::changes::{Changes, Touched};

/// Where the number is in the file.
const AT: u64 = 8;
const NEVER: u64 = u64::MAX;

/// What is known of other writers.
pub(crate) struct Others {
    file: Arc<File>,
    /// The number when only our own commits had raised it since we last looked.
    ours: AtomicU64,
}

impl Others {
    /// The database is open already, so that its companions exist.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { file: open(path)?, ours: AtomicU64::new(NEVER) })
    }

    /// Whether nobody else has written since we last looked at what there is.
    pub(crate) fn are_silent(&self) -> bool {
        self.number().is_some_and(|number| number == self.ours.load(Ordering::SeqCst))
    }

    fn number(&self) -> Option<u64> {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, AT).ok()?;
        Some(u32::from_ne_bytes(bytes).into())
    }
}

/// The writer's knowledge of others: SQLite tells a connection whether anyone but itself has committed.
#[derive(Default)]
pub(super) struct Witness {
    version: Option<i64>,
}

impl Witness {
    /// To be asked by the writer after its own commits, and now and then.
    pub(super) fn look(&mut self, connection: &Connection, changes: &Changes) {
        let Some(others) = changes.others() else { return };
        // A commit in between would be taken for ours: then once more. They are rare.
        for _ in 0..10 {
            let number = others.number();
            let read = |row: &rusqlite::Row<'_>| row.get(0);
            let version =
                connection.prepare_cached("pragma data_version").and_then(|mut it| it.query_row([], read)).ok();
            if version.is_none() || version != self.version {
                // Nobody says what others have changed, so that it may be anything.
                changes.end(&[Touched::Anything]);
            }
            self.version = version;
            if number.is_some() && number == others.number() {
                others.ours.store(number.unwrap_or(NEVER), Ordering::SeqCst);
                return;
            }
        }
        others.ours.store(NEVER, Ordering::SeqCst);
    }
}

/// One open file for all stores of a path in this process. To close one of several would give up the locks that SQLite
/// holds on it by any of them; POSIX wants it so.
fn open(database: &Path) -> io::Result<Arc<File>> {
    static OPEN: OnceLock<Mutex<HashMap<PathBuf, Weak<File>>>> = OnceLock::new();
    let mut path = database.canonicalize()?.into_os_string();
    path.push("-shm");
    let path = PathBuf::from(path);
    let mut open = OPEN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|_, file| file.strong_count() > 0);
    if let Some(file) = open.get(&path).and_then(Weak::upgrade) {
        return Ok(file);
    }
    let file = Arc::new(File::open(&path)?);
    open.insert(path, Arc::downgrade(&file));
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;

    #[test]
    fn another_process_that_writes_is_noticed_at_once_and_our_own_commits_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (ours, theirs) = (super::super::open_writer(&path).unwrap(), Connection::open(&path).unwrap());
        ours.execute_batch("create table a (x integer)").unwrap();
        let changes = Changes::new(Some(Others::of(&path).unwrap()));
        let mut witness = Witness::default();
        assert!(changes.now().is_none(), "nobody has looked yet");
        witness.look(&ours, &changes);
        let since = changes.now().unwrap();
        let subject = [Subject::new(1, b"a")];
        for number in 0..3 {
            ours.execute("insert into a values (?1)", [number]).unwrap();
            witness.look(&ours, &changes);
            assert!(changes.now().is_some() && changes.is_unchanged(since, subject));
        }
        theirs.execute("insert into a values (7)", []).unwrap();
        assert!(changes.now().is_none());
        witness.look(&ours, &changes);
        assert!(changes.now().is_some() && !changes.is_unchanged(since, subject));
    }

    #[test]
    fn one_who_writes_between_our_commit_and_our_look_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (ours, theirs) = (super::super::open_writer(&path).unwrap(), Connection::open(&path).unwrap());
        ours.execute_batch("create table a (x integer)").unwrap();
        let changes = Changes::new(Some(Others::of(&path).unwrap()));
        let mut witness = Witness::default();
        witness.look(&ours, &changes);
        for ours_writes in [true, false] {
            let since = changes.now().unwrap();
            ours.execute("insert into a select 1 where ?1", [ours_writes]).unwrap();
            theirs.execute("insert into a values (7)", []).unwrap();
            witness.look(&ours, &changes);
            assert!(changes.now().is_some() && !changes.is_unchanged(since, []));
        }
    }
}
