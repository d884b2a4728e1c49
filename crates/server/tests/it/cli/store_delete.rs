//! `wishbone store delete`: everything of the store, and nothing of another.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use wishbone_core::registry::{MIGRATIONS, default_options, layout};
use wishbone_storage::{Database, Location};

use crate::support::Engine;
use crate::support::process::{Ending, Setup, until};

impl Setup {
    /// Runs a task on the database.
    fn with_database<T>(&self, task: impl AsyncFnOnce(&Database) -> T) -> T {
        let location = match self.database() {
            Some(url) => Location::Postgres(url.to_owned()),
            None => Location::Sqlite(self.file()),
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime
            .block_on(async { task(&Database::open(&location, MIGRATIONS, &default_options()).await.unwrap()).await })
    }

    /// The rows of every table that has a column `store_id`, as the database describes itself, by table and store.
    fn rows_by_store(&self) -> BTreeMap<(&'static str, i64), Vec<String>> {
        self.with_database(async |database| {
            let mut rows: BTreeMap<_, Vec<String>> = BTreeMap::new();
            for line in database.describe().await.unwrap() {
                let Some((table, _)) = line.split_once(".store_id ") else { continue };
                let table = wishbone_storage::tables(MIGRATIONS).into_iter().find(|known| *known == table).unwrap();
                for row in database.dump(table).await.unwrap() {
                    let store = row.split(" | ").next().unwrap().parse().unwrap();
                    rows.entry((table, store)).or_default().push(row);
                }
            }
            rows
        })
    }

    /// Adds rows to every table of a store, in some tables more than a step deletes.
    fn fill(&self, store: i64) {
        let described = self.with_database(async |database| database.describe().await.unwrap());
        let mut sql = String::new();
        for table in layout().distributed.into_iter().filter(|table| *table != "store_states") {
            let prefix = format!("{table}.");
            let columns: Vec<_> =
                described.iter().filter_map(|line| line.strip_prefix(&prefix)?.split_once(' ')).collect();
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            let count = if ["items", "wishes", "mails"].contains(&table) { 1_001 } else { 3 };
            let row = |n: usize| {
                let value = |(name, kind): &(&str, &str)| match (*name, kind.strip_suffix(" not null").unwrap_or(kind))
                {
                    ("store_id", _) => store.to_string(),
                    (_, "blob") if self.database().is_some() => format!("'\\x{n:032x}'"),
                    (_, "blob") => format!("x'{n:032x}'"),
                    (_, "text") => format!("'t{n}'"),
                    _ => n.to_string(),
                };
                format!("({})", columns.iter().map(value).collect::<Vec<_>>().join(", "))
            };
            let rows: Vec<String> = (0..count).map(row).collect();
            sql += &format!("insert into {table} ({}) values {};\n", names.join(", "), rows.join(", "));
        }
        self.tamper(&sql);
    }

    fn delete(&self, pid: &str, name: &str) -> crate::support::process::Finished {
        self.run(&["store", "delete", pid, "--confirm", name, "--wait", "0"])
    }
}

/// What is left of a store, by table.
fn of_store<'a>(rows: &'a BTreeMap<(&'static str, i64), Vec<String>>, id: i64) -> Vec<(&'static str, &'a [String])> {
    rows.iter().filter(|((_, store), _)| *store == id).map(|((table, _), rows)| (*table, &rows[..])).collect()
}

both_setups! {
    // The tables are those that the database has, so that one that is added later is among them.
    fn nothing_of_the_store_is_left_in_any_table_and_all_of_another(setup: Setup) {
        let (a, _) = setup.create_store();
        setup.json(&["store", "create", "--name", "Other"]);
        setup.fill(1);
        setup.fill(2);
        let before = setup.rows_by_store();
        for store in [1, 2] {
            assert_eq!(of_store(&before, store).len(), layout().distributed.len() + 1, "every table has rows");
        }
        let rows: usize = of_store(&before, 1).iter().map(|(_, rows)| rows.len()).sum();
        let deleted = setup.delete(&a, "Test");
        // The store itself and its state are not counted.
        assert!(deleted.ok().contains(&format!("Deleted Test with {} rows.", rows - 2)), "{deleted:?}");
        assert!(deleted.stderr.contains("deleting"), "it shows progress: {deleted:?}");
        let after = setup.rows_by_store();
        assert_eq!(of_store(&after, 1), []);
        assert_eq!(of_store(&after, 2), of_store(&before, 2));
        setup.run(&["store", "show", &a]).fails(&["unknown store"]);
        setup.delete(&a, "Test").fails(&["unknown store"]);
    }

    fn the_name_must_be_given_and_nothing_else_deletes(setup: Setup) {
        let pid = setup.json(&["store", "create", "--name", "Ann's shop"])["pid"].as_str().unwrap().to_owned();
        setup.run(&["store", "delete", &pid]).fails(&["cannot be undone", r"--confirm 'Ann'\''s shop'"]);
        setup.run(&["store", "delete", &pid, "--confirm", "ann's shop"]).fails(&["--confirm", "Ann's shop", "nothing was deleted"]);
        setup.run(&["store", "delete", "typo", "--confirm", "typo"]).fails(&["unknown store", "wishbone store list"]);
        setup.json(&["store", "create", "--name", "Ann's shop"]);
        setup.delete("Ann's shop", "Ann's shop").fails(&["2 stores are named", &pid]);
        assert_eq!(setup.json(&["store", "list"])["stores"].as_array().unwrap().len(), 2);
        let deleted = setup.json(&["store", "delete", &pid, "--confirm", "Ann's shop", "--wait", "0"]);
        assert_eq!((&deleted["deleted"], &deleted["name"]), (&json!(true), &json!("Ann's shop")));
        assert_eq!(setup.json(&["store", "list"])["stores"].as_array().unwrap().len(), 1);
    }

    fn a_store_is_unknown_from_the_beginning_and_its_deletion_goes_on_after_a_kill(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let other = setup.json(&["store", "create", "--name", "Other"]);
        let other = server.shop(other["pid"].as_str().unwrap(), other["apikey"].as_str().unwrap());
        let (ann, bea) = (shop.login("ann@example.com"), other.login("bea@example.com"));
        let (lid, kept) = (ann.list("Summer"), bea.list("Winter"));
        ann.add(&lid, 1).ok();
        bea.add(&kept, 1).ok();
        assert_eq!((ann.contents(&lid), bea.contents(&kept)), (vec![1], vec![1]), "the server has them in memory");
        setup.fill(1);

        let log = setup.folder().join("killed.log");
        let mut command = setup.command(&["store", "delete", &shop.pid, "--confirm", "Test"]);
        let mut child = command.stderr(File::create(&log).unwrap()).spawn().unwrap();
        until("it deletes", || std::fs::read_to_string(&log).unwrap().contains("deleting"));
        child.kill().unwrap();
        child.wait().unwrap();

        shop.me().fails(401, "bad-api-key");
        ann.post("lists/fetch-lists", &[]).fails(401, "unknown-store");
        setup.run(&["store", "show", &shop.pid]).fails(&["unknown store"]);
        setup.run(&["store", "create", "--name", "B", "--pid", &shop.pid]).fails(&["pid", "another store"]);
        let listed = setup.run(&["store", "list"]);
        assert!(listed.ok().contains(&format!("being deleted; to go on, run: wishbone store delete {}", shop.pid)), "{listed:?}");
        let listed = setup.json(&["store", "list"]);
        assert_eq!(listed["deleting"][0]["pid"], json!(shop.pid));
        assert_eq!(listed["stores"].as_array().unwrap().len(), 1);
        let checked = setup.run(&["check"]);
        assert!(checked.stderr.contains("is being deleted"));
        // The values that the test has filled in do not exist; that others of the store are gone is no fault.
        let faults: Vec<&str> = checked.stdout.lines().filter(|line| line.starts_with("FAULT  store")).collect();
        assert!(faults.iter().all(|fault| fault.contains(" have the ")), "{faults:?}");

        setup.delete("Test", "Test").ok();
        assert_eq!(of_store(&setup.rows_by_store(), 1), []);
        assert_eq!(bea.contents(&kept), [1]);
        assert!(setup.run(&["check"]).ok().contains("No faults found"));

        // The pid can be used again, and is another store: what was valid in the former one is not.
        let again = setup.json(&["store", "create", "--name", "Test", "--pid", &shop.pid]);
        let again = server.shop(&shop.pid, again["apikey"].as_str().unwrap());
        again.me().ok();
        ann.post("lists/fetch-lists", &[]).fails(401, "bad-regid");
        let newcomer = again.login("ann@example.com");
        assert_eq!(newcomer.post("lists/fetch-user-lists", &[]).ok()["data"], json!([]));
        server.stop();
    }
}

both_setups! {
    fn what_requests_in_progress_have_written_is_deleted_too(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let stopped = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let ending = Ending(&stopped);
            for _ in 0..2 {
                let guest = shop.guest();
                let stopped = &stopped;
                scope.spawn(move || {
                    let mut number = 0;
                    while !stopped.load(Ordering::Relaxed) {
                        number += 1;
                        guest.post("lists/create", &[("lname", &format!("List {number}"))]);
                    }
                });
            }
            until("something is written", || setup.json(&["store", "list"])["stores"][0]["counts"]["lists"] != json!(0));
            let deleted = setup.run(&["store", "delete", &shop.pid, "--confirm", "Test", "--wait", "2"]);
            assert!(deleted.ok().contains("Deleted Test"), "{deleted:?}");
            drop(ending);
        });
        assert_eq!(of_store(&setup.rows_by_store(), 1), []);
        assert!(setup.run(&["check"]).ok().contains("No faults found"));
        assert!(!server.log().contains("ERROR"), "{}", server.log());
        server.stop();
    }

    fn stores_are_listed_with_what_they_have(setup: Setup) {
        let (server, shop) = setup.shop(&[]);
        let ann = shop.login("ann@example.com");
        ann.list("A");
        ann.list("B");
        let counts = setup.json(&["store", "list"])["stores"][0]["counts"].clone();
        assert_eq!(counts, json!({ "shoppers": 1, "lists": 2, "products": 0, "subscriptions": 0 }));
        let listed = setup.run(&["store", "list"]);
        assert!(listed.ok().contains("1 shopper, 2 lists, 0 products, 0 subscriptions"), "{listed:?}");
        server.stop();
    }
}

#[test]
fn counts_end_at_a_bound() {
    let setup = Setup::on(Engine::Sqlite);
    setup.create_store();
    let numbers = "with recursive n(n) as (select 1 union all select n + 1 from n where n < 10001)";
    let values = "select 1, n, 1, '', '{}', null, null, null, 0, 1, 0, 0, 0 from n";
    setup.tamper(&format!("insert into products {numbers} {values}"));
    assert_eq!(setup.json(&["store", "list"])["stores"][0]["counts"]["products"], json!(10_000));
    let listed = setup.run(&["store", "list"]);
    assert!(listed.ok().contains("10000+ products"), "{listed:?}");
}
