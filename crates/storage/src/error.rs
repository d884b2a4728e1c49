use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

/// An error of the storage layer. Its text is for logs, never for API clients.
#[derive(Clone, Debug)]
pub enum Error {
    /// The queue is full; retry later.
    Busy,
    /// The operation conflicted with concurrent transactions on every attempt.
    Conflict,
    /// The database cannot be used at the moment: unreachable, disk full, shutting down.
    Unavailable(String),
    /// A part of a sharded database cannot be used at the moment. Stores on other shards are not affected.
    ShardUnavailable(String),
    /// The connection or the disk failed during the commit: the change may or may not be durable.
    OutcomeUnknown(String),
    /// The statement timeout expired.
    Timeout,
    /// The caller cancelled a long-running task.
    Cancelled,
    /// The engine detected corruption in its own files.
    Corrupt(String),
    /// A statement or its arguments were invalid: a bug in an operation.
    Bug(String),
    /// This program cannot use the database as it is configured or as it was found.
    Unusable(String),
}

impl Error {
    pub fn bug(message: impl fmt::Display) -> Self {
        Self::Bug(message.to_string())
    }

    pub fn unavailable(message: impl fmt::Display) -> Self {
        Self::Unavailable(message.to_string())
    }

    /// The kind of failure in one word, without causes that may name hosts or values.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Conflict => "conflict",
            Self::Unavailable(_) => "unavailable",
            Self::ShardUnavailable(_) => "shard-unavailable",
            Self::OutcomeUnknown(_) => "outcome-unknown",
            Self::Timeout => "timeout",
            _ => "other",
        }
    }

    /// Converts a failure that happened after the commit was sent.
    pub(crate) fn into_outcome_unknown(self) -> Self {
        Self::OutcomeUnknown(self.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => write!(f, "too many operations are waiting for the database"),
            Self::Conflict => write!(f, "the operation conflicted with concurrent transactions on every attempt"),
            Self::Unavailable(cause) => write!(f, "the database is not available: {cause}"),
            Self::ShardUnavailable(cause) => write!(f, "a shard of the database is not available: {cause}"),
            Self::OutcomeUnknown(cause) => write!(f, "the outcome of the commit is unknown: {cause}"),
            Self::Timeout => write!(f, "statement timeout"),
            Self::Cancelled => write!(f, "cancelled"),
            Self::Corrupt(details) => write!(f, "the database is corrupt: {details}"),
            Self::Bug(cause) => write!(f, "a statement failed: {cause}"),
            Self::Unusable(cause) => write!(f, "{cause}"),
        }
    }
}

impl std::error::Error for Error {}
