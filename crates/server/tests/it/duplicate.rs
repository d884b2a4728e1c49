//! Duplicating lists, immediately and in the background.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::jobs::copy_lists::copy_next;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::purge_lists::purge_some;

use crate::support::process::until;
use crate::support::{Client, NOW, Reply, TestApp, epis, item, runner};

/// Runs the job until no copy is in progress.
pub async fn copy_all(app: &TestApp) {
    while copy_next(&app.app).await.unwrap() != Rest::UntilWoken {}
}

async fn duplicate(client: &Client, from: &str, fields: &[(&str, &str)]) -> Reply {
    client.post("lists/create", &[&[("lname", "Copy"), ("fromlid", from)], fields].concat()).await
}

fn lid(list: &Value) -> String {
    list["lid"].as_str().unwrap().to_owned()
}

/// A list with this many items: variants 1, 2, …, each with attributes of its own.
async fn long_list(client: &Client, count: i64) -> String {
    let list = client.list("Long").await;
    let items: Vec<Value> = (1..=count).map(rich).collect();
    for part in items.chunks(500) {
        client.add_items(&list, &Value::from(part)).await;
    }
    list
}

fn rich(n: i64) -> Value {
    let mut out = item(n);
    out["qty"] = json!(n % 7 + 1);
    out["note"] = json!(format!("note {n}"));
    out["cprops"] = json!({ "n": n });
    out["clbls"] = json!(["room"]);
    out["dt"] = json!(format!("Title {n}"));
    out["pr"] = json!(n);
    out
}

async fn contents(client: &Client, list: &str) -> Value {
    client.post("lists/fetch-list-with-contents", &[("lid", list)]).await.ok()
}

/// Items without the fields that differ between original and copy.
fn alike(items: &Value) -> Vec<Value> {
    let mut items = items.as_array().unwrap().clone();
    for item in &mut items {
        for key in ["id", "lid", "di", "_pkey", "uid", "cby", "uby"] {
            item.as_object_mut().unwrap().remove(key);
        }
    }
    items
}

fn ids(items: &Value) -> Vec<String> {
    items.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

both_engines! {
    async fn a_copy_has_the_same_items_in_the_same_order_under_new_ids(app: TestApp) {
        let ann = app.shopper("ann").await;
        let details = [("lname", "Old"), ("lty", "gifts"), ("lnote", "n"), ("ldesc", "d"), ("lprops", r#"{"a":1.50}"#)];
        let old = ann.post("lists/create", &details).await.ok();
        let old = lid(&old);
        for n in 1..=60 {
            app.advance(i64::from(n % 3 == 0));
            ann.add_items(&old, &json!([rich(n)])).await;
        }
        app.advance(1_000);
        let made = duplicate(&ann, &old, &[]).await.ok();
        assert_eq!(made["listcontents"], json!([]));
        assert_eq!((&made["cnt"], &made["lname"], &made["lty"]), (&json!(60), &json!("Copy"), &json!("gifts")));
        assert_eq!((&made["lnote"], &made["ldesc"], made["lprops"].to_string()), (&json!("n"), &json!("d"), r#"{"a":1.50}"#.into()));
        assert_eq!((&made["anonRead"], made.get("_cp"), &made["cts"]), (&json!(false), None, &json!(app.app.environment.now())));
        let (before, after) = (contents(&ann, &old).await, contents(&ann, &lid(&made)).await);
        assert_eq!(alike(&before["items"]), alike(&after["items"]));
        assert_eq!(after["list"]["cnt"], 60);
        let (before, after) = (ids(&before["items"]), ids(&after["items"]));
        assert!(before.iter().all(|id| !after.contains(id)));
        for sorted in [("sortby", "price"), ("sortby", "title")] {
            let [one, other] = [ann.all_pages(&old, &[sorted]).await, ann.all_pages(&lid(&made), &[sorted]).await];
            assert_eq!(epis(&one.into()), epis(&other.into()));
        }
        // Original and copy are independent.
        ann.post("lists/update-ctx", &[("lid", &old), ("d", r#"[{"epi":1}]"#)]).await.ok();
        ann.add(&lid(&made), &[100]).await;
        let copy = contents(&ann, &lid(&made)).await;
        assert_eq!(copy["list"]["cnt"], 61);
        assert_eq!(epis(&copy["items"])[0], 100, "what is added later is the newest");
        app.assert_sound().await;
    }

    async fn parameters_override_the_fields_of_the_original(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = ann.post("lists/create", &[("lname", "Old"), ("lnote", "n"), ("lprops", r#"{"a":1}"#)]).await.ok();
        let made = duplicate(&ann, &lid(&old), &[("lty", "gifts"), ("lnote", " "), ("lprops", r#"{"b":2}"#)]).await.ok();
        assert_eq!((&made["lty"], made.get("lnote"), &made["lprops"]), (&json!("gifts"), None, &json!({ "b": 2 })));
        ann.post("lists/create", &[("fromlid", &lid(&old))]).await.fails(400, "missing-parameter");
        // A shopper has one save-for-later list: its copy is a wishlist.
        let saved = lid(&ann.post("lists/sfl/create", &[]).await.ok());
        ann.post("lists/sfl/add", &[("lid", &saved), ("items", &json!([item(1)]).to_string())]).await.ok();
        let made = duplicate(&ann, &saved, &[]).await.ok();
        assert_eq!((&made["lty"], &made["cnt"]), (&json!("wl"), &json!(1)));
        assert_eq!(ann.post("lists/sfl/fetch", &[]).await.ok()["list"]["lid"], saved);
    }

    async fn only_own_and_public_lists_can_be_duplicated(app: TestApp) {
        let (ann, bob, guest) = (app.shopper("ann").await, app.shopper("bob").await, app.guest().await);
        let old = ann.list("Gifts").await;
        ann.add_items(&old, &json!([rich(1), rich(2)])).await;
        ann.post("lists/update", &[("lid", &old), ("archived", "true")]).await.ok();
        for visitor in [&bob, &guest] {
            duplicate(visitor, &old, &[]).await.fails(403, "forbidden");
            assert_eq!(visitor.post("lists/fetch-user-lists", &[]).await.ok()["data"], json!([]));
        }
        duplicate(&ann, "nothing", &[]).await.fails(404, "list-not-found");
        duplicate(&ann, &old, &[]).await.ok();
        ann.post("lists/markPublic", &[("lid", &old)]).await.ok();
        for visitor in [&bob, &guest] {
            let reply = duplicate(visitor, &old, &[]).await;
            let made = reply.ok();
            assert_eq!((&made["cnt"], &made["st"]), (&json!(2), &json!(1)));
            let copy = visitor.post("lists/fetch-list-with-contents", &[("lid", &lid(&made))]).await;
            // Data of the owner is not copied.
            let owner = contents(&ann, &old).await;
            for secret in ["uid", "di", "_pkey", "cby"] {
                let secret = owner["list"][secret].as_str().unwrap();
                assert!(!copy.text().contains(secret) && !reply.text().contains(secret), "{secret}");
            }
            assert_eq!(alike(&copy.ok()["items"]), alike(&owner["items"]));
            ann.post("lists/fetch-list-with-contents", &[("lid", &lid(&made))]).await.fails(403, "forbidden");
        }
    }

    async fn up_to_500_items_are_copied_immediately_and_more_in_the_background(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 500).await;
        let made = duplicate(&ann, &old, &[]).await.ok();
        assert_eq!((&made["cnt"], made.get("_cp")), (&json!(500), None));
        assert_eq!(app.rows("copies").await, 0);

        ann.add_items(&old, &json!([rich(501)])).await;
        let made = duplicate(&ann, &old, &[]).await.ok();
        assert_eq!((&made["cnt"], &made["_cp"], &made["listcontents"]), (&json!(0), &json!(true), &json!([])));
        assert_eq!(copy_next(&app.app).await.unwrap(), Rest::None);
        let half = contents(&ann, &lid(&made)).await["list"].clone();
        assert_eq!((&half["cnt"], &half["_cp"]), (&json!(500), &json!(true)));
        assert!(half["version"].as_i64() > made["version"].as_i64() && half["uts"].as_i64() > made["uts"].as_i64());
        copy_all(&app).await;
        let (before, after) = (contents(&ann, &old).await, contents(&ann, &lid(&made)).await);
        assert_eq!((&after["list"]["cnt"], after["list"].get("_cp")), (&json!(501), None));
        assert_eq!(alike(&before["items"]), alike(&after["items"]));
        app.assert_sound().await;
    }

    async fn all_items_of_a_long_list_are_copied_wherever_the_job_fails(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 5_001).await;
        let made = lid(&duplicate(&ann, &old, &[]).await.ok());
        // A batch has about 1,000 statements; one of seven attempts succeeds.
        for try_number in 0.. {
            let _ = app.break_at(try_number * 97 % 1_201, copy_next(&app.app)).await;
            if app.rows("copies").await == 0 {
                break;
            }
        }
        copy_all(&app).await;
        let (before, after) = (contents(&ann, &old).await, contents(&ann, &made).await);
        assert_eq!(after["list"]["cnt"], 5_001);
        assert_eq!(alike(&before["items"]), alike(&after["items"]));
        app.assert_sound().await;
    }

    async fn duplicating_is_atomic(app: TestApp) {
        let ann = app.shopper("ann").await;
        let short = ann.list("Short").await;
        ann.add(&short, &[1, 2, 3]).await;
        app.break_everywhere(async || duplicate(&ann, &short, &[]).await).await;
        let lists = ann.post("lists/fetch-user-lists", &[]).await.ok();
        assert_eq!(lists["data"].as_array().unwrap().iter().map(|list| &list["cnt"]).collect::<Vec<_>>(), [3, 3]);

        let long = long_list(&ann, 501).await;
        app.break_everywhere(async || duplicate(&ann, &long, &[]).await).await;
        // A step of the job is one transaction: a failed step has no effect.
        for point in (0..6).chain((6..1_000).step_by(121)).chain(1_000..=1_006) {
            let before = app.tables().await;
            app.break_at(point, copy_next(&app.app)).await.unwrap().unwrap_err();
            assert_eq!(app.tables().await, before, "{point}");
        }
        // If only the response is lost, the next step continues after it.
        app.break_at(1_007, copy_next(&app.app)).await.unwrap().unwrap_err();
        copy_all(&app).await;
        let lists = ann.post("lists/fetch-user-lists", &[]).await.ok();
        assert_eq!(lists["data"].as_array().unwrap().iter().map(|list| &list["cnt"]).collect::<Vec<_>>(), [3, 3, 501, 501]);
        app.assert_sound().await;
    }

    async fn a_copy_can_be_used_while_it_is_in_progress(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 1_400).await;
        app.advance(10);
        let made = lid(&duplicate(&ann, &old, &[]).await.ok());
        copy_next(&app.app).await.unwrap();
        // Variant 1 has been copied and is deleted; 1,300 has not been copied yet and is added by the shopper.
        let own = json!([{ "epi": 1_300, "empi": 2_300, "du": "https://shop.example/own", "qty": 9 }]).to_string();
        ann.post("lists/update-ctx", &[("lid", &made), ("d", r#"[{"epi":1}]"#), ("a", &own)]).await.ok();
        ann.add(&made, &[9_999]).await;
        copy_all(&app).await;
        let copy = contents(&ann, &made).await;
        assert_eq!(copy["list"]["cnt"], 1_400 - 1 + 1);
        let mut expected: Vec<i64> = vec![9_999, 1_300];
        expected.extend((2..=1_400).rev().filter(|n| *n != 1_300));
        assert_eq!(epis(&copy["items"]), expected);
        assert_eq!((&copy["items"][1]["qty"], &copy["items"][1]["du"]), (&json!(9), &json!("https://shop.example/own")));
        app.assert_sound().await;
    }

    async fn changes_to_the_original_during_the_copy_do_not_reach_the_copy(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let old = long_list(&ann, 1_200).await;
        ann.post("lists/markPublic", &[("lid", &old)]).await.ok();
        let made = lid(&duplicate(&bob, &old, &[]).await.ok());
        copy_next(&app.app).await.unwrap();
        // Access was checked at the call. Items added later are not part of the copy.
        ann.post("lists/markPublic", &[("lid", &old), ("public", "false")]).await.ok();
        ann.add(&old, &[5_000]).await;
        ann.post("lists/update-ctx", &[("lid", &old), ("d", r#"[{"epi":1},{"epi":1200}]"#)]).await.ok();
        copy_all(&app).await;
        let copy = contents(&bob, &made).await;
        assert_eq!(epis(&copy["items"]), (1..=1_199).rev().collect::<Vec<i64>>());
        assert_eq!((&copy["list"]["cnt"], copy["list"].get("_cp")), (&json!(1_199), None));
        app.assert_sound().await;
    }

    async fn a_copy_of_an_own_list_is_a_snapshot(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 1_200).await;
        let before = alike(&contents(&ann, &old).await["items"]);
        let change = json!([{ "epi": 1_100, "empi": 2_100, "du": "https://shop.example/new", "note": "new" }]).to_string();
        let other = ann.list("Other").await;
        for number in 0..4 {
            let made = lid(&duplicate(&ann, &old, &[]).await.ok());
            copy_next(&app.app).await.unwrap();
            let expected = alike(&contents(&ann, &old).await["items"]);
            match number {
                0 => _ = ann.add(&old, &[7_000]).await,
                1 => _ = ann.post("lists/update-ctx", &[("lid", &old), ("u", &change)]).await.ok(),
                2 => _ = ann.post("lists/update-ctx", &[("lid", &old), ("d", r#"[{"epi":1199}]"#)]).await.ok(),
                _ => {
                    let fields = [("fromlid", old.as_str()), ("tolid", &other), ("items", r#"[{"epi":1198}]"#)];
                    assert_eq!(epis(&ann.post("lists/move-items", &fields).await.ok()["moved"]), [1_198]);
                }
            }
            app.advance(1_000);
            copy_all(&app).await;
            assert_eq!(alike(&contents(&ann, &made).await["items"]), expected, "{number}");
            app.assert_sound().await;
        }
        assert_eq!(contents(&ann, &old).await["list"]["cnt"], before.len() + 1 - 2);
        // Also if an item is moved to the copy itself.
        let made = lid(&duplicate(&ann, &old, &[]).await.ok());
        let fields = [("fromlid", old.as_str()), ("tolid", &made), ("items", r#"[{"epi":1197},{"epi":1}]"#)];
        assert_eq!(epis(&ann.post("lists/move-items", &fields).await.ok()["already"]), [1_197, 1]);
        app.assert_sound().await;
        copy_all(&app).await;
        assert_eq!(contents(&ann, &made).await["list"]["cnt"], before.len() - 1);
        app.assert_sound().await;
    }

    async fn a_list_deleted_during_the_copy_is_still_copied_completely(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let old = long_list(&ann, 1_200).await;
        ann.post("lists/markPublic", &[("lid", &old)]).await.ok();
        let mine = lid(&duplicate(&ann, &old, &[]).await.ok());
        let bobs = lid(&duplicate(&bob, &old, &[]).await.ok());
        copy_next(&app.app).await.unwrap();
        ann.post("lists/delete-list", &[("lid", &old)]).await.ok();
        app.assert_sound().await;
        copy_all(&app).await;
        // Access was checked at the call.
        for (shopper, list) in [(&ann, &mine), (&bob, &bobs)] {
            let copy = contents(shopper, list).await;
            assert_eq!((&copy["list"]["cnt"], copy["list"].get("_cp")), (&json!(1_200), None));
        }
        app.assert_sound().await;
    }

    async fn a_long_list_is_gone_at_once_and_its_items_in_small_steps(app: TestApp) {
        let ann = app.shopper("ann").await;
        let list = long_list(&ann, 1_200).await;
        duplicate(&ann, &list, &[]).await.ok();
        ann.post("lists/delete-list", &[("lid", &list)]).await.ok();
        ann.post("lists/fetch-user-list", &[("lid", &list)]).await.fails(404, "list-not-found");
        assert_eq!(app.rows("items").await, 1_200);
        assert_eq!(purge_some(&app.app).await.unwrap(), Rest::UntilWoken, "they are still to be copied");
        copy_all(&app).await;
        let mut rows = vec![app.rows("items").await];
        while purge_some(&app.app).await.unwrap() != Rest::UntilWoken {
            app.assert_sound().await;
            rows.push(app.rows("items").await);
        }
        assert_eq!(rows, [2_400, 1_900, 1_400, 1_200]);
    }

    async fn a_guest_who_logs_in_during_a_copy_loses_no_items(app: TestApp) {
        let (ann, guest) = (app.shopper("ann").await, app.guest().await);
        let own = ann.list("Long").await;
        ann.add(&own, &[5_000]).await;
        // The list is merged into Ann's list of that name; the copy becomes hers.
        let old = long_list(&guest, 1_200).await;
        let made = lid(&duplicate(&guest, &old, &[]).await.ok());
        copy_next(&app.app).await.unwrap();
        let login = [("regid", guest.regid.as_str()), ("useremail", "ann@example.com"), ("useragenttype", "tests")];
        app.store_admin().form("/storeadmin/v3/user/guest-validate-sync", &login).await.ok();
        copy_all(&app).await;
        let copy = contents(&ann, &made).await;
        assert_eq!(epis(&copy["items"]), (1..=1_200).rev().collect::<Vec<i64>>());
        assert_eq!((&copy["list"]["cnt"], copy["list"].get("_cp")), (&json!(1_200), None));
        assert_eq!(contents(&ann, &own).await["list"]["cnt"], 1_201);
        app.assert_sound().await;
    }

    async fn deleting_a_copy_cancels_it(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 501).await;
        let made = lid(&duplicate(&ann, &old, &[]).await.ok());
        copy_next(&app.app).await.unwrap();
        assert_eq!(ann.post("lists/delete-list", &[("lid", &made)]).await.ok()["cnt"], 500);
        assert_eq!((app.rows("copies").await, app.rows("items").await), (0, 501));
        copy_all(&app).await;
        app.assert_sound().await;
    }

    async fn limits_apply_to_lists_and_to_copies_in_progress(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 501).await;
        app.set(SettingsChange { max_items: Some(10), ..SettingsChange::default() }).await;
        for _ in 0..4 {
            duplicate(&ann, &old, &[]).await.ok();
        }
        let reply = duplicate(&ann, &old, &[]).await;
        assert!(reply.fails(400, "limit-reached")["error-msg"].as_str().unwrap().contains("retry when"), "{}", reply.text());
        copy_all(&app).await;
        // All items of a list may be copied, even above the current limit.
        let last = lid(&duplicate(&ann, &old, &[]).await.ok());
        copy_all(&app).await;
        assert_eq!(contents(&ann, &last).await["list"]["cnt"], 501);
        app.set(SettingsChange { max_lists: Some(6), ..SettingsChange::default() }).await;
        duplicate(&ann, &old, &[]).await.fails(400, "limit-reached");
        app.assert_sound().await;
    }

    async fn duplicating_a_long_list_twice_with_one_key_creates_one_copy(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 501).await;
        let call = async || {
            let fields = [("lname", "Copy"), ("fromlid", old.as_str())];
            crate::idempotency::post(&ann, "k", "lists/create", &fields).await.bytes
        };
        let first = call().await;
        copy_all(&app).await;
        assert_eq!(call().await, first, "also when it is long done");
        copy_all(&app).await;
        assert_eq!(app.rows("items").await, 1_002);
    }

    async fn several_nodes_copy_every_item_once(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 3_100).await;
        let made = lid(&duplicate(&ann, &old, &[]).await.ok());
        let second = app.second_node().await;
        let work = async |node: &wishbone_server::app::App| while copy_next(node).await.unwrap() != Rest::UntilWoken {};
        let add = async || {
            for n in 0..40 {
                ann.add(&made, &[10_000 + n]).await;
            }
        };
        tokio::join!(work(&app.app), work(&second), work(&app.app), add());
        let copy = contents(&ann, &made).await;
        assert_eq!(copy["list"]["cnt"], 3_140);
        assert_eq!(epis(&copy["items"])[40..], (1..=3_100).rev().collect::<Vec<i64>>()[..]);
        app.assert_sound().await;
    }

    async fn a_clock_that_goes_back_does_not_change_the_order(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = ann.list("Old").await;
        app.advance(10_000);
        ann.add(&old, &[1, 2]).await;
        app.app.environment.set_now(NOW);
        let made = lid(&duplicate(&ann, &old, &[]).await.ok());
        ann.add(&made, &[3]).await;
        assert_eq!(epis(&contents(&ann, &made).await["items"]), [3, 2, 1]);
    }

    async fn concurrent_changes_neither_lose_nor_duplicate_items(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = long_list(&ann, 1_700).await;
        // Changes between the steps: list, added or deleted, variant.
        let change = (any::<bool>(), any::<bool>(), 1_i64..2_000);
        let changes = proptest::collection::vec(proptest::collection::vec(change, 0..6), 5);
        let mut runner = runner(1);
        for _ in 0..6 {
            app.advance(1_000);
            let rounds = changes.new_tree(&mut runner).unwrap().current();
            let source: Vec<i64> = epis(&contents(&ann, &old).await["items"]);
            let made = lid(&duplicate(&ann, &old, &[]).await.ok());
            // Every item that the source had at the call is copied, unless it was deleted from the copy.
            let mut taken_out = BTreeSet::new();
            let mut present = BTreeSet::new();
            for round in &rounds {
                copy_next(&app.app).await.unwrap();
                for (on_copy, adds, n) in round {
                    let (list, letter) = (if *on_copy { &made } else { &old }, if *adds { "a" } else { "d" });
                    let held = ann.post("lists/contains", &[("epis", &json!([n]).to_string())]).await.ok();
                    let there = held["data"][n.to_string()].as_array().is_some_and(|lists| lists.contains(&json!(list)));
                    ann.post("lists/update-ctx", &[("lid", list), (letter, &json!([item(*n)]).to_string())]).await.ok();
                    if *on_copy {
                        match (adds, there) {
                            (true, _) => { present.insert(*n); }
                            (false, true) => { present.remove(n); taken_out.insert(*n); }
                            (false, false) => { present.remove(n); }
                        }
                    }
                }
            }
            copy_all(&app).await;
            let copy = contents(&ann, &made).await;
            let found = epis(&copy["items"]);
            let unique: BTreeSet<i64> = found.iter().copied().collect();
            assert_eq!(unique.len(), found.len(), "none is doubled");
            assert_eq!(copy["list"]["cnt"], found.len());
            for n in source.iter().filter(|n| !taken_out.contains(n)) {
                assert!(unique.contains(n), "{n} is lost");
            }
            for n in &unique {
                assert!(source.contains(n) || present.contains(n), "{n} came from nowhere");
            }
            for n in &present {
                assert!(unique.contains(n), "{n} was added to the copy and is gone");
            }
            ann.post("lists/delete-list", &[("lid", &made)]).await.ok();
            app.assert_sound().await;
        }
    }
}

both_setups! {
    fn a_copy_of_ten_thousand_items_survives_kill_9(setup: Setup) {
        let (mut server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        let old = ann.list("Old");
        let items: Vec<Value> = (1..=10_000).map(item).collect();
        for part in items.chunks(500) {
            ann.post("lists/update-ctx", &[("lid", &old), ("a", &Value::from(part).to_string())]).ok();
        }
        let made = ann.post("lists/create", &[("lname", "Copy"), ("fromlid", &old)]).ok();
        let made = made["lid"].as_str().unwrap().to_owned();
        let list = |ann: &crate::support::process::Buyer| -> Value {
            let lists = ann.post("lists/fetch-user-lists", &[]).ok();
            lists["data"].as_array().unwrap().iter().find(|list| list["lid"] == made.as_str()).unwrap().clone()
        };
        let mut reached = 0;
        for _ in 0..3 {
            let here = ann.at(&server);
            until("the copy has begun, or goes on", || {
                let list = list(&here);
                list["cnt"].as_i64().unwrap() > reached || list.get("_cp").is_none()
            });
            server.kill();
            server = setup.serve(&[]);
            reached = list(&ann.at(&server))["cnt"].as_i64().unwrap();
        }
        let ann = ann.at(&server);
        until("the copy is complete", || list(&ann).get("_cp").is_none());
        assert_eq!(list(&ann)["cnt"], 10_000);
        assert_eq!(ann.contents(&made), (1..=10_000).rev().collect::<Vec<i64>>());
        server.stop();
        let found = setup.json(&["check"]);
        assert_eq!(found["ok"], true, "{found}");
    }
}
