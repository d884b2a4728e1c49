//! The largest answers that the limits allow: whatever has more than 1 MiB has memory reserved until it has been read.

use axum::body::Body;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use wishbone_core::stores::settings::SettingsChange;

use crate::hostile::subject;
use crate::support::{Call, TestApp, calls, item};

const SMALL: usize = 1 << 20;

/// Characters that take six bytes each in JSON.
fn escaped(length: usize) -> String {
    "\u{1}".repeat(length)
}

fn elements(count: i64, element: impl Fn(i64) -> Value) -> String {
    Value::from((1..=count).map(element).collect::<Vec<_>>()).to_string()
}

fn large_item(number: i64) -> Value {
    let mut item = item(number);
    item["note"] = escaped(1_000).into();
    item["cprops"] = json!({ "x": "y".repeat(8_000) });
    item
}

/// Sends a call and returns the length of its answer, and how much was reserved while it was unread.
async fn sent(app: &TestApp, call: &Call) -> (usize, usize) {
    app.advance(20_000);
    let body = call.json.as_ref().map_or_else(|| call.form(), Value::to_string);
    let response = app.router.clone().oneshot(call.request(&[], body.into_bytes())).await.unwrap();
    assert!(response.status().is_success(), "{}: {}", call.path, response.status());
    let body: Body = response.into_body();
    let reserved = app.app.large_responses.reserved();
    let length = body.collect().await.unwrap().to_bytes().len();
    (length, reserved)
}

both_engines! {
    async fn every_answer_above_one_mebibyte_is_reserved(app: TestApp) {
        let most = Some(1_000_000);
        let unlimited = SettingsChange {
            rate_limit: most,
            write_rate_limit: most,
            shopper_quota: most,
            address_quota: most,
            store_quota: most,
            ..SettingsChange::default()
        };
        app.set(unlimited).await;
        let subject = subject(&app, "ann").await;
        let (ann, lid) = (&subject.shopper, subject.lid.as_str());
        // Each of these answers is beyond 1 MiB.
        for some in (1..=300).collect::<Vec<_>>().chunks(50) {
            let items = Value::from(some.iter().map(|number| large_item(*number)).collect::<Vec<_>>()).to_string();
            ann.post("lists/update-ctx", &[("lid", lid), ("a", &items)]).await.ok();
        }
        for _ in 0..200 {
            ann.post("lists/comments/add", &[("lid", lid), ("epi", "1"), ("text", &escaped(1_000))]).await.ok();
        }
        let short = ann.list("Short").await;
        ann.add(&short, &(1..=250).collect::<Vec<_>>()).await;
        let properties = json!({ "x": "y".repeat(8_000) }).to_string();
        for number in 0..115 {
            let (name, note) = (format!("Copy {number}"), escaped(1_000));
            let details = [("lname", name.as_str()), ("fromlid", &short), ("lnote", &note), ("lprops", &properties)];
            ann.post("lists/create", &details).await.ok();
        }
        let others = app.shopper("others").await;
        for number in 0..300 {
            let subscription = [("topic", "backinstock"), ("medium", "email"), ("empi", "1"), ("epi", &number.to_string())];
            let _ = others.post("subscriptions/add", &subscription).await;
        }

        let variants = json!((1..=250).collect::<Vec<i64>>()).to_string();
        let updates = elements(150, |n| json!({ "epi": n + 101, "empi": 1_101 + n, "du": "https://shop.example/p", "qty": 2 }));
        let mut large = Vec::new();
        for call in calls(&subject) {
            let call = match call.path.trim_start_matches("/api/v3/") {
                "lists/fetch-user-list" => call.without("next").without("filterby").with("itemslimit", "100"),
                "lists/fetch-user-lists" => call.without("next"),
                "lists/fetch-lists" => call.without("lty"),
                "lists/fetch-list-with-contents" => call.without("limit"),
                "lists/contains" => call.with("epis", &variants),
                "lists/update-ctx" => call.without("a").without("d").with("u", &updates),
                // Those that stay are enough for the others.
                "lists/move-items" => call.with("items", &elements(100, |n| json!({ "epi": n + 1 }))),
                "lists/comments/list" => call.without("epi").with("limit", "1000"),
                "subscriptions/fetch-subs" => call.with("limit", "1000"),
                "lists/markPublic" => call.with("public", "true"),
                // They take away what the others return.
                "lists/delete-list" | "lists/share-links/revoke" => continue,
                path if path.starts_with("/storeadmin/v3/user/") && !path.ends_with("/export") => continue,
                _ => call,
            };
            let is_cut = call.path.ends_with("/fetch-user-lists") || call.path.ends_with("/comments/list");
            let (length, reserved) = sent(&app, &call).await;
            if length > SMALL {
                assert!(!is_cut, "{} has {length} bytes", call.path);
                assert!(reserved >= SMALL, "{}: {reserved} bytes reserved for {length}", call.path);
                large.push(call.path);
            }
            assert_eq!(app.app.large_responses.reserved(), 0, "{} after it was read", call.path);
        }
        // The test would mean little without large answers.
        let expected = ["fetch-user-list", "fetch-list-with-contents", "fetch-lists", "update-ctx", "contains", "markPublic", "export"];
        for path in expected {
            assert!(large.iter().any(|large| large.ends_with(path)), "{path} is not large: {large:?}");
        }
    }

    async fn who_has_had_many_large_answers_waits_before_the_next_one_is_made(app: TestApp) {
        let subject = subject(&app, "ann").await;
        let ann = &subject.shopper;
        let items = elements(50, large_item);
        for number in 0..8 {
            let lid = ann.list(&format!("List {number}")).await;
            ann.post("lists/update-ctx", &[("lid", &lid), ("a", &items)]).await.ok();
        }
        app.advance(20_000);
        let call = calls(&subject).into_iter().find(|call| call.path.ends_with("lists/fetch-lists")).unwrap();
        let call = call.without("lty");
        let fetch = async || {
            app.router.clone().oneshot(call.request(&[], call.form().into_bytes())).await.unwrap()
        };
        let mut unread = Vec::new();
        for _ in 0..4 {
            unread.push(fetch().await);
        }
        assert!(unread.iter().all(|response| response.status() == 200));
        assert!(app.app.large_responses.reserved() > 4 * 5 * SMALL);
        // No slot is left: what is made and refused counts, too.
        let mut statuses = Vec::new();
        while statuses.len() < 20 && statuses.last() != Some(&429) {
            statuses.push(fetch().await.status().as_u16());
        }
        assert!((4..12).contains(&statuses.len()) && statuses.pop() == Some(429), "{statuses:?}");
        assert!(statuses.iter().all(|status| *status == 503), "{statuses:?}");
        unread.clear();
        assert_eq!(fetch().await.status(), 429);
        app.advance(8_000);
        assert_eq!(fetch().await.status(), 200);
    }

    async fn lists_that_do_not_fit_into_an_answer_come_with_the_next_ones(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (note, properties) = (escaped(1_000), json!({ "x": "y".repeat(8_000) }).to_string());
        let mut made = Vec::new();
        for number in 0..130 {
            let (name, rank) = (format!("List {number}"), (number + 1) % 3);
            let list_type = ["wl", "gift", "sfl"][rank];
            let details = [("lname", name.as_str()), ("lty", list_type), ("lnote", &note), ("lprops", &properties)];
            let list = ann.post("lists/create", &details).await.ok();
            made.push((rank, list["lid"].as_str().unwrap().to_owned()));
        }
        made.sort_by_key(|(rank, _)| *rank);
        let (mut found, mut next, mut answers) = (Vec::new(), None::<String>, 0);
        loop {
            let fields: Vec<_> = next.iter().map(|next| ("next", next.as_str())).collect();
            let answer = ann.post("lists/fetch-user-lists", &fields).await;
            assert!(answer.bytes.len() <= SMALL);
            let answer = answer.ok();
            found.extend(answer["data"].as_array().unwrap().iter().map(|list| list["lid"].as_str().unwrap().to_owned()));
            answers += 1;
            match answer.get("next") {
                Some(token) => next = Some(token.as_str().unwrap().to_owned()),
                None => break,
            }
        }
        assert_eq!(answers, 2);
        assert_eq!(found, made.into_iter().map(|(_, lid)| lid).collect::<Vec<_>>());
        ann.post("lists/fetch-user-lists", &[("next", "7")]).await.fails(400, "invalid-next-token");
    }

    async fn comments_that_do_not_fit_into_an_answer_say_where_to_go_on(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("A").await;
        ann.add(&lid, &[1]).await;
        for _ in 0..200 {
            ann.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", &escaped(1_000))]).await.ok();
        }
        let list = async |offset: i64| {
            let fields = [("lid", lid.as_str()), ("limit", "1000"), ("offset", &offset.to_string())];
            ann.post("lists/comments/list", &fields).await.ok()
        };
        let first = list(0).await;
        let count = first["comments"].as_array().unwrap().len() as i64;
        assert_eq!(first["nextoffset"], count);
        let second = list(count).await;
        assert_eq!(second["comments"].as_array().unwrap().len() as i64, 200 - count);
        assert!(second.get("nextoffset").is_none());
    }
}
