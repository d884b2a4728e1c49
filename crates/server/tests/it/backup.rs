//! Copies of the data while servers run, and what comes back from them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::Engine;
use crate::support::process::{Finished, Setup, until};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_backup_made_while_shoppers_write_is_restored_by_a_copy_and_knows_them_all() {
    let place = Setup::new();
    let (server, shop) = place.shop(&[]);
    let ann = shop.login("ann@example.com");
    let before = ann.list("Before");
    ann.add(&before, 1).ok();
    ann.add(&before, 2).ok();
    let lid = ann.list("Meanwhile");
    let done = AtomicBool::new(false);
    let (made, written) = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut epi = 0;
            while !done.load(Ordering::Relaxed) {
                epi += 1;
                ann.add(&lid, epi).ok();
            }
            epi
        });
        until("something was written", || !ann.contents(&lid).is_empty());
        let made = place.run(&["backup", "--to", "copy", "--json"]);
        done.store(true, Ordering::Relaxed);
        (made, writing.join().unwrap())
    });
    let made = made.json();
    assert_eq!(
        (&made["backup"], &made["secret_key"], &made["rows"]["lists"]),
        (&"copy".into(), &true.into(), &2.into())
    );
    server.stop();

    // As the documentation says.
    let copy = place.folder().join("copy");
    let restore = format!("mv {0} {0}.damaged && cp -a {1} {0}", place.data().display(), copy.display());
    assert!(std::process::Command::new("sh").args(["-c", &restore]).status().unwrap().success());
    assert_eq!(place.json(&["check"])["ok"], true);
    let server = place.serve(&[]);
    let ann = ann.at(&server);
    assert_eq!(ann.contents(&before), [2, 1]);
    // All that was written up to some moment, newest first.
    let kept = ann.contents(&lid);
    assert!(!kept.is_empty() && kept.len() as i64 <= written, "{} of {written}", kept.len());
    assert_eq!(kept, (1..=kept.len() as i64).rev().collect::<Vec<_>>());
    assert_eq!(made["rows"]["items"], 2 + kept.len());
    ann.add(&lid, written + 1).ok();
}

#[test]
fn a_backup_is_its_owners_alone_and_stands_alone() {
    let place = Setup::new();
    let (server, _) = place.shop(&[]);
    let said = place.run(&["backup", "--to", "copy"]);
    for words in ["1 stores", "checked", "secret key", "cp -a copy"] {
        assert!(said.ok().contains(words), "{said:?}");
    }
    server.kill();
    let copy = place.folder().join("copy");
    assert_eq!(names(&copy), ["secret.key", "wishbone.db"]);
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o700);
    for name in names(&copy) {
        assert_eq!(fs::metadata(copy.join(name)).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_backup_takes_the_place_of_nothing() {
    let place = Setup::new();
    place.create_store();
    fs::create_dir(place.folder().join("full")).unwrap();
    fs::write(place.folder().join("full/notes"), "mine").unwrap();
    fs::write(place.folder().join("file"), "mine").unwrap();
    for taken in ["full", "file"] {
        place.run(&["backup", "--to", taken]).fails(&[taken, "is there already", "--to"]);
    }
    assert_eq!(names(&place.folder().join("full")), ["notes"]);
    place.run(&["backup", "--to", "no/such/folder"]).fails(&["no/such", "choose another folder with --to"]);
    let data = names(&place.data());
    place.run(&["backup", "--to", "data/copy"]).fails(&["in the data folder", "choose another folder with --to"]);
    assert_eq!(names(&place.data()), data);
    fs::create_dir(place.folder().join("empty")).unwrap();
    place.run(&["backup", "--to", "empty"]).ok();
    assert_eq!(names(&place.folder().join("empty")), ["secret.key", "wishbone.db"]);
}

#[test]
fn without_a_name_a_backup_is_named_by_the_time() {
    let place = Setup::new();
    place.create_store();
    let made = place.json(&["backup"]);
    let name = made["backup"].as_str().unwrap();
    assert!(name.starts_with("wishbone-backup-2") && place.folder().join(name).join("wishbone.db").exists(), "{name}");
}

#[test]
fn a_damaged_database_is_not_copied_but_told() {
    let place = Setup::new();
    place.create_store();
    let mut bytes = fs::read(place.file()).unwrap();
    let (page, end) = (4096, bytes.len());
    bytes[page..end.min(20 * page)].fill(0x55);
    fs::write(place.file(), bytes).unwrap();
    place.run(&["backup", "--to", "copy"]).fails(&["damaged", "wishbone check", "last good backup"]);
    assert_eq!(names(place.folder()), ["data"]);
}

#[test]
fn a_backup_that_is_stopped_leaves_nothing() {
    let place = Setup::new();
    place.create_store();
    // Large enough to be caught in the middle.
    let connection = rusqlite::Connection::open(place.file()).unwrap();
    connection
        .execute_batch(
            "create table bulk (n integer primary key, text text);
             with recursive k(n) as (select 1 union all select n + 1 from k where n < 100000)
             insert into bulk select n, hex(zeroblob(1000)) from k",
        )
        .unwrap();
    drop(connection);
    let mut command = place.command(&["backup", "--to", "copy"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("it has begun", || names(place.folder()).iter().any(|name| name.starts_with("copy.unfinished")));
    let kill = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was written"), "{output:?}");
    assert_eq!(names(place.folder()), ["data"]);
}

#[test]
fn a_backup_leaves_the_schema_as_it_is() {
    let place = Setup::new();
    place.create_store();
    let version = |file: &Path| -> i64 {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.query_row("select max(number) from schema_versions", [], |row| row.get(0)).unwrap()
    };
    let connection = rusqlite::Connection::open(place.file()).unwrap();
    connection
        .execute_batch(
            "delete from schema_versions where number = 10; alter table stores drop column previous_key_hash;
             alter table stores drop column previous_key_until",
        )
        .unwrap();
    drop(connection);
    place.run(&["backup", "--to", "copy"]).ok();
    assert_eq!((version(&place.file()), version(&place.folder().join("copy/wishbone.db"))), (9, 9));
}

/// With the tools that are on the path.
fn with_path(mut command: std::process::Command) -> std::process::Command {
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}

#[test]
fn a_backup_of_postgresql_is_restored_by_its_own_tool() {
    let place = Setup::on(Engine::Postgres);
    let (server, shop) = place.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("Wishes");
    ann.add(&lid, 7).ok();
    let made = Finished::of(with_path(place.command(&["backup", "--to", "copy", "--json"]))).json();
    assert_eq!(made["secret_key"], true);
    let file = place.folder().join("copy/wishbone.dump");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    ann.add(&lid, 8).ok();
    server.stop();

    let all = wishbone_storage::tables(wishbone_core::registry::MIGRATIONS);
    place.tamper(&format!("drop table {}", all.join(", ")));
    let mut restore = with_path(std::process::Command::new("pg_restore"));
    restore.args(["--no-owner", "--single-transaction", "--dbname", place.database().unwrap()]).arg(file);
    Finished::of(restore).ok();
    assert_eq!(place.json(&["check"])["ok"], true);
    assert_eq!(ann.at(&place.serve(&[])).contents(&lid), [7]);
}

#[test]
fn without_postgresqls_tools_a_backup_says_what_to_install() {
    let place = Setup::on(Engine::Postgres);
    place.create_store();
    let mut command = place.command(&["backup"]);
    command.env("PATH", place.folder());
    Finished::of(command).fails(&["pg_dump is not installed", "postgresql-client"]);
    assert!(!names(place.folder()).iter().any(|name| name.contains("backup")));
}
