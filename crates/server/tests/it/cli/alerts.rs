//! `wishbone alerts …`, beside a running server: the same as the store-admin calls.

use serde_json::{Value, json};

use crate::support::process::Shop;

/// Ann and Bea wait for a chair, Ann also for its price.
fn subscribe(shop: &Shop) {
    let chair = json!({ "products": [{ "epi": 1, "empi": 2, "dt": "Oak chair", "du": "https://shop.example/chair", "stock": 0 }] });
    shop.json("/storeadmin/v3/products/upsert", &chair).ok();
    for (address, topics) in
        [("ann@example.com", r#"["backinstock","pricedrop"]"#), ("bea@example.com", r#"["backinstock"]"#)]
    {
        let products = r#"[{"epi":1,"empi":2,"du":"https://shop.example/chair"}]"#;
        let fields = [("medium", "email"), ("mediumvalue", address), ("products", products), ("topics", topics)];
        shop.form("/storeadmin/bispa/subscriptions/create", &fields).ok();
    }
}

both_setups! {
    fn alerts_are_counted_listed_and_retried(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let pid = shop.pid.as_str();
        assert!(setup.run(&["alerts", "summary", pid]).ok().contains("Nobody has subscribed"));
        assert!(setup.run(&["alerts", "list", pid]).ok().contains("No subscription matches"));
        subscribe(&shop);

        let api = shop.json("/storeadmin/v3/subscriptions/summary", &json!({})).ok()["data"].clone();
        assert_eq!(setup.json(&["alerts", "summary", "Test"]), json!({ "summary": api }));
        let summary = setup.run(&["alerts", "summary", pid]);
        let first = summary.ok().lines().nth(1).unwrap();
        assert_eq!(first.split_whitespace().collect::<Vec<_>>(), ["2", "0", "0", "backinstock", "1", "Oak", "chair"]);
        assert_eq!(setup.json(&["alerts", "summary", pid, "--limit", "1"])["summary"].as_array().unwrap().len(), 1);

        let api = shop.json("/storeadmin/v3/subscriptions/list", &json!({})).ok()["data"]["subscriptions"].clone();
        assert_eq!(setup.json(&["alerts", "list", pid]), json!({ "subscriptions": api, "more": false }));
        let listed = setup.run(&["alerts", "list", pid, "--topic", "pricedrop", "--epi", "1"]);
        assert!(listed.ok().contains("ann@example.com  1 Oak chair") && !listed.stdout.contains("bea@"), "{listed:?}");
        let listed = setup.run(&["alerts", "list", pid, "--limit", "2"]);
        assert_eq!(listed.ok().lines().count(), 2);
        assert!(listed.stderr.contains("more than 2"), "{listed:?}");
        setup.run(&["alerts", "list", pid, "--state", "lost"]).fails(&["suppressed"]);

        setup.tamper("update subscriptions set status = 3, attempts = 12, problem = 'mailbox \u{1b}[31mfull' where topic = 'backinstock'");
        let failed = setup.run(&["alerts", "list", pid, "--state", "failed"]);
        assert!(failed.ok().contains("12 attempts: mailbox \u{fffd}[31mfull"), "{failed:?}");
        let one: Value = setup.json(&["alerts", "list", pid, "--state", "failed", "--limit", "1"])["subscriptions"][0]["id"].clone();
        setup.run(&["alerts", "retry", pid]).fails(&["--failed", "--id"]);
        setup.run(&["alerts", "retry", pid, "--failed", "--id", one.as_str().unwrap()]).fails(&["cannot be used with"]);
        assert_eq!(setup.json(&["alerts", "retry", pid, "--id", one.as_str().unwrap()]), json!({ "retried": 1 }));
        assert!(setup.run(&["alerts", "retry", pid, "--failed"]).ok().contains("Retried 1 alert."));
        assert_eq!(setup.json(&["alerts", "retry", pid, "--failed"]), json!({ "retried": 0 }));
        server.stop();
    }
}
