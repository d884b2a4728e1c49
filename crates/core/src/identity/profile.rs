//! A shopper's row and its finders.

use email_address::{EmailAddress, Options};
use wishbone_storage::{FromRow, Query, Read, Row};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;
use crate::stores::record::StoreRecord;
use crate::tokens::ShopperId;

/// What is kept of a shopper.
#[derive(Clone, Debug)]
pub struct Profile {
    pub email: Option<String>,
    pub generation: i64,
    pub first_name: String,
    pub last_name: String,
    pub accepts_marketing: Option<bool>,
    /// When that was first said.
    pub marketing_at: Option<Millis>,
    /// Merged into another shopper.
    pub retired: bool,
    /// When a guest was last here, to the day.
    pub seen_at: Option<Millis>,
    pub created_at: Millis,
    pub updated_at: Millis,
}

/// A trimmed, case-folded address, or why it is none.
pub fn normalize_email(parameter: &str, text: &str) -> Result<String> {
    let email = text.trim().to_lowercase();
    let options = Options::default().with_required_tld().without_display_text().without_domain_literal();
    match EmailAddress::parse_with_options(&email, options) {
        Ok(_) if !email.contains(['"', '\\']) && email.len() <= 254 => Ok(email),
        _ => Err(Error::invalid(parameter, "must be an e-mail address such as ann@example.com")),
    }
}

/// The store of a pid and, in the same statement, what is known of one of its shoppers.
pub(crate) struct FindShopper {
    pub(crate) pid: String,
    pub(crate) shopper: Option<ShopperId>,
}

struct StoreAndProfile(StoreRecord, Option<Profile>);

impl FromRow for StoreAndProfile {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        const AT: usize = StoreRecord::COLUMNS;
        let profile = match row.opt_int(AT + 1)? {
            None => None,
            Some(generation) => Some(Profile {
                email: row.opt_text(AT)?.map(str::to_owned),
                generation,
                first_name: row.text(AT + 2)?.to_owned(),
                last_name: row.text(AT + 3)?.to_owned(),
                accepts_marketing: row.opt_int(AT + 4)?.map(|value| value != 0),
                retired: row.opt_blob(AT + 5)?.is_some(),
                created_at: row.int(AT + 6)?,
                updated_at: row.int(AT + 7)?,
                marketing_at: row.opt_int(AT + 8)?,
                seen_at: row.opt_int(AT + 9)?,
            }),
        };
        Ok(Self(StoreRecord::from_row(row)?, profile))
    }
}

impl Read for FindShopper {
    const NAME: &'static str = "find_shopper";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<(StoreRecord, Option<Profile>)>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let shopper = self.shopper.as_ref().map(|shopper| &shopper.0);
        let found = query.first::<StoreAndProfile>(FIND.bind(&[shopper.into(), (&self.pid).into()])).await?;
        Ok(found.map(|StoreAndProfile(store, profile)| (store, profile)))
    }
}

pub(crate) struct ShopperKey(pub(crate) ShopperId, pub(crate) i64);

impl FromRow for ShopperKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(ShopperId::from_slice(row.blob(0)?)?, row.int(1)?))
    }
}

/// How many guests of a device have logged in, by the first of them.
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
        let known = query.first(BY_EMAIL.bind(&[self.store_id.into(), (&self.email).into()])).await?;
        Ok(known.map(|ShopperKey(shopper, generation)| (shopper, generation)))
    }
}

statements! {
    FIND = "select s.store_id, s.pid, s.name, s.settings, s.generation, s.api_key_hash, s.created_at,
                   p.email, p.generation, p.first_name, p.last_name, p.accepts_marketing, p.merged_into,
                   p.created_at, p.updated_at, p.marketing_at, p.seen_at
            from stores s left join shoppers p on p.store_id = s.store_id and p.shopper_id = $1
            where s.pid = $2";
    EPOCH = "select device_epoch from shoppers where store_id = $1 and shopper_id = $2";
    pub(crate) BY_EMAIL = "select shopper_id, generation from shoppers where store_id = $1 and email = $2";
}
