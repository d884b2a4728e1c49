//! Creating, changing, deleting and fetching lists.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use wishbone_core::error::{Code, Error};
use wishbone_core::identity::caller::Shopper;
use wishbone_core::items::contents::ListWithContents;
use wishbone_core::items::fetch_lists::{FetchLists, MAX_LISTS};
use wishbone_core::items::input::{MAX_NOTE_LENGTH, properties};
use wishbone_core::json::write_records;
use wishbone_core::lists::create::{CreateList, ListDetails};
use wishbone_core::lists::delete::{DeleteList, DeletedList};
use wishbone_core::lists::duplicate::{DuplicateList, MeasureDuplicate};
use wishbone_core::lists::fetch::{FetchUserLists, PartStart, UserLists};
use wishbone_core::lists::row::{ListRow, MAX_NAME_LENGTH};
use wishbone_core::lists::update::{MarkPublic, UpdateList};
use wishbone_core::lists::view::{Parts, View};

use crate::app::App;
use crate::http::handlers::contents::read_contents;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::request::list_type::{list_type, list_type_if_given};
use crate::http::request::rate_limit::limited;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::{InParts, SMALL, holding};
use crate::http::response::streamed::streamed;
use crate::limit_key::LimitKey;

/// The most bytes of lists in one response. With the rest of it, it is still a small one.
const MAX_BYTES: usize = SMALL - (1 << 10);

/// Returns all lists, or those that fit into a response, and where the others begin.
pub(crate) async fn fetch_user_lists(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    let include_archived = call.form.flag("includeArchived")?.unwrap_or(false);
    let token = call.form.get("next");
    let start = token.map(|token| PartStart::from_token(&app.keys, &call.by, token)).transpose()?;
    let (caller, by) = (call.limit_key(), call.by.clone());
    let fetch = FetchUserLists { by: call.by, include_archived, start: start.unwrap_or(PartStart::FIRST) };
    let mut lists = app.database.read(fetch.clone()).await?;
    let bytes: usize = lists.records.iter().map(|(record, _)| record.len() + 1).sum();
    let mut reservation = None;
    if lists.next.is_some() || bytes > MAX_BYTES {
        // Whoever waits holds nothing but a reservation, of which a caller has few.
        drop(lists);
        reservation = Some(app.reserve_response(caller, SMALL)?);
        let start = start.unwrap_or(PartStart::FIRST_OF_SEVERAL);
        lists = fitting_lists(&app, caller, FetchUserLists { start, ..fetch }).await?;
    }
    let answer = Answer::object(|answer| {
        answer.text("status", "success");
        write_records(answer.key("data"), lists.records.iter().map(|(record, _)| record.as_slice()));
        answer.opt_text("next", lists.next.map(|next| next.to_token(&app.keys, &by)).as_deref());
    });
    Ok(holding(answer, reservation))
}

/// The lists that fit into a response, of a shopper who has many.
async fn fitting_lists(app: &App, caller: LimitKey, fetch: FetchUserLists) -> Result<UserLists> {
    let (mut records, mut bytes, mut next) = (Vec::new(), 0, Some(fetch.start));
    while let Some(mut start) = next {
        let turn = app.long_reads.turn(caller).await?;
        let part = app.database.read(FetchUserLists { start, ..fetch.clone() }).await?;
        drop(turn);
        for (record, after) in part.records {
            bytes += record.len() + 1;
            if bytes > MAX_BYTES {
                return Ok(UserLists { records, next: Some(start) });
            }
            records.push((record, after));
            start = after;
        }
        next = part.next;
    }
    Ok(UserLists { records, next })
}

/// Returns a bare array: the wire format has no envelope here.
pub(crate) async fn fetch_lists(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    let include_archived = call.form.flag("includeArchived")?.unwrap_or(false);
    let list_type = list_type_if_given(&call.form)?;
    let products = app.product_lookup();
    let (start, limit) = (PartStart::FIRST, MAX_LISTS);
    let (by, address) = (call.by.clone(), call.address);
    let caller = LimitKey::new(&by, address);
    let fetch = FetchLists { by: call.by, list_type, include_archived, products, start, limit };
    let first = app.database.read(fetch.clone()).await?;
    if first.next.is_none() {
        if first.records.iter().map(Vec::len).sum::<usize>() > SMALL {
            app.require_response_rate(caller)?;
        }
        let mut parts = Vec::with_capacity(2 * first.records.len() + 2);
        let mut separator = OPEN;
        for record in first.records {
            parts.extend([Bytes::from_static(std::mem::replace(&mut separator, NEXT)), record.into()]);
        }
        parts.push(Bytes::from_static(end(separator)));
        return Ok(InParts(parts).into_response());
    }
    // Lists of one type are in order as they come.
    let start = if fetch.list_type.is_some() { PartStart::FIRST } else { PartStart::FIRST_OF_SEVERAL };
    let fetch = FetchLists { start, limit: next_limit(&first.records, limit), ..fetch };
    drop(first);
    let reservation = app.reserve_response(caller, SMALL)?;
    Ok(limited(&app, &by, address, async { Ok(reservation.hold(all_lists(Arc::clone(&app), caller, fetch))) }).await)
}

/// The lists of a shopper who has many, part by part.
fn all_lists(app: Arc<App>, caller: LimitKey, fetch: FetchLists) -> Response {
    streamed((Some(fetch), OPEN), move |(fetch, mut separator)| {
        let app = Arc::clone(&app);
        async move {
            let Some(fetch) = fetch else { return Ok(None) };
            let turn = app.long_reads.turn(caller).await?;
            let part = app.database.read(fetch.clone()).await?;
            drop(turn);
            let limit = next_limit(&part.records, fetch.limit);
            let mut out = Vec::new();
            for record in part.records {
                out.extend_from_slice(std::mem::replace(&mut separator, NEXT));
                out.extend(record);
            }
            if part.next.is_none() {
                out.extend_from_slice(end(separator));
            }
            let next = part.next.map(|start| FetchLists { start, limit, ..fetch });
            Ok(Some((out.into(), (next, separator))))
        }
    })
}

/// How many lists to read next, so that a part takes about as much memory as a small response.
fn next_limit(records: &[Vec<u8>], limit: i64) -> i64 {
    let bytes = records.iter().map(Vec::len).sum::<usize>().max(1);
    (limit * SMALL as i64 / bytes as i64).clamp(1, MAX_LISTS)
}

/// What comes before the first element of an array, and before each other.
const OPEN: &[u8] = b"[";
const NEXT: &[u8] = b",";

/// The end of an array, by what would come before its next element.
fn end(separator: &[u8]) -> &'static [u8] {
    if separator == OPEN { b"[]" } else { b"]" }
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
    let list_type = list_type_if_given(&call.form)?;
    let by = call.by.clone();
    let bytes = app.database.read(MeasureDuplicate { by: by.clone(), from: from.clone() }).await?;
    let duplicate = DuplicateList { by: call.by, from, list_type, details, moment: app.environment.moment() };
    let list_id = duplicate.list_id();
    app.reserve(list_id, bytes);
    let is_copying = Arc::new(AtomicBool::new(false));
    let copying = Arc::clone(&is_copying);
    let respond = move |list: ListRow| {
        copying.store(list.copying, Ordering::Relaxed);
        new_record(&by, &list)
    };
    let answer = app.write(call.idempotency_key, duplicate, respond).await;
    let is_unknown = answer.as_ref().is_err_and(|failure| failure.0.code == Code::OutcomeUnknown);
    if !is_copying.load(Ordering::Relaxed) && !is_unknown {
        app.settle(list_id);
    }
    app.wake_steps();
    answer
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
    // Stays empty if the response is a stored one.
    let deleted = Arc::new(Mutex::new(None));
    let note = Arc::clone(&deleted);
    let respond = move |DeletedList { list, freed, is_left }| {
        *note.lock().unwrap_or_else(PoisonError::into_inner) = Some((list.list_id, freed, is_left));
        own_record(&by, &list, &Parts::default())
    };
    let answer = app.write(call.idempotency_key, delete, respond).await?;
    if let Some((list, freed, is_left)) = deleted.lock().unwrap_or_else(PoisonError::into_inner).take() {
        app.refund_list(list, freed, is_left);
    }
    app.wake_steps();
    Ok(answer)
}

/// Contents may be large, so only the fact that the write was done is stored under an idempotency key: a repeated call
/// changes nothing and returns the list as it is now.
pub(crate) async fn mark_public(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    call.by.require_login()?;
    let (target, caller) = (call.target(&app)?, call.limit_key());
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let public = form.flag("public")?.unwrap_or(true);
    let list = target.list.clone();
    let mark = MarkPublic { by: by.clone(), list: target, public, moment: app.environment.moment() };
    app.write(idempotency_key, mark, |_| Vec::new().into()).await?;
    let products = app.product_lookup();
    let contents = ListWithContents { by: by.clone(), list, exclude_archived: false, limit: None, offset: 0, products };
    let (page, reservation) = read_contents(&app, contents, caller).await?;
    let parts =
        Parts { contents: Some(&page.items.concat()), with_userinfo: true, with_rights: true, people_as_null: false };
    let mut out = Vec::new();
    View::new(&by, page.access).write_list(&mut out, &page.list, &parts);
    Ok(holding(Answer::from(out), reservation))
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
        Some(json) => Some(properties("lprops", json).map_err(|rule| Error::new(Code::InvalidParameter, rule))?),
    };
    Ok(ListDetails { name, note, description, properties, archived: None })
}
