//! Errors of PostgreSQL and its connection pool.

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::error::{DbError, SqlState};

use crate::error::Error;

/// SQLSTATE class of connections. A server that reports it has lost another one: a worker, to a coordinator.
const CONNECTION: &str = "08";

/// SQLSTATE classes and codes: 28 authentication, 3D000 unknown database, 53 insufficient resources,
/// 57P operator intervention, 58 system error, 25006 read-only (a standby).
const UNAVAILABLE: [&str; 6] = ["28", "3D000", "53", "57P", "58", "25006"];

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(state) = error.code() else {
            // Not an error response of the server: the connection broke, or could not be established.
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            return Self::Unavailable(format!("{error}{}", cause.unwrap_or_default()));
        };
        let text = error.as_db_error().map_or_else(|| error.to_string(), describe);
        match *state {
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => Self::Conflict,
            SqlState::QUERY_CANCELED => Self::Timeout,
            _ if state.code().starts_with(CONNECTION) => Self::ShardUnavailable(text),
            _ if UNAVAILABLE.iter().any(|class| state.code().starts_with(class)) => Self::Unavailable(text),
            _ => Self::Bug(text),
        }
    }
}

/// An error of the server for the log, without DETAIL and HINT, which may contain values of rows.
fn describe(error: &DbError) -> String {
    let mut text = format!("{}: {} (SQLSTATE {}", error.severity(), error.message(), error.code().code());
    for (name, value) in [("table", error.table()), ("constraint", error.constraint())] {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {value}"));
        }
    }
    text.push(')');
    text
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(TimeoutType::Wait) => Self::Busy,
            PoolError::Backend(error) => error.into(),
            other => Self::unavailable(other),
        }
    }
}
