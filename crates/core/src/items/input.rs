//! Parses the items that callers send to add, update or delete.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Number, Value};

use crate::catalog::fields::{KEYS, NullPolicy, ProductFields, Rejection, id, product_url, text};
use crate::error::{Code, Error, Result};
use crate::json;
use crate::json_parts::{Elements, NamedMembers, elements, flat, is_array};

pub const MAX_NOTE_LENGTH: usize = 1_000;
pub const MAX_PROPERTIES_BYTES: usize = 8 * 1024;
/// Of custom fields as they are sent, where spaces and escapes take bytes too.
const MAX_PROPERTIES_TEXT: usize = 8 * MAX_PROPERTIES_BYTES;

/// Maximum elements of all arrays of one call together.
pub const MAX_ITEMS_PER_CALL: usize = 500;
pub const MAX_LABEL_LENGTH: usize = 200;
pub const MAX_QUANTITY: i64 = 1_000_000;

/// What a call does with the items of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Add,
    Update,
    Delete,
}

#[derive(Clone, Debug)]
pub(crate) struct ItemInput {
    pub(crate) variant_id: i64,
    pub(crate) product_id: Option<i64>,
    pub(crate) url: String,
    quantity: Option<i64>,
    note: Option<String>,
    /// Encoded.
    properties: Option<Box<RawValue>>,
    labels: Option<Vec<String>>,
    /// The element's ids and product fields.
    element: Map<String, Value>,
}

/// An element that was rejected, and why.
#[derive(Clone, Debug, Serialize)]
pub struct FailedItem {
    #[serde(skip_serializing_if = "Value::is_null")]
    pub epi: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    empi: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    du: Value,
    #[serde(rename = "hasError")]
    has_error: bool,
    #[serde(rename = "error-code")]
    code: &'static str,
    pub msg: String,
}

/// The elements of one array, each parsed or rejected.
#[derive(Clone, Debug)]
pub struct ItemInputs {
    pub(crate) action: Action,
    pub(crate) elements: Vec<std::result::Result<ItemInput, Box<FailedItem>>>,
}

impl ItemInputs {
    /// Parses a JSON array. Fails if the array itself is invalid; an invalid element is rejected on its own.
    pub fn parse(action: Action, parameter: &str, json: &str) -> Result<Self> {
        let invalid = |error| Error::invalid(parameter, format!("must be a JSON array of products ({error})"));
        let Elements { first, has_more } = elements(json, MAX_ITEMS_PER_CALL).map_err(invalid)?;
        if first.is_empty() {
            return Err(Error::invalid(parameter, "must not be an empty array: omit it instead"));
        }
        if has_more {
            return Err(Error::invalid(
                parameter,
                format!("must have at most {MAX_ITEMS_PER_CALL} elements: split the call"),
            ));
        }
        let parse = |element| parse_element(action, element);
        let elements = first.into_iter().map(parse).collect::<std::result::Result<_, _>>().map_err(invalid)?;
        Ok(Self { action, elements })
    }

    /// The variants of the valid elements, each once.
    pub(crate) fn variants(&self) -> Vec<i64> {
        let mut variants: Vec<i64> = self.elements.iter().flatten().map(|input| input.variant_id).collect();
        variants.sort_unstable();
        variants.dedup();
        variants
    }

    /// Encodes each element as the item that it would add, or as its error.
    pub fn described(&self) -> Result<Vec<Vec<u8>>> {
        let describe = |element: &std::result::Result<ItemInput, Box<FailedItem>>| match element {
            Err(failed) => serde_json::to_vec(failed).map_err(Error::internal),
            Ok(input) => {
                let mut out = Vec::new();
                let mut object = json::Object::open(&mut out);
                object.int("epi", input.variant_id);
                if let Some(product_id) = input.product_id {
                    object.int("empi", product_id);
                }
                if self.action != Action::Delete {
                    object.fragment(&json::members(&ItemAttributes::new(input)?)?);
                    let fields = input.product_fields(None)?;
                    object.fragment(&fields.map(|fields| fields.encode()).transpose()?.unwrap_or_default());
                }
                object.close();
                Ok(out)
            }
        };
        self.elements.iter().map(describe).collect()
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

type Parsed = std::result::Result<ItemInput, Box<FailedItem>>;

/// The members that are read, beside [`KEYS`].
const ATTRIBUTES: [&str; 5] = ["qty", "note", "cprops", "clbls", "lbls"];

fn parse_element(action: Action, element: &RawValue) -> std::result::Result<Parsed, String> {
    let Some(members) = NamedMembers::read(element.get(), &[&KEYS[..], &ATTRIBUTES].concat())? else {
        let message = "each element must be an object with epi, empi and du";
        return Ok(Err(FailedItem::new(&Map::new(), Code::InvalidItem, message)));
    };
    let mut element = members.flat()?;
    for key in LABELS.into_iter().filter(|_| action != Action::Delete) {
        if let Some(labels) = members.get(key).filter(|labels| is_array(labels.get()))
            && elements(labels.get(), 1)?.has_more
        {
            let message = format!("{key} must have at most one label");
            return Ok(Err(FailedItem::new(&element, Code::TooManyLabels, message)));
        }
    }
    Ok(match read(action, &element, &members) {
        Ok(mut input) => {
            element.retain(|key, value| KEYS.contains(&key.as_str()) && !value.is_array() && !value.is_object());
            input.element = element;
            Ok(input)
        }
        Err(rejection) => Err(FailedItem::new(&element, Code::InvalidItem, rejection)),
    })
}

fn read(
    action: Action,
    element: &Map<String, Value>,
    members: &NamedMembers<'_>,
) -> std::result::Result<ItemInput, Rejection> {
    let present = |key: &str| element.get(key).filter(|value| !value.is_null());
    let needs_all = action != Action::Delete;
    let variant_id = id("epi", present("epi").ok_or("epi is required")?)?;
    let product_id = match present("empi") {
        Some(value) => Some(id("empi", value)?),
        None if needs_all => return Err("empi is required".to_owned()),
        None => None,
    };
    if !needs_all {
        let nothing = (None, None, None, None);
        let (quantity, note, properties, labels) = nothing;
        return Ok(ItemInput {
            variant_id,
            product_id,
            url: String::new(),
            quantity,
            note,
            properties,
            labels,
            element: Map::new(),
        });
    }
    let url = product_url(element)?;
    let mut checked = ProductFields::default();
    checked.apply(element, NullPolicy::Ignore)?;
    Ok(ItemInput {
        variant_id,
        product_id,
        url,
        quantity: present("qty").map(quantity).transpose()?,
        note: present("note").map(|value| text("note", value, MAX_NOTE_LENGTH)).transpose()?,
        properties: members.get("cprops").map(encoded_properties).transpose()?,
        labels: labels_of(members)?,
        element: Map::new(),
    })
}

/// `lbls` is an alias of `clbls`, which takes precedence.
const LABELS: [&str; 2] = ["clbls", "lbls"];

fn labels_of(members: &NamedMembers<'_>) -> std::result::Result<Option<Vec<String>>, Rejection> {
    let mut chosen = None;
    for key in LABELS {
        if let Some(value) = members.get(key) {
            let labels = labels(key, value)?;
            chosen.get_or_insert(labels);
        }
    }
    Ok(chosen)
}

fn quantity(value: &Value) -> std::result::Result<i64, Rejection> {
    let parsed = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(digits) => digits.trim().parse().ok(),
        _ => None,
    };
    parsed
        .filter(|quantity| (1..=MAX_QUANTITY).contains(quantity))
        .ok_or_else(|| format!("qty must be an integer from 1 to {MAX_QUANTITY}"))
}

/// Parses custom fields: an object of limited size.
pub fn properties(key: &str, text: &str) -> std::result::Result<Map<String, Value>, String> {
    let too_large = |size| Err(format!("{key} must have at most {MAX_PROPERTIES_BYTES} bytes as JSON, got {size}"));
    if text.len() > MAX_PROPERTIES_TEXT {
        return too_large(text.len());
    }
    let value: Value = json::parse(text).map_err(|error| format!("{key} must be a JSON object ({error})"))?;
    let Value::Object(map) = value else {
        return Err(format!("{key} must be an object"));
    };
    let size = serde_json::to_string(&map).map_or(usize::MAX, |text| text.len());
    if size > MAX_PROPERTIES_BYTES { too_large(size) } else { Ok(map) }
}

fn encoded_properties(value: &RawValue) -> std::result::Result<Box<RawValue>, String> {
    to_raw_value(&properties("cprops", value.get())?).map_err(|error| error.to_string())
}

fn labels(key: &str, value: &RawValue) -> std::result::Result<Vec<String>, Rejection> {
    if !is_array(value.get()) {
        return Err(format!("{key} must be an array of at most one string"));
    }
    let labels = elements(value.get(), 1)?.first;
    labels.into_iter().map(|label| text(key, &flat(label)?, MAX_LABEL_LENGTH)).collect()
}

impl FailedItem {
    /// Boxed, because it is rare and much larger than a valid element.
    pub(crate) fn new(element: &Map<String, Value>, code: Code, message: impl Into<String>) -> Box<Self> {
        // Only short values are echoed.
        let echo = |key: &str| match element.get(key) {
            Some(value) if id(key, value).is_ok() && key != "du" => id(key, value).map_or(Value::Null, Value::from),
            Some(Value::Number(number)) => Value::Number(number.clone()),
            Some(Value::String(text)) if text.len() <= 4_096 => Value::String(text.clone()),
            _ => Value::Null,
        };
        Box::new(Self {
            epi: echo("epi"),
            empi: echo("empi"),
            du: echo("du"),
            has_error: true,
            code: code.as_str(),
            msg: message.into(),
        })
    }
}

impl ItemInput {
    pub(crate) fn failed(&self, code: Code, message: impl Into<String>) -> Box<FailedItem> {
        FailedItem::new(&self.element, code, message)
    }

    /// The product fields that the element sets, on top of the known ones.
    pub(crate) fn product_fields(&self, known: Option<&str>) -> Result<Option<ProductFields>> {
        let mut fields = known.map(ProductFields::decode).transpose()?.unwrap_or_default();
        let changed = fields.apply(&self.element, NullPolicy::Ignore).map_err(Error::internal)?;
        Ok((changed || known.is_some()).then_some(fields))
    }
}

/// The attributes of an item that its shopper sets; stored encoded, with the keys of the API.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ItemAttributes {
    #[serde(rename = "du")]
    url: String,
    #[serde(rename = "qty")]
    quantity: i64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    note: String,
    /// Encoded: they may be large, and most changes leave them as they are.
    #[serde(rename = "cprops")]
    properties: Box<RawValue>,
    #[serde(rename = "clbls")]
    labels: Vec<String>,
    /// The price of the product at that time, if it was known. Shown only where it differs.
    #[serde(rename = "spr", default, skip_serializing_if = "Option::is_none")]
    saved_price: Option<Number>,
}

impl ItemAttributes {
    /// The attributes of a new item, with the price of its product.
    pub(crate) fn saved_at(price: Option<Number>, input: &ItemInput) -> Result<Self> {
        Ok(Self { saved_price: price, ..Self::new(input)? })
    }

    fn new(input: &ItemInput) -> Result<Self> {
        let properties = to_raw_value(&Map::new()).map_err(Error::internal)?;
        let mut attributes = Self {
            url: input.url.clone(),
            quantity: 1,
            note: String::new(),
            properties,
            labels: Vec::new(),
            saved_price: None,
        };
        attributes.apply(input)?;
        Ok(attributes)
    }

    /// False if the custom fields are not an object, which only damage can cause.
    pub(crate) fn is_sound(&self) -> bool {
        self.properties.get().starts_with('{')
    }

    /// Applies the attributes that the input sets, except the URL, which stays the one that the item was added with.
    pub(crate) fn apply(&mut self, input: &ItemInput) -> Result<()> {
        if let Some(quantity) = input.quantity {
            self.quantity = quantity;
        }
        if let Some(note) = &input.note {
            self.note.clone_from(note);
        }
        if let Some(properties) = &input.properties {
            self.properties.clone_from(properties);
        }
        if let Some(labels) = &input.labels {
            self.labels.clone_from(labels);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(element: &str) -> String {
        let inputs = ItemInputs::parse(Action::Add, "a", &format!("[{element}]")).unwrap();
        inputs.elements.into_iter().next().unwrap().unwrap_err().msg
    }

    #[test]
    fn what_is_too_much_is_refused() {
        let million = format!("[{}]", ["[]"; 1_000_000].join(","));
        let error = ItemInputs::parse(Action::Add, "a", &million).unwrap_err();
        assert_eq!(error.message, "a must have at most 500 elements: split the call");
        let item = r#""epi":1,"empi":2,"du":"/p""#;
        assert_eq!(error_of(&format!("{{{item},\"lbls\":{million}}}")), "lbls must have at most one label");
        assert_eq!(
            error_of(&format!("{{{item},\"cprops\":{{\"a\":{million}}}}}")),
            "cprops must have at most 8192 bytes as JSON, got 3000007"
        );
        assert_eq!(error_of(&format!("{{{item},\"dt\":{million}}}")), "dt must be a string");
        assert_eq!(error_of(&million), "each element must be an object with epi, empi and du");
        assert!(
            ItemInputs::parse(Action::Add, "a", &format!("[{{{item},\"x\":{million}}}]")).unwrap().elements[0].is_ok()
        );
    }

    #[test]
    fn spaces_in_custom_fields_do_not_count() {
        let spaced = format!("{{{}\"a\" : 1}}", " ".repeat(20_000));
        assert_eq!(Value::from(properties("cprops", &spaced).unwrap()), serde_json::json!({ "a": 1 }));
    }
}
