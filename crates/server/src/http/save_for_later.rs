//! The save-for-later list (beta: a store must have it enabled).

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::caller::Shopper;
use wishbone_core::item_changes::{ChangeItems, Changed};
use wishbone_core::item_input::{Action, FailedItem, ItemInputs};
use wishbone_core::items::{ListPage, Page};
use wishbone_core::json::{Object, array};
use wishbone_core::lists::{ListDetails, ListRow};
use wishbone_core::page::{Cursor, Order};
use wishbone_core::record::{Parts, View, write_records};
use wishbone_core::save_for_later::{EnsureSaveForLater, FindSaveForLater};
use wishbone_core::stores::Feature;

use super::answer::Answer;
use super::auth::ShopperCall;
use super::error::Result;
use super::items::{itemslimit, write_failed, write_next};
use super::lists::{details, own_record};
use crate::app::App;

const DEFAULT_NAME: &str = "Saved for later";

pub(super) async fn create(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_feature(Feature::SaveForLater)?;
    let ShopperCall { by, form, once, .. } = call;
    let ensure = ensure(&app, &by, details(&form)?);
    app.write(once, ensure, move |list| own_record(&by, &list, &Parts::default())).await
}

fn ensure(app: &App, by: &Shopper, mut details: ListDetails) -> EnsureSaveForLater {
    details.name.get_or_insert_with(|| DEFAULT_NAME.to_owned());
    EnsureSaveForLater { by: by.clone(), details, moment: app.world.moment() }
}

pub(super) async fn fetch(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, .. } = call;
    by.require_feature(Feature::SaveForLater)?;
    let limit = itemslimit(&by, &form)?;
    let list: ListRow = match app.store.read(FindSaveForLater { by: by.clone() }).await? {
        Some(list) => list,
        None => app.store.write(ensure(&app, &by, ListDetails::default())).await?,
    };
    let order = Order::default();
    let after = match form.get("next") {
        None => None,
        Some(token) => Cursor::from_token(&app.keys, &by, &list.list_id, order, token)?,
    };
    let begin = |out: &mut Vec<u8>, view: &View<'_>, list: &ListRow| {
        out.extend_from_slice(br#"{"list":"#);
        view.write_list(out, list, &Parts::default());
        out.extend_from_slice(br#","items":["#);
    };
    let page = ListPage {
        by: by.clone(),
        list: list.list_id,
        order,
        after,
        limit,
        words: app.known_words(app.memories()),
        begin,
    };
    let Page { list, written: mut out, next, .. } = app.store.read(page).await?;
    let next = next.map(|cursor| cursor.to_token(&app.keys, &by, &list.list_id, order));
    out.extend_from_slice(br#"],"userinfo":"#);
    View::own(&by).write_userinfo(&mut out);
    out.extend_from_slice(br#","pagination":"#);
    let mut pagination = Object::open(&mut out);
    pagination.int("totalcount", list.item_count);
    write_next(&mut pagination, next.as_deref());
    pagination.int("limit", limit);
    pagination.close();
    out.push(b'}');
    Ok(out.into())
}

pub(super) async fn add(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    change(&app, call, Action::Add, |changed| answer("itemsadded", changed)).await
}

/// The contract requires the caller's user agent as a form field here.
pub(super) async fn update(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_feature(Feature::SaveForLater)?;
    call.form.required("user-agent")?;
    change(&app, call, Action::Update, |changed| answer("itemsupdated", changed)).await
}

pub(super) async fn remove(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    change(&app, call, Action::Delete, |changed| answer("itemsdeleted", changed)).await
}

/// What went to the cart leaves the list.
pub(super) async fn moved_to_cart(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    change(&app, call, Action::Delete, |changed| answer("itemsmoved", changed)).await
}

async fn change(app: &App, call: ShopperCall, action: Action, answer: fn(Changed) -> Answer) -> Result<Answer> {
    call.by.require_feature(Feature::SaveForLater)?;
    let list = call.target(app)?;
    let ShopperCall { by, form, once, .. } = call;
    let inputs = vec![ItemInputs::parse(action, "items", form.required("items")?)?];
    let operation = ChangeItems { by, list, inputs, only_save_for_later: true, moment: app.world.moment() };
    app.write(once, operation, answer).await
}

/// The items that were changed under their key, and those that failed.
fn answer(key: &str, Changed { arrays, list_version }: Changed) -> Answer {
    let (mut done, mut failed): (Vec<Vec<u8>>, Vec<Box<FailedItem>>) = (Vec::new(), Vec::new());
    for result in arrays.into_iter().flat_map(|array| array.results) {
        match result {
            Ok(record) => done.push(record),
            Err(element) => failed.push(element),
        }
    }
    let answer = Answer::object(|answer| {
        write_records(answer.key(key), done.iter().map(Vec::as_slice));
        array(answer.key("itemsfailed"), &failed, |out, failed| write_failed(out, failed));
    });
    answer.of_version(list_version)
}
