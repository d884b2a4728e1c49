//! Options for limits on requests, connections and memory.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::app::{Limits, MAX_CONNECTIONS_PER_ADDRESS};
use crate::http::edge::address::Proxies;

/// Open files reserved for the database, logs and the runtime.
const RESERVED_FILES: usize = 256;

/// Concurrent requests per PostgreSQL connection.
const REQUESTS_PER_CONNECTION: usize = 32;

/// Load balancers probe about every two seconds, and most need two failed probes.
const DRAIN_GRACE: Duration = Duration::from_secs(5);

#[derive(Args)]
pub(super) struct LimitArgs {
    /// Seconds after which a request is cancelled and answered with 503
    #[arg(long, value_name = "SECONDS", env = "WISHBONE_REQUEST_TIMEOUT", default_value = "15")]
    request_timeout: String,

    /// Seconds after which a stream of live lists ends, and its client comes back; 0 leaves clients to poll
    #[arg(long, value_name = "SECONDS", env = "WISHBONE_LIVE_TIMEOUT", default_value = "300")]
    live_timeout: String,

    /// Seconds to keep serving after SIGTERM while /readyz returns 503, so that load balancers can switch to other nodes
    /// [default: 5 on PostgreSQL, 0 on SQLite]
    #[arg(long, value_name = "SECONDS", env = "WISHBONE_DRAIN_GRACE")]
    drain_grace: Option<String>,

    /// Maximum number of concurrent requests; more are answered with 503 [default: 1024 per CPU up to 8192; on PostgreSQL
    /// 32 per connection of --pool-size]
    #[arg(long, value_name = "N", env = "WISHBONE_MAX_REQUESTS")]
    max_requests: Option<String>,

    /// Maximum number of client connections [default: 20000, or as many as the limit on open files allows]
    #[arg(long, value_name = "N", env = "WISHBONE_MAX_CONNECTIONS")]
    max_connections: Option<String>,

    /// Maximum number of connections from one address, except trusted proxies [default: half of --max-connections]
    #[arg(long, value_name = "N", env = "WISHBONE_MAX_CONNECTIONS_PER_ADDRESS")]
    max_connections_per_address: Option<String>,

    /// Address or network of a proxy in front of this server, such as 127.0.0.1 or 10.0.0.0/8; for its requests the client
    /// address is taken from X-Forwarded-For. May be repeated or comma-separated
    #[arg(long, value_name = "NETWORK", env = "WISHBONE_TRUST_PROXY", value_delimiter = ',')]
    trust_proxy: Vec<String>,
}

impl LimitArgs {
    /// Returns the limits, and adds a sentence to `faults` for every invalid setting.
    pub(super) fn check(&self, postgres_pool: Option<usize>, faults: &mut Vec<String>) -> (Limits, Proxies) {
        let (mut limits, room) = within_open_files(postgres_pool.unwrap_or(0));
        if let Some(size) = postgres_pool {
            // A queueing time of about 0.2 seconds, if a request holds a connection for a few milliseconds.
            limits.requests = REQUESTS_PER_CONNECTION * size;
            limits.drain_grace = DRAIN_GRACE;
        }
        let mut number = |setting: &str, text: Option<&String>, range: RangeInclusive<usize>, rule: &str| {
            let number = text?.parse().ok().filter(|number| range.contains(number));
            if number.is_none() {
                faults.push(format!("{setting} must be {rule}"));
            }
            number
        };
        let setting = "--request-timeout (WISHBONE_REQUEST_TIMEOUT)";
        if let Some(seconds) = number(setting, Some(&self.request_timeout), 1..=600, "1 to 600 seconds") {
            limits.request_timeout = Duration::from_secs(seconds as u64);
        }
        let setting = "--live-timeout (WISHBONE_LIVE_TIMEOUT)";
        if let Some(seconds) = number(setting, Some(&self.live_timeout), 0..=300, "0 to 300 seconds") {
            limits.live_timeout = Duration::from_secs(seconds as u64);
        }
        let setting = "--drain-grace (WISHBONE_DRAIN_GRACE)";
        if let Some(seconds) = number(setting, self.drain_grace.as_ref(), 0..=600, "0 to 600 seconds") {
            limits.drain_grace = Duration::from_secs(seconds as u64);
        }
        let setting = "--max-requests (WISHBONE_MAX_REQUESTS)";
        if let Some(max) = number(setting, self.max_requests.as_ref(), 1..=1_000_000, "1 to 1000000") {
            limits.requests = max;
        }
        let setting = "--max-connections (WISHBONE_MAX_CONNECTIONS)";
        let rule = format!("1 to {room}, or raise the limit on open files (ulimit -n, LimitNOFILE)");
        if let Some(max) = number(setting, self.max_connections.as_ref(), 1..=room, &rule) {
            (limits.connections, limits.connections_per_address) = (max, per_address(max));
            limits.is_cut_short = false;
        }
        let setting = "--max-connections-per-address (WISHBONE_MAX_CONNECTIONS_PER_ADDRESS)";
        if let Some(max) = number(setting, self.max_connections_per_address.as_ref(), 1..=usize::MAX, "1 or more") {
            limits.connections_per_address = max;
        }
        let proxies = Proxies::parse(&self.trust_proxy);
        if proxies.is_none() {
            let rule = "networks or addresses, such as 10.0.0.0/8 or 127.0.0.1";
            faults.push(format!("--trust-proxy (WISHBONE_TRUST_PROXY) must be {rule}"));
        }
        (limits, proxies.unwrap_or_default())
    }
}

/// The default of connections from one address.
fn per_address(connections: usize) -> usize {
    connections.div_ceil(2).min(MAX_CONNECTIONS_PER_ADDRESS)
}

/// Raises the limit on open files as far as possible. Returns limits that fit into it, and the number of connections that
/// it leaves room for.
pub(super) fn within_open_files(pool_size: usize) -> (Limits, usize) {
    let allowed = getrlimit(Resource::Nofile);
    // The soft limit is often low for the sake of old programs. If it cannot be raised, it stays in effect.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, maximum: allowed.maximum });
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    // Under a very low limit, half of the files are for connections.
    let room = files.saturating_sub(RESERVED_FILES + pool_size).max(files / 2).max(1);
    let limits = Limits::default();
    let connections = limits.connections.min(room);
    let is_cut_short = connections < limits.connections;
    (Limits { connections, connections_per_address: per_address(connections), is_cut_short, ..limits }, room)
}
