//! The primary of two PostgreSQL clusters dies, and its synchronous standby takes over.

use std::time::{Duration, Instant};

use anyhow::ensure;
use rustix::process::Signal;

use super::bed::{Outcome, Stage};
use crate::parts::postgres::Cluster;
use crate::parts::server::Place;

const WORKERS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let mut primary = stage.cluster("first", &[])?;
    let mut standby = join(stage, &primary, "second", None)?;
    let hosts = [&primary, &standby].map(|cluster| format!("127.0.0.1:{}", cluster.port())).join(",");
    // Commands and the server find the one of them that takes writes.
    let url = format!("postgres://postgres@{hosts}/wishbone?target_session_attrs=read-write");
    let place = Place { data: stage.folder.join("data"), database: Some(url) };
    let server = stage.serve(&place, 0, &["--request-timeout", "8"])?;
    let mut load = stage.load(&place, &server, WORKERS)?;
    load.begin();
    for failover in 1..=stage.times {
        stage.wait_for_answers(&load, 100)?;
        if failover % 5 == 1 {
            stall(stage, &load, &standby)?;
        }
        stage.pause(0..50);
        if failover % 5 == 3 {
            // A machine that hangs still takes connections, and says nothing; nobody may wait for it for ever.
            primary.signal_all(Signal::STOP)?;
            promote(&standby)?;
            stage.say("the primary hangs …");
            stage.wait_for_answers(&load, 20)?;
        }
        primary.kill_all()?;
        if failover % 5 != 3 {
            promote(&standby)?;
        }
        stage.say(&format!("failed over {failover} times, {} calls answered", load.ledger.answered()));
        if failover == stage.times || !load.ledger.problems().is_empty() {
            break;
        }
        // What is left of the old primary may have more than was ever answered; it begins anew, on its old port.
        let (name, port) = (primary.name(), primary.port());
        drop(primary);
        let rebuilt = join(stage, &standby, &name, Some(port))?;
        primary = std::mem::replace(&mut standby, rebuilt);
    }
    stage.wait_for_answers(&load, 100)?;
    let outcome = Outcome::of(load, &place, stage.times);
    drop(server);
    outcome
}

/// A standby of `primary`, for whose word every commit waits from now on.
fn join(stage: &Stage, primary: &Cluster, name: &str, port: Option<u16>) -> anyhow::Result<Cluster> {
    let standby = primary.follow(&stage.folder.join(name), port)?;
    let began = Instant::now();
    while primary.sql("postgres", "select count(*) from pg_stat_replication where state = 'streaming'")?.trim() != "1" {
        ensure!(began.elapsed() < PATIENCE, "the standby does not follow");
        std::thread::sleep(Duration::from_millis(20));
    }
    primary.sql("postgres", "alter system set synchronous_standby_names = '*'")?;
    primary.sql("postgres", "select pg_reload_conf()")?;
    while primary.sql("postgres", "select count(*) from pg_stat_replication where sync_state = 'sync'")?.trim() != "1" {
        ensure!(began.elapsed() < PATIENCE, "the standby is not synchronous");
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(standby)
}

/// The standby hears nothing for a while, longer than any statement may take. A commit that waits for its word must
/// not be answered, however long that is: the primary dies before it is heard.
fn stall(stage: &Stage, load: &super::load::Load, standby: &Cluster) -> anyhow::Result<()> {
    standby.signal_all(Signal::STOP)?;
    stage.say("the standby hears nothing …");
    // What is said to be answered from here on is not on the standby. Some answers may still have been on their way.
    std::thread::sleep(Duration::from_millis(500));
    let before = load.ledger.answered();
    std::thread::sleep(Duration::from_secs(if stage.is_short { 1 } else { 6 }));
    let after = load.ledger.answered();
    if after > before {
        load.ledger.problem(0, &format!("{} writes were answered while the standby heard nothing", after - before));
    }
    Ok(())
}

/// The standby becomes the primary, and has no standby yet.
fn promote(standby: &Cluster) -> anyhow::Result<()> {
    standby.signal_all(Signal::CONT)?;
    standby.run("pg_ctl", &["promote", "-w", "-s", "-D", &standby.data()])?;
    standby.sql("postgres", "alter system set synchronous_standby_names = ''")?;
    standby.sql("postgres", "select pg_reload_conf()")?;
    Ok(())
}
