//! The product that a subscription is about, as a caller sends it.

use serde_json::{Map, Value};

use crate::catalog::fields::{NullPolicy, ProductFields, Rejection, id, product_url};

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
    pub(crate) fn read(product: &Value) -> std::result::Result<Self, Rejection> {
        let object = product.as_object().ok_or("each product must be an object with epi, empi and du")?;
        Self::read_object(object)
    }

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
