//! `wishbone keys`, and rotating signing keys.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::text;
use crate::support::process::{Buyer, Finished, Server, Setup, Wire, post};
use crate::support::{encode, sign};

fn keys(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| STANDARD.encode([*byte; 32])).collect::<Vec<_>>().join(",")
}

fn run(setup: &Setup, bytes: &[u8], arguments: &[&str]) -> Finished {
    let mut command = setup.command(arguments);
    command.env("WISHBONE_SECRET_KEYS", keys(bytes)).arg("--json");
    Finished::of(command)
}

fn serve(setup: &Setup, bytes: &[u8]) -> Server {
    let mut command = setup.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("WISHBONE_DRAIN_GRACE", "0").env("WISHBONE_SECRET_KEYS", keys(bytes));
    Server::start(command, setup.folder())
}

/// Fingerprint, role and number of secrets of each key.
fn listed(setup: &Setup, bytes: &[u8]) -> Vec<(String, String, Value)> {
    let listed = run(setup, bytes, &["keys"]).json();
    let key =
        |key: &Value| (text(&key["fingerprint"]).to_owned(), text(&key["role"]).to_owned(), key["secrets"].clone());
    listed["keys"].as_array().unwrap().iter().map(key).collect()
}

both_setups! {
    fn rotating_the_signing_keys_as_documented_locks_nobody_out(setup: Setup) {
        let server = serve(&setup, &[1]);
        let made = run(&setup, &[1], &["store", "create", "--name", "A"]).json();
        let (pid, secret) = (text(&made["pid"]), text(&made["loginsecret"]));
        let shop = server.shop(pid, text(&made["apikey"]));
        let url = json!({ "url": "https://shop.example/hooks", "events": ["*"] });
        shop.json("/storeadmin/v3/webhooks/create", &url).ok();
        let ann = shop.login("ann@example.com");
        let list = ann.list("Wishes");
        ann.add(&list, 1).ok();
        let shared = ann.post("lists/share-links/create", &[("lid", &list), ("scope", "view")]).ok();
        let link = text(&shared["link"]["key"]).to_owned();
        let registered = Wire::connect(server.address).ask(&post(&format!("/api/v3/provider/register?pid={}", encode(pid)), "", "")).ok();
        let guest = Buyer {
            regid: text(&registered["regid"]).to_owned(),
            sessionid: text(&registered["sessionid"]).to_owned(),
            ..ann.clone()
        };
        let own = guest.list("Mine");
        let [(first, role, secrets)] = &listed(&setup, &[1])[..] else { panic!("one key") };
        assert_eq!((role.as_str(), secrets), ("signs", &json!(2)));

        let works = |server: &Server| {
            let shop = server.shop(pid, text(&made["apikey"]));
            assert_eq!(ann.at(server).contents(&list), [1]);
            assert_eq!(guest.at(server).contents(&list_of(&guest.at(server))), Vec::<i64>::new());
            assert_eq!(guest.at(server).contents(&link), [1]);
            shop.login("ann@example.com");
            assert_eq!(shop.log_in_by_token(|fields| sign(secret, &fields.join("\n"))).status, 200);
        };
        works(&server);
        server.stop();
        for bytes in [[1, 2], [2, 1]] {
            let server = serve(&setup, &bytes);
            works(&server);
            server.stop();
        }
        let accepted = &run(&setup, &[2, 1], &["keys"]).json()["keys"][1]["acceptedat"];
        assert!(accepted.is_i64(), "recorded at the latest when the server stops");
        let after = listed(&setup, &[2, 1]);
        let second = after[0].0.clone();
        assert_eq!(after[0], (second.clone(), "signs".into(), json!(2)), "what was encrypted with the old key is with the new one");
        assert_eq!(after[1], (first.clone(), "accepted".into(), json!(0)));
        assert_eq!(listed(&setup, &[2])[1].1, "missing");

        // A server without a key that is still needed does not start, and no command works without it.
        let start = ["serve", "--listen", "127.0.0.1:0"];
        for bytes in [&[2][..], &[1], &[3]] {
            run(&setup, bytes, &start).fails(&["is missing", "wishbone keys retire"]);
        }
        run(&setup, &[2], &["store", "show", pid, "--secrets"]).fails(&["is missing", first]);
        run(&setup, &[2, 1], &["keys", "retire", &second]).fails(&["signs", "make another key the first"]);
        assert_eq!(run(&setup, &[2], &["keys", "retire", first]).json()["retired"], *first);
        run(&setup, &[2], &["keys", "retire", first]).fails(&["unknown key", "wishbone keys"]);
        let server = serve(&setup, &[2]);
        assert_eq!(ann.at(&server).post("lists/fetch-lists", &[]).status, 401, "only now");
        let shop = server.shop(pid, text(&made["apikey"]));
        assert_eq!(shop.log_in_by_token(|fields| sign(secret, &fields.join("\n"))).status, 200);
        assert_eq!(shop.login("ann@example.com").contents(&list), [1]);
        assert!(!own.is_empty());
    }

    fn a_server_does_not_start_without_the_key_that_its_database_depends_on(setup: Setup) {
        let (server, _) = setup.shop(&[]);
        server.stop();
        let path = setup.data().join("secret.key");
        let key = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        setup.run(&["serve", "--listen", "127.0.0.1:0"]).fails(&["secret.key is missing", "backup", "wishbone keys retire"]);
        assert!(!path.exists(), "no other key is made");
        let listed = setup.json(&["keys"]);
        assert_eq!((listed["keys"].as_array().unwrap().len(), &listed["keys"][0]["role"]), (1, &json!("unknown")));
        fs::write(&path, key).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        setup.serve(&[]).stop();
    }
}

/// The guest's only list.
fn list_of(guest: &Buyer) -> String {
    text(&guest.post("lists/fetch-lists", &[]).ok()[0]["lid"]).to_owned()
}
