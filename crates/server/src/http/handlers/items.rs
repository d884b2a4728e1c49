//! Items: pages of a list, a list with its contents, and changes.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use uuid::Uuid;
use wishbone_core::error::{Code, Error};
use wishbone_core::idempotency::IdempotencyKey;
use wishbone_core::identity::caller::Shopper;
use wishbone_core::items::change::{ChangeItems, Changed, ChangedItems};
use wishbone_core::items::contents::{Contents, ListWithContents};
use wishbone_core::items::input::{Action, FailedItem, ItemInputs, MAX_ITEMS_PER_CALL};
use wishbone_core::items::page::ListPage;
use wishbone_core::json;
use wishbone_core::lists::access::not_found;
use wishbone_core::lists::cursor::{Cursor, Filter, Order, SortBy};
use wishbone_core::lists::row::ListRow;
use wishbone_core::lists::view::{Parts, View};
use wishbone_storage::Write;

use crate::api::lists::{MAX_ITEMS, MIN_ITEMS};
use crate::app::App;
use crate::http::handlers::contents::read_contents;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::request::rate_limit::limited;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::http::response::large_response::{InParts, Reservation, SMALL, holding};
use crate::limit_key::LimitKey;

pub(crate) async fn fetch_user_list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    PageRequest::read(&app, &call)?.run(&app, call.by).await
}

/// The parameters of fetch-user-list.
struct PageRequest {
    list: Uuid,
    order: Order,
    after: Option<Cursor>,
    limit: i64,
}

impl PageRequest {
    fn read(app: &App, call: &ShopperCall) -> Result<Self> {
        let ShopperCall { by, form, .. } = call;
        by.require_login()?;
        let order = order(by, form)?;
        let limit = itemslimit(by, form)?;
        let lid = Uuid::try_parse(form.required("lid")?);
        let after = match form.get("next") {
            None => None,
            // Parameters before the list: no token was ever issued for a lid that is no UUID.
            Some(token) => Cursor::from_token(&app.keys, by, lid.as_ref().unwrap_or(&Uuid::nil()), order, token)?,
        };
        Ok(Self { list: lid.map_err(|_| not_found())?, order, after, limit })
    }

    async fn run(self, app: &App, by: Shopper) -> Result<Answer> {
        let Self { list, order, after, limit } = self;
        let (products, open) = (app.product_lookup(), open_page);
        let page = app.database.read(ListPage { by: by.clone(), list, order, after, limit, products, open }).await?;
        let mut body = page.text;
        body.extend_from_slice(br#"],"userinfo":"#);
        View::own(&by).write_userinfo(&mut body);
        body.extend_from_slice(br#"},"pagination":"#);
        let mut pagination = json::Object::open(&mut body);
        let next = page.next.map(|cursor| cursor.to_token(&app.keys, &by, &list, order));
        write_next(&mut pagination, next.as_deref());
        pagination.close();
        body.push(b'}');
        Ok(body.into())
    }
}

/// Writes the response up to the items: the list's record ends with them and the userinfo.
fn open_page(out: &mut Vec<u8>, view: &View<'_>, list: &ListRow) {
    out.extend_from_slice(br#"{"status":"success","data":"#);
    let contents_end = view.write_list(out, list, &Parts { contents: Some(&[]), ..Parts::default() });
    out.truncate(contents_end);
}

pub(crate) fn write_next(pagination: &mut json::Object<'_>, next: Option<&str>) {
    match next {
        Some(token) => pagination.text("next", token),
        None => pagination.null("next"),
    }
}

/// Rejects sort and filter parameters, whatever their values, unless they are enabled for the store.
fn order(by: &Shopper, form: &Form) -> Result<Order> {
    let sent = ["sortby", "sortorder", "filterby"].map(|name| form.get(name));
    if sent.iter().any(Option::is_some) && !by.store().settings.may_sort_and_filter() {
        return Err(Error::new(
            Code::SortFilterDisabled,
            "sortby, sortorder and filterby are off for this store: they need the enterprise plan and the feature sort-filter",
        )
        .into());
    }
    let [sort_by, sort_order, filter] = sent;
    Ok(Order {
        by: match sort_by {
            None => SortBy::Added,
            Some("price") => SortBy::Price,
            Some("title") => SortBy::Title,
            Some(_) => return Err(Error::invalid("sortby", "must be price or title").into()),
        },
        ascending: match sort_order {
            None | Some("desc") => false,
            Some("asc") => true,
            Some(_) => return Err(Error::invalid("sortorder", "must be asc or desc").into()),
        },
        filter: match filter {
            None => Filter::Any,
            Some("instock") => Filter::InStock,
            Some("outofstock") => Filter::OutOfStock,
            Some(_) => return Err(Error::invalid("filterby", "must be instock or outofstock").into()),
        },
    })
}

pub(crate) fn itemslimit(by: &Shopper, form: &Form) -> Result<i64> {
    let rule = |code, got: &str| {
        Error::new(code, format!("itemslimit must be between {MIN_ITEMS} and {MAX_ITEMS}, got {got}"))
    };
    let Some(text) = form.get("itemslimit").map(str::trim) else { return Ok(by.store().settings.default_itemslimit) };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::invalid("itemslimit", "must be a whole number").into());
    }
    // Digits that do not fit an i64 are out of range too.
    let shown: String = text.chars().take(24).collect();
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    match text.parse().unwrap_or(beyond) {
        limit if limit < MIN_ITEMS => Err(rule(Code::MinItemsLimitNotMet, &shown).into()),
        limit if limit > MAX_ITEMS => Err(rule(Code::MaxItemsLimitExceeded, &shown).into()),
        limit => Ok(limit),
    }
}

pub(crate) async fn fetch_list_with_contents(State(app): State<Arc<App>>, call: ShopperCall) -> Response {
    let (by, address) = (call.by.clone(), call.address);
    limited(&app, &by, address, list_with_contents(&app, call)).await
}

async fn list_with_contents(app: &App, call: ShopperCall) -> Result<Response> {
    let caller = call.limit_key();
    let limit = call.query.count("limit")?;
    let offset = call.query.count("offset")?.unwrap_or(0);
    let exclude_archived = call.form.flag("excludeArchived")?.unwrap_or(false);
    let list = call.list(app)?;
    let by = call.by;
    let contents =
        ListWithContents { by: by.clone(), list, exclude_archived, limit, offset, products: app.product_lookup() };
    let (Contents { list, items, owner, access }, reservation) = read_contents(app, contents, caller).await?;
    // The wire format has the items twice, in the list and beside it; they are encoded once. The list's record ends
    // with `"listcontents":[],"userinfo":…}`, and the items go between the brackets.
    let mut record = Vec::new();
    let parts = Parts { contents: Some(&[]), with_userinfo: true, with_rights: true, people_as_null: false };
    let userinfo_at = View::new(&by, access).with_owner_name(owner).write_list(&mut record, &list, &parts);
    let after = record.split_off(userinfo_at);
    let items: Vec<Bytes> = items.into_iter().map(Bytes::from).collect();
    let mut answer = vec![Bytes::from([b"{\"list\":", &record[..]].concat())];
    answer.extend(items.iter().cloned());
    answer.push(Bytes::from([&after[..], b",\"items\":["].concat()));
    answer.extend(items);
    answer.push(Bytes::from_static(b"]}"));
    Ok(holding(InParts(answer), reservation))
}

pub(crate) async fn update_ctx(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    let (list, caller) = (call.target(&app)?, call.limit_key());
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let reservation = admit_items(&app, caller, ["a", "u", "d"].iter().filter_map(|letter| form.get(letter)))?;
    let mut inputs = Vec::new();
    for (letter, action) in [("a", Action::Add), ("u", Action::Update), ("d", Action::Delete)] {
        if let Some(text) = form.get(letter) {
            inputs.push(ItemInputs::parse(action, letter, text)?);
        }
    }
    if inputs.is_empty() {
        return Err(Error::missing("a, u or d").into());
    }
    let total: usize = inputs.iter().map(ItemInputs::len).sum();
    if total > MAX_ITEMS_PER_CALL {
        let rule = format!("must have at most {MAX_ITEMS_PER_CALL} elements together, got {total}: send several calls");
        return Err(Error::invalid("a, u and d", rule).into());
    }
    let change = ChangeItems { by, list, inputs, only_save_for_later: false, moment: app.environment.moment() };
    let answer = |Changed { arrays, list_version, .. }| {
        let answer = Answer::object(|answer| {
            for (letter, action) in [("a", Action::Add), ("u", Action::Update), ("d", Action::Delete)] {
                if let Some(ChangedItems { results, .. }) = arrays.iter().find(|changed| changed.action == action) {
                    json::array(answer.key(letter), results, |out, result| match result {
                        Ok(record) => out.extend_from_slice(record),
                        Err(failed) => write_failed(out, failed),
                    });
                }
            }
        });
        answer.of_version(list_version)
    };
    write_records(&app, (caller, reservation), total, idempotency_key, change, answer).await
}

/// Bytes of items that take milliseconds to parse.
const MANY_ITEMS: usize = 16 << 10;

/// The most bytes of an item's record.
const LARGE_RECORD: usize = 16 << 10;

/// A caller, and what was reserved for the response.
pub(crate) type Reserved = (LimitKey, Option<Reservation>);

/// Admits items before they are parsed.
pub(crate) fn admit_items<'a>(
    app: &App,
    caller: LimitKey,
    items: impl Iterator<Item = &'a str>,
) -> Result<Option<Reservation>> {
    let bytes = items.map(str::len).sum::<usize>();
    if bytes <= MANY_ITEMS { Ok(None) } else { Ok(Some(app.reserve_response(caller, bytes)?)) }
}

/// Runs a write that returns the records of up to `count` items. Their memory is reserved first: the response to a write must
/// not be rejected.
pub(crate) async fn write_records<W: Write<Error = Error>>(
    app: &App,
    (caller, reservation): Reserved,
    count: usize,
    key: Option<IdempotencyKey>,
    operation: W,
    respond: impl Fn(W::Out) -> Answer + Send + Sync + 'static,
) -> Result<Response> {
    let bytes = count * LARGE_RECORD;
    if bytes <= SMALL {
        return Ok(holding(app.write(key, operation, respond).await?, reservation));
    }
    let reservation = match reservation {
        Some(mut reservation) => {
            app.large_responses.resize(&mut reservation, bytes)?;
            reservation
        }
        None => app.reserve_response(caller, bytes)?,
    };
    Ok(reservation.hold(app.large_write(app.write(key, operation, respond)).await?))
}

pub(crate) fn write_failed(out: &mut Vec<u8>, failed: &FailedItem) {
    // Writing into memory cannot fail.
    let _ = serde_json::to_writer(out, failed);
}
