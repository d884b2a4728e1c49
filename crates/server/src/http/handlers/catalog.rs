//! The catalogue feed, in JSON.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::catalog::feed::{CatalogChange, DeleteProducts, UpsertProducts};
use wishbone_core::catalog::feed_input::{FeedInput, FeedInputs};
use wishbone_core::catalog::inventory::UpdateInventory;
use wishbone_core::error::Error;

use crate::app::App;
use crate::http::request::authentication::AdminJsonCall;
use crate::http::request::json_body::JsonBody;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn upsert(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let AdminJsonCall { by, body, idempotency_key } = call;
    let products = elements(body, "products")?;
    let upsert = UpsertProducts { by, products, moment: app.environment.moment() };
    let answer = app.write(idempotency_key, upsert, answer).await?;
    app.new_alert.notify_one();
    Ok(answer)
}

pub(crate) async fn delete(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let AdminJsonCall { by, body, idempotency_key } = call;
    let products = elements(body, "products")?;
    let delete = DeleteProducts { by, products, moment: app.environment.moment() };
    app.write(idempotency_key, delete, answer).await
}

pub(crate) async fn update_inventory(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let AdminJsonCall { by, body, idempotency_key } = call;
    let inventory = elements(body, "inventory")?;
    let update = UpdateInventory { by, inventory, moment: app.environment.moment() };
    let answer = app.write(idempotency_key, update, answer).await?;
    app.new_alert.notify_one();
    Ok(answer)
}

/// Takes the body, so that it is not kept while the elements are written.
fn elements<T: FeedInput>(body: JsonBody, key: &str) -> Result<FeedInputs<T>> {
    let array = body.get(key).ok_or_else(|| Error::missing(key))?;
    Ok(FeedInputs::parse(key, array.get())?)
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
