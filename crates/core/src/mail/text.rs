//! Texts in mails. They come from shoppers and from the catalogue, and mail programs turn much of what looks like an
//! address into a link: a stranger could have the shop mail one.

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::mail::separators::{as_linked, breaks_after, phone_breaks};

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
/// `evil. example`. No mail program links across a space, while several do across invisible characters. Long numbers are
/// divided by bars, since phones link them across spaces, too.
fn unlinked(text: &str) -> String {
    let seen: Vec<(usize, char)> =
        text.char_indices().flat_map(|(at, c)| as_linked(c).map(move |seen| (at, seen))).collect();
    let chars: Vec<char> = seen.iter().map(|(_, c)| *c).collect();
    let bars: HashSet<usize> = phone_breaks(&chars).into_iter().map(|index| seen[index].0).collect();
    let spaces: HashSet<usize> = (1..chars.len())
        .filter(|next| {
            let (before, after) = chars.split_at(*next);
            breaks_after(before, after)
        })
        .map(|next| seen[next - 1].0)
        .collect();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if bars.contains(&at) {
            out.push_str(if out.ends_with(' ') { "| " } else { " | " });
        }
        out.push(c);
        if spaces.contains(&at) {
            out.push(' ');
        }
    }
    out
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
            ("mailto:eve tel:+491511234567", "mailto: eve tel: +491511 | 234567"),
            ("a\u{200b}.\u{ad}example", "a\u{200b}. \u{ad}example"),
            ("bücher.рф 例え.テスト", "bücher. рф 例え. テスト"),
            ("evil。example 終わり。次", "evil。 example 終わり。 次"),
            ("пример。рф пример．рф пример｡рф", "пример。 рф пример． рф пример｡ рф"),
            ("evil․example evil﹒example evil⒈com", "evil․ example evil﹒ example evil⒈ com"),
            ("ｈｔｔｐ：／／evil", "ｈｔｔｐ： ／ ／evil"),
            ("eve＠evil eve﹫evil", "eve＠ evil eve﹫ evil"),
            ("evil.グ\u{3099} evile\u{301}。com", "evil.グ\u{3099} evile\u{301}。 com"),
            ("evil.ク\u{3099}ル", "evil. ク\u{3099}ル"),
            ("call +491511234567", "call +491511 | 234567"),
            ("0900 123 4567, (555) 123-4567", "0900 | 123 | 4567, (555) 123- | 4567"),
            ("0900 12.3.2001 12.345.678-90", "0900 | 12.3.2001 | 12.345.678- | 90"),
            ("0900.123.456; ０９００１２３", "0900. | 123.456; ０９００１２ | ３"),
            ("0\u{200b}900\u{a0}123\u{2013}4567", "0\u{200b}900\u{a0} | 123\u{2013} | 4567"),
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
            ["e.g. 3.5 mm, 12:30, 24/7", "Look! Isn't it nice? 18.11.2026", "👩‍🚀 é 1.234.567", "a.\nb", "終わり。「次」"]
        {
            assert_eq!(unlinked(text), text);
        }
    }

    #[test]
    fn prices_dates_and_sizes_are_no_phone_numbers() {
        for text in [
            "1,234,567.00; 1.234.567,00; 1 234 567,00; 12.345.678",
            "2026-11-18, 18/11/2026, 2025/2026, 2019–2024",
            "from 18.11.2026 - 20.11.2026 to 31.12.2026",
            "120 x 200 x 75 cm, 999999 pieces",
            "100 200\n300 400",
        ] {
            assert_eq!(unlinked(text), text);
        }
    }

    #[test]
    fn nothing_invisible_hides_a_link() {
        let ranges =
            ["\u{206a}\u{206f}", "\u{17b4}\u{17b5}", "\u{fff9}\u{fffb}", "\u{115f}\u{1160}", "\u{3164}\u{ffa0}"];
        for hidden in
            ranges.iter().flat_map(|range| range.chars()).chain(['\u{ad}', '\u{200b}', '\u{fe0f}', '\u{e0061}'])
        {
            assert_eq!(unlinked(&format!("a.{hidden}example")), format!("a. {hidden}example"), "{hidden:?}");
            assert_eq!(unlinked(&format!("a{hidden}.example")), format!("a{hidden}. example"), "{hidden:?}");
            assert_eq!(unlinked(&format!("a.e{hidden}x")), format!("a. e{hidden}x"), "{hidden:?}");
        }
    }
}
