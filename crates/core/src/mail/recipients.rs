//! Recipients, stored by a hash of their address. The link in every mail authenticates them and lets them unsubscribe from a
//! store.

use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::tokens::{Keys, hash};

const PURPOSE: &[u8] = b"recipient";
const ID_LENGTH: usize = 32;

/// A recipient of a store's mail, and the caller of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipient {
    store_id: i64,
    id: [u8; ID_LENGTH],
}

impl Recipient {
    /// `address` is normalized.
    pub(crate) fn of_address(store_id: i64, address: &str) -> Self {
        Self { store_id, id: hash(PURPOSE, &[&store_id.to_be_bytes(), address.as_bytes()]) }
    }

    pub(crate) fn from_row(store_id: i64, id: &[u8]) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id, id: id.try_into().map_err(wishbone_storage::Error::bug)? })
    }

    pub(crate) fn store_id(&self) -> i64 {
        self.store_id
    }

    pub(crate) fn id(&self) -> &[u8; ID_LENGTH] {
        &self.id
    }

    /// The token in the link of a mail.
    pub fn token(&self, keys: &Keys) -> String {
        keys.seal(PURPOSE, &[], &[&self.store_id.to_be_bytes()[..], &self.id].concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.unseal(PURPOSE, &[], token)?;
        let (store_id, id) = body.split_at_checked(8)?;
        Some(Self { store_id: i64::from_be_bytes(store_id.try_into().ok()?), id: id.try_into().ok()? })
    }
}

/// Whether a recipient accepts mail of a store.
#[derive(Clone, Debug)]
pub struct MailPreference {
    pub store_name: String,
    pub unsubscribed: bool,
}

impl FromRow for MailPreference {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { store_name: row.text(0)?.to_owned(), unsubscribed: row.opt_int(1)?.is_some() })
    }
}

pub struct FindMailPreference {
    pub by: Recipient,
}

impl Read for FindMailPreference {
    const NAME: &'static str = "find_mail_preference";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<MailPreference>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.first(PREFERENCE.bind(&[(&self.by.id).into(), self.by.store_id.into()])).await?)
    }
}

/// Unsubscribes from the mail of a store, or subscribes again. Applies to queued mail too.
pub struct SetMailPreference {
    pub by: Recipient,
    pub unsubscribed: bool,
    pub now: Millis,
}

impl Write for SetMailPreference {
    const NAME: &'static str = "set_mail_preference";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let since = self.unsubscribed.then_some(self.now);
        tx.execute(SET_PREFERENCE.bind(&[self.by.store_id.into(), (&self.by.id).into(), since.into()])).await?;
        Ok(())
    }
}

/// Locks a recipient's row, which is created for a first mail. Returns whether the recipient is unsubscribed.
pub(crate) async fn lock<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<bool> {
    let row: Option<UnsubscribedAt> = tx.first(LOCK.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    row.map(|UnsubscribedAt(time)| time.is_some())
        .ok_or_else(|| Error::internal("the recipient's row was not returned"))
}

/// Deletes a recipient who has no mails and is not unsubscribed.
pub(crate) async fn delete_unused<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<()> {
    tx.execute(DELETE_UNUSED.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    Ok(())
}

struct UnsubscribedAt(Option<Millis>);

impl FromRow for UnsubscribedAt {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.opt_int(0)?))
    }
}

statements! {
    PREFERENCE = "select stores.name, r.refused_at
                  from stores left join recipients r on r.store_id = stores.store_id and r.recipient_id = $1
                  where stores.store_id = $2";
    LOCK = "insert into recipients (store_id, recipient_id) values ($1, $2)
            on conflict (store_id, recipient_id) do update set recipient_id = excluded.recipient_id
            returning refused_at";
    SET_PREFERENCE = "insert into recipients (store_id, recipient_id, refused_at) values ($1, $2, $3)
                      on conflict (store_id, recipient_id) do update set refused_at = excluded.refused_at";
    DELETE_UNUSED = "delete from recipients where store_id = $1 and recipient_id = $2 and refused_at is null
                     and not exists (select 1 from mails m where m.store_id = $1 and m.recipient_id = $2)";
}
