//! What records look like: every field, its JSON type, and who may see it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{Client, NOW, TestApp, item};

const LIST: &str = "lid:text lname:text lty:text anonRead:flag cts:int uts:int pid:text id:text st:int _t:int \
                    lhash:text cnt:int version:int";
/// What only the owner sees of a list or an item.
const OWN: &str = "uid:text di:text _pkey:text";
const LIST_PEOPLE: &str = "cby:text uby:text cfor:text";
const NOBODY: &str = "cby:null uby:null cfor:null";
const DETAILS: &str = "lnote:text lprops:object ldesc:text";
const RIGHTS: &str = "canEdit:flag itemcmnts:int";
const ITEM: &str = "id:text lid:text epi:int empi:int du:text dt:text iu:text pr:number ct:text vi:text bt:text \
                    sku:text avl:text qty:int note:text cprops:object clbls:array cts:int uts:int pid:text _t:int";
const ITEM_PEOPLE: &str = "cby:text uby:text";
const USERINFO: &str = "fname:text lname:text em:text m:null sw_mkt:null ut:null uid:text pid:text cts:int uts:int \
                        prefs:object";
const SUBSCRIPTION: &str = "medium:text mediumvalue:text topic:text dt:text empi:int epi:int du:text iu:text pr:number \
                            ct:text vi:text bt:text sku:text pid:text status:int cts:int uts:int";

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "flag",
        Value::Number(number) if number.is_i64() => "int",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The record has these fields of these types, and no other.
#[track_caller]
fn has_exactly(record: &Value, fields: &[&str]) {
    from_call_has_exactly("", record, fields);
}

#[track_caller]
fn from_call_has_exactly(call: &str, record: &Value, fields: &[&str]) {
    let mut wanted: Vec<String> = fields.iter().flat_map(|part| part.split_whitespace()).map(str::to_owned).collect();
    let members = record.as_object().unwrap_or_else(|| panic!("not an object: {record}"));
    let mut found: Vec<String> = members.iter().map(|(key, value)| format!("{key}:{}", json_type(value))).collect();
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted, "{call} {record:#}");
}

/// A product with every field, in the catalogue and in the words of an item.
fn product(n: i64) -> Value {
    json!({
        "epi": n, "empi": 1000 + n, "du": format!("https://shop.example/p/{n}"), "dt": "Deck chair",
        "iu": "https://shop.example/p.png", "pr": 19.95, "ct": "Garden", "vi": "Blue", "bt": "Acme", "sku": "DC-1",
    })
}

fn full_input(n: i64) -> Value {
    let mut input = item(n);
    input["qty"] = json!(2);
    input["note"] = json!("for July");
    input["cprops"] = json!({ "size": "M" });
    input["clbls"] = json!(["Balcony"]);
    input
}

async fn make_list(client: &Client, lty: &str) -> Value {
    let fields = [
        ("lname", "Summer"),
        ("lty", lty),
        ("lnote", "for July"),
        ("ldesc", "All of it"),
        ("lprops", "{\"colour\":\"blue\"}"),
    ];
    client.post("lists/create", &fields).await.ok()
}

fn lid_of(list: &Value) -> String {
    list["lid"].as_str().unwrap().to_owned()
}

fn is_uuid(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() == 36 && uuid::Uuid::parse_str(text).is_ok())
}

/// Adds, changes, reads and deletes through every call that answers items; each record with the
/// call that it came from.
async fn items_of_every_call(app: &TestApp, client: &Client, lty: &str) -> Vec<(&'static str, Value)> {
    app.store_admin().upsert(json!([product(1), product(2)])).await;
    let lid = lid_of(&make_list(client, lty).await);
    let (input, both) = (json!([full_input(1)]).to_string(), json!([full_input(1), full_input(2)]).to_string());
    let mut out = Vec::new();
    let call = async |path: &str, fields: &[(&str, &str)]| {
        let mut all = vec![("lid", lid.as_str()), ("user-agent", "tests")];
        all.extend_from_slice(fields);
        client.post(path, &all).await.ok()
    };
    out.push(("a", call("lists/update-ctx", &[("a", &both)]).await["a"][0].clone()));
    out.push(("u", call("lists/update-ctx", &[("u", &input)]).await["u"][0].clone()));
    out.push((
        "fetch-lists",
        client.post("lists/fetch-lists", &[("lty", lty)]).await.ok()[0]["listcontents"][0].clone(),
    ));
    let whole = call("lists/fetch-list-with-contents", &[]).await;
    out.push(("list.listcontents", whole["list"]["listcontents"][0].clone()));
    out.push(("items", whole["items"][0].clone()));
    if lty == "_saveForLater" {
        out.push(("sfl/add", call("lists/sfl/add", &[("items", &input)]).await["itemsadded"][0].clone()));
        out.push(("sfl/update", call("lists/sfl/update", &[("items", &input)]).await["itemsupdated"][0].clone()));
        out.push(("sfl/fetch", call("lists/sfl/fetch", &[]).await["items"][0].clone()));
        out.push(("sfl/remove", call("lists/sfl/remove", &[("items", &input)]).await["itemsdeleted"][0].clone()));
        call("lists/sfl/add", &[("items", &input)]).await;
        out.push((
            "sfl/moved-to-cart",
            call("lists/sfl/moved-to-cart", &[("items", &input)]).await["itemsmoved"][0].clone(),
        ));
        call("lists/sfl/add", &[("items", &input)]).await;
    }
    out.push(("d", call("lists/update-ctx", &[("d", &input)]).await["d"][0].clone()));
    out
}

both_engines! {
    async fn the_owner_gets_every_field_of_a_list_from_every_call(app: TestApp) {
        let ann = app.shopper("ann").await;
        let base = [LIST, OWN, LIST_PEOPLE, DETAILS];
        let with = |more: &[&'static str]| [&base[..], more].concat();
        let made = make_list(&ann, "").await;
        has_exactly(&made, &with(&["listcontents:array"]));
        let lid = lid_of(&made);
        has_exactly(&ann.post("lists/update", &[("lid", &lid), ("lname", "Autumn")]).await.ok(), &base);

        let all = ann.post("lists/fetch-user-lists", &[]).await.ok();
        has_exactly(&all, &["status:text data:array"]);
        assert_eq!(all["status"], "success");
        has_exactly(&all["data"][0], &base);

        let lists = ann.post("lists/fetch-lists", &[]).await.ok();
        has_exactly(&lists[0], &with(&[RIGHTS, "listcontents:array userinfo:object"]));

        let page = ann.page(&lid, &[]).await;
        has_exactly(&page, &["status:text data:object pagination:object"]);
        assert_eq!(page["status"], "success");
        has_exactly(&page["data"], &with(&["listcontents:array userinfo:object"]));
        has_exactly(&page["pagination"], &["next:null"]);

        let whole = ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        has_exactly(&whole, &["list:object items:array"]);
        has_exactly(&whole["list"], &with(&[RIGHTS, "listcontents:array userinfo:object"]));
        assert_eq!(whole["list"]["canEdit"], true);
        assert_eq!(whole["list"]["itemcmnts"], 0);

        has_exactly(&ann.post("lists/delete-list", &[("lid", &lid)]).await.ok(), &base);
    }

    async fn the_owner_gets_every_field_of_an_item_from_every_call(app: TestApp) {
        let ann = app.shopper("ann").await;
        for (call, record) in items_of_every_call(&app, &ann, "_saveForLater").await {
            from_call_has_exactly(call, &record, &[ITEM, OWN, ITEM_PEOPLE]);
            assert_eq!(record["cby"], "ann@example.com");
            assert_eq!(record["uby"], "ann@example.com");
            assert_eq!((&record["dt"], &record["iu"]), (&json!("Deck chair"), &json!("https://shop.example/p.png")));
            assert_eq!((&record["ct"], &record["vi"]), (&json!("Garden"), &json!("Blue")));
            assert_eq!((&record["bt"], &record["sku"]), (&json!("Acme"), &json!("DC-1")));
            assert_eq!(record["qty"], 2);
            assert_eq!(record["note"], "for July");
            assert_eq!(record["cprops"], json!({ "size": "M" }));
            assert_eq!(record["clbls"], json!(["Balcony"]));
            assert_eq!(record["_t"], 2);
        }
        let lid = lid_of(&ann.post("lists/fetch-user-lists", &[]).await.ok()["data"][0]);
        has_exactly(&ann.page(&lid, &[]).await["data"]["listcontents"][0], &[ITEM, OWN, ITEM_PEOPLE]);
    }

    async fn a_guest_owner_gets_no_addresses_and_no_userinfo(app: TestApp) {
        for guest in [app.guest().await, app.browser().await] {
            let base = [LIST, OWN, DETAILS];
            let with = |more: &[&'static str]| [&base[..], more].concat();
            let made = make_list(&guest, "").await;
            has_exactly(&made, &with(&["listcontents:array"]));
            let lid = lid_of(&made);
            has_exactly(&guest.post("lists/update", &[("lid", &lid), ("lname", "Autumn")]).await.ok(), &base);
            has_exactly(&guest.post("lists/fetch-user-lists", &[]).await.ok()["data"][0], &with(&[NOBODY]));
            let contents = "listcontents:array userinfo:null";
            has_exactly(&guest.post("lists/fetch-lists", &[]).await.ok()[0], &with(&[RIGHTS, contents]));
            let whole = guest.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
            has_exactly(&whole["list"], &with(&[RIGHTS, contents]));
            assert_eq!(whole["list"]["canEdit"], true);
            has_exactly(&guest.post("lists/delete-list", &[("lid", &lid)]).await.ok(), &base);
            for (call, record) in items_of_every_call(&app, &guest, "_saveForLater").await {
                from_call_has_exactly(call, &record, &[ITEM, OWN]);
            }
        }
    }

    async fn a_visitor_of_a_public_list_learns_nothing_of_its_owner(app: TestApp) {
        let ann = app.shopper("ann").await;
        app.store_admin().upsert(json!([product(1)])).await;
        let lid = lid_of(&make_list(&ann, "").await);
        ann.add_items(&lid, &json!([full_input(1)])).await;
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        let own = ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        assert_eq!(own["list"]["anonRead"], true);
        for visitor in [app.shopper("bob").await, app.guest().await, app.browser().await] {
            let reply = visitor.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await;
            let whole = reply.ok();
            has_exactly(&whole["list"], &[LIST, DETAILS, RIGHTS, "listcontents:array userinfo:null"]);
            has_exactly(&whole["items"][0], &[ITEM]);
            has_exactly(&whole["list"]["listcontents"][0], &[ITEM]);
            assert_eq!(whole["list"]["canEdit"], false);
            assert_eq!(whole["list"]["anonRead"], true);
            // Notes, labels and custom fields are part of what was shared.
            assert_eq!(whole["items"][0]["note"], "for July");
            assert_eq!(whole["items"][0]["clbls"], json!(["Balcony"]));
            for secret in ["ann@example.com", own["list"]["uid"].as_str().unwrap(), own["list"]["di"].as_str().unwrap()]
            {
                assert!(!reply.text().contains(secret), "{secret}: {}", reply.text());
            }
            visitor.post("lists/update", &[("lid", &lid), ("lname", "Mine")]).await.fails(403, "forbidden");
        }
        app.shopper("bob").await.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "not-granted");
    }

    async fn a_store_may_show_visitors_the_owners_name_and_nothing_more(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        ann.post("user/save", &[("fname", "Ann"), ("lname", "Lee")]).await.ok();
        ann.post("lists/markPublic", &[("lid", &lid)]).await.ok();
        let share_owner = Some(wishbone_core::stores::settings::ShareOwner::Name);
        app.set(wishbone_core::stores::settings::SettingsChange { share_owner, ..Default::default() }).await;
        let bob = app.shopper("bob").await;
        let whole = bob.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        assert_eq!(whole["list"]["userinfo"], json!({ "fname": "Ann", "lname": "Lee" }));
        assert_eq!(whole["list"].get("cby"), None);
    }

    async fn userinfo_is_the_profile_of_the_logged_in_owner(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let userinfo = ann.page(&lid, &[]).await["data"]["userinfo"].clone();
        has_exactly(&userinfo, &[USERINFO, "acc_mkt:null"]);
        assert_eq!(userinfo["em"], "ann@example.com");
        assert_eq!(userinfo["prefs"], json!({ "Mediums": {} }));
        assert_eq!((&userinfo["fname"], &userinfo["lname"]), (&json!(""), &json!("")));
        assert_eq!(userinfo["pid"], app.store.pid.as_str());
        assert_eq!(userinfo["cts"], NOW);

        let profile = [("fname", "Ann"), ("lname", "Lee"), ("acceptMarketing", "true")];
        ann.post("user/save", &profile).await.ok();
        let whole = ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        let userinfo = &whole["list"]["userinfo"];
        has_exactly(userinfo, &[USERINFO, "acc_mkt:flag"]);
        assert_eq!((&userinfo["fname"], &userinfo["lname"]), (&json!("Ann"), &json!("Lee")));
        assert_eq!(userinfo["acc_mkt"], true);
        has_exactly(&userinfo["prefs"]["Mediums"]["email"], &["signuptime:int acceptmarketing:flag acceptsource:text"]);
        assert_eq!(ann.post("lists/fetch-lists", &[]).await.ok()[0]["userinfo"], *userinfo);
        assert_eq!(ann.post("lists/sfl/fetch", &[]).await.ok()["userinfo"], *userinfo);
    }

    async fn a_subscription_has_every_field_whether_made_or_fetched(app: TestApp) {
        app.store_admin().upsert(json!([product(1)])).await;
        let fields = [
            ("medium", "email"),
            ("mediumvalue", "ann@example.com"),
            ("products", &json!([item(1)]).to_string()),
            ("topics", "[\"backinstock\"]"),
        ];
        let made = app.store_admin().form("/storeadmin/bispa/subscriptions/create", &fields).await.ok();
        has_exactly(&made["subscriptions"][0], &[SUBSCRIPTION]);
        let ann = app.shopper("ann").await;
        let fetched = ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).await.ok();
        has_exactly(&fetched, &["limit:int offset:int total:int subscriptions:array"]);
        has_exactly(&fetched["subscriptions"][0], &[SUBSCRIPTION]);
        assert_eq!(fetched["subscriptions"][0]["status"], 0);
        assert_eq!(fetched["subscriptions"][0]["dt"], "Deck chair");
        assert_eq!(fetched["subscriptions"][0]["pid"], app.store.pid.as_str());
    }

    async fn creator_updater_and_owner_are_the_address_as_it_is_compared(app: TestApp) {
        let reply =
            app.store_admin().form("/storeadmin/v3/user/generate-regid", &[("useremail", " Ann@EXAMPLE.com ")]).await;
        let ann = Client::new(app.router.clone(), app.store.pid.clone(), reply.ok());
        let made = make_list(&ann, "").await;
        for key in ["cby", "uby", "cfor"] {
            assert_eq!(made[key], "ann@example.com", "{key}");
        }
    }

    async fn ids_are_uuids_and_identifiers_are_encoded_strings(app: TestApp) {
        let ann = app.shopper("ann").await;
        let (one, two) = (make_list(&ann, "").await, make_list(&ann, "").await);
        for list in [&one, &two] {
            assert!(is_uuid(&list["lid"]) && is_uuid(&list["id"]), "{list}");
            assert_ne!(list["lid"], list["id"]);
            assert_eq!(list["_t"], 1);
            assert_eq!(list["pid"], app.store.pid.as_str());
            assert_eq!(STANDARD.decode(list["uid"].as_str().unwrap()).unwrap().len(), 32);
        }
        assert_ne!(one["lid"], two["lid"]);
        assert_ne!(one["id"], two["id"]);
        assert_eq!(one["uid"], two["uid"]);
        assert_ne!(one["uid"], make_list(&app.shopper("bob").await, "").await["uid"]);
        let items = ann.add(&lid_of(&one), &[1, 2]).await;
        assert!(is_uuid(&items["a"][0]["id"]), "{items}");
        assert_ne!(items["a"][0]["id"], items["a"][1]["id"]);
        assert_eq!(items["a"][0]["lid"], one["lid"]);
        assert_eq!(items["a"][0]["uid"], one["uid"]);
    }

    async fn the_device_is_a_uuid_for_browsers_and_ends_in_api_for_others(app: TestApp) {
        for client in [app.shopper("ann").await, app.guest().await] {
            let list = make_list(&client, "").await;
            let device = list["di"].as_str().unwrap();
            assert!(is_uuid(&json!(device.strip_suffix("-API").unwrap())), "{device}");
            assert_eq!(list["_pkey"], device[..8]);
            assert_ne!(device, client.sessionid);
            let item = &client.add(&lid_of(&list), &[1]).await["a"][0];
            assert_eq!((&item["di"], &item["_pkey"]), (&list["di"], &list["_pkey"]));
        }
        let browser = app.browser().await;
        let list = make_list(&browser, "").await;
        assert!(is_uuid(&list["di"]), "{list}");
        assert_eq!(list["_pkey"], list["di"].as_str().unwrap()[..8]);
    }

    async fn an_item_names_the_device_that_added_it_and_the_list_the_one_that_made_it(app: TestApp) {
        let phone = app.browser().await;
        let mut laptop = phone.clone();
        laptop.sessionid = "another-device".to_owned();
        let list = make_list(&phone, "").await;
        let lid = lid_of(&list);
        phone.add(&lid, &[1]).await;
        let added = laptop.add(&lid, &[2]).await;
        assert_ne!(added["a"][0]["di"], list["di"]);
        // Changing an item does not change who added it.
        laptop.add(&lid, &[1]).await;
        let whole = laptop.post("lists/fetch-list-with-contents", &[("lid", &lid)]).await.ok();
        assert_eq!(whole["list"]["di"], list["di"]);
        assert_eq!(whole["items"][0]["di"], added["a"][0]["di"]);
        assert_eq!(whole["items"][1]["di"], list["di"]);
    }

    async fn the_list_hash_depends_on_shopper_type_and_name_alone(app: TestApp) {
        let (ann, bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let hash = |list: Value| list["lhash"].as_str().unwrap().to_owned();
        let first = make_list(&ann, "").await;
        let lid = lid_of(&first);
        let first = hash(first);
        assert_eq!(hash(make_list(&ann, "wl").await), first);
        assert_ne!(hash(make_list(&ann, "_recommends").await), first);
        assert_ne!(hash(make_list(&bob, "").await), first);
        ann.add(&lid, &[1]).await;
        assert_eq!(hash(ann.page(&lid, &[]).await["data"].clone()), first);
        assert_ne!(hash(ann.post("lists/update", &[("lid", &lid), ("lname", "Autumn")]).await.ok()), first);
        assert_eq!(hash(ann.post("lists/update", &[("lid", &lid), ("lname", "Summer")]).await.ok()), first);
    }

    async fn the_state_of_a_list_is_1_and_0_when_archived(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        assert_eq!(ann.page(&lid, &[]).await["data"]["st"], 1);
        assert_eq!(ann.post("lists/update", &[("lid", &lid), ("archived", "true")]).await.ok()["st"], 0);
        assert_eq!(ann.page(&lid, &[]).await["data"]["st"], 0);
        assert_eq!(ann.post("lists/update", &[("lid", &lid), ("archived", "false")]).await.ok()["st"], 1);
    }

    async fn a_type_that_means_a_wishlist_comes_back_as_wl_and_any_other_as_given(app: TestApp) {
        let ann = app.shopper("ann").await;
        let longest = "ü".repeat(50);
        for (given, shown) in [
            ("", "wl"),
            ("null", "wl"),
            ("wl", "wl"),
            ("_saveForLater", "_saveForLater"),
            ("sfl", "sfl"),
            ("_recommends", "_recommends"),
            ("Birthday party", "Birthday party"),
            (&longest, &longest),
        ] {
            let made = make_list(&ann, given).await;
            assert_eq!(made["lty"], shown, "{given}");
            assert_eq!(ann.page(&lid_of(&made), &[]).await["data"]["lty"], shown, "{given}");
        }
        let long = "x".repeat(51);
        ann.post("lists/create", &[("lname", "A"), ("lty", &long)]).await.fails(400, "invalid-parameter");
    }

    async fn variant_and_product_come_as_digits_or_numbers_and_go_as_numbers(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let highest = 9_007_199_254_740_991_i64;
        let input = json!([
            { "epi": "42", "empi": "1042", "du": "https://shop.example/p" },
            { "epi": highest, "empi": highest.to_string(), "du": "https://shop.example/q" },
        ]);
        let added = ann.add_items(&lid, &input).await;
        for (record, epi, empi) in [(&added["a"][0], 42, 1042), (&added["a"][1], highest, highest)] {
            assert_eq!((&record["epi"], &record["empi"]), (&json!(epi), &json!(empi)));
        }
        // Digits and number are the same variant.
        ann.add_items(&lid, &json!([{ "epi": 42, "empi": 1042, "du": "https://shop.example/p" }])).await;
        assert_eq!(ann.page(&lid, &[]).await["data"]["cnt"], 2);
    }

    async fn an_unknown_product_has_empty_texts_and_a_null_price(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        let added = ann.add(&lid, &[1]).await;
        let read = ann.page(&lid, &[]).await["data"]["listcontents"][0].clone();
        for record in [&added["a"][0], &read] {
            for key in ["dt", "iu", "ct", "vi", "bt", "sku"] {
                assert_eq!(record[key], "", "{key}");
            }
            assert_eq!(record["pr"], Value::Null);
            assert_eq!(record["qty"], 1);
            assert_eq!(record["cprops"], json!({}));
            assert_eq!(record["clbls"], json!([]));
            assert_eq!(record.get("note"), None);
        }
    }

    async fn a_price_keeps_the_digits_that_it_came_with(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for digits in ["19.95", "0.10", "100.250", "7", "9999999999.99", "0"] {
            // From text, because Rust's own numbers forget a trailing zero.
            let price: Value = serde_json::from_str(digits).unwrap();
            app.store_admin().upsert(json!([{ "epi": 1, "empi": 1001, "pr": price }])).await;
            let mut given = item(2);
            given["pr"] = price;
            let given = json!([item(1), given]).to_string();
            let added = ann.post("lists/update-ctx", &[("lid", &lid), ("a", &given)]).await;
            let read = ann.post("lists/fetch-user-list", &[("lid", &lid)]).await;
            for reply in [added, read] {
                reply.ok();
                assert_eq!(reply.text().matches(&format!("\"pr\":{digits},")).count(), 2, "{}", reply.text());
            }
        }
    }
}
