//! The catalogue feed, in JSON.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use wishbone_core::catalog::feed::{CatalogChange, DeleteProducts, MAX_ELEMENTS, UpsertProducts};
use wishbone_core::catalog::inventory::UpdateInventory;
use wishbone_core::error::Error;

use crate::app::App;
use crate::http::request::authentication::AdminJsonCall;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn upsert(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let products = elements(call.body, "products")?;
    let upsert = UpsertProducts { by: call.by, products, moment: app.environment.moment() };
    let answer = app.write(call.idempotency_key, upsert, answer).await?;
    app.new_alert.notify_one();
    Ok(answer)
}

pub(crate) async fn delete(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let products = elements(call.body, "products")?;
    app.write(call.idempotency_key, DeleteProducts { by: call.by, products, now: app.environment.now() }, answer).await
}

pub(crate) async fn update_inventory(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let inventory = elements(call.body, "inventory")?;
    let update = UpdateInventory { by: call.by, inventory, moment: app.environment.moment() };
    let answer = app.write(call.idempotency_key, update, answer).await?;
    app.new_alert.notify_one();
    Ok(answer)
}

fn elements(mut body: Value, key: &str) -> Result<Vec<Value>> {
    match body.get_mut(key).map(Value::take) {
        None | Some(Value::Null) => Err(Error::missing(key).into()),
        Some(Value::Array(elements)) if (1..=MAX_ELEMENTS).contains(&elements.len()) => Ok(elements),
        Some(Value::Array(elements)) => {
            let rule = format!("must have 1 to {MAX_ELEMENTS} elements, got {}", elements.len());
            Err(Error::invalid(key, rule).into())
        }
        Some(_) => Err(Error::invalid(key, "must be an array").into()),
    }
}

fn answer(change: CatalogChange) -> Answer {
    Answer::object(|answer| {
        answer.text("status", "success");
        answer.int("updated", i64::try_from(change.updated).unwrap_or(i64::MAX));
        wishbone_core::json::array(answer.key("failed"), &change.failed, |out, failed| {
            // Writing into memory cannot fail.
            let _ = serde_json::to_writer(out, failed);
        });
    })
}
