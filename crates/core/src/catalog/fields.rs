//! Product fields (`dt iu pr ct vi bt sku`), sent with an item or taken from the catalogue, which takes precedence.

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::catalog::collation::title_key;
use crate::catalog::web_url::is_web_url;
use crate::error::{Code, Error, Result};
use crate::json;

pub const MAX_TITLE_LENGTH: usize = 1_000;
pub const MAX_URL_LENGTH: usize = 2_048;
pub const MAX_FIELD_LENGTH: usize = 500;
pub const MAX_ID: i64 = (1 << 53) - 1;
pub const MAX_PRICE: f64 = 1e15;

/// The encoded fields of a product of which nothing is known.
pub(crate) const UNKNOWN: &str = r#""dt":"","iu":"","pr":null,"ct":"","vi":"","bt":"","sku":"""#;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProductFields {
    #[serde(rename = "dt")]
    title: String,
    #[serde(rename = "iu")]
    image: String,
    /// With the digits that were sent.
    #[serde(rename = "pr")]
    price: Option<Number>,
    #[serde(rename = "ct")]
    category: String,
    #[serde(rename = "vi")]
    variant_title: String,
    #[serde(rename = "bt")]
    brand: String,
    sku: String,
}

/// The price in encoded fields, with its digits; `null` if it is not known.
pub(crate) fn encoded_price(fields: &[u8]) -> &[u8] {
    const KEY: &[u8] = br#""pr":"#;
    static FINDER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(KEY));
    // The first match is the key: quotes in the texts before it are escaped.
    let price = FINDER.find(fields).map_or(&[][..], |at| &fields[at + KEY.len()..]);
    &price[..memchr(b',', price).unwrap_or(price.len())]
}

/// The meaning of a field that is `null`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NullPolicy {
    Clear,
    Ignore,
}

/// Why an input is rejected: a sentence that says what to change.
pub(crate) type Rejection = String;

/// The keys of a product's ids and fields.
pub(crate) const KEYS: [&str; 10] = ["epi", "empi", "du", "dt", "ct", "vi", "bt", "sku", "iu", "pr"];

impl ProductFields {
    /// Applies the fields that the input sets. Returns whether it set any.
    pub(crate) fn apply(
        &mut self,
        input: &Map<String, Value>,
        null: NullPolicy,
    ) -> std::result::Result<bool, Rejection> {
        let mut changed = false;
        let texts = [
            ("dt", &mut self.title, MAX_TITLE_LENGTH),
            ("ct", &mut self.category, MAX_FIELD_LENGTH),
            ("vi", &mut self.variant_title, MAX_FIELD_LENGTH),
            ("bt", &mut self.brand, MAX_FIELD_LENGTH),
            ("sku", &mut self.sku, MAX_FIELD_LENGTH),
        ];
        for (key, field, max_length) in texts {
            match input.get(key) {
                None => continue,
                Some(Value::Null) if null == NullPolicy::Ignore => continue,
                Some(Value::Null) => field.clear(),
                Some(value) => *field = text(key, value, max_length)?,
            }
            changed = true;
        }
        match input.get("iu") {
            None => {}
            Some(Value::Null) if null == NullPolicy::Ignore => {}
            Some(value) => {
                self.image = if value.is_null() { String::new() } else { url("iu", value)? };
                changed = true;
            }
        }
        match input.get("pr") {
            None => {}
            Some(Value::Null) if null == NullPolicy::Ignore => {}
            Some(value) => {
                self.price = if value.is_null() { None } else { Some(price(value)?) };
                changed = true;
            }
        }
        Ok(changed)
    }

    pub(crate) fn encode(&self) -> Result<String> {
        json::members(self)
    }

    pub(crate) fn decode(members: &str) -> Result<Self> {
        json::from_members(members)
    }

    pub(crate) fn title_key(&self) -> Option<Vec<u8>> {
        title_key(&self.title)
    }

    pub(crate) fn price(&self) -> Option<f64> {
        self.price.as_ref()?.as_f64()
    }

    /// The price with the digits that were sent.
    pub(crate) fn price_text(&self) -> Option<String> {
        self.price.as_ref().map(Number::to_string)
    }
}

/// Parses an `epi` or `empi`: a number or a string of digits.
pub(crate) fn id(key: &str, value: &Value) -> std::result::Result<i64, Rejection> {
    let parsed = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    };
    parsed
        .filter(|id| (1..=MAX_ID).contains(id))
        .ok_or_else(|| format!("{key} must be an integer from 1 to {MAX_ID}, as a number or a string of digits"))
}

pub(crate) fn text(key: &str, value: &Value, max_length: usize) -> std::result::Result<String, Rejection> {
    match value {
        Value::String(text) if text.contains('\0') => Err(format!("{key} must not contain the character U+0000")),
        Value::String(text) if text.chars().count() > max_length => {
            Err(format!("{key} must have at most {max_length} characters, got {}", text.chars().count()))
        }
        Value::String(text) => Ok(text.clone()),
        _ => Err(format!("{key} must be a string")),
    }
}

/// A URL that a page may link to.
pub(crate) fn url(key: &str, value: &Value) -> std::result::Result<String, Rejection> {
    let text = text(key, value, MAX_URL_LENGTH)?;
    if !is_web_url(&text) {
        return Err(format!(
            "{key} must be an http or https URL such as https://shop.example/p/1, or a relative one such as /p/1, \
             without control characters"
        ));
    }
    Ok(text)
}

/// The product's URL, which is required to add an item or a subscription.
pub(crate) fn product_url(element: &Map<String, Value>) -> std::result::Result<String, Rejection> {
    let value = element.get("du").filter(|value| !value.is_null()).ok_or("du is required")?;
    let url = url("du", value)?;
    if url.trim().is_empty() {
        return Err("du is required".to_owned());
    }
    Ok(url)
}

pub(crate) fn price(value: &Value) -> std::result::Result<Number, Rejection> {
    let number = match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(digits) => serde_json::from_str::<Number>(digits.trim()).ok(),
        _ => None,
    };
    number
        .filter(|number| number.as_str().len() <= 30)
        .filter(|number| number.as_f64().is_some_and(|value| (0.0..=MAX_PRICE).contains(&value)))
        .ok_or_else(|| "pr must be a number from 0 to 1000000000000000, such as 19.95".to_owned())
}

/// Parses an `epi` or `empi` that is a parameter of a call.
pub fn product_id(parameter: &str, value: &serde_json::Value) -> Result<i64> {
    id(parameter, value).map_err(|rule| Error::new(Code::InvalidParameter, rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> std::result::Result<String, String> {
        let Value::Object(input) = serde_json::from_str(json).unwrap() else { panic!("an object") };
        let mut fields = ProductFields::default();
        fields.apply(&input, NullPolicy::Ignore)?;
        Ok(fields.encode().unwrap())
    }

    #[test]
    fn unknown_is_what_an_empty_product_encodes_to() {
        assert_eq!(ProductFields::default().encode().unwrap(), UNKNOWN);
    }

    #[test]
    fn a_price_keeps_its_digits() {
        for digits in ["19.95", "0.10", "100.250", "9999999999.99", "7", "null"] {
            let encoded = fields(&format!(r#"{{"dt":"\"pr\":1,","iu":"/?a=\"pr\":2,","pr":{digits}}}"#)).unwrap();
            assert!(encoded.contains(&format!("\"pr\":{digits},")), "{digits}");
            assert_eq!(encoded_price(encoded.as_bytes()), digits.as_bytes());
        }
    }

    #[test]
    fn invalid_prices_are_rejected() {
        for bad in ["-1", "1e999", "\"free\"", "true", "[]", "\"\"", "1e16"] {
            assert!(fields(&format!("{{\"pr\":{bad}}}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn ids_come_as_numbers_or_digits() {
        let id = |json: &str| id("epi", &serde_json::from_str(json).unwrap()).ok();
        assert_eq!(id("42"), Some(42));
        assert_eq!(id("\"42\""), Some(42));
        assert_eq!(id("9007199254740991"), Some(MAX_ID));
        for bad in ["0", "-1", "1.5", "9007199254740992", "\"x\"", "null", "[]", "{}", "true", "\"\"", "1e30"] {
            assert_eq!(id(bad), None, "{bad}");
        }
    }
}
