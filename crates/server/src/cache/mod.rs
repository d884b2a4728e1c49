//! In-memory state of one process: authenticated callers and pages, and visits that wait to be written.

pub mod pages;
pub mod caches;
pub mod visit_buffer;
