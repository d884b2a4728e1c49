//! Texts in mails. They come from shoppers and from the catalogue, and mail programs turn much of what looks like an
//! address into a link: a stranger could have the shop mail one.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text in which mail programs find nothing to link to. The same holds for texts that were stored earlier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct MailText(String);

impl MailText {
    /// A text on one line, truncated to `max_length` characters.
    pub fn line(text: &str, max_length: usize) -> Self {
        Self(unlinked(&one_line(text, max_length)))
    }

    /// A text with its line breaks, without other control characters.
    pub fn lines(text: &str) -> Self {
        Self(unlinked(&lines(text)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for MailText {
    fn from(text: String) -> Self {
        Self::lines(&text)
    }
}

impl fmt::Display for MailText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
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
fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    text.replace(|c: char| is_direction(c) || (c.is_control() && c != '\n'), "").trim().to_owned()
}

/// Bidirectional control characters, with which a name can be made to look like another.
pub(super) fn is_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Inserts a space wherever a URL, a host name or an address goes on after a separator: `evil.example` becomes
/// `evil. example`. No mail program links across a space, while several do across invisible characters.
fn unlinked(text: &str) -> String {
    let visible: Vec<char> = text.chars().filter(|c| !is_invisible(*c)).collect();
    let mut out = String::with_capacity(text.len());
    let mut next = 0;
    for c in text.chars() {
        out.push(c);
        if !is_invisible(c) {
            next += 1;
            if breaks_after(&visible[..next], &visible[next..]) {
                out.push(' ');
            }
        }
    }
    out
}

/// True if a space belongs between the two parts of a text.
fn breaks_after(before: &[char], after: &[char]) -> bool {
    let (Some((last, head)), Some(next)) = (before.split_last(), after.first()) else { return false };
    let is_word = |c: Option<&char>| c.is_some_and(|c| !c.is_whitespace());
    let previous = head.last().copied().unwrap_or(' ');
    match last {
        '/' | '\\' => next == last,
        _ if !is_word(head.last()) || !is_word(Some(next)) => false,
        // The labels of a host name; abbreviations such as "e.g." have single letters.
        '.' if next.is_alphabetic() => after.get(1).is_some_and(|c| c.is_alphanumeric() || *c == '-') || is_www(head),
        '.' => is_www(head) || (next.is_ascii_digit() && is_third_dot(head)),
        // Host names accept these as dots; in Chinese and Japanese they end sentences.
        '。' | '．' | '｡' => previous.is_ascii_alphanumeric() && next.is_ascii_alphanumeric(),
        // A scheme.
        ':' => previous.is_ascii_alphabetic(),
        '@' | '＠' => true,
        _ => false,
    }
}

fn is_www(head: &[char]) -> bool {
    let label: String = head.iter().rev().take_while(|c| c.is_alphanumeric()).collect();
    label.eq_ignore_ascii_case("www")
}

/// True after `1.2.3`, of what may be an IPv4 address; dates and prices have two dots at most.
fn is_third_dot(head: &[char]) -> bool {
    let number = head.iter().rev().take_while(|c| c.is_ascii_digit() || **c == '.');
    number.filter(|c| **c == '.').count() >= 2
}

/// Characters that are not seen, and that several mail programs accept within a link.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
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
    fn nothing_is_left_to_link_to() {
        for (text, shown) in [
            ("see evil.example/x", "see evil. example/x"),
            ("https://evil.example", "https: / /evil. example"),
            ("WWW.163.com", "WWW. 163. com"),
            ("(http://1.2.3.4:80/)", "(http: / /1.2.3. 4:80/)"),
            ("//evil.example", "/ /evil. example"),
            ("eve@evil.example", "eve@ evil. example"),
            ("mailto:eve tel:+491511234567", "mailto: eve tel: +491511234567"),
            ("a\u{200b}.\u{ad}example", "a\u{200b}. \u{ad}example"),
            ("bücher.рф 例え.テスト", "bücher. рф 例え. テスト"),
            ("evil。example 終わり。次", "evil。 example 終わり。次"),
            ("x.xn--p1ai x.co", "x. xn--p1ai x. co"),
            ("\\\\server\\share file:x", "\\ \\server\\share file: x"),
        ] {
            assert_eq!(unlinked(text), shown);
            assert_eq!(unlinked(shown), shown, "a text that was stored is the same when it is read");
        }
    }

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        for text in
            ["e.g. 3.5 mm, 12:30, 24/7", "Look! Isn't it nice? 18.11.2026", "👩‍🚀 é 1.234.567", "a.\nb", "終わり。次"]
        {
            assert_eq!(unlinked(text), text);
        }
    }
}
