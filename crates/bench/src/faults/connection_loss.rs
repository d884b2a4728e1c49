//! Connections to PostgreSQL are lost during a commit: before the server receives it, or before its response arrives.

use std::sync::atomic::Ordering;

use super::environment::{Environment, Outcome};
use super::proxy::Proxy;
use crate::processes::server::DataLocation;

const WORKERS: usize = 8;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (location, cluster) = env.location()?;
    let proxy = Proxy::start(cluster.as_ref().map_or(0, |cluster| cluster.port()), env.rng.u64(..))?;
    let through = DataLocation {
        database: Some(format!("postgres://postgres@127.0.0.1:{}/wishbone", proxy.port)),
        ..location.clone()
    };
    let server = env.serve(&through, 0, &["--request-timeout", "2"])?;
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    let cuts = || proxy.probabilities.cuts.load(Ordering::Relaxed) as usize;
    proxy.probabilities.set(30, 60, 0);
    while cuts() < env.times && load.ledger.violations().is_empty() {
        env.wait_for_writes(&load, 20)?;
    }
    env.log_progress(&format!(
        "{} connections cut, {} calls acknowledged; now also silent losses",
        cuts(),
        load.ledger.acknowledged()
    ));
    // A silent connection is occupied until the request times out.
    proxy.probabilities.set(10, 10, 10);
    let wanted = cuts() + if env.is_short { 10 } else { 60 };
    while cuts() < wanted && load.ledger.violations().is_empty() {
        env.wait_for_writes(&load, 5)?;
    }
    proxy.probabilities.set(0, 0, 0);
    env.wait_for_writes(&load, 200)?;
    Outcome::of(load, &location, cuts())
}
