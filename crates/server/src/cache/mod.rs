//! In-memory state of a process: cached callers and pages, and buffered guest visits.

pub mod pages;
pub mod caches;
pub mod visit_buffer;
