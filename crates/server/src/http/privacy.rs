//! What a store owes the people it knows: everything that is kept of an address, and forgetting it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use wishbone_core::erase::{EraseShopper, Erased, Person, erase_lists, scrub};
use wishbone_core::export::ExportShopper;
use wishbone_core::shoppers::normalize_email;

use super::answer::Answer;
use super::auth::AdminCall;
use super::error::Result;
use super::large::LargeAnswer;
use crate::app::App;

pub(super) async fn export(State(app): State<Arc<App>>, call: AdminCall) -> Result<LargeAnswer> {
    let email = normalize_email("useremail", call.form.required("useremail")?)?;
    let export = ExportShopper { by: call.by, email, now: app.world.now() };
    let parts = app.store.read_long(export).await?;
    app.large_answers.answer(parts.into_iter().map(Bytes::from).collect())
}

pub(super) async fn erase(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let email = normalize_email("useremail", call.form.required("useremail")?)?;
    let person = Person { by: call.by, email, now: app.world.now() };
    if let Some(answer) = app.answered(call.once.as_ref()).await? {
        scrub(&app.store, &person).await?;
        return Ok(answer);
    }
    let before = erase_lists(&app.store, &person).await?;
    let answer = |erased: Erased| {
        Answer::object(|answer| {
            answer.text("status", "success");
            // Writing into memory cannot fail.
            let _ = serde_json::to_writer(answer.key("erased"), &erased);
        })
    };
    let answer = app.write(call.once, EraseShopper { person: person.clone(), before }, answer).await?;
    scrub(&app.store, &person).await?;
    Ok(answer)
}
