//! Clients for storefronts and stores, and their responses.

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Request, StatusCode};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_body_util::BodyExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::app::TestStore;
use super::described;

pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

pub fn encode_form(fields: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    pairs.join("&")
}

#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub async fn of(router: &Router, request: Request<Body>) -> Self {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        let reply = Self { status: parts.status, headers: parts.headers, bytes };
        described::check(&method, &path, &reply);
        reply
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn json(&self) -> Value {
        self.try_json().unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body; of a stream of events, the data of its only one.
    pub fn try_json(&self) -> serde_json::Result<Value> {
        match self.header("content-type") {
            Some("text/event-stream") => {
                let text = self.text();
                serde_json::from_str(text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or_default())
            }
            _ => serde_json::from_slice(&self.bytes),
        }
    }

    /// The body of a success, which must have status 200.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        self.json()
    }

    /// Status and code of a failure.
    #[track_caller]
    pub fn error(&self) -> (u16, String) {
        let body = self.json();
        assert_eq!(body["status"], "error", "{body}");
        (self.status.as_u16(), body["error-code"].as_str().unwrap().to_owned())
    }

    /// The body of a failure with this status and code.
    #[track_caller]
    pub fn fails(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.error(), (status, code.to_owned()), "{}", self.text());
        self.json()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A shopper's storefront.
#[derive(Clone, Debug)]
pub struct Client {
    pub router: Router,
    pub pid: String,
    pub regid: String,
    pub sessionid: String,
}

impl Client {
    pub fn new(router: Router, pid: String, credentials: Value) -> Self {
        let text = |key: &str| credentials[key].as_str().unwrap().to_owned();
        Self { router, pid, regid: text("regid"), sessionid: text("sessionid") }
    }

    pub fn nobody(router: Router, pid: String) -> Self {
        Self { router, pid, regid: String::new(), sessionid: String::new() }
    }

    /// A call with pid, regid and sessionid; paths are relative to `/api/v3/` and may have a query.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let mut all = vec![("regid", self.regid.as_str()), ("sessionid", self.sessionid.as_str())];
        all.extend_from_slice(fields);
        self.raw(&format!("/api/v3/{path}"), &all).await
    }

    /// A call with only the pid.
    pub async fn raw(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let separator = if path.contains('?') { '&' } else { '?' };
        let request = Request::post(format!("{path}{separator}pid={}", encode(&self.pid)))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded;charset=utf-8")
            .header("user-agent", "tests")
            .body(Body::from(encode_form(fields)))
            .unwrap();
        Reply::of(&self.router, request).await
    }

    /// Creates a wishlist and returns its lid.
    pub async fn list(&self, name: &str) -> String {
        self.post("lists/create", &[("lname", name)]).await.ok()["lid"].as_str().unwrap().to_owned()
    }

    /// As [`Self::post`], and sends again what a busy server rejects.
    pub async fn post_until_accepted(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        until_accepted(|| self.post(path, fields)).await
    }

    /// Adds variants 1, 2, … by number; product 1000 + n.
    pub async fn add(&self, lid: &str, variants: &[i64]) -> Value {
        let items: Vec<Value> = variants.iter().map(|n| item(*n)).collect();
        self.add_items(lid, &Value::from(items)).await
    }

    pub async fn add_items(&self, lid: &str, items: &Value) -> Value {
        self.post("lists/update-ctx", &[("lid", lid), ("a", &items.to_string())]).await.ok()
    }

    /// One page of a list, with the given parameters.
    pub async fn page(&self, lid: &str, fields: &[(&str, &str)]) -> Value {
        let mut all = vec![("lid", lid)];
        all.extend_from_slice(fields);
        self.post("lists/fetch-user-list", &all).await.ok()
    }

    /// The items of all pages of a list.
    pub async fn all_pages(&self, lid: &str, fields: &[(&str, &str)]) -> Vec<Value> {
        let mut out = Vec::new();
        let mut next: Option<String> = None;
        for _ in 0..1_000 {
            let mut all = fields.to_vec();
            if let Some(token) = &next {
                all.push(("next", token));
            }
            let page = self.page(lid, &all).await;
            out.extend(page["data"]["listcontents"].as_array().unwrap().clone());
            match page["pagination"]["next"].as_str() {
                Some(token) => next = Some(token.to_owned()),
                None => return out,
            }
        }
        panic!("the pages do not end");
    }
}

/// Calls again what a busy server rejects with 503, which changes nothing.
pub async fn until_accepted<F: Future<Output = Reply>>(call: impl Fn() -> F) -> Reply {
    for _ in 0..100 {
        let reply = call().await;
        if reply.status != StatusCode::SERVICE_UNAVAILABLE {
            return reply;
        }
    }
    call().await
}

/// The input for a variant: epi n, empi 1000 + n.
pub fn item(n: i64) -> Value {
    json!({ "epi": n, "empi": 1000 + n, "du": format!("https://shop.example/p/{n}") })
}

/// The variants of an array of items, in order.
pub fn epis(items: &Value) -> Vec<i64> {
    items.as_array().unwrap().iter().map(|item| item["epi"].as_i64().unwrap()).collect()
}

/// The server of a store.
#[derive(Clone, Debug)]
pub struct Admin {
    router: Router,
    pub store: TestStore,
}

impl Admin {
    pub fn new(router: Router, store: TestStore) -> Self {
        Self { router, store }
    }

    pub async fn form(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.send("POST", path, "application/x-www-form-urlencoded", encode_form(fields)).await
    }

    pub async fn json(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, "application/json", body.to_string()).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, "", String::new()).await
    }

    async fn send(&self, method: &str, path: &str, media_type: &str, body: String) -> Reply {
        let headers = [(CONTENT_TYPE.as_str(), media_type)];
        let headers = if media_type.is_empty() { &[][..] } else { &headers[..] };
        self.send_with(method, path, headers, body).await
    }

    pub async fn send_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: String) -> Reply {
        let authorization = format!("Basic {}", STANDARD.encode(format!("{}:{}", self.store.pid, self.store.key)));
        let mut request = Request::builder().method(method).uri(path).header(AUTHORIZATION, authorization);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Reply::of(&self.router, request.body(Body::from(body)).unwrap()).await
    }

    /// Upserts products, all of which must be valid.
    pub async fn upsert(&self, products: Value) {
        let reply = self.json("/storeadmin/v3/products/upsert", &json!({ "products": products })).await.ok();
        assert_eq!(reply["failed"], json!([]), "{reply}");
    }

    pub async fn stock(&self, epi: i64, stock: Value) {
        let body = json!({ "inventory": [{ "epi": epi, "stock": stock }] });
        assert_eq!(self.json("/storeadmin/v3/inventory/update", &body).await.ok()["updated"], 1);
    }
}
