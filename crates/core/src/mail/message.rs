//! The content of a mail: stored as JSON until it is sent, rendered by the server's templates. Every text in it was
//! written by a stranger and is sanitized here.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use wishbone_storage::{FromRow, Row};

use crate::json;

/// What a mail says: kept as JSON until it is sent, and put into words by the server's templates.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    List(ListMessage),
}

impl Message {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::List(_) => "list",
        }
    }
}

pub const LONGEST_SENDER: usize = 100;

/// Of a title: a mail is read on telephones.
const LONGEST_TITLE: usize = 150;

/// What the mail says. Everything in it was written by strangers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListMessage {
    pub store: String,
    pub sender: String,
    pub note: Option<String>,
    pub list: String,
    /// Where the shop shows the list, if everybody may see it.
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

impl FromRow for MessageItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let words: Option<Words> =
            row.opt_text(0)?.map(json::from_members).transpose().map_err(wishbone_storage::Error::bug)?;
        let attributes: Attributes = json::from_members(row.text(1)?).map_err(wishbone_storage::Error::bug)?;
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

pub(crate) fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    text.replace(|c: char| is_direction(c) || (c.is_control() && c != '\n'), "").trim().to_owned()
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
