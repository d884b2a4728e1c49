//! How much is taken on, and from whom.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::app::Limits;
use crate::http::edge::address::Proxies;

/// Open files for the database, logs and the runtime, besides those of connections.
const RESERVE: usize = 256;

const REQUESTS_FOR_A_CONNECTION: usize = 32;

/// Proxies look every two seconds or so, and most want to see it twice.
const DRAIN_GRACE: Duration = Duration::from_secs(5);

#[derive(Args)]
pub(super) struct LimitArgs {
    /// Seconds that a request may take
    #[arg(long, value_name = "SECONDS", env = "WISHBONE_REQUEST_TIMEOUT", default_value = "15")]
    request_timeout: String,

    /// Seconds that a server goes on after SIGTERM, with /readyz saying no and connections closing one by one, so that a
    /// proxy can turn to other nodes [default: 5 on PostgreSQL, 0 on SQLite, where there are none]
    #[arg(long, value_name = "SECONDS", env = "WISHBONE_DRAIN_GRACE")]
    drain_grace: Option<String>,

    /// Requests under way at once; one more is answered with 503 [default: 1024 for each processor, 8192 at most;
    /// on PostgreSQL 32 for each of its connections]
    #[arg(long, value_name = "N", env = "WISHBONE_MAX_REQUESTS")]
    max_requests: Option<String>,

    /// Connections of clients [default: 20000, or what the limit on open files leaves room for]
    #[arg(long, value_name = "N", env = "WISHBONE_MAX_CONNECTIONS")]
    max_connections: Option<String>,

    /// Connections of one address that is not a trusted proxy's [default: half of all]
    #[arg(long, value_name = "N", env = "WISHBONE_MAX_CONNECTIONS_PER_ADDRESS")]
    max_connections_per_address: Option<String>,

    /// MiB of pages of lists that are kept in memory, on SQLite; 0 keeps none [default: 96]
    #[arg(long, value_name = "MIB", env = "WISHBONE_PAGE_MEMORY")]
    page_memory: Option<String>,

    /// A proxy in front of this server, such as 127.0.0.1 or 10.0.0.0/8: limits by address count the client that it
    /// names in X-Forwarded-For; may be repeated, or comma-separated
    #[arg(long, value_name = "NETWORK", env = "WISHBONE_TRUST_PROXY", value_delimiter = ',')]
    trust_proxy: Vec<String>,
}

impl LimitArgs {
    /// Adds a sentence to `faults` for all that is wrong.
    pub(super) fn check(&self, postgres_pool: Option<usize>, faults: &mut Vec<String>) -> (Limits, Proxies) {
        let (mut limits, room) = with_room_for_connections(postgres_pool.unwrap_or(0));
        if let Some(size) = postgres_pool {
            // A wait of some 0.2 seconds, where a request keeps a connection for a few milliseconds in all.
            limits.requests = REQUESTS_FOR_A_CONNECTION * size;
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
        let setting = "--drain-grace (WISHBONE_DRAIN_GRACE)";
        if let Some(seconds) = number(setting, self.drain_grace.as_ref(), 0..=600, "0 to 600 seconds") {
            limits.drain_grace = Duration::from_secs(seconds as u64);
        }
        let setting = "--max-requests (WISHBONE_MAX_REQUESTS)";
        if let Some(most) = number(setting, self.max_requests.as_ref(), 1..=1_000_000, "1 to 1000000") {
            limits.requests = most;
        }
        let setting = "--max-connections (WISHBONE_MAX_CONNECTIONS)";
        let rule = format!("1 to {room}: the limit on open files (ulimit -n, LimitNOFILE) leaves room for no more");
        if let Some(most) = number(setting, self.max_connections.as_ref(), 1..=room, &rule) {
            (limits.connections, limits.connections_per_address) = (most, most.div_ceil(2));
        }
        let setting = "--max-connections-per-address (WISHBONE_MAX_CONNECTIONS_PER_ADDRESS)";
        if let Some(most) = number(setting, self.max_connections_per_address.as_ref(), 1..=usize::MAX, "1 or more") {
            limits.connections_per_address = most;
        }
        let setting = "--page-memory (WISHBONE_PAGE_MEMORY)";
        if let Some(mib) = number(setting, self.page_memory.as_ref(), 0..=1_048_576, "0 to 1048576 MiB") {
            limits.page_memory = mib << 20;
        }
        let proxies = Proxies::parse(&self.trust_proxy);
        if proxies.is_none() {
            let rule = "networks or addresses, such as 10.0.0.0/8 or 127.0.0.1";
            faults.push(format!("--trust-proxy (WISHBONE_TRUST_PROXY) must be {rule}"));
        }
        (limits, proxies.unwrap_or_default())
    }
}

/// Raises the limit on open files as far as this user may; answers limits with no more connections than that leaves
/// room for, and how many it does.
pub(super) fn with_room_for_connections(pool_size: usize) -> (Limits, usize) {
    let allowed = getrlimit(Resource::Nofile);
    // The soft limit is kept low for programs that cannot do with many; if it cannot be raised, it stays.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, maximum: allowed.maximum });
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
    // Where hardly any are allowed, half of them are for clients.
    let room = files.saturating_sub(RESERVE + pool_size).max(files / 2).max(1);
    let limits = Limits::default();
    let connections = limits.connections.min(room);
    (Limits { connections, connections_per_address: connections.div_ceil(2), ..limits }, room)
}
