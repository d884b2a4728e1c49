//! What an attack got, and what it found.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

pub(super) struct Tally {
    duration: Duration,
    until: Instant,
    pub(super) is_short: bool,
    /// Responses by status.
    statuses: BTreeMap<u16, usize>,
    pub(super) broken: usize,
    /// The last reason why the attack started again.
    problem: Option<String>,
    facts: Vec<String>,
    violations: Vec<String>,
}

impl Tally {
    pub(super) fn new(duration: Duration, is_short: bool) -> Self {
        let until = Instant::now() + duration;
        let (statuses, broken, problem) = (BTreeMap::new(), 0, None);
        Self { duration, until, is_short, statuses, broken, problem, facts: Vec::new(), violations: Vec::new() }
    }

    /// An empty one for a part of the attack, which ends at the same time.
    pub(super) fn again(&self) -> Self {
        Self { until: self.until, ..Self::new(self.duration, self.is_short) }
    }

    pub(super) fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    /// Starts the attack's time after what it has prepared.
    pub(super) fn begin(&mut self) {
        self.until = Instant::now() + self.duration;
    }

    /// Starts a time of its own, for an attack that shows only later. With `--short` it is as short as all others.
    pub(super) fn begin_for(&mut self, duration: Duration) {
        self.until = Instant::now() + if self.is_short { self.duration } else { duration };
    }

    /// Counts a response. Returns whether the call succeeded.
    pub(super) fn count<T>(&mut self, response: &anyhow::Result<(u16, T)>) -> bool {
        match response {
            Ok((status, _)) => *self.statuses.entry(*status).or_default() += 1,
            Err(_) => self.broken += 1,
        }
        matches!(response, Ok((200, _)))
    }

    pub(super) fn restart(&mut self, problem: &anyhow::Error) {
        self.broken += 1;
        self.problem = Some(format!("{problem:#}").chars().take(160).collect());
    }

    /// Something to report that is neither right nor wrong.
    pub(super) fn note(&mut self, fact: String) {
        self.facts.push(fact);
    }

    /// Reports a number of things that must not exceed a limit.
    pub(super) fn require_at_most(&mut self, limit: u64, count: u64, things: &str) {
        self.note(format!("{count} {things}"));
        if count > limit {
            self.violations.push(format!("{count} {things}, more than {limit}"));
        }
    }

    pub(super) fn require(&mut self, is_so: bool, what: &str) {
        self.note(format!("{what}: {}", if is_so { "yes" } else { "NO" }));
        if !is_so {
            self.violations.push(format!("{what}: no"));
        }
    }

    /// What must not be, whatever the attack is: an internal error, or what the attack itself has found.
    pub(super) fn violations(&self) -> Vec<String> {
        let errors = self.statuses.get(&500).map(|count| format!("{count} responses are 500"));
        self.violations.iter().cloned().chain(errors).collect()
    }

    pub(super) fn add(&mut self, other: Self) {
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.broken += other.broken;
        self.problem = other.problem.or_else(|| self.problem.take());
        self.facts.extend(other.facts);
        self.violations.extend(other.violations);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.facts.iter().try_for_each(|fact| write!(f, "{fact}; "))?;
        let statuses: Vec<String> = self.statuses.iter().map(|(status, count)| format!("{count} × {status}")).collect();
        write!(f, "attacker got {}, {} broken", statuses.join(", "), self.broken)?;
        self.problem.iter().try_for_each(|problem| write!(f, " ({problem})"))
    }
}
