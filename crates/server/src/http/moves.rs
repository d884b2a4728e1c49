//! Moving items between lists.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::access::ListTarget;
use wishbone_core::item_input::{Action, ItemInputs};
use wishbone_core::json::array;
use wishbone_core::moves::{MoveItems, Moved};
use wishbone_core::record::write_records;

use super::answer::Answer;
use super::auth::ShopperCall;
use super::error::Result;
use super::items::write_failed;
use crate::app::App;

pub(super) async fn move_items(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let from = ListTarget { list: call.list_of(&app, "fromlid")?, if_version: call.form.count("ifversion")? };
    let to = ListTarget { list: call.list_of(&app, "tolid")?, if_version: None };
    // As with deleting, an item is named by its epi, and by its empi where that is given.
    let items = ItemInputs::parse(Action::Delete, "items", call.form.required("items")?)?;
    let move_items = MoveItems { by: call.by, from, to, items, moment: app.world.moment() };
    app.write(call.once, move_items, |moved| answer(&moved)).await
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
