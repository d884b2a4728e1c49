//! Limits on writes by shopper, address and store, and on what they make the server store.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use serde_json::{Value, json};
use tower::ServiceExt;
use wishbone_core::moment::DAY;
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::api::operation::Caller;
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;

use super::calling_from;
use crate::hostile::subject;
use crate::idempotency;
use crate::support::{Client, FORM, Reply, calls, encode, encode_form};

/// Items with custom fields of about 8 KB each.
fn large_items(variants: std::ops::Range<i64>) -> String {
    let large = |epi: i64| json!({ "epi": epi, "empi": epi, "du": "https://shop.example/", "cprops": { "x": "y".repeat(8_000) } });
    Value::from(variants.map(large).collect::<Vec<_>>()).to_string()
}

/// The same items, named only.
fn named_items(variants: std::ops::Range<i64>) -> String {
    Value::from(
        variants
            .map(|epi| json!({ "epi": epi, "empi": epi, "du": "https://shop.example/", "note": "n" }))
            .collect::<Vec<_>>(),
    )
    .to_string()
}

async fn add_large(client: &Client, lid: &str, variants: std::ops::Range<i64>) -> Reply {
    client.post("lists/update-ctx", &[("lid", lid), ("a", &large_items(variants))]).await
}

/// A list with as many large items.
async fn large_list(client: &Client, count: i64) -> String {
    let lid = client.list("Large").await;
    for start in (0..count).step_by(100) {
        add_large(client, &lid, start + 1..(start + 100).min(count) + 1).await.ok();
    }
    lid
}

both_engines! {
    async fn the_writes_of_a_shopper_are_limited_and_their_reads_are_not(app: TestApp) {
        app.set(SettingsChange { write_rate_limit: Some(1), ..SettingsChange::default() }).await;
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        let lid = ann.list("Mine").await;
        for epi in 1..20 {
            ann.add(&lid, &[epi]).await;
        }
        let refused = ann.post("lists/create", &[("lname", "One more")]).await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("a shopper may write 1 times a second"), "{}", refused.text());
        assert_eq!((&refused.headers["retry-after"], &refused.headers["ratelimit-limit"]), (&"1".parse().unwrap(), &"1".parse().unwrap()));
        assert_eq!(ann.all_pages(&lid, &[]).await.len(), 19);
        bea.list("Hers").await;
        app.advance(1_000);
        ann.list("One more").await;
        ann.post("lists/create", &[("lname", "Too soon")]).await.fails(429, "rate-limited");
    }

    async fn all_browser_guests_of_an_address_share_a_limit(app: TestApp) {
        app.set(SettingsChange { address_write_rate_limit: Some(1), ..SettingsChange::default() }).await;
        for _ in 0..20 {
            calling_from(&app.browser().await, "192.0.2.1").list("Mine").await;
        }
        let guest = app.browser().await;
        let refused = calling_from(&guest, "192.0.2.1").post("lists/create", &[("lname", "Mine")]).await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("an address may write 1 times a second"), "{}", refused.text());
        // This creates the list.
        calling_from(&guest, "192.0.2.1").post("lists/sfl/fetch", &[]).await.fails(429, "rate-limited");
        calling_from(&guest, "192.0.2.2").list("Mine").await;
        // A shop's server calls for everyone, with the regids that it was given.
        calling_from(&app.shopper("ann").await, "192.0.2.1").list("Hers").await;
        calling_from(&app.guest().await, "192.0.2.1").list("Theirs").await;
    }

    async fn what_a_shopper_writes_in_a_day_is_limited(app: TestApp) {
        app.set(SettingsChange { shopper_quota: Some(2), ..SettingsChange::default() }).await;
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        let lid = ann.list("Mine").await;
        for start in [1, 101] {
            add_large(&ann, &lid, start..start + 100).await.ok();
        }
        // What exceeds the quota is carried out, and the next write waits until it is paid back.
        add_large(&ann, &lid, 201..301).await.ok();
        let refused = add_large(&ann, &lid, 301..302).await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("a shopper may write 2048 KiB a day"), "{}", refused.text());
        let wait: i64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((1..86_400).contains(&wait), "{wait}");
        assert_eq!(ann.all_pages(&lid, &[]).await.len(), 300);
        add_large(&bea, &bea.list("Hers").await, 1..101).await.ok();
        app.advance(wait * 1_000);
        add_large(&ann, &lid, 301..302).await.ok();
    }

    async fn what_browser_guests_of_an_address_and_a_store_write_in_a_day_is_limited(app: TestApp) {
        app.set(SettingsChange { address_quota: Some(1), store_quota: Some(3), ..SettingsChange::default() }).await;
        let write = async |client: Client, address: &str| {
            let client = calling_from(&client, address);
            let created = client.post("lists/create", &[("lname", "Mine")]).await;
            if created.status != 200 {
                return created;
            }
            add_large(&client, created.ok()["lid"].as_str().unwrap(), 1..101).await
        };
        for _ in 0..2 {
            write(app.browser().await, "192.0.2.1").await.ok();
        }
        let refused = write(app.browser().await, "192.0.2.1").await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("an address may write 1024 KiB a day"), "{}", refused.text());
        let refused = write(app.browser().await, "192.0.2.2").await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("guests of this store may write 1536 KiB a day"), "{}", refused.text());
        // The other half is reserved for shoppers who are logged in.
        for name in ["ann", "bob"] {
            write(app.shopper(name).await, "192.0.2.3").await.ok();
        }
        let refused = write(app.shopper("cat").await, "192.0.2.3").await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("shoppers of this store may write 1536 KiB a day"), "{}", refused.text());
        // Other stores and the store itself are not affected.
        let other = app.create_store(Default::default()).await;
        write(app.shopper_of(&other, "bea").await, "192.0.2.3").await.ok();
        let product = json!({ "products": [{ "epi": 1, "empi": 1, "dt": "Shirt", "du": "https://shop.example/1" }] });
        app.store_admin().json("/storeadmin/v3/products/upsert", &product).await.ok();
    }

    async fn guests_of_one_network_share_a_larger_limit(app: TestApp) {
        app.set(SettingsChange { address_write_rate_limit: Some(1), ..SettingsChange::default() }).await;
        for number in 0..80 {
            calling_from(&app.browser().await, &format!("192.0.2.{}", 1 + number / 20)).list("Mine").await;
        }
        let guest = app.browser().await;
        let refused = calling_from(&guest, "192.0.2.99").post("lists/create", &[("lname", "Mine")]).await;
        refused.fails(429, "rate-limited");
        assert!(refused.text().contains("an address may write 1 times a second, and its network 4"), "{}", refused.text());
        calling_from(&guest, "192.0.3.99").list("Mine").await;
    }

    async fn guests_cannot_use_up_what_logged_in_shoppers_may_write(app: TestApp) {
        app.set(SettingsChange { store_quota: Some(1), ..SettingsChange::default() }).await;
        let ann = app.shopper("ann").await;
        ann.list("Mine").await;
        // Every operation, also one that is added tomorrow, until guests may write no more.
        let all = calls(&subject(&app, "zoe").await);
        for call in all.iter().filter(|call| call.caller == Caller::Shopper) {
            let guest = calling_from(&app.browser().await, "192.0.2.1");
            call.by(&guest).send(&guest.router).await;
        }
        let mut hosts = 0..250;
        let refused = loop {
            let host = hosts.next().expect("guests are limited");
            let guest = calling_from(&app.browser().await, &format!("10.{host}.0.1"));
            let created = guest.post("lists/create", &[("lname", "Mine")]).await;
            if created.status == 429 {
                break created;
            }
            add_large(&guest, created.ok()["lid"].as_str().unwrap(), 1..101).await;
        };
        assert!(refused.text().contains("guests of this store may write 512 KiB a day"), "{}", refused.text());
        // A guest whom the shop's own server has registered is no more trusted.
        app.guest().await.post("lists/create", &[("lname", "Mine")]).await.fails(429, "rate-limited");
        ann.list("One more").await;
    }

    async fn what_is_deleted_is_refunded_up_to_a_days_quota(app: TestApp) {
        app.set(SettingsChange { shopper_quota: Some(2), ..SettingsChange::default() }).await;
        let ann = app.shopper("ann").await;
        let mut lists = Vec::new();
        for name in ["First", "Second", "Third"] {
            lists.push(ann.list(name).await);
            add_large(&ann, lists.last().unwrap(), 1..101).await.ok();
        }
        ann.post("lists/create", &[("lname", "One more")]).await.fails(429, "rate-limited");
        // Deleting needs no quota, and gives back 800 KB.
        ann.post("lists/delete-list", &[("lid", &lists[0])]).await.ok();
        // Writing and deleting by turns ends when a day's quota was refunded.
        let mut times = 0;
        loop {
            let created = ann.post("lists/create", &[("lname", "By turns")]).await;
            if created.status == 429 {
                break;
            }
            let lid = created.ok()["lid"].as_str().unwrap().to_owned();
            add_large(&ann, &lid, 1..101).await.ok();
            ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
            times += 1;
            assert!(times < 10, "refunded without end");
        }
        assert!((2..5).contains(&times), "{times}");
    }

    async fn a_copy_that_is_deleted_is_refunded(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = large_list(&ann, 600).await;
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        app.set(SettingsChange { shopper_quota: Some(6), ..SettingsChange::default() }).await;
        let copy = [("lname", "Copy"), ("fromlid", lid.as_str())];
        let (bea, cat) = (app.shopper("bea").await, app.shopper("cat").await);
        // Cancelled before anything was copied.
        for _ in 0..3 {
            let copied = bea.post("lists/create", &copy).await.ok();
            bea.post("lists/delete-list", &[("lid", copied["lid"].as_str().unwrap())]).await.ok();
        }
        // Deleted after it was complete: the refund comes with the purge.
        let copied = cat.post("lists/create", &copy).await.ok()["lid"].as_str().unwrap().to_owned();
        while !matches!(copy_next(&app.app).await.unwrap(), Rest::UntilWoken) {}
        for start in [2_000, 2_100] {
            add_large(&cat, &copied, start..start + 100).await.ok();
        }
        cat.post("lists/delete-list", &[("lid", &copied)]).await.ok();
        cat.post("lists/create", &[("lname", "Too soon")]).await.fails(429, "rate-limited");
        while !matches!(purge_some(&app.app).await.unwrap(), Rest::UntilWoken) {}
        cat.list("One more").await;
    }

    async fn a_copy_in_the_background_is_paid_for_before_it_starts(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = large_list(&ann, 600).await;
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        app.set(SettingsChange { shopper_quota: Some(4), ..SettingsChange::default() }).await;
        let bea = app.shopper("bea").await;
        let copy = [("lname", "Copy"), ("fromlid", lid.as_str())];
        bea.post("lists/create", &copy).await.ok();
        bea.post("lists/create", &copy).await.fails(429, "rate-limited");
        while !matches!(copy_next(&app.app).await.unwrap(), Rest::UntilWoken) {}
        app.advance(2 * DAY);
        bea.post("lists/create", &copy).await.ok();
    }

    async fn a_response_that_is_too_large_to_be_stored_makes_the_call_fail(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = large_list(&ann, 100).await;
        let change = async |count: i64| {
            let fields = [("lid", lid.as_str()), ("u", &named_items(1..count + 1))];
            idempotency::post(&ann, &format!("change {count}"), "lists/update-ctx", &fields).await
        };
        let refused = change(100).await;
        refused.fails(400, "invalid-parameter");
        assert!(refused.text().contains("Change fewer items"), "{}", refused.text());
        assert!(ann.all_pages(&lid, &[]).await.iter().all(|item| item["note"] != "n"));
        assert_eq!(change(50).await.text(), change(50).await.text());
    }

    async fn unread_responses_to_large_changes_hold_a_bounded_amount_of_memory(app: TestApp) {
        let change = async |client: &Client, lid: &str| -> Response<Body> {
            let named = named_items(1..501);
            let fields = [("regid", client.regid.as_str()), ("sessionid", &client.sessionid), ("lid", lid), ("u", &named)];
            let request = Request::post(format!("/api/v3/lists/update-ctx?pid={}", encode(&client.pid)));
            let request = request.header(FORM.0, FORM.1).body(Body::from(encode_form(&fields))).unwrap();
            tokio::time::timeout(Duration::from_secs(60), app.router.clone().oneshot(request)).await.unwrap().unwrap()
        };
        let mut unread = Vec::new();
        for name in ["ann", "ben", "cat", "dan"] {
            let client = app.shopper(name).await;
            let lid = client.list("Mine").await;
            let before = unread.len();
            let refused = loop {
                let response = change(&client, &lid).await;
                if response.status() != 200 {
                    break response;
                }
                unread.push(response);
            };
            assert_eq!(refused.status(), 503);
            // Four of a caller. What was reserved for larger records has been released.
            assert_eq!(unread.len(), before + 4);
            assert!(app.app.large_responses.reserved() < 1 << 20);
            unread.pop();
            assert_eq!(change(&client, &lid).await.status(), 200);
        }
    }

    async fn unread_responses_with_many_lists_are_bounded_by_reader(app: TestApp) {
        let (ann, ben) = (app.shopper("ann").await, app.shopper("ben").await);
        for client in [&ann, &ben] {
            for number in 0..12 {
                client.list(&format!("List {number}")).await;
            }
        }
        let fetch = async |client: &Client| -> Response<Body> {
            let fields = [("regid", client.regid.as_str()), ("sessionid", &client.sessionid)];
            let request = Request::post(format!("/api/v3/lists/fetch-lists?pid={}", encode(&client.pid)));
            let request = request.header(FORM.0, FORM.1).body(Body::from(encode_form(&fields))).unwrap();
            app.router.clone().oneshot(request).await.unwrap()
        };
        let mut unread = Vec::new();
        for _ in 0..4 {
            unread.push(fetch(&ann).await);
        }
        assert!(unread.iter().all(|response| response.status() == 200));
        assert_eq!(fetch(&ann).await.status(), 503);
        assert_eq!(fetch(&ben).await.status(), 200, "others are not affected");
        unread.pop();
        assert_eq!(fetch(&ann).await.status(), 200);
        assert_eq!(ann.post("lists/fetch-lists", &[]).await.ok().as_array().unwrap().len(), 12);
    }
}
