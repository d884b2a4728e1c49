//! Fields of a query string or of an `application/x-www-form-urlencoded` body.

use std::ops::Range;

use memchr::{memchr, memchr2};
use wishbone_core::error::{Error, Result};

use crate::api::operation::{Operation, ParameterIn};

/// Maximum number of fields: more than any operation has, few enough for a linear search.
const MAX_FIELDS: usize = 200;

#[derive(Debug, Default)]
pub struct Form {
    /// Names and values, decoded, one after the other: a request costs two allocations, not two per field.
    text: String,
    fields: Vec<Field>,
    /// The described operation, and where its parameters are. Checked in debug builds.
    described: Option<(Operation, ParameterIn)>,
}

/// The places of a field in the text.
#[derive(Debug)]
struct Field {
    name: Range<usize>,
    value: Range<usize>,
}

impl Form {
    /// Parses fields, which must be UTF-8 with unique names. Unknown names are ignored.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let (decoded, fields) = split(text);
        if fields.len() > MAX_FIELDS {
            return Err(Error::invalid("the request", format!("must have at most {MAX_FIELDS} parameters")));
        }
        let form = match String::from_utf8(decoded) {
            Ok(text) => Self { text, fields, described: None },
            Err(error) => return Err(not_utf8(error.as_bytes(), &fields)),
        };
        // A character that is spread over two fields belongs to neither. Ends of fields are beginnings of others.
        let is_whole = |Field { name, value }: &Field| {
            form.text.is_char_boundary(name.start) && form.text.is_char_boundary(value.start)
        };
        if !form.fields.iter().all(is_whole) {
            return Err(not_utf8(form.text.as_bytes(), &form.fields));
        }
        if let Some(nul) = memchr(0, form.text.as_bytes()) {
            let field = form.fields.iter().find(|Field { value, .. }| nul < value.end);
            let name = field.map_or("the request", |Field { name, .. }| form.shown(name));
            return Err(Error::invalid(name, "must not contain the character U+0000"));
        }
        for (number, Field { name, .. }) in form.fields.iter().enumerate() {
            if form.find(&form.text.as_bytes()[name.clone()]).is_some_and(|first| first < number) {
                return Err(Error::invalid(form.shown(name), "must not be sent twice"));
            }
        }
        Ok(form)
    }

    /// The beginning of a name, for an error message.
    fn shown(&self, name: &Range<usize>) -> &str {
        let name = &self.text[name.clone()];
        name.char_indices().nth(40).map_or(name, |(end, _)| &name[..end])
    }

    /// The number of the first field of a name. Bytes are compared: a slice of a text would be checked first.
    fn find(&self, name: &[u8]) -> Option<usize> {
        let text = self.text.as_bytes();
        self.fields.iter().position(|field| text[field.name.clone()] == *name)
    }

    fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|Field { name, value }| (&self.text[name.clone()], &self.text[value.clone()]))
    }

    /// Restricts access to the parameters that the operation describes. Only checked in debug builds.
    #[must_use]
    pub(crate) fn described_by(self, operation: &Operation, place: ParameterIn) -> Self {
        Self { described: cfg!(debug_assertions).then_some((*operation, place)), ..self }
    }

    fn describes(&self, name: &str) -> bool {
        let Some((Operation { caller, description: Some(description), .. }, place)) = self.described else {
            return true;
        };
        description.parameters(caller).any(|parameter| parameter.name == name && parameter.place == place)
    }

    /// The value of a field; an empty one counts as absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        debug_assert!(self.describes(name), "{name} is not in the description of {:?}", self.described);
        let field = &self.fields[self.find(name.as_bytes())?];
        Some(&self.text[field.value.clone()]).filter(|value| !value.is_empty())
    }

    /// All fields except `names`, sorted.
    pub fn without(&self, names: &[&str]) -> Vec<(&str, &str)> {
        let mut out: Vec<_> = self.fields().filter(|(name, _)| !names.contains(name)).collect();
        out.sort_unstable();
        out
    }

    pub fn required(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| Error::missing(name))
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(value) if value == "1" || value.eq_ignore_ascii_case("true") => Ok(Some(true)),
            Some(value) if value == "0" || value.eq_ignore_ascii_case("false") => Ok(Some(false)),
            Some(_) => Err(Error::invalid(name, "must be true or false")),
        }
    }

    pub fn int(&self, name: &str) -> Result<Option<i64>> {
        let parse = |value: &str| value.trim().parse().map_err(|_| Error::invalid(name, "must be a whole number"));
        self.get(name).map(parse).transpose()
    }

    /// A non-negative number.
    pub fn count(&self, name: &str) -> Result<Option<i64>> {
        match self.int(name)? {
            Some(value) if value < 0 => Err(Error::invalid(name, format!("must not be negative, got {value}"))),
            value => Ok(value),
        }
    }

    /// A text of at most `max` characters.
    pub fn text(&self, name: &str, max: usize) -> Result<Option<String>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let length = value.chars().count();
        if length > max {
            return Err(Error::invalid(name, format!("must have at most {max} characters, got {length}")));
        }
        Ok(Some(value.to_owned()))
    }
}

/// Splits and decodes fields in one pass: every request comes through here. A name ends where its value begins.
fn split(text: &[u8]) -> (Vec<u8>, Vec<Field>) {
    let mut decoded = Vec::with_capacity(text.len());
    let mut fields = Vec::with_capacity(8);
    let mut rest = text;
    while !rest.is_empty() {
        let (pair, others) = split_once(rest, b'&');
        rest = others;
        if pair.is_empty() {
            continue;
        }
        let (name, value) = split_once(pair, b'=');
        let start = decoded.len();
        decode(name, &mut decoded);
        let middle = decoded.len();
        decode(value, &mut decoded);
        fields.push(Field { name: start..middle, value: middle..decoded.len() });
        if fields.len() > MAX_FIELDS {
            break;
        }
    }
    (decoded, fields)
}

/// What is before the first separator, and what is after it.
fn split_once(text: &[u8], separator: u8) -> (&[u8], &[u8]) {
    memchr(separator, text).map_or((text, &[]), |at| (&text[..at], &text[at + 1..]))
}

fn decode(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some(special) = memchr2(b'+', b'%', text) {
        let (plain, rest) = text.split_at(special);
        out.extend_from_slice(plain);
        text = match rest {
            [b'+', rest @ ..] => {
                out.push(b' ');
                rest
            }
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                out.push(16 * hex(*high) + hex(*low));
                rest
            }
            // A stray percent sign stands for itself.
            rest => {
                out.push(b'%');
                &rest[1..]
            }
        };
    }
    out.extend_from_slice(text);
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

/// The error for the first field that is not UTF-8.
fn not_utf8(decoded: &[u8], fields: &[Field]) -> Error {
    let text = |range: &Range<usize>| std::str::from_utf8(&decoded[range.clone()]);
    let broken = fields.iter().find(|Field { name, value }| text(name).is_err() || text(value).is_err());
    let name = broken.and_then(|Field { name, .. }| text(name).ok()).unwrap_or("a parameter name");
    let shown: String = name.chars().take(40).collect();
    Error::invalid(&shown, "must be UTF-8")
}

#[cfg(test)]
mod tests {
    use wishbone_core::error::Code;

    use super::*;

    #[test]
    fn values_are_decoded_and_empty_ones_are_absent() {
        let form = Form::parse(b"a=1+2&b=%C3%A9&c=&d").unwrap();
        assert_eq!((form.get("a"), form.get("b"), form.get("c"), form.get("d")), (Some("1 2"), Some("é"), None, None));
    }

    #[test]
    fn a_stray_percent_sign_stands_for_itself() {
        let form = Form::parse(b"a=100%&b=%zz&c=%4&d=%e4%bd%a0%2B+").unwrap();
        assert_eq!((form.get("a"), form.get("b"), form.get("c")), (Some("100%"), Some("%zz"), Some("%4")));
        assert_eq!(form.get("d"), Some("你+ "));
    }

    #[test]
    fn a_duplicate_field_is_rejected_by_name() {
        let error = Form::parse(b"lid=1&lid=2").unwrap_err();
        assert_eq!(error.code, Code::InvalidParameter);
        assert!(error.message.contains("lid"), "{error}");
    }

    #[test]
    fn invalid_utf8_and_nul_are_rejected() {
        for bad in [&b"a=\xff"[..], b"a=%ff", b"%ff=1", b"a=%00", b"%C3=%A9", b"a=%C3&%A9=1", b"\xc3&\xa9"] {
            assert_eq!(Form::parse(bad).unwrap_err().code, Code::InvalidParameter, "{bad:?}");
        }
    }
}
