//! The save-for-later list.

use serde_json::{Value, json};
use wishbone_core::stores::settings::{Feature, SettingsChange};

use crate::support::{Client, Reply, epis, item};

async fn call(client: &Client, operation: &str, lid: &str, items: Value) -> Reply {
    let (path, items) = (format!("lists/sfl/{operation}"), items.to_string());
    client.post(&path, &[("lid", lid), ("items", &items), ("user-agent", "tests")]).await
}

async fn saved(client: &Client) -> Value {
    client.post("lists/sfl/fetch", &[]).await.ok()
}

async fn make(client: &Client) -> String {
    client.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned()
}

both_engines! {
    async fn a_shopper_has_one_save_for_later_list_however_often_it_is_made(app: TestApp) {
        for client in [app.shopper("ann").await, app.guest().await, app.browser().await] {
            let fields = [("lname", " Later "), ("lnote", "a note"), ("lprops", "{\"a\":1}")];
            let first = client.post("lists/sfl/create", &fields).await.ok();
            assert_eq!((&first["lname"], &first["lty"]), (&json!("Later"), &json!("_saveForLater")));
            assert_eq!((&first["lnote"], &first["lprops"]), (&json!("a note"), &json!({ "a": 1 })));
            app.advance(1_000);
            let second = client.post("lists/sfl/create", &[("lname", "Another name")]).await.ok();
            assert_eq!(second, first);
            assert_eq!(client.post("lists/fetch-user-lists", &[]).await.ok()["data"].as_array().unwrap().len(), 1);
        }
        app.assert_sound().await;
    }

    async fn two_tabs_that_make_it_at_once_get_the_same_list(app: TestApp) {
        for client in [app.shopper("ann").await, app.guest().await, app.browser().await] {
            let calls = (0..8).map(|n| {
                let client = client.clone();
                async move {
                    if n % 2 == 0 {
                        return make(&client).await;
                    }
                    saved(&client).await["list"]["lid"].as_str().unwrap().to_owned()
                }
            });
            let lids = futures_util::future::join_all(calls).await;
            assert!(lids.iter().all(|lid| *lid == lids[0]), "{lids:?}");
        }
        app.assert_sound().await;
    }

    async fn fetching_makes_the_list_on_first_use(app: TestApp) {
        let ann = app.shopper("ann").await;
        let answer = saved(&ann).await;
        let mut keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["items", "list", "pagination", "userinfo"]);
        assert_eq!(
            (&answer["list"]["lname"], &answer["list"]["lty"]),
            (&json!("Saved for later"), &json!("_saveForLater"))
        );
        assert_eq!(answer["items"], json!([]));
        assert_eq!(answer["userinfo"]["em"], "ann@example.com");
        assert_eq!(answer["pagination"], json!({ "totalcount": 0, "next": null, "limit": 50 }));
        assert_eq!(make(&ann).await, answer["list"]["lid"]);
        assert_eq!(saved(&ann).await, answer);
        assert_eq!(saved(&app.guest().await).await["userinfo"], Value::Null);
        // It is not a wishlist.
        for fields in [&[("lty", "wl")][..], &[]] {
            assert_eq!(ann.post("lists/fetch-lists", fields).await.ok(), json!([]));
        }
    }

    async fn a_long_list_comes_in_pages(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = make(&ann).await;
        ann.add(&lid, &(1..=130).collect::<Vec<_>>()).await;
        let first = saved(&ann).await;
        assert_eq!(first["pagination"]["totalcount"], 130);
        let mut seen = epis(&first["items"]);
        let mut next = first["pagination"]["next"].as_str().map(str::to_owned);
        while let Some(token) = next {
            let page = ann.post("lists/sfl/fetch", &[("next", &token), ("itemslimit", "60")]).await.ok();
            assert_eq!(page["pagination"]["limit"], 60);
            seen.extend(epis(&page["items"]));
            next = page["pagination"]["next"].as_str().map(str::to_owned);
        }
        assert_eq!(seen, (1..=130).rev().collect::<Vec<_>>());
        ann.post("lists/sfl/fetch", &[("next", "x")]).await.fails(400, "invalid-next-token");
        ann.post("lists/sfl/fetch", &[("itemslimit", "49")]).await.fails(400, "min-items-limit-not-met");
        ann.post("lists/sfl/fetch", &[("itemslimit", "101")]).await.fails(400, "max-items-limit-exceeded");
    }

    async fn items_are_added_changed_and_taken_off(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = make(&ann).await;
        let mut input = item(2);
        input["qty"] = json!(3);
        let answer = call(&ann, "add", &lid, json!([item(1), input, { "epi": 3 }, item(4)])).await.ok();
        assert_eq!(answer.as_object().unwrap().len(), 2);
        assert_eq!(epis(&answer["itemsadded"]), [1, 2, 4]);
        assert_eq!(answer["itemsadded"][1]["qty"], 3);
        assert_eq!(answer["itemsfailed"].as_array().unwrap().len(), 1);
        let failed = &answer["itemsfailed"][0];
        assert_eq!(
            (&failed["epi"], &failed["hasError"], &failed["error-code"]),
            (&json!(3), &json!(true), &json!("invalid-item"))
        );
        assert!(!failed["msg"].as_str().unwrap().is_empty());

        let mut change = item(1);
        change["qty"] = json!(7);
        change["cprops"] = json!({ "gift": true });
        change["clbls"] = json!(["Kitchen"]);
        let mut labels = item(2);
        labels["clbls"] = json!(["a", "b"]);
        let answer = call(&ann, "update", &lid, json!([change, item(9), labels])).await.ok();
        assert_eq!(answer.as_object().unwrap().len(), 2);
        let updated = &answer["itemsupdated"][0];
        assert_eq!(
            (&updated["qty"], &updated["cprops"], &updated["clbls"]),
            (&json!(7), &json!({ "gift": true }), &json!(["Kitchen"]))
        );
        assert_eq!(updated["bt"], "");
        let codes: Vec<&Value> =
            answer["itemsfailed"].as_array().unwrap().iter().map(|failed| &failed["error-code"]).collect();
        assert_eq!(codes, ["item-not-found", "too-many-labels"]);
        assert_eq!(answer["itemsfailed"][0]["du"], "https://shop.example/p/9");

        let answer = call(&ann, "remove", &lid, json!([{ "epi": 4 }, { "epi": 99 }, { "epi": "x" }])).await.ok();
        assert_eq!(answer.as_object().unwrap().len(), 2);
        assert_eq!(epis(&answer["itemsdeleted"]), [4]);
        assert_eq!(answer["itemsfailed"].as_array().unwrap().len(), 1);

        let answer = call(&ann, "moved-to-cart", &lid, json!([item(2), item(4)])).await.ok();
        assert_eq!(answer.as_object().unwrap().len(), 2);
        assert_eq!(epis(&answer["itemsmoved"]), [2]);
        assert_eq!(answer["itemsmoved"][0]["qty"], 3);
        assert_eq!(answer["itemsfailed"], json!([]));

        let left = saved(&ann).await;
        assert_eq!(epis(&left["items"]), [1]);
        assert_eq!((&left["list"]["cnt"], &left["pagination"]["totalcount"]), (&json!(1), &json!(1)));
        app.assert_sound().await;
    }

    async fn calls_without_their_fields_are_refused(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = make(&ann).await;
        let items = json!([item(1)]).to_string();
        for operation in ["add", "update", "remove", "moved-to-cart"] {
            let path = format!("lists/sfl/{operation}");
            let agent = ("user-agent", "tests");
            ann.post(&path, &[agent, ("items", &items)]).await.fails(400, "missing-parameter");
            ann.post(&path, &[agent, ("lid", &lid)]).await.fails(400, "missing-parameter");
            ann.post(&path, &[agent, ("lid", &lid), ("items", "[]")]).await.fails(400, "invalid-parameter");
            ann.post(&path, &[agent, ("lid", &lid), ("items", "{}")]).await.fails(400, "invalid-parameter");
            ann.post(&path, &[agent, ("lid", "x"), ("items", &items)]).await.fails(404, "list-not-found");
        }
        // The user agent is a required field of update, and of no other.
        ann.post("lists/sfl/update", &[("lid", &lid), ("items", &items)]).await.fails(400, "missing-parameter");
        let empty = [("lid", lid.as_str()), ("items", &items), ("user-agent", "")];
        ann.post("lists/sfl/update", &empty).await.fails(400, "missing-parameter");
        for operation in ["add", "remove", "moved-to-cart"] {
            ann.post(&format!("lists/sfl/{operation}"), &[("lid", &lid), ("items", &items)]).await.ok();
        }
    }

    async fn a_list_of_another_type_is_refused(app: TestApp) {
        let ann = app.shopper("ann").await;
        let wishlist = ann.list("Summer").await;
        ann.add(&wishlist, &[1]).await;
        for operation in ["add", "update", "remove", "moved-to-cart"] {
            call(&ann, operation, &wishlist, json!([item(1)])).await.fails(400, "not-save-for-later");
        }
        assert_eq!(ann.page(&wishlist, &[]).await["data"]["cnt"], 1);
    }

    async fn anothers_list_is_forbidden(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = make(&ann).await;
        call(&ann, "add", &lid, json!([item(1)])).await.ok();
        for operation in ["add", "update", "remove", "moved-to-cart"] {
            call(&bob, operation, &lid, json!([item(1)])).await.fails(403, "forbidden");
        }
        assert_eq!(epis(&saved(&ann).await["items"]), [1]);
        assert_eq!(saved(&bob).await["items"], json!([]));
    }

    async fn both_names_of_the_type_count(app: TestApp) {
        for lty in ["sfl", "_saveForLater"] {
            let client = app.guest().await;
            let made = client.post("lists/create", &[("lname", "Mine"), ("lty", lty)]).await.ok();
            let lid = made["lid"].as_str().unwrap();
            assert_eq!(make(&client).await, lid);
            let fetched = saved(&client).await;
            assert_eq!((&fetched["list"]["lid"], &fetched["list"]["lty"]), (&json!(lid), &json!(lty)));
            assert_eq!(epis(&call(&client, "add", lid, json!([item(1)])).await.ok()["itemsadded"]), [1]);
            assert_eq!(epis(&call(&client, "update", lid, json!([item(1)])).await.ok()["itemsupdated"]), [1]);
            assert_eq!(epis(&call(&client, "moved-to-cart", lid, json!([item(1)])).await.ok()["itemsmoved"]), [1]);
        }
        app.assert_sound().await;
    }

    async fn a_deleted_save_for_later_list_is_made_anew(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = make(&ann).await;
        call(&ann, "add", &lid, json!([item(1)])).await.ok();
        ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        let fetched = saved(&ann).await;
        assert_ne!(fetched["list"]["lid"], lid.as_str());
        assert_eq!(fetched["items"], json!([]));
        app.assert_sound().await;
    }

    async fn every_call_needs_the_feature(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = make(&ann).await;
        app.set(SettingsChange { disable: vec![Feature::SaveForLater], ..Default::default() }).await;
        for operation in ["add", "update", "remove", "moved-to-cart"] {
            call(&ann, operation, &lid, json!([item(1)])).await.fails(403, "feature-not-enabled");
            // The feature is checked before the parameters.
            ann.post(&format!("lists/sfl/{operation}"), &[]).await.fails(403, "feature-not-enabled");
        }
        ann.post("lists/sfl/create", &[("lname", "  ")]).await.fails(403, "feature-not-enabled");
        ann.post("lists/sfl/fetch", &[("itemslimit", "x")]).await.fails(403, "feature-not-enabled");
        app.set(SettingsChange { enable: vec![Feature::SaveForLater], ..Default::default() }).await;
        assert_eq!(make(&ann).await, lid);
    }
}
