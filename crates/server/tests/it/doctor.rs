//! `wishbone doctor`: a good setup, and for every check one that is broken.

mod database;
mod network;

use std::fs::{self, File, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::certificates::Pair;
use crate::support::process::{Finished, Setup};
use crate::support::smtp::SmtpServer;

/// The result of a run.
struct Report {
    is_ok: bool,
    checks: Vec<Value>,
}

impl Report {
    fn of(mut command: Command) -> Self {
        command.arg("--json");
        let finished = Finished::of(command);
        let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"));
        assert_eq!(finished.status.code(), Some(i32::from(report["ok"] == false)), "{finished:?}");
        Self { is_ok: report["ok"] == true, checks: report["checks"].as_array().unwrap().clone() }
    }

    fn run(setup: &Setup, arguments: &[&str]) -> Self {
        Self::of(setup.command(&[&["doctor"], arguments].concat()))
    }

    /// Asserts that a check has a finding with this status, and with these words in its fact and its remedy.
    #[track_caller]
    fn has(&self, check: &str, status: &str, fact: &str, remedy: &str) {
        let is_meant = |found: &&Value| {
            let has = |member: &str, words: &str| found[member].as_str().unwrap_or_default().contains(words);
            found["check"] == check && found["status"] == status && has("fact", fact) && has("remedy", remedy)
        };
        assert!(self.checks.iter().any(|found| is_meant(&found)), "{:#?}", self.checks);
    }

    fn of_status(&self, status: &str) -> Vec<&Value> {
        self.checks.iter().filter(|found| found["status"] == status).collect()
    }
}

/// A port that was free a moment ago: the public URL must be known before the server starts.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

both_setups! {
    fn a_good_setup_has_no_errors_and_is_not_changed(setup: Setup) {
        let pair = Pair::valid(setup.folder(), "good");
        let smtp = SmtpServer::private(setup.folder(), [&pair.certificate, &pair.key], "ann", "secret", true);
        let port = free_port();
        let (public, mail) = (format!("https://localhost:{port}"), format!("smtps://ann:secret@localhost:{}", smtp.port()));
        let settings = ["--public-url", &public, "--smtp", &mail, "--mail-from", "lists@example.com"];
        let settings = [&pair.arguments()[..], &settings[..]].concat();
        let _server = setup.serve_at(port, &settings);
        let listing = || {
            let mut names: Vec<_> = fs::read_dir(setup.data()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let before = listing();
        let mut command = setup.command(&[&["doctor"][..], &settings].concat());
        command.env("SSL_CERT_FILE", &pair.certificate);
        let report = Report::of(command);
        assert_eq!(listing(), before);
        for (check, fact) in [
            ("settings", "valid"),
            ("disk", "MiB free"),
            ("clock", "clock"),
            ("signing keys", "1 key on this machine, none is missing"),
            ("mail", "accepts this server, sender domain example.com"),
            ("certificate", "the certificate of --tls-cert is valid for"),
            ("certificate", "the certificate of the public URL is valid for"),
            ("public URL", "leads to this installation"),
            ("proxy", "no proxy in sight"),
        ] {
            report.has(check, "ok", fact, "");
        }
        if setup.database().is_some() {
            // The server of the tests is fast rather than durable; nothing else is wrong with it.
            report.has("database", "error", "fsync off", "set fsync = on");
            let errors = report.of_status("error");
            assert!(errors.iter().all(|found| found["check"] == "database"), "{errors:#?}");
        } else {
            report.has("database", "ok", "SQLite", "");
            assert!(report.is_ok, "{:#?}", report.checks);
        }
        assert_eq!(smtp.mails().len(), 0, "no mail was sent");
    }
}

#[test]
fn a_check_is_one_line_and_errors_give_exit_code_1() {
    let setup = Setup::new();
    setup.serve(&[]).stop();
    let good = setup.run(&["doctor"]);
    assert_eq!(good.status.code(), Some(0), "{good:?}");
    assert!(good.stdout.lines().all(|line| line.starts_with("ok ") || line.starts_with("warning ")), "{good:?}");
    let line = good.stdout.lines().find(|line| line.contains("public URL")).unwrap();
    assert_eq!(
        line,
        "warning  public URL    no public URL is set: set --public-url (WISHBONE_PUBLIC_URL): links in mails need it"
    );
    fs::set_permissions(setup.data().join("secret.key"), Permissions::from_mode(0o644)).unwrap();
    let bad = setup.run(&["doctor"]);
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    assert!(bad.stdout.lines().any(|line| line.starts_with("error    disk") && line.contains("chmod 600")), "{bad:?}");
}

#[test]
fn invalid_settings_are_all_reported() {
    let setup = Setup::new();
    let report = Report::run(&setup, &["--pool-size", "0", "--tls-cert", "/nowhere.pem"]);
    report.has("settings", "error", "--pool-size (WISHBONE_POOL_SIZE) must be 1 to 1000", "no other check");
    report.has("settings", "error", "must be set together", "");
    assert_eq!(report.checks.len(), 2, "{:#?}", report.checks);
    assert!(!setup.data().exists(), "nothing was made");
}

#[test]
fn a_new_installation_is_told_what_will_be_created() {
    let setup = Setup::new();
    let report = Report::run(&setup, &[]);
    report.has("database", "warning", "no database in", "wishbone serve");
    report.has("disk", "warning", "does not exist", "wishbone serve");
    assert!(!setup.data().exists(), "nothing was made");
}

#[test]
fn permissions_of_the_data_folder_are_checked() {
    let setup = Setup::new();
    setup.serve(&[]).stop();
    fs::set_permissions(setup.data(), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(setup.data().join("secret.key"), Permissions::from_mode(0o640)).unwrap();
    let report = Report::run(&setup, &[]);
    report.has("disk", "warning", "other users can look into the data folder", "chmod 700");
    report.has("disk", "error", "other users can read", "chmod 600");
    report.has("signing keys", "error", "readable by other users", "does not start");

    let file = setup.folder().join("file");
    fs::write(&file, "").unwrap();
    let report = Report::of({
        let mut command = setup.bare(&["doctor", "--data"]);
        command.arg(&file);
        command
    });
    report.has("disk", "error", "is not a folder", "--data");
}

#[test]
fn a_clock_behind_the_last_write_is_an_error() {
    let setup = Setup::new();
    setup.serve(&[]).stop();
    let later = SystemTime::now() + Duration::from_secs(3_600);
    File::options().write(true).open(setup.file()).unwrap().set_modified(later).unwrap();
    Report::run(&setup, &[]).has("clock", "error", "the database was written at", "synchronize the clocks");
}

#[test]
fn a_low_limit_on_open_files_is_a_warning() {
    let setup = Setup::new();
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_wishbone");
    command.args(["-c", &format!("ulimit -n 1000 && exec {program} doctor --json")]).current_dir(setup.folder());
    let finished = Finished::of(command);
    let report = Report { is_ok: true, checks: finished.json()["checks"].as_array().unwrap().clone() };
    report.has("open files", "warning", "instead of 20000", "LimitNOFILE");
}

#[test]
fn missing_signing_keys_are_an_error() {
    let setup = Setup::new();
    setup.serve(&[]).stop();
    let mut command = setup.command(&["doctor"]);
    command.env("WISHBONE_SECRET_KEYS", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    Report::of(command).has("signing keys", "error", "is missing", "does not start");
    fs::remove_file(setup.data().join("secret.key")).unwrap();
    let report = Report::run(&setup, &[]);
    report.has("signing keys", "error", "the database depends on 1 key", "restore secret.key from a backup");
    assert!(!setup.data().join("secret.key").exists(), "none was made");
}
