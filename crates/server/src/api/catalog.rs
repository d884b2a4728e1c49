//! The catalogue, in JSON.

use serde_json::Value;
use wishbone_core::catalog::feed_input::MAX_ELEMENTS;

use crate::api::json_schema::{array_of, object, refer};
use crate::api::operation::{Answer, Description, OPERATION};
use crate::api::schemas::{deleted_product, stocked};

const CATALOGUE: Description =
    Description { tag: "Catalogue", idempotent: true, answer: Answer::Json(|| refer("CatalogAnswer")), ..OPERATION };

pub(crate) const UPSERT: Description = Description {
    id: "upsertProducts",
    summary: "Upsert products",
    text: "Creates or updates up to 1,000 variants, 4 MiB in total. Valid elements are applied in one transaction; invalid \
           ones are returned in `failed`. Lists show the new data from the next read on.",
    json: Some((
        || elements("products", refer("CatalogProduct")),
        r#"{"products":[{"epi":{epi},"empi":{empi},"pr":19.95,"stock":3}]}"#,
    )),
    ..CATALOGUE
};

pub(crate) const DELETE: Description = Description {
    id: "deleteProducts",
    summary: "Delete products",
    text: "Marks products as deleted and out of stock. List items keep the last known product fields.",
    json: Some((|| elements("products", deleted_product()), r#"{"products":[{"epi":4711}]}"#)),
    ..CATALOGUE
};

pub(crate) const UPDATE_INVENTORY: Description = Description {
    id: "updateInventory",
    summary: "Update inventory",
    text: "Sets the stock of up to 1,000 variants.",
    json: Some((|| elements("inventory", stocked()), r#"{"inventory":[{"epi":{epi},"stock":5}]}"#)),
    ..CATALOGUE
};

fn elements(name: &str, element: Value) -> Value {
    object(&[(name, array_of(element, MAX_ELEMENTS))], &[])
}
