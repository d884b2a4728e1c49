//! The page of a shared list, which share links lead to.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use wishbone_core::mail::shared_list::{FindSharedContext, FindSharedList, Place, SharedItem, SharedLink};
use wishbone_core::mail::shop_url::{ShopOrigins, ShopUrl};

use crate::app::App;
use crate::http::edge::admission::overloaded;
use crate::http::edge::rate_limit::Rate;
use crate::http::handlers::mail_pages::{invalid_link, read_link};
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::http::response::page::page_response;
use crate::limit_key::HashedKey;
use crate::mail::budget::Budget;
use crate::mail::letterhead::Letterhead;
use crate::mail::pages::{SharedView, shared_page};
use crate::mail::pool::Purpose;
use crate::mail::shared_urls::list_page_url;

pub(crate) async fn page(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let query = request.uri().query();
    let token = read_link(query, |token| Some(token.to_owned()));
    let link = token.as_deref().and_then(|token| SharedLink::of_token(&app.keys, token));
    let Some((token, by)) = token.zip(link) else { return invalid_link(&app, request.headers()).await };
    let slot = app.shared_links.acquire(Some(HashedKey::of(&token)));
    let _slot = slot.ok_or_else(overloaded)?;
    let Some(context) = app.database.read(FindSharedContext { by }).await? else {
        return invalid_link(&app, request.headers()).await;
    };
    let (settings, store_id) = (&context.store.settings, context.store.store_id);
    if let Some(address) = app.proxies.client_key(request.extensions(), request.headers()) {
        let rate = Rate::per_second(settings.address_rate_limit);
        let verdict = app.address_rates.take((store_id, address), rate, app.environment.now());
        verdict.require("an address may call this", "times a second")?;
    }
    let asked = After::read(query);
    let list = app.database.read(FindSharedList { by, after: asked.place, now: app.environment.now() }).await?;

    let (origins, mut pictures) = (ShopOrigins::new(settings), Vec::from_iter(settings.alerts.logo.clone()));
    let items: &[SharedItem] = list.as_ref().map_or(&[], |list| &list.items);
    let shown = items.iter().filter_map(|shared| origins.own(&shared.item.image));
    pictures.extend(shown.map(ShopUrl::into_string));
    let after = After { place: Place::START, before: asked.before + i64::try_from(items.len()).unwrap_or(0) };
    let next = list.as_ref().and_then(|list| list.next).map(|place| After { place, ..after }.to_string());
    let more = list.as_ref().map_or(0, |list| list.count - after.before).max(1);
    let status = if list.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let list_page = list_page_url(&app.keys, settings, by);
    let view = SharedView { list, list_page, token, next, more };
    let render = move |budget: &Arc<Budget>| shared_page(&Letterhead::of_context(budget, context), view);
    let html = app.renders.run(store_id, Purpose::Call, render).await?;
    page_response(status, html, &pictures.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Where a page begins: after an item, which is after this many others.
#[derive(Clone, Copy)]
struct After {
    place: Place,
    before: i64,
}

impl After {
    /// Anything else than what a page links to is the first page.
    fn read(query: Option<&str>) -> Self {
        let parse = || {
            let query = Form::parse(query?.as_bytes()).ok()?;
            let mut numbers = query.get("after")?.split('-').map(str::parse);
            let mut number = || numbers.next()?.ok();
            Some(Self { place: Place { added_at: number()?, seq: number()? }, before: number()? })
        };
        parse().unwrap_or(Self { place: Place::START, before: 0 })
    }
}

impl std::fmt::Display for After {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}-{}", self.place.added_at, self.place.seq, self.before)
    }
}
