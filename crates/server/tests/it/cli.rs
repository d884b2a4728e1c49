//! The command line, in processes of its own.

mod login_secret;
mod user;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::Engine;
use crate::support::process::{Finished, Setup, Wire};

/// Base64 of 32 bytes, with every character that needs care.
const PID: &str = "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=";
const NOBODY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

both_places! {
    fn a_new_store_is_printed_with_its_key_and_the_next_step(place: Setup) {
        let made = place.run(&["store", "create", "--name", "Möbel & mehr"]);
        let lines: Vec<&str> = made.ok().lines().collect();
        let pid = lines[0].strip_prefix("pid ").unwrap().trim();
        let key = lines[1].strip_prefix("API key ").unwrap().trim();
        assert_eq!(STANDARD.decode(pid).unwrap().len(), 32);
        assert!(key.len() >= 40, "{key}");
        assert!(made.stdout.contains("shown this once"), "{made:?}");
        assert!(made.stdout.contains("wishbone serve"), "{made:?}");
        assert!(made.stdout.contains(&format!("curl -u '{pid}:{key}'")), "{made:?}");

        let shown = place.json(&["store", "show", pid]);
        assert_eq!((text(&shown["name"]), text(&shown["plan"])), ("Möbel & mehr", "standard"));
        assert_eq!(shown["features"], json!([]));
        assert!(!shown.to_string().contains(key), "{shown}");
    }

    fn a_new_store_as_json_is_one_object_and_its_key_works(place: Setup) {
        let made = place.json(&["store", "create", "--name", "A", "--plan", "enterprise", "--enable", "sort-filter"]);
        let server = place.serve(&[]);
        let shop = server.shop(text(&made["pid"]), text(&made["apikey"]));
        assert_eq!(shop.me().ok()["pid"], made["pid"]);
        let shown = place.json(&["store", "show", &shop.pid]);
        assert_eq!((text(&shown["plan"]), &shown["features"]), ("enterprise", &json!(["sort-filter"])));
    }

    fn the_pid_of_another_service_is_kept_and_taken_only_once(place: Setup) {
        assert_eq!(place.json(&["store", "create", "--name", "A", "--pid", PID])["pid"], PID);
        place.run(&["store", "create", "--name", "B", "--pid", PID]).fails(&["--pid", "already", "wishbone store show"]);
        for bad in ["", "abc", "not base64 at all", &PID[..43], "AAAA"] {
            place.run(&["store", "create", "--name", "B", "--pid", bad]).fails(&["--pid", "base64 of 32 bytes"]);
        }
        for bad in ["", "   ", &"x".repeat(201)] {
            place.run(&["store", "create", "--name", bad]).fails(&["--name", "1 to 200 characters"]);
        }
        assert_eq!(place.json(&["store", "list"])["stores"].as_array().unwrap().len(), 1);
    }

    fn all_stores_are_listed(place: Setup) {
        let (a, _) = place.create_store();
        let b = place.json(&["store", "create", "--name", "Zweiter Laden"]);
        let listed = place.json(&["store", "list"]);
        let pids: Vec<&str> = listed["stores"].as_array().unwrap().iter().map(|store| text(&store["pid"])).collect();
        assert_eq!(pids, [&a, text(&b["pid"])]);
        let listed = place.run(&["store", "list"]);
        assert!(listed.ok().contains(&format!("{}  Zweiter Laden", text(&b["pid"]))), "{listed:?}");
    }

    fn every_setting_is_changed_by_its_flag_and_no_other(place: Setup) {
        let pid = text(&place.json(&["store", "create", "--name", "A"])["pid"]).to_owned();
        let mut expected = place.json(&["store", "show", &pid]);
        let changes: &[(&[&str], &str, Value)] = &[
            (&["--plan", "enterprise"], "plan", json!("enterprise")),
            (&["--enable", "sort-filter", "--enable", "subscriptions"], "features", json!(["sort-filter", "subscriptions"])),
            (&["--disable", "sort-filter", "--enable", "save-for-later"], "features", json!(["save-for-later", "subscriptions"])),
            (&["--default-itemslimit", "75"], "default_itemslimit", json!(75)),
            (&["--rate-limit", "5/s"], "rate_limit", json!(5)),
            (&["--address-rate-limit", "50/s"], "address_rate_limit", json!(50)),
            (&["--allow-origin", "https://a.example", "--allow-origin", "http://localhost:3000"], "allowed_origins",
                json!(["https://a.example", "http://localhost:3000"])),
            (&["--allow-origin", "*"], "allowed_origins", json!([])),
            (&["--share-owner", "name"], "share_owner", json!("name")),
            (&["--catalog", "strict"], "catalog", json!("strict")),
            (&["--max-lists", "7"], "max_lists", json!(7)),
            (&["--max-items", "8"], "max_items", json!(8)),
            (&["--guest-days", "30"], "guest_days", json!(30)),
            (&["--maintenance", "on"], "maintenance", json!(true)),
            (&["--maintenance", "off"], "maintenance", json!(false)),
            (&["--share-owner", "none"], "share_owner", json!("none")),
            (&["--catalog", "open"], "catalog", json!("open")),
            (&["--plan", "standard"], "plan", json!("standard")),
            (&[], "name", json!("A")),
        ];
        for (flags, key, value) in changes {
            expected[*key] = value.clone();
            assert_eq!(place.json(&[&["store", "set", &pid], *flags].concat()), expected, "{flags:?}");
            assert_eq!(place.json(&["store", "show", &pid]), expected, "{flags:?}");
        }
        let shown = place.run(&["store", "show", &pid]);
        for line in [
            "name                A",
            "created             today",
            "features            save-for-later, subscriptions",
            "rate-limit          5/s",
            "address-rate-limit  50/s",
            "allow-origin        *",
            "max-items           8",
            "guest-days          30",
            "maintenance         off",
        ] {
            assert!(shown.ok().lines().any(|shown| shown == line), "{line}: {shown:?}");
        }
    }

    fn a_running_server_sees_each_change_with_the_next_request(place: Setup) {
        let (_server, shop) = place.shop(&[]);
        let set = |flags: &[&str]| place.run(&[&["store", "set", &shop.pid], flags].concat()).ok().to_owned();
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        assert_eq!(ann.add(&lid, 1).ok()["a"][0]["epi"], 1);

        set(&["--maintenance", "on"]);
        ann.post("lists/fetch-user-lists", &[]).fails(503, "maintenance");
        set(&["--maintenance", "off"]);
        ann.post("lists/fetch-user-lists", &[]).ok();

        set(&["--disable", "sort-filter"]);
        ann.post("lists/fetch-user-list", &[("lid", &lid), ("sortby", "price")]).fails(400, "sort-filter-disabled");
        set(&["--enable", "sort-filter"]);
        ann.post("lists/fetch-user-list", &[("lid", &lid), ("sortby", "price")]).ok();
        set(&["--plan", "standard"]);
        ann.post("lists/fetch-user-list", &[("lid", &lid), ("sortby", "price")]).fails(400, "sort-filter-disabled");

        set(&["--disable", "save-for-later", "--disable", "subscriptions"]);
        ann.post("lists/sfl/fetch", &[]).fails(403, "feature-not-enabled");
        ann.post("subscriptions/fetch-subs", &[("topic", "backinstock")]).fails(403, "feature-not-enabled");

        set(&["--catalog", "strict"]);
        assert_eq!(ann.add(&lid, 2).ok()["a"][0]["error-code"], "unknown-product");
        set(&["--catalog", "open", "--max-items", "1"]);
        assert_eq!(ann.add(&lid, 2).ok()["a"][0]["hasError"], true);
        set(&["--max-lists", "1"]);
        ann.post("lists/create", &[("lname", "B")]).fails(400, "limit-reached");

        let origin = |origin: &str| {
            let call = ann.call("lists/fetch-user-lists", &format!("Origin: {origin}\r\n"), &[]);
            let answer = Wire::connect(ann.address).ask(&call);
            answer.header("access-control-allow-origin").map(str::to_owned)
        };
        assert_eq!(origin("https://b.example").as_deref(), Some("*"));
        set(&["--allow-origin", "https://a.example"]);
        assert_eq!(origin("https://a.example").as_deref(), Some("https://a.example"));
        assert_eq!(origin("https://b.example"), None);

        set(&["--rate-limit", "1/s"]);
        let statuses: Vec<u16> =
            (0..50).map(|_| ann.post("lists/fetch-list-with-contents", &[("lid", &lid)]).status).collect();
        assert!(statuses.contains(&429), "{statuses:?}");
    }

    fn a_rotated_key_works_at_once_and_the_old_one_no_more(place: Setup) {
        let (_server, mut shop) = place.shop(&[]);
        shop.me().ok();
        let rotated = place.json(&["store", "rotate-key", &shop.pid]);
        assert_eq!(text(&rotated["pid"]), shop.pid);
        shop.me().fails(401, "bad-api-key");
        shop.key = text(&rotated["apikey"]).to_owned();
        shop.me().ok();

        let rotated = place.run(&["store", "rotate-key", &shop.pid]);
        assert!(rotated.ok().contains("The old key no longer works"), "{rotated:?}");
        shop.me().fails(401, "bad-api-key");
    }

    fn a_rotated_key_can_be_kept_for_a_while(place: Setup) {
        let (_server, mut shop) = place.shop(&[]);
        let rotated = place.run(&["store", "rotate-key", &shop.pid, "--keep-old", "24h"]);
        assert!(rotated.ok().contains("stays valid for 24h"), "{rotated:?}");
        shop.me().ok();
        let rotated = place.json(&["store", "rotate-key", &shop.pid, "--keep-old", "30m"]);
        shop.me().fails(401, "bad-api-key");
        shop.key = text(&rotated["apikey"]).to_owned();
        shop.me().ok();
        for wrong in ["1", "0h", "31d", "99999999999999999d", "soon"] {
            place.run(&["store", "rotate-key", &shop.pid, "--keep-old", wrong]).fails(&["24h"]);
        }
        shop.me().ok();
    }

    fn revoked_sessions_stop_at_once_and_lists_stay(place: Setup) {
        let (_server, shop) = place.shop(&[]);
        let (ann, ben) = (shop.login("ann@example.com"), shop.login("ben@example.com"));
        let lid = ann.list("A");
        let lists = "lists/fetch-user-lists";
        assert_eq!(place.json(&["store", "revoke-sessions", &shop.pid, "--email", " ANN@example.com "]), json!({"revoked": true}));
        ann.post(lists, &[]).fails(401, "bad-regid");
        ben.post(lists, &[]).ok();
        let again = shop.login("ann@example.com");
        assert_eq!(again.regid, ann.regid);
        assert_eq!(again.post(lists, &[]).ok()["data"][0]["lid"], *lid);

        assert_eq!(place.json(&["store", "revoke-sessions", &shop.pid, "--email", "no@example.com"]), json!({"revoked": false}));
        let nobody = place.run(&["store", "revoke-sessions", &shop.pid, "--email", "no@example.com"]);
        assert!(nobody.ok().contains("nothing was changed"), "{nobody:?}");
        place.run(&["store", "revoke-sessions", &shop.pid, "--email", "nonsense"]).fails(&["--email"]);

        assert!(place.run(&["store", "revoke-sessions", &shop.pid]).ok().contains("Revoked"));
        again.post(lists, &[]).fails(401, "bad-regid");
        ben.post(lists, &[]).fails(401, "bad-regid");
        assert_eq!(shop.login("ann@example.com").post(lists, &[]).ok()["data"][0]["lid"], *lid);
    }

    fn an_unknown_store_is_said_with_the_next_step(place: Setup) {
        place.create_store();
        for command in [&["store", "show", NOBODY][..], &["store", "set", NOBODY, "--plan", "standard"],
            &["store", "rotate-key", NOBODY], &["store", "revoke-sessions", NOBODY], &["store", "show", "typo"]]
        {
            place.run(command).fails(&["no store has", "wishbone store list"]);
            place.run(&[command, &["--json"]].concat()).fails(&["no store has"]);
        }
    }

    fn checking_good_data_counts_it_and_finds_nothing(place: Setup) {
        let (server, shop) = place.shop(&[]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        ann.add(&lid, 1).ok();
        ann.add(&lid, 2).ok();
        let found = place.json(&["check"]);
        assert_eq!((&found["ok"], &found["faults"]), (&json!(true), &json!([])), "{found}");
        let counts = json!({"stores": 1, "shoppers": 1, "lists": 1, "items": 2, "products": 0, "subscriptions": 0});
        assert_eq!(found["counts"], counts);
        let found = place.run(&["check"]);
        assert!(found.ok().contains("1 store, 1 shopper, 1 list, 2 items, 0 products"), "{found:?}");
        assert!(found.stdout.contains("All is well."), "{found:?}");
        server.stop();
        assert_eq!(place.json(&["check"])["ok"], true);
    }

    fn a_first_command_on_a_new_database_makes_it_ready(place: Setup) {
        let (pid, key) = place.create_store();
        assert_eq!(place.serve(&[]).shop(&pid, &key).me().ok()["pid"], *pid);
    }
}

#[test]
fn an_empty_database_says_how_to_make_a_store() {
    let place = Setup::new();
    place.serve(&[]).stop();
    assert!(place.run(&["store", "list"]).ok().contains("wishbone store create --name"));
    assert_eq!(place.json(&["store", "list"]), json!({"stores": []}));
}

#[test]
fn a_new_database_is_announced_so_that_a_mistyped_folder_is_noticed() {
    let place = Setup::new();
    let first = place.run(&["store", "create", "--name", "A"]);
    assert!(first.stderr.contains("made a new database in"), "{first:?}");
    assert_eq!(place.run(&["store", "create", "--name", "B"]).stderr, "");
}

#[test]
fn a_mistyped_folder_is_an_error_and_makes_no_database() {
    let place = Setup::new();
    for command in [
        &["store", "list"][..],
        &["store", "show", NOBODY],
        &["store", "set", NOBODY, "--plan", "standard"],
        &["store", "rotate-key", NOBODY],
        &["store", "revoke-sessions", NOBODY],
        &["check"],
        &["backup"],
    ] {
        place.run(command).fails(&["there is no database in", "--data", "wishbone serve"]);
        assert!(!place.data().exists(), "{command:?}");
        // An empty folder is no database either.
        fs::create_dir(place.data()).unwrap();
        place.run(command).fails(&["there is no database in"]);
        assert_eq!(fs::read_dir(place.data()).unwrap().count(), 0, "{command:?}");
        fs::remove_dir(place.data()).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_said_with_the_next_step() {
    let place = Setup::new();
    fs::write(place.data(), "a file in the way").unwrap();
    place.run(&["store", "create", "--name", "A"]).fails(&["cannot make the data folder", "--data"]);
    place.run(&["serve", "--listen", "127.0.0.1:0"]).fails(&["cannot make the data folder", "--data"]);
}

#[test]
fn bad_values_are_refused_with_the_flag_and_the_rule() {
    let place = Setup::new();
    let (pid, _) = place.create_store();
    let before = place.json(&["store", "show", &pid]);
    for (flag, bad, rule) in [
        ("--plan", "gold", "standard, enterprise"),
        ("--enable", "magic", "sort-filter, save-for-later, subscriptions"),
        ("--disable", "magic", "sort-filter, save-for-later, subscriptions"),
        ("--default-itemslimit", "49", "50..=100"),
        ("--default-itemslimit", "101", "50..=100"),
        ("--rate-limit", "0/s", "such as 20/s"),
        ("--rate-limit", "20/m", "such as 20/s"),
        ("--address-rate-limit", "0", "such as 20/s"),
        ("--allow-origin", "shop.example", "such as https://shop.example"),
        ("--allow-origin", "https://shop.example/path", "without a path"),
        ("--share-owner", "all", "none, name"),
        ("--catalog", "closed", "open, strict"),
        ("--max-lists", "0", "1..=100000"),
        ("--max-items", "-1", "1..=1000000"),
        ("--guest-days", "0", "1..=36500"),
        ("--maintenance", "maybe", "on, off"),
    ] {
        place.run(&["store", "set", &pid, flag, bad]).fails(&[flag, rule]);
    }
    assert_eq!(place.json(&["store", "show", &pid]), before);
}

#[test]
fn the_environment_says_where_the_data_is_and_the_command_line_wins() {
    let (here, there) = (Setup::new(), Setup::new());
    let (pid, _) = here.create_store();
    let mut list = here.bare(&["store", "list", "--json"]);
    list.env("WISHBONE_DATA", here.data());
    assert_eq!(Finished::of(list).json()["stores"][0]["pid"], *pid);

    let (other, _) = there.create_store();
    let mut list = there.command(&["store", "list", "--json"]);
    list.env("WISHBONE_DATA", here.data());
    assert_eq!(Finished::of(list).json()["stores"][0]["pid"], *other);

    let mut create = here.bare(&["store", "create", "--name", "A"]);
    create.env("WISHBONE_DATA", "");
    assert!(!Finished::of(create).status.success(), "an empty folder name is a mistake");
}

#[test]
fn without_any_setting_the_data_is_under_the_current_folder() {
    let place = Setup::new();
    Finished::of(place.bare(&["store", "create", "--name", "A"])).ok();
    assert!(place.folder().join("wishbone-data/wishbone.db").exists());
}

#[test]
fn the_environment_names_the_postgresql_database_and_no_folder_is_made_for_it() {
    let place = Setup::on(Engine::Postgres);
    let url = place.database().unwrap();
    let mut create = place.bare(&["store", "create", "--name", "A", "--json"]);
    create.env("WISHBONE_DATABASE_URL", url);
    let made = Finished::of(create).json();
    assert_eq!(place.json(&["store", "list"])["stores"][0]["pid"], made["pid"]);
    assert!(!place.folder().join("wishbone-data").exists());
}

#[test]
fn only_its_owner_can_read_the_data_folder_and_the_secret_key() {
    let place = Setup::new();
    place.serve(&[]).stop();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.data()), 0o700);
    assert_eq!(mode(place.data().join("secret.key")), 0o600);
    fs::set_permissions(place.data().join("secret.key"), fs::Permissions::from_mode(0o644)).unwrap();
    place.run(&["serve", "--listen", "127.0.0.1:0"]).fails(&["can be read by others", "chmod 600"]);
}

#[test]
fn help_teaches_every_command_and_flag() {
    let place = Setup::new();
    let help = |command: &[&str]| Finished::of(place.bare(&[command, &["--help"]].concat())).ok().to_owned();
    for (command, words) in [
        (
            &[][..],
            &["wishbone demo", "wishbone serve", "wishbone store create", "--data", "WISHBONE_DATA", "--json"][..],
        ),
        (&["demo"], &["--listen", "127.0.0.1:8080", "nothing to prepare"]),
        (
            &["serve"],
            &[
                "--listen",
                "WISHBONE_LISTEN",
                "--request-timeout",
                "--max-requests",
                "--max-connections",
                "--max-connections-per-address",
                "--trust-proxy",
                "X-Forwarded-For",
                "--pool-size",
                "--log",
                "--log-format",
                "--database",
                "WISHBONE_DATABASE_URL",
                "WISHBONE_SECRET_KEYS",
                "./wishbone-data",
            ],
        ),
        (&["store"], &["create", "list", "show", "set", "rotate-key", "revoke-sessions"]),
        (&["store", "create"], &["--name", "--plan", "standard, enterprise", "--pid", "--enable", "shown this once"]),
        (&["store", "list"], &["All stores"]),
        (&["store", "show"], &["<PID>"]),
        (
            &["store", "set"],
            &[
                "--plan",
                "--enable",
                "--disable",
                "--default-itemslimit",
                "--rate-limit",
                "--address-rate-limit",
                "--allow-origin",
                "--share-owner",
                "--catalog",
                "--max-lists",
                "--max-items",
                "--guest-days",
                "--maintenance",
                "what is not named stays",
            ],
        ),
        (&["store", "rotate-key"], &["<PID>", "the old one stops working at once", "--keep-old"]),
        (&["store", "revoke-sessions"], &["<PID>", "--email", "lists stay"]),
        (&["maintenance"], &["[SWITCH]", "on, off", "within a second", "store set PID --maintenance on"]),
        (&["backup"], &["--to", "cp -a", "while the server runs", "wishbone-backup-", "pg_dump"]),
        (&["move"], &["--to", "postgres:", "sqlite:DIR", "Stop the servers first", "WISHBONE_MOVE_TO"]),
        (&["check"], &["damage"]),
    ] {
        let text = help(command);
        for word in words {
            assert!(text.contains(word), "no {word:?} in the help of {command:?}:\n{text}");
        }
    }
    let nothing = Finished::of(place.bare(&[]));
    nothing.fails(&["Usage:", "demo", "serve", "store", "check"]);
    Finished::of(place.bare(&["stroe"])).fails(&["stroe", "store"]);
    assert!(Finished::of(place.bare(&["--version"])).ok().starts_with("wishbone "));
}

#[test]
fn all_faulty_settings_are_reported_at_once() {
    let place = Setup::new();
    let mut serve = place.bare(&["serve", "--listen", "nowhere", "--request-timeout", "0", "--log-format", "xml"]);
    serve
        .env("WISHBONE_SECRET_KEYS", "!!")
        .env("WISHBONE_DATA", "")
        .env("WISHBONE_POOL_SIZE", "many")
        .env("WISHBONE_MAX_REQUESTS", "0")
        .env("WISHBONE_MAX_CONNECTIONS", "100000000")
        .env("WISHBONE_MAX_CONNECTIONS_PER_ADDRESS", "-1")
        .env("WISHBONE_TRUST_PROXY", "127.0.0.1,nginx")
        .env("WISHBONE_LOG", "=")
        .env("WISHBONE_DATABASE_URL", "mysql://db");
    Finished::of(serve).fails(&[
        "--listen (WISHBONE_LISTEN) must be",
        "--request-timeout (WISHBONE_REQUEST_TIMEOUT) must be 1 to 600",
        "--pool-size (WISHBONE_POOL_SIZE) must be 1 to 1000",
        "--max-requests (WISHBONE_MAX_REQUESTS) must be 1 to 1000000",
        "--max-connections (WISHBONE_MAX_CONNECTIONS) must be 1 to",
        "the limit on open files",
        "--max-connections-per-address (WISHBONE_MAX_CONNECTIONS_PER_ADDRESS) must be 1 or more",
        "--trust-proxy (WISHBONE_TRUST_PROXY) must be networks or addresses, such as 10.0.0.0/8",
        "--log (WISHBONE_LOG) must be",
        "--log-format (WISHBONE_LOG_FORMAT) must be text or json",
        "--database (WISHBONE_DATABASE_URL) must start with postgres://",
        "--data (WISHBONE_DATA) must name a folder",
        "--secret-keys (WISHBONE_SECRET_KEYS) must be one or more keys",
    ]);
    assert_eq!(fs::read_dir(place.folder()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn faulty_signing_keys_are_refused_without_being_shown() {
    let place = Setup::new();
    for bad in ["hunter2hunter2", "", "c2hvcnQ=", "not,base64!"] {
        let mut serve = place.command(&["serve", "--listen", "127.0.0.1:0"]);
        serve.env("WISHBONE_SECRET_KEYS", bad);
        let refused = Finished::of(serve);
        refused.fails(&["WISHBONE_SECRET_KEYS", "openssl rand -base64 32"]);
        assert!(bad.is_empty() || !refused.stderr.contains(bad), "{refused:?}");
    }
}

#[test]
fn a_database_password_is_never_printed() {
    let place = Setup::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for url in [
        &format!("postgres://ann:hunter2@127.0.0.1:{port}/db"),
        "postgres://ann:hunter2@127.0.0.1:99999/db",
        "postgres://ann:hunter2@127.0.0.1/db?nonsense=hunter2",
        "postgres://ann:hunter2@[",
        "mysql://ann:hunter2@db",
        "host=db user=ann password=hunter2",
    ] {
        for command in [
            &["store", "list"][..],
            &["check"],
            &["backup"],
            &["store", "create", "--name", "A"],
            &["serve", "--listen", "127.0.0.1:0", "--log", "trace"],
        ] {
            let refused = Finished::of(place.bare(&[command, &["--database", url]].concat()));
            refused.fails(&["database"]);
            assert!(!refused.stderr.contains("hunter2"), "{refused:?}");
            let mut from_environment = place.bare(command);
            from_environment.env("WISHBONE_DATABASE_URL", url);
            let refused = Finished::of(from_environment);
            refused.fails(&["database"]);
            assert!(!refused.stderr.contains("hunter2"), "{refused:?}");
        }
    }
    let mistyped = Finished::of(place.bare(&["serve", "--databse=postgres://ann:hunter2@127.0.0.1/db"]));
    mistyped.fails(&["--databse", "--database"]);
    assert!(!mistyped.stderr.contains("hunter2"), "{mistyped:?}");
    let mut help = place.bare(&["serve", "--help"]);
    help.env("WISHBONE_DATABASE_URL", "postgres://ann:hunter2@db").env("WISHBONE_SECRET_KEYS", "hunter2");
    assert!(!Finished::of(help).ok().contains("hunter2"));
}

#[test]
fn a_postgresql_that_does_not_answer_is_said_with_the_next_step() {
    let place = Setup::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused =
        Finished::of(place.bare(&["store", "list", "--database", &format!("postgres://a:b@127.0.0.1:{port}/c")]));
    refused.fails(&["cannot open the PostgreSQL database", "--database (WISHBONE_DATABASE_URL)", "runs"]);
}

/// A place with one list of three items, its server stopped.
fn with_a_list() -> Setup {
    let place = Setup::new();
    let (server, shop) = place.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    for epi in 1..=3 {
        ann.add(&lid, epi).ok();
    }
    server.stop();
    place
}

fn tamper(place: &Setup, sql: &str) {
    let connection = rusqlite::Connection::open(place.file()).unwrap();
    assert!(connection.execute(sql, []).unwrap() > 0);
}

#[track_caller]
fn finds(place: &Setup, fault: &str) {
    let found = place.run(&["check"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    assert!(found.stdout.lines().any(|line| line.starts_with("FAULT") && line.contains(fault)), "{found:?}");
    assert!(found.stdout.contains("last good backup"), "{found:?}");
    let found = place.run(&["check", "--json"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["ok"], false);
    let mut examples =
        found["faults"].as_array().unwrap().iter().flat_map(|fault| fault["examples"].as_array().unwrap());
    assert!(examples.any(|said| text(said).contains(fault)), "{found}");
}

#[test]
fn a_wrong_item_count_is_found() {
    let place = with_a_list();
    tamper(&place, "update lists set item_count = 7");
    finds(&place, "has the item count 7, but 3 items");
}

#[test]
fn a_wrong_list_count_is_found() {
    let place = with_a_list();
    tamper(&place, "update shoppers set list_count = 0");
    finds(&place, "has the list count 0, but 1 lists");
}

#[test]
fn items_without_a_list_are_found() {
    let place = with_a_list();
    tamper(&place, "delete from lists");
    finds(&place, "3 items belong to list");
}

#[test]
fn lists_without_a_shopper_are_found() {
    let place = with_a_list();
    tamper(&place, "delete from shoppers");
    finds(&place, "1 lists belong to shopper");
}

#[test]
fn a_damaged_page_is_found_and_said_in_words() {
    let place = with_a_list();
    let page_of = |table: &str| {
        let connection = rusqlite::Connection::open(place.file()).unwrap();
        connection.pragma_update(None, "wal_checkpoint", "truncate").unwrap();
        let page: u32 = connection
            .query_row("select rootpage from sqlite_schema where name = ?1", [table], |row| row.get(0))
            .unwrap();
        let size: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
        ((page - 1) * size) as usize..(page * size) as usize
    };
    let page = page_of("items");
    let mut bytes = fs::read(place.file()).unwrap();
    bytes[page].fill(0xA5);
    fs::write(place.file(), bytes).unwrap();
    finds(&place, "malformed");
    let found = place.run(&["check"]);
    assert!(!found.stdout.contains("try again in a moment"), "{found:?}");
}

#[test]
fn a_file_that_is_no_database_is_said_with_the_next_step() {
    let place = with_a_list();
    fs::write(place.file(), "nothing like a database ".repeat(500)).unwrap();
    let _ = fs::remove_file(place.data().join("wishbone.db-wal"));
    for command in [&["check"][..], &["store", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        place.run(command).fails(&["cannot open", "wishbone.db", "not a database", "backup"]);
    }
}

#[test]
fn a_database_of_a_newer_program_is_left_alone() {
    let place = with_a_list();
    tamper(&place, "insert into schema_versions values (999, 'future')");
    for command in [&["check"][..], &["store", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        place.run(command).fails(&["newer Wishbone", "start the newer program"]);
    }
}

#[test]
fn whoever_has_read_enough_of_the_output_is_no_reason_to_fail() {
    let place = with_a_list();
    let mut command = std::process::Command::new("bash");
    let list = format!(
        "set -o pipefail; {} store list --data '{}' | true",
        env!("CARGO_BIN_EXE_wishbone"),
        place.data().display()
    );
    command.args(["-c", &list]);
    let finished = Finished::of(command);
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}

#[test]
fn what_a_shopper_saved_survives_commands_beside_the_server() {
    let place = Setup::new();
    let (server, shop) = place.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| (1..=100).map(|epi| ann.add(&lid, epi).status).collect::<Vec<_>>());
        for i in 0..5 {
            place.json(&["store", "create", "--name", &format!("Shop {i}")]);
            place.run(&["check"]).ok();
        }
        assert_eq!(adding.join().unwrap(), vec![200; 100]);
    });
    assert_eq!(ann.contents(&lid).len(), 100);
    server.stop();
}
