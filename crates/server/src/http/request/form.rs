//! Fields of a query string or of an `application/x-www-form-urlencoded` body.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use wishbone_core::error::{Error, Result};

use crate::api::operation::{Operation, ParameterIn};

/// Maximum number of fields: more than any operation has, few enough for a linear search.
const MAX_FIELDS: usize = 200;

#[derive(Debug, Default)]
pub struct Form {
    fields: Vec<(String, String)>,
    /// The described operation, and where its parameters are. Checked in debug builds.
    described: Option<(Operation, ParameterIn)>,
}

impl Form {
    /// Parses fields, which must be UTF-8 with unique names. Unknown names are ignored.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(text).map_err(|_| not_utf8("the request"))?;
        let mut fields: Vec<(String, String)> = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).ok_or_else(|| not_utf8("a parameter name"))?;
            let shown: String = name.chars().take(40).collect();
            let value = decode(value).ok_or_else(|| not_utf8(&shown))?;
            if value.contains('\0') || name.contains('\0') {
                return Err(Error::invalid(&shown, "must not contain the character U+0000"));
            }
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(Error::invalid(&shown, "must not be sent twice"));
            }
            if fields.len() == MAX_FIELDS {
                return Err(Error::invalid("the request", format!("must have at most {MAX_FIELDS} parameters")));
            }
            fields.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self { fields, described: None })
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
        let (_, value) = self.fields.iter().find(|(known, _)| known == name)?;
        Some(value.as_str()).filter(|value| !value.is_empty())
    }

    /// All fields except `names`, sorted.
    pub fn without(&self, names: &[&str]) -> Vec<(&str, &str)> {
        let others = self.fields.iter().filter(|(name, _)| !names.contains(&name.as_str()));
        let mut out: Vec<_> = others.map(|(name, value)| (name.as_str(), value.as_str())).collect();
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

fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(Cow::Borrowed(text));
    }
    let spaced = text.replace('+', " ");
    Some(Cow::Owned(percent_decode_str(&spaced).decode_utf8().ok()?.into_owned()))
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
