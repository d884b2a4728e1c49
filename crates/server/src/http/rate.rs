//! A token bucket for each shopper: N calls a second, bursts of twice that.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use wishbone_core::Millis;

/// Past so many shoppers the full buckets, which remember nothing, are thrown away.
const MOST_BUCKETS: usize = 100_000;

type Shopper = (i64, [u8; 16]);

#[derive(Default)]
pub struct RateLimiter(Mutex<HashMap<Shopper, Bucket>>);

#[derive(Clone, Copy)]
struct Bucket {
    /// Thousandths of a call.
    tokens: i64,
    at: Millis,
}

/// What a bucket says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub allowed: bool,
    limit: i64,
    remaining: i64,
    /// Seconds until the next call is possible, or until the bucket is full again.
    wait: i64,
}

impl RateLimiter {
    pub fn take(&self, shopper: Shopper, per_second: u32, now: Millis) -> Verdict {
        let rate = i64::from(per_second.max(1));
        let capacity = rate * 2_000;
        let refill = |bucket: &Bucket| {
            let gained = now.saturating_sub(bucket.at).max(0).saturating_mul(rate);
            bucket.tokens.saturating_add(gained).min(capacity)
        };
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_BUCKETS && !buckets.contains_key(&shopper) {
            buckets.retain(|_, bucket| refill(bucket) < capacity);
        }
        let bucket = buckets.entry(shopper).or_insert(Bucket { tokens: capacity, at: now });
        bucket.tokens = refill(bucket);
        bucket.at = now;
        let allowed = bucket.tokens >= 1_000;
        if allowed {
            bucket.tokens -= 1_000;
        }
        let missing = if allowed { capacity - bucket.tokens } else { 1_000 - bucket.tokens };
        // Tokens come at `rate` thousandths a millisecond.
        let wait = (missing + rate * 1_000 - 1) / (rate * 1_000);
        Verdict { allowed, limit: rate, remaining: bucket.tokens / 1_000, wait: wait.max(1) }
    }
}

impl Verdict {
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
    use super::*;

    const ANN: Shopper = (1, [1; 16]);

    #[test]
    fn a_burst_is_twice_the_rate_and_refills_with_time() {
        let limiter = RateLimiter::default();
        let allowed = |now| limiter.take(ANN, 5, now).allowed;
        assert!((0..10).all(|_| allowed(0)));
        assert!(!allowed(0));
        assert!(!allowed(199));
        assert!(allowed(200) && !allowed(200));
        assert!((0..10).all(|_| allowed(60_000)));
    }

    #[test]
    fn one_shopper_does_not_use_up_the_calls_of_another() {
        let limiter = RateLimiter::default();
        while limiter.take(ANN, 5, 0).allowed {}
        assert!(limiter.take((1, [2; 16]), 5, 0).allowed);
        assert!(limiter.take((2, [1; 16]), 5, 0).allowed);
    }

    #[test]
    fn a_clock_that_goes_back_takes_nothing_away() {
        let limiter = RateLimiter::default();
        limiter.take(ANN, 5, 10_000);
        assert!(limiter.take(ANN, 5, 0).allowed);
    }
}
