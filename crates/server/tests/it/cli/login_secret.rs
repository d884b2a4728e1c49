//! The login secret: shown, kept encrypted, replaced, and known to the server beside.

use std::fs;

use super::text;
use crate::support::process::{Finished, Setup, Shop};
use crate::support::{Engine, sign};

fn logs_in(shop: &Shop, secret: &str) -> bool {
    let answer = shop.log_in_by_token(|fields| sign(secret, &fields.join("\n")));
    assert!([200, 403].contains(&answer.status), "{} {}", answer.status, answer.body);
    answer.status == 200
}

both_places! {
    fn a_login_secret_is_shown_again_replaced_and_used_by_the_server(place: Setup) {
        // A server that has started has its signing keys.
        let server = place.serve(&[]);
        let made = place.json(&["store", "create", "--name", "A"]);
        let (pid, secret) = (text(&made["pid"]), text(&made["loginsecret"]));
        assert!(secret.starts_with("wbl_") && secret.len() >= 40, "{secret}");
        let shop = server.shop(pid, text(&made["apikey"]));
        assert!(logs_in(&shop, secret));
        assert!(!logs_in(&shop, "wbl_wrong"));
        assert!(place.json(&["store", "show", pid])["loginsecret"].is_null(), "only when asked for");
        assert_eq!(place.json(&["store", "show", pid, "--secrets"])["loginsecret"], secret);
        let shown = place.run(&["store", "show", pid, "--secrets"]);
        assert!(shown.ok().contains(&format!("login-secret        {secret}")), "{shown:?}");

        let renewed = place.json(&["store", "rotate-login-secret", pid]);
        assert_ne!(renewed["loginsecret"], secret);
        assert!(!logs_in(&shop, secret) && logs_in(&shop, text(&renewed["loginsecret"])));
        let said = place.run(&["store", "rotate-login-secret", pid]);
        assert!(said.ok().starts_with("login secret  wbl_"), "{said:?}");
        place.run(&["store", "rotate-login-secret", "nobody"]).fails(&["no store has this pid", "wishbone store list"]);
        let log = server.log();
        assert!(!log.contains("wbl_"), "{log}");
    }

    fn a_login_secret_survives_new_signing_keys_as_long_as_the_old_ones_are_listed(place: Setup) {
        let keys = |bytes: &[u8]| {
            use base64::Engine as _;
            let encode = |byte: &u8| base64::engine::general_purpose::STANDARD.encode([*byte; 32]);
            bytes.iter().map(encode).collect::<Vec<_>>().join(",")
        };
        let run = |bytes: &[u8], arguments: &[&str]| {
            let mut command = place.command(arguments);
            command.env("WISHBONE_SECRET_KEYS", keys(bytes)).arg("--json");
            Finished::of(command)
        };
        let made = run(&[1], &["store", "create", "--name", "A"]).json();
        let show = ["store", "show", text(&made["pid"]), "--secrets"];
        assert_eq!(run(&[2, 1], &show).json()["loginsecret"], made["loginsecret"]);
        run(&[2], &show).fails(&["not among the signing keys", "rotate-login-secret"]);
        let renewed = run(&[2], &["store", "rotate-login-secret", text(&made["pid"])]).json();
        assert_eq!(run(&[2], &show).json()["loginsecret"], renewed["loginsecret"]);
        let mut command = place.command(&show);
        command.env("WISHBONE_SECRET_KEYS", "short");
        Finished::of(command).fails(&["WISHBONE_SECRET_KEYS", "32 random bytes"]);
    }
}

#[test]
fn on_sqlite_the_first_store_has_a_login_secret_before_any_server_ran() {
    let place = Setup::new();
    let made = place.run(&["store", "create", "--name", "A"]);
    let secret = made.ok().lines().find_map(|line| line.strip_prefix("login secret  ")).unwrap().to_owned();
    let pid = made.stdout.lines().next().unwrap().strip_prefix("pid ").unwrap().trim().to_owned();
    let key = made.stdout.lines().nth(1).unwrap().strip_prefix("API key ").unwrap().trim().to_owned();
    assert!(logs_in(&place.serve(&[]).shop(&pid, &key), &secret));
    let file = fs::read(place.file()).unwrap();
    assert!(!file.windows(secret.len()).any(|part| part == secret.as_bytes()), "it is kept encrypted");
}

#[test]
fn on_postgresql_without_the_servers_keys_the_next_step_is_said() {
    let place = Setup::on(Engine::Postgres);
    let mut command = place.command(&["store", "create", "--name", "A"]);
    command.arg("--json");
    let finished = Finished::of(command);
    let made = finished.json();
    assert!(made["loginsecret"].is_null(), "{made}");
    assert!(finished.stderr.contains("WISHBONE_SECRET_KEYS") && finished.stderr.contains("--secrets"), "{finished:?}");
    assert!(!place.data().join("secret.key").exists(), "a key that no server has would only do harm");
    let pid = text(&made["pid"]);
    for arguments in [&["store", "show", pid, "--secrets"][..], &["store", "rotate-login-secret", pid]] {
        place.run(arguments).fails(&["WISHBONE_SECRET_KEYS", "--data"]);
    }
    place.run(&["store", "show", pid]).ok();
    // Once there is a server, its folder has them, and the secret is made on first need.
    let server = place.serve(&[]);
    let secret = place.json(&["store", "show", pid, "--secrets"])["loginsecret"].clone();
    assert!(logs_in(&server.shop(pid, text(&made["apikey"])), text(&secret)));
}
