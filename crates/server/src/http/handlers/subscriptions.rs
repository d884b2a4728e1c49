//! Subscriptions to products: created by the store, added, removed and fetched by the shopper.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::Value;
use serde_json::value::RawValue;
use wishbone_core::catalog::fields::product_id;
use wishbone_core::catalog::topic::Topic;
use wishbone_core::error::{Code, Error};
use wishbone_core::items::input::properties;
use wishbone_core::json;
use wishbone_core::json::write_records;
use wishbone_core::json_parts::{Elements, elements, flat};
use wishbone_core::mail::medium::Medium;
use wishbone_core::stores::settings::Feature;
use wishbone_core::subscriptions::add::{AddSubscription, SubscribedProduct};
use wishbone_core::subscriptions::create::{CreateSubscriptions, CreatedSubscriptions, MAX_PRODUCTS};
use wishbone_core::subscriptions::fetch::FetchSubscriptions;
use wishbone_core::subscriptions::product::{Conditions, RequestedProducts};
use wishbone_core::subscriptions::remove::RemoveSubscriptions;

use crate::api::subscriptions::MAX_SUBSCRIPTIONS;
use crate::app::App;
use crate::http::request::authentication::{AdminCall, ShopperCall};
use crate::http::request::form::Form;
use crate::http::request::rate_limit::limited;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::limit_key::ClientAddress;

const DEFAULT_LIMIT: i64 = 10;

pub(crate) async fn fetch_subs(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, has_user_agent, .. } = call;
    by.require_feature(Feature::Subscriptions)?;
    if !has_user_agent {
        return Err(Error::missing("the header user-agent").into());
    }
    let topic = Topic::parse(form.required("topic")?)?;
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

pub(crate) async fn add(State(app): State<Arc<App>>, call: ShopperCall) -> Response {
    let (by, address) = (call.by.clone(), call.address);
    limited(&app, &by, address, add_subscription(&app, call)).await
}

async fn add_subscription(app: &App, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, idempotency_key, address: client, .. } = call;
    let topic = Topic::parse(form.required("topic")?)?;
    let medium = Medium::parse(form.required("medium")?)?;
    // Shoppers who are logged in need not repeat their address.
    let address = match (form.get("mediumvalue"), medium, by.email()) {
        (None, Medium::Email, Some(email)) => email,
        _ => form.required("mediumvalue")?,
    };
    let address = medium.normalize(address)?;
    let mut fields = serde_json::Map::new();
    for name in ["epi", "empi", "du"] {
        fields.insert(name.to_owned(), Value::from(form.required(name)?));
    }
    let product = SubscribedProduct::read(&fields)?;
    let conditions = Conditions::parse(form.get("targetprice"), form.int("quantity")?)?;
    let domain = app.mailer.as_ref().map_or("localhost", |mailer| mailer.domain()).to_owned();
    let moment = app.environment.moment();
    let _slot = app.enter_recipient(&by, client, &address)?;
    let add = AddSubscription {
        by,
        clients: client.map(ClientAddress::counters).unwrap_or_default(),
        topic,
        medium,
        address,
        product,
        conditions,
        domain,
        moment,
    };
    let answer = app.write(idempotency_key, add, |record: Vec<u8>| subscribed(&[record])).await?;
    app.new_mail.notify_one();
    Ok(answer)
}

pub(crate) async fn remove(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let variant_id = product_id("epi", &Value::from(form.required("epi")?))?;
    let topic = Topic::parse(form.required("topic")?)?;
    let medium = form.get("medium").map(Medium::parse).transpose()?;
    let remove = RemoveSubscriptions { by, variant_id, topic, medium, moment: app.environment.moment() };
    app.write(idempotency_key, remove, |records: Vec<Vec<u8>>| subscribed(&records)).await
}

fn subscribed(records: &[Vec<u8>]) -> Answer {
    Answer::object(|answer| {
        answer.text("status", "success");
        write_records(answer.key("subscriptions"), records.iter().map(Vec::as_slice));
    })
}

pub(crate) async fn create(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, idempotency_key } = call;
    let medium = Medium::parse(form.required("medium")?)?;
    let address = medium.normalize(form.required("mediumvalue")?)?;
    let products = RequestedProducts::read(array(&form, "products")?)?;
    let topics = array(&form, "topics")?
        .into_iter()
        .map(|name| match flat(name) {
            Ok(Value::String(name)) => Topic::parse(&name),
            _ => Err(Error::invalid("topics", "must be an array of texts")),
        })
        .collect::<wishbone_core::error::Result<Vec<_>>>()?;
    let mailing_list = form.flag("addtomailinglist")?.unwrap_or(false);
    let extras = match form.get("extras") {
        None | Some("null") => None,
        Some(json) => Some(properties("extras", json).map_err(|rule| Error::new(Code::InvalidParameter, rule))?),
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

fn array<'a>(form: &'a Form, name: &str) -> Result<Vec<&'a RawValue>> {
    let Elements { first, has_more } = elements(form.required(name)?, MAX_PRODUCTS)
        .map_err(|error| Error::invalid(name, format!("must be a JSON array ({error})")))?;
    if has_more || first.is_empty() {
        let rule = format!("must have 1 to {MAX_PRODUCTS} elements");
        return Err(Error::invalid(name, rule).into());
    }
    Ok(first)
}
