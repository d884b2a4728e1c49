//! Webhooks of a store, in JSON.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::error::Error;
use wishbone_core::webhooks::endpoints::{
    CreateWebhook, DeleteWebhook, FindWebhook, ListWebhooks, NewSecret, RotateSecret, Webhook,
};
use wishbone_core::webhooks::event_type::{EventSet, EventType};
use wishbone_core::webhooks::log::ListDeliveries;
use wishbone_core::webhooks::replay::Replay;

use crate::api::webhooks::{DEFAULT_DELIVERIES, MAX_DELIVERIES};
use crate::app::App;
use crate::http::request::authentication::AdminJsonCall;
use crate::http::request::json_body::JsonBody;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::outbound::target::Target;
use crate::webhooks::description::describe;

/// The secret is not stored under an idempotency key, only the id: a repeated call reads the secret again.
pub(crate) async fn create(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let url = call.body.required_text("url")?;
    let events = events(&call.body)?;
    Target::parse(&url, app.outbound.allow_private).map_err(|rule| Error::invalid("url", rule))?;
    let (new, moment) = (new_secret(&app), app.environment.moment());
    let create = CreateWebhook::new(call.by.clone(), &app.keys, url, events, &new, &moment)?;
    let stored = app.write(call.idempotency_key, create, |id| id.to_string().into_bytes().into()).await?;
    let id = Uuid::try_parse_ascii(&stored.0.body).map_err(Error::internal)?;
    let found = app.database.read(FindWebhook { by: call.by, id }).await?;
    let (Webhook { url, events, .. }, secret) = (&found.webhook, found.secret(&app.keys)?.to_text());
    Ok(Answer::data_value(&json!({ "id": id.to_string(), "url": url, "events": events.names(), "secret": secret })))
}

pub(crate) async fn list(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let webhooks = app.database.read(ListWebhooks { by: call.by }).await?;
    Ok(Answer::data_value(&webhooks.iter().map(describe).collect()))
}

pub(crate) async fn delete(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let id = id(&call.body)?;
    let delete = DeleteWebhook { by: call.by, id, now: app.environment.now() };
    app.write(call.idempotency_key, delete, move |()| Answer::data_value(&json!({ "id": id.to_string() }))).await
}

pub(crate) async fn rotate(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let id = id(&call.body)?;
    let rotate = RotateSecret::new(call.by.clone(), &app.keys, id, &new_secret(&app), app.environment.now())?;
    app.write(call.idempotency_key, rotate, |()| Vec::new().into()).await?;
    let found = app.database.read(FindWebhook { by: call.by, id }).await?;
    Ok(Answer::data_value(&json!({ "id": id.to_string(), "secret": found.secret(&app.keys)?.to_text() })))
}

pub(crate) async fn deliveries(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let (id, state, next) = (id(&call.body)?, call.body.text("state")?, call.body.text("next")?);
    let limit = call.body.whole("limit", 1, MAX_DELIVERIES)?.unwrap_or(DEFAULT_DELIVERIES);
    let list = ListDeliveries::new(call.by, &app.keys, id, state.as_deref(), limit, next.as_deref())?;
    let page = app.database.read(list).await?;
    let deliveries: Vec<Value> = page
        .deliveries
        .iter()
        .map(|delivery| {
            json!({
                "id": delivery.id().to_string(),
                "type": delivery.event_type(),
                "state": delivery.state(),
                "attempts": delivery.attempts,
                "status": delivery.status,
                "at": delivery.at(),
                "lasterror": delivery.problem,
            })
        })
        .collect();
    Ok(Answer::data_value(&json!({ "deliveries": deliveries, "next": page.next(&app.keys) })))
}

pub(crate) async fn replay(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let id = id(&call.body)?;
    let since = call.body.whole("since", 0, i64::MAX)?.ok_or_else(|| Error::missing("since"))?;
    if let Some(answer) = app.stored_response(call.idempotency_key.as_ref()).await? {
        return Ok(answer);
    }
    let replay = Replay { by: call.by, id, since, now: app.environment.now() };
    let last = replay.start(&app.database).await?;
    app.write(call.idempotency_key, last, |queued| Answer::data_value(&json!({ "queued": queued.total }))).await
}

fn new_secret(app: &App) -> NewSecret {
    NewSecret { random: app.environment.random(), nonce: app.environment.random() }
}

/// The webhook that a call names. An id that is no UUID belongs to none.
fn id(body: &JsonBody) -> Result<Uuid> {
    let id = body.required_text("id")?;
    Ok(Uuid::try_parse(&id).unwrap_or_default())
}

fn events(body: &JsonBody) -> Result<EventSet> {
    let names = body.get("events").ok_or_else(|| Error::missing("events"))?;
    let rule = || Error::invalid("events", "must be an array of event types, or [\"*\"] for all");
    let names = JsonBody::texts(names, EventType::ALL.len() + 1).ok_or_else(rule)?;
    Ok(EventSet::parse(names.iter().map(String::as_str))?)
}
