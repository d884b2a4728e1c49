//! Detects commits of other processes: commands that run beside a server.

use rusqlite::Connection;

use super::change_tracker::ChangeTracker;

/// Attempts to observe the database without a concurrent commit, which is rare.
const ATTEMPTS: usize = 10;

/// Detects external commits by `pragma data_version`, which changes only when another connection has committed.
#[derive(Default)]
pub(super) struct ExternalWriterDetector {
    data_version: Option<i64>,
}

impl ExternalWriterDetector {
    /// Accounts for all commits so far. External commits invalidate everything, since their write sets are unknown.
    /// Called on the writer's connection after its own commits, and periodically.
    pub(super) fn check(&mut self, connection: &Connection, tracker: &ChangeTracker) {
        for _ in 0..ATTEMPTS {
            let Some(before) = tracker.change_counter() else { return };
            let data_version = data_version(connection);
            if data_version.is_none() || data_version != self.data_version {
                tracker.invalidate_all();
            }
            self.data_version = data_version;
            // Otherwise a commit in between would be mistaken for our own.
            if tracker.change_counter() == Some(before) {
                tracker.set_accounted(Some(before));
                return;
            }
        }
        tracker.set_accounted(None);
    }
}

fn data_version(connection: &Connection) -> Option<i64> {
    let mut statement = connection.prepare_cached("pragma data_version").ok()?;
    statement.query_row([], |row| row.get(0)).ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::invalidation::InvalidationKey;
    use crate::sqlite::connection::open_writer;
    use crate::sqlite::wal_index::WalIndex;

    /// The connection of the writer with its tracker, and an external connection.
    fn two_connections(path: &Path) -> (Connection, ChangeTracker, Connection) {
        let (writer, external) = (open_writer(path).unwrap(), Connection::open(path).unwrap());
        writer.execute_batch("create table a (x integer)").unwrap();
        (writer, ChangeTracker::new(Some(WalIndex::open(path).unwrap())), external)
    }

    #[test]
    fn a_recreated_database_has_a_new_wal_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let first = two_connections(&path);
        let old = WalIndex::open(&path).unwrap();
        drop((first.0, first.2));
        std::fs::remove_file(&path).unwrap();
        let (writer, tracker, external) = two_connections(&path);
        assert!(!Arc::ptr_eq(&old, &WalIndex::open(&path).unwrap()));
        ExternalWriterDetector::default().check(&writer, &tracker);
        assert!(tracker.read_version().is_some());
        external.execute("insert into a values (7)", []).unwrap();
        assert!(tracker.read_version().is_none());
    }

    #[test]
    fn external_commits_are_detected_at_once_and_own_commits_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (writer, tracker, external) = two_connections(&path);
        let mut detector = ExternalWriterDetector::default();
        assert!(tracker.read_version().is_none(), "not checked yet");
        detector.check(&writer, &tracker);
        let version = tracker.read_version().unwrap();
        let key = [InvalidationKey::new(1, b"a")];
        for number in 0..3 {
            writer.execute("insert into a values (?1)", [number]).unwrap();
            detector.check(&writer, &tracker);
            assert!(tracker.read_version().is_some() && tracker.is_valid(version, key));
        }
        external.execute("insert into a values (7)", []).unwrap();
        assert!(tracker.read_version().is_none());
        detector.check(&writer, &tracker);
        assert!(tracker.read_version().is_some() && !tracker.is_valid(version, key));
    }

    #[test]
    fn an_external_commit_between_our_commit_and_the_check_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (writer, tracker, external) = two_connections(&path);
        let mut detector = ExternalWriterDetector::default();
        detector.check(&writer, &tracker);
        for writes in [true, false] {
            let version = tracker.read_version().unwrap();
            writer.execute("insert into a select 1 where ?1", [writes]).unwrap();
            external.execute("insert into a values (7)", []).unwrap();
            detector.check(&writer, &tracker);
            assert!(tracker.read_version().is_some() && !tracker.is_valid(version, []));
        }
    }
}
