//! The subscription's row, and its record as one caller may see it.

use uuid::Uuid;
use wishbone_storage::{Arg, FromRow, Row};

use crate::catalog::fields::UNKNOWN;
use crate::catalog::web_url::{shown, shown_fields};
use crate::decode::uuid;
use crate::json::Object;
use crate::moment::Millis;
use crate::subscriptions::product::{Conditions, RequestedProduct};
use crate::subscriptions::status;

const REDACTED: &str = "XXXXXX";

/// The caller who sees a subscription.
#[derive(Clone, Copy)]
pub(crate) enum Viewer<'a> {
    Store,
    /// The logged-in owner, by address.
    Shopper(&'a str),
    /// Not logged in: the four private fields are redacted.
    Guest,
}

pub(crate) struct SubscriptionRow {
    pub(crate) subscription_id: Uuid,
    pub(crate) medium: String,
    pub(crate) address: String,
    pub(crate) topic: String,
    variant_id: i64,
    product_id: i64,
    url: String,
    fields: Option<String>,
    pub(crate) status: i64,
    pub(crate) made_by_shopper: bool,
    pub(crate) created_at: Millis,
    pub(crate) updated_at: Millis,
    pub(crate) shopper_id: Vec<u8>,
    target_price: Option<String>,
    quantity: Option<i64>,
    attempts: i64,
    problem: Option<String>,
    pub(crate) ordinal: i64,
    /// The address of the shopper to whom it belongs, unless that is a guest.
    owner_email: Option<String>,
}

impl FromRow for SubscriptionRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            subscription_id: uuid(row, 0)?,
            medium: row.text(1)?.to_owned(),
            address: row.text(2)?.to_owned(),
            topic: row.text(3)?.to_owned(),
            variant_id: row.int(4)?,
            product_id: row.int(5)?,
            url: shown(row.text(6)?).to_owned(),
            fields: row.opt_text(7)?.map(|fields| shown_fields(fields).into_owned()),
            status: row.int(8)?,
            made_by_shopper: row.flag(9)?,
            created_at: row.int(10)?,
            updated_at: row.int(11)?,
            shopper_id: row.blob(12)?.to_owned(),
            target_price: row.opt_text(13)?.map(str::to_owned),
            quantity: row.opt_int(14)?,
            attempts: row.int(15)?,
            problem: row.opt_text(16)?.map(str::to_owned),
            ordinal: row.int(17)?,
            owner_email: row.opt_text(18)?.map(str::to_owned),
        })
    }
}

impl SubscriptionRow {
    pub(crate) fn key(&self, store_id: i64) -> [Arg<'_>; 4] {
        [store_id.into(), (&self.address).into(), self.variant_id.into(), (&self.topic).into()]
    }

    /// True if it is neither over nor suppressed.
    pub(crate) fn is_pending(&self) -> bool {
        matches!(self.status, status::WAITING | status::SENDING)
    }

    /// True if the shopper with this address waits for it.
    pub(crate) fn is_awaited_by(&self, address: &str) -> bool {
        self.is_pending() && self.owner_email.as_deref() == Some(address)
    }

    /// True if it fires whenever the other one does, as far as their conditions go.
    pub(crate) fn is_as_loose_as(&self, other: &Self) -> bool {
        let target = |row: &Self| row.target_price.as_ref().map_or(f64::INFINITY, |price| price.parse().unwrap_or(0.0));
        self.quantity.unwrap_or(0) <= other.quantity.unwrap_or(0) && target(self) >= target(other)
    }

    pub(crate) fn id(&self, store_id: i64) -> [Arg<'_>; 2] {
        [store_id.into(), self.subscription_id.as_bytes().into()]
    }

    /// The record that a caller would see if this were a new subscription of that caller.
    pub(crate) fn disguised(
        self,
        product: &RequestedProduct,
        fields: Option<String>,
        conditions: &Conditions,
        status: i64,
        now: Millis,
    ) -> Self {
        Self {
            product_id: product.product_id,
            url: product.url.clone(),
            fields: fields.or_else(|| product.given.clone()),
            status,
            made_by_shopper: true,
            created_at: now,
            updated_at: now,
            target_price: conditions.target_price.clone(),
            quantity: conditions.quantity,
            ..self
        }
    }

    pub(crate) fn encode(&self, pid: &str, viewer: Viewer<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        self.write(&mut object, pid, viewer);
        object.close();
        out
    }

    /// The record with the state of its delivery, for the store.
    pub(crate) fn encode_for_store(&self, pid: &str) -> Vec<u8> {
        self.encode_with_state(pid, None)
    }

    /// The record for webhooks: what the store sees, and whose it is.
    pub(crate) fn encode_for_webhook(&self, pid: &str, uid: &str) -> Vec<u8> {
        self.encode_with_state(pid, Some(uid))
    }

    fn encode_with_state(&self, pid: &str, uid: Option<&str>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.uuid("id", &self.subscription_id);
        if let Some(uid) = uid {
            object.text("uid", uid);
        }
        self.write(&mut object, pid, Viewer::Store);
        object.text("state", status::name(self.status));
        object.int("attempts", self.attempts);
        match &self.problem {
            Some(problem) => object.text("lasterror", problem),
            None => object.null("lasterror"),
        }
        object.close();
        out
    }

    fn write(&self, object: &mut Object<'_>, pid: &str, viewer: Viewer<'_>) {
        let redact = |text| if matches!(viewer, Viewer::Guest) { REDACTED } else { text };
        object.text("medium", redact(&self.medium));
        object.text("mediumvalue", redact(&self.address));
        object.text("topic", &self.topic);
        object.fragment(self.fields.as_deref().unwrap_or(UNKNOWN));
        object.int("empi", self.product_id);
        object.int("epi", self.variant_id);
        object.text("du", &self.url);
        object.text("pid", pid);
        object.int("status", status::public(self.status));
        if self.status == status::UNCONFIRMED {
            object.flag("unconfirmed", true);
        }
        object.int("cts", self.created_at);
        object.int("uts", self.updated_at);
        if let Some(price) = &self.target_price {
            object.raw("targetprice", price);
        }
        if let Some(quantity) = self.quantity {
            object.int("quantity", quantity);
        }
        let person = match viewer {
            Viewer::Guest => Some(REDACTED),
            _ if !self.made_by_shopper => None,
            Viewer::Shopper(email) => Some(email),
            Viewer::Store => self.owner_email.as_deref(),
        };
        object.opt_text("cby", person);
        object.opt_text("uby", person);
    }
}

macro_rules! columns {
    () => {
        "select s.subscription_id, s.medium, s.address, s.topic, s.variant_id, s.product_id, s.url,
                coalesce(p.fields, s.given), s.status, s.made_by_shopper, s.created_at, s.updated_at, s.shopper_id,
                s.target_price, s.quantity, s.attempts, s.problem, s.ordinal, o.email
         from subscriptions s left join products p on p.store_id = $1 and p.variant_id = s.variant_id
              left join shoppers o on o.store_id = $1 and o.shopper_id = s.shopper_id "
    };
}
pub(crate) use columns;

statements! {
    // Not the requests for it.
    pub(crate) FIND = concat!(columns!(), "
        where s.store_id = $1 and s.address = $2 and s.variant_id = $3 and s.topic = $4 and s.status <> 4");
    pub(crate) BY_ID = concat!(columns!(), "where s.store_id = $1 and s.subscription_id = $2");
    pub(crate) DELETE = "delete from subscriptions where store_id = $1 and subscription_id = $2";
}
