//! From one engine to the other, with nothing lost on the way.

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
        // Maintenance is the one thing that differs on purpose.
        for table in tables(MIGRATIONS).into_iter().filter(|table| *table != "server") {
            out.push((table, database.dump(table).await.unwrap()));
        }
        out
    })
}

/// A place whose shoppers have used a bit of everything; its server is stopped.
fn used(engine: Engine) -> (Setup, Buyer, String) {
    let place = Setup::on(engine);
    let (server, shop) = place.shop(&[]);
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
    (place, ann, lid)
}

fn to_postgres(place: &Setup, target: &Setup) -> Finished {
    place.run(&["move", "--to", target.database().unwrap()])
}

#[test]
fn everything_moves_to_postgresql_and_back_and_shoppers_stay_logged_in() {
    let (place, ann, lid) = used(Engine::Sqlite);
    let before = dumped(&Location::Sqlite(place.file()));
    let target = Setup::on(Engine::Postgres);
    let url = target.database().unwrap().to_owned();
    let said = place.json(&["move", "--to", &url]);
    assert_eq!(
        (&said["verified"], &said["rows"]["items"], &said["secret_key"]),
        (&true.into(), &4.into(), &true.into())
    );
    assert_eq!(dumped(&Location::Postgres(url.clone())), before);

    let mut serve = place.bare(&["serve", "--listen", "127.0.0.1:0", "--database", &url, "--data"]);
    serve.arg(place.data());
    let server = crate::support::process::Server::start(serve, place.folder());
    assert_eq!(ann.at(&server).contents(&lid), [9, 3, 2, 1]);
    ann.at(&server).add(&lid, 10).ok();
    server.stop();

    // Whoever starts the old one by mistake finds it closed.
    let old = place.serve(&[]);
    ann.at(&old).post("lists/fetch-lists", &[]).fails(503, "maintenance");
    old.stop();

    let mut back = place.bare(&["move", "--database", &url, "--to", "sqlite:again", "--data"]);
    back.arg(place.data());
    Finished::of(back).ok();
    let again = place.folder().join("again");
    let after = dumped(&Location::Postgres(url));
    assert_eq!(dumped(&Location::Sqlite(again.join("wishbone.db"))), after);
    assert_ne!(after, before);
    let mut serve = place.bare(&["serve", "--listen", "127.0.0.1:0", "--data"]);
    serve.arg(&again);
    let server = crate::support::process::Server::start(serve, place.folder());
    assert_eq!(ann.at(&server).contents(&lid), [10, 9, 3, 2, 1]);
}

#[test]
fn a_database_in_use_is_not_moved() {
    let (place, ann, lid) = used(Engine::Sqlite);
    let target = Setup::on(Engine::Postgres);
    let server = place.serve(&[]);
    to_postgres(&place, &target).fails(&["open", "stop it first", "Nothing was moved"]);
    ann.at(&server).add(&lid, 4).ok();
    server.stop();
    to_postgres(&place, &target).ok();

    let server = target.serve(&[]);
    let mut back = place.bare(&["move", "--to", "sqlite:again", "--database", target.database().unwrap()]);
    back.arg("--data").arg(place.data());
    Finished::of(back).fails(&["connected", "stop it first", "Nothing was moved"]);
    server.stop();
    assert!(!place.folder().join("again/wishbone.db").exists());
}

#[test]
fn a_target_that_has_something_is_left_alone() {
    let (place, _, _) = used(Engine::Sqlite);
    let (target, _, _) = used(Engine::Postgres);
    let before = dumped(&Location::Postgres(target.database().unwrap().to_owned()));
    to_postgres(&place, &target).fails(&["not empty", "new database", "Nothing was moved"]);
    assert_eq!(dumped(&Location::Postgres(target.database().unwrap().to_owned())), before);

    target
        .run(&["move", "--to", &format!("sqlite:{}", place.data().display())])
        .fails(&["there already", "empty folder"]);
}

#[test]
fn a_move_that_is_stopped_leaves_nothing_and_can_be_started_again() {
    let (place, _, _) = used(Engine::Sqlite);
    // Enough to be caught in the middle.
    place.tamper(
        "with recursive k(n) as (select 1 union all select n + 1 from k where n < 200000)
         insert into recipients select 1, randomblob(16), n from k",
    );
    let before = dumped(&Location::Sqlite(place.file()));
    let target = Setup::on(Engine::Postgres);
    let url = target.database().unwrap();
    let mut command = place.command(&["move", "--to", url]);
    let log = fs::File::create(place.folder().join("log")).unwrap();
    let mut child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let said = || fs::read_to_string(place.folder().join("log")).unwrap();
    until("it has begun", || said().contains("moving"));
    assert!(
        std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success()
    );
    assert!(!child.wait().unwrap().success());
    assert!(said().contains("as empty as it was"), "{}", said());
    assert_eq!(dumped(&Location::Sqlite(place.file())), before);
    place.json(&["move", "--to", url]);
    assert_eq!(dumped(&Location::Postgres(url.to_owned())), before);
}

#[test]
fn a_wrong_target_is_refused_with_what_to_write() {
    let (place, _, _) = used(Engine::Sqlite);
    for wrong in ["mysql://x", "sqlite:", "elsewhere"] {
        place.run(&["move", "--to", wrong]).fails(&["--to must be postgres://", "sqlite:DIR"]);
    }
    place.run(&["move", "--to", "sqlite:elsewhere"]).fails(&["same kind", "wishbone backup"]);
    place.run(&["move"]).fails(&["--to"]);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unreachable = place.run(&["move", "--to", &format!("postgres://a:hunter2@127.0.0.1:{port}/c")]);
    unreachable.fails(&["not available", "Nothing was moved"]);
    assert!(!unreachable.stderr.contains("hunter2"));
    assert_eq!(place.json(&["maintenance"])["maintenance"], false);
}

/// The schema's text is where backups, the check and the move find the tables.
#[test]
fn the_tables_of_the_schema_are_those_of_the_database() {
    let place = Setup::new();
    place.create_store();
    let connection = rusqlite::Connection::open(place.file()).unwrap();
    let mut statement = connection
        .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name")
        .unwrap();
    let found: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut known = tables(MIGRATIONS);
    known.sort_unstable();
    assert_eq!(found, known);
}
