//! Idempotency keys: the response to a keyed write is stored in the transaction of the write itself, and returned when
//! the key is sent again.

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::moment::{DAY, Millis};
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::tokens::hash;

/// How long a response is stored.
pub const RETENTION: Millis = DAY;

/// Maximum size of a stored response. It limits what a caller can have stored, and what an erasure has to search.
const MAX_RESPONSE_BYTES: usize = 512 << 10;

/// A response that is returned again when its key is sent again.
#[derive(Clone, Debug)]
pub struct StoredResponse {
    /// The encoded body.
    pub body: Vec<u8>,
    /// The version of the list after a change of its items.
    pub list_version: Option<i64>,
}

impl From<Vec<u8>> for StoredResponse {
    fn from(body: Vec<u8>) -> Self {
        Self { body, list_version: None }
    }
}

/// The key that a caller chose for one call, with the caller and a hash of the request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    store_id: i64,
    caller: [u8; 16],
    key: [u8; 32],
    request: [u8; 32],
    now: Millis,
}

/// The caller id of calls by the store itself.
const STORE_CALLER: [u8; 16] = [0; 16];

impl IdempotencyKey {
    /// `request` is the whole content of the call; the same key with other content is rejected.
    pub fn of_shopper(by: &Shopper, key: &str, request: &[&[u8]], now: Millis) -> Self {
        Self::new(by.store_id(), by.id().0, key, request, now)
    }

    pub fn of_store(by: &StoreAdmin, key: &str, request: &[&[u8]], now: Millis) -> Self {
        Self::new(by.store_id(), STORE_CALLER, key, request, now)
    }

    fn new(store_id: i64, caller: [u8; 16], key: &str, request: &[&[u8]], now: Millis) -> Self {
        Self { store_id, caller, key: hash(b"once", &[key.as_bytes()]), request: hash(b"request", request), now }
    }
}

/// A write with an idempotency key, and the encoder of its response.
pub struct Idempotent<W, F> {
    pub key: IdempotencyKey,
    pub operation: W,
    pub respond: F,
}

impl<W, F> Write for Idempotent<W, F>
where
    W: Write<Error = Error>,
    F: Fn(W::Out) -> StoredResponse + Send + Sync + 'static,
{
    const NAME: &'static str = W::NAME;
    const SERIALIZABLE: bool = W::SERIALIZABLE;
    const IDEMPOTENT: bool = true;
    type Out = StoredResponse;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        self.operation.shard_key()
    }

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let IdempotencyKey { store_id, caller, key, request, now } = &self.key;
        let row =
            [(*store_id).into(), caller.into(), key.into(), request.into(), (*now).into(), (now - RETENTION).into()];
        // A concurrent call with the same key waits here for the first, then finds its response, or no row if it failed.
        if tx.first::<i64>(CLAIM.bind(&row)).await?.is_none() {
            let found: Option<ResponseRow> = tx.first(FIND.bind(&row[..3])).await?;
            let found = found.ok_or_else(|| Error::internal("a stored response has disappeared"))?;
            return found.response_to(&self.key);
        }
        let out = self.operation.run(tx).await?;
        let response = (self.respond)(out);
        if response.body.len() > MAX_RESPONSE_BYTES {
            let rule = "cannot be used: the response would be too large to be stored. Change fewer items in one call";
            return Err(Error::invalid("idempotency-key", rule));
        }
        let stored = [(&response.body).into(), response.list_version.into(), row[0], row[1], row[2]];
        tx.execute(SAVE.bind(&stored)).await?;
        Ok(response)
    }
}

struct ResponseRow {
    request: Vec<u8>,
    response: StoredResponse,
    created_at: Millis,
}

impl ResponseRow {
    fn response_to(self, key: &IdempotencyKey) -> Result<StoredResponse> {
        if self.request == key.request {
            return Ok(self.response);
        }
        let rule = "was used for another call in the last 24 hours: use a new key for each call";
        Err(Error::invalid("idempotency-key", rule))
    }
}

impl FromRow for ResponseRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let response = StoredResponse { body: row.blob(1)?.to_owned(), list_version: row.opt_int(2)? };
        Ok(Self { request: row.blob(0)?.to_owned(), response, created_at: row.int(3)? })
    }
}

/// Finds the response to an earlier call, for calls that consist of several writes.
pub struct FindResponse {
    pub key: IdempotencyKey,
}

impl Read for FindResponse {
    const NAME: &'static str = "find_response";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<StoredResponse>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let IdempotencyKey { store_id, caller, key, now, .. } = &self.key;
        let found: Option<ResponseRow> =
            query.first(FIND.bind(&[(*store_id).into(), caller.into(), key.into()])).await?;
        found.filter(|row| row.created_at > now - RETENTION).map(|row| row.response_to(&self.key)).transpose()
    }
}

/// Makes some of a guest's keys the shopper's, so that a call from before the login can be repeated after it. Returns how
/// many.
pub(crate) async fn transfer<T: Tx>(
    tx: &mut T,
    store_id: i64,
    guest: &[u8; 16],
    shopper: &[u8; 16],
    limit: i64,
) -> Result<u64> {
    let keys: Vec<ResponseKey> = tx.rows(OF_CALLER.bind(&[store_id.into(), guest.into(), limit.into()])).await?;
    let moved: Vec<[Arg<'_>; 4]> =
        keys.iter().map(|ResponseKey(_, key)| [shopper.into(), store_id.into(), guest.into(), key.into()]).collect();
    let batch = moved.iter().map(|args| TRANSFER.bind(args));
    // What is left has keys that the shopper has used too; it cannot be requested any more.
    let left = moved.iter().map(|args| DELETE.bind(&args[1..]));
    tx.execute_all(&batch.chain(left).collect::<Vec<Bound<'_>>>()).await?;
    u64::try_from(keys.len()).map_err(Error::internal)
}

/// Stored responses that are searched at once.
const SEARCHED: i64 = 50;

/// Finds stored responses, of any caller, that contain an address.
pub(crate) struct FindMentions {
    pub(crate) store_id: i64,
    pub(crate) address: String,
    /// The last response that was searched.
    pub(crate) after: ResponseKey,
}

pub(crate) struct Mentions {
    pub(crate) found: DeleteResponses,
    /// Where to continue, if there may be more.
    pub(crate) next: Option<ResponseKey>,
}

impl Read for FindMentions {
    const NAME: &'static str = "find_mentions_in_responses";
    const SINGLE_STATEMENT: bool = true;
    type Out = Mentions;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Mentions> {
        let ResponseKey(caller, key) = &self.after;
        let from = [self.store_id.into(), caller.into(), key.into(), SEARCHED.into()];
        let (mut seen, mut last, mut keys) = (0, None, Vec::new());
        query
            .query_all(&[NEXT.bind(&from)], &mut |_, row| {
                let key = ResponseKey::from_row(row)?;
                if String::from_utf8_lossy(row.opt_blob(2)?.unwrap_or_default()).contains(&self.address) {
                    keys.push(key.clone());
                }
                last = Some(key);
                seen += 1;
                Ok(())
            })
            .await?;
        let found = DeleteResponses { store_id: self.store_id, keys };
        Ok(Mentions { found, next: last.filter(|_| seen == SEARCHED) })
    }
}

/// Deletes stored responses. Returns how many.
pub(crate) struct DeleteResponses {
    store_id: i64,
    keys: Vec<ResponseKey>,
}

impl DeleteResponses {
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    async fn delete<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let keys: Vec<[Arg<'_>; 3]> = self
            .keys
            .iter()
            .map(|ResponseKey(caller, key)| [self.store_id.into(), caller.into(), key.into()])
            .collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE.bind(key)).collect();
        Ok(tx.execute_all(&batch).await?.iter().sum())
    }
}

impl Write for DeleteResponses {
    const NAME: &'static str = "delete_responses";
    type Out = u64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        self.delete(tx).await
    }
}

/// Deletes expired responses of a store, at most `limit`. Returns how many.
pub struct PurgeResponses {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
    pub limit: i64,
}

impl Write for PurgeResponses {
    const NAME: &'static str = "purge_responses";
    type Out = u64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let expired = [self.store_id.into(), (self.now - RETENTION).into(), self.limit.into()];
        let keys = tx.rows(EXPIRED.bind(&expired)).await?;
        DeleteResponses { store_id: self.store_id, keys }.delete(tx).await
    }
}

/// Caller and key of a stored response. The default comes before all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseKey(Vec<u8>, Vec<u8>);

impl FromRow for ResponseKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.blob(0)?.to_owned(), row.blob(1)?.to_owned()))
    }
}

statements! {
    CLAIM = "insert into idempotent_responses (store_id, caller, key, request, created_at) values ($1, $2, $3, $4, $5)
             on conflict (store_id, caller, key)
             do update set request = excluded.request, created_at = excluded.created_at
             where idempotent_responses.created_at <= $6
             returning created_at";
    FIND = "select request, body, list_version, created_at from idempotent_responses
            where store_id = $1 and caller = $2 and key = $3";
    SAVE = "update idempotent_responses set body = $1, list_version = $2
            where store_id = $3 and caller = $4 and key = $5";
    NEXT = "select caller, key, body from idempotent_responses where store_id = $1 and (caller, key) > ($2, $3)
            order by caller, key limit $4";
    OF_CALLER = "select caller, key from idempotent_responses where store_id = $1 and caller = $2 order by key limit $3";
    TRANSFER = "update idempotent_responses set caller = $1 where store_id = $2 and caller = $3 and key = $4
                and not exists (select 1 from idempotent_responses o
                                where o.store_id = $2 and o.caller = $1 and o.key = $4)";
    EXPIRED = "select caller, key from idempotent_responses where store_id = $1 and created_at <= $2 limit $3";
    DELETE = "delete from idempotent_responses where store_id = $1 and caller = $2 and key = $3";
}
