//! Shoppers: known by e-mail, or guests for whom no row exists before their first write.

use email_address::{EmailAddress, Options};
use wishbone_store::{FromRow, Query, Read, Row, Tx, Write};

use crate::caller::{Credentials, Shopper, StoreAdmin, bad_regid};
use crate::identity::{Keys, ShopperId};
use crate::kept::about_shopper;
use crate::stores::StoreRecord;
use crate::{Code, Error, Millis, Moment, Result};

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

struct Found(StoreRecord, Option<Profile>);

impl FromRow for Found {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
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
        let found = query.first::<Found>(FIND.bind(&[shopper.into(), (&self.pid).into()])).await?;
        Ok(found.map(|Found(store, profile)| (store, profile)))
    }
}

/// The regid and sessionid of the shopper with an e-mail address, who is made if unknown. Asking
/// again reads one row and writes nothing.
pub async fn generate_regid(
    store: &wishbone_store::Store,
    keys: &Keys,
    by: StoreAdmin,
    email: String,
    moment: Moment,
) -> Result<Credentials> {
    let known = store.read(FindByEmail { store_id: by.store_id(), email: email.clone() }).await?;
    let (shopper, generation) = match known {
        Some(known) => known,
        None => store.write(AddShopper { by: by.clone(), email, moment }).await?,
    };
    Ok(Credentials::of_shopper(keys, by.store(), shopper, generation))
}

pub(crate) struct Known(pub(crate) ShopperId, pub(crate) i64);

impl FromRow for Known {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
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
        Ok(known.map(|Known(shopper, generation)| (shopper, generation)))
    }
}

pub struct AddShopper {
    pub by: StoreAdmin,
    pub email: String,
    pub moment: Moment,
}

impl Write for AddShopper {
    const NAME: &'static str = "add_shopper";
    type Out = (ShopperId, i64);
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let (shopper, generation) = add(tx, self.by.store_id(), &self.email, &self.moment).await?;
        tx.touches_only(&[about_shopper(self.by.store_id(), &shopper)]);
        Ok((shopper, generation))
    }
}

/// Finds or makes the shopper of an address, and locks the row.
pub(crate) async fn add<T: Tx>(tx: &mut T, store_id: i64, email: &str, moment: &Moment) -> Result<(ShopperId, i64)> {
    let id = moment.id(usize::MAX);
    let now = moment.now;
    let args = [store_id.into(), id.as_bytes().into(), email.into(), now.into()];
    let known = tx.first(ADD.bind(&args)).await?;
    known.map(|Known(shopper, generation)| (shopper, generation)).ok_or_else(|| Error::internal("no shopper came back"))
}

/// What shoppers say of themselves; what is absent stays.
pub struct SaveProfile {
    pub by: Shopper,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub accepts_marketing: Option<bool>,
    pub language: Option<String>,
    pub region: Option<String>,
    pub now: Millis,
}

impl Write for SaveProfile {
    const NAME: &'static str = "save_profile";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        lock_caller(tx, &self.by, self.now).await?;
        tx.touches_only(&[about_shopper(self.by.store_id(), self.by.id())]);
        let accepted_at = self.accepts_marketing.map(|_| self.now);
        tx.execute(SAVE.bind(&[
            self.first_name.as_ref().into(),
            self.last_name.as_ref().into(),
            self.accepts_marketing.into(),
            self.language.as_ref().into(),
            self.region.as_ref().into(),
            accepted_at.into(),
            self.now.into(),
            self.by.store_id().into(),
            (&self.by.id().0).into(),
        ]))
        .await?;
        Ok(())
    }
}

/// What a shopper's row says while it is locked.
pub(crate) struct LockedShopper {
    pub(crate) list_count: i64,
    pub(crate) next_list: i64,
    pub(crate) next_subscription: i64,
    retired: bool,
    has_email: bool,
}

impl FromRow for LockedShopper {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        Ok(Self {
            list_count: row.int(0)?,
            next_list: row.int(1)?,
            next_subscription: row.int(2)?,
            retired: row.opt_blob(3)?.is_some(),
            has_email: row.opt_text(4)?.is_some(),
        })
    }
}

/// Locks the row of a caller, who may have been erased since the call was let in: then nothing new is kept of them.
pub(crate) async fn lock_caller<T: Tx>(tx: &mut T, by: &Shopper, now: Millis) -> Result<LockedShopper> {
    let locked = lock(tx, by.store_id(), by.id(), now).await?;
    if by.email().is_some() && !locked.has_email {
        return Err(bad_regid());
    }
    Ok(locked)
}

/// Locks a shopper's row, which is made here if this is a guest's first write.
pub(crate) async fn lock<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId, now: Millis) -> Result<LockedShopper> {
    let args = [store_id.into(), (&shopper.0).into(), now.into()];
    let locked: Option<LockedShopper> = tx.first(LOCK.bind(&args)).await?;
    let locked = locked.ok_or_else(|| Error::internal("no shopper came back"))?;
    if locked.retired {
        return Err(Error::new(Code::BadRegid, "this guest has logged in: use the regid that the login gave"));
    }
    Ok(locked)
}

statements! {
    FIND = "select s.store_id, s.pid, s.name, s.settings, s.generation, s.api_key_hash, s.created_at,
                   p.email, p.generation, p.first_name, p.last_name, p.accepts_marketing, p.merged_into,
                   p.created_at, p.updated_at, p.marketing_at, p.seen_at
            from stores s left join shoppers p on p.store_id = s.store_id and p.shopper_id = $1
            where s.pid = $2";
    EPOCH = "select device_epoch from shoppers where store_id = $1 and shopper_id = $2";
    pub(crate) BY_EMAIL = "select shopper_id, generation from shoppers where store_id = $1 and email = $2";
    ADD = "insert into shoppers (store_id, shopper_id, email, generation, first_name, last_name, list_count,
                                 next_list, next_subscription, created_at, updated_at)
           values ($1, $2, $3, 0, '', '', 0, 0, 0, $4, $4)
           on conflict (store_id, email) do update set email = excluded.email
           returning shopper_id, generation";
    LOCK = "insert into shoppers (store_id, shopper_id, generation, first_name, last_name, list_count, next_list,
                                  next_subscription, created_at, updated_at, seen_at)
            values ($1, $2, 0, '', '', 0, 0, 0, $3, $3, $3)
            on conflict (store_id, shopper_id) do update set
              seen_at = case when shoppers.email is null and shoppers.merged_into is null
                             then coalesce(shoppers.seen_at, excluded.seen_at) else shoppers.seen_at end
            returning list_count, next_list, next_subscription, merged_into, email";
    SAVE = "update shoppers set first_name = coalesce($1, first_name), last_name = coalesce($2, last_name),
                                accepts_marketing = coalesce($3, accepts_marketing), language = coalesce($4, language),
                                region = coalesce($5, region), marketing_at = coalesce(marketing_at, $6), updated_at = $7
            where store_id = $8 and shopper_id = $9";
}
