//! Cached pages equal the state of the database. Debug builds also compare every cached page with a fresh one, so all
//! other tests check this too.

use crate::support::process::{Setup, product};

both_engines! {
    async fn hot_pages_show_every_change_immediately(app: TestApp) {
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

    async fn cached_pages_are_not_shared_between_shoppers(app: TestApp) {
        let (ann, mut bob) = (app.shopper("ann").await, app.shopper("bob").await);
        let lid = ann.list("Secret").await;
        ann.page(&lid, &[]).await;
        ann.page(&lid, &[]).await;
        bob.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "not-granted");
        bob.regid = ann.regid.clone();
        bob.post("lists/fetch-user-list", &[("lid", &lid)]).await.fails(401, "bad-regid");
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
fn cached_pages_show_every_change() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&["--page-memory", "2"]);
    let ann = shop.login("ann@example.com");
    let words = |epi: i64, title: &str| serde_json::json!({ "epi": epi, "empi": epi, "dt": title, "pr": epi });
    let upsert = |epi: i64, title: &str| {
        shop.json("/storeadmin/v3/products/upsert", &serde_json::json!({ "products": [words(epi, title)] })).ok();
    };
    (1..=20).for_each(|epi| upsert(epi, "Cup"));
    let lists: Vec<String> = (0..40).map(|number| ann.list(&number.to_string())).collect();
    for lid in &lists {
        // The last one is not in the catalogue.
        let items: Vec<String> = (1..=21).map(|epi| product(epi).to_string()).collect();
        ann.post("lists/update-ctx", &[("lid", lid), ("a", &format!("[{}]", items.join(",")))]).ok();
    }
    let ask = |lid: &String| ann.post("lists/fetch-user-list", &[("lid", lid)]).ok()["data"].clone();
    let memory = || server.metric(r#"wishbone_pages_total{source="memory"}"#).unwrap_or(0.0);
    let first: Vec<_> = lists.iter().map(ask).collect();
    assert_eq!(memory(), 0.0);
    for _ in 0..3 {
        assert_eq!(lists.iter().map(ask).collect::<Vec<_>>(), first);
    }
    // The second read cached them.
    assert!(memory() > 70.0, "{}", memory());
    ann.post("lists/update", &[("lid", &lists[7]), ("lname", "Other")]).ok();
    ann.add(&lists[8], 22).ok();
    ann.post("lists/update-ctx", &[("lid", &lists[9]), ("d", &format!("[{}]", product(4)))]).ok();
    let database = || server.metric(r#"wishbone_pages_total{source="database"}"#).unwrap();
    let before = database();
    let changed: Vec<usize> = (0..40).filter(|number| ask(&lists[*number]) != first[*number]).collect();
    assert_eq!(changed, [7, 8, 9]);
    // The admission filter is approximate: a few pages collide and are not cached.
    assert!(database() - before < 10.0, "the others are from memory");
    upsert(3, "Mug");
    for lid in &lists {
        let items = ask(lid)["listcontents"].clone();
        let title = |epi: i64| items.as_array().unwrap().iter().find(|item| item["epi"] == epi).unwrap()["dt"].clone();
        assert_eq!((title(2), title(3)), ("Cup".into(), "Mug".into()));
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
        // Fresh, fresh and then cached, and from the cache.
        for _ in 0..3 {
            let (head, body) = ask(encoding);
            assert_eq!(head.contains("content-encoding: gzip"), is_compressed, "{encoding}: {head}");
            let body = if is_compressed { decompressed(&head, &body) } else { body };
            assert_eq!(body, plain.1, "{encoding}");
        }
    }
}

#[test]
fn checks_apply_to_cached_pages_as_well() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    let ask = |header: &str| {
        let headers = format!("{header}\r\nConnection: close\r\n");
        server.connect().raw(&ann.call("lists/fetch-user-list", &headers, &[("lid", &lid)])).0
    };
    let long_key = format!("Accept-Encoding: gzip\r\nIdempotency-Key: {}", "k".repeat(300));
    for _ in 0..4 {
        assert!(ask(&long_key).starts_with("HTTP/1.1 400"));
        let head = ask("Accept-Encoding: gzip");
        assert!(head.starts_with("HTTP/1.1 200") && !head.contains("content-encoding"), "as short as it is: {head}");
    }
    // A rejected call does not reach the cache; of the others, the last two hit it.
    assert_eq!(server.metric(r#"wishbone_pages_total{source="memory"}"#), Some(2.0));
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
