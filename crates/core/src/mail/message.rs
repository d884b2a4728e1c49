//! The content of a mail: stored as JSON until it is sent, rendered by the server's templates. Its texts come from shoppers
//! and the catalogue; their types make sure that they link to nothing but the shop.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use uuid::Uuid;
use wishbone_storage::{FromRow, Row};

use crate::json;
use crate::mail::shop_url::MailedUrl;
use crate::mail::text::MailText;
use crate::moment::Millis;

/// The content of a mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    List(ListMessage),
    Confirmation(ConfirmationMessage),
    Reminder(ReminderMessage),
    Test(TestMessage),
}

/// The kind of reminders.
pub(crate) const REMINDER: &str = "reminder";

impl Message {
    pub(crate) const KINDS: [&str; 4] = ["list", "confirmation", REMINDER, "test"];

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::List(_) => Self::KINDS[0],
            Self::Confirmation(_) => Self::KINDS[1],
            Self::Reminder(_) => Self::KINDS[2],
            Self::Test(_) => Self::KINDS[3],
        }
    }
}

pub const MAX_SENDER_LENGTH: usize = 100;

/// Maximum length of a title; the catalogue allows no longer ones.
const MAX_TITLE_LENGTH: usize = 1_000;
/// Maximum length of a title in a list, which a shopper can set.
const MAX_LISTED_LENGTH: usize = 150;

/// The content of a mailed list. All texts are untrusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListMessage {
    pub store: MailText,
    pub sender: MailText,
    pub note: Option<MailText>,
    pub list: MailText,
    /// The share link of the recipient.
    #[serde(default)]
    pub link_id: Option<Uuid>,
    /// Where it leads: known when the mail is sent. What is stored holds no key.
    #[serde(skip)]
    pub link: MailedUrl,
    pub count: i64,
    pub items: Vec<MessageItem>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MessageItem {
    pub title: MailText,
    pub variant: MailText,
    pub price: Option<String>,
    pub quantity: i64,
    pub link: MailedUrl,
    pub image: MailedUrl,
}

/// The content of a product alert. All texts are untrusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AlertMessage {
    /// The topic of the subscription.
    pub topic: String,
    pub item: MessageItem,
    /// Units in stock; `None` if stock is not tracked.
    pub stock: Option<i64>,
    /// The price before it fell, for the topic `pricedrop`.
    pub previous_price: Option<String>,
}

/// The content of a mail that asks to confirm an address. All texts are untrusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConfirmationMessage {
    /// The topic of the subscription that was requested first.
    pub topic: String,
    pub item: MessageItem,
    /// The link is valid until then.
    pub expires_at: Millis,
    /// The address is a phone number.
    #[serde(default)]
    pub is_sms: bool,
}

/// Several product alerts in one mail.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DigestMessage {
    pub alerts: Vec<AlertMessage>,
}

/// The content of a mail that reminds a shopper of a list. All texts are untrusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReminderMessage {
    pub list: MailText,
    /// The list in the shop.
    pub link: MailedUrl,
    /// Items of the list, of which `items` shows the first.
    pub count: i64,
    pub items: Vec<ReminderItem>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReminderItem {
    pub item: MessageItem,
    /// Units in stock, if they are few.
    pub left: Option<i64>,
}

/// A mail with sample content, which a store sends to itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestMessage {
    /// The kind of mail, such as `alert`.
    pub kind: String,
    pub topic: String,
    /// The language tag; `None` is the store's language.
    pub language: Option<String>,
}

#[derive(Deserialize)]
struct MailedFields {
    #[serde(rename = "dt")]
    title: String,
    #[serde(rename = "vi")]
    variant: String,
    #[serde(rename = "iu")]
    image: String,
    #[serde(rename = "pr")]
    price: Option<Number>,
}

#[derive(Deserialize)]
struct MailedAttributes {
    #[serde(rename = "du")]
    url: String,
    #[serde(rename = "qty")]
    quantity: i64,
}

/// Who has set the fields of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Catalog,
    Shopper,
}

impl MessageItem {
    /// An item from encoded product fields.
    pub(crate) fn new(
        fields: Option<&str>,
        source: Source,
        link: MailedUrl,
        quantity: i64,
    ) -> crate::error::Result<Self> {
        let fields: Option<MailedFields> = fields.map(json::from_members).transpose()?;
        let text = |text: Option<&String>| MailText::line(text.map_or("", |text| text), MAX_TITLE_LENGTH);
        let image = fields.as_ref().map(|fields| fields.image.as_str());
        Ok(Self {
            title: text(fields.as_ref().map(|fields| &fields.title)),
            variant: text(fields.as_ref().map(|fields| &fields.variant)),
            price: fields.as_ref().and_then(|fields| fields.price.as_ref()).map(Number::to_string),
            quantity,
            link,
            image: match source {
                Source::Catalog => MailedUrl::new(image, None),
                Source::Shopper => MailedUrl::new(None, image),
            },
        })
    }
}

/// An item of a list. Its row starts with the product fields, the members of the item, the catalogue's URL, and the variant
/// in the catalogue.
impl FromRow for MessageItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let attributes: MailedAttributes = json::from_members(row.text(1)?).map_err(wishbone_storage::Error::bug)?;
        let source = if row.opt_int(3)?.is_some() { Source::Catalog } else { Source::Shopper };
        let link = MailedUrl::new(row.opt_text(2)?, Some(&attributes.url));
        let item =
            Self::new(row.opt_text(0)?, source, link, attributes.quantity).map_err(wishbone_storage::Error::bug)?;
        let short = |text: &MailText| MailText::line(text.as_str(), MAX_LISTED_LENGTH);
        Ok(Self { title: short(&item.title), variant: short(&item.variant), ..item })
    }
}
