//! Errors: a code, a public message that states the problem and its remedy, and a private cause for the log.

use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($name:ident = $text:literal,)*) => {
        /// The error codes of the API.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($name,)* }

        impl Code {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

codes! {
    UserNotLoggedIn = "user-not-logged-in",
    BadRegid = "bad-regid",
    BadApiKey = "bad-api-key",
    NotGranted = "not-granted",
    Forbidden = "forbidden",
    FeatureNotEnabled = "feature-not-enabled",
    MinItemsLimitNotMet = "min-items-limit-not-met",
    MaxItemsLimitExceeded = "max-items-limit-exceeded",
    SortFilterDisabled = "sort-filter-disabled",
    MissingParameter = "missing-parameter",
    InvalidParameter = "invalid-parameter",
    InvalidNextToken = "invalid-next-token",
    InvalidContentType = "invalid-content-type",
    BodyTooLarge = "body-too-large",
    NotSaveForLater = "not-save-for-later",
    ListNotFound = "list-not-found",
    LimitReached = "limit-reached",
    VersionConflict = "version-conflict",
    UnknownStore = "unknown-store",
    ItemNotFound = "item-not-found",
    UnknownProduct = "unknown-product",
    TooManyLabels = "too-many-labels",
    InvalidItem = "invalid-item",
    RateLimited = "rate-limited",
    Overloaded = "overloaded",
    Maintenance = "maintenance",
    NotFound = "not-found",
    MethodNotAllowed = "method-not-allowed",
    OutcomeUnknown = "outcome-unknown",
    Internal = "internal",
}

#[derive(Clone, Debug)]
pub struct Error {
    pub code: Code,
    pub message: String,
    pub cause: Option<String>,
    /// The present version of the list, for a version conflict.
    pub list_version: Option<i64>,
    /// The limit that was exceeded.
    pub limit: Option<Limit>,
}

/// A rate limit, and the seconds until it admits the caller again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub max: i64,
    pub retry_after: i64,
}

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: None, list_version: None, limit: None }
    }

    pub fn missing(parameter: &str) -> Self {
        Self::new(Code::MissingParameter, format!("{parameter} is required: send it with a value"))
    }

    pub fn invalid(parameter: &str, rule: impl fmt::Display) -> Self {
        Self::new(Code::InvalidParameter, format!("{parameter} {rule}"))
    }

    pub fn internal(cause: impl fmt::Display) -> Self {
        Self {
            code: Code::Internal,
            message: "internal error: report the request id to the operator".into(),
            cause: Some(cause.to_string()),
            list_version: None,
            limit: None,
        }
    }

    /// The commit failed in a way that leaves its outcome open.
    pub fn outcome_unknown(cause: impl fmt::Display) -> Self {
        let message = "it is unknown whether the change was made: fetch the current state before you repeat the call; with \
                       an idempotency-key the call can be repeated safely";
        Self { cause: Some(cause.to_string()), ..Self::new(Code::OutcomeUnknown, message) }
    }

    pub fn rate_limited(message: impl fmt::Display, limit: Limit) -> Self {
        let message = format!("{message}: retry after the time in Retry-After");
        Self { limit: Some(limit), ..Self::new(Code::RateLimited, message) }
    }

    pub(crate) fn version_conflict(expected: i64, current: i64) -> Self {
        let message =
            format!("the list has changed: ifversion is {expected}, its version is {current}; fetch it and try again");
        Self { list_version: Some(current), ..Self::new(Code::VersionConflict, message) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<wishbone_storage::Error> for Error {
    fn from(error: wishbone_storage::Error) -> Self {
        use wishbone_storage::Error as Storage;
        match error {
            Storage::Busy
            | Storage::Conflict
            | Storage::Unavailable(_)
            | Storage::ShardUnavailable(_)
            | Storage::Timeout
            | Storage::Cancelled => {
                let is_unavailable = matches!(error, Storage::Unavailable(_) | Storage::ShardUnavailable(_));
                let what = if is_unavailable { "database not available" } else { "server overloaded" };
                Self {
                    code: Code::Overloaded,
                    message: format!("{what}: retry after the time in Retry-After"),
                    cause: Some(error.to_string()),
                    list_version: None,
                    limit: None,
                }
            }
            // A retry does not help; the operator has to act.
            Storage::Corrupt(_) => Self::internal(format!(
                "{error}; run `wishbone check`, and if it confirms the damage, stop the server and restore the last good backup"
            )),
            Storage::OutcomeUnknown(_) => Self::outcome_unknown(error),
            Storage::Bug(_) | Storage::Unusable(_) => Self::internal(error),
        }
    }
}
