//! The description of the API, for programs and for people. Made idempotency_key, when it is first asked for.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use wishbone_core::error::Error;

use crate::api::examples::BASE;
use crate::api::page::Pages;
use crate::app::App;
use crate::http::request::base_url::BaseUrl;
use crate::http::response::error::Result;
use crate::http::response::headers::RESOURCE_POLICY;

/// Anyone may load it, also a page elsewhere that shows such documents.
pub(crate) async fn json(State(app): State<Arc<App>>) -> Result<Response> {
    let headers =
        [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, cached(&app)), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    Ok((headers, [(RESOURCE_POLICY, "cross-origin")], pages(&app)?.json.clone()).into_response())
}

pub(crate) async fn page(State(app): State<Arc<App>>, BaseUrl(base): BaseUrl) -> Result<Response> {
    let pages = pages(&app)?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        // The URL in it is the one that this client used.
        (CACHE_CONTROL, if app.demo.is_some() { "no-cache" } else { "private, max-age=3600" }),
        (CONTENT_SECURITY_POLICY, pages.policy.as_str()),
    ];
    let base = minijinja::HtmlEscape(&base).to_string();
    Ok((headers, pages.html.replace(BASE, &base)).into_response())
}

fn pages(app: &App) -> Result<&Pages> {
    if let Some(pages) = app.pages.get() {
        return Ok(pages);
    }
    let made = Pages::new(app.demo.as_ref().map(|demo| &demo.examples)).map_err(Error::internal)?;
    Ok(app.pages.get_or_init(|| made))
}

/// It changes with the version of the server alone; the demo's holds credentials, and the next demo has others.
fn cached(app: &App) -> &'static str {
    if app.demo.is_some() { "no-cache" } else { "public, max-age=3600" }
}
