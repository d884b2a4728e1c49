//! Moving items between lists.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use wishbone_core::items::input::{Action, ItemInputs};
use wishbone_core::items::move_items::{MoveItems, Moved};
use wishbone_core::json::{array, write_records};
use wishbone_core::lists::access::ListTarget;

use crate::app::App;
use crate::http::handlers::items::{self, write_failed};
use crate::http::request::authentication::ShopperCall;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn move_items(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    let from = ListTarget { list: call.list_of(&app, "fromlid")?, if_version: call.form.count("ifversion")? };
    let to = ListTarget { list: call.list_of(&app, "tolid")?, if_version: None };
    let caller = call.limit_key();
    let reservation = items::admit_items(&app, caller, call.form.get("items").into_iter())?;
    // As with deleting, an item is identified by its epi, and by its empi if that is sent.
    let items = ItemInputs::parse(Action::Delete, "items", call.form.required("items")?)?;
    let count = items.len();
    let move_items = MoveItems { by: call.by, from, to, items, moment: app.environment.moment() };
    let answer = |moved| answer(&moved);
    items::write_records(&app, (caller, reservation), count, call.idempotency_key, move_items, answer).await
}

fn answer(done: &Moved) -> Answer {
    Answer::object(|answer| {
        answer.text("status", "success");
        write_records(answer.key("moved"), done.moved.iter().map(Vec::as_slice));
        write_records(answer.key("already"), done.already.iter().map(Vec::as_slice));
        array(answer.key("failed"), &done.failed, write_failed);
        answer.int("fromversion", done.from_version);
        answer.int("toversion", done.to_version);
    })
}
