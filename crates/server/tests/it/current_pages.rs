//! Pages show the state of the database, compressed or not.

use crate::support::process::{Server, Setup, Shop, product};

both_engines! {
    async fn pages_show_every_change_immediately(app: TestApp) {
        let (ann, admin) = (app.shopper("ann").await, app.store_admin());
        let lid = ann.list("First").await;
        ann.add(&lid, &[1, 2, 3]).await;
        let page = async || {
            let first = ann.page(&lid, &[]).await["data"].clone();
            assert_eq!(ann.page(&lid, &[]).await["data"], first, "asked twice");
            first
        };
        assert_eq!(page().await["lname"], "First");
        ann.post("lists/update", &[("lid", &lid), ("lname", "Second")]).await.ok();
        assert_eq!(page().await["lname"], "Second");
        ann.add(&lid, &[4]).await;
        assert_eq!(page().await["listcontents"][0]["epi"], 4);
        for (title, price) in [("Cup", 3), ("Mug", 4)] {
            let words = serde_json::json!({ "products": [{ "epi": 4, "empi": 1, "dt": title, "pr": price }] });
            admin.json("/storeadmin/v3/products/upsert", &words).await.ok();
            let shown = page().await["listcontents"][0].clone();
            assert_eq!((shown["dt"].as_str(), shown["pr"].as_i64()), (Some(title), Some(price)));
        }
        ann.post("user/save", &[("fname", "Ann"), ("lname", "Lee")]).await.ok();
        assert_eq!(page().await["userinfo"]["lname"], "Lee");
        ann.post("lists/update-ctx", &[("lid", &lid), ("d", r#"[{"epi":4,"empi":1004,"du":"x"}]"#)]).await.ok();
        assert_eq!(page().await["cnt"], 3);
        admin.form("/storeadmin/v3/user/revoke-sessions", &[("useremail", "ann@example.com")]).await.ok();
        ann.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "bad-regid");
    }

    async fn pages_are_not_shared_between_shoppers(app: TestApp) {
        let (ann, mut bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Secret").await;
        ann.page(&lid, &[]).await;
        ann.page(&lid, &[]).await;
        bob.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "not-granted");
        bob.regid = ann.regid.clone();
        bob.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "bad-regid");
    }
}

both_setups! {
    fn a_feed_at_one_server_is_seen_by_the_next_request_at_another(setup: Setup) {
        let first = setup.serve(&[]);
        let (pid, key) = setup.create_store();
        let second = setup.serve(&[]);
        let (here, there) = (first.shop(&pid, &key), second.shop(&pid, &key));
        let titles = |title: &str| -> Vec<String> { (1..=20).map(|epi| format!("{title} {epi}")).collect() };
        let upsert = |shop: &Shop, epis: &[usize], title: &str| {
            let product = |epi: &usize| serde_json::json!({ "epi": epi, "empi": epi, "dt": titles(title)[epi - 1], "pr": 3, "stock": 9 });
            let products: Vec<_> = epis.iter().map(product).collect();
            shop.json("/storeadmin/v3/products/upsert", &serde_json::json!({ "products": products })).ok();
        };
        let all: Vec<usize> = (1..=20).collect();
        upsert(&here, &all, "Cup");
        let ann = here.login("ann@example.com");
        let lid = ann.list("A");
        // The last one is not in the catalogue.
        let items: Vec<String> = (1..=21).rev().map(|epi| product(epi).to_string()).collect();
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &format!("[{}]", items.join(",")))]).ok();
        let shown = |server: &Server, field: &str| -> Vec<serde_json::Value> {
            let page = ann.at(server).post("lists/fetch-user-list", &[("lid", &lid)]).ok();
            page["data"]["listcontents"].as_array().unwrap().iter().map(|item| item[field].clone()).collect()
        };
        let mut expected = titles("Cup");
        for (shop, epis, title) in [(&here, vec![3], "Mug"), (&there, vec![1, 20], "Jug"), (&here, all.clone(), "Cup")] {
            upsert(shop, &epis, title);
            epis.iter().for_each(|epi| expected[epi - 1].clone_from(&titles(title)[epi - 1]));
            for server in [&first, &second, &first] {
                assert_eq!(shown(server, "dt")[..20], expected, "{title}");
            }
        }
        there.json("/storeadmin/v3/inventory/update", &serde_json::json!({ "inventory": [{ "epi": 2, "stock": 0 }] })).ok();
        here.json("/storeadmin/v3/products/delete", &serde_json::json!({ "products": [{ "empi": 5 }, { "epi": 6 }] })).ok();
        for server in [&first, &second] {
            let out: Vec<usize> = (1..=20).filter(|epi| shown(server, "avl")[epi - 1] == "out").collect();
            assert_eq!(out, [2, 5, 6]);
        }
        setup.run(&["store", "set", &pid, "--low-stock", "9"]).ok();
        for server in [&first, &second] {
            assert_eq!(shown(server, "avl")[0], "low");
        }
        // What the catalogue learns of.
        there.json("/storeadmin/v3/products/upsert", &serde_json::json!({ "products": [{ "epi": 21, "empi": 21, "dt": "New" }] })).ok();
        for server in [&first, &second] {
            assert_eq!(shown(server, "dt")[20], "New");
        }
        // More changes than are evicted one by one.
        for first in [1, 601] {
            let product = |epi: i64| serde_json::json!({ "epi": epi, "empi": epi, "dt": format!("Bulk {epi}") });
            let products: Vec<_> = (first..first + 600).map(product).collect();
            here.json("/storeadmin/v3/products/upsert", &serde_json::json!({ "products": products })).ok();
        }
        for server in [&second, &first] {
            let expected: Vec<String> = (1..=21).map(|epi| format!("Bulk {epi}")).collect();
            assert_eq!(shown(server, "dt"), expected);
        }
    }
}

#[test]
fn changes_by_a_command_are_visible_to_the_next_request() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    ann.add(&lid, 1).ok();
    for turn in 0..10 {
        let asked = || ann.post("lists/fetch-user-list", &[("lid", &lid)]);
        asked().ok();
        asked().ok();
        setup.run(&["store", "set", &shop.pid, "--maintenance", "on"]).ok();
        asked().fails(503, "maintenance");
        setup.run(&["store", "set", &shop.pid, "--maintenance", "off"]).ok();
        assert_eq!(asked().ok()["data"]["cnt"], 1 + turn);
        ann.post("lists/update-ctx", &[("lid", &lid), ("a", &format!("[{}]", product(2 + turn)))]).ok();
    }
    drop(server);
}

#[test]
fn pages_are_compressed_for_clients_that_accept_gzip() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    for epi in 1..=20 {
        ann.add(&lid, epi).ok();
    }
    let ask = |encoding: &str| {
        let headers = format!("Accept-Encoding: {encoding}\r\nConnection: close\r\n");
        server.connect().raw(&ann.call("lists/fetch-user-list", &headers, &[("lid", &lid)]))
    };
    let plain = ask("identity");
    for (encoding, is_compressed) in [
        ("gzip", true),
        ("br, gzip;q=0.5", true),
        ("gzip;q=0", false),
        ("br", false),
        ("gzip;Q=0", false),
        ("identity, gzip;q=0.5", false),
        ("gzip;q=0;x=1", false),
        ("gzip, identity;q=0.5", true),
        ("x-gzip", true),
        ("*", true),
        ("*, gzip;q=0", false),
    ] {
        let (head, body) = ask(encoding);
        assert_eq!(head.contains("content-encoding: gzip"), is_compressed, "{encoding}: {head}");
        let body = if is_compressed { decompressed(&head, &body) } else { body };
        assert_eq!(body, plain.1, "{encoding}");
    }
}

/// The text of a compressed body, whether it came with its length or in chunks.
fn decompressed(head: &str, body: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut packed = body.to_vec();
    if head.contains("transfer-encoding: chunked") {
        packed.clear();
        let mut rest = body;
        while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
            let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
            packed.extend_from_slice(&rest[end + 2..end + 2 + size]);
            rest = &rest[end + 2 + size + 2..];
        }
    }
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut text).unwrap();
    text
}
