//! Creating and changing shoppers. A guest has no row before the first write.

use wishbone_storage::{FromRow, Query, Row, Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, Shopper, bad_regid};
use crate::identity::profile::{FindByEmail, ShopperKey};
use crate::moment::{Millis, Moment};
use crate::stores::admin::StoreAdmin;
use crate::tokens::{Keys, ShopperId};

/// Returns the credentials of the shopper with an e-mail address, who is created on first use. Repeating the call reads one
/// row and writes nothing.
pub async fn generate_regid(
    database: &wishbone_storage::Database,
    keys: &Keys,
    by: StoreAdmin,
    email: String,
    moment: Moment,
) -> Result<Credentials> {
    let found = database.read(FindByEmail { store_id: by.store_id(), email: email.clone() }).await?;
    let (shopper, generation) = match found {
        Some(shopper) => shopper,
        None => database.write(AddShopper { by: by.clone(), email, moment }).await?,
    };
    Ok(Credentials::of_shopper(keys, by.store(), shopper, generation))
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
        Ok((shopper, generation))
    }
}

/// Finds or creates the shopper of an address, and locks the row.
pub(crate) async fn add<T: Tx>(tx: &mut T, store_id: i64, email: &str, moment: &Moment) -> Result<(ShopperId, i64)> {
    let id = moment.id(usize::MAX);
    let now = moment.now;
    let args = [store_id.into(), id.as_bytes().into(), email.into(), now.into()];
    let row = tx.first(ADD.bind(&args)).await?;
    row.map(|ShopperKey(shopper, generation)| (shopper, generation))
        .ok_or_else(|| Error::internal("the shopper's row was not returned"))
}

/// Changes a shopper's profile; `None` leaves a field as it is.
pub struct SaveProfile {
    pub by: Shopper,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub accepts_marketing: Option<bool>,
    pub language: Option<String>,
    pub region: Option<String>,
    /// Whether alerts come as a digest.
    pub alert_digest: Option<bool>,
    pub now: Millis,
}

impl Write for SaveProfile {
    const NAME: &'static str = "save_profile";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        lock_caller(tx, &self.by, self.now).await?;
        let accepted_at = self.accepts_marketing.map(|_| self.now);
        tx.execute(SAVE.bind(&[
            self.first_name.as_ref().into(),
            self.last_name.as_ref().into(),
            self.accepts_marketing.into(),
            self.language.as_ref().into(),
            self.region.as_ref().into(),
            self.alert_digest.into(),
            accepted_at.into(),
            self.now.into(),
            self.by.store_id().into(),
            (&self.by.id().0).into(),
        ]))
        .await?;
        if let (Some(false), Some(email)) = (self.alert_digest, self.by.email()) {
            release_alerts(tx, self.by.store_id(), email, self.now).await?;
        }
        Ok(())
    }
}

/// Makes due what waits for the next digest of an address.
async fn release_alerts<T: Tx>(tx: &mut T, store_id: i64, email: &str, now: Millis) -> Result<()> {
    tx.execute(RELEASE_ALERTS.bind(&[now.into(), store_id.into(), email.into()])).await?;
    Ok(())
}

/// What a shopper's profile says about mail.
pub(crate) struct MailChoices {
    pub(crate) alert_digest: bool,
    pub(crate) accepts_marketing: bool,
}

impl FromRow for MailChoices {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { alert_digest: row.flag(0)?, accepts_marketing: row.opt_int(1)? == Some(1) })
    }
}

/// Finds the choices of the shopper of an address; `None` if there is none.
pub(crate) async fn mail_choices<Q: Query>(query: &mut Q, store_id: i64, email: &str) -> Result<Option<MailChoices>> {
    Ok(query.first(CHOICES.bind(&[store_id.into(), email.into()])).await?)
}

/// Sets whether the shopper of an address gets alerts as a digest.
pub(crate) async fn set_digest<T: Tx>(tx: &mut T, store_id: i64, email: &str, digest: bool, now: Millis) -> Result<()> {
    tx.execute(SET_DIGEST.bind(&[digest.into(), store_id.into(), email.into()])).await?;
    if digest { Ok(()) } else { release_alerts(tx, store_id, email, now).await }
}

/// The shopper, or the one that it has become part of at a login; `None` if there is none.
pub(crate) async fn person<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId) -> Result<Option<ShopperId>> {
    Ok(query.first(PERSON.bind(&[store_id.into(), (&shopper.0).into()])).await?)
}

/// The columns of a locked shopper that writes need.
pub(crate) struct LockedShopper {
    pub(crate) list_count: i64,
    pub(crate) next_list: i64,
    pub(crate) next_subscription: i64,
    retired: bool,
    has_email: bool,
}

impl FromRow for LockedShopper {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_count: row.int(0)?,
            next_list: row.int(1)?,
            next_subscription: row.int(2)?,
            retired: row.opt_blob(3)?.is_some(),
            has_email: row.opt_text(4)?.is_some(),
        })
    }
}

/// Locks a caller's row. Fails if the caller was erased after authentication, so that nothing new is stored.
pub(crate) async fn lock_caller<T: Tx>(tx: &mut T, by: &Shopper, now: Millis) -> Result<LockedShopper> {
    let locked = lock(tx, by.store_id(), by.id(), now).await?;
    if by.email().is_some() && !locked.has_email {
        return Err(bad_regid());
    }
    Ok(locked)
}

/// Locks a shopper's row, which is created for a guest's first write.
pub(crate) async fn lock<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId, now: Millis) -> Result<LockedShopper> {
    let args = [store_id.into(), (&shopper.0).into(), now.into()];
    let locked: Option<LockedShopper> = tx.first(LOCK.bind(&args)).await?;
    let locked = locked.ok_or_else(|| Error::internal("the shopper's row was not returned"))?;
    if locked.retired {
        return Err(Error::new(Code::BadRegid, "this guest has logged in: use the regid that the login returned"));
    }
    Ok(locked)
}

statements! {
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
                                region = coalesce($5, region), alert_digest = coalesce($6, alert_digest),
                                marketing_at = coalesce(marketing_at, $7), updated_at = $8
            where store_id = $9 and shopper_id = $10";
    CHOICES = "select alert_digest, accepts_marketing from shoppers where store_id = $1 and email = $2";
    SET_DIGEST = "update shoppers set alert_digest = $1 where store_id = $2 and email = $3";
    PERSON = "select coalesce(merged_into, shopper_id) from shoppers where store_id = $1 and shopper_id = $2";
    // What waits for the next digest. `variant_id > 0` makes SQLite use the index by address.
    RELEASE_ALERTS = "update subscriptions set due_at = $1
                      where store_id = $2 and address = $3 and variant_id > 0 and status = 0 and attempts = 0
                        and +due_at > $1";
    pub(crate) DISABLE_EXPIRY = "update shoppers set seen_at = null where store_id = $1 and shopper_id = $2";
}
