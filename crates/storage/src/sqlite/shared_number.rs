//! A number in a file that other processes change while it is looked at.
//!
//! To read it from the file takes a call of the system each time, which was a fortieth of what a page from memory costs.
//! SQLite has the same part of the same file in memory: what could go wrong with ours would have gone wrong with its own.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::sync::atomic::{Ordering, fence};

use memmap2::{MmapOptions, MmapRaw};

/// The first page of a file, which is never shortened to nothing while anyone uses it.
pub(super) struct SharedNumber {
    page: MmapRaw,
    at: usize,
}

impl SharedNumber {
    /// At a multiple of its size.
    pub(super) fn new(file: &File, at: usize) -> io::Result<Self> {
        const PAGE: usize = 4_096;
        assert!(at.is_multiple_of(size_of::<u32>()) && at < PAGE, "not in the first page, or across words");
        if file.metadata()?.len() < PAGE as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Self { page: MmapOptions::new().len(PAGE).map_raw_read_only(file)?, at })
    }

    pub(super) fn load(&self) -> u32 {
        // Safety: `new` has seen to it that all four bytes are in the page, and aligned. Nothing but this refers to them,
        // so that nobody counts on their staying the same.
        let number = unsafe { self.page.as_ptr().add(self.at).cast::<u32>().read_volatile() };
        // What is read next is no older than the number.
        fence(Ordering::SeqCst);
        number
    }
}
