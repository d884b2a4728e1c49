//! The catalogue, fed by the store in JSON.

use std::sync::Arc;

use axum::extract::State;
use serde_json::Value;
use wishbone_core::Error;
use wishbone_core::catalog::{CatalogChange, DeleteProducts, MOST_ELEMENTS, UpdateInventory, UpsertProducts};

use super::answer::Answer;
use super::auth::AdminJsonCall;
use super::error::Result;
use crate::app::App;

pub(super) async fn upsert(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let products = elements(call.body, "products")?;
    app.write(call.once, UpsertProducts { by: call.by, products, moment: app.world.moment() }, answer).await
}

pub(super) async fn delete(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let products = elements(call.body, "products")?;
    app.write(call.once, DeleteProducts { by: call.by, products, now: app.world.now() }, answer).await
}

pub(super) async fn update_inventory(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let inventory = elements(call.body, "inventory")?;
    app.write(call.once, UpdateInventory { by: call.by, inventory, now: app.world.now() }, answer).await
}

fn elements(mut body: Value, key: &str) -> Result<Vec<Value>> {
    match body.get_mut(key).map(Value::take) {
        None | Some(Value::Null) => Err(Error::missing(key).into()),
        Some(Value::Array(elements)) if (1..=MOST_ELEMENTS).contains(&elements.len()) => Ok(elements),
        Some(Value::Array(elements)) => {
            let rule = format!("must have 1 to {MOST_ELEMENTS} elements, got {}", elements.len());
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
