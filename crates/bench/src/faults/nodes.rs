//! Three nodes on one PostgreSQL database behind a reverse proxy.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;

use anyhow::Context;

use super::environment::{Environment, Outcome};
use super::load::Load;
use crate::processes::postgres::Cluster;
use crate::processes::reverse_proxy::{INSTALL, ReverseProxy, RunningReverseProxy, stable_port};
use crate::processes::server::{DataLocation, Server};

const WORKERS: usize = 16;
const ARGUMENTS: [&str; 2] = ["--trust-proxy", "127.0.0.1"];

pub(crate) struct Nodes {
    location: DataLocation,
    servers: [Option<Server>; 3],
    addresses: [SocketAddr; 3],
    pub(crate) proxy: ReverseProxy,
    _proxy: RunningReverseProxy,
    _cluster: Option<Cluster>,
}

impl Nodes {
    /// Starts database, nodes and proxy in a directory of their own, and prepares the load on the proxy.
    fn start(env: &mut Environment, proxy: ReverseProxy) -> anyhow::Result<(Self, Load)> {
        let (location, cluster) = env.location_in(proxy.name())?;
        let mut ports = [0; 4];
        for port in &mut ports {
            *port = stable_port(&mut env.rng)?;
        }
        let [first, second, third, proxy_port] = ports;
        let serve = |port| env.serve(&location, port, &ARGUMENTS);
        let servers = [serve(first)?, serve(second)?, serve(third)?];
        let addresses = servers.each_ref().map(|server| server.address);
        let folder = env.folder.join(proxy.name());
        let running = proxy.start(&folder.join("proxy"), proxy_port, addresses)?;
        let load = Load::prepare(&location, running.address, &folder.join("ledger.txt"), env.seed, WORKERS)?;
        let servers = servers.map(Some);
        Ok((Self { location, servers, addresses, proxy, _proxy: running, _cluster: cluster }, load))
    }

    /// Stops a node by SIGTERM and starts it again.
    pub(crate) fn restart(&mut self, env: &Environment, node: usize) -> anyhow::Result<()> {
        let status = self.servers[node].take().context("the node does not run")?.stop()?;
        anyhow::ensure!(status.success(), "a node ended with {status}");
        self.start_again(env, node)
    }

    pub(crate) fn kill(&mut self, node: usize) -> anyhow::Result<()> {
        self.servers[node].take().context("the node does not run")?.kill()
    }

    pub(crate) fn start_again(&mut self, env: &Environment, node: usize) -> anyhow::Result<()> {
        self.servers[node] = Some(env.serve(&self.location, self.addresses[node].port(), &ARGUMENTS)?);
        Ok(())
    }
}

/// Runs `inject` behind each reverse proxy that is installed or was requested, with its own database and load, and
/// verifies the data. `inject` returns the number of faults. `tolerated` is the number of requests of a client that may
/// fail per fault.
pub(crate) fn behind_proxies(
    env: &mut Environment,
    tolerated: usize,
    inject: impl Fn(&mut Environment, &mut Nodes, &Load) -> anyhow::Result<usize>,
) -> anyhow::Result<Outcome> {
    let mut proxies = env.proxies.clone();
    if proxies.is_empty() {
        let all = [ReverseProxy::Nginx, ReverseProxy::Caddy, ReverseProxy::Haproxy];
        for missing in all.iter().filter(|proxy| !proxy.is_installed()) {
            env.log_progress(&format!("without {}, which is not installed: {INSTALL}", missing.name()));
        }
        proxies.extend(all.iter().filter(|proxy| proxy.is_installed()));
        proxies.truncate(if env.is_short { 1 } else { all.len() });
    }
    if proxies.is_empty() {
        return Ok(Outcome::skipped(&format!("needs a reverse proxy: {INSTALL}")));
    }
    let mut outcome = Outcome::default();
    for proxy in proxies {
        let (mut nodes, mut load) = Nodes::start(env, proxy)?;
        load.start();
        let faults = inject(env, &mut nodes, &load)?;
        load.stop_workers()?;
        let requests = load.ledger.requests.load(Ordering::Relaxed);
        let failures = load.failed();
        let failed: u64 = failures.iter().sum();
        env.log_progress(&format!("{}: {faults} faults, {requests} requests, {failed} failed", proxy.name()));
        let mut part = Outcome::of(load, &nodes.location, faults)?;
        if failures.into_iter().max().unwrap_or_default() > (tolerated * faults) as u64 {
            let name = proxy.name();
            let limit = format!("{tolerated} of each client per fault may");
            part.violations.push(format!("{failed} of {requests} requests failed behind {name}: {limit}"));
        }
        outcome.add(part);
    }
    Ok(outcome)
}
