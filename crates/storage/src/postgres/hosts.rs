//! The hosts that a database URL names, and which of them respond.

use std::future::pending;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;
use tokio_postgres::Config;
use tokio_postgres::config::{Host as Address, LoadBalanceHosts};

use crate::error::{Error, Result};

const DEFAULT_PORT: u16 = 5432;

pub(super) struct Hosts {
    hosts: Vec<Host>,
    /// The host of the newest connection, which the next one tries first.
    current: AtomicUsize,
    /// With `load_balance_hosts=random` in the URL, connections start with each host in turn.
    is_balanced: bool,
}

struct Host {
    config: Config,
    /// True while the host accepts connections or packets, or loses them, and does not respond.
    is_silent: watch::Sender<bool>,
}

impl Hosts {
    pub(super) fn new(config: &Config) -> Result<Self> {
        let (hosts, addresses, ports) = (config.get_hosts().len(), config.get_hostaddrs().len(), config.get_ports());
        let count = hosts.max(addresses);
        if count == 0 || (hosts > 0 && addresses > 0 && hosts != addresses) || (ports.len() > 1 && ports.len() != count)
        {
            return Err(Error::Unusable(
                "the database URL must name one or more hosts, each with one port, or one port for all".to_owned(),
            ));
        }
        let host = |index| Host { config: of_one_host(config, index), is_silent: watch::Sender::new(false) };
        Ok(Self {
            hosts: (0..count).map(host).collect(),
            current: AtomicUsize::new(0),
            is_balanced: config.get_load_balance_hosts() == LoadBalanceHosts::Random,
        })
    }

    pub(super) fn count(&self) -> usize {
        self.hosts.len()
    }

    pub(super) fn config(&self, host: usize) -> &Config {
        &self.hosts[host].config
    }

    /// The names and ports of all hosts, for messages.
    pub(super) fn names(&self) -> String {
        self.hosts.iter().map(|host| name(&host.config)).collect::<Vec<_>>().join(", ")
    }

    /// The hosts that a new connection tries, in this order: those that respond, if there are any.
    pub(super) fn candidates(&self) -> Vec<usize> {
        let first = match self.is_balanced {
            true => self.current.fetch_add(1, Ordering::Relaxed),
            false => self.current.load(Ordering::Relaxed),
        };
        let all: Vec<usize> = (0..self.count()).map(|i| first.wrapping_add(i) % self.count()).collect();
        let responding: Vec<usize> = all.iter().copied().filter(|host| !self.is_silent(*host)).collect();
        if responding.is_empty() { all } else { responding }
    }

    pub(super) fn connected(&self, host: usize) {
        if !self.is_balanced {
            self.current.store(host, Ordering::Relaxed);
        }
    }

    /// True if connections may be open to the host, or must avoid it until it responds.
    pub(super) fn needs_monitoring(&self, host: usize) -> bool {
        self.is_balanced || self.current.load(Ordering::Relaxed) == host || self.is_silent(host)
    }

    fn is_silent(&self, host: usize) -> bool {
        *self.hosts[host].is_silent.borrow()
    }

    /// Returns true if that is new.
    pub(super) fn set_silent(&self, host: usize, is_silent: bool) -> bool {
        self.hosts[host].is_silent.send_if_modified(|value| std::mem::replace(value, is_silent) != is_silent)
    }

    /// Completes when the host falls silent after this call.
    pub(super) fn falls_silent(&self, host: usize) -> impl Future<Output = ()> + Send + use<> {
        let mut is_silent = self.hosts[host].is_silent.subscribe();
        async move {
            while is_silent.changed().await.is_ok() {
                if *is_silent.borrow_and_update() {
                    return;
                }
            }
            pending().await
        }
    }
}

/// Parses a database URL. An `@` in the password would end it, and the rest would be shown as the name of a host.
pub(crate) fn parse(url: &str) -> Result<Config> {
    let invalid = |problem: &dyn std::fmt::Display| {
        Error::Unusable(format!("the database URL is not a valid postgres:// URL ({problem})"))
    };
    if url.contains("://") && url.matches('@').count() > 1 {
        return Err(invalid(&"more than one @: write %40 for those in the user name and password"));
    }
    Config::from_str(url).map_err(|error| invalid(&error))
}

/// The name and port of the only host of a configuration.
pub(super) fn name(config: &Config) -> String {
    let name = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Address::Tcp(name)), _) => name.clone(),
        (Some(Address::Unix(path)), _) => path.display().to_string(),
        (None, Some(address)) => address.to_string(),
        (None, None) => "localhost".to_owned(),
    };
    format!("{name}:{}", config.get_ports().first().unwrap_or(&DEFAULT_PORT))
}

/// A copy of the configuration with only one of its hosts.
pub(super) fn of_one_host(config: &Config, index: usize) -> Config {
    let mut one = without_hosts(config);
    match config.get_hosts().get(index) {
        Some(Address::Tcp(name)) => drop(one.host(name)),
        Some(Address::Unix(path)) => drop(one.host_path(path)),
        None => {}
    }
    if let Some(address) = config.get_hostaddrs().get(index) {
        one.hostaddr(*address);
    }
    let ports = config.get_ports();
    if let Some(port) = ports.get(index).or(ports.first()) {
        one.port(*port);
    }
    one
}

/// A copy of the configuration without its hosts.
pub(super) fn without_hosts(config: &Config) -> Config {
    let mut one = Config::new();
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(name) = config.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(timeout) = config.get_connect_timeout() {
        one.connect_timeout(*timeout);
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*timeout);
    }
    if let Some(interval) = config.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding());
    one
}
