//! Where mail programs and phones see host names, addresses and phone numbers in a text, and where a break prevents it.
//! They read characters as host names are read (UTS #46): full-width letters and dots are letters and dots.

use std::iter::once;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory, GeneralCategoryGroup,
};

/// Phone numbers are longer, but for those that are of use in one place only.
const MAX_DIGITS: usize = 6;

/// A character as link detection reads it: nothing if it is not seen, or is only an accent.
pub(super) fn as_linked(c: char) -> impl Iterator<Item = char> {
    let known = if c.is_ascii() { Some(c) } else { None };
    let folded = known.is_none().then(|| ComposingNormalizerBorrowed::new_nfkc().normalize_iter(once(c)));
    // Letters such as `´` are a space with an accent.
    let kept = move |folded: &char| !is_ignored(*folded) && (c.is_whitespace() || !folded.is_whitespace());
    known.into_iter().chain(folded.into_iter().flatten().filter(move |folded| !is_ignored(c) && kept(folded)))
}

/// Invisible characters, which several mail programs accept within a link, and accents.
fn is_ignored(c: char) -> bool {
    let category = GeneralCategory::for_char(c);
    DefaultIgnorableCodePoint::for_char(c)
        || category == GeneralCategory::Format
        || (GeneralCategoryGroup::Mark.contains(category) && !c.is_alphabetic())
}

/// True if a space belongs between the two parts of a text.
pub(super) fn breaks_after(before: &[char], after: &[char]) -> bool {
    let (Some((last, head)), Some(next)) = (before.split_last(), after.first()) else { return false };
    let is_word = |c: Option<&char>| c.is_some_and(|c| !c.is_whitespace());
    let previous = head.last().copied().unwrap_or(' ');
    match last {
        '/' | '\\' => next == last,
        _ if !is_word(head.last()) || !is_word(Some(next)) => false,
        // The labels of a host name; abbreviations such as "e.g." have single letters.
        '.' if next.is_alphabetic() => after.get(1).is_some_and(|c| c.is_alphanumeric() || *c == '-') || is_www(head),
        '.' => is_www(head) || (next.is_ascii_digit() && is_third_dot(head)),
        // A dot of host names, which in Chinese and Japanese ends sentences.
        '。' => next.is_alphanumeric(),
        // A scheme.
        ':' => previous.is_ascii_alphabetic(),
        '@' => true,
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

/// Where bars divide numbers that phones would call: before the characters of these indices. Digits are grouped by spaces,
/// hyphens, dots and the like; dates and prices are left whole.
pub(super) fn phone_breaks(text: &[char]) -> Vec<usize> {
    let (mut breaks, mut digits, mut after_date, mut at) = (Vec::new(), 0, false, 0);
    while let Some(c) = text.get(at) {
        if !is_digit(*c) {
            if !joins_digits(*c) {
                (digits, after_date) = (0, false);
            }
            at += 1;
            continue;
        }
        let number = number_of_groups(&text[at..]);
        let kind = Grouped::of(number);
        let starts = at.checked_sub(1).is_none_or(|last| text[last].is_whitespace() || !joins_digits(text[last]));
        if let Some(kind) = kind.filter(|_| starts) {
            if digits > 0 && !(after_date && kind == Grouped::Date) {
                breaks.push(at);
            }
            (digits, after_date, at) = (MAX_DIGITS, kind == Grouped::Date, at + number.len());
            continue;
        }
        let group = text[at..].iter().take_while(|c| is_digit(**c)).count();
        for index in at..at + group {
            // A group that is too long for the present part starts another one.
            if digits == MAX_DIGITS || (index == at && digits > 0 && digits + group > MAX_DIGITS) {
                breaks.push(index);
                digits = 0;
            }
            digits += 1;
        }
        (after_date, at) = (false, at + group);
    }
    breaks
}

/// The groups of digits at the start of a text that have one separator in common.
fn number_of_groups(text: &[char]) -> &[char] {
    let separator = text.iter().find(|c| !is_digit(**c)).copied().filter(|c| joins_digits(*c));
    let mut end = 0;
    while text
        .get(end)
        .is_some_and(|c| is_digit(*c) || (Some(*c) == separator && text.get(end + 1).is_some_and(|c| is_digit(*c))))
    {
        end += 1;
    }
    &text[..end]
}

/// Groups of digits that are no phone number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grouped {
    /// `18.11.2026`, `2026-11-18` or `2025/2026`.
    Date,
    /// `12.345.678`
    Price,
}

impl Grouped {
    fn of(number: &[char]) -> Option<Self> {
        let groups: Vec<&[char]> = number.split(|c| !is_digit(*c)).collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let is_year = |group: &&[char]| matches!(group, ['1', '9', ..] | ['2', '0', ..]);
        match lengths[..] {
            [1 | 2, 1 | 2, 4] if is_year(&groups[2]) => Some(Self::Date),
            [4, 1 | 2, 1 | 2] if is_year(&groups[0]) => Some(Self::Date),
            [4, 4] if groups.iter().all(is_year) => Some(Self::Date),
            [1 | 2, 3, 3] => Some(Self::Price),
            _ => None,
        }
    }
}

fn is_digit(c: char) -> bool {
    GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber
}

fn joins_digits(c: char) -> bool {
    (c.is_whitespace() && c != '\n')
        || matches!(c, '.' | '/' | '(' | ')' | '[' | ']' | '~' | '−' | '⁓' | '∼')
        || GeneralCategory::for_char(c) == GeneralCategory::DashPunctuation
}
