//! The command line, run as a process.

mod alerts;
mod keys;
mod login_secret;
mod mail;
mod store_delete;
mod user;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::Engine;
use crate::support::process::{Finished, Setup, Wire};

/// Base64 of 32 bytes, with all characters that need encoding in URLs.
const PID: &str = "+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/v7+/s=";
const NOBODY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

both_setups! {
    fn a_new_store_is_printed_with_its_key_and_the_next_step(setup: Setup) {
        let made = setup.run(&["store", "create", "--name", "Möbel & mehr"]);
        let lines: Vec<&str> = made.ok().lines().collect();
        let pid = lines[0].strip_prefix("pid ").unwrap().trim();
        let key = lines[1].strip_prefix("API key ").unwrap().trim();
        assert_eq!(STANDARD.decode(pid).unwrap().len(), 32);
        assert!(key.len() >= 40, "{key}");
        assert!(made.stdout.contains("not shown again"), "{made:?}");
        assert!(made.stdout.contains("wishbone serve"), "{made:?}");
        assert!(made.stdout.contains(&format!("curl -u '{pid}:{key}'")), "{made:?}");

        let shown = setup.json(&["store", "show", pid]);
        assert_eq!(text(&shown["name"]), "Möbel & mehr");
        assert!(!shown.to_string().contains(key), "{shown}");
    }

    fn a_new_store_as_json_is_one_object_and_its_key_works(setup: Setup) {
        let made = setup.json(&["store", "create", "--name", "A", "--plan", "enterprise", "--enable", "sort-filter"]);
        let server = setup.serve(&[]);
        let shop = server.shop(text(&made["pid"]), text(&made["apikey"]));
        assert_eq!(shop.me().ok()["pid"], made["pid"]);
        let shown = setup.json(&["store", "show", &shop.pid]);
        assert_eq!((text(&shown["plan"]), &shown["features"]), ("enterprise", &json!(["sort-filter"])));
    }

    fn a_new_store_has_everything_unless_it_is_told_otherwise(setup: Setup) {
        let all = ["sort-filter", "save-for-later", "subscriptions"];
        for (arguments, plan, features) in [
            (&[][..], "enterprise", &all[..]),
            (&["--plan", "standard"], "standard", &[]),
            (&["--plan", "enterprise"], "enterprise", &[]),
            (&["--enable", "subscriptions"], "standard", &all[2..]),
        ] {
            let made = setup.json(&[&["store", "create", "--name", "A"], arguments].concat());
            let shown = setup.json(&["store", "show", text(&made["pid"])]);
            assert_eq!((text(&shown["plan"]), &shown["features"]), (plan, &json!(features)), "{arguments:?}");
        }
    }

    fn the_pid_of_another_service_can_be_kept_and_is_unique(setup: Setup) {
        assert_eq!(setup.json(&["store", "create", "--name", "A", "--pid", PID])["pid"], PID);
        setup.run(&["store", "create", "--name", "B", "--pid", PID]).fails(&["--pid", "already", "wishbone store show"]);
        for bad in ["", "abc", "not base64 at all", &PID[..43], "AAAA"] {
            setup.run(&["store", "create", "--name", "B", "--pid", bad]).fails(&["--pid", "base64 of 32 bytes"]);
        }
        for bad in ["", "   ", &"x".repeat(201)] {
            setup.run(&["store", "create", "--name", bad]).fails(&["--name", "1 to 200 characters"]);
        }
        assert_eq!(setup.json(&["store", "list"])["stores"].as_array().unwrap().len(), 1);
    }

    fn the_next_step_and_the_snippet_name_the_address_of_the_server(setup: Setup) {
        let create = ["store", "create", "--name", "A"];
        let names = |made: Finished, address: &str| {
            let text = made.ok().to_owned();
            assert!(text.contains(&format!(" {address}/storeadmin/me\n")), "{text}");
            assert!(text.contains(&format!("src=\"{address}/sdk/wishbone.js\"")), "{text}");
        };
        names(setup.run(&create), "http://127.0.0.1:8080");
        let server = setup.serve(&[]);
        names(setup.run(&create), &format!("http://{}", server.address));
        server.stop();
        setup.serve(&["--public-url", "https://lists.example/wish/"]).stop();
        names(setup.run(&create), "https://lists.example/wish");
        let mut command = setup.command(&create);
        command.env("WISHBONE_PUBLIC_URL", "https://other.example");
        names(Finished::of(command), "https://other.example");
    }

    fn all_stores_are_listed(setup: Setup) {
        let (a, _) = setup.create_store();
        let b = setup.json(&["store", "create", "--name", "Zweiter Laden"]);
        let listed = setup.json(&["store", "list"]);
        let pids: Vec<&str> = listed["stores"].as_array().unwrap().iter().map(|store| text(&store["pid"])).collect();
        assert_eq!(pids, [&a, text(&b["pid"])]);
        let listed = setup.run(&["store", "list"]);
        assert!(listed.ok().contains(&format!("{}  Zweiter Laden", text(&b["pid"]))), "{listed:?}");
    }

    fn every_flag_changes_its_setting_and_no_other(setup: Setup) {
        let pid = text(&setup.json(&["store", "create", "--name", "A", "--plan", "standard"])["pid"]).to_owned();
        let mut expected = setup.json(&["store", "show", &pid]);
        let changes: &[(&[&str], &str, Value)] = &[
            (&["--plan", "enterprise"], "plan", json!("enterprise")),
            (&["--enable", "sort-filter", "--enable", "subscriptions"], "features", json!(["sort-filter", "subscriptions"])),
            (&["--disable", "sort-filter", "--enable", "save-for-later"], "features", json!(["save-for-later", "subscriptions"])),
            (&["--default-itemslimit", "75"], "default_itemslimit", json!(75)),
            (&["--rate-limit", "5/s"], "rate_limit", json!(5)),
            (&["--address-rate-limit", "50/s"], "address_rate_limit", json!(50)),
            (&["--write-rate-limit", "7/s"], "write_rate_limit", json!(7)),
            (&["--address-write-rate-limit", "9/s"], "address_write_rate_limit", json!(9)),
            (&["--shopper-quota", "1"], "shopper_quota", json!(1)),
            (&["--address-quota", "2"], "address_quota", json!(2)),
            (&["--store-quota", "3"], "store_quota", json!(3)),
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
            (&["--quiet-hours", "22:00-08:00"], "quiet_hours", json!("22:00-08:00")),
            (&["--time-zone", "europe/berlin"], "time_zone", json!("Europe/Berlin")),
            (&["--language", "pt-br"], "language", json!("pt-BR")),
            (&["--reminder-days", "30"], "reminder_days", json!(30)),
            (&["--reminder-days", "off"], "reminder_days", json!(null)),
            (&[], "name", json!("A")),
        ];
        for (flags, key, value) in changes {
            expected[*key] = value.clone();
            assert_eq!(setup.json(&[&["store", "set", &pid], *flags].concat()), expected, "{flags:?}");
            assert_eq!(setup.json(&["store", "show", &pid]), expected, "{flags:?}");
        }
        let shown = setup.run(&["store", "show", &pid]);
        for line in [
            "name                     A",
            "created                  today",
            "features                 save-for-later, subscriptions",
            "rate-limit               5/s",
            "address-rate-limit       50/s",
            "write-rate-limit         7/s",
            "store-quota              3 MiB/day",
            "allow-origin             *",
            "max-items                8",
            "quiet-hours              22:00-08:00",
            "time-zone                Europe/Berlin",
            "reminder-days            off",
            "guest-days               30",
            "maintenance              off",
        ] {
            assert!(shown.ok().lines().any(|shown| shown == line), "{line}: {shown:?}");
        }
    }

    fn a_store_is_found_by_its_name_unless_others_have_it(setup: Setup) {
        let pid = text(&setup.json(&["store", "create", "--name", "Möbel & mehr"])["pid"]).to_owned();
        for name in ["Möbel & mehr", " möbel & MEHR "] {
            assert_eq!(setup.json(&["store", "show", name])["pid"], *pid);
        }
        setup.run(&["mail", "template", "list", "Möbel & mehr"]).ok();
        let other = setup.json(&["store", "create", "--name", "möbel & mehr"]);
        setup.run(&["store", "rotate-key", "Möbel & mehr"]).fails(&["2 stores", &pid, text(&other["pid"])]);
    }

    fn setting_a_store_prints_what_has_changed(setup: Setup) {
        let (pid, _) = setup.create_store();
        let set = |flags: &[&str]| setup.run(&[&["store", "set", &pid], flags].concat()).ok().to_owned();
        let changed = set(&["--plan", "standard", "--currency", "EUR", "--max-lists", "1000"]);
        assert_eq!(
            changed.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>(),
            ["plan enterprise → standard", "currency none → EUR"],
        );
        assert!(set(&["--plan", "standard"]).contains("nothing has changed"));
    }

    fn a_running_server_sees_each_change_with_the_next_request(setup: Setup) {
        let (_server, shop) = setup.shop(&[]);
        let set = |flags: &[&str]| setup.run(&[&["store", "set", &shop.pid], flags].concat()).ok().to_owned();
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

    fn a_rotated_key_takes_effect_immediately(setup: Setup) {
        let (_server, mut shop) = setup.shop(&[]);
        shop.me().ok();
        let rotated = setup.json(&["store", "rotate-key", &shop.pid]);
        assert_eq!(text(&rotated["pid"]), shop.pid);
        shop.me().fails(401, "bad-api-key");
        shop.key = text(&rotated["apikey"]).to_owned();
        shop.me().ok();

        let rotated = setup.run(&["store", "rotate-key", &shop.pid]);
        assert!(rotated.ok().contains("The old key no longer works"), "{rotated:?}");
        shop.me().fails(401, "bad-api-key");
    }

    fn the_old_api_key_can_stay_valid_for_a_time(setup: Setup) {
        let (_server, mut shop) = setup.shop(&[]);
        let rotated = setup.run(&["store", "rotate-key", &shop.pid, "--keep-old", "24h"]);
        assert!(rotated.ok().contains("stays valid for 24h"), "{rotated:?}");
        let shown = setup.run(&["store", "show", &shop.pid]);
        assert!(shown.ok().contains("previous-key             valid until 20"), "{shown:?}");
        shop.me().ok();
        let rotated = setup.json(&["store", "rotate-key", &shop.pid, "--keep-old", "30m"]);
        shop.me().fails(401, "bad-api-key");
        shop.key = text(&rotated["apikey"]).to_owned();
        shop.me().ok();
        for wrong in ["1", "0h", "31d", "99999999999999999d", "soon"] {
            setup.run(&["store", "rotate-key", &shop.pid, "--keep-old", wrong]).fails(&["24h"]);
        }
        shop.me().ok();
    }

    fn revoking_sessions_takes_effect_immediately_and_does_not_affect_lists(setup: Setup) {
        let (_server, shop) = setup.shop(&[]);
        let (ann, ben) = (shop.login("ann@example.com"), shop.login("ben@example.com"));
        let lid = ann.list("A");
        let lists = "lists/fetch-user-lists";
        assert_eq!(setup.json(&["store", "revoke-sessions", &shop.pid, "--email", " ANN@example.com "]), json!({"revoked": true}));
        ann.post(lists, &[]).fails(401, "bad-regid");
        ben.post(lists, &[]).ok();
        let again = shop.login("ann@example.com");
        assert_eq!(again.regid, ann.regid);
        assert_eq!(again.post(lists, &[]).ok()["data"][0]["lid"], *lid);

        assert_eq!(setup.json(&["store", "revoke-sessions", &shop.pid, "--email", "no@example.com"]), json!({"revoked": false}));
        let nobody = setup.run(&["store", "revoke-sessions", &shop.pid, "--email", "no@example.com"]);
        assert!(nobody.ok().contains("nothing was changed"), "{nobody:?}");
        setup.run(&["store", "revoke-sessions", &shop.pid, "--email", "nonsense"]).fails(&["--email"]);

        assert!(setup.run(&["store", "revoke-sessions", &shop.pid]).ok().contains("Sessions revoked"));
        again.post(lists, &[]).fails(401, "bad-regid");
        ben.post(lists, &[]).fails(401, "bad-regid");
        assert_eq!(shop.login("ann@example.com").post(lists, &[]).ok()["data"][0]["lid"], *lid);
    }

    fn an_unknown_store_is_reported_with_the_remedy(setup: Setup) {
        setup.create_store();
        for command in [&["store", "show", NOBODY][..], &["store", "set", NOBODY, "--plan", "standard"],
            &["store", "rotate-key", NOBODY], &["store", "revoke-sessions", NOBODY], &["store", "show", "typo"]]
        {
            setup.run(command).fails(&["unknown store", "wishbone store list"]);
            setup.run(&[command, &["--json"]].concat()).fails(&["unknown store"]);
        }
    }

    fn checking_consistent_data_prints_counts_and_no_faults(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        let lid = ann.list("A");
        ann.add(&lid, 1).ok();
        ann.add(&lid, 2).ok();
        let found = setup.json(&["check"]);
        assert_eq!((&found["ok"], &found["faults"]), (&json!(true), &json!([])), "{found}");
        let counts = json!({"stores": 1, "shoppers": 1, "lists": 1, "items": 2, "products": 0, "subscriptions": 0});
        assert_eq!(found["counts"], counts);
        let found = setup.run(&["check"]);
        assert!(found.ok().contains("1 store, 1 shopper, 1 list, 2 items, 0 products"), "{found:?}");
        assert!(found.stdout.contains("No faults found."), "{found:?}");
        server.stop();
        assert_eq!(setup.json(&["check"])["ok"], true);
    }

    fn the_first_command_creates_the_database(setup: Setup) {
        let (pid, key) = setup.create_store();
        assert_eq!(setup.serve(&[]).shop(&pid, &key).me().ok()["pid"], *pid);
    }
}

#[test]
fn listing_stores_of_an_empty_database_shows_how_to_create_one() {
    let setup = Setup::new();
    setup.serve(&[]).stop();
    assert!(setup.run(&["store", "list"]).ok().contains("wishbone store create --name"));
    assert_eq!(setup.json(&["store", "list"]), json!({ "stores": [], "deleting": [] }));
}

#[test]
fn creating_a_new_database_is_reported() {
    let setup = Setup::new();
    let first = setup.run(&["store", "create", "--name", "A"]);
    assert!(first.stderr.contains("Created a new database in"), "{first:?}");
    assert_eq!(setup.run(&["store", "create", "--name", "B"]).stderr, "");
}

#[test]
fn a_mistyped_folder_is_an_error_and_creates_no_database() {
    let setup = Setup::new();
    for command in [
        &["store", "list"][..],
        &["store", "show", NOBODY],
        &["store", "set", NOBODY, "--plan", "standard"],
        &["store", "rotate-key", NOBODY],
        &["store", "revoke-sessions", NOBODY],
        &["check"],
        &["backup"],
    ] {
        setup.run(command).fails(&["no database in", "--data", "wishbone serve"]);
        assert!(!setup.data().exists(), "{command:?}");
        // Nor is an empty folder a database.
        fs::create_dir(setup.data()).unwrap();
        setup.run(command).fails(&["no database in"]);
        assert_eq!(fs::read_dir(setup.data()).unwrap().count(), 0, "{command:?}");
        fs::remove_dir(setup.data()).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_reported_with_the_remedy() {
    let setup = Setup::new();
    fs::write(setup.data(), "a file in the way").unwrap();
    setup.run(&["store", "create", "--name", "A"]).fails(&["cannot create the data folder", "--data"]);
    setup.run(&["serve", "--listen", "127.0.0.1:0"]).fails(&["cannot create the data folder", "--data"]);
}

#[test]
fn invalid_values_are_rejected_with_the_flag_and_the_rule() {
    let setup = Setup::new();
    let (pid, _) = setup.create_store();
    let before = setup.json(&["store", "show", &pid]);
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
        ("--language", "none", "such as de or pt-BR"),
        ("--alerts-per-unit", "-1", "1 to 1000000, or all"),
        ("--max-items", "-1", "1..=1000000"),
        ("--guest-days", "0", "1..=36500"),
        ("--maintenance", "maybe", "on, off"),
        ("--quiet-hours", "22-8", "such as 22:00-08:00, or none"),
        ("--time-zone", "Berlin", "such as Europe/Berlin"),
        ("--reminder-days", "0", "1 to 365, or off"),
    ] {
        setup.run(&["store", "set", &pid, flag, bad]).fails(&[flag, rule]);
    }
    assert_eq!(setup.json(&["store", "show", &pid]), before);
}

#[test]
fn options_override_environment_variables() {
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
fn the_default_data_folder_is_in_the_current_folder() {
    let setup = Setup::new();
    Finished::of(setup.bare(&["store", "create", "--name", "A"])).ok();
    assert!(setup.folder().join("wishbone-data/wishbone.db").exists());
}

#[test]
fn no_data_folder_is_created_on_postgresql() {
    let setup = Setup::on(Engine::Postgres);
    let url = setup.database().unwrap();
    let mut create = setup.bare(&["store", "create", "--name", "A", "--json"]);
    create.env("WISHBONE_DATABASE_URL", url);
    let made = Finished::of(create).json();
    assert_eq!(setup.json(&["store", "list"])["stores"][0]["pid"], made["pid"]);
    assert!(!setup.folder().join("wishbone-data").exists());
}

#[test]
fn the_data_folder_and_the_secret_key_are_private() {
    let setup = Setup::new();
    setup.serve(&[]).stop();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(setup.data()), 0o700);
    assert_eq!(mode(setup.data().join("secret.key")), 0o600);
    fs::set_permissions(setup.data().join("secret.key"), fs::Permissions::from_mode(0o644)).unwrap();
    setup.run(&["serve", "--listen", "127.0.0.1:0"]).fails(&["readable by other users", "chmod 600"]);
}

#[test]
fn help_documents_every_command_and_flag() {
    let setup = Setup::new();
    let help = |command: &[&str]| Finished::of(setup.bare(&[command, &["--help"]].concat())).ok().to_owned();
    for (command, words) in [
        (
            &[][..],
            &["wishbone demo", "wishbone serve", "wishbone store create", "--data", "WISHBONE_DATA", "--json"][..],
        ),
        (&["demo"], &["--listen", "127.0.0.1:8080", "Demo data is deleted on exit"]),
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
        (&["store"], &["create", "list", "show", "set", "delete", "rotate-key", "revoke-sessions"]),
        (&["store", "create"], &["--name", "--plan", "standard, enterprise", "--pid", "--enable", "shown only once"]),
        (&["store", "list"], &["List all stores"]),
        (&["store", "show"], &["<STORE>"]),
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
                "settings that are not given stay unchanged",
            ],
        ),
        (&["store", "delete"], &["<STORE>", "--confirm", "cannot be undone", "run it again", "--wait"]),
        (&["alerts"], &["summary", "list", "retry"]),
        (&["webhooks"], &["list", "create", "delete", "replay", "listen"]),
        (&["store", "rotate-key"], &["<STORE>", "the old one stops working at once", "--keep-old"]),
        (&["store", "revoke-sessions"], &["<STORE>", "--email", "lists are not affected"]),
        (&["maintenance"], &["[SWITCH]", "on, off", "within a second", "store set \"My shop\" --maintenance on"]),
        (&["backup"], &["--to", "cp -a", "while servers run", "wishbone-backup-", "pg_dump"]),
        (&["move"], &["--to", "postgres:", "sqlite:DIR", "Stop all servers first", "WISHBONE_MOVE_TO"]),
        (&["check"], &["damage"]),
    ] {
        let text = help(command);
        for word in words {
            assert!(text.contains(word), "no {word:?} in the help of {command:?}:\n{text}");
        }
    }
    let nothing = Finished::of(setup.bare(&[]));
    nothing.fails(&["Usage:", "demo", "serve", "store", "check"]);
    Finished::of(setup.bare(&["stroe"])).fails(&["stroe", "store"]);
    assert!(Finished::of(setup.bare(&["--version"])).ok().starts_with("wishbone "));
}

#[test]
fn all_invalid_settings_are_reported_together() {
    let setup = Setup::new();
    let mut serve = setup.bare(&["serve", "--listen", "nowhere", "--request-timeout", "0", "--log-format", "xml"]);
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
    assert_eq!(fs::read_dir(setup.folder()).unwrap().count(), 0, "nothing was created");
}

#[test]
fn invalid_signing_keys_are_rejected_and_not_printed() {
    let setup = Setup::new();
    for bad in ["hunter2hunter2", "", "c2hvcnQ=", "not,base64!"] {
        let mut serve = setup.command(&["serve", "--listen", "127.0.0.1:0"]);
        serve.env("WISHBONE_SECRET_KEYS", bad);
        let refused = Finished::of(serve);
        refused.fails(&["WISHBONE_SECRET_KEYS", "openssl rand -base64 32"]);
        assert!(bad.is_empty() || !refused.stderr.contains(bad), "{refused:?}");
    }
}

#[test]
fn a_database_password_is_never_printed() {
    let setup = Setup::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for url in [
        &format!("postgres://ann:hunter2@127.0.0.1:{port}/db"),
        "postgres://ann:hunter2@127.0.0.1:99999/db",
        "postgres://ann:hunter2@127.0.0.1/db?nonsense=hunter2",
        "postgres://ann:hunter2@[",
        "postgres://ann:p@hunter2@127.0.0.1:1/db",
        "postgres://ann:p@127.0.0.1:1/hunter2@127.0.0.1/db",
        "postgres://ann:p?@hunter2@127.0.0.1:1/db",
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
            let refused = Finished::of(setup.bare(&[command, &["--database", url]].concat()));
            refused.fails(&["database"]);
            assert!(!refused.stderr.contains("hunter2"), "{refused:?}");
            let mut from_environment = setup.bare(command);
            from_environment.env("WISHBONE_DATABASE_URL", url);
            let refused = Finished::of(from_environment);
            refused.fails(&["database"]);
            assert!(!refused.stderr.contains("hunter2"), "{refused:?}");
        }
    }
    let mistyped = Finished::of(setup.bare(&["serve", "--databse=postgres://ann:hunter2@127.0.0.1/db"]));
    mistyped.fails(&["--databse", "--database"]);
    assert!(!mistyped.stderr.contains("hunter2"), "{mistyped:?}");
    let mut help = setup.bare(&["serve", "--help"]);
    help.env("WISHBONE_DATABASE_URL", "postgres://ann:hunter2@db").env("WISHBONE_SECRET_KEYS", "hunter2");
    assert!(!Finished::of(help).ok().contains("hunter2"));
}

#[test]
fn an_unreachable_postgresql_is_reported_with_the_remedy() {
    let setup = Setup::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused =
        Finished::of(setup.bare(&["store", "list", "--database", &format!("postgres://a:b@127.0.0.1:{port}/c")]));
    let host = format!("127.0.0.1:{port}: ");
    refused.fails(&["cannot open the PostgreSQL database", &host, "--database (WISHBONE_DATABASE_URL)", "is running"]);
}

/// A setup with one list of three items; its server is stopped.
fn setup_with_a_list() -> Setup {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    for epi in 1..=3 {
        ann.add(&lid, epi).ok();
    }
    server.stop();
    setup
}

fn tamper(setup: &Setup, sql: &str) {
    let connection = rusqlite::Connection::open(setup.file()).unwrap();
    assert!(connection.execute(sql, []).unwrap() > 0);
}

#[track_caller]
fn finds(setup: &Setup, fault: &str) {
    let found = setup.run(&["check"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    assert!(found.stdout.lines().any(|line| line.starts_with("FAULT") && line.contains(fault)), "{found:?}");
    assert!(found.stdout.contains("last good backup"), "{found:?}");
    let found = setup.run(&["check", "--json"]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["ok"], false);
    let mut examples =
        found["faults"].as_array().unwrap().iter().flat_map(|fault| fault["examples"].as_array().unwrap());
    assert!(examples.any(|said| text(said).contains(fault)), "{found}");
}

#[test]
fn a_wrong_item_count_is_found() {
    let setup = setup_with_a_list();
    tamper(&setup, "update lists set item_count = 7");
    finds(&setup, "has the item count 7 instead of 3");
}

#[test]
fn a_wrong_list_count_is_found() {
    let setup = setup_with_a_list();
    tamper(&setup, "update shoppers set list_count = 0");
    finds(&setup, "has the list count 0 instead of 1");
}

#[test]
fn items_without_a_list_are_found() {
    let setup = setup_with_a_list();
    tamper(&setup, "delete from lists");
    finds(&setup, "3 items belong to list");
}

#[test]
fn lists_without_a_shopper_are_found() {
    let setup = setup_with_a_list();
    tamper(&setup, "delete from shoppers");
    finds(&setup, "1 lists belong to shopper");
}

#[test]
fn a_damaged_page_is_found() {
    let setup = setup_with_a_list();
    let page_of = |table: &str| {
        let connection = rusqlite::Connection::open(setup.file()).unwrap();
        connection.pragma_update(None, "wal_checkpoint", "truncate").unwrap();
        let page: u32 = connection
            .query_row("select rootpage from sqlite_schema where name = ?1", [table], |row| row.get(0))
            .unwrap();
        let size: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
        ((page - 1) * size) as usize..(page * size) as usize
    };
    let page = page_of("items");
    let mut bytes = fs::read(setup.file()).unwrap();
    bytes[page].fill(0xA5);
    fs::write(setup.file(), bytes).unwrap();
    finds(&setup, "malformed");
    let found = setup.run(&["check"]);
    assert!(!found.stdout.contains("retry"), "{found:?}");
}

#[test]
fn a_file_that_is_not_a_database_is_reported_with_the_remedy() {
    let setup = setup_with_a_list();
    fs::write(setup.file(), "nothing like a database ".repeat(500)).unwrap();
    let _ = fs::remove_file(setup.data().join("wishbone.db-wal"));
    for command in [&["check"][..], &["store", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        setup.run(command).fails(&["cannot open", "wishbone.db", "not a database", "backup"]);
    }
}

#[test]
fn a_database_of_a_newer_version_is_not_opened() {
    let setup = setup_with_a_list();
    tamper(&setup, "insert into schema_versions values (999, 'future')");
    for command in [&["check"][..], &["store", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        setup.run(command).fails(&["newer Wishbone", "start the newer program"]);
    }
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    let setup = setup_with_a_list();
    let mut command = std::process::Command::new("bash");
    let list = format!(
        "set -o pipefail; {} store list --data '{}' | true",
        env!("CARGO_BIN_EXE_wishbone"),
        setup.data().display()
    );
    command.args(["-c", &list]);
    let finished = Finished::of(command);
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
}

#[test]
fn commands_do_not_disturb_a_running_server() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("A");
    std::thread::scope(|scope| {
        let adding = scope.spawn(|| (1..=100).map(|epi| ann.add(&lid, epi).status).collect::<Vec<_>>());
        for i in 0..5 {
            setup.json(&["store", "create", "--name", &format!("Shop {i}")]);
            setup.run(&["check"]).ok();
        }
        assert_eq!(adding.join().unwrap(), vec![200; 100]);
    });
    assert_eq!(ann.contents(&lid).len(), 100);
    server.stop();
}
