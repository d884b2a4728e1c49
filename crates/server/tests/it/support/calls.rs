//! A valid request for every operation, split into parameters, for tests that iterate over all operations.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use wishbone_server::api::operation::Caller;

use super::app::{NOW, TestStore};
use super::clients::{Client, Reply, encode};
use super::raw::{FORM, JSON};
use super::tokens::login_token;

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// pid, regid or sessionid.
    Credential,
    /// A `lid`; an invalid one is not found.
    List,
    Text,
    Whole,
    /// A number such as 19.95.
    Price,
    Flag,
    /// One of a few values.
    Word,
    /// JSON text of an array or an object.
    Json,
    Address,
    /// A token for the next page.
    Token,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub name: &'static str,
    pub value: String,
    pub kind: Kind,
    pub required: bool,
    pub in_query: bool,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub path: &'static str,
    pub caller: Caller,
    pub parts: Vec<Part>,
    /// The body, where it is JSON.
    pub json: Option<Value>,
    pub key: Option<TestStore>,
}

impl Call {
    fn new(path: &'static str, caller: Caller) -> Self {
        Self { path, caller, parts: Vec::new(), json: None, key: None }
    }

    fn part(mut self, name: &'static str, kind: Kind, value: &str) -> Self {
        self.parts.push(Part { name, value: value.to_owned(), kind, required: false, in_query: false });
        self
    }

    pub fn required(mut self, name: &'static str, kind: Kind, value: &str) -> Self {
        self = self.part(name, kind, value);
        self.last().required = true;
        self
    }

    fn query(mut self, name: &'static str, kind: Kind, value: &str) -> Self {
        self = self.part(name, kind, value);
        self.last().in_query = true;
        self
    }

    fn last(&mut self) -> &mut Part {
        self.parts.last_mut().unwrap()
    }

    /// The same call with another value.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut call = self.clone();
        for part in call.parts.iter_mut().filter(|part| part.name == name) {
            part.value = value.to_owned();
        }
        call
    }

    pub fn without(&self, name: &str) -> Self {
        let mut call = self.clone();
        call.parts.retain(|part| part.name != name);
        call
    }

    pub fn twice(&self, name: &str) -> Self {
        let mut call = self.clone();
        call.parts.extend(self.parts.iter().filter(|part| part.name == name).cloned());
        call
    }

    /// The same call with an additional, unknown parameter.
    pub fn and(&self, name: &'static str, value: &str, in_query: bool) -> Self {
        let mut call = self.clone().part(name, Kind::Text, value);
        call.last().in_query = in_query;
        call
    }

    /// The same call by another shopper.
    pub fn by(&self, client: &Client) -> Self {
        self.with("pid", &client.pid).with("regid", &client.regid).with("sessionid", &client.sessionid)
    }

    pub fn uri(&self) -> String {
        let query: Vec<String> = self.encoded(true).collect();
        if query.is_empty() { self.path.to_owned() } else { format!("{}?{}", self.path, query.join("&")) }
    }

    pub fn form(&self) -> String {
        self.encoded(false).collect::<Vec<_>>().join("&")
    }

    fn encoded(&self, in_query: bool) -> impl Iterator<Item = String> {
        let parts = self.parts.iter().filter(move |part| part.in_query == in_query);
        parts.map(|part| format!("{}={}", encode(part.name), encode(&part.value)))
    }

    pub async fn send(&self, router: &Router) -> Reply {
        self.send_with(router, &[]).await
    }

    pub async fn send_with(&self, router: &Router, headers: &[(&str, &str)]) -> Reply {
        let body = self.json.as_ref().map_or_else(|| self.form(), Value::to_string);
        self.send_all(router, headers, body.into_bytes()).await
    }

    /// Sends the call with another body.
    pub async fn send_body(&self, router: &Router, body: Vec<u8>) -> Reply {
        self.send_all(router, &[], body).await
    }

    async fn send_all(&self, router: &Router, more: &[(&str, &str)], body: Vec<u8>) -> Reply {
        Reply::of(router, self.request(more, body)).await
    }

    /// The call as a request.
    pub fn request(&self, more: &[(&str, &str)], body: Vec<u8>) -> Request<Body> {
        let key = self.key.as_ref().map(|store| format!("{}:{}", store.pid, store.key));
        let authorization = key.map(|key| format!("Basic {}", STANDARD.encode(key)));
        let mut headers = vec![("user-agent", "tests")];
        headers.extend_from_slice(more);
        if let Some(authorization) = &authorization {
            headers.push(("authorization", authorization));
        }
        headers.push(if self.json.is_some() { JSON } else { FORM });
        let method = if self.path == "/storeadmin/me" { "GET" } else { "POST" };
        let mut request = Request::builder().method(method).uri(self.uri());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.body(body.into()).unwrap()
    }
}

/// The data that the calls refer to.
#[derive(Clone, Debug)]
pub struct Subject {
    pub shopper: Client,
    pub store: TestStore,
    pub email: String,
    pub lid: String,
    pub saved_lid: String,
    /// Tokens for the second page of either list; may be empty.
    pub next: String,
    pub saved_next: String,
    /// The id of a webhook.
    pub webhook: String,
}

/// The id of a comment that does not exist: deleting it changes nothing.
const SOME_COMMENT: &str = "00000000-0000-4000-8000-000000000001";

/// One valid call of every operation that needs authentication or a store.
pub fn calls(subject: &Subject) -> Vec<Call> {
    use Kind::{Address, Credential, Flag, Json, List, Price, Text, Token, Whole, Word};
    let Subject { shopper, store, email, lid, saved_lid, next, saved_next, webhook } = subject;
    let items = r#"[{"epi":1,"empi":1001,"du":"https://shop.example/p/1","qty":2,"note":"n"}]"#;
    // The latest time allowed, since tests that iterate over all calls advance the clock.
    let expires = (NOW + 24 * 60 * 60 * 1_000).to_string();
    let token = login_token([&store.pid, &shopper.regid, "42", email, &expires]);
    let shopper = |path| {
        let call = Call::new(path, Caller::Shopper).query("pid", Credential, &shopper.pid);
        let mut call = call.required("regid", Credential, &shopper.regid);
        call.parts[0].required = true;
        call.required("sessionid", Credential, &shopper.sessionid)
    };
    let admin = |path| Call { key: Some(store.clone()), ..Call::new(path, Caller::StoreAdmin) };
    let feed = |path, body| Call { json: Some(body), ..admin(path) };
    let saved = |path| shopper(path).required("lid", List, saved_lid).required("items", Json, items);
    let mut register = Call::new("/api/v3/provider/register", Caller::Browser).query("pid", Credential, &store.pid);
    register.last().required = true;
    let mut features = Call::new("/api/v3/provider/features", Caller::Browser).query("pid", Credential, &store.pid);
    features.last().required = true;
    vec![
        features,
        shopper("/api/v3/lists/fetch-user-list")
            .required("lid", List, lid)
            .part("next", Token, next)
            .part("itemslimit", Whole, "50")
            .part("sortby", Word, "price")
            .part("sortorder", Word, "asc")
            .part("filterby", Word, "instock"),
        shopper("/api/v3/lists/fetch-user-lists").part("includeArchived", Flag, "true"),
        shopper("/api/v3/lists/fetch-list-with-contents")
            .query("limit", Whole, "10")
            .query("offset", Whole, "0")
            .required("lid", List, lid)
            .part("excludeArchived", Flag, "false"),
        shopper("/api/v3/lists/fetch-lists").part("lty", Text, "wl").part("includeArchived", Flag, "1"),
        shopper("/api/v3/lists/create")
            .required("lname", Text, "New")
            .part("lty", Text, "wl")
            .part("lnote", Text, "note")
            .part("ldesc", Text, "words")
            .part("lprops", Json, r#"{"a":1}"#)
            .part("fromlid", List, lid),
        shopper("/api/v3/lists/move-items").required("fromlid", List, lid).required("tolid", List, saved_lid).required(
            "items",
            Json,
            r#"[{"epi":2}]"#,
        ),
        shopper("/api/v3/lists/update")
            .required("lid", List, lid)
            .part("lname", Text, "Renamed")
            .part("lnote", Text, "note")
            .part("ldesc", Text, "words")
            .part("lprops", Json, r#"{"a":1}"#)
            .part("archived", Flag, "false"),
        shopper("/api/v3/lists/update-ctx")
            .required("lid", List, lid)
            .part("a", Json, items)
            .part("u", Json, items)
            .part("d", Json, r#"[{"epi":2}]"#),
        shopper("/api/v3/lists/contains").required("epis", Json, "[1,2]").part("lty", Text, "wl"),
        shopper("/api/v3/lists/live").part("timeout", Whole, "0").part("last-event-id", Text, "1-1-0"),
        shopper("/api/v3/product/wishlist/social-count").required("empi", Whole, "1001"),
        shopper("/api/v3/user/save")
            .part("fname", Text, "Ann")
            .part("lname", Text, "Lee")
            .part("acceptMarketing", Flag, "true")
            .part("language", Text, "de")
            .part("region", Text, "AT"),
        shopper("/api/v3/lists/user-validate-sync")
            .part("platform", Text, "web")
            .required("extuid", Text, "42")
            .required("useremail", Address, email)
            .required("expires", Whole, &expires)
            .required("token", Text, &token),
        shopper("/api/v3/lists/markPublic").required("lid", List, lid).part("public", Flag, "false"),
        shopper("/api/v3/lists/emailList")
            .required("lid", List, lid)
            .part("fromname", Text, "Ann")
            .required("toemail", Address, "ben@example.com")
            .part("note", Text, "note"),
        shopper("/api/v3/lists/reportShare")
            .required("lid", List, lid)
            .part("fromname", Text, "Ann")
            .required("medium", Text, "email"),
        shopper("/api/v3/lists/share-links/create")
            .required("lid", List, lid)
            .part("scope", Word, "edit")
            .part("expires", Whole, "9000000000000")
            .part("label", Text, "for Bob")
            .part("fromname", Text, "Ann"),
        shopper("/api/v3/lists/share-links/list").required("lid", List, lid),
        shopper("/api/v3/lists/share-links/revoke").required("lid", List, lid).required("all", Flag, "true"),
        shopper("/api/v3/lists/comments/add")
            .required("lid", List, lid)
            .required("epi", Whole, "1")
            .required("text", Text, "in blue?")
            .part("fromname", Text, "Ann"),
        shopper("/api/v3/lists/comments/list")
            .required("lid", List, lid)
            .part("epi", Whole, "1")
            .part("limit", Whole, "10")
            .part("offset", Whole, "0"),
        shopper("/api/v3/lists/comments/delete").required("lid", List, lid).required("id", Token, SOME_COMMENT),
        shopper("/api/v3/lists/sfl/create").part("lname", Text, "Later").part("lnote", Text, "note").part(
            "lprops",
            Json,
            r#"{"a":1}"#,
        ),
        shopper("/api/v3/lists/sfl/fetch").part("next", Token, saved_next).part("itemslimit", Whole, "50"),
        saved("/api/v3/lists/sfl/add"),
        saved("/api/v3/lists/sfl/update").required("user-agent", Text, "tests"),
        saved("/api/v3/lists/sfl/remove"),
        saved("/api/v3/lists/sfl/moved-to-cart"),
        shopper("/api/v3/subscriptions/fetch-subs")
            .required("topic", Word, "backinstock")
            .part("medium", Word, "email")
            .part("limit", Whole, "10")
            .part("offset", Whole, "0"),
        shopper("/api/v3/subscriptions/add")
            .required("topic", Word, "backinstock")
            .required("medium", Word, "email")
            .part("mediumvalue", Address, email)
            .required("epi", Whole, "1")
            .required("empi", Whole, "1001")
            .required("du", Text, "https://shop.example/p/1")
            .part("targetprice", Price, "10")
            .part("quantity", Whole, "2"),
        shopper("/api/v3/subscriptions/remove")
            .required("epi", Whole, "1")
            .required("topic", Word, "backinstock")
            .part("medium", Word, "email"),
        shopper("/api/v3/lists/delete-list").required("lid", List, lid),
        register,
        admin("/storeadmin/me"),
        admin("/storeadmin/v3/user/generate-regid").required("useremail", Address, email).part(
            "useragenttype",
            Text,
            "desktop",
        ),
        feed(
            "/storeadmin/v3/products/upsert",
            json!({ "products": [{ "epi": 1, "empi": 1001, "dt": "Shirt", "stock": 3 }] }),
        ),
        feed("/storeadmin/v3/inventory/update", json!({ "inventory": [{ "epi": 1, "stock": 2 }] })),
        feed("/storeadmin/v3/products/delete", json!({ "products": [{ "epi": 1 }, { "empi": 1001 }] })),
        feed("/storeadmin/v3/mail/templates/list", json!({})),
        feed(
            "/storeadmin/v3/mail/templates/set",
            json!({ "name": "button.html", "source": "<a href=\"{{ target }}\">{{ label }}</a>" }),
        ),
        feed("/storeadmin/v3/mail/templates/reset", json!({ "name": "button.html" })),
        feed("/storeadmin/v3/mail/texts/list", json!({ "language": "de" })),
        feed("/storeadmin/v3/mail/texts/set", json!({ "language": "de", "texts": { "alert.button": "Los" } })),
        feed("/storeadmin/v3/mail/texts/reset", json!({ "language": "de", "keys": ["alert.button"] })),
        feed("/storeadmin/v3/mail/preview", json!({ "kind": "alert", "topic": "pricedrop", "language": "de" })),
        feed("/storeadmin/v3/mail/send-test", json!({ "to": "owner@shop.example", "kind": "list" })),
        admin("/storeadmin/bispa/subscriptions/create")
            .required("medium", Word, "email")
            .required("mediumvalue", Address, email)
            .required("products", Json, items)
            .required("topics", Json, r#"["backinstock"]"#)
            .part("addtomailinglist", Flag, "true")
            .part("extras", Json, r#"{"a":1}"#),
        feed("/storeadmin/v3/subscriptions/list", json!({ "topic": "lowstock", "state": "waiting", "limit": 10 })),
        feed("/storeadmin/v3/subscriptions/summary", json!({ "limit": 10 })),
        feed("/storeadmin/v3/subscriptions/retry", json!({ "state": "failed" })),
        feed(
            "/storeadmin/v3/webhooks/create",
            json!({ "url": "https://shop.example/hooks", "events": ["alert.failed"] }),
        ),
        feed("/storeadmin/v3/webhooks/list", json!({})),
        feed("/storeadmin/v3/webhooks/deliveries", json!({ "id": webhook, "state": "failed", "limit": 10 })),
        feed("/storeadmin/v3/webhooks/replay", json!({ "id": webhook, "since": NOW })),
        feed("/storeadmin/v3/webhooks/rotate", json!({ "id": webhook })),
        feed("/storeadmin/v3/webhooks/delete", json!({ "id": webhook })),
        admin("/storeadmin/v3/user/export").required("useremail", Address, email),
        admin("/storeadmin/v3/user/guest-validate-sync")
            .required("regid", Credential, &subject.shopper.regid)
            .required("useremail", Address, email)
            .part("useragenttype", Text, "undefined")
            .part("sessionid", Text, &subject.shopper.sessionid)
            .part("dryrun", Flag, "false"),
        admin("/storeadmin/v3/user/merges").required("useremail", Address, email),
        admin("/storeadmin/v3/user/undo-merge").required("regid", Credential, &subject.shopper.regid).required(
            "useremail",
            Address,
            email,
        ),
        admin("/storeadmin/v3/user/revoke-sessions").required("useremail", Address, email),
        admin("/storeadmin/v3/user/erase").required("useremail", Address, email),
    ]
}
