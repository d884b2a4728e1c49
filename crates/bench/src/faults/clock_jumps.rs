//! The server's clock jumps back and forth by up to ten hours.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::environment::{Environment, Outcome};
use super::load::Load;
use crate::processes::server::Server;

const WORKERS: usize = 8;
/// Debian's libfaketime, below the directory of the architecture.
const LIBRARY: &str = "faketime/libfaketimeMT.so.1";

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let Some(library) = library() else {
        return Ok(Outcome::skipped("libfaketime is not installed: run `apt-get install faketime`"));
    };
    let (location, _cluster) = env.location()?;
    let clock = env.folder.join("clock");
    set(&clock, 0)?;
    let mut command = location.command(&["serve", "--json", "--listen", "127.0.0.1:0", "--log", "warn"])?;
    let log = fs::File::create(env.folder.join("server.log"))?;
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", &clock)
        .env("FAKETIME_NO_CACHE", "1")
        // The monotonic clock never jumps.
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("DONT_FAKE_MONOTONIC", "1")
        .stdout(Stdio::piped())
        .stderr(log);
    let server = Server::start(command)?;
    let mut load = env.load(&location, &server, WORKERS)?;
    verify_clock(env, &clock, &mut load)?;
    load.start();
    for jump in 1..=env.times {
        let calls = env.rng.u64(1..40);
        env.wait_for_writes(&load, calls)?;
        // Less than a day: idempotency keys expire after that.
        let far = env.rng.i64(-10 * 3_600..10 * 3_600);
        let near = env.rng.i64(-5..5);
        set(&clock, if jump % 2 == 0 { far } else { near })?;
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    set(&clock, 0)?;
    env.log_progress(&format!("{} clock jumps, {} calls acknowledged", env.times, load.ledger.acknowledged()));
    env.wait_for_writes(&load, 50)?;
    let outcome = Outcome::of(load, &location, env.times);
    drop(server);
    outcome
}

fn library() -> Option<String> {
    let architectures = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path().join(LIBRARY));
    architectures.into_iter().find(|path| path.exists()).map(|path| path.display().to_string())
}

/// Verifies that the server's clock can be set.
fn verify_clock(env: &Environment, clock: &Path, load: &mut Load) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for hours in [0, 5] {
        set(clock, hours * 3_600)?;
        let made = load.with_worker(async |worker| worker.creation_time().await);
        times.push(made.map_err(|violation| anyhow::anyhow!("{}", violation.0))?);
    }
    let hours = (times[1] - times[0]) as f64 / 3_600_000.0;
    anyhow::ensure!((4.9..5.5).contains(&hours), "the clock should have jumped by 5 hours, not by {hours}");
    env.log_progress("the server's clock can be set");
    Ok(())
}

/// Sets the offset from the real time, atomically for readers of the file.
fn set(clock: &Path, seconds: i64) -> std::io::Result<()> {
    let new = clock.with_extension("new");
    fs::write(&new, format!("{seconds:+}s\n"))?;
    fs::rename(&new, clock)
}
