//! Recipients, known by a hash of their address. The link in every mail proves who they are and lets them unsubscribe from
//! a store.

use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::tokens::{Keys, hash};

const PURPOSE: &[u8] = b"recipient";
const ID: usize = 32;

/// Someone who was sent a mail by a store: a caller, by the link in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipient {
    store_id: i64,
    id: [u8; ID],
}

impl Recipient {
    /// Of a normalized address.
    pub(crate) fn of_address(store_id: i64, address: &str) -> Self {
        Self { store_id, id: hash(PURPOSE, &[&store_id.to_be_bytes(), address.as_bytes()]) }
    }

    pub(crate) fn from_row(store_id: i64, id: &[u8]) -> wishbone_storage::Result<Self> {
        Ok(Self { store_id, id: id.try_into().map_err(wishbone_storage::Error::bug)? })
    }

    pub(crate) fn id(&self) -> &[u8; ID] {
        &self.id
    }

    /// What the link in a mail carries.
    pub fn token(&self, keys: &Keys) -> String {
        keys.seal(PURPOSE, &[], &[&self.store_id.to_be_bytes()[..], &self.id].concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.unseal(PURPOSE, &[], token)?;
        let (store_id, id) = body.split_at_checked(8)?;
        Some(Self { store_id: i64::from_be_bytes(store_id.try_into().ok()?), id: id.try_into().ok()? })
    }
}

/// What a recipient's own page says.
#[derive(Clone, Debug)]
pub struct MailPreference {
    pub store_name: String,
    pub refuses: bool,
}

impl FromRow for MailPreference {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { store_name: row.text(0)?.to_owned(), refuses: row.opt_int(1)?.is_some() })
    }
}

pub struct FindMailPreference {
    pub by: Recipient,
}

impl Read for FindMailPreference {
    const NAME: &'static str = "find_standing";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<MailPreference>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.first(STANDING.bind(&[(&self.by.id).into(), self.by.store_id.into()])).await?)
    }
}

/// No more mail of this store, or mail again. Holds from the next mail on, also for those that wait to be sent.
pub struct SetMailPreference {
    pub by: Recipient,
    pub refuses: bool,
    pub now: Millis,
}

impl Write for SetMailPreference {
    const NAME: &'static str = "refuse_mail";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let since = self.refuses.then_some(self.now);
        tx.execute(REFUSE.bind(&[self.by.store_id.into(), (&self.by.id).into(), since.into()])).await?;
        Ok(())
    }
}

/// Locks a recipient's row, which is made here for a first mail; answers whether they refuse mail.
pub(crate) async fn lock<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<bool> {
    let refused_at: Option<RefusedAt> =
        tx.first(LOCK.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    refused_at.map(|RefusedAt(time)| time.is_some()).ok_or_else(|| Error::internal("no recipient came back"))
}

/// Forgets a recipient who never refused and of whom no mail is left.
pub(crate) async fn forget<T: Tx>(tx: &mut T, recipient: &Recipient) -> Result<()> {
    tx.execute(FORGET.bind(&[recipient.store_id.into(), (&recipient.id).into()])).await?;
    Ok(())
}

struct RefusedAt(Option<Millis>);

impl FromRow for RefusedAt {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.opt_int(0)?))
    }
}

statements! {
    STANDING = "select stores.name, r.refused_at
                from stores left join recipients r on r.store_id = stores.store_id and r.recipient_id = $1
                where stores.store_id = $2";
    LOCK = "insert into recipients (store_id, recipient_id) values ($1, $2)
            on conflict (store_id, recipient_id) do update set recipient_id = excluded.recipient_id
            returning refused_at";
    REFUSE = "insert into recipients (store_id, recipient_id, refused_at) values ($1, $2, $3)
              on conflict (store_id, recipient_id) do update set refused_at = excluded.refused_at";
    FORGET = "delete from recipients where store_id = $1 and recipient_id = $2 and refused_at is null
              and not exists (select 1 from mails m where m.store_id = $1 and m.recipient_id = $2)";
}
