//! The subscription's row, and its record as one caller may see it.

use wishbone_storage::{Arg, FromRow, Row};

use crate::catalog::fields::UNKNOWN;
use crate::json::Object;
use crate::moment::Millis;

const REDACTED: &str = "XXXXXX";

/// The key of a subscription of an address.
pub(crate) struct SubscriptionKey {
    variant_id: i64,
    topic: String,
}

impl FromRow for SubscriptionKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, topic: row.text(1)?.to_owned() })
    }
}

impl SubscriptionKey {
    pub(crate) fn args<'a>(&'a self, store_id: i64, address: &'a str) -> [Arg<'a>; 4] {
        [store_id.into(), address.into(), self.variant_id.into(), (&self.topic).into()]
    }
}

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
    medium: String,
    address: String,
    topic: String,
    variant_id: i64,
    product_id: i64,
    url: String,
    fields: Option<String>,
    status: i64,
    made_by_shopper: bool,
    created_at: Millis,
    updated_at: Millis,
}

impl FromRow for SubscriptionRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            medium: row.text(0)?.to_owned(),
            address: row.text(1)?.to_owned(),
            topic: row.text(2)?.to_owned(),
            variant_id: row.int(3)?,
            product_id: row.int(4)?,
            url: row.text(5)?.to_owned(),
            fields: row.opt_text(6)?.map(str::to_owned),
            status: row.int(7)?,
            made_by_shopper: row.flag(8)?,
            created_at: row.int(9)?,
            updated_at: row.int(10)?,
        })
    }
}

impl SubscriptionRow {
    pub(crate) fn encode(&self, pid: &str, viewer: Viewer<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let redact = |text| if matches!(viewer, Viewer::Guest) { REDACTED } else { text };
        object.text("medium", redact(&self.medium));
        object.text("mediumvalue", redact(&self.address));
        object.text("topic", &self.topic);
        object.fragment(self.fields.as_deref().unwrap_or(UNKNOWN));
        object.int("empi", self.product_id);
        object.int("epi", self.variant_id);
        object.text("du", &self.url);
        object.text("pid", pid);
        object.int("status", self.status);
        object.int("cts", self.created_at);
        object.int("uts", self.updated_at);
        let person = match viewer {
            Viewer::Guest => Some(REDACTED),
            Viewer::Shopper(email) if self.made_by_shopper => Some(email),
            Viewer::Shopper(_) | Viewer::Store => None,
        };
        object.opt_text("cby", person);
        object.opt_text("uby", person);
        object.close();
        out
    }
}

macro_rules! columns {
    () => {
        "select s.medium, s.address, s.topic, s.variant_id, s.product_id, s.url, coalesce(p.fields, s.given), s.status,
                s.made_by_shopper, s.created_at, s.updated_at
         from subscriptions s left join products p on p.store_id = s.store_id and p.variant_id = s.variant_id "
    };
}
pub(crate) use columns;

statements! {
    pub(crate) FIND = concat!(columns!(), "where s.store_id = $1 and s.address = $2 and s.variant_id = $3 and s.topic = $4");
    pub(crate) OF_ADDRESS = "select variant_id, topic from subscriptions where store_id = $1 and address = $2 order by variant_id, topic";
}
