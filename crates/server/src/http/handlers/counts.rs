//! Lookups across lists: `contains` for the hearts of a listing page, and social counts.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use wishbone_core::catalog::fields::product_id;
use wishbone_core::error::Error;
use wishbone_core::json::{Object, array, parse};
use wishbone_core::sharing::counts::{Contains, MAX_PRODUCTS, MAX_VARIANTS, SocialCount};

use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn contains(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let variants = ids(&call.form, "epis", MAX_VARIANTS)?;
    let find = |only_if_few| Contains { by: call.by.clone(), variants: variants.clone(), only_if_few };
    let held = match app.database.read(find(true)).await? {
        Some(held) => held,
        None => app.long_reads.run(app.database.read_long(find(false))).await?.unwrap_or_default(),
    };
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        let mut data = Object::open(answer.key("data"));
        for (variant, lists) in &held {
            array(data.key(&variant.to_string()), lists, |out, list| {
                out.extend_from_slice(format!("\"{list}\"").as_bytes());
            });
        }
        data.close();
    }))
}

/// Takes one product (`empi`) or several (`empis`); `data` is an object or an array accordingly.
pub(crate) async fn social_count(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let (products, is_batch) = match (call.form.get("empi"), call.form.get("empis")) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid("empi", "and empis exclude each other: send one of them").into());
        }
        (None, None) => return Err(Error::missing("empi").into()),
        (Some(product), None) => (vec![product_id("empi", &Value::from(product))?], false),
        (None, Some(_)) => (ids(&call.form, "empis", MAX_PRODUCTS)?, true),
    };
    let count = |only_if_few| SocialCount { by: call.by.clone(), products: products.clone(), only_if_few };
    let counts = match app.database.read(count(true)).await? {
        Some(counts) => counts,
        None => app.long_reads.run(app.database.read_long(count(false))).await?.unwrap_or_default(),
    };
    let write = |out: &mut Vec<u8>, (product, count): (&i64, &i64)| {
        let mut object = Object::open(out);
        object.int("count", *count);
        object.int("empi", *product);
        object.close();
    };
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        let out = answer.key("data");
        let mut pairs = products.iter().zip(&counts);
        match pairs.next().filter(|_| !is_batch) {
            Some(pair) => write(out, pair),
            None => array(out, products.iter().zip(&counts), write),
        }
    }))
}

fn ids(form: &Form, name: &str, most: usize) -> Result<Vec<i64>> {
    let elements: Vec<Value> = parse(form.required(name)?)
        .map_err(|error| Error::invalid(name, format!("must be a JSON array of numbers ({error})")))?;
    if !(1..=most).contains(&elements.len()) {
        return Err(Error::invalid(name, format!("must have 1 to {most} elements, got {}", elements.len())).into());
    }
    let name = format!("each of {name}");
    Ok(elements.iter().map(|element| product_id(&name, element)).collect::<wishbone_core::error::Result<_>>()?)
}
