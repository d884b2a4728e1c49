//! The server's clock jumps, back and forth, by up to hours.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::bed::{Outcome, Stage};
use super::load::Load;
use crate::parts::server::Server;

const WORKERS: usize = 8;
/// Debian's libfaketime, by architecture.
const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let Some(library) = library() else {
        return Ok(Outcome::skipped("libfaketime is not installed. Next step:  apt-get install faketime"));
    };
    let (place, _cluster) = stage.place()?;
    let clock = stage.folder.join("clock");
    set(&clock, 0)?;
    let mut command = place.command(&["serve", "--json", "--listen", "127.0.0.1:0", "--log", "warn"])?;
    let log = fs::File::create(stage.folder.join("server.log"))?;
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", &clock)
        .env("FAKETIME_NO_CACHE", "1")
        // What the system calls monotonic never jumps.
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("DONT_FAKE_MONOTONIC", "1")
        .stdout(Stdio::piped())
        .stderr(log);
    let server = Server::start(command)?;
    let mut load = stage.load(&place, &server, WORKERS)?;
    prove(stage, &clock, &mut load)?;
    load.begin();
    for jump in 1..=stage.times {
        let calls = stage.rng.u64(1..40);
        stage.wait_for_answers(&load, calls)?;
        // Less than a day: after that an idempotency key may be forgotten.
        let far = stage.rng.i64(-10 * 3_600..10 * 3_600);
        let near = stage.rng.i64(-5..5);
        set(&clock, if jump % 2 == 0 { far } else { near })?;
        if !load.ledger.problems().is_empty() {
            break;
        }
    }
    set(&clock, 0)?;
    stage.say(&format!("jumped {} times, {} calls answered", stage.times, load.ledger.answered()));
    stage.wait_for_answers(&load, 50)?;
    let outcome = Outcome::of(load, &place, stage.times);
    drop(server);
    outcome
}

fn library() -> Option<String> {
    let architectures = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path().join(LIBRARY));
    architectures.into_iter().find(|path| path.exists()).map(|path| path.display().to_string())
}

/// The server has the clock that it is given.
fn prove(stage: &Stage, clock: &Path, load: &mut Load) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for hours in [0, 5] {
        set(clock, hours * 3_600)?;
        let made = load.with_worker(async |worker| worker.creation_time().await);
        times.push(made.map_err(|problem| anyhow::anyhow!("{}", problem.0))?);
    }
    let hours = (times[1] - times[0]) as f64 / 3_600_000.0;
    anyhow::ensure!((4.9..5.5).contains(&hours), "the clock was to jump by 5 hours and jumped by {hours}");
    stage.say("the server's clock follows");
    Ok(())
}

/// So many seconds from the true time, in one step: a reader must never see half of it.
fn set(clock: &Path, seconds: i64) -> std::io::Result<()> {
    let new = clock.with_extension("new");
    fs::write(&new, format!("{seconds:+}s\n"))?;
    fs::rename(&new, clock)
}
