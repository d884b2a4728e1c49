//! A clock of servers that can be set, by libfaketime.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's libfaketime, below the directory of the architecture.
const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

pub(crate) const NOT_INSTALLED: &str = "libfaketime is not installed: run `apt-get install faketime`";

pub(crate) struct FakeClock {
    library: PathBuf,
    /// Contains the offset from the real time.
    file: PathBuf,
}

impl FakeClock {
    /// A clock that shows the real time; `None` if libfaketime is not installed.
    pub(crate) fn new(folder: &Path) -> anyhow::Result<Option<Self>> {
        let architectures = fs::read_dir("/usr/lib")?.flatten().map(|entry| entry.path().join(LIBRARY));
        let Some(library) = architectures.into_iter().find(|path| path.exists()) else { return Ok(None) };
        let clock = Self { library, file: folder.join("clock") };
        clock.set(0)?;
        Ok(Some(clock))
    }

    /// Sets the offset from the real time, atomically for readers of the file.
    pub(crate) fn set(&self, seconds: i64) -> std::io::Result<()> {
        let new = self.file.with_extension("new");
        fs::write(&new, format!("{seconds:+}s\n"))?;
        fs::rename(&new, &self.file)
    }

    /// Makes a command use this clock.
    pub(crate) fn apply(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAKETIME_TIMESTAMP_FILE", &self.file)
            .env("FAKETIME_NO_CACHE", "1")
            // The monotonic clock never jumps.
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("DONT_FAKE_MONOTONIC", "1");
    }
}
