//! Guests: registered, then with a list, then logged in.

use std::collections::VecDeque;

use anyhow::Context;
use serde_json::Value;
use uuid::Uuid;

use crate::speed::calls::Caller;

const MAX_LENGTH: usize = 1_000;

#[derive(Clone, Debug)]
pub(super) struct Guest {
    pub(super) store: usize,
    pub(super) regid: String,
    credentials: String,
    pub(super) list: [u8; 16],
    pub(super) variant: i64,
}

impl Guest {
    /// A guest as registered: `{"regid": …, "sessionid": …}`.
    pub(super) fn registered(store: usize, body: &[u8]) -> anyhow::Result<Self> {
        let body: Value = serde_json::from_slice(body).context("the registration is not JSON")?;
        let text = |name: &str| body[name].as_str().map(str::to_owned).with_context(|| format!("{body} has no {name}"));
        let regid = text("regid")?;
        let credentials = format!("regid={regid}&sessionid={}", text("sessionid")?);
        Ok(Self { store, regid, credentials, list: [0; 16], variant: 0 })
    }

    /// The guest with the created list, and the variant to add to it.
    pub(super) fn with_list(self, body: &[u8], variant: i64) -> anyhow::Result<Self> {
        let body: Value = serde_json::from_slice(body).context("the list is not JSON")?;
        let lid = body["lid"].as_str().with_context(|| format!("the list has no lid: {body}"))?;
        Ok(Self { list: Uuid::try_parse(lid)?.into_bytes(), variant, ..self })
    }

    pub(super) fn caller(&self) -> Caller<'_> {
        Caller { store: self.store, credentials: &self.credentials }
    }
}

/// A queue that forgets its oldest entries: most guests never add an item, and many never log in.
pub(super) struct Queue<T>(VecDeque<T>);

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Queue<T> {
    pub(super) fn push(&mut self, entry: T) {
        if self.0.len() == MAX_LENGTH {
            self.0.pop_front();
        }
        self.0.push_back(entry);
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        self.0.pop_front()
    }
}
