//! The page at `/`, and the pages and files of the demo shop. Without a demo the latter do not exist.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Number, Value, json};
use wishbone_core::catalog::feed::UpsertProducts;
use wishbone_core::catalog::feed_input::FeedInputs;
use wishbone_core::catalog::inventory::UpdateInventory;
use wishbone_core::error::Error;
use wishbone_core::merging::login;
use wishbone_core::moment::MINUTE;

use crate::app::App;
use crate::demo::page::{DemoShop, shopper};
use crate::demo::shop::DELIVERY;
use crate::demo::{files, pictures};
use crate::http::request::base_url::BaseUrl;
use crate::http::request::body::read_body;
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error;
use crate::http::response::error::Result;
use crate::http::response::headers::RESOURCE_POLICY;
use crate::mail::outbox::{Outbox, RecentMail};
use crate::mail::transport::Transport;

/// Above the prices of the demo shop.
const MAX_DEMO_PRICE: f64 = 10_000.0;

/// The demo shop's start page or, on any other server, where to go from here.
pub(crate) async fn home(State(app): State<Arc<App>>, BaseUrl(base): BaseUrl) -> Result<Response> {
    match &app.demo {
        Some(demo) => page(demo, demo.home()),
        None => Ok(landing_page(&base)),
    }
}

/// Shows nothing about stores: everyone sees the same page.
fn landing_page(base: &str) -> Response {
    let html = include_str!("../../../templates/landing.html")
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{base}}", &minijinja::HtmlEscape(base).to_string());
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let headers =
        [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-cache"), (CONTENT_SECURITY_POLICY, policy)];
    (headers, html).into_response()
}

/// A page or a file of the demo shop.
pub(crate) async fn file(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Result<Response> {
    let Some(demo) = &app.demo else { return Ok(error::not_found(uri).await.into_response()) };
    match files::find(&name) {
        Some((media_type, text)) => Ok(served(demo, media_type, text.to_owned())),
        None if name.contains('.') => Ok(error::not_found(uri).await.into_response()),
        None => found(demo, demo.plain(&name)),
    }
}

pub(crate) async fn category(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Result<Response> {
    match &app.demo {
        Some(demo) => found(demo, demo.category(&name)),
        None => Ok(error::not_found(uri).await.into_response()),
    }
}

pub(crate) async fn product(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Result<Response> {
    match &app.demo {
        Some(demo) => found(demo, demo.product(&name)),
        None => Ok(error::not_found(uri).await.into_response()),
    }
}

/// Signs the login of one of the demo's shoppers. Any other shop would ask for a password first.
pub(crate) async fn login(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let Some(demo) = &app.demo else { return Ok(error::not_found(request.uri().clone()).await.into_response()) };
    let body = read_body(request, &app, app.limits.form_bytes).await?;
    let form = Form::parse(&body)?;
    let (regid, name) = (form.required("regid")?, form.required("shopper")?);
    let email = shopper(name).ok_or_else(|| Error::invalid("shopper", "must be ann or ben"))?;
    let expires = (app.environment.now() + MINUTE).to_string();
    let token = login::sign(&demo.login_secret, [&demo.by.store().pid, regid, name, email, &expires]);
    let signed = json!({ "extuid": name, "useremail": email, "expires": expires, "token": token });
    Ok(json_response(&signed))
}

/// What the shop has of a variant, for its cart.
pub(crate) async fn stock(State(app): State<Arc<App>>, Path(id): Path<String>, uri: Uri) -> Response {
    let found = app.demo.as_ref().and_then(|demo| demo.shop.stock(id.parse().ok()?));
    match found {
        Some(stock) => json_response(&json!({ "stock": stock })),
        None => error::not_found(uri).await.into_response(),
    }
}

/// The variants of a product, which hearts and lists ask the shop for.
pub(crate) async fn variants(State(app): State<Arc<App>>, Path(id): Path<String>, uri: Uri) -> Response {
    let products = app.demo.as_ref().map(|demo| demo.shop.products()).unwrap_or_default();
    match products.iter().find(|product| product.id.to_string() == id) {
        Some(product) => json_response(&json!(product.variants)),
        None => error::not_found(uri).await.into_response(),
    }
}

/// Sets the stock of a variant, as the shop's owner: those who wait for it get a mail.
pub(crate) async fn restock(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let Some(demo) = &app.demo else { return Ok(error::not_found(request.uri().clone()).await.into_response()) };
    let body = read_body(request, &app, app.limits.form_bytes).await?;
    let form = Form::parse(&body)?;
    let variant_id: i64 = form.required("epi")?.parse().unwrap_or_default();
    let stock = form.get("stock").map_or(Some(DELIVERY), |text| text.parse().ok().filter(|stock| *stock <= DELIVERY));
    let stock = stock.ok_or_else(|| Error::invalid("stock", format!("must be a number from 0 to {DELIVERY}")))?;
    if !demo.shop.restock(variant_id, stock) {
        return Err(unknown_variant().into());
    }
    let restocked = json!({ "epi": variant_id, "stock": stock });
    let inventory = FeedInputs::parse("inventory", &json!([restocked]).to_string())?;
    app.database.write(UpdateInventory { by: demo.by.clone(), inventory, moment: app.environment.moment() }).await?;
    Ok(json_response(&restocked))
}

/// Sets the price of a variant, as the shop's owner: those who watch it get a mail if it is lower.
pub(crate) async fn price(State(app): State<Arc<App>>, request: Request) -> Result<Response> {
    let Some(demo) = &app.demo else { return Ok(error::not_found(request.uri().clone()).await.into_response()) };
    let body = read_body(request, &app, app.limits.form_bytes).await?;
    let form = Form::parse(&body)?;
    let variant_id: i64 = form.required("epi")?.parse().unwrap_or_default();
    let price: f64 = form.required("pr")?.parse().unwrap_or(f64::NAN);
    if !(0.0..MAX_DEMO_PRICE).contains(&price) {
        return Err(Error::invalid("pr", "must be a price from 0 to 9999.99").into());
    }
    let price = format!("{price:.2}");
    let product_id = demo.shop.reprice(variant_id, &price).ok_or_else(unknown_variant)?;
    let price = Number::from_str(&price).map_err(Error::internal)?;
    let repriced = json!({ "epi": variant_id, "empi": product_id, "pr": price });
    let products = FeedInputs::parse("products", &json!([repriced]).to_string())?;
    app.database.write(UpsertProducts { by: demo.by.clone(), products, moment: app.environment.moment() }).await?;
    Ok(json_response(&repriced))
}

fn unknown_variant() -> Error {
    Error::invalid("epi", "must be a variant of the demo shop")
}

pub(crate) async fn picture(State(app): State<Arc<App>>, Path(name): Path<String>, uri: Uri) -> Response {
    let drawn = app.demo.as_ref().and_then(|demo| Some((demo, pictures::draw(name.strip_suffix(".svg")?)?)));
    match drawn {
        Some((demo, svg)) => served(demo, "image/svg+xml", svg),
        None => error::not_found(uri).await.into_response(),
    }
}

/// The mails that the demo wrote, newest first.
pub(crate) async fn mails(State(app): State<Arc<App>>, uri: Uri) -> Response {
    let Some(outbox) = outbox(&app) else { return error::not_found(uri).await.into_response() };
    let mails: Vec<Value> = outbox
        .recent()
        .into_iter()
        .map(|RecentMail { id, to, subject, at, text, .. }| {
            json!({ "id": id, "to": to, "subject": subject, "at": at, "text": text })
        })
        .collect();
    json_response(&Value::from(mails))
}

/// The HTML part of a mail, for a frame of the outbox. Its content security policy forbids everything but styles and
/// images. Links open a new tab: the frame cannot show their pages.
pub(crate) async fn mail(State(app): State<Arc<App>>, Path(id): Path<String>, uri: Uri) -> Response {
    let found = outbox(&app).and_then(|outbox| outbox.recent().into_iter().find(|mail| mail.id == id));
    let Some((demo, mail)) = app.demo.as_ref().zip(found) else { return error::not_found(uri).await.into_response() };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, demo.mail_policy.as_str()),
    ];
    (headers, mail.html.replacen("<head>", "<head><base target=\"_blank\">", 1)).into_response()
}

fn json_response(value: &Value) -> Response {
    Answer::from(value.to_string().into_bytes()).into_response()
}

fn outbox(app: &App) -> Option<&Outbox> {
    app.demo.as_ref()?;
    match &app.mailer.as_ref()?.transport {
        Transport::Outbox(outbox) => Some(outbox),
        Transport::Smtp(_) => None,
    }
}

fn page(demo: &DemoShop, rendered: std::result::Result<String, minijinja::Error>) -> Result<Response> {
    Ok(served(demo, "text/html; charset=utf-8", rendered.map_err(Error::internal)?))
}

/// A page of the shop, or its page for addresses that do not exist.
fn found(demo: &DemoShop, rendered: Option<std::result::Result<String, minijinja::Error>>) -> Result<Response> {
    match rendered {
        Some(rendered) => page(demo, rendered),
        None => Ok((StatusCode::NOT_FOUND, page(demo, demo.missing())?).into_response()),
    }
}

/// Not cached: the next demo on this port may be another version. Pictures carry the address that the demo was started
/// with, which may be another origin than the one that the page was opened under.
fn served(demo: &DemoShop, media_type: &'static str, text: String) -> Response {
    let headers = [
        (CONTENT_TYPE, media_type),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, demo.policy.as_str()),
        (RESOURCE_POLICY, "cross-origin"),
    ];
    (headers, text).into_response()
}
