//! The storage layer: an operation is a struct, written once, that behaves the same on embedded
//! SQLite and on PostgreSQL.
//!
//! This crate is independent of the product. It provides [`Database`], the two kinds of operation
//! ([`Read`] and [`Write`]), the statements an operation may run ([`Query`] and [`Tx`]), and portable
//! SQL checked at compile time ([`Sql`]).

mod error;
mod progress;
pub mod trace;
mod fail_point;
mod step_recorder;
mod sql;
mod operation;
mod options;
mod migration;
mod transfer;
mod diagnosis;
mod sqlite;
mod postgres;
mod database;

pub use database::{Database, check_url, diagnose, transfer};
pub use diagnosis::{PostgresState, ServerDiagnosis, ServerState};
pub use error::{Error, Result};
pub use fail_point::FailPoint;
pub use migration::{Migration, primary_keys, tables};
pub use operation::{Query, Read, Tx, Write};
pub use options::{Location, Options};
pub use postgres::cluster::{Cluster, ClusterNode, Layout};
pub use progress::{Progress, ProgressReporter};
pub use sql::{Arg, Bound, FromRow, ROW_OVERHEAD, Row, Sql};
pub use sqlite::backup::{BackupSummary, backup, backup_size};
pub use step_recorder::{Holds, StepRecorder};
