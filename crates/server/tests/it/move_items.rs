//! Moving items from one list to another.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};
use wishbone_core::stores::settings::{Feature, SettingsChange};

use crate::support::{Client, Reply, epis, item, runner};

async fn move_items(client: &Client, from: &str, to: &str, variants: &[i64]) -> Reply {
    let items: Vec<Value> = variants.iter().map(|n| json!({ "epi": n })).collect();
    let items = Value::from(items).to_string();
    client.post("lists/move-items", &[("fromlid", from), ("tolid", to), ("items", &items)]).await
}

async fn variants(client: &Client, list: &str) -> Vec<i64> {
    epis(&client.all_pages(list, &[]).await.into())
}

fn without(item: &Value, keys: &[&str]) -> Value {
    let mut item = item.clone();
    keys.iter().for_each(|key| _ = item.as_object_mut().unwrap().remove(*key));
    item
}

both_engines! {
    async fn items_move_with_all_they_have_and_keep_their_time(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (from, to) = (ann.list("From").await, ann.list("To").await);
        let rich = json!({
            "epi": 1, "empi": 1001, "du": "https://shop.example/p/1", "qty": 3, "note": "n", "cprops": { "k": [1] },
            "clbls": ["room"], "dt": "Title", "pr": 19.90,
        });
        ann.add_items(&from, &json!([rich, item(2), item(3)])).await;
        app.advance(1_000);
        ann.add(&to, &[4]).await;
        let before = ann.all_pages(&from, &[]).await;
        app.advance(1_000);
        let reply = move_items(&ann, &from, &to, &[3, 1]).await.ok();
        assert_eq!((&reply["status"], &reply["already"], &reply["failed"]), (&json!("success"), &json!([]), &json!([])));
        assert_eq!(epis(&reply["moved"]), [3, 1], "in the order of the call");
        let moved = &reply["moved"][1];
        assert_eq!(without(moved, &["lid", "uts"]), without(&before[2], &["lid", "uts"]));
        assert_eq!((moved["lid"].as_str(), &moved["uts"]), (Some(to.as_str()), &json!(app.app.environment.now())));
        // Where they are by their time, and in the order that they had.
        assert_eq!((variants(&ann, &from).await, variants(&ann, &to).await), (vec![2], vec![4, 3, 1]));
        let (one, other) = (ann.page(&from, &[]).await["data"].clone(), ann.page(&to, &[]).await["data"].clone());
        assert_eq!((&one["cnt"], &other["cnt"]), (&json!(1), &json!(3)));
        assert_eq!((&one["version"], &other["version"]), (&reply["fromversion"], &reply["toversion"]));
        assert_eq!((&one["uts"], &other["uts"]), (&json!(app.app.environment.now()), &json!(app.app.environment.now())));
        assert_eq!(other["listcontents"][2], *moved);
        app.assert_sound().await;
    }

    async fn an_item_that_is_there_already_stays_as_it_is_and_the_other_leaves(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (from, to) = (ann.list("From").await, ann.list("To").await);
        ann.add(&from, &[1, 2]).await;
        ann.add_items(&to, &json!([{ "epi": 1, "empi": 1001, "du": "https://shop.example/p/1", "qty": 7 }])).await;
        let own = ann.page(&to, &[]).await["data"]["listcontents"][0].clone();
        app.advance(1);
        let reply = move_items(&ann, &from, &to, &[1, 2]).await.ok();
        assert_eq!((epis(&reply["moved"]), &reply["already"]), (vec![2], &json!([own])));
        assert_eq!((variants(&ann, &from).await, variants(&ann, &to).await), (vec![], vec![2, 1]));
        app.assert_sound().await;
    }

    async fn what_cannot_move_stays_and_is_told_in_its_place(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (from, to) = (ann.list("From").await, ann.list("To").await);
        ann.add(&from, &[1, 2, 3]).await;
        app.advance(10);
        ann.add(&to, &[10]).await;
        app.set(SettingsChange { max_items: Some(2), ..SettingsChange::default() }).await;
        let items = r#"[{"epi":99},{"epi":1,"empi":5},{"epi":"2","empi":1002,"du":null},{"epi":2},{"epi":3},{"epi":"x"},7,{}]"#;
        let reply = ann.post("lists/move-items", &[("fromlid", &from), ("tolid", &to), ("items", items)]).await.ok();
        assert_eq!(epis(&reply["moved"]), [2]);
        let failed: Vec<(&Value, &str)> = reply["failed"].as_array().unwrap().iter()
            .map(|failed| (&failed["epi"], failed["error-code"].as_str().unwrap())).collect();
        assert_eq!(failed, [
            (&json!(99), "item-not-found"), (&json!(1), "item-not-found"), (&json!(3), "limit-reached"),
            (&json!("x"), "invalid-item"), (&Value::Null, "invalid-item"), (&Value::Null, "invalid-item"),
        ]);
        assert!(reply["failed"].as_array().unwrap().iter().all(|failed| failed["hasError"] == true && failed["msg"].is_string()));
        assert_eq!((variants(&ann, &from).await, variants(&ann, &to).await), (vec![3, 1], vec![10, 2]));
        // Nothing moved, nothing changed.
        let before = app.tables().await;
        let again = move_items(&ann, &from, &to, &[2, 3]).await.ok();
        assert_eq!((&again["moved"], &again["fromversion"]), (&json!([]), &reply["fromversion"]));
        assert_eq!(app.tables().await, before);
    }

    async fn bad_calls_are_told_what_to_change(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let (from, to, bobs) = (ann.list("From").await, ann.list("To").await, bob.list("Bob").await);
        ann.add(&from, &[1]).await;
        bob.add(&bobs, &[1]).await;
        let before = app.tables().await;
        move_items(&ann, &from, &from, &[1]).await.fails(400, "invalid-parameter");
        move_items(&ann, &from, &bobs, &[1]).await.fails(403, "forbidden");
        move_items(&ann, &bobs, &to, &[1]).await.fails(403, "forbidden");
        move_items(&ann, &from, "none", &[1]).await.fails(404, "list-not-found");
        move_items(&ann, "none", &to, &[1]).await.fails(404, "list-not-found");
        for missing in ["fromlid", "tolid", "items"] {
            let fields = [("fromlid", from.as_str()), ("tolid", &to), ("items", r#"[{"epi":1}]"#)];
            let fields: Vec<(&str, &str)> = fields.into_iter().filter(|(name, _)| *name != missing).collect();
            let told = ann.post("lists/move-items", &fields).await.fails(400, "missing-parameter");
            assert!(told["error-msg"].as_str().unwrap().contains(missing), "{told}");
        }
        let many = Value::from((1..=501).map(|n| json!({ "epi": n })).collect::<Vec<_>>()).to_string();
        for bad in ["[]", "{}", "x", &many] {
            let fields = [("fromlid", from.as_str()), ("tolid", &to), ("items", bad)];
            ann.post("lists/move-items", &fields).await.fails(400, "invalid-parameter");
        }
        let fields = [("fromlid", from.as_str()), ("tolid", &to), ("items", r#"[{"epi":1}]"#), ("ifversion", "1")];
        let told = ann.post("lists/move-items", &fields).await.fails(400, "version-conflict");
        assert_eq!(told["version"], 2);
        assert_eq!(app.tables().await, before);
    }

    async fn save_for_later_needs_its_feature_here_too(app: TestApp) {
        let ann = app.shopper("ann").await;
        let list = ann.list("List").await;
        let saved = ann.post("lists/sfl/create", &[]).await.ok()["lid"].as_str().unwrap().to_owned();
        ann.add(&list, &[1, 2]).await;
        move_items(&ann, &list, &saved, &[1]).await.ok();
        app.set(SettingsChange { disable: vec![Feature::SaveForLater], ..SettingsChange::default() }).await;
        move_items(&ann, &list, &saved, &[2]).await.fails(403, "feature-not-enabled");
        move_items(&ann, &saved, &list, &[1]).await.fails(403, "feature-not-enabled");
        assert_eq!(variants(&ann, &list).await, [2]);
    }

    async fn whoever_may_edit_by_link_moves_items_there_and_back(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let (shared, mine) = (ann.list("Shared").await, bob.list("Mine").await);
        ann.add(&shared, &[1, 2]).await;
        bob.add(&mine, &[3]).await;
        let link = ann.post("lists/share-links/create", &[("lid", &shared), ("scope", "edit")]).await.ok();
        let key = link["link"]["key"].as_str().unwrap().to_owned();
        move_items(&bob, &shared, &mine, &[1]).await.fails(403, "forbidden");
        let reply = move_items(&bob, &key, &mine, &[1]).await;
        // It is Bob's now, and says nothing of whose it was.
        let owner = ann.page(&shared, &[]).await["data"].clone();
        for secret in ["uid", "di", "_pkey", "cby"] {
            assert!(!reply.text().contains(owner[secret].as_str().unwrap()), "{secret}");
        }
        assert_eq!(reply.ok()["moved"][0]["cby"], "bob@example.com");
        let there = move_items(&bob, &mine, &key, &[3]).await;
        assert_eq!(there.ok()["moved"][0]["lid"], key.as_str());
        assert!(!there.text().contains("example.com"), "{}", there.text());
        let seen = ann.page(&shared, &[]).await["data"]["listcontents"].clone();
        assert_eq!((epis(&seen), &seen[0]["cby"]), (vec![3, 2], &json!("bob@example.com")));
        assert_eq!(variants(&bob, &mine).await, [1]);
        // The link and the lid are one list.
        move_items(&ann, &shared, &key, &[2]).await.fails(400, "invalid-parameter");
        let copy = bob.post("lists/create", &[("lname", "Copy"), ("fromlid", &key)]).await.ok();
        assert_eq!(copy["cnt"], 2);
        app.assert_sound().await;
    }

    async fn comments_go_with_their_items(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (from, to) = (ann.list("From").await, ann.list("To").await);
        ann.add(&from, &[1, 2, 3]).await;
        for epi in ["1", "2"] {
            ann.post("lists/comments/add", &[("lid", &from), ("epi", epi), ("text", "nice")]).await.ok();
        }
        ann.add(&to, &[2]).await;
        move_items(&ann, &from, &to, &[1]).await.ok();
        app.assert_sound().await;
        // Also those on an item that the other list has already.
        move_items(&ann, &from, &to, &[2]).await.ok();
        app.assert_sound().await;
        let counted = ann.post("lists/fetch-list-with-contents", &[("lid", &to)]).await.ok();
        assert_eq!(counted["list"]["itemcmnts"], 2);
    }

    async fn a_failed_move_leaves_everything_where_it_was(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (from, to) = (ann.list("From").await, ann.list("To").await);
        ann.add(&from, &[1, 2, 3]).await;
        ann.add(&to, &[2]).await;
        app.break_everywhere(async || move_items(&ann, &from, &to, &[1, 2, 3]).await).await;
        assert_eq!((variants(&ann, &from).await.len(), variants(&ann, &to).await.len()), (0, 3));
    }

    async fn what_is_added_after_a_move_is_the_newest_whatever_the_clock_says(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (from, to) = (ann.list("From").await, ann.list("To").await);
        app.advance(10_000);
        ann.add(&from, &[1]).await;
        app.advance(-9_000);
        move_items(&ann, &from, &to, &[1]).await.ok();
        ann.add(&to, &[2]).await;
        assert_eq!(variants(&ann, &to).await, [2, 1]);
    }

    async fn many_moves_in_both_directions_at_once_lose_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let second = app.second_node().await;
        let elsewhere = Client { router: wishbone_server::http::router::router(&second), ..ann.clone() };
        let (one, other) = (ann.list("One").await, ann.list("Other").await);
        let all: Vec<i64> = (1..=60).collect();
        ann.add(&one, &all[..30]).await;
        ann.add(&other, &all[30..]).await;
        let there = async |client: &Client| {
            for n in 0..15 {
                move_items(client, &one, &other, &[n * 4 + 1, n * 4 + 2]).await.ok();
            }
        };
        let back = async |client: &Client| {
            for n in 0..15 {
                move_items(client, &other, &one, &[n * 4 + 2, n * 4 + 3]).await.ok();
            }
        };
        let add = async || {
            for n in 61..=80 {
                ann.add(&one, &[n]).await;
            }
        };
        tokio::join!(there(&ann), back(&elsewhere), there(&elsewhere), back(&ann), add());
        let mut found = variants(&ann, &one).await;
        found.extend(variants(&ann, &other).await);
        found.sort_unstable();
        assert_eq!(found, (1..=80).collect::<Vec<i64>>());
        app.assert_sound().await;
    }

    async fn any_sequence_of_moves_keeps_every_item_once_and_in_order(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lists = [ann.list("A").await, ann.list("B").await, ann.list("C").await];
        // Lists as sets of variants with the time of their addition; ties do not occur.
        let mut model: [BTreeMap<i64, i64>; 3] = Default::default();
        let step = (0..3_usize, 0..3_usize, proptest::collection::vec(1_i64..30, 1..8), any::<bool>());
        let steps = proptest::collection::vec(step, 60).new_tree(&mut runner(1)).unwrap().current();
        for (from, to, wanted, moves) in steps {
            app.advance(10);
            if !moves {
                for n in wanted {
                    app.advance(10);
                    ann.add(&lists[from], &[n]).await;
                    model[from].entry(n).or_insert(app.app.environment.now());
                }
            } else if from == to {
                move_items(&ann, &lists[from], &lists[to], &wanted).await.fails(400, "invalid-parameter");
            } else {
                let reply = move_items(&ann, &lists[from], &lists[to], &wanted).await.ok();
                for n in wanted {
                    let Some(added_at) = model[from].remove(&n) else { continue };
                    let key = if model[to].contains_key(&n) { "already" } else { "moved" };
                    assert!(epis(&reply[key]).contains(&n), "{n}: {reply}");
                    model[to].entry(n).or_insert(added_at);
                }
            }
            for (list, expected) in lists.iter().zip(&model) {
                let mut expected: Vec<(i64, i64)> = expected.iter().map(|(n, added_at)| (*added_at, *n)).collect();
                expected.sort_unstable_by(|a, b| b.cmp(a));
                let page = ann.page(list, &[]).await["data"].clone();
                assert_eq!(page["cnt"], expected.len());
                let found: Vec<(i64, i64)> = page["listcontents"].as_array().unwrap().iter()
                    .map(|item| (item["cts"].as_i64().unwrap(), item["epi"].as_i64().unwrap())).collect();
                assert_eq!(found, expected);
            }
        }
        app.assert_sound().await;
    }

    async fn what_was_said_of_an_item_stays_with_the_people_of_its_list(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let (shared, mine) = (ann.list("Shared").await, bob.list("Mine").await);
        ann.add(&shared, &[1, 2]).await;
        bob.add(&mine, &[2]).await;
        for epi in ["1", "2"] {
            ann.post("lists/comments/add", &[("lid", &shared), ("epi", epi), ("text", "secret")]).await.ok();
        }
        let link = ann.post("lists/share-links/create", &[("lid", &shared), ("scope", "edit")]).await.ok();
        move_items(&bob, link["link"]["key"].as_str().unwrap(), &mine, &[1, 2]).await.ok();
        // As the owner of his list Bob sees who commented there: it must not be Ann, who commented on hers.
        let reply = bob.post("lists/comments/list", &[("lid", &mine)]).await;
        assert!(!reply.text().contains("ann@example.com"), "{}", reply.text());
        assert_eq!(reply.ok()["total"], 0);
        app.assert_sound().await;
    }
}
