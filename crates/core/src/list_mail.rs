//! A list, sent by its owner to somebody's mailbox.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use wishbone_store::{FromRow, Row, Tx, Write};

use crate::access::{Access, ListRef, Right, not_found};
use crate::caller::Shopper;
use crate::lists::{self, ListRow, gather};
use crate::mails::{self, Letter, NewMail};
use crate::recipients::{self, Recipient};
use crate::{Error, Limit, Millis, Moment, Result, json, shoppers};

const HOUR: Millis = 3_600_000;
/// So many items are shown; more would make the mail heavy, and the shop shows them better.
const SHOWN: i64 = 20;
pub const LONGEST_SENDER: usize = 100;
/// Of a title: a mail is read on telephones.
const LONGEST_TITLE: usize = 150;

/// What the mail says. Everything in it was written by strangers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListLetter {
    pub store: String,
    pub sender: String,
    pub note: Option<String>,
    pub list: String,
    /// Where the shop shows the list, if everybody may see it.
    pub link: Option<String>,
    pub count: i64,
    pub items: Vec<LetterItem>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LetterItem {
    pub title: String,
    pub variant: String,
    pub price: Option<String>,
    pub quantity: i64,
    pub link: Option<String>,
    pub image: Option<String>,
}

pub struct MailList {
    pub by: Shopper,
    pub list: ListRef,
    pub sender: String,
    /// Normalized.
    pub address: String,
    pub note: Option<String>,
    /// What follows the `@` of the message id.
    pub domain: String,
    pub moment: Moment,
}

impl Write for MailList {
    const NAME: &'static str = "mail_list";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let (store_id, shopper, settings) = (self.by.store_id(), self.by.id(), &self.by.store().settings);
        shoppers::lock_caller(tx, &self.by, self.moment.now).await?;
        let found = self.list.find(tx, &self.by).await?;
        let key = [store_id.into(), found.list_id.as_bytes().into()];
        let mut lists = Vec::with_capacity(1);
        tx.query_all(&[lists::FIND.bind(&key)], &mut |_, row| gather(&mut lists, row)).await?;
        let list = lists.pop().ok_or_else(not_found)?;
        Access::new(&self.by, &found, &list).require(Right::Own)?;

        // Both counts are exact: nobody else mails for this shopper, or to this recipient, while the rows are locked.
        let recipient = Recipient::of_address(store_id, &self.address);
        let refuses = recipients::lock(tx, &recipient).await?;
        let since = self.moment.now - HOUR;
        let args = [store_id.into(), (&shopper.0).into(), since.into()];
        let recent = tx.first(mails::LISTS_OF_SHOPPER.bind(&args)).await?;
        self.require_few(recent, settings.mails_per_shopper, "a shopper may mail")?;
        let args = [store_id.into(), recipient.id().into(), since.into()];
        let recent = tx.first(mails::LISTS_TO_RECIPIENT.bind(&args)).await?;
        self.require_few(recent, settings.mails_per_address, "an address may be sent")?;

        let items = tx.rows(ITEMS.bind(&[key[0], key[1], SHOWN.into()])).await?;
        let letter = Letter::List(self.letter(&list, items));
        let mail = NewMail { shopper, recipient: &recipient, address: &self.address, letter, domain: &self.domain };
        mails::queue(tx, store_id, &mail, refuses, &self.moment).await?;
        Ok(list)
    }
}

struct Recent {
    count: i64,
    oldest: Millis,
}

impl FromRow for Recent {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        Ok(Self { count: row.int(0)?, oldest: row.int(1)? })
    }
}

impl MailList {
    fn require_few(&self, recent: Option<Recent>, most: i64, who: &str) -> Result<()> {
        let now = self.moment.now;
        let Recent { count, oldest } =
            recent.filter(|recent| recent.count > 0).unwrap_or(Recent { count: 0, oldest: now });
        if count < most {
            return Ok(());
        }
        // The oldest mail of the hour makes room.
        let wait = (oldest + HOUR - now + 999) / 1_000;
        Err(Error::rate_limited(format!("{who} {most} lists an hour"), Limit { most, wait: wait.max(1) }))
    }

    fn letter(&self, list: &ListRow, items: Vec<LetterItem>) -> ListLetter {
        let store = self.by.store();
        let page = store.settings.list_url.as_ref().filter(|_| list.public);
        ListLetter {
            store: one_line(&store.name, LONGEST_SENDER),
            sender: one_line(&self.sender, LONGEST_SENDER),
            note: self.note.as_deref().map(lines).filter(|note| !note.is_empty()),
            list: one_line(&list.name, lists::LONGEST_NAME),
            link: page.map(|page| page.replace("{lid}", &list.list_id.to_string())),
            count: list.item_count,
            items,
        }
    }
}

#[derive(Deserialize)]
struct Words {
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
struct Attributes {
    #[serde(rename = "du")]
    url: String,
    #[serde(rename = "qty")]
    quantity: i64,
}

impl FromRow for LetterItem {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        let words: Option<Words> =
            row.opt_text(0)?.map(json::from_members).transpose().map_err(wishbone_store::Error::bug)?;
        let attributes: Attributes = json::from_members(row.text(1)?).map_err(wishbone_store::Error::bug)?;
        // The catalogue's own address is the shop's word; the item's is the shopper's.
        let link = row.opt_text(2)?.and_then(web_address).or_else(|| web_address(&attributes.url));
        let text = |text: Option<&String>| one_line(text.map_or("", |text| text), LONGEST_TITLE);
        Ok(Self {
            title: text(words.as_ref().map(|words| &words.title)),
            variant: text(words.as_ref().map(|words| &words.variant)),
            price: words.as_ref().and_then(|words| words.price.as_ref()).map(Number::to_string),
            quantity: attributes.quantity,
            link,
            image: words.as_ref().and_then(|words| web_address(&words.image)),
        })
    }
}

/// An address that a mail may link to.
fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let whole = if text.starts_with("//") { format!("https:{text}") } else { text.to_owned() };
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || is_direction(c) || "<>\"'`\\".contains(c);
    let scheme = whole.split_once("://")?.0.to_ascii_lowercase();
    (["http", "https"].contains(&scheme.as_str()) && !whole.contains(is_odd)).then_some(whole)
}

/// Characters that turn the direction of what follows them: with them, a name can pose as another.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text that stays on its line, and ends in time.
pub fn one_line(text: &str, longest: usize) -> String {
    let spaced = text.replace(is_break, " ").replace(is_direction, "");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= longest {
        return line;
    }
    let kept: String = line.chars().take(longest - 1).collect();
    format!("{}…", kept.trim_end())
}

fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    text.replace(|c: char| is_direction(c) || (c.is_control() && c != '\n'), "").trim().to_owned()
}

statements! {
    ITEMS = "select coalesce(p.fields, i.given), i.attributes, p.url
             from items i left join products p on p.store_id = i.store_id and p.variant_id = i.variant_id
             where i.store_id = $1 and i.list_id = $2
             order by i.added_at desc, i.seq desc limit $3";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_poses_as_nothing_else() {
        assert_eq!(one_line("Ann\r\nBcc: eve@example.com", 100), "Ann Bcc: eve@example.com");
        assert_eq!(one_line(" a\u{2028}b\u{7}\tc ", 100), "a b c");
        assert_eq!(one_line("\u{202e}gpj.exe", 100), "gpj.exe");
        assert_eq!(one_line("👩‍🚀 é", 100), "👩‍🚀 é");
        assert_eq!(one_line(&"x".repeat(1_000), 100).chars().count(), 100);
    }

    #[test]
    fn a_note_keeps_its_lines() {
        assert_eq!(lines("a\r\nb\rc\u{2029}d\0\u{1b}[31m\n"), "a\nb\nc\nd[31m");
    }

    #[test]
    fn only_web_addresses_are_linked() {
        assert_eq!(web_address("//cdn.example/a.png").as_deref(), Some("https://cdn.example/a.png"));
        assert_eq!(web_address(" HTTPS://shop.example/ä?b=1&c ").as_deref(), Some("HTTPS://shop.example/ä?b=1&c"));
        for bad in ["/p/1", "", "ftp://a.example", "javascript://%0aalert(1)", "https://a b", "https://a/\"><b>", "x"] {
            assert_eq!(web_address(bad), None, "{bad}");
        }
    }
}
