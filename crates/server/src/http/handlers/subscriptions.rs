//! Subscriptions to products: created by the store, fetched by the shopper.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use wishbone_core::items::input::properties;
use wishbone_core::json::write_records;
use wishbone_core::stores::settings::Feature;
use wishbone_core::subscriptions::create::{CreateSubscriptions, CreatedSubscriptions, MAX_PRODUCTS};
use wishbone_core::subscriptions::fetch::FetchSubscriptions;
use wishbone_core::subscriptions::topic::{Medium, topic};

use wishbone_core::error::Error;
use wishbone_core::json;

use crate::api::subscriptions::MAX_SUBSCRIPTIONS;
use crate::app::App;
use crate::http::request::authentication::{AdminCall, ShopperCall};
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

const DEFAULT_LIMIT: i64 = 10;
pub(crate) async fn fetch_subs(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, has_user_agent, .. } = call;
    by.require_feature(Feature::Subscriptions)?;
    if !has_user_agent {
        return Err(Error::missing("the header user-agent").into());
    }
    let topic = topic(form.required("topic")?)?;
    let medium = form.get("medium").map(Medium::parse).transpose()?;
    let limit = form.int("limit")?.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_SUBSCRIPTIONS).contains(&limit) {
        return Err(Error::invalid("limit", format!("must be between 1 and {MAX_SUBSCRIPTIONS}, got {limit}")).into());
    }
    let offset = form.count("offset")?.unwrap_or(0);
    let found = app.database.read(FetchSubscriptions { by, topic, medium, limit, offset }).await?;
    Ok(Answer::object(|answer| {
        answer.int("limit", limit);
        answer.int("offset", offset);
        answer.int("total", found.total);
        write_records(answer.key("subscriptions"), found.records.iter().map(Vec::as_slice));
    }))
}

pub(crate) async fn create(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, idempotency_key } = call;
    let medium = Medium::parse(form.required("medium")?)?;
    let address = medium.normalize(form.required("mediumvalue")?)?;
    let products = array(&form, "products")?;
    let topics = array(&form, "topics")?
        .iter()
        .map(|name| name.as_str().ok_or_else(|| Error::invalid("topics", "must be an array of texts")).and_then(topic))
        .collect::<wishbone_core::error::Result<Vec<_>>>()?;
    let mailing_list = form.flag("addtomailinglist")?.unwrap_or(false);
    let extras = match form.get("extras") {
        None | Some("null") => None,
        Some(text) => {
            let value = json::parse(text)
                .map_err(|error| Error::invalid("extras", format!("must be a JSON object ({error})")))?;
            Some(
                properties("extras", &value)
                    .map_err(|rule| Error::new(wishbone_core::error::Code::InvalidParameter, rule))?,
            )
        }
    };
    let moment = app.environment.moment();
    let create = CreateSubscriptions { by, medium, address, topics, products, extras, mailing_list, moment };
    let answer = |made: CreatedSubscriptions| {
        Answer::object(|answer| {
            answer.text("status", "success");
            write_records(answer.key("subscriptions"), made.subscriptions.iter().map(Vec::as_slice));
            json::array(answer.key("failed"), &made.failed, |out, failed| {
                // Writing into memory cannot fail.
                let _ = serde_json::to_writer(out, failed);
            });
        })
    };
    app.write(idempotency_key, create, answer).await
}

fn array(form: &Form, name: &str) -> Result<Vec<Value>> {
    let elements: Vec<Value> = json::parse(form.required(name)?)
        .map_err(|error| Error::invalid(name, format!("must be a JSON array ({error})")))?;
    if !(1..=MAX_PRODUCTS).contains(&elements.len()) {
        let rule = format!("must have 1 to {MAX_PRODUCTS} elements, got {}", elements.len());
        return Err(Error::invalid(name, rule).into());
    }
    Ok(elements)
}
