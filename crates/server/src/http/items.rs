//! Items: pages of a list, a list with its contents, and changes.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use uuid::Uuid;
use wishbone_core::access::not_found;
use wishbone_core::caller::Shopper;
use wishbone_core::item_changes::{ChangeItems, Changed, ChangedItems};
use wishbone_core::item_input::{Action, FailedItem, ItemInputs, MOST_ITEMS_A_CALL};
use wishbone_core::items::{Contents, ListPage, ListWithContents};
use wishbone_core::lists::ListRow;
use wishbone_core::page::{Cursor, Filter, Order, SortBy};
use wishbone_core::record::{Parts, View};
use wishbone_core::{Code, Error, json};

use super::address::Subscriber;
use super::answer::Answer;
use super::auth::{Said, ShopperCall, open_store};
use super::error::{Failure, Result};
use super::form::Form;
use super::kept_pages::{Origin, PageBody, Question, accepts_gzip};
use super::large::LargeAnswer;
use super::rate::Rate;
use crate::app::App;
use crate::memory::Memories;

pub(crate) const LEAST_ITEMS: i64 = 50;
pub(crate) const MOST_ITEMS: i64 = 100;

pub(super) async fn fetch_user_list(State(app): State<Arc<App>>, request: Request) -> Result<PageBody> {
    let said = Said::read(request, app.limits.form_bytes).await?;
    let (memories, compressed) = (app.memories(), accepts_gzip(&said.headers));
    let Some((memories, pages)) = memories.and_then(|memories| Some((memories, memories.pages()?))) else {
        let (body, _) = Box::pin(list_page(&app, said, memories)).await?;
        return Ok(PageBody::new(body, compressed));
    };
    let question = Question::new(&said, compressed);
    if let Some((page, store)) = pages.get(&question, memories.since, &app.words) {
        said.check_key()?;
        open_store(&said.seen, &store)?;
        if cfg!(debug_assertions) {
            Box::pin(check_memory(&app, said, &question, &page)).await;
        }
        return Ok(page);
    }
    // In a box, so that answers from memory need not carry its room around.
    let (body, origin) = Box::pin(list_page(&app, said, Some(memories))).await?;
    Ok(match origin {
        Some(origin) => pages.keep(question, memories.since, body, origin, &app.words),
        None => PageBody::new(body, compressed),
    })
}

/// Every test that sees a page from memory is also one of its truth.
async fn check_memory(app: &App, said: Said, question: &Question, page: &PageBody) {
    let anew = list_page(app, said, None).await;
    let kept = app.memories().and_then(|memories| memories.pages()?.look(question, &app.words));
    // It may have changed since; if not, it was the same all the time.
    if kept.is_some_and(|(_, kept)| kept == *page) {
        let is_so = anew.is_ok_and(|(body, _)| page.says(&body));
        assert!(is_so, "a page was kept for too long");
    }
}

/// A page, and what is to be known of it if it can be kept.
async fn list_page(app: &App, said: Said, memories: Option<Memories<'_>>) -> Result<(Vec<u8>, Option<Origin>)> {
    let ShopperCall { by, form, .. } = &ShopperCall::of(said, app, memories).await?;
    by.require_login()?;
    let order = order(by, form)?;
    let limit = itemslimit(by, form)?;
    let lid = Uuid::try_parse(form.required("lid")?);
    let after = match form.get("next") {
        None => None,
        // Parameters before the list: no token was ever given out for a lid that is no UUID.
        Some(token) => Cursor::from_token(&app.keys, by, lid.as_ref().unwrap_or(&Uuid::nil()), order, token)?,
    };
    let list = lid.map_err(|_| not_found())?;
    let words = app.known_words(memories);
    let begin = |out: &mut Vec<u8>, view: &View<'_>, list: &ListRow| {
        out.extend_from_slice(br#"{"status":"success","data":"#);
        view.begin_list(out, list, &PAGE_PARTS);
    };
    let page = app.store.read(ListPage { by: by.clone(), list, order, after, limit, words, begin }).await?;
    let sources = page.sources(by, order);
    let next = page.next.map(|cursor| cursor.to_token(&app.keys, by, &list, order));
    let mut out = page.written;
    View::own(by).end_list(&mut out, &PAGE_PARTS);
    out.extend_from_slice(br#","pagination":"#);
    let mut pagination = json::Object::open(&mut out);
    write_next(&mut pagination, next.as_deref());
    pagination.close();
    out.push(b'}');
    Ok((out, sources.map(|sources| Origin { spans: page.spans, sources, store: Arc::clone(by.store()) })))
}

const PAGE_PARTS: Parts<'_> =
    Parts { contents: Some(&[]), with_userinfo: true, with_rights: false, people_as_null: false };

pub(super) fn write_next(pagination: &mut json::Object<'_>, next: Option<&str>) {
    match next {
        Some(token) => pagination.text("next", token),
        None => pagination.null("next"),
    }
}

/// Sort and filter are refused as long as the store may not use them, whatever their values.
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

pub(super) fn itemslimit(by: &Shopper, form: &Form) -> Result<i64> {
    let rule = |code, got: &str| {
        Error::new(code, format!("itemslimit must be between {LEAST_ITEMS} and {MOST_ITEMS}, got {got}"))
    };
    let Some(text) = form.get("itemslimit").map(str::trim) else { return Ok(by.store().settings.default_itemslimit) };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::invalid("itemslimit", "must be a whole number").into());
    }
    // Digits that fill no i64 are out of range all the same.
    let shown: String = text.chars().take(24).collect();
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    match text.parse().unwrap_or(beyond) {
        limit if limit < LEAST_ITEMS => Err(rule(Code::MinItemsLimitNotMet, &shown).into()),
        limit if limit > MOST_ITEMS => Err(rule(Code::MaxItemsLimitExceeded, &shown).into()),
        limit => Ok(limit),
    }
}

pub(super) async fn fetch_list_with_contents(
    State(app): State<Arc<App>>,
    Subscriber(address): Subscriber,
    call: ShopperCall,
) -> Response {
    let (store, now) = (call.by.store(), app.world.now());
    let mut verdict = app.rates.take(call.by.fingerprint(), Rate::per_second(store.settings.rate_limit), now);
    let mut who = "a shopper";
    if let (true, Some(address)) = (verdict.allowed, address) {
        let rate = Rate::per_second(store.settings.address_rate_limit);
        verdict = verdict.stricter(app.address_rates.take((store.store_id, address), rate, now));
        who = "an address";
    }
    let answer = if verdict.allowed {
        list_with_contents(&app, call).await
    } else {
        let limit = verdict.limit;
        let message = format!("{who} may ask {limit} times a second: wait as long as Retry-After says");
        Err(Failure(Error::new(Code::RateLimited, message)))
    };
    let mut response = answer.into_response();
    verdict.write(response.headers_mut());
    response
}

async fn list_with_contents(app: &App, call: ShopperCall) -> Result<LargeAnswer> {
    let limit = call.query.count("limit")?;
    let offset = call.query.count("offset")?.unwrap_or(0);
    let exclude_archived = call.form.flag("excludeArchived")?.unwrap_or(false);
    let list = call.list(app)?;
    let by = call.by;
    let contents = ListWithContents {
        by: by.clone(),
        list,
        exclude_archived,
        limit,
        offset,
        words: app.known_words(app.memories()),
    };
    let Contents { list, items, owner, access } = app.store.read(contents).await?;
    // The wire format has the items twice, in the list and beside it; here they are kept once. The list's record ends
    // with `"listcontents":[],"userinfo":…}`, and the items go between the brackets.
    let mut record = Vec::new();
    let parts = Parts { contents: Some(&[]), with_userinfo: true, with_rights: true, people_as_null: false };
    let userinfo_at = View::new(&by, access).shared_by(owner).write_list(&mut record, &list, &parts);
    let after = record.split_off(userinfo_at);
    let items: Vec<Bytes> = items.into_iter().map(Bytes::from).collect();
    let mut answer = vec![Bytes::from([b"{\"list\":", &record[..]].concat())];
    answer.extend(items.iter().cloned());
    answer.push(Bytes::from([&after[..], b",\"items\":["].concat()));
    answer.extend(items);
    answer.push(Bytes::from_static(b"]}"));
    app.large_answers.answer(answer)
}

pub(super) async fn update_ctx(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.target(&app)?;
    let ShopperCall { by, form, once, .. } = call;
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
    if total > MOST_ITEMS_A_CALL {
        let rule =
            format!("u and d must have at most {MOST_ITEMS_A_CALL} elements together, got {total}: send several calls");
        return Err(Error::invalid("a,", rule).into());
    }
    let change = ChangeItems { by, list, inputs, only_save_for_later: false, moment: app.world.moment() };
    let answer = |Changed { arrays, list_version }| {
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
    app.write(once, change, answer).await
}

pub(super) fn write_failed(out: &mut Vec<u8>, failed: &FailedItem) {
    // Writing into memory cannot fail.
    let _ = serde_json::to_writer(out, failed);
}
