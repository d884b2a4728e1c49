//! The catalogue: what the store says of its products, and what shoppers see of it.

use serde_json::{Value, json};
use wishbone_core::stores::alert_settings::AlertSettingsChange;
use wishbone_core::stores::settings::SettingsChange;

use crate::support::{Admin, Client, epis, item, until_accepted};

const WORDS: [&str; 6] = ["dt", "iu", "ct", "vi", "bt", "sku"];

async fn upsert(admin: &Admin, products: Value) -> Value {
    admin.json("/storeadmin/v3/products/upsert", &json!({ "products": products })).await.ok()
}

async fn delete(admin: &Admin, products: Value) -> Value {
    admin.json("/storeadmin/v3/products/delete", &json!({ "products": products })).await.ok()
}

async fn inventory(admin: &Admin, inventory: Value) -> Value {
    admin.json("/storeadmin/v3/inventory/update", &json!({ "inventory": inventory })).await.ok()
}

async fn contents(client: &Client, lid: &str, fields: &[(&str, &str)]) -> Value {
    client.page(lid, fields).await["data"]["listcontents"].clone()
}

/// The only item of a list.
async fn the_item(client: &Client, lid: &str) -> Value {
    contents(client, lid, &[]).await[0].clone()
}

/// A member of an item, which is the same in all operations that return it.
async fn the_same_everywhere(client: &Client, lid: &str, epi: i64, key: &str) -> Value {
    let whole = client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok();
    let all = client.post("lists/fetch-lists", &[]).await.ok();
    let list = all.as_array().unwrap().iter().find(|list| list["lid"] == lid).unwrap();
    let touched = json!([{ "epi": epi, "empi": 1000 + epi, "du": "https://shop.example/p" }]).to_string();
    // Twice, since the second may come from a cache.
    let pages = [contents(client, lid, &[]).await, contents(client, lid, &[]).await];
    let sorted = contents(client, lid, &[("sortby", "price")]).await;
    let changed = client.post("lists/update-ctx", &[("lid", lid), ("u", &touched)]).await.ok();
    let member = |items: &Value| {
        let item = items.as_array().unwrap().iter().find(|item| item["epi"] == epi).unwrap();
        item[key].clone()
    };
    let found = [&whole["items"], &list["listcontents"], &pages[0], &pages[1], &sorted, &changed["u"]].map(member);
    assert!(found.iter().all(|value| *value == found[0]), "{key} of {epi}: {found:?}");
    found[0].clone()
}

fn low_stock(units: i64) -> SettingsChange {
    let alerts = AlertSettingsChange { low_stock: Some(units), ..AlertSettingsChange::default() };
    SettingsChange { alerts, ..SettingsChange::default() }
}

async fn availability(client: &Client, lid: &str, epi: i64) -> Value {
    the_same_everywhere(client, lid, epi, "avl").await
}

async fn in_stock(client: &Client, lid: &str) -> Vec<i64> {
    epis(&contents(client, lid, &[("filterby", "instock")]).await)
}

async fn out_of_stock(client: &Client, lid: &str) -> Vec<i64> {
    epis(&contents(client, lid, &[("filterby", "outofstock")]).await)
}

fn product(n: i64) -> Value {
    json!({
        "epi": n, "empi": 1000 + n, "du": format!("https://shop.example/p/{n}"), "dt": "Deck chair",
        "iu": "https://shop.example/p.png", "pr": 19.95, "ct": "Garden", "vi": "Blue", "bt": "Acme", "sku": "DC-1",
        "stock": 4,
    })
}

both_engines! {
    async fn an_absent_key_stays_and_null_clears_it(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        let answer = upsert(&admin, json!([product(1)])).await;
        assert_eq!(answer, json!({ "status": "success", "updated": 1, "failed": [] }));
        let before = the_item(&ann, &lid).await;
        assert_eq!((&before["dt"], &before["pr"]), (&json!("Deck chair"), &json!(19.95)));

        upsert(&admin, json!([{ "epi": 1, "empi": 1001, "dt": "Hammock" }])).await;
        let after = the_item(&ann, &lid).await;
        assert_eq!(after["dt"], "Hammock");
        for key in ["iu", "pr", "ct", "vi", "bt", "sku"] {
            assert_eq!(after[key], before[key], "{key}");
        }
        inventory(&admin, json!([{ "epi": 1, "stock": 0 }])).await;
        upsert(&admin, json!([{ "epi": 1, "empi": 1001, "pr": 5 }])).await;
        assert_eq!(out_of_stock(&ann, &lid).await, [1]);

        let nothing = json!({
            "epi": 1, "empi": 1001, "du": null, "dt": null, "iu": null, "pr": null, "ct": null, "vi": null, "bt": null,
            "sku": null, "stock": null,
        });
        upsert(&admin, json!([nothing])).await;
        let cleared = the_item(&ann, &lid).await;
        for key in WORDS {
            assert_eq!(cleared[key], "", "{key}");
        }
        assert_eq!(cleared["pr"], Value::Null);
        assert_eq!(cleared["du"], "https://shop.example/p/1");
        assert_eq!(in_stock(&ann, &lid).await, [1]);
    }

    async fn a_change_is_seen_by_the_next_read_of_every_list_without_touching_one(app: TestApp) {
        let (admin, ann, bob) = (app.store_admin(), app.shopper("ann").await, app.shopper("bob").await);
        admin.upsert(json!([product(1), product(2)])).await;
        let mut lists = Vec::new();
        for (client, name) in [(&ann, "Summer"), (&ann, "Autumn"), (&bob, "Summer")] {
            let lid = client.list(name).await;
            client.add(&lid, &[2, 1]).await;
            lists.push((client.clone(), lid));
        }
        let before = (app.app.database.dump("lists").await.unwrap(), app.app.database.dump("items").await.unwrap());
        app.advance(60_000);
        admin.upsert(json!([{ "epi": 1, "empi": 1001, "dt": "Aardvark", "pr": 1.25 }])).await;
        admin.stock(1, json!(0)).await;
        for (client, lid) in &lists {
            let whole = client.post("lists/fetch-list-with-contents", &[("lid", lid)]).await.ok();
            let shown = client.post("lists/fetch-lists", &[]).await.ok();
            let shown = shown.as_array().unwrap().iter().find(|list| list["lid"] == lid.as_str()).unwrap();
            for item in [
                &the_item(client, lid).await,
                &whole["items"][0],
                &whole["list"]["listcontents"][0],
                &shown["listcontents"][0],
            ] {
                assert_eq!((&item["epi"], &item["dt"], &item["ct"]), (&json!(1), &json!("Aardvark"), &json!("Garden")));
                assert_eq!(item["pr"].to_string(), "1.25");
            }
            assert_eq!(out_of_stock(client, lid).await, [1]);
            assert_eq!(in_stock(client, lid).await, [2]);
            for sort in ["price", "title"] {
                let sorted = contents(client, lid, &[("sortby", sort), ("sortorder", "asc")]).await;
                assert_eq!(epis(&sorted), [1, 2], "{sort}");
            }
        }
        let after = (app.app.database.dump("lists").await.unwrap(), app.app.database.dump("items").await.unwrap());
        assert_eq!(after, before);
    }

    async fn items_show_their_availability_wherever_they_are_read(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        ann.post("lists/sfl/fetch", &[]).await.ok();
        let unknown = availability(&ann, &lid, 1).await;
        assert_eq!(unknown, Value::Null, "the catalogue does not know it");
        upsert(&admin, json!([product(1), product(2)])).await;
        let steps: [(Value, &str); 8] = [
            (json!(6), "in"),
            (json!(5), "low"),
            (json!(0), "out"),
            (json!(1), "low"),
            (json!(-3), "out"),
            (json!(null), "in"),
            (json!(0), "out"),
            (json!(7), "in"),
        ];
        for (stock, expected) in &steps {
            inventory(&admin, json!([{ "epi": 1, "stock": stock }])).await;
            assert_eq!(availability(&ann, &lid, 1).await, *expected, "{stock}");
            assert_eq!(availability(&ann, &lid, 2).await, "low", "the other one stays");
        }
        for (stock, expected) in steps {
            let mut changed = product(1);
            changed["stock"] = stock;
            upsert(&admin, json!([changed])).await;
            assert_eq!(availability(&ann, &lid, 1).await, *expected, "{changed}");
        }
        app.set(low_stock(7)).await;
        assert_eq!(availability(&ann, &lid, 1).await, "low");
        app.set(low_stock(3)).await;
        assert_eq!(availability(&ann, &lid, 1).await, "in");
        assert_eq!(availability(&ann, &lid, 2).await, "in");
        delete(&admin, json!([{ "epi": 1 }])).await;
        assert_eq!(availability(&ann, &lid, 1).await, "out");
        delete(&admin, json!([{ "empi": 1002 }])).await;
        assert_eq!(availability(&ann, &lid, 2).await, "out");
        for (stock, expected) in [(0, "out"), (1, "low")] {
            let mut back = product(2);
            back["stock"] = json!(stock);
            upsert(&admin, json!([back])).await;
            assert_eq!(availability(&ann, &lid, 2).await, expected);
            delete(&admin, json!([{ "epi": 2 }])).await;
        }
    }

    async fn the_price_when_an_item_was_saved_is_shown_while_it_is_another(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        let price = async |epi: i64, price: Value| {
            upsert(&admin, json!([{ "epi": epi, "empi": 1000 + epi, "pr": price }])).await;
        };
        upsert(&admin, json!([product(1), product(2)])).await;
        price(2, Value::Null).await;
        let mut given = item(3);
        given["pr"] = json!("8.50");
        ann.add(&lid, &[1, 2]).await;
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &json!([given]).to_string())]).await.ok();
        let saved = async |epi: i64| the_same_everywhere(&ann, &lid, epi, "spr").await.to_string();
        for epi in 1..=3 {
            assert_eq!(saved(epi).await, "null", "{epi} has the price that it had");
        }
        price(1, json!(15)).await;
        assert_eq!(saved(1).await, "19.95");
        // What a client sends back is ignored, and adding it again changes nothing.
        let mut again = item(1);
        again["spr"] = json!(99);
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &json!([again]).to_string())]).await.ok();
        ann.post("lists/update-ctx", &[("lid", &lid), ("u", &json!([again]).to_string())]).await.ok();
        assert_eq!(saved(1).await, "19.95");
        price(1, json!(19.950)).await;
        assert_eq!(saved(1).await, "null", "19.950 is the same price");
        price(1, Value::Null).await;
        assert_eq!(saved(1).await, "19.95");
        price(2, json!(3)).await;
        assert_eq!(saved(2).await, "null", "it was not known");
        upsert(&admin, json!([product(3)])).await;
        assert_eq!(saved(3).await, "8.50", "with its digits");
        let copy = ann.post("lists/create", &[("lname", "Copy"), ("fromlid", &lid)]).await.ok();
        let copied = contents(&ann, copy["lid"].as_str().unwrap(), &[]).await;
        assert_eq!(copied[0]["spr"].to_string(), "8.50");
        let removed = json!([{ "epi": 3 }]).to_string();
        let removed = ann.post("lists/update-ctx", &[("lid", &lid), ("d", &removed)]).await.ok();
        assert_eq!((&removed["d"][0]["spr"].to_string()[..], &removed["d"][0]["avl"]), ("8.50", &json!("low")));
        ann.add(&lid, &[3]).await;
        assert_eq!(saved(3).await, "null", "it was saved anew");
    }

    async fn what_the_add_call_gave_holds_until_the_catalogue_learns_of_the_product(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        let mut given = product(1);
        given["stock"] = json!(0);
        let added = ann.add_items(&lid, &json!([given])).await;
        for item in [&added["a"][0], &the_item(&ann, &lid).await] {
            for key in WORDS {
                assert_eq!(item[key], given[key], "{key}");
            }
            assert_eq!(item["pr"], given["pr"]);
        }
        // Stock is the catalogue's business.
        assert_eq!(in_stock(&ann, &lid).await, [1]);
        // A later add may know better.
        let again = json!([{ "epi": 1, "empi": 1001, "du": "https://shop.example/p/1", "dt": "Chair", "pr": 18 }]);
        ann.add_items(&lid, &again).await;
        let item = the_item(&ann, &lid).await;
        assert_eq!((&item["dt"], &item["pr"], &item["ct"]), (&json!("Chair"), &json!(18), &json!("Garden")));

        admin.upsert(json!([{ "epi": 1, "empi": 1001, "dt": "Catalogue chair", "pr": 25.75 }])).await;
        let item = the_item(&ann, &lid).await;
        assert_eq!((&item["dt"], item["pr"].to_string()), (&json!("Catalogue chair"), "25.75".to_owned()));
        ann.add_items(&lid, &again).await;
        assert_eq!(the_item(&ann, &lid).await["dt"], "Catalogue chair");
        let sorted = contents(&ann, &lid, &[("sortby", "price")]).await;
        assert_eq!(sorted[0]["dt"], "Catalogue chair");
    }

    async fn a_deleted_product_stays_in_lists_with_its_last_words_and_is_out_of_stock(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        admin.upsert(json!([product(1), product(2)])).await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        let before = contents(&ann, &lid, &[]).await;
        assert_eq!(
            delete(&admin, json!([{ "epi": 1 }])).await,
            json!({ "status": "success", "updated": 1, "failed": [] })
        );
        let mut after = before.clone();
        after[1]["avl"] = json!("out");
        assert_eq!(contents(&ann, &lid, &[]).await, after);
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 2);
        assert_eq!((in_stock(&ann, &lid).await, out_of_stock(&ann, &lid).await), (vec![2], vec![1]));
        // Sorting goes on using the last words.
        assert_eq!(epis(&contents(&ann, &lid, &[("sortby", "title")]).await), [2, 1]);
        // Stock that arrives late does not bring it back; selling it again does.
        admin.stock(1, json!(5)).await;
        assert_eq!(out_of_stock(&ann, &lid).await, [1]);
        assert_eq!(delete(&admin, json!([{ "epi": 1 }])).await["updated"], 0);
        admin.upsert(json!([{ "epi": 1, "empi": 1001 }])).await;
        assert_eq!(in_stock(&ann, &lid).await, [2, 1]);
        assert_eq!(contents(&ann, &lid, &[]).await, before);
        app.assert_sound().await;
    }

    async fn deleting_a_product_deletes_all_its_variants_and_no_other(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        for (epi, empi) in [(1, 7), (2, 7), (3, 8), (7, 9)] {
            admin.upsert(json!([{ "epi": epi, "empi": empi }])).await;
        }
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3, 7]).await;
        let answer = delete(&admin, json!([{ "empi": "7" }, { "epi": null, "empi": 9999 }])).await;
        assert_eq!(answer, json!({ "status": "success", "updated": 2, "failed": [] }));
        assert_eq!((in_stock(&ann, &lid).await, out_of_stock(&ann, &lid).await), (vec![7, 3], vec![2, 1]));
    }

    async fn only_a_tracked_stock_of_zero_or_less_is_out_of_stock(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let stocks = [json!(5), json!(0), json!(-3), Value::Null, json!("2"), json!("0")];
        let products: Vec<Value> =
            (1..).zip(&stocks).map(|(n, stock)| json!({ "epi": n, "empi": n, "stock": stock })).collect();
        admin.upsert(json!(products)).await;
        // 7 never had a stock, 8 was never seen.
        admin.upsert(json!([{ "epi": 7, "empi": 7 }])).await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2, 3, 4, 5, 6, 7, 8]).await;
        assert_eq!(in_stock(&ann, &lid).await, [8, 7, 5, 4, 1]);
        assert_eq!(out_of_stock(&ann, &lid).await, [6, 3, 2]);

        let answer = inventory(&admin, json!([
            { "epi": 1, "stock": 0 }, { "epi": 2, "stock": 1 }, { "epi": "3", "stock": null }, { "epi": 4, "stock": -1 },
        ])).await;
        assert_eq!(answer, json!({ "status": "success", "updated": 4, "failed": [] }));
        assert_eq!(in_stock(&ann, &lid).await, [8, 7, 5, 3, 2]);
        assert_eq!(out_of_stock(&ann, &lid).await, [6, 4, 1]);
    }

    async fn elements_that_fail_are_named_and_the_others_are_applied(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1, 2]).await;
        let indices = |answer: &Value| -> Vec<(i64, Value, String)> {
            let failed = answer["failed"].as_array().unwrap();
            failed
                .iter()
                .map(|failed| {
                    assert_eq!(failed.as_object().unwrap().len(), 4, "{failed}");
                    assert!(!failed["msg"].as_str().unwrap().is_empty());
                    let code = failed["error-code"].as_str().unwrap().to_owned();
                    (failed["index"].as_i64().unwrap(), failed["epi"].clone(), code)
                })
                .collect()
        };
        let invalid = |index: i64, epi: Value| (index, epi, "invalid-item".to_owned());
        let answer = upsert(
            &admin,
            json!([
                { "epi": 1, "empi": 1001, "dt": "One" },
                { "epi": 2 },
                { "epi": 2, "empi": 1002, "pr": -5 },
                { "empi": 1002 },
                "text",
                { "epi": 2, "empi": 1002, "dt": "Two", "stock": 1.5 },
                { "epi": 2, "empi": 1002, "iu": "javascript:alert(1)" },
                { "epi": 3, "empi": 1003, "dt": "Three" },
            ]),
        )
        .await;
        assert_eq!(answer["updated"], 2);
        assert_eq!(
            indices(&answer),
            [
                invalid(1, json!(2)),
                invalid(2, json!(2)),
                invalid(3, Value::Null),
                invalid(4, Value::Null),
                invalid(5, json!(2)),
                invalid(6, json!(2)),
            ]
        );
        let titles: Vec<Value> =
            contents(&ann, &lid, &[]).await.as_array().unwrap().iter().map(|item| item["dt"].clone()).collect();
        assert_eq!(titles, ["", "One"]);

        let answer = inventory(&admin, json!([
            { "epi": 99, "stock": 1 }, { "epi": 1 }, { "epi": 1, "stock": "some" }, { "epi": 1, "stock": 0 }, { "stock": 5 }, null,
        ])).await;
        assert_eq!(answer["updated"], 1);
        assert_eq!(
            indices(&answer),
            [
                (0, json!(99), "unknown-product".to_owned()),
                invalid(1, json!(1)),
                invalid(2, json!(1)),
                invalid(4, Value::Null),
                invalid(5, Value::Null),
            ]
        );
        assert_eq!(out_of_stock(&ann, &lid).await, [1]);

        let answer = delete(&admin, json!([{ "epi": "x" }, {}, { "epi": 1 }, 5])).await;
        assert_eq!(answer["updated"], 1);
        assert_eq!(indices(&answer), [invalid(0, Value::Null), invalid(1, Value::Null), invalid(3, Value::Null)]);
    }

    async fn the_same_variant_twice_in_a_call_ends_as_the_last_says(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        upsert(&admin, json!([
            { "epi": 1, "empi": 1001, "dt": "First", "ct": "Garden" }, { "epi": "1", "empi": 1001, "dt": "Last", "stock": 0 },
        ])).await;
        let item = the_item(&ann, &lid).await;
        assert_eq!((&item["dt"], &item["ct"]), (&json!("Last"), &json!("Garden")));
        inventory(&admin, json!([{ "epi": 1, "stock": 0 }, { "epi": 1, "stock": 3 }])).await;
        assert_eq!(in_stock(&ann, &lid).await, [1]);
    }

    async fn many_feeds_at_once_get_along(app: TestApp) {
        let admin = app.store_admin();
        let variants: Vec<i64> = (1..=40).collect();
        let calls = (0..12_i64).map(|n| {
            let (admin, mut variants) = (admin.clone(), variants.clone());
            async move {
                // Different feeds have different orders.
                if n % 2 == 0 {
                    variants.reverse();
                }
                let all = |key: &str, value: i64| {
                    let element = |epi: &i64| json!({ "epi": epi, "empi": 1000 + epi, key: value });
                    Value::from(variants.iter().map(element).collect::<Vec<_>>())
                };
                let upsert = json!({ "products": all("pr", n) });
                let inventory = json!({ "inventory": all("stock", n) });
                for (path, body) in [("products/upsert", upsert), ("inventory/update", inventory)] {
                    let path = format!("/storeadmin/v3/{path}");
                    // Those that wait too long for the others are rejected.
                    let reply = until_accepted(|| admin.json(&path, &body)).await;
                    assert_eq!(reply.ok()["updated"], 40);
                }
            }
        });
        futures_util::future::join_all(calls).await;
        assert_eq!(app.rows("products").await, 40);
    }

    async fn a_call_takes_1_to_1000_elements(app: TestApp) {
        let admin = app.store_admin();
        let products = |count: i64| Value::from((1..=count).map(product).collect::<Vec<_>>());
        assert_eq!(upsert(&admin, products(1_000)).await["updated"], 1_000);
        assert_eq!(app.rows("products").await, 1_000);
        for (path, key) in
            [("products/upsert", "products"), ("products/delete", "products"), ("inventory/update", "inventory")]
        {
            let path = format!("/storeadmin/v3/{path}");
            for bad in [json!([]), products(1_001), json!("x"), json!({ "epi": 1 })] {
                admin.json(&path, &json!({ key: bad })).await.fails(400, "invalid-parameter");
            }
            for bad in [json!({}), json!({ key: null })] {
                admin.json(&path, &bad).await.fails(400, "missing-parameter");
            }
            for bad in [json!([]), json!("text"), json!(null)] {
                admin.json(&path, &bad).await.fails(400, "invalid-parameter");
            }
        }
        assert_eq!(app.rows("products").await, 1_000);
    }

    async fn a_body_is_taken_apart_without_parsing_what_nobody_asks_for(app: TestApp) {
        let admin = app.store_admin();
        let json = [("content-type", "application/json")];
        let send = async |body: String| admin.send_with("POST", "/storeadmin/v3/products/upsert", &json, body).await;
        let refused = async |body: String| {
            send(body).await.fails(400, "invalid-parameter")["error-msg"].as_str().unwrap().to_owned()
        };
        let million = ["[]"; 1_000_000].join(",");
        let error = refused(format!("{{\"products\":[{million}]}}")).await;
        assert_eq!(error, "products must have 1 to 1000 elements");
        let many: Vec<String> = (0..65).map(|n| format!("\"{n}\":{n}")).collect();
        assert_eq!(refused(format!("{{{}}}", many.join(","))).await, "the body must have at most 64 members");
        for (body, expected) in [
            ("[1]", "the body must be a JSON object"),
            ("\"a\"", "the body must be a JSON object"),
            ("{\"products\":[1", "the body must be JSON (EOF while parsing a list at line 1 column 14)"),
            ("[1", "the body must be JSON (EOF while parsing a list at line 1 column 2)"),
            ("{\"products\":{}}", "products must be an array"),
        ] {
            assert_eq!(refused(body.to_owned()).await, expected, "{body}");
        }
        send("{\"products\":null}".to_owned()).await.fails(400, "missing-parameter");

        // The last of a name counts; a lone surrogate is read as U+FFFD.
        let product = format!(
            r#"{{"epi":1,"empi":1,"epi":2,"empi":1002,"dt":"\ud800","\u0063t":"Garden","x":[{million}]}}"#
        );
        let body = format!(r#"{{"products":[1],"other":[{{}}],"products":[{product},{{"epi":"3","dt":[[]]}},[[]]]}}"#);
        let answer = send(body).await.ok();
        assert_eq!((&answer["updated"], &answer["failed"][0]["epi"]), (&json!(1), &json!(3)), "{answer}");
        assert_eq!(answer["failed"][1]["msg"], "each element must be an object with epi and empi", "{answer}");
        assert_eq!(answer["failed"][1]["epi"], Value::Null, "{answer}");
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[2]).await;
        let item = the_item(&ann, &lid).await;
        assert_eq!((&item["dt"], &item["ct"]), (&json!("\u{fffd}"), &json!("Garden")));
    }

    async fn stores_do_not_share_a_catalogue(app: TestApp) {
        let other = app.create_store(Default::default()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.add(&lid, &[1]).await;
        app.admin_of(&other).upsert(json!([product(1)])).await;
        assert_eq!(the_item(&ann, &lid).await["dt"], "");
        app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "dt": "Ours" }])).await;
        delete(&app.admin_of(&other), json!([{ "epi": 1 }])).await;
        assert_eq!(in_stock(&ann, &lid).await, [1]);
        assert_eq!(the_item(&ann, &lid).await["dt"], "Ours");
    }

    async fn a_subscription_shows_the_catalogue_as_it_is_now(app: TestApp) {
        let (admin, ann) = (app.store_admin(), app.shopper("ann").await);
        let mut given = item(1);
        given["dt"] = json!("Given");
        let fields = [
            ("medium", "email"),
            ("mediumvalue", "ann@example.com"),
            ("products", &json!([given]).to_string()),
            ("topics", "[\"backinstock\"]"),
        ];
        admin.form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        let title = async || {
            ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok()["subscriptions"][0]["dt"]
                .clone()
        };
        assert_eq!(title().await, "Given");
        admin.upsert(json!([product(1)])).await;
        assert_eq!(title().await, "Deck chair");
        delete(&admin, json!([{ "epi": 1 }])).await;
        assert_eq!(title().await, "Deck chair");
    }
}
