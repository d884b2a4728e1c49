//! A shopper's row and its lookups.

use email_address::{EmailAddress, Options};
use wishbone_storage::{FromRow, Query, Read, Row};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::{self, StoreRecord};
use crate::tokens::ShopperId;

/// A row of `shoppers`.
#[derive(Clone, Debug)]
pub struct Profile {
    pub email: Option<String>,
    pub generation: i64,
    pub first_name: String,
    pub last_name: String,
    pub accepts_marketing: Option<bool>,
    /// When `accepts_marketing` was first set.
    pub marketing_at: Option<Millis>,
    /// True for a guest that was merged into a shopper.
    pub retired: bool,
    /// The last visit of a guest, to the day.
    pub seen_at: Option<Millis>,
    pub created_at: Millis,
    pub updated_at: Millis,
}

impl FromRow for Profile {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            email: row.opt_text(0)?.map(str::to_owned),
            generation: row.int(1)?,
            first_name: row.text(2)?.to_owned(),
            last_name: row.text(3)?.to_owned(),
            accepts_marketing: row.opt_int(4)?.map(|value| value != 0),
            retired: row.opt_blob(5)?.is_some(),
            created_at: row.int(6)?,
            updated_at: row.int(7)?,
            marketing_at: row.opt_int(8)?,
            seen_at: row.opt_int(9)?,
        })
    }
}

/// Finds the profile of a shopper; `None` for a guest without a row.
pub(crate) async fn find<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<Option<Profile>> {
    Ok(query.first(BY_ID.bind(&[store_id.into(), (&shopper.0).into()])).await?)
}

/// Returns a trimmed e-mail address in lower case, or an error that names `parameter`. Only ASCII is folded in the local
/// part: with other letters, addresses that differ in case may be different mailboxes. Domains are folded by IDNA, but one in
/// ASCII stays: shoppers are found by this form, and some have a domain in Punycode. Limits count both forms as one.
pub fn normalize_email(parameter: &str, text: &str) -> Result<String> {
    let mut email = text.trim().to_ascii_lowercase();
    if let Some((local, domain)) = email.rsplit_once('@').filter(|(_, domain)| !domain.is_ascii()) {
        email = format!("{local}@{}", idna::domain_to_unicode(domain).0);
    }
    let options = Options::default().with_required_tld().without_display_text().without_domain_literal();
    match EmailAddress::parse_with_options(&email, options) {
        Ok(_) if !email.contains(['"', '\\']) && email.len() <= 254 => Ok(email),
        _ => Err(Error::invalid(parameter, "must be an e-mail address such as ann@example.com")),
    }
}

/// Finds a store by its pid and one of its shoppers.
pub(crate) struct FindShopper {
    pub(crate) pid: String,
    /// The shopper, with the store that the shopper's regid is for.
    pub(crate) shopper: (i64, ShopperId),
    /// The stamp of the store's record, if that is known.
    pub(crate) known_stamp: Option<i64>,
}

#[derive(Default)]
pub(crate) struct FoundShopper {
    /// `None` if the store is unknown, or still has the known stamp.
    pub(crate) store: Option<StoreRecord>,
    /// The stamp of the record, or of an older one.
    pub(crate) stamp: Option<i64>,
    pub(crate) profile: Option<Profile>,
}

impl Read for FindShopper {
    const NAME: &'static str = "find_shopper";
    type Out = FoundShopper;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.shopper.0)
    }

    /// The two rows are independent.
    fn needs_snapshot(&self) -> bool {
        false
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        if self.known_stamp.is_some() {
            let found = self.read(query, false).await?;
            if found.stamp == self.known_stamp {
                return Ok(found);
            }
        }
        self.read(query, true).await
    }
}

impl FindShopper {
    async fn read<Q: Query>(&self, query: &mut Q, with_store: bool) -> Result<FoundShopper> {
        let (store_id, shopper) = self.shopper;
        let (key, pid) = ([store_id.into(), (&shopper.0).into()], [(&self.pid).into()]);
        let mut batch = vec![BY_ID.bind(&key), record::STAMP.bind(&key[..1])];
        // After the stamp: a record that changes meanwhile gets the old stamp, and is read again.
        batch.extend(with_store.then(|| record::FIND.bind(&pid)));
        let mut found = FoundShopper::default();
        query
            .query_all(&batch, &mut |number, row| {
                match number {
                    0 => found.profile = Some(Profile::from_row(row)?),
                    1 => found.stamp = row.opt_int(0)?,
                    _ => found.store = Some(StoreRecord::from_row(row)?),
                }
                Ok(())
            })
            .await?;
        // A regid of another store names none of this store's shoppers.
        if found.store.as_ref().is_some_and(|store| store.store_id != store_id) {
            found = FoundShopper { store: found.store, ..FoundShopper::default() };
        }
        Ok(found)
    }
}

/// Id and generation of a shopper.
pub(crate) struct ShopperKey(pub(crate) ShopperId, pub(crate) i64);

impl FromRow for ShopperKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(ShopperId::from_slice(row.blob(0)?)?, row.int(1)?))
    }
}

/// Finds how many guests of a device have logged in, by the id of the first.
pub(crate) struct FindEpoch {
    pub(crate) by: StoreAdmin,
    pub(crate) first: ShopperId,
}

impl Read for FindEpoch {
    const NAME: &'static str = "find_epoch";
    const SINGLE_STATEMENT: bool = true;
    type Out = i64;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<i64> {
        let args = [self.by.store_id().into(), (&self.first.0).into()];
        Ok(query.first(EPOCH.bind(&args)).await?.unwrap_or(0))
    }
}

pub(crate) struct FindByEmail {
    pub(crate) store_id: i64,
    pub(crate) email: String,
}

impl Read for FindByEmail {
    const NAME: &'static str = "find_by_email";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<(ShopperId, i64)>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let found = query.first(BY_EMAIL.bind(&[self.store_id.into(), (&self.email).into()])).await?;
        Ok(found.map(|ShopperKey(shopper, generation)| (shopper, generation)))
    }
}

statements! {
    BY_ID = "select email, generation, first_name, last_name, accepts_marketing, merged_into, created_at, updated_at,
                    marketing_at, seen_at
             from shoppers where store_id = $1 and shopper_id = $2";
    EPOCH = "select device_epoch from shoppers where store_id = $1 and shopper_id = $2";
    pub(crate) BY_EMAIL = "select shopper_id, generation from shoppers where store_id = $1 and email = $2";
}
