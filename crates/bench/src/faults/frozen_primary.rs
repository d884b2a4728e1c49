//! The primary PostgreSQL cluster freezes: its kernel still accepts connections and acknowledges packets, but nothing
//! responds. Its synchronous standby is promoted.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::environment::{Environment, Outcome};
use super::replication;

const WORKERS: usize = 8;
/// The longest tolerated time without writes. The server needs up to 3.5 s to detect a frozen host; the rest is for the
/// promotion, on a busy machine.
const MAX_OUTAGE: Duration = Duration::from_secs(10);

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (mut primary, mut standby, location) = replication::create(env)?;
    let server = env.serve(&location, 0, &[])?;
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    for fault in 1..=env.times {
        env.wait_for_writes(&load, 200)?;
        env.pause(0..1_000);
        load.ledger.take_longest();
        primary.signal_all(Signal::STOP)?;
        let frozen = Instant::now();
        replication::promote(&standby)?;
        let promoted = frozen.elapsed();
        env.wait_for_writes(&load, 1)?;
        let outage = frozen.elapsed();
        // Also the calls that were in progress.
        env.wait_for_writes(&load, 200)?;
        env.log_progress(&format!(
            "frozen: promoted after {:.1} s, the next write after {:.1} s; longest call {:.1} s",
            promoted.as_secs_f64(),
            outage.as_secs_f64(),
            load.ledger.take_longest().as_secs_f64()
        ));
        if outage > MAX_OUTAGE {
            load.ledger.violation(0, &format!("no write was acknowledged for {outage:?}"));
        }
        if fault == env.times || !load.ledger.violations().is_empty() {
            break;
        }
        (primary, standby) = replication::switch_roles(env, primary, standby)?;
    }
    let outcome = Outcome::of(load, &location, env.times);
    drop((server, primary));
    outcome
}
