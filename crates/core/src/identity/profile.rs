//! A shopper's row and its lookups.

use email_address::{EmailAddress, Options};
use wishbone_storage::{FromRow, Query, Read, Row};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::{StoreRecord, store_columns};
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

/// The columns of a profile of `shoppers p`, see [`Profile::from_columns`].
macro_rules! profile_columns {
    () => {
        "p.email, p.generation, p.first_name, p.last_name, p.accepts_marketing, p.merged_into, p.created_at, p.updated_at, \
         p.marketing_at, p.seen_at"
    };
}

impl Profile {
    /// Reads the columns from `first` on; `None` if the row has no shopper.
    fn from_columns(row: &dyn Row, first: usize) -> wishbone_storage::Result<Option<Self>> {
        let Some(generation) = row.opt_int(first + 1)? else { return Ok(None) };
        Ok(Some(Self {
            email: row.opt_text(first)?.map(str::to_owned),
            generation,
            first_name: row.text(first + 2)?.to_owned(),
            last_name: row.text(first + 3)?.to_owned(),
            accepts_marketing: row.opt_int(first + 4)?.map(|value| value != 0),
            retired: row.opt_blob(first + 5)?.is_some(),
            created_at: row.int(first + 6)?,
            updated_at: row.int(first + 7)?,
            marketing_at: row.opt_int(first + 8)?,
            seen_at: row.opt_int(first + 9)?,
        }))
    }
}

/// Finds the profile of a shopper; `None` for a guest without a row.
pub(crate) async fn find<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<Option<Profile>> {
    let mut profile = None;
    query
        .query_all(&[BY_ID.bind(&[store_id.into(), (&shopper.0).into()])], &mut |_, row| {
            profile = Profile::from_columns(row, 0)?;
            Ok(())
        })
        .await?;
    Ok(profile)
}

/// Returns a trimmed e-mail address in lower case, or an error that names `parameter`. Only ASCII is folded in the local
/// part: with other letters, addresses that differ in case may be different mailboxes. Domains are folded by IDNA.
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

/// Finds a store by its pid and, in the same statement, one of its shoppers.
pub(crate) struct FindShopper {
    pub(crate) pid: String,
    /// The shopper, with the store that the shopper's regid is for.
    pub(crate) shopper: (i64, ShopperId),
}

struct StoreAndProfile(StoreRecord, Option<Profile>);

impl FromRow for StoreAndProfile {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(StoreRecord::from_row(row)?, Profile::from_columns(row, StoreRecord::COLUMNS)?))
    }
}

impl Read for FindShopper {
    const NAME: &'static str = "find_shopper";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<(StoreRecord, Option<Profile>)>;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.shopper.0)
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_id, shopper) = self.shopper;
        let args = [store_id.into(), (&shopper.0).into(), (&self.pid).into()];
        let found = query.first::<StoreAndProfile>(FIND.bind(&args)).await?;
        Ok(found.map(|StoreAndProfile(store, profile)| (store, profile)))
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
    // The id of the store confines it to one shard; it is the one in the regid, which must be that of the store.
    FIND = concat!("select ", store_columns!("s."), ", ", profile_columns!(), "
            from stores s left join shoppers p on p.store_id = s.store_id and p.store_id = $1 and p.shopper_id = $2
            where s.pid = $3");
    BY_ID = concat!("select ", profile_columns!(), " from shoppers p where p.store_id = $1 and p.shopper_id = $2");
    EPOCH = "select device_epoch from shoppers where store_id = $1 and shopper_id = $2";
    pub(crate) BY_EMAIL = "select shopper_id, generation from shoppers where store_id = $1 and email = $2";
}
