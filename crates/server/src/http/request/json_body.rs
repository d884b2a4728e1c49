//! Fields of a JSON body. `null` counts as absent.

use serde_json::Value;
use wishbone_core::error::{Error, Result};

pub(crate) struct JsonBody<'a>(pub(crate) &'a Value);

impl<'a> JsonBody<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| Error::invalid(name, "must be a text"));
        Ok(self.get(name).map(text).transpose()?.filter(|text| !text.is_empty()))
    }

    /// A number from `min` to `max`.
    pub(crate) fn whole(&self, name: &str, min: i64, max: i64) -> Result<Option<i64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_i64().filter(|number| (min..=max).contains(number));
        number.map(Some).ok_or_else(|| Error::invalid(name, format!("must be an integer between {min} and {max}")))
    }
}
