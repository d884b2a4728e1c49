//! The synchronous standby is away: writes wait for it, and reads go on.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::environment::{Environment, Outcome};
use super::load::Load;
use super::replication;
use crate::processes::postgres::Cluster;

/// More than there are connections in the pool, each with a write that waits.
const WRITERS: usize = 40;
const READERS: usize = 4;
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (primary, standby, location) = replication::create(env)?;
    let server = env.serve(&location, 0, &[])?;
    let path = env.folder.join("readers.txt");
    let mut readers = Load::prepare(&location, server.address, &path, env.rng.u64(..), READERS)?;
    let mut load = env.load(&location, &server, WRITERS)?;
    load.start();
    for fault in 1..=env.times {
        env.wait_for_writes(&load, 200)?;
        let span = Duration::from_secs(if env.is_short { 3 } else { 20 });
        let (read, rejected) = replication::suspend_standby(env, &load, &standby, || {
            let (mut read, mut rejected, began) = (0, 0, Instant::now());
            while began.elapsed() < span {
                let (right, failed, wrong) = readers.read_all();
                (read, rejected) = (read + right, rejected + failed);
                wrong.iter().for_each(|what| load.ledger.violation(0, what));
            }
            (read, rejected)
        })?;
        if rejected > 0 || read == 0 {
            let what = format!("{rejected} of {} reads failed while writes waited for the standby", read + rejected);
            load.ledger.violation(0, &what);
        }
        cancel_commits(&primary, &load)?;
        standby.signal_all(Signal::CONT)?;
        let returned = Instant::now();
        env.wait_for_writes(&load, 1)?;
        env.log_progress(&format!(
            "{fault} times away: {read} reads, {rejected} failed; the next write {:.1} s after its return",
            returned.elapsed().as_secs_f64()
        ));
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    env.wait_for_writes(&load, 200)?;
    let outcome = Outcome::of(load, &location, env.times);
    drop((server, primary));
    outcome
}

/// What an operator who loses patience may do: the commits are then complete on the primary only, and PostgreSQL
/// acknowledges them with a warning.
fn cancel_commits(primary: &Cluster, load: &Load) -> anyhow::Result<()> {
    let (before, began) = (load.ledger.reported_unknown(), Instant::now());
    while load.ledger.reported_unknown() == before {
        anyhow::ensure!(began.elapsed() < TIMEOUT, "no cancelled commit was reported as outcome-unknown");
        primary.sql("postgres", "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")?;
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
