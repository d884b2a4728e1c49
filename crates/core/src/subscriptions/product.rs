//! The product that a subscription is about, and its conditions, as a caller sends them.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::catalog::fields::{self, KEYS, NullPolicy, ProductFields, Rejection, id, product_url};
use crate::error::{Code, Error, Result};
use crate::items::input::FailedItem;
use crate::json_parts::NamedMembers;

pub const MAX_QUANTITY: i64 = 1_000_000;

/// A valid product of a call.
#[derive(Clone, Debug)]
pub(crate) struct RequestedProduct {
    pub(crate) variant_id: i64,
    pub(crate) product_id: i64,
    pub(crate) url: String,
    /// The fields that the caller sent, encoded.
    pub(crate) given: Option<String>,
    /// The price that the caller sent.
    pub(crate) price: Option<f64>,
}

impl RequestedProduct {
    pub(crate) fn read_object(object: &Map<String, Value>) -> std::result::Result<Self, Rejection> {
        let required =
            |key: &str| object.get(key).filter(|value| !value.is_null()).ok_or_else(|| format!("{key} is required"));
        let mut fields = ProductFields::default();
        let given = fields.apply(object, NullPolicy::Ignore)?;
        let encoded = fields.encode().map_err(|error| error.message)?;
        Ok(Self {
            variant_id: id("epi", required("epi")?)?,
            product_id: id("empi", required("empi")?)?,
            url: product_url(object)?,
            price: fields.price(),
            given: given.then_some(encoded),
        })
    }
}

/// The products of one call, each parsed or rejected.
#[derive(Clone, Debug)]
pub struct RequestedProducts(pub(crate) Vec<std::result::Result<RequestedProduct, Box<FailedItem>>>);

impl RequestedProducts {
    /// Reads the elements of an array; an invalid one is rejected on its own.
    pub fn read<'a>(elements: impl IntoIterator<Item = &'a RawValue>) -> Result<Self> {
        let read = |element: &RawValue| {
            let Some(members) = NamedMembers::read(element.get(), &KEYS)? else {
                let message = "each product must be an object with epi, empi and du";
                return Ok(Err(FailedItem::new(&Map::new(), Code::InvalidItem, message)));
            };
            let product = members.flat()?;
            Ok(RequestedProduct::read_object(&product)
                .map_err(|rejection| FailedItem::new(&product, Code::InvalidItem, rejection)))
        };
        let products = elements.into_iter().map(read).collect::<std::result::Result<_, String>>();
        Ok(Self(products.map_err(|error| Error::invalid("products", error))?))
    }
}

/// The conditions of an alert, as the shopper sets them.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// `pricedrop`: the price at or below which to alert, with its digits.
    pub target_price: Option<String>,
    /// `backinstock`: the units that the shopper wants.
    pub quantity: Option<i64>,
}

impl Conditions {
    pub fn parse(target_price: Option<&str>, quantity: Option<i64>) -> Result<Self> {
        let price = |text: &str| {
            let number = fields::price(&Value::from(text));
            number
                .map(|number| number.to_string())
                .map_err(|_| Error::invalid("targetprice", "must be a number such as 19.95"))
        };
        if let Some(quantity) = quantity.filter(|quantity| !(1..=MAX_QUANTITY).contains(quantity)) {
            return Err(Error::invalid("quantity", format!("must be between 1 and {MAX_QUANTITY}, got {quantity}")));
        }
        Ok(Self { target_price: target_price.map(price).transpose()?, quantity })
    }
}
