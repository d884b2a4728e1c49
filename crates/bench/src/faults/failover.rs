//! The primary PostgreSQL cluster fails, and its synchronous standby is promoted.

use std::time::Duration;

use rustix::process::Signal;

use super::environment::{Environment, Outcome};
use super::replication;

const WORKERS: usize = 8;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (mut primary, mut standby, location) = replication::create(env)?;
    let server = env.serve(&location, 0, &["--request-timeout", "8"])?;
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    for failover in 1..=env.times {
        env.wait_for_writes(&load, 100)?;
        if failover % 5 == 1 {
            // For longer than the statement timeout. The primary fails before the commits are replicated.
            let pause = Duration::from_secs(if env.is_short { 1 } else { 6 });
            replication::suspend_standby(env, &load, &standby, || std::thread::sleep(pause))?;
        }
        env.pause(0..50);
        if failover % 5 == 3 {
            // A hanging host still accepts connections, but does not respond.
            primary.signal_all(Signal::STOP)?;
            replication::promote(&standby)?;
            env.log_progress("the primary hangs …");
            env.wait_for_writes(&load, 20)?;
        }
        primary.kill_all()?;
        if failover % 5 != 3 {
            replication::promote(&standby)?;
        }
        env.log_progress(&format!("{failover} failovers, {} calls acknowledged", load.ledger.acknowledged()));
        if failover == env.times || !load.ledger.violations().is_empty() {
            break;
        }
        (primary, standby) = replication::switch_roles(env, primary, standby)?;
    }
    env.wait_for_writes(&load, 100)?;
    let outcome = Outcome::of(load, &location, env.times);
    drop(server);
    outcome
}
