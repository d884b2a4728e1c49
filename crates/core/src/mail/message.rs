//! The content of a mail: stored as JSON until it is sent, rendered by the server's templates. Its texts come from shoppers
//! and are sanitized here.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use wishbone_storage::{FromRow, Row};

use crate::json;
use crate::moment::Millis;
use crate::stores::settings::Settings;

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
    pub store: String,
    pub sender: String,
    pub note: Option<String>,
    pub list: String,
    /// URL of the list in the shop, if it is public.
    pub link: Option<String>,
    pub count: i64,
    pub items: Vec<MessageItem>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MessageItem {
    pub title: String,
    pub variant: String,
    pub price: Option<String>,
    pub quantity: i64,
    pub link: Option<String>,
    pub image: Option<String>,
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
    pub list: String,
    /// URL of the list in the shop.
    pub link: Option<String>,
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

impl MessageItem {
    /// An item from encoded product fields. The link is the first of the URLs that a mail may link to.
    pub(crate) fn new(fields: Option<&str>, urls: &[Option<&str>], quantity: i64) -> crate::error::Result<Self> {
        let fields: Option<MailedFields> = fields.map(json::from_members).transpose()?;
        let text = |text: Option<&String>| one_line(text.map_or("", |text| text), MAX_TITLE_LENGTH);
        Ok(Self {
            title: text(fields.as_ref().map(|fields| &fields.title)),
            variant: text(fields.as_ref().map(|fields| &fields.variant)),
            price: fields.as_ref().and_then(|fields| fields.price.as_ref()).map(Number::to_string),
            quantity,
            link: urls.iter().copied().flatten().find_map(web_address),
            image: fields.as_ref().and_then(|fields| web_address(&fields.image)),
        })
    }
}

impl FromRow for MessageItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let attributes: MailedAttributes = json::from_members(row.text(1)?).map_err(wishbone_storage::Error::bug)?;
        // The catalogue's URL comes from the shop; the item's was sent by the shopper.
        let item = Self::new(row.opt_text(0)?, &[row.opt_text(2)?, Some(&attributes.url)], attributes.quantity)
            .map_err(wishbone_storage::Error::bug)?;
        let (title, variant) = (one_line(&item.title, MAX_LISTED_LENGTH), one_line(&item.variant, MAX_LISTED_LENGTH));
        Ok(Self { title, variant, ..item })
    }
}

/// An item of a list that is mailed to somebody else.
pub(crate) struct SharedItem {
    item: MessageItem,
    is_in_catalog: bool,
    has_catalog_link: bool,
}

impl FromRow for SharedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            item: MessageItem::from_row(row)?,
            is_in_catalog: row.opt_int(3)?.is_some(),
            has_catalog_link: row.opt_text(2)?.and_then(web_address).is_some(),
        })
    }
}

impl SharedItem {
    /// The item as the store mails it in its own name: what leads elsewhere and was sent by a shopper is removed.
    pub(crate) fn trusted(self, settings: &Settings) -> MessageItem {
        let Self { item, is_in_catalog, has_catalog_link } = self;
        let link = item.link.filter(|link| has_catalog_link || settings.is_own_url(link));
        let image = item.image.filter(|image| is_in_catalog || settings.is_own_url(image));
        MessageItem { link, image, ..item }
    }
}

/// A URL that a mail may link to.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let whole = if text.starts_with("//") { format!("https:{text}") } else { text.to_owned() };
    let is_forbidden = |c: char| c.is_control() || c.is_whitespace() || is_direction(c) || "<>\"'`\\".contains(c);
    let scheme = whole.split_once("://")?.0.to_ascii_lowercase();
    (["http", "https"].contains(&scheme.as_str()) && !whole.contains(is_forbidden)).then_some(whole)
}

/// Bidirectional control characters, with which a name can be made to look like another.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns a text on one line, truncated to `max_length` characters.
pub fn one_line(text: &str, max_length: usize) -> String {
    let spaced = text.replace(is_break, " ").replace(is_direction, "");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= max_length {
        return line;
    }
    let start: String = line.chars().take(max_length - 1).collect();
    format!("{}…", start.trim_end())
}

/// Normalizes line breaks and removes control characters.
pub(crate) fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    text.replace(|c: char| is_direction(c) || (c.is_control() && c != '\n'), "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_removes_line_breaks_and_bidirectional_controls() {
        assert_eq!(one_line("Ann\r\nBcc: eve@example.com", 100), "Ann Bcc: eve@example.com");
        assert_eq!(one_line(" a\u{2028}b\u{7}\tc ", 100), "a b c");
        assert_eq!(one_line("\u{202e}gpj.exe", 100), "gpj.exe");
        assert_eq!(one_line("👩‍🚀 é", 100), "👩‍🚀 é");
        assert_eq!(one_line(&"x".repeat(1_000), 100).chars().count(), 100);
    }

    #[test]
    fn lines_keeps_line_breaks_only() {
        assert_eq!(lines("a\r\nb\rc\u{2029}d\0\u{1b}[31m\n"), "a\nb\nc\nd[31m");
    }

    #[test]
    fn only_http_and_https_urls_are_linked() {
        assert_eq!(web_address("//cdn.example/a.png").as_deref(), Some("https://cdn.example/a.png"));
        assert_eq!(web_address(" HTTPS://shop.example/ä?b=1&c ").as_deref(), Some("HTTPS://shop.example/ä?b=1&c"));
        for bad in ["/p/1", "", "ftp://a.example", "javascript://%0aalert(1)", "https://a b", "https://a/\"><b>", "x"] {
            assert_eq!(web_address(bad), None, "{bad}");
        }
    }
}
