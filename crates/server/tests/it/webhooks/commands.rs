//! Webhooks and SMS on the command line, with a real server.

use std::fs::{self, File};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::process::{Setup, Shop, until};

/// `wishbone webhooks listen` as a process.
struct Listener {
    child: Child,
    output: std::path::PathBuf,
}

impl Listener {
    fn start(setup: &Setup, port: u16, secret: &str, more: &[&str]) -> Self {
        let output = setup.folder().join(format!("listener-{port}.out"));
        let address = format!("127.0.0.1:{port}");
        let arguments = ["webhooks", "listen", "--listen", &address, "--secret", secret];
        let mut command = setup.bare(&[&arguments[..], more].concat());
        let child = command.stdout(File::create(&output).unwrap()).stderr(Stdio::null()).spawn().unwrap();
        Self { child, output }
    }

    fn output(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Creates a webhook for a free port; answers the port and the webhook.
fn webhook(shop: &Shop) -> (u16, Value) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let new = json!({ "url": format!("http://127.0.0.1:{port}/"), "events": ["*"] });
    (port, shop.json("/storeadmin/v3/webhooks/create", &new).ok()["data"].clone())
}

both_setups! {
    fn the_server_delivers_what_the_listener_prints_and_verifies(setup: Setup) {
        let (server, shop) = setup.shop(&["--allow-private-webhooks"]);
        let (port, made) = webhook(&shop);
        let listener = Listener::start(&setup, port, made["secret"].as_str().unwrap(), &[]);
        let ann = shop.login("ann@example.com");
        ann.list("Summer");
        until("it has arrived", || listener.output().contains("Summer"));
        let output = listener.output();
        assert!(output.starts_with("list.created\n") && output.contains("signature  valid"), "{output}");
        let delivered = "wishbone_webhook_deliveries_total{outcome=\"delivered\"}";
        until("it is counted", || server.metric(delivered) == Some(1.0));
        until("the gauges are set", || server.metric("wishbone_webhook_deliveries_waiting").is_some());
        assert!(server.metric("wishbone_webhook_oldest_due_seconds").is_some());
        server.stop();
    }
}

both_setups! {
    fn webhooks_are_created_listed_replayed_and_deleted_while_the_server_runs(setup: Setup) {
        let (server, shop) = setup.shop(&["--allow-private-webhooks"]);
        let pid = shop.pid.as_str();
        assert!(setup.run(&["webhooks", "list", pid]).ok().contains("wishbone webhooks create"));
        let ann = shop.login("ann@example.com");
        ann.list("Spring");
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}/");
        let create = ["webhooks", "create", pid, "--url", &url];
        setup.run(&create).fails(&["--url", "--allow-private-webhooks"]);
        let events = ["--allow-private-webhooks", "--events", "list.created,item.added"];
        let made = setup.json(&[&create[..], &events].concat());
        let (id, secret) = (made["id"].as_str().unwrap(), made["secret"].as_str().unwrap());
        let api = shop.json("/storeadmin/v3/webhooks/list", &json!({})).ok()["data"].clone();
        assert_eq!(setup.json(&["webhooks", "list", "Test"]), json!({ "webhooks": api }));
        assert_eq!((&api[0]["events"], api.as_array().unwrap().len()), (&json!(["list.created", "item.added"]), 1));
        let listed = setup.run(&["webhooks", "list", pid]);
        assert!(listed.ok().contains(id) && listed.stdout.contains(&url) && !listed.stdout.contains("whsec_"), "{listed:?}");

        // The server knows of it at once.
        let listener = Listener::start(&setup, port, secret, &[]);
        ann.list("Summer");
        until("it has arrived", || listener.output().contains("Summer"));
        assert!(listener.output().contains("signature  valid"), "{}", listener.output());
        assert_eq!(setup.json(&["webhooks", "replay", pid, id, "--since", "1h"]), json!({ "queued": 1 }));
        until("it arrives again", || listener.output().matches("Summer").count() > 1);
        assert!(setup.run(&["webhooks", "replay", pid, id, "--since", "99999999999999"]).ok().contains("Queued 0 events"));
        setup.run(&["webhooks", "replay", pid, id, "--since", "yesterday"]).fails(&["24h"]);

        assert!(setup.run(&["webhooks", "delete", pid, id]).ok().contains(id));
        setup.run(&["webhooks", "delete", pid, id]).fails(&["webhook not found"]);
        assert_eq!(setup.json(&["webhooks", "list", pid]), json!({ "webhooks": [] }));
        let made = setup.run(&["webhooks", "create", pid, "--url", "https://shop.example/hooks"]);
        assert!(made.ok().contains("events  *") && made.stdout.contains("whsec_") && made.stdout.contains("not shown again"), "{made:?}");
        setup.run(&["webhooks", "create", pid, "--url", "https://shop.example/", "--events", "list.*"]).fails(&["alert.failed or *"]);
        server.stop();
    }
}

#[test]
fn the_listener_says_why_a_signature_is_wrong() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&["--allow-private-webhooks"]);
    let (port, _) = webhook(&shop);
    let listener = Listener::start(&setup, port, "whsec_YW5vdGhlciBzZWNyZXQgb2YgYSBzdG9yZQ==", &["--json"]);
    let ann = shop.login("ann@example.com");
    ann.list("Summer");
    until("it has arrived", || listener.output().ends_with('\n'));
    let told: Value = serde_json::from_str(listener.output().lines().next().unwrap()).unwrap();
    assert_eq!((&told["valid"], &told["body"]["type"]), (&json!(false), &json!("list.created")));
    assert!(told["problem"].as_str().unwrap().contains("does not match"), "{told}");
    let retried = "wishbone_webhook_deliveries_total{outcome=\"retry\"}";
    until("it is to be repeated", || server.metric(retried) == Some(1.0));
    server.stop();
    setup.run(&["webhooks", "listen", "--secret", "whsec_bm9wZQ=="]).fails(&["whsec_"]);
}

#[test]
fn a_server_refuses_private_webhooks_unless_told_otherwise() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let new = json!({ "url": "http://127.0.0.1:9/", "events": ["*"] });
    shop.json("/storeadmin/v3/webhooks/create", &new).fails(400, "invalid-parameter");
    server.stop();
}

both_setups! {
    fn the_password_of_an_sms_gateway_is_stored_encrypted_and_never_shown(setup: Setup) {
        let (pid, _) = setup.create_store();
        // On PostgreSQL the server may run elsewhere, so that its keys must be given.
        let keys = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=";
        let set = |arguments: &[&str]| setup.run(&[&["store", "set", &pid, "--secret-keys", keys], arguments].concat());
        let url = "https://sms.example/send";
        let shown = set(&["--sms-url", url, "--sms-from", "My shop", "--sms-auth", "user:Pa55word"]);
        assert!(shown.ok().contains(&format!("sms-url                  none → {url}")), "{shown:?}");
        assert!(shown.stdout.contains("sms-auth                 none → set"), "{shown:?}");
        assert!(shown.stdout.contains("sms-from                 none → My shop"), "{shown:?}");
        assert!(!shown.stdout.contains("Pa55word"), "{shown:?}");
        let shown = setup.json(&["store", "show", &pid]);
        assert_eq!((&shown["sms_url"], &shown["sms_from"]), (&json!(url), &json!("My shop")));
        assert!(!shown.to_string().contains("Pa55word"));
        if setup.database().is_none() {
            let files = fs::read_dir(setup.data()).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
            assert!(files.into_iter().all(|file| !String::from_utf8_lossy(&file).contains("Pa55word")));
        }
        set(&["--sms-auth", "none", "--sms-url", "none"]).ok();
        assert_eq!(setup.json(&["store", "show", &pid])["sms_auth"], false);
        set(&["--sms-auth", "password"]).fails(&["USER:PASSWORD"]);
        set(&["--sms-url", "sms.example"]).fails(&["https://sms.example/send"]);
    }
}
