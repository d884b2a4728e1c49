//! A page of the database file is overwritten with noise. That must be found and said, and a backup must help.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use super::bed::{Outcome, Stage};
use super::load::{Load, check};
use crate::parts::server::Place;

const WORKERS: usize = 8;
const PAGE: u64 = 4096;

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let (place, _) = stage.place()?;
    let mut server = stage.serve(&place, 0, &[])?;
    let port = server.address.port();
    let mut load = stage.load(&place, &server, WORKERS)?;
    for round in 1..=stage.times {
        load.begin();
        stage.wait_for_answers(&load, if stage.is_short { 150 } else { 400 })?;
        load.rest()?;
        let backup = stage.folder.join(format!("backup-{round}"));
        let made = place.command(&["backup", "--to", &backup.display().to_string()])?.output()?;
        ensure!(made.status.success(), "wishbone backup failed: {}", String::from_utf8_lossy(&made.stderr));
        server.stop()?;

        let page = spoil(stage, &place)?;
        let found = check(&place)?;
        stage.say(&format!("page {page} spoilt: wishbone check finds {}", found.first().map_or("nothing", |it| it)));
        notice(stage, &place, port, &mut load)?;

        fs::rename(&place.data, stage.folder.join(format!("damaged-{round}")))?;
        let copied = Command::new("cp").arg("-a").arg(&backup).arg(&place.data).status()?;
        ensure!(copied.success(), "the backup cannot be copied");
        server = stage.serve(&place, port, &[])?;
        load.verify()?;
        if !load.ledger.problems().is_empty() {
            break;
        }
    }
    let outcome = Outcome::of(load, &place, stage.times);
    drop(server);
    outcome
}

/// Overwrites a page in the middle that holds something: one that was free is not missed by anyone.
fn spoil(stage: &mut Stage, place: &Place) -> anyhow::Result<u64> {
    let path = place.data.join("wishbone.db");
    let pages = fs::metadata(&path)?.len() / PAGE;
    for _ in 0..100 {
        let page = stage.rng.u64(pages / 4..pages);
        let whole = fs::read(&path)?;
        let mut noise = [0; PAGE as usize];
        stage.rng.fill(&mut noise);
        File::options().write(true).open(&path)?.write_all_at(&noise, page * PAGE)?;
        if !check(place)?.is_empty() {
            return Ok(page + 1);
        }
        fs::write(&path, whole)?;
    }
    anyhow::bail!("there is no page that would be missed")
}

/// The server on a damaged file: it says so when it starts or when it meets the damage, and answers nothing wrong.
fn notice(stage: &Stage, place: &Place, port: u16, load: &mut Load) -> anyhow::Result<()> {
    let log = stage.folder.join("server.log");
    let before = read(&log).len();
    match stage.serve(place, port, &[]) {
        Err(error) => stage.say(&format!("the server does not start: {error:#}")),
        Ok(server) => {
            let (right, refused, wrong) = load.read_all();
            server.kill()?;
            for what in wrong {
                load.ledger.problem(0, &format!("on a damaged file: {what}"));
            }
            let log = read(&log);
            let said = log[before..].lines().find(|line| line.contains("damaged"));
            if refused > 0 {
                let said = said.context("the server met the damage, and its log does not say so")?;
                ensure!(said.contains("wishbone check"), "the log does not say what to do: {said}");
            }
            stage.say(&format!("{right} reads were right, {refused} refused"));
        }
    }
    Ok(())
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
