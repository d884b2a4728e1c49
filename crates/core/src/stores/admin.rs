//! The store as a caller, authenticated by its API key.

use std::sync::Arc;

use wishbone_storage::Database;

use crate::error::{Code, Error, Result};
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

    pub async fn authenticate(database: &Database, pid: &str, api_key: &str) -> Result<Self> {
        match database.read(FindStore { pid: pid.to_owned() }).await? {
            Some(record) if tokens::api_key_matches(api_key, &record.api_key_hash) => {
                Ok(Self { store: Arc::new(record) })
            }
            _ => Err(Self::bad_api_key()),
        }
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
