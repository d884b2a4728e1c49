//! Idempotency keys: the response to a keyed write is stored in the transaction of the write itself, and returned when
//! the key is sent again.

use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write, WriteSet};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::moment::Millis;
use crate::operator::Operator;
use crate::stores::admin::StoreAdmin;
use crate::tokens::hash;

/// How long an answer is kept.
pub const RETENTION: Millis = 24 * 60 * 60 * 1_000;

/// What a caller is told, and is told again.
#[derive(Clone, Debug)]
pub struct StoredResponse {
    /// Encoded.
    pub body: Vec<u8>,
    /// The version of the list after a change of its items.
    pub list_version: Option<i64>,
}

impl From<Vec<u8>> for StoredResponse {
    fn from(body: Vec<u8>) -> Self {
        Self { body, list_version: None }
    }
}

/// A caller's own name for one of their calls.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    store_id: i64,
    caller: [u8; 16],
    key: [u8; 32],
    request: [u8; 32],
    now: Millis,
}

/// The store itself, among the callers.
const STORE: [u8; 16] = [0; 16];

impl IdempotencyKey {
    /// `request` is everything that the call says; the same key for something else is refused.
    pub fn of_shopper(by: &Shopper, key: &str, request: &[&[u8]], now: Millis) -> Self {
        Self::new(by.store_id(), by.id().0, key, request, now)
    }

    pub fn of_store(by: &StoreAdmin, key: &str, request: &[&[u8]], now: Millis) -> Self {
        Self::new(by.store_id(), STORE, key, request, now)
    }

    fn new(store_id: i64, caller: [u8; 16], key: &str, request: &[&[u8]], now: Millis) -> Self {
        Self { store_id, caller, key: hash(b"once", &[key.as_bytes()]), request: hash(b"request", request), now }
    }
}

/// A write with a key, and how its outcome is told.
pub struct Idempotent<W, F> {
    pub key: IdempotencyKey,
    pub operation: W,
    pub answer: F,
}

impl<W, F> Write for Idempotent<W, F>
where
    W: Write<Error = Error>,
    F: Fn(W::Out) -> StoredResponse + Send + Sync + 'static,
{
    const NAME: &'static str = W::NAME;
    const SERIALIZABLE: bool = W::SERIALIZABLE;
    const IDEMPOTENT: bool = true;
    type Out = (StoredResponse, WriteSet);
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let IdempotencyKey { store_id, caller, key, request, now } = &self.key;
        let row =
            [(*store_id).into(), caller.into(), key.into(), request.into(), (*now).into(), (now - RETENTION).into()];
        // Who comes second waits here for the first to end, and finds its answer, or nothing if it failed.
        if tx.first::<i64>(CLAIM.bind(&row)).await?.is_none() {
            let kept: Option<ResponseRow> = tx.first(FIND.bind(&row[..3])).await?;
            let kept = kept.ok_or_else(|| Error::internal("a stored response has disappeared"))?;
            return Ok((kept.answer_to(&self.key)?, WriteSet::nothing()));
        }
        let out = self.operation.run(tx).await?;
        let write_set = self.operation.write_set(&out);
        let answered = (self.answer)(out);
        let kept = [(&answered.body).into(), answered.list_version.into(), row[0], row[1], row[2]];
        tx.execute(KEEP.bind(&kept)).await?;
        Ok((answered, write_set))
    }

    /// Nobody caches stored responses, so this is the write set of the operation itself.
    fn write_set(&self, (_, write_set): &Self::Out) -> WriteSet {
        write_set.clone()
    }
}

struct ResponseRow {
    request: Vec<u8>,
    answered: StoredResponse,
    created_at: Millis,
}

impl ResponseRow {
    fn answer_to(self, key: &IdempotencyKey) -> Result<StoredResponse> {
        if self.request == key.request {
            return Ok(self.answered);
        }
        let rule = "was used for another call in the last 24 hours: choose a new one for each call";
        Err(Error::invalid("idempotency-key", rule))
    }
}

impl FromRow for ResponseRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let answered = StoredResponse { body: row.blob(1)?.to_owned(), list_version: row.opt_int(2)? };
        Ok(Self { request: row.blob(0)?.to_owned(), answered, created_at: row.int(3)? })
    }
}

/// Looks for the answer to a call that was made before, for calls that are more than one write.
pub struct FindResponse {
    pub key: IdempotencyKey,
}

impl Read for FindResponse {
    const NAME: &'static str = "find_answer";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<StoredResponse>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let IdempotencyKey { store_id, caller, key, now, .. } = &self.key;
        let kept: Option<ResponseRow> =
            query.first(FIND.bind(&[(*store_id).into(), caller.into(), key.into()])).await?;
        kept.filter(|kept| kept.created_at > now - RETENTION).map(|kept| kept.answer_to(&self.key)).transpose()
    }
}

/// A guest's calls are the shopper's from now on: what was sent before logging in may be sent again after it.
pub(crate) async fn transfer<T: Tx>(tx: &mut T, store_id: i64, guest: &[u8; 16], shopper: &[u8; 16]) -> Result<()> {
    tx.execute(HAND_OVER.bind(&[shopper.into(), store_id.into(), guest.into()])).await?;
    // The shopper has used the same keys; nobody can ask for these any more.
    tx.execute(FORGET_ALL.bind(&[store_id.into(), guest.into()])).await?;
    Ok(())
}

/// How far the answers of a store have been looked through.
#[derive(Clone, Debug, Default)]
pub(crate) struct PurgeCursor {
    caller: Vec<u8>,
    key: Vec<u8>,
}

/// Throws away answers that mention an address, whoever they were for; answers where to go on.
pub(crate) struct PurgeMentions {
    pub(crate) store_id: i64,
    pub(crate) address: String,
    pub(crate) from: PurgeCursor,
    pub(crate) most: i64,
}

impl Write for PurgeMentions {
    const NAME: &'static str = "forget_mentions";
    type Out = Option<PurgeCursor>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let from = [self.store_id.into(), (&self.from.caller).into(), (&self.from.key).into(), self.most.into()];
        let (mut seen, mut last, mut mentions) = (0, None, Vec::new());
        tx.query_all(&[NEXT.bind(&from)], &mut |_, row| {
            let place = PurgeCursor { caller: row.blob(0)?.to_owned(), key: row.blob(1)?.to_owned() };
            if String::from_utf8_lossy(row.opt_blob(2)?.unwrap_or_default()).contains(&self.address) {
                mentions.push(place.clone());
            }
            last = Some(place);
            seen += 1;
            Ok(())
        })
        .await?;
        let keys: Vec<[Arg<'_>; 3]> = mentions
            .iter()
            .map(|PurgeCursor { caller, key }| [self.store_id.into(), caller.into(), key.into()])
            .collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| FORGET.bind(key)).collect();
        tx.execute_all(&batch).await?;
        Ok(last.filter(|_| seen == self.most))
    }
}

/// Throws away answers that are too old to be asked for, a few at a time; answers how many.
pub struct PurgeResponses {
    pub by: Operator,
    pub store_id: i64,
    pub now: Millis,
    pub most: i64,
}

impl Write for PurgeResponses {
    const NAME: &'static str = "forget_answers";
    type Out = u64;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let old = [self.store_id.into(), (self.now - RETENTION).into(), self.most.into()];
        let keys: Vec<Key> = tx.rows(OLD.bind(&old)).await?;
        let keys: Vec<[Arg<'_>; 3]> =
            keys.iter().map(|Key(caller, key)| [self.store_id.into(), caller.into(), key.into()]).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| FORGET.bind(key)).collect();
        Ok(tx.execute_all(&batch).await?.iter().sum())
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::nothing()
    }
}

struct Key(Vec<u8>, Vec<u8>);

impl FromRow for Key {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.blob(0)?.to_owned(), row.blob(1)?.to_owned()))
    }
}

statements! {
    CLAIM = "insert into answers (store_id, caller, key, request, created_at) values ($1, $2, $3, $4, $5)
             on conflict (store_id, caller, key)
             do update set request = excluded.request, created_at = excluded.created_at where answers.created_at <= $6
             returning created_at";
    FIND = "select request, body, list_version, created_at from answers where store_id = $1 and caller = $2 and key = $3";
    KEEP = "update answers set body = $1, list_version = $2 where store_id = $3 and caller = $4 and key = $5";
    NEXT = "select caller, key, body from answers where store_id = $1 and (caller, key) > ($2, $3)
            order by caller, key limit $4";
    HAND_OVER = "update answers set caller = $1 where store_id = $2 and caller = $3
                 and not exists (select 1 from answers o
                                 where o.store_id = answers.store_id and o.caller = $1 and o.key = answers.key)";
    FORGET_ALL = "delete from answers where store_id = $1 and caller = $2";
    OLD = "select caller, key from answers where store_id = $1 and created_at <= $2 limit $3";
    FORGET = "delete from answers where store_id = $1 and caller = $2 and key = $3";
}
