//! The secrets that are stored encrypted with a signing key: with which one, and encrypting them with the newest.

use uuid::Uuid;
use wishbone_storage::{Arg, Query, Read, Row, Sql, Tx, Write};

use crate::error::{Error, Result};
use crate::operator::Operator;
use crate::stores::{login_secret, sms_auth};
use crate::tokens::Keys;
use crate::webhooks::signature;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Login,
    SmsGateway,
    Webhook,
    PreviousWebhook,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Login, Self::SmsGateway, Self::Webhook, Self::PreviousWebhook];

    fn purpose(self) -> &'static [u8] {
        match self {
            Self::Login => login_secret::PURPOSE,
            Self::SmsGateway => sms_auth::PURPOSE,
            Self::Webhook | Self::PreviousWebhook => signature::PURPOSE,
        }
    }

    /// All secrets of this kind.
    fn find(self) -> Sql {
        match self {
            Self::Login => LOGIN,
            Self::SmsGateway => SMS_GATEWAY,
            Self::Webhook => WEBHOOK,
            Self::PreviousWebhook => PREVIOUS_WEBHOOK,
        }
    }

    fn save(self) -> Sql {
        match self {
            Self::Login => SAVE_LOGIN,
            Self::SmsGateway => SAVE_SMS_GATEWAY,
            Self::Webhook => SAVE_WEBHOOK,
            Self::PreviousWebhook => SAVE_PREVIOUS_WEBHOOK,
        }
    }
}

/// What a secret belongs to, which is authenticated with it.
#[derive(Clone, Debug)]
enum Owner {
    Store(String),
    Webhook(Uuid),
}

impl Owner {
    fn context(&self) -> &[u8] {
        match self {
            Self::Store(pid) => pid.as_bytes(),
            Self::Webhook(id) => id.as_bytes(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct EncryptedSecret {
    kind: Kind,
    store_id: i64,
    owner: Owner,
    sealed: Vec<u8>,
}

impl EncryptedSecret {
    fn from_row(kind: Kind, row: &dyn Row) -> wishbone_storage::Result<Self> {
        let owner = match kind {
            Kind::Login | Kind::SmsGateway => Owner::Store(row.text(1)?.to_owned()),
            Kind::Webhook | Kind::PreviousWebhook => Owner::Webhook(crate::decode::uuid(row, 1)?),
        };
        Ok(Self { kind, store_id: row.int(0)?, owner, sealed: row.blob(2)?.to_owned() })
    }

    /// The place of the key that it is encrypted with; `None` if that is not among the keys.
    pub fn key(&self, keys: &Keys) -> Option<usize> {
        self.open(keys).map(|(key, _)| key)
    }

    fn open(&self, keys: &Keys) -> Option<(usize, Vec<u8>)> {
        keys.decrypt_with(self.kind.purpose(), self.owner.context(), &self.sealed)
    }
}

/// Finds the encrypted secrets of all stores.
pub struct FindEncryptedSecrets {
    pub by: Operator,
}

impl Read for FindEncryptedSecrets {
    const NAME: &'static str = "find_encrypted_secrets";
    type Out = Vec<EncryptedSecret>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let batch: Vec<_> = Kind::ALL.iter().map(|kind| kind.find().bind(&[])).collect();
        let mut out = Vec::new();
        query
            .query_all(&batch, &mut |number, row| {
                out.push(EncryptedSecret::from_row(Kind::ALL[number], row)?);
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

/// Stores a secret encrypted with the first key, unless it was changed in the meantime.
pub struct Reencrypt {
    _by: Operator,
    secret: EncryptedSecret,
    sealed: Vec<u8>,
}

impl Reencrypt {
    /// `None` if it is encrypted with the first key already, or with a key that is missing.
    pub fn new(by: Operator, keys: &Keys, secret: EncryptedSecret, nonce: [u8; 12]) -> Option<Self> {
        let (_, plain) = secret.open(keys).filter(|(key, _)| *key > 0)?;
        let sealed = keys.encrypt(secret.kind.purpose(), secret.owner.context(), nonce, &plain)?;
        Some(Self { _by: by, secret, sealed })
    }
}

impl Write for Reencrypt {
    const NAME: &'static str = "reencrypt";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let EncryptedSecret { kind, store_id, owner, sealed } = &self.secret;
        let mut args: Vec<Arg<'_>> = vec![(&self.sealed).into(), (*store_id).into(), sealed.into()];
        if let Owner::Webhook(id) = owner {
            args.push(id.as_bytes().into());
        }
        tx.execute(kind.save().bind(&args)).await?;
        Ok(())
    }
}

statements! {
    LOGIN = "select store_id, pid, login_secret from stores where login_secret is not null order by store_id";
    SMS_GATEWAY = "select store_id, pid, sms_auth from stores where sms_auth is not null order by store_id";
    WEBHOOK = "select store_id, webhook_id, secret from webhooks order by store_id, webhook_id";
    PREVIOUS_WEBHOOK = "select store_id, webhook_id, previous_secret from webhooks where previous_secret is not null
                        order by store_id, webhook_id";
    SAVE_LOGIN = "update stores set login_secret = $1 where store_id = $2 and login_secret = $3";
    SAVE_SMS_GATEWAY = "update stores set sms_auth = $1 where store_id = $2 and sms_auth = $3";
    SAVE_WEBHOOK = "update webhooks set secret = $1 where store_id = $2 and secret = $3 and webhook_id = $4";
    SAVE_PREVIOUS_WEBHOOK = "update webhooks set previous_secret = $1
                             where store_id = $2 and previous_secret = $3 and webhook_id = $4";
}
