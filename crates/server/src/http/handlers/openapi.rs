//! The API's description: `/openapi.json` and `/docs`. Built once, on first request.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use wishbone_core::error::Error;

use crate::api::page::Pages;
use crate::app::App;
use crate::http::request::base_url::BaseUrl;
use crate::http::response::documents::Documents;
use crate::http::response::error::Result;
use crate::http::response::headers::RESOURCE_POLICY;

/// Readable from any origin, so that API explorers can load it.
pub(crate) async fn json(State(app): State<Arc<App>>) -> Result<Response> {
    let headers =
        [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, cached(&app)), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    Ok((headers, [(RESOURCE_POLICY, "cross-origin")], documents(&app)?.json.clone()).into_response())
}

pub(crate) async fn page(State(app): State<Arc<App>>, BaseUrl(base): BaseUrl) -> Result<Response> {
    let documents = documents(&app)?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        // The URL in it is the one that this client used.
        (CACHE_CONTROL, if app.demo.is_some() { "no-cache" } else { "private, max-age=3600" }),
        (CONTENT_SECURITY_POLICY, documents.policy.as_str()),
    ];
    let base = minijinja::HtmlEscape(&base).to_string();
    Ok((headers, documents.html(&base)).into_response())
}

fn documents(app: &App) -> Result<&Documents> {
    if let Some(documents) = app.documents.get() {
        return Ok(documents);
    }
    let pages = Pages::new(app.demo.as_ref().map(|demo| &demo.examples)).map_err(Error::internal)?;
    Ok(app.documents.get_or_init(|| Documents::new(pages)))
}

/// The document changes only with the server's version. The demo's holds credentials, which differ per demo.
fn cached(app: &App) -> &'static str {
    if app.demo.is_some() { "no-cache" } else { "public, max-age=3600" }
}
