//! The save-for-later list (beta: must be enabled for the store).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use wishbone_core::identity::caller::Shopper;
use wishbone_core::items::change::{ChangeItems, Changed};
use wishbone_core::items::input::{Action, FailedItem, ItemInputs};
use wishbone_core::items::page::{ListPage, Page};
use wishbone_core::json::{Object, array, write_records};
use wishbone_core::lists::create::ListDetails;
use wishbone_core::lists::cursor::{Cursor, Order};
use wishbone_core::lists::row::ListRow;
use wishbone_core::lists::save_for_later::{EnsureSaveForLater, FindSaveForLater};
use wishbone_core::lists::view::{Parts, View};
use wishbone_core::stores::settings::Feature;

use crate::app::App;
use crate::http::handlers::items::{self, itemslimit, write_failed, write_next};
use crate::http::handlers::lists::{details, own_record};
use crate::http::request::authentication::ShopperCall;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

const DEFAULT_NAME: &str = "Saved for later";

pub(crate) async fn create(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_feature(Feature::SaveForLater)?;
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let ensure = ensure(&app, &by, details(&form)?);
    app.write(idempotency_key, ensure, move |list| own_record(&by, &list, &Parts::default())).await
}

fn ensure(app: &App, by: &Shopper, mut details: ListDetails) -> EnsureSaveForLater {
    details.name.get_or_insert_with(|| DEFAULT_NAME.to_owned());
    EnsureSaveForLater { by: by.clone(), details, moment: app.environment.moment() }
}

pub(crate) async fn fetch(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, address, .. } = call;
    by.require_feature(Feature::SaveForLater)?;
    let limit = itemslimit(&by, &form)?;
    let list: ListRow = match app.database.read(FindSaveForLater { by: by.clone() }).await? {
        Some(list) => list,
        None => {
            app.admit_write(&by, address, false)?;
            app.metered(ensure(&app, &by, ListDetails::default())).await?
        }
    };
    let order = Order::default();
    let after = match form.get("next") {
        None => None,
        Some(token) => Cursor::from_token(&app.keys, &by, &list.list_id, order, token)?,
    };
    let (list, products) = (list.list_id, app.product_lookup());
    let page = ListPage { by: by.clone(), list, order, after, limit, products, open: open_page };
    let Page { list, text: mut out, next } = app.database.read(page).await?;
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

/// Writes the response up to the items.
fn open_page(out: &mut Vec<u8>, view: &View<'_>, list: &ListRow) {
    out.extend_from_slice(br#"{"list":"#);
    view.write_list(out, list, &Parts::default());
    out.extend_from_slice(br#","items":["#);
}

pub(crate) async fn add(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    change(&app, call, Action::Add, |changed| answer("itemsadded", changed)).await
}

/// The contract requires the caller's user agent as a form field here.
pub(crate) async fn update(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    call.by.require_feature(Feature::SaveForLater)?;
    call.form.required("user-agent")?;
    change(&app, call, Action::Update, |changed| answer("itemsupdated", changed)).await
}

pub(crate) async fn remove(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    change(&app, call, Action::Delete, |changed| answer("itemsdeleted", changed)).await
}

/// Removes the items that were moved to the cart.
pub(crate) async fn moved_to_cart(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    change(&app, call, Action::Delete, |changed| answer("itemsmoved", changed)).await
}

async fn change(app: &App, call: ShopperCall, action: Action, answer: fn(Changed) -> Answer) -> Result<Response> {
    call.by.require_feature(Feature::SaveForLater)?;
    let (list, caller) = (call.target(app)?, call.limit_key());
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let reservation = items::admit_items(app, caller, form.get("items").into_iter())?;
    let items = ItemInputs::parse(action, "items", form.required("items")?)?;
    let (count, inputs) = (items.len(), vec![items]);
    let operation = ChangeItems { by, list, inputs, only_save_for_later: true, moment: app.environment.moment() };
    items::write_records(app, (caller, reservation), count, idempotency_key, operation, answer).await
}

/// Writes the changed items under `key`, and those that failed.
fn answer(key: &str, Changed { arrays, list_version, .. }: Changed) -> Answer {
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
