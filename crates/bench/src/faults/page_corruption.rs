//! A page of the database file is overwritten with random bytes. The corruption must be detected and reported, and
//! restoring a backup must repair it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use super::environment::{Environment, Outcome};
use super::load::{Load, check};
use crate::processes::server::DataLocation;

const WORKERS: usize = 8;
const PAGE: u64 = 4096;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (location, _) = env.location()?;
    let mut server = env.serve(&location, 0, &[])?;
    let port = server.address.port();
    let mut load = env.load(&location, &server, WORKERS)?;
    for round in 1..=env.times {
        load.start();
        env.wait_for_writes(&load, if env.is_short { 150 } else { 400 })?;
        load.stop_workers()?;
        let backup = env.folder.join(format!("backup-{round}"));
        let made = location.command(&["backup", "--to", &backup.display().to_string()])?.output()?;
        ensure!(made.status.success(), "wishbone backup failed: {}", String::from_utf8_lossy(&made.stderr));
        server.stop()?;

        let page = corrupt_page(env, &location)?;
        let found = check(&location)?;
        env.log_progress(&format!(
            "page {page} overwritten: wishbone check reports {}",
            found.first().map_or("nothing", |it| it)
        ));
        check_detection(env, &location, port, &mut load)?;

        fs::rename(&location.data, env.folder.join(format!("damaged-{round}")))?;
        let copied = Command::new("cp").arg("-a").arg(&backup).arg(&location.data).status()?;
        ensure!(copied.success(), "cannot copy the backup");
        server = env.serve(&location, port, &[])?;
        load.verify()?;
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    let outcome = Outcome::of(load, &location, env.times);
    drop(server);
    outcome
}

/// Overwrites a page that is in use; free pages are not checked.
fn corrupt_page(env: &mut Environment, location: &DataLocation) -> anyhow::Result<u64> {
    let path = location.data.join("wishbone.db");
    let pages = fs::metadata(&path)?.len() / PAGE;
    for _ in 0..100 {
        let page = env.rng.u64(pages / 4..pages);
        let whole = fs::read(&path)?;
        let mut noise = [0; PAGE as usize];
        env.rng.fill(&mut noise);
        File::options().write(true).open(&path)?.write_all_at(&noise, page * PAGE)?;
        if !check(location)?.is_empty() {
            return Ok(page + 1);
        }
        fs::write(&path, whole)?;
    }
    anyhow::bail!("no overwritten page was detected")
}

/// Runs the server on the corrupt file: it must report the corruption at start or when it reads the page, and must not
/// return wrong data.
fn check_detection(env: &Environment, location: &DataLocation, port: u16, load: &mut Load) -> anyhow::Result<()> {
    let log = env.folder.join("server.log");
    let before = read(&log).len();
    match env.serve(location, port, &[]) {
        Err(error) => env.log_progress(&format!("the server does not start: {error:#}")),
        Ok(server) => {
            let (right, rejected, wrong) = load.read_all();
            server.kill()?;
            for what in wrong {
                load.ledger.violation(0, &format!("on a corrupt file: {what}"));
            }
            let log = read(&log);
            let reported = log[before..].lines().find(|line| line.contains("corrupt"));
            if rejected > 0 {
                let line = reported.context("the server read the corrupt page, but did not log it")?;
                ensure!(line.contains("wishbone check"), "the log line has no remedy: {line}");
            }
            env.log_progress(&format!("{right} reads were correct, {rejected} failed"));
        }
    }
    Ok(())
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
