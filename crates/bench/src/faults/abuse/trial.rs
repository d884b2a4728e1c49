//! One attack on a server of its own, with a database of its own, while a shop works.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::attacks::{Attack, Scene};
use super::caller::{Origin, Store};
use super::footprint::Footprint;
use super::gateway::Gateway;
use super::shop::{Latencies, Shop};
use super::tally::Tally;
use crate::faults::environment::Environment;
use crate::faults::load::check;
use crate::processes::postgres::Cluster;
use crate::processes::server::DataLocation;
use crate::processes::smtp;
use crate::processes::smtp_sink::SmtpSink;

/// Limits of what the shop sees.
const PAGES: Duration = Duration::from_millis(100);
const WRITES: Duration = Duration::from_millis(250);
/// Limit of the server's resident memory in MiB.
const MEMORY: u64 = 256;
/// What all shoppers of the store may write per day, in MiB: little, so that it can be reached.
const STORE_QUOTA: u64 = 1_024;
/// The quota of an address, in MiB.
const ADDRESS_QUOTA: u64 = 256;

/// What a trial has shown.
pub(super) struct Verdict {
    /// The shop's successful writes.
    pub(super) writes: u64,
    pub(super) violations: Vec<String>,
}

/// Runs an attack and reports it. Without one, the shop works alone, for comparison.
pub(super) fn run(
    env: &Environment,
    cluster: Option<&Cluster>,
    number: usize,
    attack: Option<&Attack>,
    origin: Origin,
) -> anyhow::Result<Verdict> {
    let name = attack.map_or("nothing", |attack| attack.name);
    let from = match origin {
        Origin::OneAddress => "one",
        Origin::ManyAddresses => "many",
    };
    let database = format!("trial{number}");
    let data: PathBuf = env.folder.join(&database);
    if let Some(cluster) = cluster {
        cluster.sql("postgres", &format!("create database {database}"))?;
    }
    let location = DataLocation { data: data.clone(), database: cluster.map(|cluster| cluster.url(&database)) };
    let (mails, gateway) = (SmtpSink::recording()?, Gateway::start()?);
    let arguments = smtp::arguments(mails.port);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let own = ["--allow-private-webhooks", "--drain-grace", "0"];
    let server = env.serve(&location, 0, &[&own[..], &arguments].concat())?;
    let store = Store::create(&location, server.address, origin)?;
    let scene = Scene { store, location: location.clone(), mails, gateway };
    scene.set(&["--store-quota", &STORE_QUOTA.to_string()])?;

    let shop = Shop::open(&scene.store)?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut footprint = Footprint::start(server.pid(), &location, cluster.map(|cluster| (cluster, database.clone())))?;
    let working = shop.start(&stop);
    let duration = Duration::from_secs(env.times as u64);
    let tally = match attack {
        Some(attack) => attack.run(&scene, duration, env.is_short),
        None => {
            thread::sleep(duration);
            Tally::new(duration, env.is_short)
        }
    };
    let used = footprint.now()?;
    stop.store(true, Ordering::Relaxed);
    // Also the calls that are waiting now.
    let seen = working.finish()?;
    env.log_progress(&format!("{name:<26} {from:<5} {seen}; {used}; {tally}"));
    drop(footprint);
    // Killed: attackers may have left requests and connections behind.
    server.kill()?;

    let disk_quota = match origin {
        Origin::OneAddress => ADDRESS_QUOTA,
        Origin::ManyAddresses => STORE_QUOTA,
    };
    // Indexes, free pages and the log take half as much again.
    let disk_limit = disk_quota * 3 / 2;
    let mut violations = tally.violations();
    violations.extend(late(&seen));
    if used.memory > MEMORY {
        violations.push(format!("the server took {} MiB of memory, more than {MEMORY}", used.memory));
    }
    if used.disk > disk_limit {
        violations.push(format!("the database has grown by {} MiB, more than {disk_limit}", used.disk));
    }
    violations.extend(check(&location)?);
    if violations.is_empty() {
        std::fs::remove_dir_all(&data)?;
        if let Some(cluster) = cluster {
            cluster.sql("postgres", &format!("drop database {database}"))?;
        }
    }
    let named = violations.into_iter().map(|violation| format!("{name}, from {from}: {violation}")).collect();
    Ok(Verdict { writes: seen.writes(), violations: named })
}

fn late(seen: &Latencies) -> Vec<String> {
    let late = |what: &str, p99: Duration, limit: Duration| {
        (p99 > limit).then(|| format!("p99 of {what} is {} ms, more than {}", p99.as_millis(), limit.as_millis()))
    };
    let failed = seen
        .first_failure
        .as_ref()
        .map(|first| format!("{} calls of the shop failed, the first: {first}", seen.failed));
    [late("pages", seen.page_p99(), PAGES), late("writes", seen.write_p99(), WRITES), failed]
        .into_iter()
        .flatten()
        .collect()
}
