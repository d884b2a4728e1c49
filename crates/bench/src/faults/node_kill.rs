//! One of three nodes behind a reverse proxy is killed under load and started again. Only requests sent to
//! that node may fail.

use super::environment::{Environment, Outcome};
use super::nodes::behind_proxies;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    // A client has one request in flight; the proxy may send its next one into a connection whose end it has not noticed.
    behind_proxies(env, 2, |env, nodes, load| {
        let mut kills = 0;
        while kills < env.times && load.ledger.violations().is_empty() {
            env.wait_for_writes(load, 200)?;
            env.pause(0..30);
            let node = env.rng.usize(0..3);
            nodes.kill(node)?;
            kills += 1;
            // The others serve everything meanwhile.
            env.wait_for_writes(load, 500)?;
            nodes.start_again(env, node)?;
        }
        env.wait_for_writes(load, 500)?;
        Ok(kills)
    })
}
