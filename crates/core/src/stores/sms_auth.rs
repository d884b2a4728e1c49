//! User and password of a store's SMS gateway, stored encrypted with a key that is not in the database.

use wishbone_storage::{Query, Read, Tx, Write};

use crate::error::{Error, Result};
use crate::operator::Operator;
use crate::stores::record::{StoreRecord, unknown};
use crate::tokens::Keys;

pub(crate) const PURPOSE: &[u8] = b"sms auth";

/// Stores `user:password` of the gateway, or deletes it.
pub struct SaveSmsAuth {
    _by: Operator,
    pid: String,
    sealed: Option<Vec<u8>>,
}

impl SaveSmsAuth {
    /// `auth` and a random nonce to encrypt it with; `None` deletes it.
    pub fn new(by: Operator, keys: &Keys, pid: &str, auth: Option<(&str, [u8; 12])>) -> Result<Self> {
        let seal = |(auth, nonce): (&str, _)| {
            let sealed = keys.encrypt(PURPOSE, pid.as_bytes(), nonce, auth.as_bytes());
            sealed.ok_or_else(|| Error::internal("the password of the SMS gateway could not be encrypted"))
        };
        Ok(Self { _by: by, pid: pid.to_owned(), sealed: auth.map(seal).transpose()? })
    }
}

impl Write for SaveSmsAuth {
    const NAME: &'static str = "save_sms_auth";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let args = [self.sealed.as_ref().into(), (&self.pid).into()];
        if tx.execute(SAVE.bind(&args)).await? == 0 { Err(unknown(&self.pid)) } else { Ok(()) }
    }
}

/// Finds the encrypted `user:password` of a store's gateway.
pub struct FindSmsAuth {
    pub by: Operator,
    pub store_id: i64,
}

/// The encrypted value, if one is set.
pub struct SealedSmsAuth(Option<Vec<u8>>);

impl SealedSmsAuth {
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    pub fn open(&self, keys: &Keys, store: &StoreRecord) -> Result<Option<String>> {
        let Some(sealed) = &self.0 else { return Ok(None) };
        let opened = keys.decrypt(PURPOSE, store.pid.as_bytes(), sealed).and_then(|auth| String::from_utf8(auth).ok());
        opened.map(Some).ok_or_else(|| {
            Error::internal(
                "the password of the SMS gateway was encrypted with a key that is not among the signing keys: run \
                 `wishbone store set PID --sms-auth USER:PASSWORD`",
            )
        })
    }
}

impl Read for FindSmsAuth {
    const NAME: &'static str = "find_sms_auth";
    const SINGLE_STATEMENT: bool = true;
    type Out = SealedSmsAuth;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<SealedSmsAuth> {
        let mut sealed = None;
        query
            .query_all(&[FIND.bind(&[self.store_id.into()])], &mut |_, row| {
                sealed = row.opt_blob(0)?.map(<[u8]>::to_owned);
                Ok(())
            })
            .await?;
        Ok(SealedSmsAuth(sealed))
    }
}

statements! {
    SAVE = "update stores set sms_auth = $1 where pid = $2";
    FIND = "select sms_auth from stores where store_id = $1";
}
