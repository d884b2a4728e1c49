//! Nodes behind a reverse proxy are restarted one after the other under load. No request may fail.

use std::sync::atomic::Ordering;

use super::environment::{Environment, Outcome};
use super::nodes::behind_proxies;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let wanted = env.times as u64;
    behind_proxies(env, 0, |env, nodes, load| {
        let requests = || load.ledger.requests.load(Ordering::Relaxed);
        let mut restarts = 0;
        while restarts == 0 || requests() < wanted && load.ledger.violations().is_empty() {
            for node in 0..3 {
                env.wait_for_writes(load, 200)?;
                nodes.restart(env, node)?;
                restarts += 1;
            }
            env.log_progress(&format!("{}: {restarts} restarts, {} requests", nodes.proxy.name(), requests()));
        }
        env.wait_for_writes(load, 100)?;
        Ok(restarts)
    })
}
