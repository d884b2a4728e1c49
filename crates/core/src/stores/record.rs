//! The store's row and its lookup.

use wishbone_storage::{FromRow, Query, Read, Row, Tx};

use crate::error::{Code, Error, Result};
use crate::moment::Millis;
use crate::stores::settings::Settings;

/// A row of `stores`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreRecord {
    pub store_id: i64,
    pub pid: String,
    pub name: String,
    pub settings: Settings,
    /// Signed into every sessionid of the store.
    pub generation: i64,
    pub api_key_hash: Vec<u8>,
    pub created_at: Millis,
    /// Bits of the event types that the store's webhooks receive; 0 without webhooks.
    pub webhook_events: i64,
}

/// The columns of a store.
macro_rules! store_columns {
    () => {
        "store_id, pid, name, settings, generation, api_key_hash, created_at, webhook_events"
    };
}
pub(crate) use store_columns;

impl FromRow for StoreRecord {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            store_id: row.int(0)?,
            pid: row.text(1)?.to_owned(),
            name: row.text(2)?.to_owned(),
            settings: serde_json::from_str(row.text(3)?).map_err(wishbone_storage::Error::bug)?,
            generation: row.int(4)?,
            api_key_hash: row.blob(5)?.to_owned(),
            created_at: row.int(6)?,
            webhook_events: row.int(7)?,
        })
    }
}

pub struct FindStore {
    pub pid: String,
}

impl Read for FindStore {
    const NAME: &'static str = "find_store";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<StoreRecord>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.first(FIND.bind(&[(&self.pid).into()])).await?)
    }
}

/// Replaces the stamp of a store's record, with a change of it: it never repeats, not even after a fail-over that lost
/// commits, since time has passed.
pub(crate) async fn change_stamp<T: Tx>(tx: &mut T, store_id: i64, now: Millis) -> Result<()> {
    tx.execute(CHANGE_STAMP.bind(&[now.into(), store_id.into()])).await?;
    Ok(())
}

/// False for a store that was deleted, or is being deleted: links that name it outlive it.
pub(crate) async fn exists<Q: Query>(query: &mut Q, store_id: i64) -> Result<bool> {
    Ok(query.first::<i64>(EXISTS.bind(&[store_id.into()])).await?.is_some())
}

pub(crate) fn unknown(pid: &str) -> Error {
    let shown: String = pid.chars().take(60).collect();
    Error::new(Code::UnknownStore, format!("unknown pid {shown:?}: check that it is complete and URL-encoded"))
}

statements! {
    pub(crate) FIND = concat!("select ", store_columns!(), " from stores where pid = $1 and deleting_since is null");
    EXISTS = "select store_id from stores where store_id = $1 and deleting_since is null";
    pub(crate) STAMP = "select record_stamp from store_states where store_id = $1";
    CHANGE_STAMP = "update store_states set record_stamp = case when record_stamp < $1 then $1 else record_stamp + 1 end
                    where store_id = $2";
    pub(crate) BY_ID = concat!("select ", store_columns!(), " from stores where store_id = $1 and deleting_since is null");
}
