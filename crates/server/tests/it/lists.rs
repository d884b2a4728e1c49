//! Lists: made, changed, archived, deleted and fetched.

use serde_json::{Value, json};
use wishbone_core::stores::settings::SettingsChange;

use crate::support::{Client, NOW, epis, item};

fn names(lists: &Value) -> Vec<&str> {
    lists.as_array().unwrap().iter().map(|list| list["lname"].as_str().unwrap()).collect()
}

async fn user_lists(client: &Client, fields: &[(&str, &str)]) -> Value {
    client.post("lists/fetch-user-lists", fields).await.ok()["data"].clone()
}

async fn fetch_lists(client: &Client, fields: &[(&str, &str)]) -> Value {
    let lists = client.post("lists/fetch-lists", fields).await.ok();
    assert!(lists.is_array(), "a bare array: {lists}");
    lists
}

async fn uts(client: &Client, lid: &str) -> i64 {
    client.page(lid, &[]).await["data"]["uts"].as_i64().unwrap()
}

both_engines! {
    async fn adding_an_item_twice_keeps_one(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3]).await;
        ann.add(&lid, &[2]).await;
        let page = ann.page(&lid, &[]).await;
        assert_eq!(epis(&page["data"]["listcontents"]), [3, 2, 1]);
        assert_eq!(page["data"]["cnt"], 3);
        assert_eq!(page["pagination"]["next"], serde_json::Value::Null);
    }

    async fn a_new_list_comes_back_as_it_was_asked_for(app: TestApp) {
        let ann = app.shopper("ann").await;
        let fields =
            [("lname", "Été à Nice"), ("lnote", "for July"), ("ldesc", "All of it"), ("lprops", "{\"a\":[1.50,null]}")];
        let made = ann.post("lists/create", &fields).await;
        assert!(made.text().contains("\"lprops\":{\"a\":[1.50,null]}"), "{}", made.text());
        let made = made.ok();
        assert_eq!(made["lname"], "Été à Nice");
        assert_eq!(made["lnote"], "for July");
        assert_eq!(made["ldesc"], "All of it");
        assert_eq!(made["listcontents"], json!([]));
        assert_eq!(made["anonRead"], false);
        assert_eq!((&made["cts"], &made["uts"]), (&json!(NOW), &json!(NOW)));
        let read = user_lists(&ann, &[]).await;
        for key in ["lid", "id", "lname", "lnote", "ldesc", "lprops", "cts", "uts", "di", "lhash"] {
            assert_eq!(read[0][key], made[key], "{key}");
        }
        app.assert_sound().await;
    }

    async fn a_name_is_trimmed_and_has_1_to_100_characters(app: TestApp) {
        let ann = app.shopper("ann").await;
        let made = ann.post("lists/create", &[("lname", " \t Summer \n")]).await.ok();
        assert_eq!(made["lname"], "Summer");
        let lid = made["lid"].as_str().unwrap();
        assert_eq!(ann.post("lists/update", &[("lid", lid), ("lname", "  Autumn ")]).await.ok()["lname"], "Autumn");
        let longest = "é".repeat(100);
        assert_eq!(
            ann.post("lists/create", &[("lname", &format!(" {longest} "))]).await.ok()["lname"],
            longest.as_str()
        );
        for (bad, code) in
            [("", "missing-parameter"), ("   ", "invalid-parameter"), (&"é".repeat(101), "invalid-parameter")]
        {
            ann.post("lists/create", &[("lname", bad)]).await.fails(400, code);
        }
        ann.post("lists/update", &[("lid", lid), ("lname", "  ")]).await.fails(400, "invalid-parameter");
        assert_eq!(names(&user_lists(&ann, &[]).await), ["Autumn", &longest]);
    }

    async fn the_same_name_again_makes_another_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (one, two) = (ann.list("Summer").await, ann.list("Summer").await);
        assert_ne!(one, two);
        ann.add(&one, &[1]).await;
        assert_eq!(ann.page(&two, &[]).await["data"]["cnt"], 0);
        app.assert_sound().await;
    }

    async fn many_lists_are_fetched_completely_and_in_order(app: TestApp) {
        let ann = app.shopper("ann").await;
        let mut lids = [Vec::new(), Vec::new()];
        for n in 0..27 {
            let lty = ["wl", "registry"][n % 2];
            let made = ann.post("lists/create", &[("lname", &format!("List {n}")), ("lty", lty)]).await.ok();
            lids[n % 2].push(made["lid"].as_str().unwrap().to_owned());
        }
        // Items that are added together share their time.
        ann.add(&lids[1][12], &(1..=120).collect::<Vec<_>>()).await;
        ann.post("lists/update", &[("lid", &lids[0][3]), ("archived", "true")]).await.ok();
        let archived = lids[0][3].clone();
        let fetch = async |fields: &[(&str, &str)]| {
            let lists = ann.post("lists/fetch-lists", fields).await.ok();
            lists.as_array().unwrap().iter().map(|list| list["lid"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(fetch(&[("includeArchived", "true")]).await, lids.concat());
        assert_eq!(fetch(&[("lty", "registry")]).await, lids[1]);
        assert_eq!(fetch(&[("lty", "none")]).await, Vec::<String>::new());
        lids[0].retain(|lid| *lid != archived);
        assert_eq!(fetch(&[]).await, lids.concat());
        let lists = ann.post("lists/fetch-lists", &[("lty", "registry")]).await.ok();
        let shown: Vec<i64> = lists[12]["listcontents"].as_array().unwrap().iter().map(|item| item["epi"].as_i64().unwrap()).collect();
        assert_eq!(shown, (71..=120).rev().collect::<Vec<_>>());
    }

    async fn only_shoppers_with_many_lists_are_limited(app: TestApp) {
        app.set(SettingsChange { rate_limit: Some(1), ..SettingsChange::default() }).await;
        let ann = app.shopper("ann").await;
        for n in 0..10 {
            ann.list(&format!("List {n}")).await;
            ann.post("lists/fetch-lists", &[("lty", "none")]).await.ok();
        }
        ann.list("One more").await;
        for _ in 0..2 {
            assert_eq!(ann.post("lists/fetch-lists", &[]).await.ok().as_array().unwrap().len(), 11);
        }
        ann.post("lists/fetch-lists", &[]).await.fails(429, "rate-limited");
    }

    async fn an_update_changes_what_was_sent_and_nothing_else(app: TestApp) {
        let ann = app.shopper("ann").await;
        let fields = [("lname", "Summer"), ("lnote", "for July"), ("lprops", "{\"a\":1,\"b\":2}"), ("ldesc", "All")];
        let made = ann.post("lists/create", &fields).await.ok();
        let lid = made["lid"].as_str().unwrap();
        let changed = ann.post("lists/update", &[("lid", lid), ("lname", "Autumn"), ("lnote", "")]).await.ok();
        assert_eq!(changed["lname"], "Autumn");
        for key in ["lnote", "lprops", "ldesc", "cts", "id", "lid", "lty", "st"] {
            assert_eq!(changed[key], made[key], "{key}");
        }
        // Custom fields are replaced as a whole.
        let changed = ann.post("lists/update", &[("lid", lid), ("lprops", "{\"c\":3}"), ("ldesc", "None")]).await.ok();
        assert_eq!(changed["lprops"], json!({ "c": 3 }));
        assert_eq!(changed["ldesc"], "None");
        assert_eq!(changed["lname"], "Autumn");
        assert_eq!(ann.page(lid, &[]).await["data"]["lprops"], json!({ "c": 3 }));
        ann.post("lists/update", &[("lid", lid)]).await.fails(400, "missing-parameter");
        ann.post("lists/update", &[("lid", lid), ("lname", "")]).await.fails(400, "missing-parameter");
        ann.post("lists/update", &[("lid", lid), ("archived", "maybe")]).await.fails(400, "invalid-parameter");
    }

    async fn a_note_is_one_line_of_at_most_1000_characters(app: TestApp) {
        let ann = app.shopper("ann").await;
        let made = ann.post("lists/create", &[("lname", "A"), ("lnote", "two\nlines")]).await.ok();
        assert_eq!(made["lnote"], "two lines");
        let longest = "ñ".repeat(1_000);
        let made = ann.post("lists/create", &[("lname", "A"), ("lnote", &longest)]).await.ok();
        assert_eq!(made["lnote"], longest.as_str());
        let long = "ñ".repeat(1_001);
        ann.post("lists/create", &[("lname", "A"), ("lnote", &long)]).await.fails(400, "invalid-parameter");
    }

    async fn custom_fields_are_an_object_of_at_most_8_kib(app: TestApp) {
        let ann = app.shopper("ann").await;
        let of_size = |size: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(size - 8));
        let made = ann.post("lists/create", &[("lname", "A"), ("lprops", &of_size(8_192))]).await.ok();
        assert_eq!(made["lprops"]["a"].as_str().unwrap().len(), 8_184);
        for bad in [&of_size(8_193), "[]", "\"text\"", "1", "{", "{\"a\":}"] {
            ann.post("lists/create", &[("lname", "A"), ("lprops", bad)]).await.fails(400, "invalid-parameter");
        }
        let made = ann.post("lists/create", &[("lname", "A"), ("lprops", "null")]).await.ok();
        assert_eq!(made.get("lprops"), None);
    }

    async fn one_list_too_many_is_refused_until_one_is_deleted(app: TestApp) {
        app.set(SettingsChange { max_lists: Some(3), ..Default::default() }).await;
        let ann = app.shopper("ann").await;
        let first = ann.list("1").await;
        ann.list("2").await;
        ann.list("3").await;
        ann.post("lists/create", &[("lname", "4")]).await.fails(400, "limit-reached");
        ann.post("lists/sfl/create", &[]).await.fails(400, "limit-reached");
        // The limit is each shopper's own.
        app.shopper("bob").await.list("1").await;
        ann.post("lists/delete-list", &[("lid", &first)]).await.ok();
        ann.list("4").await;
        assert_eq!(names(&user_lists(&ann, &[]).await), ["2", "3", "4"]);
        app.assert_sound().await;
    }

    async fn wishlists_come_before_lists_of_other_types(app: TestApp) {
        let ann = app.shopper("ann").await;
        ann.post("lists/sfl/create", &[]).await.ok();
        for (name, list_type) in [("Registry", "registry"), ("First", "wl"), ("Recommended", "_recommends"), ("Second", "")] {
            ann.post("lists/create", &[("lname", name), ("lty", list_type)]).await.ok();
        }
        let names = |lists: &serde_json::Value| -> Vec<String> {
            lists.as_array().unwrap().iter().map(|list| list["lname"].as_str().unwrap().to_owned()).collect()
        };
        let wanted = ["First", "Second", "Registry", "Recommended", "Saved for later"];
        ann.add(ann.post("lists/fetch-lists", &[]).await.ok()[0]["lid"].as_str().unwrap(), &[7]).await;
        let fetched = ann.post("lists/fetch-lists", &[]).await.ok();
        assert_eq!(names(&fetched), wanted[..4]);
        assert_eq!(fetched[0]["listcontents"][0]["epi"], 7);
        assert_eq!(names(&ann.post("lists/fetch-user-lists", &[]).await.ok()["data"]), wanted);
    }

    async fn lists_come_oldest_first_whatever_the_clock_says(app: TestApp) {
        let ann = app.shopper("ann").await;
        ann.list("first").await;
        app.advance(1_000);
        let second = ann.list("second").await;
        app.advance(-5_000);
        ann.list("third").await;
        ann.add(&second, &[1]).await;
        let expected = ["first", "second", "third"];
        assert_eq!(names(&user_lists(&ann, &[]).await), expected);
        assert_eq!(names(&fetch_lists(&ann, &[]).await), expected);
    }

    async fn archived_lists_are_shown_only_when_asked_for(app: TestApp) {
        let ann = app.shopper("ann").await;
        let old = ann.list("old").await;
        ann.list("new").await;
        ann.add(&old, &[1]).await;
        ann.post("lists/update", &[("lid", &old), ("archived", "TRUE")]).await.ok();
        for fields in [&[][..], &[("includeArchived", "false")], &[("includeArchived", "")]] {
            assert_eq!(names(&user_lists(&ann, fields).await), ["new"]);
            assert_eq!(names(&fetch_lists(&ann, fields).await), ["new"]);
        }
        let all = [("includeArchived", "1")];
        assert_eq!(names(&user_lists(&ann, &all).await), ["old", "new"]);
        let lists = fetch_lists(&ann, &all).await;
        assert_eq!(names(&lists), ["old", "new"]);
        assert_eq!(epis(&lists[0]["listcontents"]), [1]);
        ann.post("lists/fetch-user-lists", &[("includeArchived", "maybe")]).await.fails(400, "invalid-parameter");

        // With its lid it can be read and changed as before, unless archived lists are excluded.
        let contents = |exclude: &'static str| {
            let (ann, old) = (ann.clone(), old.clone());
            async move { ann.post("lists/fetch-list-with-contents", &[("lid", &old), ("excludeArchived", exclude)]).await }
        };
        assert_eq!(contents("").await.ok()["list"]["st"], 0);
        assert_eq!(contents("false").await.ok()["list"]["cnt"], 1);
        contents("true").await.fails(404, "list-not-found");
        contents("yes").await.fails(400, "invalid-parameter");
        ann.post("lists/update", &[("lid", &old), ("archived", "0")]).await.ok();
        assert_eq!(contents("true").await.ok()["list"]["st"], 1);
        assert_eq!(names(&user_lists(&ann, &[]).await), ["old", "new"]);
    }

    async fn fetch_lists_shows_the_newest_50_items_and_the_exact_count_of_each_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (empty, long) = (ann.list("empty").await, ann.list("long").await);
        let (_, short) = (ann.list("also empty").await, ann.list("short").await);
        // Some items share their time of addition across the edge of 50, others do not.
        ann.add(&long, &(1..=30).collect::<Vec<_>>()).await;
        app.advance(1_000);
        ann.add(&long, &(31..=60).collect::<Vec<_>>()).await;
        for n in 61..=70 {
            app.advance(1);
            ann.add(&long, &[n]).await;
        }
        ann.add(&short, &[5, 6]).await;
        app.shopper("bob").await.list("bob's").await;
        let lists = fetch_lists(&ann, &[]).await;
        assert_eq!(names(&lists), ["empty", "long", "also empty", "short"]);
        assert_eq!(epis(&lists[1]["listcontents"]), (21..=70).rev().collect::<Vec<_>>());
        assert_eq!(epis(&lists[3]["listcontents"]), [6, 5]);
        for number in [0, 2] {
            assert_eq!(lists[number]["listcontents"], json!([]));
        }
        let counts: Vec<i64> = lists.as_array().unwrap().iter().map(|list| list["cnt"].as_i64().unwrap()).collect();
        assert_eq!(counts, [0, 70, 0, 2]);
        assert_eq!(lists[0]["lid"], empty.as_str());
        app.assert_sound().await;
    }

    async fn fetch_lists_filters_by_type(app: TestApp) {
        let ann = app.shopper("ann").await;
        let types =
            [("wish", ""), ("saved", "_saveForLater"), ("short", "sfl"), ("tips", "_recommends"), ("own", "party")];
        for (name, lty) in types {
            ann.post("lists/create", &[("lname", name), ("lty", lty)]).await.ok();
        }
        for (lty, expected) in [
            ("", &["wish", "tips", "own"][..]),
            ("wl", &["wish"]),
            ("null", &["wish"]),
            ("_saveForLater", &["saved", "short"]),
            ("sfl", &["saved", "short"]),
            ("_recommends", &["tips"]),
            ("party", &["own"]),
            ("nothing", &[]),
        ] {
            assert_eq!(names(&fetch_lists(&ann, &[("lty", lty)]).await), expected, "{lty}");
        }
    }

    async fn a_shopper_without_lists_gets_an_empty_array(app: TestApp) {
        for client in [app.shopper("ann").await, app.guest().await, app.browser().await] {
            assert_eq!(user_lists(&client, &[]).await, json!([]));
            assert_eq!(fetch_lists(&client, &[]).await, json!([]));
        }
    }

    async fn the_time_of_a_list_rises_with_every_change_of_it_or_of_its_items(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let items = json!([item(1)]).to_string();
        let changes: [(&str, &[(&str, &str)]); 7] = [
            ("lists/update", &[("lname", "Autumn")]),
            ("lists/update-ctx", &[("a", &items)]),
            ("lists/update-ctx", &[("a", &items)]),
            ("lists/update-ctx", &[("u", &items)]),
            ("lists/update", &[("archived", "true")]),
            ("lists/update-ctx", &[("d", &items)]),
            ("lists/update", &[("lnote", "a note")]),
        ];
        let mut last = uts(&ann, &lid).await;
        assert_eq!(last, NOW);
        // The clock stands still, goes back, and goes on.
        for step in [0, -60_000, 120_000] {
            app.advance(step);
            for (path, fields) in changes {
                let mut all = vec![("lid", lid.as_str())];
                all.extend_from_slice(fields);
                ann.post(path, &all).await.ok();
                let now = uts(&ann, &lid).await;
                assert!(now > last, "{path} {fields:?}: {now} after {last}");
                last = now;
            }
        }
        assert!(last >= NOW + 60_000);
        assert_eq!(ann.page(&lid, &[]).await["data"]["cts"], NOW);
    }

    async fn reading_and_deleting_nothing_leave_the_time_of_a_list(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let before = uts(&ann, &lid).await;
        app.advance(1_000);
        fetch_lists(&ann, &[]).await;
        ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        let nothing = json!([{ "epi": 9 }]).to_string();
        assert_eq!(ann.post("lists/update-ctx", &[("lid", &lid), ("d", &nothing)]).await.ok(), json!({ "d": [] }));
        assert_eq!(uts(&ann, &lid).await, before);
    }

    async fn deleting_a_list_deletes_its_items_and_answers_what_it_was(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (lid, other) = (ann.list("Summer").await, ann.list("Autumn").await);
        ann.add(&lid, &[1, 2, 3]).await;
        ann.add(&other, &[1]).await;
        let removed = ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        assert_eq!((&removed["lid"], &removed["lname"]), (&json!(lid), &json!("Summer")));
        assert_eq!(removed["cnt"], 3);
        assert_eq!(app.rows("items").await, 1);
        assert_eq!(names(&user_lists(&ann, &[]).await), ["Autumn"]);
        ann.post("lists/delete-list", &[("lid", &lid)]).await.fails(404, "list-not-found");
        ann.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(404, "list-not-found");
        ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.fails(404, "list-not-found");
        ann.post("lists/update", &[("lid", &lid), ("lname", "B")]).await.fails(404, "list-not-found");
        let items = json!([item(1)]).to_string();
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &items)]).await.fails(404, "list-not-found");
        assert_eq!(ann.page(&other, &[]).await["data"]["cnt"], 1);
        app.assert_sound().await;
    }

    async fn a_lid_that_is_no_uuid_is_simply_not_found(app: TestApp) {
        let ann = app.shopper("ann").await;
        let items = json!([item(1)]).to_string();
        for lid in ["x", "../../etc", "00000000-0000-0000-0000-000000000000", "' or 1=1 --", &"9".repeat(5_000)] {
            ann.post("lists/fetch-user-list", &[("lid", lid)]).await.fails(404, "list-not-found");
            ann.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.fails(404, "list-not-found");
            ann.post("lists/update", &[("lid", lid), ("lname", "B")]).await.fails(404, "list-not-found");
            ann.post("lists/delete-list", &[("lid", lid)]).await.fails(404, "list-not-found");
            ann.post("lists/update-ctx", &[("lid", lid), ("a", &items)]).await.fails(404, "list-not-found");
        }
        ann.post("lists/delete-list", &[]).await.fails(400, "missing-parameter");
        app.assert_sound().await;
    }

    async fn a_failed_delete_of_anothers_list_changes_no_count(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Summer").await;
        bob.list("Bob's").await;
        bob.post("lists/delete-list", &[("lid", &lid)]).await.fails(403, "forbidden");
        app.guest().await.post("lists/delete-list", &[("lid", &lid)]).await.fails(403, "forbidden");
        assert_eq!(names(&user_lists(&ann, &[]).await), ["Summer"]);
        app.assert_sound().await;
    }

    async fn counts_stay_exact_when_many_change_one_list_at_once(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let calls = (0..24_i64).map(|n| {
            let (ann, lid) = (ann.clone(), lid.clone());
            async move {
                // Variants overlap between the callers.
                let (a, d) = (json!([item(n % 10 + 1), item(n % 7 + 1)]), json!([{ "epi": n % 5 + 1 }]));
                let (a, d) = (a.to_string(), d.to_string());
                ann.post_until_accepted("lists/update-ctx", &[("lid", &lid), ("a", &a), ("d", &d)]).await.ok();
                let made = ann.post_until_accepted("lists/create", &[("lname", &format!("list {n}"))]).await.ok();
                if n % 2 == 0 {
                    let extra = made["lid"].as_str().unwrap();
                    ann.post_until_accepted("lists/delete-list", &[("lid", extra)]).await.ok();
                }
            }
        });
        futures_util::future::join_all(calls).await;
        let page = ann.page(&lid, &[]).await;
        assert_eq!(page["data"]["cnt"], page["data"]["listcontents"].as_array().unwrap().len());
        assert_eq!(user_lists(&ann, &[]).await.as_array().unwrap().len(), 13);
        app.assert_sound().await;
    }

    async fn a_long_list_is_gone_as_soon_as_it_is_deleted(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Long").await;
        ann.add(&lid, &(1..501).collect::<Vec<_>>()).await;
        ann.add(&lid, &[501]).await;
        ann.post("lists/delete-list", &[("lid", &lid)]).await.ok();
        assert_eq!(app.rows("items").await, 501, "its items are deleted later");
        let reads = ["fetch-user-list", "fetch-list-with-contents", "markPublic", "comments/list", "share-links/list"];
        for path in reads {
            ann.post(&format!("lists/{path}"), &[("lid", &lid)]).await.fails(404, "list-not-found");
        }
        let item = r#"[{"epi":1}]"#;
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", item)]).await.fails(404, "list-not-found");
        assert_eq!(ann.post("lists/contains", &[("epis", "[1]")]).await.ok()["data"]["1"], serde_json::Value::Null);
        app.assert_sound().await;
    }
}
