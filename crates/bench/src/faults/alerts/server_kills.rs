//! `kill -9` of servers while they send alerts.

use std::time::{Duration, Instant};

use anyhow::ensure;

use super::compare;
use crate::alert_store::AlertStore;
use crate::faults::environment::{Environment, Outcome};
use crate::faults::fake_clock::FakeClock;
use crate::faults::load::check;
use crate::processes::server::{DataLocation, Server};
use crate::processes::smtp::SmtpServer;

const VARIANTS: usize = 4;
/// More than the time for which a server claims an alert, in seconds.
const LEASE: i64 = 160;
/// Alerts of one store that a server sends at the same time.
const AT_ONCE: usize = 4;
/// With two nodes, every fifth kill hits both.
const KILL_ALL: usize = 5;
const TIMEOUT: Duration = Duration::from_secs(120);

/// The servers of one database. Between two servers with the same clock, a lease expires only if all of them are down.
struct Nodes<'a> {
    env: &'a Environment,
    location: &'a DataLocation,
    clock: &'a FakeClock,
    arguments: Vec<String>,
    servers: Vec<Server>,
    /// How far the clock is ahead, in seconds.
    ahead: i64,
    kills: usize,
}

pub(super) fn run(env: &mut Environment, clock: &FakeClock, count: usize) -> anyhow::Result<Outcome> {
    let part = format!("alerts-{count}");
    let (location, _cluster) = env.location_in(&part)?;
    let smtp = SmtpServer::start(&env.folder.join(part), 0)?;
    let mut rng = env.rng.fork();
    let mut nodes = Nodes {
        env,
        location: &location,
        clock,
        arguments: smtp.serve_arguments(),
        servers: Vec::new(),
        ahead: 0,
        kills: 0,
    };
    for _ in 0..count {
        nodes.start(0)?;
    }
    let store = AlertStore::create(&location, nodes.servers[0].address, VARIANTS)?;
    let alerts: usize = if env.is_short { 200 } else { 1_000 };
    let addresses: Vec<String> = (0..alerts).map(|number| format!("shopper-{number}@example.com")).collect();
    store.subscribe(nodes.servers[0].address, &addresses)?;
    let servers = if count == 1 { "one server" } else { "two servers" };
    env.log_progress(&format!("{servers}: {alerts} subscriptions, restock"));
    store.restock(nodes.servers[0].address)?;
    for kill in 1..=env.times {
        // At a random point of a delivery. The alerts must last until the last kill.
        let accepted = smtp.count()?;
        let share = alerts.saturating_sub(accepted) / (env.times - kill + 2);
        wait_for_mails(&smtp, accepted + rng.usize(0..=share))?;
        std::thread::sleep(Duration::from_micros(rng.u64(0..10_000)));
        if count == 1 || kill % KILL_ALL == 0 {
            nodes.restart_all()?;
        } else {
            nodes.restart_one(rng.usize(0..count))?;
        }
        if kill % 10 == 0 || kill == env.times {
            env.log_progress(&format!("{kill} kills, {} mails accepted", smtp.count()?));
        }
    }
    // No lease of a killed server is left.
    nodes.restart_all()?;
    let address = nodes.servers[0].address;
    let subscriptions = compare::settled(&store, address, TIMEOUT)?;
    let accepted = smtp.accepted()?;
    let mut violations = compare::delivered(&addresses, &subscriptions, &accepted);
    let duplicates = compare::duplicates(&accepted);
    env.log_progress(&format!("{} servers killed, {duplicates} duplicates", nodes.kills));
    if duplicates > nodes.kills * AT_ONCE {
        violations.push(format!(
            "{duplicates} duplicates, but at most {AT_ONCE} mails were in flight at each of {} kills",
            nodes.kills
        ));
    }
    violations.extend(check(&location)?);
    Ok(Outcome { faults: nodes.kills, acknowledged: alerts as u64, violations, ..Outcome::default() })
}

impl Nodes<'_> {
    fn start(&mut self, port: u16) -> anyhow::Result<()> {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.servers.push(self.env.serve_with_clock(self.location, port, &arguments, self.clock)?);
        Ok(())
    }

    fn restart_one(&mut self, number: usize) -> anyhow::Result<()> {
        let server = self.servers.remove(number);
        let port = server.address.port();
        server.kill()?;
        self.kills += 1;
        self.start(port)
    }

    /// Kills all servers and restarts them when their leases have expired.
    fn restart_all(&mut self) -> anyhow::Result<()> {
        let mut ports = Vec::new();
        for server in self.servers.drain(..) {
            ports.push(server.address.port());
            server.kill()?;
            self.kills += 1;
        }
        self.ahead += LEASE;
        self.clock.set(self.ahead)?;
        ports.into_iter().try_for_each(|port| self.start(port))
    }
}

fn wait_for_mails(smtp: &SmtpServer, count: usize) -> anyhow::Result<()> {
    let began = Instant::now();
    while smtp.count()? < count {
        ensure!(began.elapsed() < TIMEOUT, "no more than {} of {count} mails within {TIMEOUT:?}", smtp.count()?);
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}
