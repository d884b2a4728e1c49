//! Fields of a query string or of an `application/x-www-form-urlencoded` body.

use std::ops::Range;

use percent_encoding::percent_decode_str;
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
        let text = std::str::from_utf8(text).map_err(|_| not_utf8("the request"))?;
        let mut form = Self { text: String::with_capacity(text.len()), ..Self::default() };
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = form.decode(name).ok_or_else(|| not_utf8("a parameter name"))?;
            let value = form.decode(value).ok_or_else(|| not_utf8(form.shown(&name)))?;
            if form.text[name.start..].contains('\0') {
                return Err(Error::invalid(form.shown(&name), "must not contain the character U+0000"));
            }
            if form.fields().any(|(known, _)| *known == form.text[name.clone()]) {
                return Err(Error::invalid(form.shown(&name), "must not be sent twice"));
            }
            if form.fields.len() == MAX_FIELDS {
                return Err(Error::invalid("the request", format!("must have at most {MAX_FIELDS} parameters")));
            }
            form.fields.push(Field { name, value });
        }
        Ok(form)
    }

    /// Appends the decoded text and returns its place.
    fn decode(&mut self, text: &str) -> Option<Range<usize>> {
        let start = self.text.len();
        for (number, part) in text.split('+').enumerate() {
            if number > 0 {
                self.text.push(' ');
            }
            self.text.push_str(&percent_decode_str(part).decode_utf8().ok()?);
        }
        Some(start..self.text.len())
    }

    /// The beginning of a name, for an error message.
    fn shown(&self, name: &Range<usize>) -> &str {
        let name = &self.text[name.clone()];
        name.char_indices().nth(40).map_or(name, |(end, _)| &name[..end])
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
        self.fields().find(|(known, _)| *known == name).map(|(_, value)| value).filter(|value| !value.is_empty())
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

fn not_utf8(name: &str) -> Error {
    Error::invalid(name, "must be UTF-8")
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
    fn a_duplicate_field_is_rejected_by_name() {
        let error = Form::parse(b"lid=1&lid=2").unwrap_err();
        assert_eq!(error.code, Code::InvalidParameter);
        assert!(error.message.contains("lid"), "{error}");
    }

    #[test]
    fn invalid_utf8_and_nul_are_rejected() {
        for bad in [&b"a=\xff"[..], b"a=%ff", b"%ff=1", b"a=%00"] {
            assert_eq!(Form::parse(bad).unwrap_err().code, Code::InvalidParameter, "{bad:?}");
        }
    }
}
