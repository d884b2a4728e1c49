//! Members of a JSON body. `null` counts as absent.

use serde_json::Value;
use wishbone_core::error::{Error, Result};

pub(crate) struct JsonBody<'a>(pub(crate) &'a Value);

impl<'a> JsonBody<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text; an empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(Error::invalid(name, "must not contain the character U+0000"))
            }
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(Error::invalid(name, "must be a string")),
        }
    }

    pub(crate) fn required_text(&self, name: &str) -> Result<&'a str> {
        self.text(name)?.ok_or_else(|| Error::missing(name))
    }

    /// A number from `min` to `max`.
    pub(crate) fn whole(&self, name: &str, min: i64, max: i64) -> Result<Option<i64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let range = if max == i64::MAX { format!("of at least {min}") } else { format!("from {min} to {max}") };
        let number = value.as_i64().filter(|number| (min..=max).contains(number));
        number.map(Some).ok_or_else(|| Error::invalid(name, format!("must be an integer {range}")))
    }
}
