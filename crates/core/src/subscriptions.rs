//! Subscriptions: who wants to hear of what about which variant, over which medium.

use serde_json::{Map, Value};
use wishbone_store::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::caller::{Shopper, StoreAdmin};
use crate::identity::ShopperId;
use crate::item_input::FailedItem;
use crate::json::Object;
use crate::product_fields::{Null, ProductFields, Refusal, UNKNOWN, id, product_url};
use crate::record::encode_properties;
use crate::{Code, Error, Millis, Moment, Result, guests, shoppers};

/// Products and topics of one call.
pub const MOST_PRODUCTS: usize = 100;
const REDACTED: &str = "XXXXXX";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    Email,
    Sms,
}

impl Medium {
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "email" => Ok(Self::Email),
            "sms" => Ok(Self::Sms),
            _ => Err(Error::invalid("medium", "must be email or sms")),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Sms => "sms",
        }
    }

    /// The address in the one form in which it is kept and compared.
    pub fn normalize(self, text: &str) -> Result<String> {
        match self {
            Self::Email => shoppers::normalize_email("mediumvalue", text),
            Self::Sms => {
                let number: String = text.chars().filter(|c| !" -().".contains(*c)).collect();
                let digits = number.strip_prefix('+').unwrap_or(&number);
                if (6..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(number);
                }
                Err(Error::invalid("mediumvalue", "must be a phone number such as +4915112345678"))
            }
        }
    }
}

pub const TOPICS: &[&str] = &["backinstock", "comingsoon", "pricedrop", "lowstock"];

pub fn topic(text: &str) -> Result<&'static str> {
    let known = TOPICS.iter().find(|topic| **topic == text);
    known.copied().ok_or_else(|| Error::invalid("topic", format!("must be one of {}", TOPICS.join(", "))))
}

/// A product to subscribe to.
#[derive(Clone, Debug)]
struct Wanted {
    variant_id: i64,
    product_id: i64,
    url: String,
    given: Option<String>,
}

/// Subscribes an address to topics about products, on behalf of the store.
pub struct CreateSubscriptions {
    pub by: StoreAdmin,
    pub medium: Medium,
    pub address: String,
    pub topics: Vec<&'static str>,
    pub products: Vec<Value>,
    pub extras: Option<Map<String, Value>>,
    pub mailing_list: bool,
    pub moment: Moment,
}

#[derive(Debug, Default)]
pub struct CreatedSubscriptions {
    /// Encoded records.
    pub subscriptions: Vec<Vec<u8>>,
    pub failed: Vec<FailedItem>,
}

impl Write for CreateSubscriptions {
    const NAME: &'static str = "create_subscriptions";
    type Out = CreatedSubscriptions;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<CreatedSubscriptions> {
        let mut out = CreatedSubscriptions::default();
        let mut wanted = Vec::new();
        for product in &self.products {
            match read_product(product) {
                Ok(product) => wanted.push(product),
                Err(refusal) => out.failed.push(refused(product, refusal)),
            }
        }
        if wanted.is_empty() {
            return Ok(out);
        }
        let shopper = self.owner(tx).await?;
        let store_id = self.by.store_id();
        let mut ordinal = shoppers::lock(tx, store_id, &shopper, self.moment.now).await?.next_subscription;
        if self.medium == Medium::Sms {
            // Who is known by a number never comes to visit, and must not expire for it.
            tx.execute(guests::KEEP.bind(&[store_id.into(), (&shopper.0).into()])).await?;
        }
        let first = ordinal;
        let extras = self.extras.as_ref().map(encode_properties);
        for product in &wanted {
            for topic in &self.topics {
                let subscription_id = self.moment.id(2 + usize::try_from(ordinal - first).unwrap_or_default());
                // One that waits stays as it is; one that was sent starts anew.
                tx.execute(INSERT.bind(&[
                    store_id.into(),
                    (&shopper.0).into(),
                    ordinal.into(),
                    subscription_id.as_bytes().into(),
                    (*topic).into(),
                    self.medium.as_str().into(),
                    (&self.address).into(),
                    product.variant_id.into(),
                    product.product_id.into(),
                    (&product.url).into(),
                    product.given.as_ref().into(),
                    extras.as_ref().into(),
                    self.mailing_list.into(),
                    self.moment.now.into(),
                ]))
                .await?;
                ordinal += 1;
                let key = [store_id.into(), (&self.address).into(), product.variant_id.into(), (*topic).into()];
                let row: Option<SubscriptionRow> = tx.first(FIND.bind(&key)).await?;
                let row = row.ok_or_else(|| Error::internal("no subscription came back"))?;
                out.subscriptions.push(row.encode(&self.by.store().pid, Sees::Store));
            }
        }
        tx.execute(COUNT.bind(&[ordinal.into(), store_id.into(), (&shopper.0).into()])).await?;
        Ok(out)
    }
}

impl CreateSubscriptions {
    async fn owner<T: Tx>(&self, tx: &mut T) -> Result<ShopperId> {
        match self.medium {
            Medium::Email => Ok(shoppers::add(tx, self.by.store_id(), &self.address, &self.moment).await?.0),
            Medium::Sms => Ok(ShopperId::of_phone(self.by.store_id(), &self.address)),
        }
    }
}

fn read_product(product: &Value) -> std::result::Result<Wanted, Refusal> {
    let object = product.as_object().ok_or("each product must be an object with epi, empi and du")?;
    let required =
        |key: &str| object.get(key).filter(|value| !value.is_null()).ok_or_else(|| format!("{key} is required"));
    let mut fields = ProductFields::default();
    let given = fields.apply(object, Null::IsAbsent)?;
    let encoded = fields.encode().map_err(|error| error.message)?;
    Ok(Wanted {
        variant_id: id("epi", required("epi")?)?,
        product_id: id("empi", required("empi")?)?,
        url: product_url(object)?,
        given: given.then_some(encoded),
    })
}

fn refused(product: &Value, rule: Refusal) -> FailedItem {
    let nothing = Map::new();
    *FailedItem::new(product.as_object().unwrap_or(&nothing), Code::InvalidItem, rule)
}

/// The caller's subscriptions to a topic, newest first.
pub struct FetchSubscriptions {
    pub by: Shopper,
    pub topic: &'static str,
    pub medium: Option<Medium>,
    pub limit: i64,
    pub offset: i64,
}

#[derive(Debug)]
pub struct Subscriptions {
    pub total: i64,
    /// Encoded records.
    pub records: Vec<Vec<u8>>,
}

impl Read for FetchSubscriptions {
    const NAME: &'static str = "fetch_subscriptions";
    type Out = Subscriptions;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Subscriptions> {
        let medium = self.medium.map_or("", Medium::as_str);
        let args = [
            self.by.store_id().into(),
            (&self.by.id().0).into(),
            self.topic.into(),
            medium.into(),
            self.limit.into(),
            self.offset.into(),
        ];
        let sees = match self.by.email() {
            Some(email) => Sees::Shopper(email),
            None => Sees::Nobody,
        };
        let mut out = Subscriptions { total: 0, records: Vec::new() };
        query
            .query_all(&[TOTAL.bind(&args[..4]), OF_SHOPPER.bind(&args)], &mut |number, row| {
                match number {
                    0 => out.total = row.int(0)?,
                    _ => out.records.push(SubscriptionRow::from_row(row)?.encode(&self.by.store().pid, sees)),
                }
                Ok(())
            })
            .await?;
        Ok(out)
    }
}

/// Every subscription of an address, as the store sees it.
pub(crate) async fn of_address<Q: Query>(query: &mut Q, by: &StoreAdmin, address: &str) -> Result<Vec<Vec<u8>>> {
    let wanted: Vec<About> = query.rows(OF_ADDRESS.bind(&[by.store_id().into(), address.into()])).await?;
    let keys: Vec<[Arg<'_>; 4]> = wanted.iter().map(|about| about.key(by.store_id(), address)).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FIND.bind(key)).collect();
    let mut records = Vec::new();
    query
        .query_all(&batch, &mut |_, row| {
            records.push(SubscriptionRow::from_row(row)?.encode(&by.store().pid, Sees::Store));
            Ok(())
        })
        .await?;
    Ok(records)
}

/// Removes every subscription of an address, whoever asked for it.
pub(crate) async fn forget_address<T: Tx>(tx: &mut T, store_id: i64, address: &str) -> Result<u64> {
    let wanted: Vec<About> = tx.rows(OF_ADDRESS.bind(&[store_id.into(), address.into()])).await?;
    let keys: Vec<[Arg<'_>; 4]> = wanted.iter().map(|about| about.key(store_id, address)).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE.bind(key)).collect();
    Ok(tx.execute_all(&batch).await?.iter().sum())
}

/// What an address is subscribed to.
struct About {
    variant_id: i64,
    topic: String,
}

impl FromRow for About {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        Ok(Self { variant_id: row.int(0)?, topic: row.text(1)?.to_owned() })
    }
}

impl About {
    fn key<'a>(&'a self, store_id: i64, address: &'a str) -> [Arg<'a>; 4] {
        [store_id.into(), address.into(), self.variant_id.into(), (&self.topic).into()]
    }
}

/// Who looks at a subscription.
#[derive(Clone, Copy)]
enum Sees<'a> {
    Store,
    /// The logged-in owner, by address.
    Shopper(&'a str),
    /// Someone who is not logged in: the four private fields are always redacted.
    Nobody,
}

struct SubscriptionRow {
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
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
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
    fn encode(&self, pid: &str, sees: Sees<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let redact = |text| if matches!(sees, Sees::Nobody) { REDACTED } else { text };
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
        let person = match sees {
            Sees::Nobody => Some(REDACTED),
            Sees::Shopper(email) if self.made_by_shopper => Some(email),
            Sees::Shopper(_) | Sees::Store => None,
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

statements! {
    COUNT = "update shoppers set next_subscription = $1 where store_id = $2 and shopper_id = $3";
    INSERT = "insert into subscriptions (store_id, shopper_id, ordinal, subscription_id, topic, medium, address, variant_id,
                                         product_id, url, given, extras, mailing_list, status, made_by_shopper, created_at,
                                         updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, $14, $14)
              on conflict (store_id, address, variant_id, topic) do update set
                status = 0, updated_at = excluded.updated_at, url = excluded.url, made_by_shopper = 0,
                given = coalesce(excluded.given, subscriptions.given), extras = excluded.extras,
                mailing_list = excluded.mailing_list
              where subscriptions.status = 1";
    FIND = concat!(columns!(), "where s.store_id = $1 and s.address = $2 and s.variant_id = $3 and s.topic = $4");
    OF_ADDRESS = "select variant_id, topic from subscriptions where store_id = $1 and address = $2 order by variant_id, topic";
    DELETE = "delete from subscriptions where store_id = $1 and address = $2 and variant_id = $3 and topic = $4";
    TOTAL = "select count(*) from subscriptions
             where store_id = $1 and shopper_id = $2 and topic = $3 and ($4 = '' or medium = $4)";
    OF_SHOPPER = concat!(columns!(), "
        where s.store_id = $1 and s.shopper_id = $2 and s.topic = $3 and ($4 = '' or s.medium = $4)
        order by s.ordinal desc limit $5 offset $6");
}
