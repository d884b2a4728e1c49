//! Lookups across lists: `contains` for the hearts of a listing page, and social counts.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::Value;
use uuid::Uuid;
use wishbone_core::catalog::fields::product_id;
use wishbone_core::error::Error;
use wishbone_core::json::{Object, array};
use wishbone_core::json_parts::{Elements, elements, flat};
use wishbone_core::sharing::counts::{Contains, Found, MAX_PRODUCTS, MAX_VARIANTS, SocialCount, Wanted};

use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::request::list_type::list_type_if_given;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::holding;

/// Bytes of the id of a list in a response.
const LIST_ID: usize = 39;

/// Bytes of the id of a variant in a response, as the key of its lists.
const VARIANT_ID: usize = 22;

/// Takes variants (`epis`) or products (`empis`).
pub(crate) async fn contains(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    let wanted = match (call.form.get("epis"), call.form.get("empis")) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid("epis", "and empis exclude each other: send one of them").into());
        }
        (None, Some(_)) => Wanted::Products(ids(&call.form, "empis", MAX_VARIANTS)?),
        _ => Wanted::Variants(ids(&call.form, "epis", MAX_VARIANTS)?),
    };
    let list_type = list_type_if_given(&call.form)?;
    let find = Contains { by: call.by.clone(), wanted, list_type, only_if_few: true };
    let (held, reservation) = match app.database.read(find.clone()).await? {
        Some(held) => (held, None),
        None => {
            let lists = usize::try_from(call.by.store().settings.max_lists).unwrap_or(usize::MAX);
            let of_list = match &find.wanted {
                Wanted::Variants(variants) => variants.len() * LIST_ID,
                Wanted::Products(_) => MAX_VARIANTS * (VARIANT_ID + LIST_ID),
            };
            let most = of_list.saturating_mul(lists);
            let reservation = app.reserve_response(call.limit_key(), most)?;
            let turn = app.long_reads.turn(call.limit_key()).await?;
            let held = app.database.read_long_holding(turn, Contains { only_if_few: false, ..find }).await?;
            (held.unwrap_or_default(), Some(reservation))
        }
    };
    let answer = Answer::object(|answer| {
        answer.text("status", "success");
        let mut data = Object::open(answer.key("data"));
        write_places(&mut data, &held);
        data.close();
    });
    Ok(holding(answer, reservation))
}

/// Writes lists by variant, of products as an object each.
fn write_places(data: &mut Object<'_>, found: &Found) {
    let write = |object: &mut Object<'_>, variant: i64, lists: &[Uuid]| {
        array(object.key(&variant.to_string()), lists, |out, list| {
            out.extend_from_slice(format!("\"{list}\"").as_bytes());
        });
    };
    let mut all = found.iter().peekable();
    while let Some(((product, variant), lists)) = all.next() {
        let Some(product) = product else {
            write(data, *variant, lists);
            continue;
        };
        let mut of_product = Object::open(data.key(&product.to_string()));
        write(&mut of_product, *variant, lists);
        while let Some(((_, variant), lists)) = all.next_if(|((of, _), _)| *of == Some(*product)) {
            write(&mut of_product, *variant, lists);
        }
        of_product.close();
    }
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
    let count = SocialCount { by: call.by.clone(), products: products.clone(), only_if_few: true };
    let found = app.database.read(count).await?;
    let mut counts = Vec::with_capacity(found.len());
    for (product, count) in products.iter().zip(found) {
        counts.push(match count {
            Some(count) => count,
            None => long_count(&app, &call, *product).await?,
        });
    }
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

/// Counts a product that many shoppers want.
async fn long_count(app: &Arc<App>, call: &ShopperCall, product: i64) -> Result<i64> {
    let key = (call.by.store().store_id, product);
    let count = SocialCount { by: call.by.clone(), products: vec![product], only_if_few: false };
    let read = {
        let app = Arc::clone(app);
        |turn| async move { Ok(app.database.read_long_holding(turn, count).await?.into_iter().flatten().sum()) }
    };
    Ok(app.long_reads.count(call.limit_key(), key, read).await?)
}

fn ids(form: &Form, name: &str, most: usize) -> Result<Vec<i64>> {
    let invalid = |error| Error::invalid(name, format!("must be a JSON array of numbers ({error})"));
    let Elements { first, has_more } = elements(form.required(name)?, most).map_err(invalid)?;
    if has_more || first.is_empty() {
        return Err(Error::invalid(name, format!("must have 1 to {most} elements")).into());
    }
    let each = format!("each of {name}");
    let id = |element| product_id(&each, &flat(element).map_err(invalid)?);
    Ok(first.into_iter().map(id).collect::<wishbone_core::error::Result<_>>()?)
}
