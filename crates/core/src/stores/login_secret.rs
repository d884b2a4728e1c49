//! The login secret, with which a store's server signs logins. Unlike the API key it is needed in the clear, so it is
//! stored encrypted with a key that is not in the database.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use wishbone_storage::{Database, FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;
use crate::stores::record::{StoreRecord, unknown};
use crate::tokens::Keys;

pub(crate) const PURPOSE: &[u8] = b"login secret";

/// A secret to be stored: its 32 random bytes, and a nonce to encrypt it with.
pub struct NewSecret {
    pub random: [u8; 32],
    pub nonce: [u8; 12],
    pub now: Millis,
}

impl NewSecret {
    fn text(&self) -> String {
        format!("wbl_{}", URL_SAFE_NO_PAD.encode(self.random))
    }

    fn sealed(&self, keys: &Keys, pid: &str) -> Result<Vec<u8>> {
        let sealed = keys.encrypt(PURPOSE, pid.as_bytes(), self.nonce, self.text().as_bytes());
        sealed.ok_or_else(|| Error::internal("the login secret could not be encrypted"))
    }
}

fn open(keys: &Keys, pid: &str, sealed: &[u8]) -> Result<String> {
    let opened = keys.decrypt(PURPOSE, pid.as_bytes(), sealed).and_then(|plain| String::from_utf8(plain).ok());
    opened
        .ok_or_else(|| Error::internal("the login secret was encrypted with a key that is not among the signing keys: run `wishbone store rotate-login-secret PID`"))
}

/// Returns a store's login secret, and creates it on first use.
pub async fn show(database: &Database, keys: &Keys, by: Operator, pid: &str, new: &NewSecret) -> Result<String> {
    let write =
        SaveLoginSecret { _by: by, pid: pid.to_owned(), sealed: new.sealed(keys, pid)?, replace: false, now: new.now };
    open(keys, pid, &database.write(write).await?)
}

/// Replaces the login secret. Tokens signed with the former one are rejected from now on.
pub async fn rotate(database: &Database, keys: &Keys, by: Operator, pid: &str, new: &NewSecret) -> Result<String> {
    let write =
        SaveLoginSecret { _by: by, pid: pid.to_owned(), sealed: new.sealed(keys, pid)?, replace: true, now: new.now };
    open(keys, pid, &database.write(write).await?)
}

pub(crate) async fn find(database: &Database, keys: &Keys, record: &StoreRecord) -> Result<String> {
    let sealed = database.read(FindLoginSecret { store_id: record.store_id }).await?;
    let sealed = sealed.ok_or_else(|| {
        Error::new(
            Code::Forbidden,
            "this store has no login secret: ask the operator to run `wishbone store show PID --secrets`",
        )
    })?;
    open(keys, &record.pid, &sealed)
}

struct EncryptedSecret(Vec<u8>);

impl FromRow for EncryptedSecret {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.opt_blob(0)?.unwrap_or_default().to_owned()))
    }
}

struct FindLoginSecret {
    store_id: i64,
}

impl Read for FindLoginSecret {
    const NAME: &'static str = "find_login_secret";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let found: Option<EncryptedSecret> = query.first(FIND.bind(&[self.store_id.into()])).await?;
        Ok(found.map(|EncryptedSecret(sealed)| sealed).filter(|sealed| !sealed.is_empty()))
    }
}

struct SaveLoginSecret {
    _by: Operator,
    pid: String,
    sealed: Vec<u8>,
    replace: bool,
    now: Millis,
}

impl Write for SaveLoginSecret {
    const NAME: &'static str = "save_login_secret";
    /// The stored secret, encrypted.
    type Out = Vec<u8>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let args = [(&self.sealed).into(), self.now.into(), (&self.pid).into()];
        let statement = if self.replace { REPLACE } else { SAVE_IF_ABSENT };
        let stored: Option<EncryptedSecret> = tx.first(statement.bind(&args)).await?;
        stored.map(|EncryptedSecret(sealed)| sealed).ok_or_else(|| unknown(&self.pid))
    }
}

statements! {
    FIND = "select login_secret from stores where store_id = $1";
    SAVE_IF_ABSENT = "update stores set login_secret = coalesce(login_secret, $1), updated_at = $2 where pid = $3
                      returning login_secret";
    REPLACE = "update stores set login_secret = $1, updated_at = $2 where pid = $3 returning login_secret";
}
