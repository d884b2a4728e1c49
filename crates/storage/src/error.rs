use std::fmt;

/// What can go wrong below an operation. The texts are for logs, never for callers.
#[derive(Clone, Debug)]
pub enum Error {
    /// Too much is waiting already; try again later.
    Busy,
    /// Other transactions kept getting in the way, also after several tries.
    Conflict,
    /// The database cannot be used right now: not there, disk full, shutting down.
    Unavailable(String),
    /// The commit was under way when the database went away: the change may have been kept, or not.
    OutcomeUnknown(String),
    /// The fuse stopped a read that would have run for seconds.
    TooLong,
    /// Whoever asked for it wants it no more.
    Stopped,
    /// The engine found its own file damaged.
    Damaged(String),
    /// A statement or its data was wrong: a bug in an operation.
    Bug(String),
    /// The database itself is not one that this program can use.
    Unusable(String),
}

impl Error {
    pub fn bug(message: impl fmt::Display) -> Self {
        Self::Bug(message.to_string())
    }

    /// What remains to be said of a failure after the commit was asked for.
    pub(crate) fn in_commit(self) -> Self {
        Self::OutcomeUnknown(self.to_string())
    }

    pub fn unavailable(message: impl fmt::Display) -> Self {
        Self::Unavailable(message.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => write!(f, "too many operations are waiting for the database"),
            Self::Conflict => write!(f, "the operation kept conflicting with others"),
            Self::Unavailable(why) => write!(f, "the database is not available: {why}"),
            Self::OutcomeUnknown(why) => write!(f, "whether the change was kept is not known: {why}"),
            Self::TooLong => write!(f, "the read was stopped because it took too long"),
            Self::Stopped => write!(f, "stopped"),
            Self::Damaged(what) => write!(f, "the database is damaged: {what}"),
            Self::Bug(why) => write!(f, "a statement failed: {why}"),
            Self::Unusable(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for Error {}
