//! A shopper subscribes to a variant. An address that the shopper has not proven is confirmed by mail first.

use serde_json::{Map, Value};
use wishbone_storage::{FromRow, Row, Tx, Write};

use crate::catalog::topic::Topic;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::mail::limits::{ClientCounter, PerShopper, Period, Permit, Request, Window};
use crate::mail::medium::Medium;
use crate::mail::message::{ConfirmationMessage, Message, MessageItem, Source};
use crate::mail::queue::{self, NewMail};
use crate::mail::recipients::{self, Recipient, RecipientState};
use crate::mail::shop_url::MailedUrl;
use crate::moment::{Millis, Moment};
use crate::subscriptions::create::COUNT;
use crate::subscriptions::events;
use crate::subscriptions::insert::NewSubscription;
use crate::subscriptions::limits;
use crate::subscriptions::product::{Conditions, RequestedProduct};
use crate::subscriptions::row::{SubscriptionRow, Viewer};
use crate::subscriptions::status::{SUPPRESSED, UNCONFIRMED, WAITING};
use crate::webhooks::event_type::EventType;

/// How long a confirmation link is valid.
pub const CONFIRMATION_TIME: Millis = 7 * Period::Day.millis();
/// How long a confirmation is taken to be on its way.
const ON_ITS_WAY: Millis = 10_000;
/// Confirmations to one mailbox or number per day, whoever asks for them.
const CONFIRMATIONS_PER_ADDRESS: i64 = 5;
/// Confirmations per hour that one shopper can cause.
const CONFIRMATIONS_PER_SHOPPER: i64 = 10;
/// Subscriptions of one mailbox or number per day by others than its owner, in a store that does not confirm addresses.
const UNCONFIRMED_PER_ADDRESS: i64 = 50;

/// Subscribes an address to a topic about a variant, at the wish of a shopper.
pub struct AddSubscription {
    pub by: Shopper,
    /// The client address of the call, and its network.
    pub clients: Vec<ClientCounter>,
    pub topic: Topic,
    pub medium: Medium,
    /// Normalized.
    pub address: String,
    pub product: SubscribedProduct,
    pub conditions: Conditions,
    /// The domain of message ids.
    pub domain: String,
    pub moment: Moment,
}

/// A valid product of a call.
#[derive(Clone, Debug)]
pub struct SubscribedProduct(RequestedProduct);

impl SubscribedProduct {
    /// Reads a product from fields of the call.
    pub fn read(fields: &Map<String, Value>) -> Result<Self> {
        let product = RequestedProduct::read_object(fields);
        product.map(Self).map_err(|rule| Error::new(Code::InvalidParameter, rule))
    }
}

impl Write for AddSubscription {
    const NAME: &'static str = "add_subscription";
    /// The encoded record.
    type Out = Vec<u8>;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Vec<u8>> {
        let (store_id, shopper, now) = (self.by.store_id(), self.by.id(), self.moment.now);
        let settings = &self.by.store().settings.alerts;
        if self.medium == Medium::Sms && settings.sms_url.is_none() {
            return Err(Error::invalid("medium", "must be email: this store sends no SMS"));
        }
        self.medium.require_country(settings, &self.address)?;
        let ordinal = shoppers::lock_caller(tx, &self.by, now).await?.next_subscription;
        let recipient = Recipient::of_address(store_id, &self.address);
        let state = recipients::lock_chosen(tx, &recipient, self.medium, &self.address).await?;
        let (status, problem) = self.initial_status(tx, &recipient, state).await?;
        // Before the row is written: a subscription that starts anew has to be confirmed again.
        let has_confirmed = !self.is_own_address() && settings.confirm_addresses && self.has_confirmed(tx).await?;
        let new = NewSubscription {
            store_id,
            shopper,
            ordinal,
            id: self.moment.id(1),
            topic: self.topic,
            medium: self.medium,
            address: &self.address,
            product: &self.product.0,
            target_price: self.conditions.target_price.as_deref(),
            quantity: self.conditions.quantity,
            extras: None,
            mailing_list: false,
            status,
            problem,
            made_by_shopper: true,
            takes_over: self.is_own_address(),
            now,
        };
        let (mut row, is_new) = new.insert(tx).await?;
        let is_own = row.shopper_id == shopper.0;
        if is_own && row.ordinal == ordinal {
            tx.execute(COUNT.bind(&[(ordinal + 1).into(), store_id.into(), (&shopper.0).into()])).await?;
            limits::check_shopper(tx, store_id, shopper).await?;
        }
        if is_new && !self.is_own_address() {
            limits::check_address(tx, store_id, &self.address).await?;
            if status == UNCONFIRMED {
                limits::check_requested(tx, store_id, &self.address, shopper, has_confirmed).await?;
            }
        }
        if is_new {
            let created = std::slice::from_ref(&row);
            events::record(tx, self.by.store(), EventType::SubscriptionCreated, created, &self.moment).await?;
        }
        if row.status == UNCONFIRMED {
            self.request_confirmation(tx, &recipient, state, &row, is_new, has_confirmed).await?;
        } else if is_new && row.status == WAITING && !self.is_own_address() {
            let per_recipient = Window {
                max: UNCONFIRMED_PER_ADDRESS,
                period: Period::Day,
                who: "an address may get",
                what: "subscriptions by others",
            };
            // The message follows when the product has an event.
            let _: Permit = self.request("alert", None, per_recipient, has_confirmed).admit(tx).await?;
        }
        if !is_own {
            // Somebody else's, of which the caller must not learn anything.
            let fields = self.catalog_fields(tx).await?.map(|Fields(fields, _)| fields);
            row = row.disguised(&self.product.0, fields, &self.conditions, status, now);
        }
        let viewer = self.by.email().map_or(Viewer::Guest, Viewer::Shopper);
        Ok(row.encode(&self.by.store().pid, viewer))
    }
}

impl AddSubscription {
    /// True if the shopper is logged in with the address.
    fn is_own_address(&self) -> bool {
        self.medium == Medium::Email && self.by.email() == Some(self.address.as_str())
    }

    /// The status of a new subscription, and the reason if it is suppressed. Shoppers who subscribe with their own address
    /// again want its mail again.
    async fn initial_status<T: Tx>(
        &self,
        tx: &mut T,
        recipient: &Recipient,
        state: RecipientState,
    ) -> Result<(i64, Option<&'static str>)> {
        if self.is_own_address() && !state.suppressed {
            recipients::accept(tx, recipient, self.topic).await?;
            return Ok((WAITING, None));
        }
        if !self.is_own_address() && self.by.store().settings.alerts.confirm_addresses {
            return Ok((UNCONFIRMED, None));
        }
        let refusal = recipients::refusal(tx, recipient, state, self.topic).await?;
        Ok((if refusal.is_some() { SUPPRESSED } else { WAITING }, refusal))
    }

    /// True if the caller has subscribed with this address before, and its owner has confirmed that. One that was sent has
    /// a later place in line when it waits for a confirmation again; one that is suppressed may never have been confirmed.
    async fn has_confirmed<T: Tx>(&self, tx: &mut T) -> Result<bool> {
        let args = [self.by.store_id().into(), (&self.address).into(), (&self.by.id().0).into()];
        Ok(tx.first::<i64>(CONFIRMED.bind(&args)).await?.is_some())
    }

    /// Queues a message that asks the owner of the address to confirm. Its link confirms all that the shopper has requested,
    /// so another is sent only if the shopper asks for the same again. What others have requested, and what the recipient
    /// accepts, makes no difference.
    async fn request_confirmation<T: Tx>(
        &self,
        tx: &mut T,
        recipient: &Recipient,
        state: RecipientState,
        request: &SubscriptionRow,
        is_new: bool,
        has_confirmed: bool,
    ) -> Result<()> {
        let (store_id, now) = (self.by.store_id(), self.moment.now);
        let by = (&self.by.id().0).into();
        let to_address = [store_id.into(), recipient.id().into(), (now - Period::Day.millis()).into(), by];
        let others = [store_id.into(), (&self.address).into(), by, request.subscription_id.as_bytes().into()];
        let is_covered = match tx.first::<i64>(LAST.bind(&to_address)).await? {
            Some(_) if is_new => tx.first::<i64>(OTHER_REQUESTS.bind(&others)).await?.is_some(),
            Some(last) => last > now - ON_ITS_WAY,
            None => false,
        };
        if is_covered {
            return Ok(());
        }
        let message = Message::Confirmation(ConfirmationMessage {
            topic: self.topic.as_str().to_owned(),
            item: self.message_item(tx).await?,
            expires_at: now + CONFIRMATION_TIME,
            is_sms: self.medium == Medium::Sms,
        });
        let what = "confirmations";
        let per_shopper = PerShopper { max: CONFIRMATIONS_PER_SHOPPER, who: "a shopper may cause", what };
        let per_recipient =
            Window { max: CONFIRMATIONS_PER_ADDRESS, period: Period::Day, who: "an address may get", what };
        let permit = self.request(message.kind(), Some(per_shopper), per_recipient, has_confirmed).admit(tx).await?;
        let mail =
            NewMail { shopper: Some(self.by.id()), recipient, address: &self.address, message, domain: &self.domain };
        queue::queue(tx, store_id, &mail, state.accepts_mail(), permit, &self.moment).await
    }

    fn request(
        &self,
        kind: &'static str,
        per_shopper: Option<PerShopper>,
        per_recipient: Window,
        has_confirmed: bool,
    ) -> Request<'_> {
        let Self { by, clients, medium, address, .. } = self;
        let (medium, now) = (*medium, self.moment.now);
        Request { by, clients, medium, address, kind, has_confirmed, per_shopper, per_recipient, now }
    }

    async fn catalog_fields<T: Tx>(&self, tx: &mut T) -> Result<Option<Fields>> {
        Ok(tx.first(FIELDS.bind(&[self.by.store_id().into(), self.product.0.variant_id.into()])).await?)
    }

    async fn message_item<T: Tx>(&self, tx: &mut T) -> Result<MessageItem> {
        let (fields, url) =
            self.catalog_fields(tx).await?.map_or((None, None), |Fields(fields, url)| (Some(fields), Some(url)));
        // Nothing that the caller sends: anybody can have this mail sent to anybody.
        MessageItem::new(fields.as_deref(), Source::Catalog, MailedUrl::new(url.as_deref(), None), 1)
    }
}

/// Encoded fields and the URL of a product in the catalogue.
struct Fields(String, String);

impl FromRow for Fields {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.text(0)?.to_owned(), row.text(1)?.to_owned()))
    }
}

statements! {
    LAST = "select created_at from mails
            where store_id = $1 and recipient_id = $2 and created_at > $3 and kind = 'confirmation' and shopper_id = $4
            order by created_at desc limit 1";
    CONFIRMED = "select status from subscriptions
                 where store_id = $1 and address = $2 and variant_id > 0 and shopper_id = $3
                   and status <> 5 and (status <> 4 or waiting_since > created_at) limit 1";
    OTHER_REQUESTS = "select status from subscriptions
                          where store_id = $1 and address = $2 and variant_id > 0 and shopper_id = $3 and status = 4
                            and subscription_id <> $4 limit 1";
    FIELDS = "select fields, url from products where store_id = $1 and variant_id = $2";
}
