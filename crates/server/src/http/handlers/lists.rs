//! Creating, changing, deleting and fetching lists.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use serde_json::Value;
use wishbone_core::error::{Code, Error};
use wishbone_core::identity::caller::Shopper;
use wishbone_core::items::contents::ListWithContents;
use wishbone_core::items::fetch_lists::FetchLists;
use wishbone_core::items::input::{MAX_NOTE_LENGTH, properties};
use wishbone_core::json::write_records;
use wishbone_core::lists::create::{CreateList, ListDetails};
use wishbone_core::lists::delete::DeleteList;
use wishbone_core::lists::duplicate::DuplicateList;
use wishbone_core::lists::fetch::FetchUserLists;
use wishbone_core::lists::row::{ListRow, MAX_NAME_LENGTH, MAX_TYPE_LENGTH, WISHLIST};
use wishbone_core::lists::update::{MarkPublic, UpdateList};
use wishbone_core::lists::view::{Parts, View};

use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::LargeResponse;

pub(crate) async fn fetch_user_lists(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let include_archived = call.form.flag("includeArchived")?.unwrap_or(false);
    let lists = app.database.read(FetchUserLists { by: call.by, include_archived }).await?;
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        write_records(answer.key("data"), lists.iter().map(Vec::as_slice));
    }))
}

/// Returns a bare array: the wire format has no envelope here.
pub(crate) async fn fetch_lists(State(app): State<Arc<App>>, call: ShopperCall) -> Result<LargeResponse> {
    let include_archived = call.form.flag("includeArchived")?.unwrap_or(false);
    let list_type = call.form.get("lty").map(|_| list_type(&call.form)).transpose()?;
    let lists = app
        .database
        .read(FetchLists { by: call.by, list_type, include_archived, products: app.product_lookup(call.version) })
        .await?;
    let mut parts = vec![Bytes::from_static(b"[")];
    for (i, list) in lists.into_iter().enumerate() {
        if i > 0 {
            parts.push(Bytes::from_static(b","));
        }
        parts.push(list.into());
    }
    parts.push(Bytes::from_static(b"]"));
    app.large_responses.response(parts)
}

pub(crate) async fn create(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let details = details(&call.form)?;
    if details.name.is_none() {
        return Err(Error::missing("lname").into());
    }
    if call.form.get("fromlid").is_some() {
        return duplicate(&app, call, details).await;
    }
    let list_type = list_type(&call.form)?;
    let by = call.by.clone();
    let create = CreateList { by: call.by, list_type, details, moment: app.environment.moment() };
    app.write(call.idempotency_key, create, move |list| new_record(&by, &list)).await
}

async fn duplicate(app: &App, call: ShopperCall, details: ListDetails) -> Result<Answer> {
    let from = call.list_of(app, "fromlid")?;
    let list_type = call.form.get("lty").map(|_| list_type(&call.form)).transpose()?;
    let by = call.by.clone();
    let duplicate = DuplicateList { by: call.by, from, list_type, details, moment: app.environment.moment() };
    let answer = app.write(call.idempotency_key, duplicate, move |list| new_record(&by, &list)).await?;
    app.new_copy.notify_one();
    Ok(answer)
}

fn new_record(by: &Shopper, list: &ListRow) -> Answer {
    own_record(by, list, &Parts { contents: Some(&[]), ..Parts::default() })
}

pub(crate) async fn update(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let mut details = details(&call.form)?;
    details.archived = call.form.flag("archived")?;
    if details.is_empty() {
        return Err(Error::new(
            Code::MissingParameter,
            "nothing to change: send at least one of lname, lnote, lprops, ldesc and archived",
        )
        .into());
    }
    let by = call.by.clone();
    let update = UpdateList { by: call.by, list, details, moment: app.environment.moment() };
    app.write(call.idempotency_key, update, move |(list, access)| {
        record(View::new(&by, access), &list, &Parts::default())
    })
    .await
}

pub(crate) async fn delete_list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let by = call.by.clone();
    let delete = DeleteList { by: call.by, list, moment: app.environment.moment() };
    app.write(call.idempotency_key, delete, move |list| own_record(&by, &list, &Parts::default())).await
}

/// Contents may be large, so only the fact that the write was done is stored under an idempotency key: a repeated call
/// changes nothing and returns the list as it is now.
pub(crate) async fn mark_public(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_login()?;
    let target = call.target(&app)?;
    let ShopperCall { by, form, idempotency_key, version, .. } = call;
    let public = form.flag("public")?.unwrap_or(true);
    let list = target.list.clone();
    let mark = MarkPublic { by: by.clone(), list: target, public, moment: app.environment.moment() };
    app.write(idempotency_key, mark, |_| Vec::new().into()).await?;
    let products = app.product_lookup(version);
    let contents = ListWithContents { by: by.clone(), list, exclude_archived: false, limit: None, offset: 0, products };
    let page = app.database.read(contents).await?;
    let parts =
        Parts { contents: Some(&page.items.concat()), with_userinfo: true, with_rights: true, people_as_null: false };
    Ok(record(View::new(&by, page.access), &page.list, &parts))
}

pub(crate) fn own_record(by: &Shopper, list: &ListRow, parts: &Parts<'_>) -> Answer {
    record(View::own(by), list, parts)
}

fn record(view: View<'_>, list: &ListRow, parts: &Parts<'_>) -> Answer {
    let mut out = Vec::new();
    view.write_list(&mut out, list, parts);
    out.into()
}

/// The list details of a form.
pub(crate) fn details(form: &Form) -> Result<ListDetails> {
    let name = match form.get("lname") {
        None => None,
        Some(name) => {
            let name = name.trim();
            let length = name.chars().count();
            if !(1..=MAX_NAME_LENGTH).contains(&length) {
                let rule = format!("must have 1 to {MAX_NAME_LENGTH} characters after trimming, got {length}");
                return Err(Error::invalid("lname", rule).into());
            }
            Some(name.to_owned())
        }
    };
    // A note is a single line. A blank one removes it, because an empty parameter counts as absent.
    let unless_blank = |text: String| if text.trim().is_empty() { String::new() } else { text };
    let note = form.text("lnote", MAX_NOTE_LENGTH)?.map(|note| unless_blank(note.replace(['\r', '\n'], " ")));
    let description = form.text("ldesc", MAX_NOTE_LENGTH)?.map(unless_blank);
    let properties = match form.get("lprops") {
        None | Some("null") => None,
        Some(json) => {
            let value: Value = wishbone_core::json::parse(json)
                .map_err(|error| Error::invalid("lprops", format!("must be a JSON object ({error})")))?;
            Some(properties("lprops", &value).map_err(|rule| Error::new(Code::InvalidParameter, rule))?)
        }
    };
    Ok(ListDetails { name, note, description, properties, archived: None })
}

/// Absent, `null` and `wl` mean a wishlist; any other value is a custom type.
fn list_type(form: &Form) -> Result<String> {
    let given = form.text("lty", MAX_TYPE_LENGTH)?;
    Ok(given
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty() && text != "null")
        .unwrap_or_else(|| WISHLIST.to_owned()))
}
