//! The store's view of its alerts: who waits, what was sent, what failed.

use std::sync::Arc;

use axum::extract::State;
use serde_json::value::RawValue;
use uuid::Uuid;
use wishbone_core::alerts::list::{ListSubscriptions, PageStart, SubscriptionFilter};
use wishbone_core::alerts::retry::{MAX_RETRIES, RetrySelection, retry_alerts};
use wishbone_core::alerts::summary::SummarizeSubscriptions;
use wishbone_core::catalog::fields::product_id;
use wishbone_core::catalog::topic::Topic;
use wishbone_core::error::Error;
use wishbone_core::json::write_records;
use wishbone_core::mail::medium::Medium;
use wishbone_core::subscriptions::status;

use crate::api::alerts::{DEFAULT_PAGE, MAX_PAGE};
use crate::app::App;
use crate::http::request::authentication::AdminJsonCall;
use crate::http::request::json_body::JsonBody;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn list(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let body = &call.body;
    let product = |name| body.flat(name)?.map(|value| product_id(name, &value)).transpose();
    let filter = SubscriptionFilter {
        topic: body.text("topic")?.as_deref().map(Topic::parse).transpose()?,
        medium: body.text("medium")?.as_deref().map(Medium::parse).transpose()?,
        variant_id: product("epi")?,
        product_id: product("empi")?,
        status: body.text("state")?.as_deref().map(status::parse).transpose()?,
    };
    let limit = body.whole("limit", 1, MAX_PAGE)?.unwrap_or(DEFAULT_PAGE);
    let start = body.text("next")?;
    let start = start.map(|token| PageStart::of_token(&app.keys, &call.by, &filter, &token)).transpose()?;
    let list = ListSubscriptions { by: call.by.clone(), filter: filter.clone(), limit, start };
    let page = app.database.read_long(list).await?;
    let next = page.next.map(|next| next.token(&app.keys, &call.by, &filter));
    Ok(Answer::data(|out| {
        out.extend_from_slice(b"{\"subscriptions\":");
        write_records(out, page.records.iter().map(Vec::as_slice));
        // Tokens need no escaping.
        let next = next.map_or_else(|| "null".to_owned(), |token| format!("\"{token}\""));
        out.extend_from_slice(format!(",\"next\":{next}}}").as_bytes());
    }))
}

pub(crate) async fn summary(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let limit = call.body.whole("limit", 1, MAX_PAGE)?.unwrap_or(DEFAULT_PAGE);
    let records = app.database.read_long(SummarizeSubscriptions { by: call.by, limit }).await?;
    Ok(Answer::data(|out| write_records(out, records.iter().map(Vec::as_slice))))
}

pub(crate) async fn retry(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let AdminJsonCall { by, body, .. } = call;
    let now = app.environment.now();
    let selection = match (body.get("ids"), body.text("state")?.as_deref()) {
        (Some(ids), None) => RetrySelection::Ids(parse_ids(ids)?),
        (None, Some("failed")) => RetrySelection::Failed,
        (None, Some(_)) => return Err(Error::invalid("state", "must be failed").into()),
        (Some(_), Some(_)) => {
            return Err(Error::invalid("ids", "and state exclude each other: send one of them").into());
        }
        (None, None) => return Err(Error::missing("ids, or state \"failed\",").into()),
    };
    let retried = retry_alerts(&app.database, &by, &selection, now).await?;
    app.due_alert.notify_one();
    Ok(Answer::data(|out| out.extend_from_slice(format!("{{\"retried\":{retried}}}").as_bytes())))
}

fn parse_ids(ids: &RawValue) -> Result<Vec<Uuid>> {
    let parse = |ids: Vec<String>| ids.iter().map(|id| Uuid::try_parse(id).ok()).collect();
    let rule = || Error::invalid("ids", format!("must be an array of 1 to {MAX_RETRIES} ids of subscriptions"));
    Ok(JsonBody::texts(ids, MAX_RETRIES).and_then(parse).ok_or_else(rule)?)
}
