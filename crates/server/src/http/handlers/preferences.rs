//! The page of mail preferences, which mails link to.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use uuid::Uuid;
use wishbone_core::catalog::topic::Topic;
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::subscriptions::preferences::{
    ChangePreferences, FindPreferences, PreferenceChange, PreferencesLink,
};

use crate::app::App;
use crate::http::handlers::mail_pages::{enter, invalid_link, store_page};
use crate::http::request::body::read_body;
use crate::http::request::form::Form;
use crate::http::response::error::Result;
use crate::mail::pages::{PreferencesView, preferences_page};

/// Pages of alerts that can be asked for.
const MAX_PAGE: i64 = 1_000;

/// A page that is asked for.
struct Asked {
    link: PreferencesLink,
    token: String,
    /// From 0.
    page: i64,
}

impl Asked {
    fn read(app: &App, query: Option<&str>) -> Option<Self> {
        let query = Form::parse(query?.as_bytes()).ok()?;
        let token = query.get("token")?.to_owned();
        let page = query.get("page").and_then(|page| page.parse().ok()).unwrap_or(1);
        Some(Self { link: PreferencesLink::of_token(&app.keys, &token)?, token, page: page.clamp(1, MAX_PAGE) - 1 })
    }
}

/// GET changes nothing: mail programs and virus scanners open links before people do.
pub(crate) async fn page(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let _slot = enter(&app, request.uri().query())?;
    let asked = Asked::read(&app, request.uri().query());
    show(&app, asked, false, request.headers()).await
}

pub(crate) async fn answer(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let _slot = enter(&app, request.uri().query())?;
    let (asked, headers) = (Asked::read(&app, request.uri().query()), request.headers().clone());
    let body = read_body(request, &app, app.limits.form_bytes).await?;
    let change = change(&Form::parse(&body).unwrap_or_default());
    if let (Some(Asked { link, .. }), Some(change)) = (&asked, change) {
        let write = ChangePreferences { by: link.clone(), change, moment: app.environment.moment() };
        app.database.write(write).await?;
    }
    show(&app, asked, change.is_some(), &headers).await
}

/// The change that a button of the page makes.
fn change(form: &Form) -> Option<PreferenceChange> {
    if let Some(id) = form.get("end") {
        return Uuid::try_parse(id).ok().map(PreferenceChange::EndAlert);
    }
    let (name, on) = form.get("off").map(|name| (name, false)).or_else(|| Some((form.get("on")?, true)))?;
    match name {
        "all" => Some(PreferenceChange::All(on)),
        "digest" => Some(PreferenceChange::Digest(on)),
        "reminder" => Some(PreferenceChange::Reminders(on)),
        topic => Topic::parse(topic).ok().map(|topic| PreferenceChange::Topic(topic, on)),
    }
}

async fn show(app: &App, asked: Option<Asked>, saved: bool, headers: &HeaderMap) -> Result<Response> {
    let Some(Asked { link, token, page }) = asked else {
        return invalid_link(app, headers).await;
    };
    let (by, address) = (link.recipient(), Some(link.address().to_owned()));
    let context = app.database.read(FindMailContext { by, address, for_confirmation: false }).await?;
    let Some(context) = context else {
        return invalid_link(app, headers).await;
    };
    let preferences = app.database.read(FindPreferences { by: link, page }).await?;
    let view = PreferencesView { preferences, token, saved };
    store_page(app, StatusCode::OK, context, move |letterhead| preferences_page(letterhead, &view)).await
}
