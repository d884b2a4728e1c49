//! A primary PostgreSQL cluster with a synchronous standby.

use std::time::{Duration, Instant};

use anyhow::ensure;
use rustix::process::Signal;

use super::environment::Environment;
use super::load::Load;
use crate::processes::postgres::Cluster;
use crate::processes::server::DataLocation;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Creates both clusters, and the location of a server that uses the one that accepts writes.
pub(crate) fn create(env: &Environment) -> anyhow::Result<(Cluster, Cluster, DataLocation)> {
    let primary = env.cluster("first", &[])?;
    let standby = add_standby(env, &primary, "second", None)?;
    let hosts = [&primary, &standby].map(|cluster| format!("127.0.0.1:{}", cluster.port())).join(",");
    let url = format!("postgres://postgres@{hosts}/wishbone?target_session_attrs=read-write");
    let location = DataLocation { data: env.folder.join("data"), database: Some(url) };
    Ok((primary, standby, location))
}

/// Adds a synchronous standby to `primary`: from now on every commit waits for it.
pub(crate) fn add_standby(
    env: &Environment,
    primary: &Cluster,
    name: &str,
    port: Option<u16>,
) -> anyhow::Result<Cluster> {
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

/// Suspends the standby, and does something else meanwhile. A commit that waits for the standby must not be
/// acknowledged.
pub(crate) fn suspend_standby<T>(
    env: &Environment,
    load: &Load,
    standby: &Cluster,
    meanwhile: impl FnOnce() -> T,
) -> anyhow::Result<T> {
    standby.signal_all(Signal::STOP)?;
    env.log_progress("the standby is suspended …");
    // Responses in flight may still arrive; later ones are not replicated.
    std::thread::sleep(Duration::from_millis(500));
    let before = load.ledger.acknowledged();
    let out = meanwhile();
    let after = load.ledger.acknowledged();
    if after > before {
        load.ledger
            .violation(0, &format!("{} writes were acknowledged while the standby was suspended", after - before));
    }
    Ok(out)
}

/// Promotes the standby, which has no standby of its own yet.
pub(crate) fn promote(standby: &Cluster) -> anyhow::Result<()> {
    standby.signal_all(Signal::CONT)?;
    standby.run("pg_ctl", &["promote", "-w", "-s", "-D", &standby.data()])?;
    standby.sql("postgres", "alter system set synchronous_standby_names = ''")?;
    standby.sql("postgres", "select pg_reload_conf()")?;
    Ok(())
}

/// Rebuilds a failed primary as a standby of the other, on the same port: it may have commits that the other lacks.
/// Returns the new primary and its standby.
pub(crate) fn switch_roles(
    env: &Environment,
    mut failed: Cluster,
    promoted: Cluster,
) -> anyhow::Result<(Cluster, Cluster)> {
    failed.kill_all()?;
    let (name, port) = (failed.name(), failed.port());
    drop(failed);
    let rebuilt = add_standby(env, &promoted, &name, Some(port))?;
    Ok((promoted, rebuilt))
}
