//! The signing keys that this database depends on: those that tokens were made with. A server that lacks one would reject
//! sessions, guests and share links, so it does not start.

use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;

/// A key that has signed tokens.
#[derive(Clone, Debug)]
pub struct SigningKey {
    pub fingerprint: String,
    /// When it was first used to sign.
    pub signed_since: Millis,
    /// When a token of it was last accepted, after another key had taken its place.
    pub accepted_at: Option<Millis>,
}

impl FromRow for SigningKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { fingerprint: row.text(0)?.to_owned(), signed_since: row.int(1)?, accepted_at: row.opt_int(2)? })
    }
}

/// Finds all keys, oldest first.
pub struct FindSigningKeys {
    pub by: Operator,
}

impl Read for FindSigningKeys {
    const NAME: &'static str = "find_signing_keys";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<SigningKey>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(ALL.bind(&[])).await?)
    }
}

/// Records a key that signs from now on.
pub struct RegisterSigningKey {
    pub by: Operator,
    pub fingerprint: String,
    pub now: Millis,
}

impl Write for RegisterSigningKey {
    const NAME: &'static str = "register_signing_key";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(REGISTER.bind(&[(&self.fingerprint).into(), self.now.into()])).await?;
        Ok(())
    }
}

/// Records that tokens of older keys were accepted.
pub struct RecordAcceptedKeys {
    pub by: Operator,
    pub fingerprints: Vec<String>,
    pub now: Millis,
}

impl Write for RecordAcceptedKeys {
    const NAME: &'static str = "record_accepted_keys";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        for fingerprint in &self.fingerprints {
            tx.execute(ACCEPTED.bind(&[self.now.into(), fingerprint.into()])).await?;
        }
        Ok(())
    }
}

/// Forgets a key: servers may start without it.
pub struct RetireSigningKey {
    pub by: Operator,
    pub fingerprint: String,
}

impl Write for RetireSigningKey {
    const NAME: &'static str = "retire_signing_key";
    /// False if the key is not known.
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<bool> {
        Ok(tx.execute(RETIRE.bind(&[(&self.fingerprint).into()])).await? > 0)
    }
}

statements! {
    ALL = "select fingerprint, signed_since, accepted_at from signing_keys order by signed_since, fingerprint";
    REGISTER = "insert into signing_keys (fingerprint, signed_since) values ($1, $2) on conflict (fingerprint) do nothing";
    ACCEPTED = "update signing_keys set accepted_at = $1 where fingerprint = $2";
    RETIRE = "delete from signing_keys where fingerprint = $1";
}
