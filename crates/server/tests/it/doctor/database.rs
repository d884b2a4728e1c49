//! Broken databases.

use super::Report;
use crate::support::Engine;
use crate::support::process::Setup;

both_setups! {
    fn an_old_schema_is_a_warning_and_is_not_updated(setup: Setup) {
        setup.serve(&[]).stop();
        setup.tamper("delete from schema_versions where number > 20");
        for _ in 0..2 {
            let report = Report::run(&setup, &[]);
            report.has("database", "warning", "has schema 20, and this program needs", "wishbone backup");
            report.has("signing keys", "warning", "not compared with the database", "again");
        }
    }

    fn a_schema_of_a_newer_program_is_an_error(setup: Setup) {
        setup.serve(&[]).stop();
        setup.tamper("insert into schema_versions values (999, 'future')");
        Report::run(&setup, &[]).has("database", "error", "has schema 999", "run the newer Wishbone");
    }
}

#[test]
fn a_file_that_is_no_database_is_an_error() {
    let setup = Setup::new();
    std::fs::create_dir(setup.data()).unwrap();
    std::fs::write(setup.file(), "no database at all, but long enough to be read as one".repeat(20)).unwrap();
    Report::run(&setup, &[]).has("database", "error", "cannot be used (file is not a database)", "check --data");
}

/// A run with another URL.
fn report(setup: &Setup, url: &str, arguments: &[&str]) -> Report {
    let mut command = setup.bare(&[&["doctor", "--database", url], arguments].concat());
    command.arg("--data").arg(setup.data());
    Report::of(command)
}

#[test]
fn every_server_of_the_url_is_checked() {
    let setup = Setup::on(Engine::Postgres);
    setup.serve(&[]).stop();
    let url = setup.database().unwrap();
    let (scheme, rest) = url.split_once("://").unwrap();
    let (user, rest) = rest.split_once('@').map_or(("", rest), |(user, rest)| (user, rest));
    let at = if user.is_empty() { "" } else { "@" };
    let several = format!("{scheme}://{user}{at}127.0.0.1:1,{rest}");
    let found = report(&setup, &several, &[]);
    found.has("database", "warning", "127.0.0.1:1 cannot be used", "that the server runs");
    found.has("database", "error", "fsync off", "fsync = on");
    let none = report(&setup, &format!("{scheme}://{user}{at}127.0.0.1:1/none"), &[]);
    none.has("database", "error", "127.0.0.1:1 cannot be used", "WISHBONE_DATABASE_URL");
}

#[test]
fn settings_of_postgresql_that_lose_writes_are_errors() {
    let setup = Setup::on(Engine::Postgres);
    setup.serve(&[]).stop();
    let url = setup.database().unwrap();
    let with = |setting: &str| url.replacen("options=", &format!("options=-c{setting}%20"), 1);
    let found = report(&setup, &with("synchronous_commit%3Doff"), &[]);
    found.has("database", "error", "synchronous_commit off", "synchronous_commit = on");
    let found = report(&setup, &with("synchronous_commit%3Don"), &[]);
    assert!(!format!("{:?}", found.checks).contains("synchronous_commit"), "{:#?}", found.checks);
    let found = report(&setup, &with("default_transaction_read_only%3Don"), &[]);
    found.has("database", "error", "accepts no writes (transactions are read-only", "right to write");
}

#[test]
fn more_connections_than_postgresql_has_are_an_error() {
    let setup = Setup::on(Engine::Postgres);
    setup.serve(&[]).stop();
    let found = Report::run(&setup, &["--pool-size", "1000"]);
    found.has("database", "error", "--pool-size is 1000", "lower --pool-size, or raise max_connections");
}

#[test]
fn a_user_without_the_right_to_write_is_an_error() {
    let setup = Setup::on(Engine::Postgres);
    setup.serve(&[]).stop();
    let name = format!("reader{}", std::process::id());
    let schema = setup.database().unwrap().rsplit_once("application_name=").unwrap().1.to_owned();
    setup.tamper(&format!(
        "create role {name} login; grant usage on schema {schema} to {name}; \
         grant select on all tables in schema {schema} to {name}"
    ));
    let (scheme, rest) = setup.database().unwrap().split_once("://").unwrap();
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    let found = report(&setup, &format!("{scheme}://{name}@{rest}"), &[]);
    setup.tamper(&format!("drop owned by {name}; drop role {name}"));
    found.has("database", "error", "accepts no writes (this user may not write to the tables)", "right to write");
}
