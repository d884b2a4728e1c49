//! The endpoints of a store: create, list, delete, rotate the secret, disable.

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::moment::{DAY, Millis, Moment};
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::stores::record;
use crate::tokens::Keys;
use crate::webhooks::event_type::EventSet;
use crate::webhooks::signature::Secret;

/// Endpoints per store. Every event is fanned out to all of them.
pub const MAX_WEBHOOKS: usize = 20;

/// How long the previous secret signs along after a rotation.
pub const SECRET_OVERLAP: Millis = DAY;

const ENABLED: i64 = 0;

#[derive(Clone, Debug)]
pub struct Webhook {
    pub id: Uuid,
    pub url: String,
    pub events: EventSet,
    pub is_enabled: bool,
    /// When attempts began to fail; `None` after a success.
    pub failing_since: Option<Millis>,
    pub created_at: Millis,
}

impl FromRow for Webhook {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            id: uuid(row, 0)?,
            url: row.text(1)?.to_owned(),
            events: EventSet(row.int(2)?),
            is_enabled: row.int(3)? == ENABLED,
            failing_since: row.opt_int(4)?,
            created_at: row.int(5)?,
        })
    }
}

pub struct CreateWebhook {
    by: StoreAdmin,
    id: Uuid,
    url: String,
    events: EventSet,
    sealed: Vec<u8>,
    now: Millis,
}

impl CreateWebhook {
    /// `url` has been checked.
    pub fn new(
        by: StoreAdmin,
        keys: &Keys,
        url: String,
        events: EventSet,
        new: &NewSecret,
        moment: &Moment,
    ) -> Result<Self> {
        let id = moment.id(0);
        Ok(Self { by, id, url, events, sealed: new.seal(keys, &id)?, now: moment.now })
    }
}

/// A secret to be stored, and a nonce to encrypt it with.
pub struct NewSecret {
    pub random: [u8; 32],
    pub nonce: [u8; 12],
}

impl NewSecret {
    fn seal(&self, keys: &Keys, webhook: &Uuid) -> Result<Vec<u8>> {
        Secret::new(self.random).seal(keys, webhook, self.nonce)
    }
}

impl Write for CreateWebhook {
    const NAME: &'static str = "create_webhook";
    type Out = Uuid;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Uuid> {
        let store_id = self.by.store_id();
        lock_store(tx, store_id, self.now).await?;
        let known: Vec<Webhook> = tx.rows(OF_STORE.bind(&[store_id.into()])).await?;
        if known.len() >= MAX_WEBHOOKS {
            let message =
                format!("a store can have at most {MAX_WEBHOOKS} webhooks: delete one with webhooks/delete first");
            return Err(Error::new(Code::LimitReached, message));
        }
        tx.execute(INSERT.bind(&[
            store_id.into(),
            self.id.as_bytes().into(),
            (&self.url).into(),
            self.events.0.into(),
            (&self.sealed).into(),
            self.now.into(),
        ]))
        .await?;
        set_wanted(tx, store_id).await?;
        Ok(self.id)
    }
}

/// Lists the endpoints of a store, oldest first.
pub struct ListWebhooks {
    pub by: StoreAdmin,
}

impl Read for ListWebhooks {
    const NAME: &'static str = "list_webhooks";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<Webhook>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(OF_STORE.bind(&[self.by.store_id().into()])).await?)
    }
}

/// Finds an endpoint and its encrypted secret.
pub struct FindWebhook {
    pub by: StoreAdmin,
    pub id: Uuid,
}

/// An endpoint with its secret, for the response that shows it once.
pub struct WebhookWithSecret {
    pub webhook: Webhook,
    sealed: Vec<u8>,
}

impl WebhookWithSecret {
    pub fn secret(&self, keys: &Keys) -> Result<Secret> {
        Secret::open(keys, &self.webhook.id, &self.sealed)
    }
}

impl FromRow for WebhookWithSecret {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { webhook: Webhook::from_row(row)?, sealed: row.blob(6)?.to_owned() })
    }
}

impl Read for FindWebhook {
    const NAME: &'static str = "find_webhook";
    const SINGLE_STATEMENT: bool = true;
    type Out = WebhookWithSecret;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        find(query, self.by.store_id(), &self.id).await
    }
}

pub(crate) async fn find<Q: Query>(query: &mut Q, store_id: i64, id: &Uuid) -> Result<WebhookWithSecret> {
    query.first(FIND.bind(&[store_id.into(), id.as_bytes().into()])).await?.ok_or_else(not_found)
}

fn not_found() -> Error {
    Error::new(Code::NotFound, "webhook not found: get the ids of a store's webhooks with webhooks/list")
}

/// Deletes an endpoint. What waits for it is not delivered.
pub struct DeleteWebhook {
    pub by: StoreAdmin,
    pub id: Uuid,
    pub now: Millis,
}

impl Write for DeleteWebhook {
    const NAME: &'static str = "delete_webhook";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let key = [self.by.store_id().into(), self.id.as_bytes().into()];
        lock_store(tx, self.by.store_id(), self.now).await?;
        // Queues before their endpoint, as the delivery job locks them.
        let [_, deleted] = tx.execute_all(&[DELETE_QUEUES.bind(&key), DELETE.bind(&key)]).await?[..] else {
            return Err(Error::internal("two statements have two results"));
        };
        if deleted == 0 {
            return Err(not_found());
        }
        set_wanted(tx, self.by.store_id()).await
    }
}

/// Replaces the secret of an endpoint. The previous one signs along for [`SECRET_OVERLAP`].
pub struct RotateSecret {
    by: StoreAdmin,
    id: Uuid,
    sealed: Vec<u8>,
    now: Millis,
}

impl RotateSecret {
    pub fn new(by: StoreAdmin, keys: &Keys, id: Uuid, new: &NewSecret, now: Millis) -> Result<Self> {
        Ok(Self { by, id, sealed: new.seal(keys, &id)?, now })
    }
}

impl Write for RotateSecret {
    const NAME: &'static str = "rotate_secret";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let until = self.now + SECRET_OVERLAP;
        let args = [until.into(), (&self.sealed).into(), self.by.store_id().into(), self.id.as_bytes().into()];
        if tx.execute(ROTATE.bind(&args)).await? == 0 { Err(not_found()) } else { Ok(()) }
    }
}

/// Disables an endpoint whose attempts have failed since a time or longer.
pub struct DisableWebhook {
    pub by: Operator,
    pub store_id: i64,
    pub id: Uuid,
    pub failing_since: Millis,
    pub now: Millis,
}

impl Write for DisableWebhook {
    const NAME: &'static str = "disable_webhook";
    /// False if another node has disabled it, or an attempt succeeded meanwhile.
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<bool> {
        lock_store(tx, self.store_id, self.now).await?;
        let args = [self.store_id.into(), self.id.as_bytes().into(), self.failing_since.into()];
        if tx.execute(DISABLE.bind(&args)).await? == 0 {
            return Ok(false);
        }
        set_wanted(tx, self.store_id).await?;
        Ok(true)
    }
}

/// Enables an endpoint again.
pub(crate) async fn enable<T: Tx>(tx: &mut T, store_id: i64, id: &Uuid, now: Millis) -> Result<()> {
    lock_store(tx, store_id, now).await?;
    tx.execute(ENABLE.bind(&[store_id.into(), id.as_bytes().into()])).await?;
    set_wanted(tx, store_id).await
}

/// Locks the store, so that the types it wants are those of its endpoints.
async fn lock_store<T: Tx>(tx: &mut T, store_id: i64, now: Millis) -> Result<()> {
    tx.execute(LOCK_STORE.bind(&[now.into(), store_id.into()])).await?;
    record::change_stamp(tx, store_id, now).await
}

/// Writes the types that enabled endpoints want to the store's row, which every call reads.
async fn set_wanted<T: Tx>(tx: &mut T, store_id: i64) -> Result<()> {
    let webhooks: Vec<Webhook> = tx.rows(OF_STORE.bind(&[store_id.into()])).await?;
    let wanted = webhooks.iter().filter(|webhook| webhook.is_enabled).fold(0, |bits, webhook| bits | webhook.events.0);
    tx.execute(SET_WANTED.bind(&[wanted.into(), store_id.into()])).await?;
    Ok(())
}

statements! {
    LOCK_STORE = "update stores set updated_at = $1 where store_id = $2";
    SET_WANTED = "update stores set webhook_events = $1 where store_id = $2";
    OF_STORE = "select webhook_id, url, events, state, failing_since, created_at from webhooks where store_id = $1
                order by created_at, webhook_id";
    FIND = "select webhook_id, url, events, state, failing_since, created_at, secret from webhooks
            where store_id = $1 and webhook_id = $2";
    INSERT = "insert into webhooks (store_id, webhook_id, url, events, secret, state, created_at)
              values ($1, $2, $3, $4, $5, 0, $6)";
    DELETE = "delete from webhooks where store_id = $1 and webhook_id = $2";
    DELETE_QUEUES = "delete from webhook_queues where store_id = $1 and webhook_id = $2";
    ROTATE = "update webhooks set previous_secret = secret, previous_until = $1, secret = $2
              where store_id = $3 and webhook_id = $4";
    DISABLE = "update webhooks set state = 1
               where store_id = $1 and webhook_id = $2 and state = 0 and failing_since <= $3";
    ENABLE = "update webhooks set state = 0, failing_since = null where store_id = $1 and webhook_id = $2";
}
