//! A JSON body: its members stay text until they are asked for. `null` counts as absent.

use serde_json::Value;
use serde_json::value::RawValue;
use wishbone_core::error::{Error, Result};
use wishbone_core::json::parse;
use wishbone_core::json_parts::{Elements, elements, flat, is_object, members};

/// Maximum number of members: more than any operation has, few enough for a linear search.
const MAX_MEMBERS: usize = 64;

#[derive(Debug)]
pub struct JsonBody {
    members: Vec<(String, Box<RawValue>)>,
}

impl JsonBody {
    pub(crate) fn parse(body: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(body).map_err(|_| Error::invalid("the body", "must be UTF-8"))?;
        let not_json = |error| Error::invalid("the body", format!("must be JSON ({error})"));
        if !is_object(text) {
            parse::<serde::de::IgnoredAny>(text).map_err(not_json)?;
            return Err(Error::invalid("the body", "must be a JSON object"));
        }
        let found = members(text, MAX_MEMBERS).map_err(not_json)?;
        if found.has_more {
            let rule = format!("must have at most {MAX_MEMBERS} members");
            return Err(Error::invalid("the body", rule));
        }
        let members = found.first.into_iter().map(|(name, value)| (name.into_owned(), value.to_owned()));
        Ok(Self { members: members.collect() })
    }

    /// A member as text; of several with the same name, the last.
    pub(crate) fn get(&self, name: &str) -> Option<&RawValue> {
        let (_, value) = self.members.iter().rfind(|(known, _)| known == name)?;
        Some(&**value).filter(|value| value.get() != "null")
    }

    /// A member as [`flat`] has it.
    pub(crate) fn flat(&self, name: &str) -> Result<Option<Value>> {
        self.get(name).map(flat).transpose().map_err(|error| Error::invalid(name, error))
    }

    /// A text; an empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>> {
        match self.flat(name)? {
            None => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(Error::invalid(name, "must not contain the character U+0000"))
            }
            Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
            Some(_) => Err(Error::invalid(name, "must be a string")),
        }
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<String> {
        self.text(name)?.ok_or_else(|| Error::missing(name))
    }

    /// A number from `min` to `max`.
    pub(crate) fn whole(&self, name: &str, min: i64, max: i64) -> Result<Option<i64>> {
        let Some(value) = self.flat(name)? else { return Ok(None) };
        let range = if max == i64::MAX { format!("of at least {min}") } else { format!("from {min} to {max}") };
        let number = value.as_i64().filter(|number| (min..=max).contains(number));
        number.map(Some).ok_or_else(|| Error::invalid(name, format!("must be an integer {range}")))
    }

    /// The elements of an array of texts, at least one and at most `most`; otherwise `None`.
    pub(crate) fn texts(array: &RawValue, most: usize) -> Option<Vec<String>> {
        let Elements { first, has_more } = elements(array.get(), most).ok()?;
        let text = |element| match flat(element) {
            Ok(Value::String(text)) => Some(text),
            _ => None,
        };
        (!has_more && !first.is_empty()).then(|| first.into_iter().map(text).collect())?
    }
}
