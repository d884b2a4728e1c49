//! The store's view of its alerts: who waits, what was sent, what failed.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use uuid::Uuid;
use wishbone_core::alerts::list::{ListSubscriptions, PageStart, SubscriptionFilter};
use wishbone_core::alerts::retry::{MAX_RETRIES, RetryAlerts, RetrySelection};
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

/// Transactions of one call that retries everything; a further call continues.
const MAX_STEPS: usize = 200;

pub(crate) async fn list(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let body = JsonBody(&call.body);
    let filter = SubscriptionFilter {
        topic: body.text("topic")?.map(Topic::parse).transpose()?,
        medium: body.text("medium")?.map(Medium::parse).transpose()?,
        variant_id: body.get("epi").map(|value| product_id("epi", value)).transpose()?,
        product_id: body.get("empi").map(|value| product_id("empi", value)).transpose()?,
        status: body.text("state")?.map(status::parse).transpose()?,
    };
    let limit = body.whole("limit", 1, MAX_PAGE)?.unwrap_or(DEFAULT_PAGE);
    let start = body.text("next")?.map(|token| PageStart::of_token(&app.keys, &call.by, &filter, token)).transpose()?;
    let list = ListSubscriptions { by: call.by, filter, limit, start, keys: app.keys.clone() };
    let page = app.database.read_long(list).await?;
    Ok(Answer::data(|out| {
        out.extend_from_slice(b"{\"subscriptions\":");
        write_records(out, page.records.iter().map(Vec::as_slice));
        // Tokens need no escaping.
        let next = page.next.map_or_else(|| "null".to_owned(), |token| format!("\"{token}\""));
        out.extend_from_slice(format!(",\"next\":{next}}}").as_bytes());
    }))
}

pub(crate) async fn summary(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let limit = JsonBody(&call.body).whole("limit", 1, MAX_PAGE)?.unwrap_or(DEFAULT_PAGE);
    let records = app.database.read_long(SummarizeSubscriptions { by: call.by, limit }).await?;
    Ok(Answer::data(|out| write_records(out, records.iter().map(Vec::as_slice))))
}

pub(crate) async fn retry(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let (body, by, now) = (JsonBody(&call.body), call.by, app.environment.now());
    let (selection, steps) = match (body.get("ids"), body.text("state")?) {
        (Some(ids), None) => (RetrySelection::Ids(parse_ids(ids)?), 1),
        (None, Some("failed")) => (RetrySelection::Failed, MAX_STEPS),
        (None, Some(_)) => return Err(Error::invalid("state", "must be failed").into()),
        (Some(_), Some(_)) => {
            return Err(Error::invalid("ids", "and state exclude each other: send one of them").into());
        }
        (None, None) => return Err(Error::missing("ids, or state \"failed\",").into()),
    };
    let mut retried = 0;
    for _ in 0..steps {
        let step = app.database.write(RetryAlerts { by: by.clone(), selection: selection.clone(), now }).await?;
        retried += step.retried;
        if step.selected < MAX_RETRIES {
            break;
        }
    }
    app.due_alert.notify_one();
    Ok(Answer::data(|out| out.extend_from_slice(format!("{{\"retried\":{retried}}}").as_bytes())))
}

fn parse_ids(ids: &Value) -> Result<Vec<Uuid>> {
    let rule = || Error::invalid("ids", format!("must be an array of 1 to {MAX_RETRIES} ids of subscriptions"));
    let ids = ids.as_array().filter(|ids| (1..=MAX_RETRIES).contains(&ids.len())).ok_or_else(rule)?;
    let parsed = ids.iter().map(|id| id.as_str().and_then(|id| Uuid::try_parse(id).ok()).ok_or_else(rule));
    Ok(parsed.collect::<std::result::Result<_, _>>()?)
}
