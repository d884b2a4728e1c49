//! The result of a check.

use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    Warning,
    Error,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

#[derive(Debug)]
pub(super) struct Finding {
    check: &'static str,
    pub(super) status: Status,
    fact: String,
    /// What to change.
    remedy: Option<String>,
}

impl Finding {
    pub(super) fn ok(check: &'static str, fact: impl Into<String>) -> Self {
        Self { check, status: Status::Ok, fact: fact.into(), remedy: None }
    }

    pub(super) fn warning(check: &'static str, fact: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, status: Status::Warning, fact: fact.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn error(check: &'static str, fact: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { check, status: Status::Error, fact: fact.into(), remedy: Some(remedy.into()) }
    }

    /// One line; causes from elsewhere may have several.
    pub(super) fn as_text(&self) -> String {
        let remedy = self.remedy.as_ref().map_or(String::new(), |remedy| format!(": {remedy}"));
        let text = format!("{:<7}  {:<12}  {}{remedy}", self.status.as_str(), self.check, self.fact);
        text.replace('\n', " ")
    }

    pub(super) fn as_json(&self) -> Value {
        let Self { check, status, fact, remedy } = self;
        json!({ "check": check, "status": status.as_str(), "fact": fact, "remedy": remedy })
    }
}
