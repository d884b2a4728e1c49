//! An anonymous client with one address tries to slow, fill or stop the server while an ordinary shop works. The shop must not
//! notice, and the server must stay within its memory and its quotas.

mod caller;
mod shop;
mod attacks;
mod footprint;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use self::attacks::ATTACKS;
use self::caller::Store;
use self::footprint::Footprint;
use self::shop::{Latencies, Shop};
use super::environment::{Environment, Outcome};
use super::load::check;

/// Limits of what the shop sees.
const PAGES: Duration = Duration::from_millis(100);
const WRITES: Duration = Duration::from_millis(250);
/// Limit of the server's resident memory in MiB.
const MEMORY: u64 = 256;
/// The quota of an address in MiB, and what indexes and free pages take beside it.
const DISK: u64 = 256 + 128;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (location, cluster) = env.location()?;
    // Every attack comes from an address of its own, with a quota that is not used up.
    let server = env.serve(&location, 0, &["--trust-proxy", "127.0.0.1"])?;
    let store = Store::create(&location, server.address)?;
    let stop = Arc::new(AtomicBool::new(false));
    let shop = Shop::open(&store)?;
    let mut footprint = Footprint::start(server.pid(), &location, cluster.as_ref())?;
    let mut outcome = Outcome { faults: ATTACKS.len(), ..Outcome::default() };
    // Without an attack first, for comparison.
    let (working, quiet) = (shop.start(&stop), if env.is_short { 2 } else { 10 });
    thread::sleep(Duration::from_secs(quiet));
    env.log_progress(&format!("{:<22} {}", "nothing", working.take()));
    for (number, (name, attack)) in ATTACKS.iter().enumerate() {
        let (_, disk_before) = footprint.now()?;
        let until = Instant::now() + Duration::from_secs(if env.is_short { 3 } else { 20 });
        let attacked = store.seen_from(&format!("198.51.100.{}", number + 1));
        let calls = attacks::run(*attack, &Arc::new(attacked), until);
        let seen = working.take();
        let (memory, disk) = footprint.now()?;
        let disk = disk.saturating_sub(disk_before);
        if disk > DISK {
            outcome.violations.push(format!("{name}: the database has grown by {disk} MiB, more than {DISK}"));
        }
        env.log_progress(&format!("{name:<22} {seen}; {memory} MiB, +{disk} MiB on disk; {calls}"));
        outcome.violations.extend(violations(name, &seen));
    }
    stop.store(true, Ordering::Relaxed);
    outcome.acknowledged = working.finish()?;
    let memory = footprint.peak();
    if memory > MEMORY {
        outcome.violations.push(format!("the server took {memory} MiB of memory, more than {MEMORY}"));
    }
    server.stop()?;
    outcome.violations.extend(check(&location)?);
    Ok(outcome)
}

fn violations(attack: &str, seen: &Latencies) -> Vec<String> {
    let late = |what: &str, p99: Duration, limit: Duration| {
        (p99 > limit)
            .then(|| format!("{attack}: p99 of {what} is {} ms, more than {}", p99.as_millis(), limit.as_millis()))
    };
    let failed = (seen.failed > 0).then(|| format!("{attack}: {} calls of the shop failed", seen.failed));
    [late("pages", seen.page_p99(), PAGES), late("writes", seen.write_p99(), WRITES), failed]
        .into_iter()
        .flatten()
        .collect()
}
