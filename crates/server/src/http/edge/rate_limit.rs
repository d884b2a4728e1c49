//! Token bucket rate limits and quotas, one bucket per key.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use axum::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use wishbone_core::error::{Error, Limit, Result};
use wishbone_core::moment::{DAY, HOUR, Millis};

use crate::limit_key::{Counted, NETWORK_FACTOR};

/// Buckets in a generation. There are two generations, which bounds memory whatever keys callers invent.
const GENERATION: usize = 50_000;

/// A rate of `calls` per `period`, with bursts of up to `burst`. A quota is a rate of KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub calls: u32,
    pub period: Millis,
    pub burst: u32,
}

impl Rate {
    /// A rate per second, with bursts of twice as many calls.
    pub fn per_second(calls: u32) -> Self {
        Self::with_burst(calls, 2)
    }

    /// A rate per second, with bursts of what is allowed in `seconds`.
    pub fn with_burst(calls: u32, seconds: u32) -> Self {
        Self { calls, period: 1_000, burst: calls.saturating_mul(seconds) }
    }

    /// MiB per day, all of which may be used at once.
    pub fn mib_per_day(mib: u32) -> Self {
        let kib = mib.saturating_mul(1_024);
        Self { calls: kib, period: DAY, burst: kib }
    }

    /// Half of it.
    pub(crate) fn half(self) -> Self {
        Self { calls: self.calls / 2, burst: self.burst / 2, ..self }
    }

    /// What a network may do, if one of its addresses may do this.
    fn of_network(self) -> Self {
        let [calls, burst] = [self.calls, self.burst].map(|it| it.max(1).saturating_mul(NETWORK_FACTOR));
        Self { calls, burst, ..self }
    }

    fn capacity(self) -> i64 {
        i64::from(self.burst.max(1)).saturating_mul(self.period)
    }

    /// A rate per hour, all of which may be used at once.
    pub fn per_hour(calls: u32) -> Self {
        Self { calls, period: HOUR, burst: calls }
    }
}

/// Token buckets by key and, for addresses, by their network. A bucket that is not used while 50,000 others are may be dropped, and is full when it is next
/// used. Dropping only full buckets would let an attacker fill the memory with partly used ones.
pub struct RateLimiter<K>(Mutex<Generations<K>>);

struct Generations<K> {
    young: HashMap<K, Bucket>,
    old: HashMap<K, Bucket>,
}

#[derive(Clone, Copy)]
struct Bucket {
    /// A call costs as many tokens as its period has milliseconds; `calls` tokens are added per millisecond.
    tokens: i64,
    at: Millis,
}

/// The decision on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub allowed: bool,
    pub limit: i64,
    /// True if it is the limit of a network.
    is_network: bool,
    remaining: i64,
    /// Seconds until the next call is allowed or, if this one is, until the bucket is full.
    wait: i64,
}

impl<K> Default for RateLimiter<K> {
    fn default() -> Self {
        Self(Mutex::new(Generations { young: HashMap::new(), old: HashMap::new() }))
    }
}

impl<K: Counted> RateLimiter<K> {
    /// Takes one call, if it is allowed.
    pub fn take(&self, key: K, rate: Rate, now: Millis) -> Verdict {
        self.take_some(key, rate, now, |allowed| if allowed { rate.period } else { 0 })
    }

    /// Tells whether a call is allowed, without taking it.
    pub fn check(&self, key: K, rate: Rate, now: Millis) -> Verdict {
        self.take_some(key, rate, now, |_| 0)
    }

    /// Takes `amount` calls even if fewer are allowed. The debt is at most a burst.
    pub fn charge(&self, key: K, rate: Rate, amount: u32, now: Millis) {
        let _ = self.take_some(key, rate, now, |_| i64::from(amount).saturating_mul(rate.period));
    }

    /// Takes up to `amount` calls. Returns how many.
    pub fn take_up_to(&self, key: K, rate: Rate, amount: u32, now: Millis) -> u32 {
        let left = self.check(key, rate, now).remaining;
        let amount = amount.min(u32::try_from(left).unwrap_or(u32::MAX));
        self.charge(key, rate, amount, now);
        amount
    }

    /// Gives back `amount` calls. A bucket is never more than full, so no more than was taken.
    pub fn refund(&self, key: K, rate: Rate, amount: u32, now: Millis) {
        let _ = self.take_some(key, rate, now, |_| i64::from(amount).saturating_mul(-rate.period));
    }

    fn take_some(&self, key: K, rate: Rate, now: Millis, taken: impl FnOnce(bool) -> i64) -> Verdict {
        let mut generations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = generations.refill(key, rate, now);
        let network = key.network().map(|network| (network, rate.of_network()));
        let around = network.map(|(key, rate)| generations.refill(key, rate, now));
        let amount = taken(own && around.unwrap_or(true));
        let verdict = generations.take(key, rate, now, amount);
        match network {
            None => verdict,
            Some((key, rate)) => {
                verdict.stricter(Verdict { is_network: true, ..generations.take(key, rate, now, amount) })
            }
        }
    }
}

impl<K: Counted> Generations<K> {
    /// Adds the tokens of the time since the last call. Returns whether there are enough for a call.
    fn refill(&mut self, key: K, rate: Rate, now: Millis) -> bool {
        let bucket = self.bucket(key, Bucket { tokens: rate.capacity(), at: now });
        let gained = now.saturating_sub(bucket.at).max(0).saturating_mul(i64::from(rate.calls.max(1)));
        bucket.tokens = bucket.tokens.saturating_add(gained).min(rate.capacity());
        bucket.at = now;
        bucket.tokens >= rate.period
    }

    /// Takes tokens of a bucket that was just filled up.
    fn take(&mut self, key: K, rate: Rate, now: Millis, amount: i64) -> Verdict {
        let (calls, capacity) = (i64::from(rate.calls.max(1)), rate.capacity());
        let bucket = self.bucket(key, Bucket { tokens: capacity, at: now });
        let allowed = bucket.tokens >= rate.period;
        bucket.tokens = bucket.tokens.saturating_sub(amount).clamp(-capacity, capacity);
        let missing = if allowed { capacity - bucket.tokens } else { rate.period - bucket.tokens };
        let wait = missing.saturating_add(calls * 1_000 - 1) / (calls * 1_000);
        let remaining = (bucket.tokens / rate.period).max(0);
        Verdict { allowed, limit: calls, is_network: false, remaining, wait: wait.max(1) }
    }

    fn bucket(&mut self, key: K, full: Bucket) -> &mut Bucket {
        if self.young.len() >= GENERATION && !self.young.contains_key(&key) {
            self.old = mem::take(&mut self.young);
        }
        let known = self.old.remove(&key);
        self.young.entry(key).or_insert(known.unwrap_or(full))
    }
}

impl Verdict {
    /// The stricter of two decisions.
    pub fn stricter(self, other: Self) -> Self {
        if (other.allowed, other.remaining) < (self.allowed, self.remaining) { other } else { self }
    }

    /// Fails if the call is not allowed, with a message such as "`a shopper may write` 100 `times a second`".
    pub fn require(&self, who: &str, unit: &str) -> Result<()> {
        if self.allowed {
            return Ok(());
        }
        let limit = Limit { max: self.limit, retry_after: self.wait };
        let rule = match self.is_network {
            false => format!("{who} {} {unit}", self.limit),
            true => format!("{who} {} {unit}, and its network {}", self.limit / i64::from(NETWORK_FACTOR), self.limit),
        };
        Err(Error::rate_limited(rule, limit))
    }

    pub fn write(&self, headers: &mut HeaderMap) {
        let names =
            [("ratelimit-limit", self.limit), ("ratelimit-remaining", self.remaining), ("ratelimit-reset", self.wait)];
        for (name, value) in names {
            headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
        }
        if !self.allowed {
            headers.insert(RETRY_AFTER, HeaderValue::from(self.wait));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::limit_key::ClientAddress;

    const ANN: (i64, [u8; 16]) = (1, [1; 16]);

    #[test]
    fn a_burst_is_twice_the_rate_and_refills_with_time() {
        let limiter = RateLimiter::default();
        let allowed = |now| limiter.take(ANN, Rate::per_second(5), now).allowed;
        assert!((0..10).all(|_| allowed(0)));
        assert!(!allowed(0));
        assert!(!allowed(199));
        assert!(allowed(200) && !allowed(200));
        assert!((0..10).all(|_| allowed(60_000)));
    }

    #[test]
    fn an_hourly_rate_refills_one_call_at_a_time() {
        let limiter = RateLimiter::default();
        let take = |now| limiter.take(1_i64, Rate::per_hour(3), now);
        assert!((0..3).all(|_| take(0).allowed));
        let rejected = take(0);
        assert_eq!((rejected.allowed, rejected.wait), (false, 1_200));
        assert!(!take(1_199_999).allowed);
        assert!(take(1_200_000).allowed && !take(1_200_000).allowed);
        assert!((0..3).all(|_| take(86_400_000).allowed) && !take(86_400_000).allowed);
    }

    #[test]
    fn a_debt_is_paid_back_before_the_next_call() {
        let limiter = RateLimiter::default();
        let quota = Rate::mib_per_day(24);
        assert!(limiter.check(ANN, quota, 0).allowed);
        limiter.charge(ANN, quota, 25 * 1_024, 0);
        let refused = limiter.check(ANN, quota, 0);
        assert!(!refused.allowed);
        assert_eq!(refused.wait, 3_604, "one MiB an hour, and a KiB more");
        assert!(!limiter.check(ANN, quota, HOUR).allowed);
        assert!(limiter.check(ANN, quota, HOUR + 3_600).allowed);
        limiter.charge(ANN, quota, u32::MAX, HOUR);
        assert!(limiter.check(ANN, quota, HOUR + DAY + 3_600).allowed, "the debt is at most a day");
    }

    #[test]
    fn one_shopper_does_not_use_up_the_calls_of_another() {
        let limiter = RateLimiter::default();
        while limiter.take(ANN, Rate::per_second(5), 0).allowed {}
        assert!(limiter.take((1, [2; 16]), Rate::per_second(5), 0).allowed);
        assert!(limiter.take((2, [1; 16]), Rate::per_second(5), 0).allowed);
    }

    #[test]
    fn the_addresses_of_a_network_share_a_larger_limit() {
        let address = |host: u8| ClientAddress::from(Ipv4Addr::new(192, 0, 2, host));
        let (limiter, rate) = (RateLimiter::default(), Rate::per_hour(3));
        let take = |host| limiter.take((1, address(host)), rate, 0);
        for host in 1..=4 {
            assert!((0..3).all(|_| take(host).allowed) && !take(host).allowed, "{host}");
        }
        let refused = take(5).require("an address may call this", "times an hour").unwrap_err();
        assert!(
            refused.message.contains("an address may call this 3 times an hour, and its network 12"),
            "{refused:?}"
        );
        assert!(limiter.take((2, address(5)), rate, 0).allowed, "another store");
        assert!(limiter.take((1, Ipv4Addr::new(192, 0, 3, 5).into()), rate, 0).allowed, "another network");
        assert!((0..3).all(|_| limiter.take((1, address(5)), rate, HOUR).allowed), "a refused call takes nothing");
        limiter.charge((1, address(6)), rate, 50, HOUR);
        assert!(!limiter.check((1, address(7)), rate, HOUR).allowed);
    }

    #[test]
    fn a_refund_is_at_most_what_was_charged() {
        let (limiter, quota) = (RateLimiter::default(), Rate::mib_per_day(1));
        limiter.charge(ANN, quota, 100, 0);
        limiter.refund(ANN, quota, 5_000, 0);
        let left = limiter.check(ANN, quota, 0).remaining;
        assert_eq!(left, 1_024);
        limiter.charge(ANN, quota, 1_500, 0);
        limiter.refund(ANN, quota, 500, 0);
        assert_eq!(limiter.check(ANN, quota, 0).remaining, 24);
    }

    #[test]
    fn a_clock_that_goes_back_takes_no_tokens() {
        let limiter = RateLimiter::default();
        limiter.take(ANN, Rate::per_second(5), 10_000);
        assert!(limiter.take(ANN, Rate::per_second(5), 0).allowed);
    }

    #[test]
    fn memory_is_bounded_and_buckets_in_use_are_not_dropped() {
        let limiter = RateLimiter::default();
        let rate = Rate::per_hour(1);
        assert!(limiter.take(-1_i64, rate, 0).allowed);
        for other in 0..5 * GENERATION as i64 {
            assert!(limiter.take(other, rate, 0).allowed);
            if other % 1_000 == 0 {
                assert!(!limiter.take(-1, rate, 0).allowed, "dropped after {other} others");
            }
        }
        let generations = limiter.0.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 2 * GENERATION);
    }
}
