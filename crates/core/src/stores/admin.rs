//! The store as a caller, authenticated by its API key.

use std::sync::Arc;

use wishbone_storage::{Database, Query, Read};

use crate::error::{Code, Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;
use crate::stores::record::{FindStore, StoreRecord};
use crate::tokens;

/// A store that has proved itself by its API key.
#[derive(Clone, Debug)]
pub struct StoreAdmin {
    store: Arc<StoreRecord>,
}

impl StoreAdmin {
    /// The operator may do whatever a store may.
    pub fn by_operator(_: Operator, store: StoreRecord) -> Self {
        Self { store: Arc::new(store) }
    }

    pub async fn authenticate(database: &Database, pid: &str, api_key: &str, now: Millis) -> Result<Self> {
        let found = database.read(FindStore { pid: pid.to_owned() }).await?;
        let store = found.ok_or_else(Self::bad_api_key)?;
        let is_valid = tokens::api_key_matches(api_key, &store.api_key_hash)
            || database.read(MatchesPreviousKey { store_id: store.store_id, api_key: api_key.to_owned(), now }).await?;
        if is_valid { Ok(Self { store: Arc::new(store) }) } else { Err(Self::bad_api_key()) }
    }

    pub fn bad_api_key() -> Error {
        Error::new(Code::BadApiKey, "invalid pid or API key: send `Authorization: Basic` with base64 of pid:apikey")
    }

    pub fn store(&self) -> &Arc<StoreRecord> {
        &self.store
    }

    pub(crate) fn store_id(&self) -> i64 {
        self.store.store_id
    }
}

/// True if this is the key before the last rotation, and that one is still valid.
struct MatchesPreviousKey {
    store_id: i64,
    api_key: String,
    now: Millis,
}

impl Read for MatchesPreviousKey {
    const NAME: &'static str = "matches_previous_key";
    const SINGLE_STATEMENT: bool = true;
    type Out = bool;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<bool> {
        let mut matches = false;
        query
            .query_all(&[PREVIOUS_KEY.bind(&[self.store_id.into(), self.now.into()])], &mut |_, row| {
                matches = tokens::api_key_matches(&self.api_key, row.blob(0)?);
                Ok(())
            })
            .await?;
        Ok(matches)
    }
}

statements! {
    PREVIOUS_KEY = "select previous_key_hash from stores where store_id = $1 and previous_key_until > $2";
}
