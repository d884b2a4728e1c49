//! Exporting and erasing the data of one person.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::merging::settle::settle_by_email;
use wishbone_core::privacy::erase::{EraseShopper, Erased, Person, erase_lists, scrub};
use wishbone_core::privacy::export::ExportShopper;

use crate::app::App;
use crate::http::request::authentication::AdminCall;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::InParts;
use crate::limit_key::LimitKey;

pub(crate) async fn export(State(app): State<Arc<App>>, call: AdminCall) -> Result<InParts> {
    let email = normalize_email("useremail", call.form.required("useremail")?)?;
    let store_id = call.by.store().store_id;
    settle_by_email(&app.database, store_id, &email, &|| app.environment.moment()).await?;
    app.wake_steps();
    let export = ExportShopper { by: call.by, email, now: app.environment.now() };
    let turn = app.long_reads.turn(LimitKey::Store(store_id)).await?;
    let parts = app.database.read_long_holding(turn, export).await?;
    Ok(InParts(parts.into_iter().map(Bytes::from).collect()))
}

pub(crate) async fn erase(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let email = normalize_email("useremail", call.form.required("useremail")?)?;
    let person = Person { by: call.by, email, now: app.environment.now() };
    if let Some(answer) = app.stored_response(call.idempotency_key.as_ref()).await? {
        scrub(&app.database, &person).await?;
        return Ok(answer);
    }
    let before = erase_lists(&app.database, &person, &|| app.environment.moment()).await?;
    let answer = |erased: Erased| {
        Answer::object(|answer| {
            answer.text("status", "success");
            // Writing into memory cannot fail.
            let _ = serde_json::to_writer(answer.key("erased"), &erased);
        })
    };
    app.wake_steps();
    let answer = app.write(call.idempotency_key, EraseShopper { person: person.clone(), before }, answer).await?;
    scrub(&app.database, &person).await?;
    Ok(answer)
}
