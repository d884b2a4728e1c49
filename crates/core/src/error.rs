//! One table of error codes. An error has a code, a public message that says what to change, and a
//! private cause for the log.

use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($name:ident = $text:literal,)*) => {
        /// What went wrong, in the words of the wire.
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
    /// The list's version now, when the caller expected another.
    pub list_version: Option<i64>,
    /// What was done too often.
    pub limit: Option<Limit>,
}

/// How often something may be done, and the seconds until it may be done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub most: i64,
    pub wait: i64,
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
            message: "something went wrong on our side; the request id helps the operator to find out what".into(),
            cause: Some(cause.to_string()),
            list_version: None,
            limit: None,
        }
    }

    /// Honest where neither "done" nor "not done" would be.
    pub fn outcome_unknown(cause: impl fmt::Display) -> Self {
        let message = "the change may have been made, or not: look before you send it again; with the same \
                       idempotency-key it can be sent again without harm";
        Self { cause: Some(cause.to_string()), ..Self::new(Code::OutcomeUnknown, message) }
    }

    pub(crate) fn rate_limited(message: impl fmt::Display, limit: Limit) -> Self {
        let message = format!("{message}: wait as long as Retry-After says");
        Self { limit: Some(limit), ..Self::new(Code::RateLimited, message) }
    }

    pub(crate) fn version_conflict(seen: i64, now: i64) -> Self {
        let message =
            format!("the list has changed: ifversion is {seen}, its version is {now}; fetch it and try again");
        Self { list_version: Some(now), ..Self::new(Code::VersionConflict, message) }
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
            Storage::Busy | Storage::Conflict | Storage::Unavailable(_) | Storage::Timeout | Storage::Cancelled => {
                Self {
                    code: Code::Overloaded,
                    message: "the server cannot take this request right now; try again in a moment".into(),
                    cause: Some(error.to_string()),
                    list_version: None,
                    limit: None,
                }
            }
            // Waiting does not help here, and somebody must be told.
            Storage::Corrupt(_) => Self::internal(format!(
                "{error}; run `wishbone check`, and if it says so, stop the server and restore the last good backup"
            )),
            Storage::OutcomeUnknown(_) => Self::outcome_unknown(error),
            Storage::Bug(_) | Storage::Unusable(_) => Self::internal(error),
        }
    }
}
