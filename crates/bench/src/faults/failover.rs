//! The primary PostgreSQL cluster fails, and its synchronous standby is promoted.

use std::time::{Duration, Instant};

use anyhow::ensure;
use rustix::process::Signal;

use super::environment::{Environment, Outcome};
use crate::processes::postgres::Cluster;
use crate::processes::server::DataLocation;

const WORKERS: usize = 8;
const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let mut primary = env.cluster("first", &[])?;
    let mut standby = add_standby(env, &primary, "second", None)?;
    let hosts = [&primary, &standby].map(|cluster| format!("127.0.0.1:{}", cluster.port())).join(",");
    // Selects the host that accepts writes.
    let url = format!("postgres://postgres@{hosts}/wishbone?target_session_attrs=read-write");
    let location = DataLocation { data: env.folder.join("data"), database: Some(url) };
    let server = env.serve(&location, 0, &["--request-timeout", "8"])?;
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    for failover in 1..=env.times {
        env.wait_for_writes(&load, 100)?;
        if failover % 5 == 1 {
            pause_standby(env, &load, &standby)?;
        }
        env.pause(0..50);
        if failover % 5 == 3 {
            // A hanging host still accepts connections, but does not respond.
            primary.signal_all(Signal::STOP)?;
            promote(&standby)?;
            env.log_progress("the primary hangs …");
            env.wait_for_writes(&load, 20)?;
        }
        primary.kill_all()?;
        if failover % 5 != 3 {
            promote(&standby)?;
        }
        env.log_progress(&format!("{failover} failovers, {} calls acknowledged", load.ledger.acknowledged()));
        if failover == env.times || !load.ledger.violations().is_empty() {
            break;
        }
        // The old primary may have commits that the standby lacks: it is rebuilt as a standby on the same port.
        let (name, port) = (primary.name(), primary.port());
        drop(primary);
        let rebuilt = add_standby(env, &standby, &name, Some(port))?;
        primary = std::mem::replace(&mut standby, rebuilt);
    }
    env.wait_for_writes(&load, 100)?;
    let outcome = Outcome::of(load, &location, env.times);
    drop(server);
    outcome
}

/// Adds a synchronous standby to `primary`: from now on every commit waits for it.
fn add_standby(env: &Environment, primary: &Cluster, name: &str, port: Option<u16>) -> anyhow::Result<Cluster> {
    let standby = primary.create_standby(&env.folder.join(name), port)?;
    let began = Instant::now();
    while primary.sql("postgres", "select count(*) from pg_stat_replication where state = 'streaming'")?.trim() != "1" {
        ensure!(began.elapsed() < TIMEOUT, "the standby does not stream");
        std::thread::sleep(Duration::from_millis(20));
    }
    primary.sql("postgres", "alter system set synchronous_standby_names = '*'")?;
    primary.sql("postgres", "select pg_reload_conf()")?;
    while primary.sql("postgres", "select count(*) from pg_stat_replication where sync_state = 'sync'")?.trim() != "1" {
        ensure!(began.elapsed() < TIMEOUT, "the standby is not synchronous");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(standby)
}

/// Suspends the standby for longer than the statement timeout. A commit that waits for it must not be acknowledged,
/// because the primary fails before it is replicated.
fn pause_standby(env: &Environment, load: &super::load::Load, standby: &Cluster) -> anyhow::Result<()> {
    standby.signal_all(Signal::STOP)?;
    env.log_progress("the standby is suspended …");
    // Responses in flight may still arrive; later ones are not replicated.
    std::thread::sleep(Duration::from_millis(500));
    let before = load.ledger.acknowledged();
    std::thread::sleep(Duration::from_secs(if env.is_short { 1 } else { 6 }));
    let after = load.ledger.acknowledged();
    if after > before {
        load.ledger
            .violation(0, &format!("{} writes were acknowledged while the standby was suspended", after - before));
    }
    Ok(())
}

/// Promotes the standby, which has no standby of its own yet.
fn promote(standby: &Cluster) -> anyhow::Result<()> {
    standby.signal_all(Signal::CONT)?;
    standby.run("pg_ctl", &["promote", "-w", "-s", "-D", &standby.data()])?;
    standby.sql("postgres", "alter system set synchronous_standby_names = ''")?;
    standby.sql("postgres", "select pg_reload_conf()")?;
    Ok(())
}
