//! The elements of a catalogue feed, as a store sends them. Each is parsed to what is kept of it, or rejected.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::catalog::fields::{KEYS, NullPolicy, ProductFields, Rejection, id, url};
use crate::error::{Code, Error, Result};
use crate::json_parts::{Elements, NamedMembers, elements};

/// Maximum elements of one call.
pub const MAX_ELEMENTS: usize = 1_000;
pub const MAX_STOCK: i64 = 1_000_000_000_000;

/// An element that was rejected, and why.
#[derive(Clone, Debug, Serialize)]
pub struct FailedElement {
    pub(super) index: usize,
    epi: Option<i64>,
    #[serde(rename = "error-code")]
    code: &'static str,
    msg: String,
}

impl FailedElement {
    pub(super) fn new(index: usize, epi: Option<i64>, code: Code, msg: impl Into<String>) -> Self {
        Self { index, epi, code: code.as_str(), msg: msg.into() }
    }
}

/// The elements of one call.
#[derive(Clone, Debug)]
pub struct FeedInputs<T> {
    elements: Vec<std::result::Result<T, FailedElement>>,
}

impl<T: FeedInput> FeedInputs<T> {
    /// Parses a JSON array. Fails if the array itself is invalid; an invalid element is rejected on its own.
    pub fn parse(parameter: &str, json: &str) -> Result<Self> {
        let Elements { first, has_more } =
            elements(json, MAX_ELEMENTS).map_err(|_| Error::invalid(parameter, "must be an array"))?;
        if has_more || first.is_empty() {
            return Err(Error::invalid(parameter, format!("must have 1 to {MAX_ELEMENTS} elements")));
        }
        let names = [&KEYS[..], &["stock"]].concat();
        let parse = |(index, element): (usize, &RawValue)| {
            let members = NamedMembers::read(element.get(), &names)?;
            let Some(element) = members.map(|members| members.flat()).transpose()? else {
                return Ok(Err(FailedElement::new(index, None, Code::InvalidItem, T::NOT_AN_OBJECT)));
            };
            let failed = |rejection| {
                let epi = element.get("epi").and_then(|value| id("epi", value).ok());
                FailedElement::new(index, epi, Code::InvalidItem, rejection)
            };
            Ok(T::read(&element).map_err(failed))
        };
        let elements = first.into_iter().enumerate().map(parse).collect::<std::result::Result<_, String>>();
        Ok(Self { elements: elements.map_err(|error| Error::invalid(parameter, error))? })
    }
}

impl<T> FeedInputs<T> {
    /// The valid elements with their places.
    pub(super) fn valid(&self) -> impl Iterator<Item = (usize, &T)> {
        self.elements.iter().enumerate().filter_map(|(index, element)| Some((index, element.as_ref().ok()?)))
    }

    pub(super) fn failed(&self) -> Vec<FailedElement> {
        self.elements.iter().filter_map(|element| element.as_ref().err().cloned()).collect()
    }
}

/// What is kept of an element.
pub trait FeedInput: Sized {
    const NOT_AN_OBJECT: &'static str = "each element must be an object with epi and empi";

    fn read(element: &Map<String, Value>) -> std::result::Result<Self, Rejection>;
}

/// A variant to add or to change. An absent key leaves its field as it is, `null` clears it.
#[derive(Clone, Debug)]
pub struct ProductInput {
    pub(super) variant_id: i64,
    pub(super) product_id: i64,
    pub(super) url: Option<String>,
    pub(super) stock: Option<Option<i64>>,
    fields: Map<String, Value>,
}

impl FeedInput for ProductInput {
    fn read(element: &Map<String, Value>) -> std::result::Result<Self, Rejection> {
        let variant_id = id("epi", element.get("epi").unwrap_or(&Value::Null))?;
        let product_id = id("empi", element.get("empi").unwrap_or(&Value::Null))?;
        let url = match element.get("du") {
            None => None,
            Some(Value::Null) => Some(String::new()),
            Some(value) => Some(url("du", value)?),
        };
        let stock = element.get("stock").map(stock).transpose()?;
        ProductFields::default().apply(element, NullPolicy::Clear)?;
        Ok(Self { variant_id, product_id, url, stock, fields: element.clone() })
    }
}

impl ProductInput {
    /// Changes the fields that the element sets.
    pub(super) fn apply(&self, fields: &mut ProductFields) -> Result<()> {
        fields.apply(&self.fields, NullPolicy::Clear).map(|_| ()).map_err(Error::internal)
    }
}

/// A variant or a whole product to delete.
#[derive(Clone, Copy, Debug)]
pub enum DeletedInput {
    Variant(i64),
    Product(i64),
}

impl FeedInput for DeletedInput {
    const NOT_AN_OBJECT: &'static str = "each element must be an object with epi or empi";

    fn read(element: &Map<String, Value>) -> std::result::Result<Self, Rejection> {
        match (element.get("epi"), element.get("empi")) {
            (Some(epi), _) if !epi.is_null() => id("epi", epi).map(Self::Variant),
            (_, Some(empi)) => id("empi", empi).map(Self::Product),
            _ => Err(Self::NOT_AN_OBJECT.to_owned()),
        }
    }
}

/// The stock of a variant.
#[derive(Clone, Copy, Debug)]
pub struct StockInput {
    pub(super) variant_id: i64,
    pub(super) stock: Option<i64>,
}

impl FeedInput for StockInput {
    fn read(element: &Map<String, Value>) -> std::result::Result<Self, Rejection> {
        let variant_id = id("epi", element.get("epi").unwrap_or(&Value::Null))?;
        let stock = stock(element.get("stock").ok_or("stock is required: an integer, or null for untracked")?)?;
        Ok(Self { variant_id, stock })
    }
}

fn stock(value: &Value) -> std::result::Result<Option<i64>, Rejection> {
    let parsed = match value {
        Value::Null => return Ok(None),
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    };
    let parsed = parsed.filter(|stock| (-MAX_STOCK..=MAX_STOCK).contains(stock));
    parsed.map(Some).ok_or_else(|| "stock must be an integer, or null for untracked".to_owned())
}
