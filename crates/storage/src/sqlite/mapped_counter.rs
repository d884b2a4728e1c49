//! A counter in a memory-mapped file that other processes change.
//!
//! Reading it with a system call took 2.5 % of the time of a cached page. SQLite maps the same part of the same file,
//! so the mapping adds no failure mode that SQLite does not have.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::sync::atomic::{Ordering, fence};

use memmap2::{MmapOptions, MmapRaw};

/// A `u32` in the first page of a file that is not truncated while in use.
pub(super) struct MappedCounter {
    page: MmapRaw,
    offset: usize,
}

impl MappedCounter {
    /// Maps the counter at `offset`, which must be a multiple of its size.
    pub(super) fn new(file: &File, offset: usize) -> io::Result<Self> {
        const PAGE: usize = 4_096;
        assert!(offset.is_multiple_of(size_of::<u32>()) && offset < PAGE, "unaligned, or not in the first page");
        if file.metadata()?.len() < PAGE as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Self { page: MmapOptions::new().len(PAGE).map_raw_read_only(file)?, offset })
    }

    pub(super) fn load(&self) -> u32 {
        // SAFETY: `new` has checked that all four bytes are aligned and within the page. No reference to them exists,
        // so nothing assumes that they do not change.
        let value = unsafe { self.page.as_ptr().add(self.offset).cast::<u32>().read_volatile() };
        // Later reads must not see a state older than the counter.
        fence(Ordering::SeqCst);
        value
    }
}
