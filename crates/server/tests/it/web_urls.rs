//! URLs that pages link to (`du`, `iu`) are of http or https, or relative: no operation stores another one, and none
//! returns one that was stored before this was checked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::hostile::subject;
use crate::support::{Call, TestApp, calls};

/// How a scheme can be hidden from a check, and not from a browser.
const BAD: [&str; 4] = ["javascript:mark()", " JavaScript:mark()", "javascript&colon;mark()", "data:text/html,mark()"];
const MARK: &str = "mark()";

/// Every operation, each with lists and subscriptions of its own.
async fn every_call(app: &TestApp) -> Vec<Call> {
    let admin = app.store_admin();
    let product = |epi: i64, url: &str| json!({ "epi": epi, "empi": 1_000 + epi, "du": url, "dt": "Lamp", "iu": url });
    let products = json!([product(1, "https://shop.example/p/1"), product(3, "/p/3")]).to_string();
    admin.upsert(json!([product(1, "https://shop.example/p/1")])).await;
    let paths: Vec<&str> = calls(&subject(app, "zoe").await).iter().map(|call| call.path).collect();
    let mut out = Vec::new();
    for (i, path) in paths.into_iter().enumerate() {
        let subject = subject(app, &format!("ann{i}")).await;
        let fields = [
            ("medium", "email"),
            ("mediumvalue", subject.email.as_str()),
            ("topics", r#"["backinstock"]"#),
            ("products", products.as_str()),
        ];
        admin.form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        out.extend(calls(&subject).into_iter().filter(|call| call.path == path));
    }
    out
}

/// Sets the URL in every object that names a variant. Returns how many there are.
fn set_url(value: &mut Value, key: &str, url: &str) -> usize {
    let inside = match value {
        Value::Array(all) => all.iter_mut().map(|one| set_url(one, key, url)).sum(),
        Value::Object(all) => all.values_mut().map(|one| set_url(one, key, url)).sum(),
        _ => 0,
    };
    let Some(product) = value.as_object_mut().filter(|object| object.contains_key("epi")) else { return inside };
    product.insert(key.to_owned(), json!(url));
    inside + 1
}

/// The call with this URL in all places where it takes one; `None` if there is none.
fn with_url(call: &Call, key: &str, url: &str) -> Option<Call> {
    let mut call = call.clone();
    let mut places = call.json.as_mut().map_or(0, |body| set_url(body, key, url));
    for part in &mut call.parts {
        if part.name == key {
            part.value = url.to_owned();
            places += 1;
        } else if let Ok(mut value) = serde_json::from_str(&part.value) {
            places += set_url(&mut value, key, url);
            part.value = value.to_string();
        }
    }
    (places > 0).then_some(call)
}

async fn tables_with_mark(app: &TestApp) -> BTreeMap<String, Vec<String>> {
    let marked = |rows: Vec<String>| rows.into_iter().filter(|row| row.contains(MARK)).collect::<Vec<_>>();
    let tables = app.tables().await.into_iter().map(|(table, rows)| (table.to_string(), marked(rows)));
    tables.filter(|(_, rows)| !rows.is_empty()).collect()
}

both_engines! {
    async fn no_operation_stores_another_url_and_those_that_take_one_say_so(app: TestApp) {
        let mut refusing = BTreeSet::new();
        for call in every_call(&app).await {
            for (key, url) in ["du", "iu"].iter().flat_map(|key| BAD.iter().map(move |url| (key, url))) {
                let Some(call) = with_url(&call, key, url) else { continue };
                app.advance(1_000);
                if call.send(&app.router).await.text().contains("must be an http or https URL") {
                    refusing.insert((call.path, *key));
                }
            }
        }
        assert_eq!(tables_with_mark(&app).await, BTreeMap::new());
        let both = ["/api/v3/lists/update-ctx", "/api/v3/lists/sfl/add", "/api/v3/lists/sfl/update",
                    "/storeadmin/bispa/subscriptions/create", "/storeadmin/v3/products/upsert"];
        for (path, key) in both.iter().flat_map(|path| [(*path, "du"), (*path, "iu")]) {
            assert!(refusing.contains(&(path, key)), "{path} {key}: {refusing:?}");
        }
        assert!(refusing.contains(&("/api/v3/subscriptions/add", "du")), "{refusing:?}");
    }

    async fn no_operation_returns_a_url_that_was_stored_before(app: TestApp) {
        let all = every_call(&app).await;
        app.store_admin().json("/storeadmin/v3/webhooks/create", &json!({ "url": "https://shop.example/all", "events": ["*"] })).await.ok();
        for sql in [
            r#"update items set members = replace(members, '"du":"https:', '"du":"javascript&colon;mark()')"#,
            r#"update items set given = '"dt":"","iu":"data:mark()","pr":null,"ct":"","vi":"","bt":"","sku":""' where variant_id = 2"#,
            r#"update products set url = 'javascript:mark()', fields = replace(fields, '"iu":"https:', '"iu":"javascript:mark()')"#,
            r#"update subscriptions set url = 'javascript:mark()', given = replace(given, '"iu":"', '"iu":"javascript:mark()')"#,
        ] {
            app.straight(sql).await;
        }
        let stored = tables_with_mark(&app).await;
        assert_eq!(stored.keys().collect::<Vec<_>>(), ["items", "products", "subscriptions"]);
        let mut cleaned = BTreeSet::new();
        for call in all {
            app.advance(1_000);
            let reply = call.send(&app.router).await;
            let text = reply.text();
            assert!(!text.contains(MARK), "{}: {text}", call.path);
            if text.contains(r#""du":"""#) && reply.status == 200 {
                cleaned.insert(call.path);
            }
        }
        for path in ["/api/v3/lists/fetch-user-list", "/api/v3/lists/fetch-lists", "/api/v3/lists/update-ctx",
                     "/api/v3/lists/move-items", "/api/v3/subscriptions/fetch-subs", "/storeadmin/v3/user/export"] {
            assert!(cleaned.contains(path), "{path}: {cleaned:?}");
        }
        // What is sent to others later.
        let stored = tables_with_mark(&app).await;
        for table in ["webhook_events", "mails", "idempotent_responses"] {
            assert_eq!(stored.get(table), None);
        }
    }

    async fn relative_urls_go_on_working(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        for (epi, url) in (1_i64..).zip(["/products/x?variant=1", "//cdn.example/x", "products/x", "HTTPS://SHOP.EXAMPLE/x"]) {
            let added = ann.add_items(&lid, &json!([{ "epi": epi, "empi": 1, "du": url, "iu": url }])).await;
            assert_eq!((&added["a"][0]["du"], &added["a"][0]["iu"]), (&json!(url), &json!(url)));
        }
    }
}
