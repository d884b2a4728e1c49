//! Commands for the login secret.

use std::fs;

use super::text;
use crate::support::process::{Finished, Setup, Shop};
use crate::support::{Engine, sign};

fn logs_in(shop: &Shop, secret: &str) -> bool {
    let answer = shop.log_in_by_token(|fields| sign(secret, &fields.join("\n")));
    assert!([200, 403].contains(&answer.status), "{} {}", answer.status, answer.body);
    answer.status == 200
}

both_setups! {
    fn a_login_secret_can_be_shown_and_replaced_while_the_server_runs(setup: Setup) {
        // A started server has created its signing keys.
        let server = setup.serve(&[]);
        let made = setup.json(&["store", "create", "--name", "A"]);
        let (pid, secret) = (text(&made["pid"]), text(&made["loginsecret"]));
        assert!(secret.starts_with("wbl_") && secret.len() >= 40, "{secret}");
        let shop = server.shop(pid, text(&made["apikey"]));
        assert!(logs_in(&shop, secret));
        assert!(!logs_in(&shop, "wbl_wrong"));
        assert!(setup.json(&["store", "show", pid])["loginsecret"].is_null(), "only when asked for");
        assert_eq!(setup.json(&["store", "show", pid, "--secrets"])["loginsecret"], secret);
        let shown = setup.run(&["store", "show", pid, "--secrets"]);
        assert!(shown.ok().contains(&format!("login-secret             {secret}")), "{shown:?}");

        let renewed = setup.json(&["store", "rotate-login-secret", pid]);
        assert_ne!(renewed["loginsecret"], secret);
        assert!(!logs_in(&shop, secret) && logs_in(&shop, text(&renewed["loginsecret"])));
        let said = setup.run(&["store", "rotate-login-secret", pid]);
        assert!(said.ok().starts_with("login secret  wbl_"), "{said:?}");
        setup.run(&["store", "rotate-login-secret", "nobody"]).fails(&["unknown store", "wishbone store list"]);
        let log = server.log();
        assert!(!log.contains("wbl_"), "{log}");
    }

    fn a_login_secret_survives_new_signing_keys_as_long_as_the_old_ones_are_listed(setup: Setup) {
        let keys = |bytes: &[u8]| {
            use base64::Engine as _;
            let encode = |byte: &u8| base64::engine::general_purpose::STANDARD.encode([*byte; 32]);
            bytes.iter().map(encode).collect::<Vec<_>>().join(",")
        };
        let run = |bytes: &[u8], arguments: &[&str]| {
            let mut command = setup.command(arguments);
            command.env("WISHBONE_SECRET_KEYS", keys(bytes)).arg("--json");
            Finished::of(command)
        };
        let made = run(&[1], &["store", "create", "--name", "A"]).json();
        let show = ["store", "show", text(&made["pid"]), "--secrets"];
        assert_eq!(run(&[2, 1], &show).json()["loginsecret"], made["loginsecret"]);
        run(&[2], &show).fails(&["not among the signing keys", "rotate-login-secret"]);
        let renewed = run(&[2], &["store", "rotate-login-secret", text(&made["pid"])]).json();
        assert_eq!(run(&[2], &show).json()["loginsecret"], renewed["loginsecret"]);
        let mut command = setup.command(&show);
        command.env("WISHBONE_SECRET_KEYS", "short");
        Finished::of(command).fails(&["WISHBONE_SECRET_KEYS", "32 random bytes"]);
    }
}

#[test]
fn on_sqlite_a_store_created_before_the_server_starts_has_a_login_secret() {
    let setup = Setup::new();
    let made = setup.run(&["store", "create", "--name", "A"]);
    let secret = made.ok().lines().find_map(|line| line.strip_prefix("login secret  ")).unwrap().to_owned();
    let pid = made.stdout.lines().next().unwrap().strip_prefix("pid ").unwrap().trim().to_owned();
    let key = made.stdout.lines().nth(1).unwrap().strip_prefix("API key ").unwrap().trim().to_owned();
    assert!(logs_in(&setup.serve(&[]).shop(&pid, &key), &secret));
    let file = fs::read(setup.file()).unwrap();
    assert!(!file.windows(secret.len()).any(|part| part == secret.as_bytes()), "it is kept encrypted");
}

#[test]
fn on_postgresql_missing_signing_keys_are_reported_with_the_remedy() {
    let setup = Setup::on(Engine::Postgres);
    let mut command = setup.command(&["store", "create", "--name", "A"]);
    command.arg("--json");
    let finished = Finished::of(command);
    let made = finished.json();
    assert!(made["loginsecret"].is_null(), "{made}");
    assert!(finished.stderr.contains("WISHBONE_SECRET_KEYS") && finished.stderr.contains("--secrets"), "{finished:?}");
    assert!(!setup.data().join("secret.key").exists(), "a key that no server has would only do harm");
    let pid = text(&made["pid"]);
    for arguments in [&["store", "show", pid, "--secrets"][..], &["store", "rotate-login-secret", pid]] {
        setup.run(arguments).fails(&["WISHBONE_SECRET_KEYS", "--data"]);
    }
    setup.run(&["store", "show", pid]).ok();
    // A server creates the keys in its data folder, and the login secret is created on first use.
    let server = setup.serve(&[]);
    let secret = setup.json(&["store", "show", pid, "--secrets"])["loginsecret"].clone();
    assert!(logs_in(&server.shop(pid, text(&made["apikey"])), text(&secret)));
}
