//! Backups taken while servers run, and their restoration.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::Engine;
use crate::support::process::{Ending, Finished, Setup, until};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_backup_taken_under_writes_is_consistent_and_can_be_restored() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
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
        let ending = Ending(&done);
        until("something was written", || !ann.contents(&lid).is_empty());
        let made = setup.run(&["backup", "--to", "copy", "--json"]);
        drop(ending);
        (made, writing.join().unwrap())
    });
    let made = made.json();
    assert_eq!(
        (&made["backup"], &made["secret_key"], &made["rows"]["lists"]),
        (&"copy".into(), &true.into(), &2.into())
    );
    server.stop();

    // As the documentation says.
    let copy = setup.folder().join("copy");
    let restore = format!("mv {0} {0}.damaged && cp -a {1} {0}", setup.data().display(), copy.display());
    assert!(std::process::Command::new("sh").args(["-c", &restore]).status().unwrap().success());
    assert_eq!(setup.json(&["check"])["ok"], true);
    let server = setup.serve(&[]);
    let ann = ann.at(&server);
    assert_eq!(ann.contents(&before), [2, 1]);
    // Everything written up to the time of the snapshot, newest first.
    let kept = ann.contents(&lid);
    assert!(!kept.is_empty() && kept.len() as i64 <= written, "{} of {written}", kept.len());
    assert_eq!(kept, (1..=kept.len() as i64).rev().collect::<Vec<_>>());
    assert_eq!(made["rows"]["items"], 2 + kept.len());
    ann.add(&lid, written + 1).ok();
}

#[test]
fn a_backup_is_private_and_self_contained() {
    let setup = Setup::new();
    let (server, _) = setup.shop(&[]);
    let said = setup.run(&["backup", "--to", "copy"]);
    for words in ["1 store,", "verified", "secret key", "cp -a copy"] {
        assert!(said.ok().contains(words), "{said:?}");
    }
    server.kill();
    let copy = setup.folder().join("copy");
    assert_eq!(names(&copy), ["secret.key", "wishbone.db"]);
    assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o700);
    for name in names(&copy) {
        assert_eq!(fs::metadata(copy.join(name)).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_backup_never_overwrites_anything() {
    let setup = Setup::new();
    setup.create_store();
    fs::create_dir(setup.folder().join("full")).unwrap();
    fs::write(setup.folder().join("full/notes"), "mine").unwrap();
    fs::write(setup.folder().join("file"), "mine").unwrap();
    for taken in ["full", "file"] {
        setup.run(&["backup", "--to", taken]).fails(&[taken, "already exists", "--to"]);
    }
    assert_eq!(names(&setup.folder().join("full")), ["notes"]);
    setup.run(&["backup", "--to", "no/such/folder"]).fails(&["no/such", "choose another folder with --to"]);
    let data = names(&setup.data());
    setup.run(&["backup", "--to", "data/copy"]).fails(&["inside the data folder", "choose another folder with --to"]);
    assert_eq!(names(&setup.data()), data);
    fs::create_dir(setup.folder().join("empty")).unwrap();
    setup.run(&["backup", "--to", "empty"]).ok();
    assert_eq!(names(&setup.folder().join("empty")), ["secret.key", "wishbone.db"]);
}

#[test]
fn a_backup_is_named_after_the_time_by_default() {
    let setup = Setup::new();
    setup.create_store();
    let made = setup.json(&["backup"]);
    let name = made["backup"].as_str().unwrap();
    assert!(name.starts_with("wishbone-backup-2") && setup.folder().join(name).join("wishbone.db").exists(), "{name}");
}

#[test]
fn a_damaged_database_is_reported_and_not_copied() {
    let setup = Setup::new();
    setup.create_store();
    let mut bytes = fs::read(setup.file()).unwrap();
    let (page, end) = (4096, bytes.len());
    bytes[page..end.min(20 * page)].fill(0x55);
    fs::write(setup.file(), bytes).unwrap();
    setup.run(&["backup", "--to", "copy"]).fails(&["damaged", "wishbone check", "last good backup"]);
    assert_eq!(names(setup.folder()), ["data"]);
}

#[test]
fn an_interrupted_backup_leaves_no_files() {
    let setup = Setup::new();
    setup.create_store();
    // Large enough to be interrupted in the middle.
    let connection = rusqlite::Connection::open(setup.file()).unwrap();
    connection
        .execute_batch(
            "create table bulk (n integer primary key, text text);
             with recursive k(n) as (select 1 union all select n + 1 from k where n < 100000)
             insert into bulk select n, hex(zeroblob(1000)) from k",
        )
        .unwrap();
    drop(connection);
    let mut command = setup.command(&["backup", "--to", "copy"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("it has begun", || names(setup.folder()).iter().any(|name| name.starts_with("copy.unfinished")));
    let kill = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was written"), "{output:?}");
    assert_eq!(names(setup.folder()), ["data"]);
}

#[test]
fn a_backup_does_not_change_the_schema() {
    let setup = Setup::new();
    setup.create_store();
    let version = |file: &Path| -> i64 {
        let connection = rusqlite::Connection::open(file).unwrap();
        connection.query_row("select max(number) from schema_versions", [], |row| row.get(0)).unwrap()
    };
    setup.tamper("delete from schema_versions where number = (select max(number) from schema_versions)");
    let before = version(&setup.file());
    setup.run(&["backup", "--to", "copy"]).ok();
    assert_eq!((version(&setup.file()), version(&setup.folder().join("copy/wishbone.db"))), (before, before));
}

/// Adds the PATH, so that the command finds PostgreSQL's tools.
fn with_path(mut command: std::process::Command) -> std::process::Command {
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command
}

#[test]
fn a_backup_of_postgresql_is_restored_with_pg_restore() {
    let setup = Setup::on(Engine::Postgres);
    let (server, shop) = setup.shop(&[]);
    let ann = shop.login("ann@example.com");
    let lid = ann.list("Wishes");
    ann.add(&lid, 7).ok();
    let made = Finished::of(with_path(setup.command(&["backup", "--to", "copy", "--json"]))).json();
    assert_eq!(made["secret_key"], true);
    let file = setup.folder().join("copy/wishbone.dump");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    ann.add(&lid, 8).ok();
    server.stop();

    let all = wishbone_storage::tables(wishbone_core::registry::MIGRATIONS);
    setup.tamper(&format!("drop table {}", all.join(", ")));
    let mut restore = with_path(std::process::Command::new("pg_restore"));
    restore.args(["--no-owner", "--single-transaction", "--dbname", setup.database().unwrap()]).arg(file);
    Finished::of(restore).ok();
    assert_eq!(setup.json(&["check"])["ok"], true);
    assert_eq!(ann.at(&setup.serve(&[])).contents(&lid), [7]);
}

#[test]
fn a_backup_without_pg_dump_reports_what_to_install() {
    let setup = Setup::on(Engine::Postgres);
    setup.create_store();
    let mut command = setup.command(&["backup"]);
    command.env("PATH", setup.folder());
    Finished::of(command).fails(&["pg_dump is not installed", "postgresql-client"]);
    assert!(!names(setup.folder()).iter().any(|name| name.contains("backup")));
}
