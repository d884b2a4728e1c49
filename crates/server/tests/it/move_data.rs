//! Moving all data from one engine to the other.

use std::fs;
use std::process::Stdio;

use wishbone_core::registry::MIGRATIONS;
use wishbone_storage::{Database, Location, Options, tables};

use crate::support::Engine;
use crate::support::process::{Buyer, Finished, Setup, until};

/// Every row of every table, as text.
fn dumped(location: &Location) -> Vec<(&'static str, Vec<String>)> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let database =
            Database::open(location, MIGRATIONS, &Options { pool_size: 1, ..Options::default() }).await.unwrap();
        let mut out = Vec::new();
        // Only the maintenance state differs, intentionally.
        for table in tables(MIGRATIONS).into_iter().filter(|table| *table != "server") {
            out.push((table, database.dump(table).await.unwrap()));
        }
        out
    })
}

/// A setup with data of every kind; its server is stopped.
fn used(engine: Engine) -> (Setup, Buyer, String) {
    let setup = Setup::on(engine);
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("Wishes \u{1F381} 'quoted' \\ back");
    for epi in 1..=3 {
        ann.add(&lid, epi).ok();
    }
    ann.post("lists/comments/add", &[("lid", &lid), ("epi", "1"), ("text", "in blue?")]).ok();
    ann.post("lists/share-links/create", &[("lid", &lid), ("scope", "edit")]).ok();
    let priced = r#"[{"epi":9,"empi":9,"du":"https://shop.example/9","dt":"Nine","pr":"19.90"}]"#;
    ann.post("lists/update-ctx", &[("lid", &lid), ("a", priced)]).ok();
    shop.login("bob@example.com").list("Empty");
    server.stop();
    (setup, ann, lid)
}

fn to_postgres(setup: &Setup, target: &Setup) -> Finished {
    setup.run(&["move", "--to", target.database().unwrap()])
}

#[test]
fn everything_moves_to_postgresql_and_back_and_shoppers_stay_logged_in() {
    let (setup, ann, lid) = used(Engine::Sqlite);
    let before = dumped(&Location::Sqlite(setup.file()));
    let target = Setup::on(Engine::Postgres);
    let url = target.database().unwrap().to_owned();
    let said = setup.json(&["move", "--to", &url]);
    assert_eq!(
        (&said["verified"], &said["rows"]["items"], &said["secret_key"]),
        (&true.into(), &4.into(), &true.into())
    );
    assert_eq!(dumped(&Location::Postgres(url.clone())), before);

    let mut serve = setup.bare(&["serve", "--listen", "127.0.0.1:0", "--database", &url, "--data"]);
    serve.arg(setup.data());
    let server = crate::support::process::Server::start(serve, setup.folder());
    assert_eq!(ann.at(&server).contents(&lid), [9, 3, 2, 1]);
    ann.at(&server).add(&lid, 10).ok();
    server.stop();

    // The old database is in maintenance.
    let old = setup.serve(&[]);
    ann.at(&old).post("lists/fetch-lists", &[]).fails(503, "maintenance");
    old.stop();

    let mut back = setup.bare(&["move", "--database", &url, "--to", "sqlite:again", "--data"]);
    back.arg(setup.data());
    Finished::of(back).ok();
    let again = setup.folder().join("again");
    let after = dumped(&Location::Postgres(url));
    assert_eq!(dumped(&Location::Sqlite(again.join("wishbone.db"))), after);
    assert_ne!(after, before);
    let mut serve = setup.bare(&["serve", "--listen", "127.0.0.1:0", "--data"]);
    serve.arg(&again);
    let server = crate::support::process::Server::start(serve, setup.folder());
    assert_eq!(ann.at(&server).contents(&lid), [10, 9, 3, 2, 1]);
}

#[test]
fn a_database_in_use_is_not_moved() {
    let (setup, ann, lid) = used(Engine::Sqlite);
    let target = Setup::on(Engine::Postgres);
    let server = setup.serve(&[]);
    to_postgres(&setup, &target).fails(&["open", "stop it first", "Nothing was moved"]);
    ann.at(&server).add(&lid, 4).ok();
    server.stop();
    to_postgres(&setup, &target).ok();

    fs::create_dir(target.data()).unwrap();
    fs::copy(setup.data().join("secret.key"), target.data().join("secret.key")).unwrap();
    let server = target.serve(&[]);
    let mut back = setup.bare(&["move", "--to", "sqlite:again", "--database", target.database().unwrap()]);
    back.arg("--data").arg(setup.data());
    Finished::of(back).fails(&["connected", "stop it first", "Nothing was moved"]);
    server.stop();
    assert!(!setup.folder().join("again/wishbone.db").exists());
}

#[test]
fn a_target_that_is_not_empty_is_not_changed() {
    let (setup, _, _) = used(Engine::Sqlite);
    let (target, _, _) = used(Engine::Postgres);
    let before = dumped(&Location::Postgres(target.database().unwrap().to_owned()));
    to_postgres(&setup, &target).fails(&["not empty", "new database", "Nothing was moved"]);
    assert_eq!(dumped(&Location::Postgres(target.database().unwrap().to_owned())), before);

    target
        .run(&["move", "--to", &format!("sqlite:{}", setup.data().display())])
        .fails(&["already exists", "empty directory"]);
}

#[test]
fn a_move_that_was_killed_after_its_commit_is_completed_by_the_next() {
    let (setup, _, _) = used(Engine::Sqlite);
    let target = Setup::on(Engine::Postgres);
    to_postgres(&setup, &target).ok();
    // As if it had been killed before it marked the source.
    setup.run(&["maintenance", "off"]).ok();
    to_postgres(&setup, &target).ok();
    assert!(setup.run(&["maintenance"]).ok().contains("Maintenance is on"));

    let back = format!("sqlite:{}", setup.folder().join("back").display());
    let move_back = || setup.run(&["move", "--to", &back, "--database", target.database().unwrap()]);
    move_back().ok();
    move_back().ok();
    setup.tamper("update lists set name = 'other'");
    to_postgres(&setup, &target).fails(&["not empty", "Nothing was moved"]);
}

#[test]
fn an_interrupted_move_leaves_the_target_empty_and_can_be_repeated() {
    let (setup, _, _) = used(Engine::Sqlite);
    // Large enough to be interrupted in the middle.
    setup.tamper(
        "with recursive k(n) as (select 1 union all select n + 1 from k where n < 200000)
         insert into recipients (store_id, recipient_id, refused_at) select 1, randomblob(16), n from k",
    );
    let before = dumped(&Location::Sqlite(setup.file()));
    let target = Setup::on(Engine::Postgres);
    let url = target.database().unwrap();
    let mut command = setup.command(&["move", "--to", url]);
    let log = fs::File::create(setup.folder().join("log")).unwrap();
    let mut child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let stderr = || fs::read_to_string(setup.folder().join("log")).unwrap();
    until("it has begun", || stderr().contains("moving"));
    assert!(
        std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success()
    );
    assert!(!child.wait().unwrap().success());
    assert!(stderr().contains("nothing was moved"), "{}", stderr());
    assert_eq!(dumped(&Location::Sqlite(setup.file())), before);
    setup.json(&["move", "--to", url]);
    assert_eq!(dumped(&Location::Postgres(url.to_owned())), before);
}

#[test]
fn an_invalid_target_is_rejected_with_the_remedy() {
    let (setup, _, _) = used(Engine::Sqlite);
    for wrong in ["mysql://x", "sqlite:", "elsewhere"] {
        setup.run(&["move", "--to", wrong]).fails(&["--to must be postgres://", "sqlite:DIR"]);
    }
    setup.run(&["move", "--to", "sqlite:elsewhere"]).fails(&["same engine", "wishbone backup"]);
    setup.run(&["move"]).fails(&["--to"]);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unreachable = setup.run(&["move", "--to", &format!("postgres://a:hunter2@127.0.0.1:{port}/c")]);
    unreachable.fails(&["not available", "Nothing was moved"]);
    assert!(!unreachable.stderr.contains("hunter2"));
    assert_eq!(setup.json(&["maintenance"])["maintenance"], false);
}

/// Backups, the check and the move derive the tables from the text of the schema.
#[test]
fn the_schema_lists_all_tables_of_the_database() {
    let setup = Setup::new();
    setup.create_store();
    let connection = rusqlite::Connection::open(setup.file()).unwrap();
    let mut statement = connection
        .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
        .unwrap();
    let found: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut known = tables(MIGRATIONS);
    known.sort_unstable();
    assert_eq!(found, known);
}
