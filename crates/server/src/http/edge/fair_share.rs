//! Fair shares of the processor. While requests wait for it, the requests of each network of clients are served at the rate of
//! its share, one after another: who uses little does not wait, and who uses most waits for himself instead of making others
//! wait. What requests use is measured, so no operation needs to be known as a costly one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limit_key::{ClientAddress, Counted};

/// Shares are decided on once in this time.
const INTERVAL: Duration = Duration::from_millis(50);
/// Mean scheduling delay, over an interval, above which requests wait for the processor.
const QUEUE_DELAY: Duration = Duration::from_millis(10);
/// The part of the processors' time that is used at least if it is requests that make each other wait.
const MUCH: f64 = 0.25;
/// What the budget of all networks is multiplied by while requests wait for the processor, and while they do not.
const DECREASE: f64 = 0.7;
const INCREASE: f64 = 1.05;
/// The least share: who uses less never waits, however many others there are.
const LEAST: f64 = 0.02;
/// Time in which nobody had to wait, after which shares are not limited any more; and without a request, after which a network is
/// forgotten.
const CALM: Duration = Duration::from_secs(2);
/// A request that is early by this much does not wait: pages send several at once.
const TOLERANCE: f64 = 0.05;
/// The longest time that a request waits, or a connection.
const MAX_WAIT: f64 = 1.0;
/// The most that counts of what was used before: nobody waits long for what is over.
const MAX_DEBT: f64 = 2.0;

/// Times are in seconds; shares and budgets in processors.
pub(super) struct FairShare(Mutex<State>);

struct State {
    processors: f64,
    decided_at: Option<Instant>,
    /// Scheduling delays since then.
    requests: u32,
    delay: Duration,
    networks: HashMap<ClientAddress, Network>,
    limit: Option<Limit>,
}

/// A limit on what networks use.
struct Limit {
    /// Of all networks together.
    budget: f64,
    /// Of each.
    share: f64,
    /// Since when nobody had to wait.
    calm_since: Instant,
}

struct Network {
    /// What it has used since the last decision.
    used: f64,
    /// What a request uses.
    average: f64,
    /// What requests have used, or are going to use, beyond the share.
    requests: Debt,
    /// What connections have used besides requests beyond the share.
    connections: Debt,
    /// True if it had to wait since the last decision.
    has_waited: bool,
    seen_at: Instant,
}

/// What was used too early, in processor time. It is paid back at the rate of the share.
struct Debt {
    time: f64,
    at: Instant,
}

impl Debt {
    fn pay_back(&mut self, share: f64, now: Instant) {
        self.time = (self.time - now.saturating_duration_since(self.at).as_secs_f64() * share).max(0.0);
        self.at = now;
    }

    fn add(&mut self, time: f64, share: f64) {
        self.time = (self.time + time).clamp(0.0, MAX_DEBT * share);
    }

    /// The time until it is paid back; 0 if it is small.
    fn wait(&self, share: f64) -> f64 {
        Some(self.time / share).filter(|wait| *wait > TOLERANCE).unwrap_or(0.0)
    }
}

/// The turn of a request.
pub(super) struct Turn {
    network: ClientAddress,
    /// What was counted in advance.
    expected: f64,
    /// How long it waits.
    pub(super) wait: Duration,
}

impl FairShare {
    pub(super) fn new(processors: u32) -> Self {
        Self(Mutex::new(State {
            processors: processors.into(),
            decided_at: None,
            requests: 0,
            delay: Duration::ZERO,
            networks: HashMap::new(),
            limit: None,
        }))
    }

    /// The turn of a request; `None` if it would wait for too long. `delay`: its scheduling delay.
    pub(super) fn begin(&self, address: ClientAddress, delay: Duration, now: Instant) -> Option<Turn> {
        let mut state = self.lock();
        state.note(delay, now);
        let share = state.share();
        let (network, of_network) = state.network(address, now);
        let Some(share) = share else { return Some(Turn { network, expected: 0.0, wait: Duration::ZERO }) };
        of_network.requests.pay_back(share, now);
        let (expected, wait) = (of_network.average, of_network.requests.wait(share));
        of_network.has_waited |= wait > 0.0;
        if wait > MAX_WAIT {
            return None;
        }
        of_network.requests.add(expected, share);
        Some(Turn { network, expected, wait: Duration::from_secs_f64(wait) })
    }

    /// Counts what a request has used.
    pub(super) fn end(&self, turn: &Turn, used: Duration, now: Instant) {
        let mut state = self.lock();
        let (share, used) = (state.share(), used.as_secs_f64());
        let (_, network) = state.network(turn.network, now);
        network.used += used;
        network.average += (used - network.average) / 8.0;
        if let Some(share) = share {
            network.requests.pay_back(share, now);
            network.requests.add(used - turn.expected, share);
        }
    }

    /// Counts what a connection has used besides its requests. Returns how long it pauses then.
    pub(super) fn spend(&self, address: ClientAddress, used: Duration, now: Instant) -> Duration {
        let mut state = self.lock();
        let (share, used) = (state.share(), used.as_secs_f64());
        let (_, network) = state.network(address, now);
        network.used += used;
        let Some(share) = share else { return Duration::ZERO };
        network.connections.pay_back(share, now);
        network.connections.add(used, share);
        let wait = network.connections.wait(share);
        network.has_waited |= wait > 0.0;
        Duration::from_secs_f64(wait.min(MAX_WAIT))
    }

    /// Limits the share of every network, as if requests had waited for each other.
    #[cfg(test)]
    pub(super) fn limit(&self, share: f64) {
        self.lock().limit = Some(Limit { budget: share, share, calm_since: Instant::now() });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn share(&self) -> Option<f64> {
        self.limit.as_ref().map(|limit| limit.share)
    }

    fn network(&mut self, address: ClientAddress, now: Instant) -> (ClientAddress, &mut Network) {
        let key = address.network().unwrap_or(address);
        let debt = || Debt { time: 0.0, at: now };
        let network = self.networks.entry(key).or_insert_with(|| Network {
            used: 0.0,
            average: 0.0,
            requests: debt(),
            connections: debt(),
            has_waited: false,
            seen_at: now,
        });
        network.seen_at = now;
        (key, network)
    }

    fn note(&mut self, delay: Duration, now: Instant) {
        let decided_at = *self.decided_at.get_or_insert(now);
        let elapsed = now.saturating_duration_since(decided_at);
        if elapsed >= INTERVAL {
            self.decide(elapsed, now);
            (self.decided_at, self.requests, self.delay) = (Some(now), 0, Duration::ZERO);
        }
        self.requests += 1;
        self.delay += delay;
    }

    fn decide(&mut self, elapsed: Duration, now: Instant) {
        // Somebody who had to wait would use more.
        let demand =
            |network: &Network| if network.has_waited { f64::MAX } else { network.used / elapsed.as_secs_f64() };
        let mut demands: Vec<f64> = self.networks.values().map(demand).collect();
        let used = self.networks.values().map(|network| network.used).sum::<f64>() / elapsed.as_secs_f64();
        let is_queue = self.requests > 0 && self.delay > QUEUE_DELAY * self.requests && used > MUCH * self.processors;
        let is_calm = !is_queue && self.networks.values().all(|network| !network.has_waited);
        let calm_since = |limit: &Limit| if is_calm { limit.calm_since } else { now };
        let before = self.limit.take();
        let budget = match &before {
            // Alone, a network makes only itself wait.
            _ if demands.len() < 2 => None,
            None => is_queue.then_some(used * DECREASE),
            Some(limit) if is_queue => Some(limit.budget.min(used) * DECREASE),
            Some(limit) if now.saturating_duration_since(calm_since(limit)) > CALM => None,
            Some(limit) => Some(limit.budget * INCREASE.powf(elapsed.div_duration_f64(INTERVAL))),
        };
        if let Some(budget) = budget.map(|budget| budget.clamp(LEAST, self.processors)) {
            let share = share(budget, &mut demands).max(LEAST);
            self.limit = Some(Limit { budget, share, calm_since: before.as_ref().map_or(now, calm_since) });
        }
        self.networks.retain(|_, network| {
            (network.used, network.has_waited) = (0.0, false);
            now.saturating_duration_since(network.seen_at) < CALM
        });
    }
}

/// The most that each may use so that all together use no more than the budget.
fn share(budget: f64, demands: &mut [f64]) -> f64 {
    demands.sort_unstable_by(f64::total_cmp);
    let mut left = budget;
    for (number, demand) in demands.iter().enumerate() {
        let share = left / (demands.len() - number) as f64;
        if *demand > share {
            return share;
        }
        left -= demand;
    }
    budget
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client(network: u8) -> ClientAddress {
        Ipv4Addr::new(10, 0, network, 1).into()
    }

    struct Simulation {
        shares: FairShare,
        now: Instant,
    }

    impl Simulation {
        /// Serves the requests of an interval, each with its network and with what it uses. Returns the longest wait of each
        /// network, and `None` if one of its requests was refused.
        fn round(&mut self, requests: &[(u8, Duration)], delay: Duration) -> HashMap<u8, Option<Duration>> {
            let mut waits = HashMap::new();
            for (network, used) in requests {
                let begun = self.shares.begin(client(*network), delay, self.now);
                let longest = waits.entry(*network).or_insert(Some(Duration::ZERO));
                *longest = longest.zip(begun.as_ref()).map(|(longest, turn)| longest.max(turn.wait));
                if let Some(turn) = begun {
                    self.shares.end(&turn, *used, self.now);
                }
            }
            self.now += INTERVAL;
            waits
        }
    }

    const HEAVY: Duration = Duration::from_millis(15);
    const LIGHT: Duration = Duration::from_micros(200);

    fn simulation() -> Simulation {
        Simulation { shares: FairShare::new(1), now: Instant::now() }
    }

    #[test]
    fn who_uses_most_waits_while_others_do_not() {
        let mut simulation = simulation();
        let requests = [[(1, HEAVY); 6].as_slice(), &[(2, LIGHT); 4]].concat();
        let waits = simulation.round(&requests, 5 * QUEUE_DELAY);
        assert!(waits.values().all(|wait| *wait == Some(Duration::ZERO)), "nothing is known yet");
        for _ in 0..20 {
            let waits = simulation.round(&requests, Duration::ZERO);
            assert!(waits[&1] > Some(Duration::ZERO), "{waits:?}");
            assert_eq!(waits[&2], Some(Duration::ZERO));
        }
    }

    #[test]
    fn those_who_call_now_and_then_have_a_share_too() {
        let mut simulation = simulation();
        for number in 0..40 {
            let rare = if number % 10 == 0 { &[(2, LIGHT)][..] } else { &[] };
            let waits = simulation.round(&[&[(1, HEAVY); 6], rare].concat(), 5 * QUEUE_DELAY);
            assert_eq!(waits[&1] != Some(Duration::ZERO), number > 0, "{number}");
        }
    }

    #[test]
    fn without_a_queue_or_alone_nobody_waits() {
        for (requests, delay) in [([(1, HEAVY), (2, HEAVY)], QUEUE_DELAY), ([(1, HEAVY), (1, HEAVY)], 9 * QUEUE_DELAY)]
        {
            let mut simulation = simulation();
            for _ in 0..50 {
                let waits = simulation.round(&requests.repeat(5), delay);
                assert!(waits.values().all(|wait| *wait == Some(Duration::ZERO)));
            }
        }
    }

    #[test]
    fn who_would_wait_for_too_long_is_refused() {
        let mut simulation = simulation();
        let requests = [[(1, HEAVY); 100].as_slice(), &[(2, LIGHT)]].concat();
        (0..5).for_each(|_| drop(simulation.round(&requests, 9 * QUEUE_DELAY)));
        let waits = simulation.round(&requests, 9 * QUEUE_DELAY);
        assert_eq!((waits[&1], waits[&2]), (None, Some(Duration::ZERO)));
    }

    #[test]
    fn connections_pause_for_what_they_use_besides_requests() {
        let mut simulation = simulation();
        let spend =
            |simulation: &Simulation, network, used| simulation.shares.spend(client(network), used, simulation.now);
        assert_eq!(spend(&simulation, 3, HEAVY), Duration::ZERO);
        let requests = [[(1, HEAVY); 6].as_slice(), &[(2, LIGHT); 4]].concat();
        (0..5).for_each(|_| drop(simulation.round(&requests, 9 * QUEUE_DELAY)));
        assert_eq!(spend(&simulation, 1, LIGHT), Duration::ZERO, "not for what requests use");
        assert!(spend(&simulation, 1, 8 * HEAVY) > Duration::ZERO);
        assert_eq!(spend(&simulation, 2, LIGHT), Duration::ZERO);
        assert_eq!(spend(&simulation, 1, Duration::from_secs(20)), Duration::from_secs_f64(MAX_WAIT));
    }

    #[test]
    fn what_is_over_is_forgotten_soon() {
        let mut simulation = simulation();
        simulation.shares.limit(LEAST);
        let _ = simulation.round(&[(1, 100 * HEAVY), (2, LIGHT)], Duration::ZERO);
        assert_eq!(simulation.round(&[(1, LIGHT)], Duration::ZERO)[&1], None);
        simulation.now += Duration::from_secs_f64(MAX_DEBT);
        assert_eq!(simulation.round(&[(1, LIGHT), (2, LIGHT)], Duration::ZERO)[&1], Some(Duration::ZERO));
    }

    #[test]
    fn who_uses_little_never_waits_however_many_others_there_are() {
        let mut simulation = simulation();
        let requests: Vec<_> = (3..=200).map(|network| (network, HEAVY / 10)).chain([(1, LIGHT); 4]).collect();
        for _ in 0..40 {
            assert_eq!(simulation.round(&requests, 9 * QUEUE_DELAY)[&1], Some(Duration::ZERO));
        }
    }

    #[test]
    fn after_a_calm_time_nobody_waits_and_nothing_is_kept() {
        let mut simulation = simulation();
        let requests = [[(1, HEAVY); 6].as_slice(), &[(2, LIGHT); 4]].concat();
        (0..5).for_each(|_| drop(simulation.round(&requests, 9 * QUEUE_DELAY)));
        assert!(simulation.shares.lock().limit.is_some());
        (0..100).for_each(|_| drop(simulation.round(&[(2, LIGHT), (3, LIGHT)], Duration::ZERO)));
        let state = simulation.shares.lock();
        assert!(state.limit.is_none());
        assert_eq!(state.networks.len(), 2);
    }

    #[test]
    fn what_some_do_not_use_others_may() {
        assert_eq!(share(1.0, &mut [f64::MAX, 0.1, f64::MAX]), 0.45);
        assert_eq!(share(1.0, &mut [0.2, 0.3]), 1.0);
        assert_eq!(share(1.0, &mut [0.2, 0.9]), 0.8);
    }
}
