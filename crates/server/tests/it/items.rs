//! Items: added, changed and deleted, one by one and in bulk.

use serde_json::{Value, json};
use wishbone_core::stores::settings::{CatalogRule, SettingsChange};

use crate::support::{Client, NOW, Reply, epis, item};

/// One update-ctx with the given arrays.
async fn change(client: &Client, lid: &str, arrays: &[(&str, Value)]) -> Reply {
    let texts: Vec<(&str, String)> = arrays.iter().map(|(letter, array)| (*letter, array.to_string())).collect();
    let mut fields = vec![("lid", lid)];
    fields.extend(texts.iter().map(|(letter, text)| (*letter, text.as_str())));
    client.post("lists/update-ctx", &fields).await
}

async fn contents(client: &Client, lid: &str) -> Value {
    client.page(lid, &[("itemslimit", "100")]).await["data"]["listcontents"].clone()
}

/// The one item of a variant.
async fn the(client: &Client, lid: &str, epi: i64) -> Value {
    let items = contents(client, lid).await;
    let mut found = items.as_array().unwrap().iter().filter(|item| item["epi"] == epi);
    let item = found.next().unwrap_or_else(|| panic!("no variant {epi} in {items}")).clone();
    assert!(found.next().is_none(), "variant {epi} twice in {items}");
    item
}

fn with(n: i64, more: Value) -> Value {
    let mut input = item(n);
    for (key, value) in more.as_object().unwrap() {
        input[key] = value.clone();
    }
    input
}

#[track_caller]
fn failed(element: &Value, epi: i64, code: &str) {
    assert_eq!(element["hasError"], true, "{element}");
    assert_eq!(element["error-code"], code, "{element}");
    assert!(!element["msg"].as_str().unwrap().is_empty(), "{element}");
    assert_eq!(element["epi"], epi, "{element}");
    assert_eq!(element["empi"], 1000 + epi, "{element}");
    assert_eq!(element["du"], format!("https://shop.example/p/{epi}"), "{element}");
    assert_eq!(element.as_object().unwrap().len(), 6, "{element}");
}

both_engines! {
    async fn labels_may_be_sent_under_their_other_name(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let labelled = |key: &str, labels: serde_json::Value| {
            let mut product = item(1);
            product[key] = labels;
            serde_json::json!([product]).to_string()
        };
        let added = ann.post("lists/update-ctx", &[("lid", &lid), ("a", &labelled("lbls", serde_json::json!(["Kitchen"])))]).await.ok();
        assert_eq!(added["a"][0]["clbls"], serde_json::json!(["Kitchen"]));
        let changed = ann.post("lists/update-ctx", &[("lid", &lid), ("u", &labelled("lbls", serde_json::json!(["Bath"])))]).await.ok();
        assert_eq!(changed["u"][0]["clbls"], serde_json::json!(["Bath"]));
        let both = labelled("lbls", serde_json::json!(["A", "B"]));
        let failed = ann.post("lists/update-ctx", &[("lid", &lid), ("u", &both)]).await.ok();
        assert_eq!(failed["u"][0]["error-code"], "too-many-labels");
        let mut product = item(1);
        product["clbls"] = serde_json::json!(["Garden"]);
        product["lbls"] = serde_json::json!(["Attic"]);
        let both = ann.post("lists/update-ctx", &[("lid", &lid), ("u", &serde_json::json!([product]).to_string())]).await.ok();
        assert_eq!(both["u"][0]["clbls"], serde_json::json!(["Garden"]));
        product["lbls"] = serde_json::json!(["x".repeat(201)]);
        let both = ann.post("lists/update-ctx", &[("lid", &lid), ("u", &serde_json::json!([product]).to_string())]).await.ok();
        assert_eq!(both["u"][0]["error-code"], "invalid-item", "also where the other name takes precedence");
    }

    async fn an_answer_has_the_letters_that_were_sent(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3, 4]).await;
        let (a, u, d) = (("a", json!([item(9)])), ("u", json!([item(1)])), ("d", json!([item(2)])));
        let letters = async |arrays: &[(&str, Value)]| -> Vec<String> {
            let answer = change(&ann, &lid, arrays).await.ok();
            let mut letters: Vec<String> = answer.as_object().unwrap().keys().cloned().collect();
            letters.sort();
            letters
        };
        assert_eq!(letters(std::slice::from_ref(&a)).await, ["a"]);
        assert_eq!(letters(std::slice::from_ref(&u)).await, ["u"]);
        assert_eq!(letters(std::slice::from_ref(&d)).await, ["d"]);
        assert_eq!(letters(&[a.clone(), u.clone()]).await, ["a", "u"]);
        assert_eq!(letters(&[a.clone(), d.clone()]).await, ["a", "d"]);
        assert_eq!(letters(&[u.clone(), d.clone()]).await, ["d", "u"]);
        assert_eq!(letters(&[a, u, d]).await, ["a", "d", "u"]);
        app.assert_sound().await;
    }

    async fn a_call_deletes_then_updates_then_adds_whatever_the_order_of_its_fields(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        let answer = change(
            &ann,
            &lid,
            &[
                ("a", json!([item(3), with(2, json!({ "note": "again" }))])),
                // What the same call adds is not there yet, and what it deletes is there no more.
                ("u", json!([item(3), item(1), with(2, json!({ "note": "changed" }))])),
                ("d", json!([item(1)])),
            ],
        )
        .await
        .ok();
        assert_eq!(epis(&answer["d"]), [1]);
        failed(&answer["u"][0], 3, "item-not-found");
        failed(&answer["u"][1], 1, "item-not-found");
        assert_eq!(answer["u"][2]["epi"], 2);
        assert_eq!(epis(&answer["a"]), [3, 2]);
        assert_eq!(the(&ann, &lid, 2).await["note"], "again");
        assert_eq!(epis(&contents(&ann, &lid).await), [3, 2]);
        app.assert_sound().await;
    }

    async fn deleting_and_adding_in_one_call_makes_a_new_item_at_the_front(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add_items(&lid, &json!([with(1, json!({ "note": "old", "qty": 5 })), item(2)])).await;
        let before = the(&ann, &lid, 1).await;
        app.advance(1_000);
        let again = json!([{ "epi": 1, "empi": 1001, "du": "https://shop.example/new" }]);
        let answer = change(&ann, &lid, &[("a", again), ("d", json!([{ "epi": 1 }]))]).await.ok();
        assert_eq!(answer["d"][0]["id"], before["id"]);
        assert_eq!(answer["d"][0]["note"], "old");
        let after = the(&ann, &lid, 1).await;
        assert_eq!(answer["a"][0], after);
        assert_ne!(after["id"], before["id"]);
        assert_eq!(after["cts"], NOW + 1_000);
        assert_eq!(after["qty"], 1);
        assert_eq!(after.get("note"), None);
        assert_eq!(after["du"], "https://shop.example/new");
        let page = ann.page(&lid, &[]).await;
        assert_eq!(epis(&page["data"]["listcontents"]), [1, 2]);
        assert_eq!(page["data"]["cnt"], 2);
        app.assert_sound().await;
    }

    async fn elements_count_as_added_one_after_the_other(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let answer = ann.add(&lid, &[5, 3, 9]).await;
        assert_eq!(epis(&answer["a"]), [5, 3, 9]);
        ann.add(&lid, &[1, 7]).await;
        assert_eq!(epis(&contents(&ann, &lid).await), [7, 1, 9, 3, 5]);
    }

    async fn the_same_variant_twice_in_a_call_is_one_item_with_what_came_last(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let answer = ann
            .add_items(
                &lid,
                &json!([with(1, json!({ "note": "first", "qty": 2 })), item(2), with(1, json!({ "note": "last" })),]),
            )
            .await;
        assert_eq!(epis(&answer["a"]), [1, 2, 1]);
        assert_eq!(answer["a"][0]["id"], answer["a"][2]["id"]);
        let item = the(&ann, &lid, 1).await;
        assert_eq!((&item["note"], &item["qty"]), (&json!("last"), &json!(2)));
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 2);
        assert_eq!(epis(&contents(&ann, &lid).await), [2, 1]);
        app.assert_sound().await;
    }

    async fn adding_again_keeps_place_and_id_and_sets_only_what_is_sent(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let full = json!({ "qty": 3, "note": "for July", "cprops": { "size": "M" }, "clbls": ["Balcony"] });
        ann.add_items(&lid, &json!([with(1, full), item(2)])).await;
        let before = the(&ann, &lid, 1).await;
        app.advance(1_000);
        let mut again = with(1, json!({ "qty": 4 }));
        again["du"] = json!("https://shop.example/elsewhere");
        let answer = ann.add_items(&lid, &json!([again])).await;
        let after = the(&ann, &lid, 1).await;
        assert_eq!(answer["a"][0], after);
        for key in ["id", "cts", "note", "cprops", "clbls", "du", "di"] {
            assert_eq!(after[key], before[key], "{key}");
        }
        assert_eq!(after["qty"], 4);
        assert_eq!(after["uts"], NOW + 1_000);
        assert_eq!(epis(&contents(&ann, &lid).await), [2, 1]);
        app.assert_sound().await;
    }

    async fn an_update_merges_and_replaces_custom_fields_as_a_whole(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let full =
            json!({ "qty": 3, "note": "for July", "cprops": { "size": "M", "colour": "red" }, "clbls": ["Balcony"] });
        ann.add_items(&lid, &json!([with(1, full), item(2)])).await;
        let before = the(&ann, &lid, 1).await;
        app.advance(1_000);
        let input = with(1, json!({ "cprops": { "size": "L" }, "du": "https://shop.example/elsewhere" }));
        let answer = change(&ann, &lid, &[("u", json!([input]))]).await.ok();
        let after = the(&ann, &lid, 1).await;
        assert_eq!(answer["u"][0], after);
        assert_eq!(after["cprops"], json!({ "size": "L" }));
        for key in ["id", "cts", "note", "qty", "clbls", "du"] {
            assert_eq!(after[key], before[key], "{key}");
        }
        assert!(after["uts"].as_i64() > before["uts"].as_i64());

        let empty = json!({ "cprops": {}, "clbls": [], "note": "" });
        change(&ann, &lid, &[("u", json!([with(1, empty)]))]).await.ok();
        let cleared = the(&ann, &lid, 1).await;
        assert_eq!((&cleared["cprops"], &cleared["clbls"], cleared.get("note")), (&json!({}), &json!([]), None));
        assert_eq!(epis(&contents(&ann, &lid).await), [2, 1]);
        // The other item is as it was.
        assert_eq!(the(&ann, &lid, 2).await["uts"], the(&ann, &lid, 2).await["cts"]);
    }

    async fn null_for_an_optional_key_is_absent(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let nothing = json!({
            "qty": null, "note": null, "cprops": null, "clbls": null, "dt": null, "iu": null, "pr": null, "ct": null,
            "vi": null, "bt": null, "sku": null, "unknown": null, "hasError": true,
        });
        let added = ann.add_items(&lid, &json!([with(1, nothing.clone())])).await;
        assert_eq!((&added["a"][0]["qty"], &added["a"][0]["cprops"]), (&json!(1), &json!({})));
        let full = json!({ "qty": 3, "note": "n", "cprops": { "a": 1 }, "clbls": ["b"], "dt": "Chair", "pr": 5 });
        ann.add_items(&lid, &json!([with(1, full)])).await;
        let before = the(&ann, &lid, 1).await;
        change(&ann, &lid, &[("u", json!([with(1, nothing.clone())])), ("a", json!([with(1, nothing)]))]).await.ok();
        let after = the(&ann, &lid, 1).await;
        for key in ["qty", "note", "cprops", "clbls", "dt", "pr"] {
            assert_eq!(after[key], before[key], "{key}");
        }
        let gone = json!([{ "epi": 1, "empi": null, "du": null }]);
        assert_eq!(epis(&change(&ann, &lid, &[("d", gone)]).await.ok()["d"]), [1]);
    }

    async fn deleting_matches_the_variant_and_the_product_if_given_but_never_the_address(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3, 4]).await;
        let answer = change(
            &ann,
            &lid,
            &[(
                "d",
                json!([
                    { "epi": 1 },
                    { "epi": "2", "empi": "1002", "du": "https://other.example" },
                    { "epi": 3, "empi": 9999 },
                    { "epi": 77 },
                    // Whatever else is sent does not matter.
                    { "epi": 4, "qty": -1, "clbls": ["a", "b"], "note": 5 },
                    { "epi": 1 },
                ]),
            )],
        )
        .await
        .ok();
        assert_eq!(epis(&answer["d"]), [1, 2, 4]);
        assert_eq!(answer["d"][1]["du"], "https://shop.example/p/2");
        assert_eq!(epis(&contents(&ann, &lid).await), [3]);
        assert_eq!(change(&ann, &lid, &[("d", json!([{ "epi": 1 }]))]).await.ok(), json!({ "d": [] }));
        app.assert_sound().await;
    }

    async fn bad_elements_fail_in_their_place_and_the_good_ones_are_kept(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let answer = change(
            &ann,
            &lid,
            &[
                (
                    "a",
                    json!([
                        item(2),
                        with(3, json!({ "qty": 0 })),
                        item(4),
                        with(5, json!({ "clbls": ["a", "b"] })),
                        "text",
                        item(6)
                    ]),
                ),
                ("u", json!([with(1, json!({ "note": "kept" })), with(7, json!({})), with(1, json!({ "note": 5 }))])),
                ("d", json!([{ "epi": "x" }])),
            ],
        )
        .await
        .ok();
        let a = &answer["a"];
        assert_eq!((&a[0]["epi"], a[0].get("hasError")), (&json!(2), None));
        failed(&a[1], 3, "invalid-item");
        assert_eq!(a[2]["epi"], 4);
        failed(&a[3], 5, "too-many-labels");
        assert_eq!((&a[4]["hasError"], &a[4]["error-code"]), (&json!(true), &json!("invalid-item")));
        assert_eq!(a[5]["epi"], 6);
        assert_eq!(answer["u"][0]["note"], "kept");
        failed(&answer["u"][1], 7, "item-not-found");
        failed(&answer["u"][2], 1, "invalid-item");
        assert_eq!((&answer["d"][0]["epi"], &answer["d"][0]["error-code"]), (&json!("x"), &json!("invalid-item")));
        assert_eq!(epis(&contents(&ann, &lid).await), [6, 4, 2, 1]);
        assert_eq!(the(&ann, &lid, 1).await["note"], "kept");
        app.assert_sound().await;
    }

    async fn a_call_of_which_every_element_fails_changes_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let (lists, items) = (app.app.database.dump("lists").await.unwrap(), app.app.database.dump("items").await.unwrap());
        app.advance(1_000);
        let answer =
            change(&ann, &lid, &[("a", json!([{}])), ("u", json!([item(5)])), ("d", json!([{ "epi": 5 }]))]).await.ok();
        assert_eq!(answer["a"][0]["hasError"], true);
        assert_eq!(answer["d"], json!([]));
        assert_eq!(app.app.database.dump("lists").await.unwrap(), lists);
        assert_eq!(app.app.database.dump("items").await.unwrap(), items);
    }

    async fn what_an_element_must_have_and_may_not_be(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let du = "https://shop.example/p";
        let long = |length: usize| "x".repeat(length);
        let bad = json!([
            null, 1, "x", [], {},
            { "empi": 1, "du": du }, { "epi": 1, "du": du }, { "epi": 1, "empi": 1 }, { "epi": 1, "empi": 1, "du": "" },
            { "epi": 1, "empi": 1, "du": " " }, { "epi": 1, "empi": 1, "du": "javascript:alert(1)" },
            { "epi": 1, "empi": 1, "du": du, "iu": " data:text/html,x" }, { "epi": 1, "empi": 1, "du": 5 },
            { "epi": null, "empi": 1, "du": du }, { "epi": 0, "empi": 1, "du": du }, { "epi": -1, "empi": 1, "du": du },
            { "epi": 1.5, "empi": 1, "du": du }, { "epi": "1.5", "empi": 1, "du": du }, { "epi": "", "empi": 1, "du": du },
            { "epi": 9_007_199_254_740_992_i64, "empi": 1, "du": du }, { "epi": true, "empi": 1, "du": du },
            { "epi": 1, "empi": 0, "du": du }, { "epi": 1, "empi": "abc", "du": du },
            { "epi": 1, "empi": 1, "du": du, "qty": 0 }, { "epi": 1, "empi": 1, "du": du, "qty": 1_000_001 },
            { "epi": 1, "empi": 1, "du": du, "qty": 1.5 }, { "epi": 1, "empi": 1, "du": du, "qty": "many" },
            { "epi": 1, "empi": 1, "du": du, "note": 1 }, { "epi": 1, "empi": 1, "du": du, "note": long(1_001) },
            { "epi": 1, "empi": 1, "du": du, "cprops": [] }, { "epi": 1, "empi": 1, "du": du, "cprops": "x" },
            { "epi": 1, "empi": 1, "du": du, "cprops": { "a": long(8_185) } },
            { "epi": 1, "empi": 1, "du": du, "clbls": "x" }, { "epi": 1, "empi": 1, "du": du, "clbls": [1] },
            { "epi": 1, "empi": 1, "du": du, "pr": -1 }, { "epi": 1, "empi": 1, "du": du, "pr": "free" },
            { "epi": 1, "empi": 1, "du": du, "dt": 7 },
        ]);
        let (a, u) = (("a", bad.clone()), ("u", bad.clone()));
        let answer = change(&ann, &lid, &[a, u]).await.ok();
        for letter in ["a", "u"] {
            let results = answer[letter].as_array().unwrap();
            assert_eq!(results.len(), bad.as_array().unwrap().len());
            for (result, input) in results.iter().zip(bad.as_array().unwrap()) {
                assert_eq!(
                    (&result["hasError"], &result["error-code"]),
                    (&json!(true), &json!("invalid-item")),
                    "{input}"
                );
            }
        }
        assert_eq!(contents(&ann, &lid).await, json!([]));
        app.assert_sound().await;
    }

    async fn what_is_just_within_the_limits_is_kept(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let (note, text) = ("ñ".repeat(1_000), "x".repeat(8_184));
        let input =
            json!([with(1, json!({ "qty": 1_000_000, "note": note, "cprops": { "a": text }, "clbls": ["Küche"] }))]);
        ann.add_items(&lid, &input).await;
        let item = the(&ann, &lid, 1).await;
        for key in ["qty", "note", "cprops", "clbls"] {
            assert_eq!(item[key], input[0][key], "{key}");
        }
    }

    async fn texts_come_back_as_they_were_sent(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let text = "quote \" backslash \\ line\nbreak </script> 🎁 e\u{301} \u{2028} 'x'; --";
        let cprops = json!({ "deep": { "er": [1, 2.50, null, true, text] }, text: text });
        ann.add_items(&lid, &json!([with(1, json!({ "note": text, "cprops": cprops, "clbls": [text], "dt": text }))]))
            .await;
        let item = the(&ann, &lid, 1).await;
        assert_eq!((&item["note"], &item["dt"], &item["clbls"][0]), (&json!(text), &json!(text), &json!(text)));
        assert_eq!(item["cprops"], cprops);
    }

    async fn a_custom_field_may_hold_any_character(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let cprops = json!({ "a\0b": "c\0d", "": "", "ключ": ["\u{1}", "\u{10ffff}"] });
        let added = ann.add_items(&lid, &json!([with(1, json!({ "cprops": cprops }))])).await;
        assert_eq!(added["a"][0]["cprops"], cprops);
        assert_eq!(the(&ann, &lid, 1).await["cprops"], cprops);
        // A text of its own must do without the one character that databases cannot keep.
        let added = ann.add_items(&lid, &json!([with(2, json!({ "note": "a\0b" }))])).await;
        failed(&added["a"][0], 2, "invalid-item");
    }

    async fn readers_see_all_of_a_call_or_nothing(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let writer = async {
            for n in 1..=60 {
                let (gone, come) = (json!([{ "epi": n }]), json!([item(n + 1)]));
                change(&ann, &lid, &[("d", gone), ("a", come)]).await.ok();
            }
        };
        let reader = async {
            for _ in 0..60 {
                let page = ann.page(&lid, &[]).await;
                assert_eq!(page["data"]["cnt"], 1);
                assert_eq!(page["data"]["listcontents"].as_array().unwrap().len(), 1, "{page}");
                let lists = ann.post("lists/fetch-lists", &[]).await.ok();
                assert_eq!((&lists[0]["cnt"], lists[0]["listcontents"].as_array().unwrap().len()), (&json!(1), 1));
            }
        };
        tokio::join!(writer, reader);
        assert_eq!(epis(&contents(&ann, &lid).await), [61]);
    }

    async fn adding_the_same_variant_from_many_tabs_at_once_keeps_one(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let tabs = (0..10).map(|_| ann.add(&lid, &[1, 2, 3]));
        let answers = futures_util::future::join_all(tabs).await;
        assert!(answers.iter().all(|answer| answer["a"][0]["id"] == answers[0]["a"][0]["id"]));
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 3);
        app.assert_sound().await;
    }

    async fn an_array_that_is_none_or_empty_is_an_invalid_parameter(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for letter in ["a", "u", "d"] {
            for bad in ["[]", "{}", "null", "1", "[", "[{\"epi\":1}", "text", "[1] [2]"] {
                ann.post("lists/update-ctx", &[("lid", &lid), (letter, bad)]).await.fails(400, "invalid-parameter");
            }
        }
        // One bad array and the good ones are not applied either: the call has no meaning.
        let good = json!([item(1)]).to_string();
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &good), ("d", "[]")]).await.fails(400, "invalid-parameter");
        ann.post("lists/update-ctx", &[("lid", &lid)]).await.fails(400, "missing-parameter");
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", "")]).await.fails(400, "missing-parameter");
        ann.post("lists/update-ctx", &[("a", &good)]).await.fails(400, "missing-parameter");
        assert_eq!(contents(&ann, &lid).await, json!([]));
    }

    async fn a_call_takes_500_elements_in_all(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let items = |range: std::ops::RangeInclusive<i64>| Value::from(range.map(item).collect::<Vec<_>>());
        assert_eq!(change(&ann, &lid, &[("a", items(1..=500))]).await.ok()["a"].as_array().unwrap().len(), 500);
        change(&ann, &lid, &[("a", items(501..=1_001))]).await.fails(400, "invalid-parameter");
        let mixed = [("a", items(501..=700)), ("u", items(1..=200)), ("d", items(401..=500))];
        let answer = change(&ann, &lid, &mixed).await.ok();
        assert_eq!(["a", "u", "d"].map(|letter| answer[letter].as_array().unwrap().len()), [200, 200, 100]);
        let mixed = [("a", items(701..=900)), ("u", items(1..=200)), ("d", items(300..=400))];
        change(&ann, &lid, &mixed).await.fails(400, "invalid-parameter");
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 600);
        app.assert_sound().await;
    }

    async fn an_item_too_many_is_reported_in_its_place(app: TestApp) {
        app.set(SettingsChange { max_items: Some(3), ..Default::default() }).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let answer = ann.add(&lid, &[1, 2, 3, 4, 2]).await;
        failed(&answer["a"][3], 4, "limit-reached");
        // What is there already can be added again.
        assert_eq!(answer["a"][4].get("hasError"), None);
        // Deletions of the same call make room.
        let answer = change(&ann, &lid, &[("a", json!([item(5), item(6)])), ("d", json!([item(1)]))]).await.ok();
        assert_eq!(answer["a"][0]["epi"], 5);
        failed(&answer["a"][1], 6, "limit-reached");
        assert_eq!(epis(&contents(&ann, &lid).await), [5, 3, 2]);
        app.assert_sound().await;
    }

    async fn a_strict_catalogue_refuses_products_that_it_does_not_sell(app: TestApp) {
        let admin = app.store_admin();
        admin
            .upsert(
                json!([{ "epi": 1, "empi": 1001 }, { "epi": 2, "empi": 1002 }, { "epi": 3, "empi": 1003, "stock": 0 }]),
            )
            .await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[4]).await;
        app.set(SettingsChange { catalog: Some(CatalogRule::Strict), ..Default::default() }).await;
        admin.json("/storeadmin/v3/products/delete", &json!({ "products": [{ "epi": 2 }] })).await.ok();
        let answer = ann.add(&lid, &[1, 2, 3, 4, 5]).await;
        failed(&answer["a"][1], 2, "unknown-product");
        failed(&answer["a"][4], 5, "unknown-product");
        // Out of stock is not unknown, and what is in the list already stays.
        assert_eq!(epis(&contents(&ann, &lid).await), [3, 1, 4]);
        change(&ann, &lid, &[("u", json!([with(4, json!({ "qty": 2 }))]))]).await.ok();
        assert_eq!(the(&ann, &lid, 4).await["qty"], 2);
        app.assert_sound().await;
    }

    async fn the_address_of_an_item_is_the_one_it_was_added_with(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add_items(&lid, &json!([{ "epi": 1, "empi": 1001, "du": "https://shop.example/p/1?utm=mail" }])).await;
        app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "du": "https://shop.example/canonical" }])).await;
        change(&ann, &lid, &[("u", json!([item(1)]))]).await.ok();
        ann.add(&lid, &[1]).await;
        assert_eq!(the(&ann, &lid, 1).await["du"], "https://shop.example/p/1?utm=mail");
    }

    async fn items_added_while_the_clock_goes_back_are_still_the_newest(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for n in 1..=6 {
            ann.add(&lid, &[n]).await;
            app.advance(-10_000);
        }
        assert_eq!(epis(&contents(&ann, &lid).await), [6, 5, 4, 3, 2, 1]);
        let times: Vec<i64> =
            contents(&ann, &lid).await.as_array().unwrap().iter().map(|item| item["cts"].as_i64().unwrap()).collect();
        assert!(times.is_sorted_by(|newer, older| newer > older), "{times:?}");
    }
}
