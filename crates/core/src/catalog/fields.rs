//! Product fields (`dt iu pr ct vi bt sku`): given with an item, or taken from the catalogue, which wins.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::catalog::collation::title_key;
use crate::error::{Code, Error, Result};
use crate::json;

pub const LONGEST_TITLE: usize = 1_000;
pub const LONGEST_URL: usize = 2_048;
pub const LONGEST_WORD: usize = 500;
pub const HIGHEST_ID: i64 = (1 << 53) - 1;
pub const HIGHEST_PRICE: f64 = 1e15;

/// Members of an item whose product nobody knows anything about.
pub(crate) const UNKNOWN: &str = r#""dt":"","iu":"","pr":null,"ct":"","vi":"","bt":"","sku":"""#;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProductFields {
    #[serde(rename = "dt")]
    title: String,
    #[serde(rename = "iu")]
    image: String,
    /// With the digits that it came with.
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

/// What `null` says about a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Null {
    Clears,
    IsAbsent,
}

/// Why an input is refused: a sentence that says what to change.
pub(crate) type Rejection = String;

impl ProductFields {
    /// Takes what the input sets; answers whether it set anything.
    pub(crate) fn apply(&mut self, input: &Map<String, Value>, null: Null) -> std::result::Result<bool, Rejection> {
        let mut changed = false;
        let texts = [
            ("dt", &mut self.title, LONGEST_TITLE),
            ("ct", &mut self.category, LONGEST_WORD),
            ("vi", &mut self.variant_title, LONGEST_WORD),
            ("bt", &mut self.brand, LONGEST_WORD),
            ("sku", &mut self.sku, LONGEST_WORD),
        ];
        for (key, field, longest) in texts {
            match input.get(key) {
                None => continue,
                Some(Value::Null) if null == Null::IsAbsent => continue,
                Some(Value::Null) => field.clear(),
                Some(value) => *field = text(key, value, longest)?,
            }
            changed = true;
        }
        match input.get("iu") {
            None => {}
            Some(Value::Null) if null == Null::IsAbsent => {}
            Some(value) => {
                self.image = if value.is_null() { String::new() } else { url("iu", value)? };
                changed = true;
            }
        }
        match input.get("pr") {
            None => {}
            Some(Value::Null) if null == Null::IsAbsent => {}
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
}

/// An `epi` or `empi`: a number or its decimal digits.
pub(crate) fn id(key: &str, value: &Value) -> std::result::Result<i64, Rejection> {
    let parsed = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    };
    parsed
        .filter(|id| (1..=HIGHEST_ID).contains(id))
        .ok_or_else(|| format!("{key} must be a whole number from 1 to {HIGHEST_ID}, as a number or in digits"))
}

pub(crate) fn text(key: &str, value: &Value, longest: usize) -> std::result::Result<String, Rejection> {
    match value {
        Value::String(text) if text.contains('\0') => Err(format!("{key} must not contain the character U+0000")),
        Value::String(text) if text.chars().count() > longest => {
            Err(format!("{key} must have at most {longest} characters, got {}", text.chars().count()))
        }
        Value::String(text) => Ok(text.clone()),
        _ => Err(format!("{key} must be a text")),
    }
}

/// An address that a page may link to: one that would run as a script is refused.
pub(crate) fn url(key: &str, value: &Value) -> std::result::Result<String, Rejection> {
    let text = text(key, value, LONGEST_URL)?;
    // Browsers skip white space and control characters in a scheme.
    let scheme: String = text.chars().filter(|c| !c.is_control() && !c.is_whitespace()).take(11).collect();
    let scheme = scheme.to_ascii_lowercase();
    if ["javascript:", "data:", "vbscript:"].iter().any(|bad| scheme.starts_with(bad)) {
        return Err(format!("{key} must be a web address (https://…)"));
    }
    Ok(text)
}

/// The product's own address, which every input that makes something must have.
pub(crate) fn product_url(element: &Map<String, Value>) -> std::result::Result<String, Rejection> {
    let value = element.get("du").filter(|value| !value.is_null()).ok_or("du is required")?;
    let url = url("du", value)?;
    if url.trim().is_empty() {
        return Err("du is required".to_owned());
    }
    Ok(url)
}

fn price(value: &Value) -> std::result::Result<Number, Rejection> {
    let number = match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(digits) => serde_json::from_str::<Number>(digits.trim()).ok(),
        _ => None,
    };
    number
        .filter(|number| number.as_str().len() <= 30)
        .filter(|number| number.as_f64().is_some_and(|value| (0.0..=HIGHEST_PRICE).contains(&value)))
        .ok_or_else(|| "pr must be a number from 0 to 1000000000000000, such as 19.95".to_owned())
}

/// Reads an `epi` or `empi` that is a parameter of its own.
pub fn product_id(parameter: &str, value: &serde_json::Value) -> Result<i64> {
    id(parameter, value).map_err(|rule| Error::new(Code::InvalidParameter, rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(json: &str) -> std::result::Result<String, String> {
        let Value::Object(input) = serde_json::from_str(json).unwrap() else { panic!("an object") };
        let mut fields = ProductFields::default();
        fields.apply(&input, Null::IsAbsent)?;
        Ok(fields.encode().unwrap())
    }

    #[test]
    fn unknown_is_what_an_empty_product_encodes_to() {
        assert_eq!(ProductFields::default().encode().unwrap(), UNKNOWN);
    }

    #[test]
    fn a_price_keeps_its_digits() {
        for digits in ["19.95", "0.10", "100.250", "9999999999.99", "7"] {
            assert!(
                fields(&format!("{{\"pr\":{digits}}}")).unwrap().contains(&format!("\"pr\":{digits},")),
                "{digits}"
            );
        }
    }

    #[test]
    fn nonsense_prices_are_refused() {
        for bad in ["-1", "1e999", "\"free\"", "true", "[]", "\"\"", "1e16"] {
            assert!(fields(&format!("{{\"pr\":{bad}}}")).is_err(), "{bad}");
        }
    }

    #[test]
    fn addresses_that_run_as_scripts_are_refused() {
        for bad in ["javascript:alert(1)", " JAVA\\tSCRIPT:alert(1)", "data:text/html,x", "vbscript:x"] {
            assert!(fields(&format!("{{\"iu\":\"{bad}\"}}")).is_err(), "{bad}");
        }
        assert!(fields("{\"iu\":\"//cdn.example/a.png\"}").is_ok());
    }

    #[test]
    fn ids_come_as_numbers_or_digits() {
        let id = |json: &str| id("epi", &serde_json::from_str(json).unwrap()).ok();
        assert_eq!(id("42"), Some(42));
        assert_eq!(id("\"42\""), Some(42));
        assert_eq!(id("9007199254740991"), Some(HIGHEST_ID));
        for bad in ["0", "-1", "1.5", "9007199254740992", "\"x\"", "null", "[]", "{}", "true", "\"\"", "1e30"] {
            assert_eq!(id(bad), None, "{bad}");
        }
    }
}
