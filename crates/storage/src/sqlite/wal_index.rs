//! The change counter of the WAL index (the `-shm` file).
//!
//! Every commit increments it, at an offset that SQLite documents ("WAL-index format", `iChange`). Reading it takes one
//! system call, which is cheap enough for every request.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

/// The offset of `iChange`.
const CHANGE_COUNTER: u64 = 8;

pub(super) struct WalIndex {
    file: File,
}

impl WalIndex {
    /// Opens the index of a database that is already open in this process, so that the file exists.
    ///
    /// All users in the process share one file descriptor. It is closed only after SQLite has deleted the file: closing
    /// any descriptor of a file releases the POSIX locks that the process holds on it, including SQLite's.
    pub(super) fn open(database: &Path) -> io::Result<Arc<Self>> {
        static OPEN: Mutex<Vec<Arc<WalIndex>>> = Mutex::new(Vec::new());
        let mut path = database.canonicalize()?.into_os_string();
        path.push("-shm");
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|index| index.file.metadata().is_ok_and(|metadata| metadata.nlink() > 0));
        let wanted = std::fs::metadata(&path)?;
        let is_wanted = |metadata: Metadata| (metadata.dev(), metadata.ino()) == (wanted.dev(), wanted.ino());
        if let Some(index) = open.iter().find(|index| index.file.metadata().is_ok_and(is_wanted)) {
            return Ok(Arc::clone(index));
        }
        let index = Arc::new(Self { file: File::open(&path)? });
        open.push(Arc::clone(&index));
        Ok(index)
    }

    pub(super) fn change_counter(&self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, CHANGE_COUNTER)?;
        // Later reads must not see a state older than the counter.
        fence(Ordering::SeqCst);
        Ok(u32::from_ne_bytes(bytes))
    }
}
