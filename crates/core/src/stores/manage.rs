//! Creating and changing stores, rotating their keys, revoking sessions.

use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::{Millis, Moment};
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::{self, StoreRecord, store_columns, unknown};
use crate::stores::settings::{Settings, SettingsChange};
use crate::tokens;

pub struct CreateStore {
    pub by: Operator,
    pub pid: String,
    pub name: String,
    pub api_key: String,
    pub settings: Settings,
    pub now: Millis,
}

impl Write for CreateStore {
    const NAME: &'static str = "create_store";
    // Ids are assigned densely, to be short: they are part of every key. Those of deleted stores are not used again.
    const SERIALIZABLE: bool = true;
    type Out = StoreRecord;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<StoreRecord> {
        if tx.first::<i64>(WITH_PID.bind(&[(&self.pid).into()])).await?.is_some() {
            return Err(Error::invalid("pid", "is used by another store: choose another, or omit it"));
        }
        let next: i64 = tx.first(NEXT_ID.bind(&[])).await?.unwrap_or(1);
        let store_id = tx.first(LAST_DELETED.bind(&[])).await?.map_or(next, |last: i64| next.max(last + 1));
        let hash = tokens::api_key_hash(&self.api_key);
        let settings = encode(&self.settings)?;
        tx.execute(INSERT.bind(&[
            store_id.into(),
            (&self.pid).into(),
            (&self.name).into(),
            (&hash).into(),
            (&settings).into(),
            0.into(),
            self.now.into(),
            self.now.into(),
        ]))
        .await?;
        tx.execute(INSERT_STATE.bind(&[store_id.into()])).await?;
        Ok(StoreRecord {
            store_id,
            pid: self.pid.clone(),
            name: self.name.clone(),
            settings: self.settings.clone(),
            generation: 0,
            api_key_hash: hash.to_vec(),
            created_at: self.now,
            webhook_events: 0,
        })
    }
}

pub struct ListStores {
    pub by: Operator,
}

impl Read for ListStores {
    const NAME: &'static str = "list_stores";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<StoreRecord>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(ALL.bind(&[])).await?)
    }
}

pub struct UpdateStore {
    pub by: Operator,
    pub pid: String,
    pub change: SettingsChange,
    pub moment: Moment,
}

impl Write for UpdateStore {
    const NAME: &'static str = "update_store";
    type Out = StoreRecord;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<StoreRecord> {
        let mut store = touch(tx, &self.pid, self.moment.now).await?;
        self.change.apply(&mut store.settings);
        let settings = encode(&store.settings)?;
        tx.execute(SET_SETTINGS.bind(&[(&settings).into(), store.store_id.into()])).await?;
        Ok(store)
    }
}

/// Replaces the API key. The previous one stays valid until the given time, if any.
pub struct RotateKey {
    pub by: Operator,
    pub pid: String,
    pub api_key: String,
    pub keep_previous_until: Option<Millis>,
    pub now: Millis,
}

impl Write for RotateKey {
    const NAME: &'static str = "rotate_key";
    /// The id of the store.
    type Out = i64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<i64> {
        let store = touch(tx, &self.pid, self.now).await?;
        let hash = tokens::api_key_hash(&self.api_key);
        let previous = self.keep_previous_until.map(|_| &store.api_key_hash);
        let until = self.keep_previous_until;
        tx.execute(SET_KEY.bind(&[(&hash).into(), previous.into(), until.into(), store.store_id.into()])).await?;
        Ok(store.store_id)
    }
}

/// What a store has besides its record: secrets, which are not told, and until when they are valid.
pub struct StoreSecrets {
    pub has_sms_auth: bool,
    /// Until when the API key before the last rotation is valid.
    pub previous_key_until: Option<Millis>,
}

pub struct FindStoreSecrets {
    pub by: Operator,
    pub store_id: i64,
}

impl Read for FindStoreSecrets {
    const NAME: &'static str = "find_store_secrets";
    const SINGLE_STATEMENT: bool = true;
    type Out = StoreSecrets;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<StoreSecrets> {
        let found: Option<StoreSecrets> = query.first(SECRETS.bind(&[self.store_id.into()])).await?;
        found.ok_or_else(|| Error::internal("the store does not exist"))
    }
}

impl FromRow for StoreSecrets {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { has_sms_auth: row.opt_blob(0)?.is_some(), previous_key_until: row.opt_int(1)? })
    }
}

/// Revokes the sessionids of a whole store, or of one shopper. Regids and lists are not affected, except that revoking the
/// whole store revokes the regids of browser guests too: they have no other proof.
pub struct RevokeSessions {
    pub by: Operator,
    pub pid: String,
    pub email: Option<String>,
    pub now: Millis,
}

impl Write for RevokeSessions {
    const NAME: &'static str = "revoke_sessions";
    /// False if there was nothing to revoke.
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let store = touch(tx, &self.pid, self.now).await?;
        revoke(tx, store.store_id, self.email.as_deref(), self.now).await
    }
}

/// [`RevokeSessions`] by the store itself.
pub struct RevokeOwnSessions {
    pub by: StoreAdmin,
    pub email: Option<String>,
    pub now: Millis,
}

impl Write for RevokeOwnSessions {
    const NAME: &'static str = "revoke_own_sessions";
    /// As of [`RevokeSessions`].
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        revoke(tx, self.by.store_id(), self.email.as_deref(), self.now).await
    }
}

async fn revoke<T: Tx>(tx: &mut T, store_id: i64, email: Option<&str>, now: Millis) -> Result<bool> {
    let Some(email) = email else {
        tx.execute(RAISE_GENERATION.bind(&[now.into(), store_id.into()])).await?;
        record::change_stamp(tx, store_id, now).await?;
        return Ok(true);
    };
    Ok(tx.execute(RAISE_SHOPPER.bind(&[now.into(), store_id.into(), email.into()])).await? > 0)
}

/// Locks the store's row for this write, which changes it.
async fn touch<T: Tx>(tx: &mut T, pid: &str, now: Millis) -> Result<StoreRecord> {
    let store: StoreRecord = tx.first(TOUCH.bind(&[now.into(), pid.into()])).await?.ok_or_else(|| unknown(pid))?;
    record::change_stamp(tx, store.store_id, now).await?;
    Ok(store)
}

fn encode(settings: &Settings) -> Result<String> {
    serde_json::to_string(settings).map_err(Error::internal)
}

statements! {
    pub(crate) ALL = concat!("select ", store_columns!(), " from stores where deleting_since is null order by store_id");
    // Also of a store that is being deleted.
    WITH_PID = "select store_id from stores where pid = $1";
    LAST_DELETED = "select last_store_id from server where id = 1";
    NEXT_ID = "select coalesce(max(store_id), 0) + 1 from stores";
    INSERT = "insert into stores (store_id, pid, name, api_key_hash, settings, generation, created_at, updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8)";
    INSERT_STATE = "insert into store_states (store_id) values ($1)";
    TOUCH = concat!("update stores set updated_at = $1 where pid = $2 and deleting_since is null returning ",
                    store_columns!());
    SET_SETTINGS = "update stores set settings = $1 where store_id = $2";
    SECRETS = "select sms_auth, previous_key_until from stores where store_id = $1";
    SET_KEY = "update stores set api_key_hash = $1, previous_key_hash = $2, previous_key_until = $3 where store_id = $4";
    RAISE_GENERATION = "update stores set generation = generation + 1, updated_at = $1 where store_id = $2";
    RAISE_SHOPPER = "update shoppers set generation = generation + 1, updated_at = $1 where store_id = $2 and email = $3";
}
