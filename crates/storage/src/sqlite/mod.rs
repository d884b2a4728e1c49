//! The SQLite engine, embedded in the process: one writer thread with group commit, and readers that run inline.

mod error;
mod timeout;
mod hold_time;
mod tx;
mod connection;
mod migrate;
mod integrity;
mod queue_delay;
mod savepoint;
mod commit_loop;
mod writer;
pub(crate) mod engine;
mod inspect;
pub(crate) mod diagnose;
pub(crate) mod backup;
pub(crate) mod transfer;
