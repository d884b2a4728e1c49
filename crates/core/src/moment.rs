//! Time, ids and randomness as one input, so that a retried operation produces the same result.

use jiff::Timestamp;
use ring::digest;
use uuid::{Builder, Uuid};

/// Milliseconds since 1970-01-01 UTC.
pub type Millis = i64;

pub const MINUTE: Millis = 60_000;
pub const HOUR: Millis = 60 * MINUTE;
pub const DAY: Millis = 24 * HOUR;

/// The time and the randomness of one call.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub now: Millis,
    /// Random bytes drawn for this call alone.
    pub seed: [u8; 32],
}

impl Moment {
    /// Returns the `n`th new id of this call: unguessable, and the same when the call is retried.
    pub fn id(&self, n: usize) -> Uuid {
        let digest = self.derive(&n.to_be_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Builder::from_random_bytes(bytes).into_uuid()
    }

    /// The moment of the `n`th part of this call, with ids of its own.
    pub fn part(&self, n: usize) -> Self {
        Self { now: self.now, seed: self.derive(&[&b"part"[..], &n.to_be_bytes()].concat()) }
    }

    fn derive(&self, what: &[u8]) -> [u8; 32] {
        let mut hasher = digest::Context::new(&digest::SHA256);
        hasher.update(&self.seed);
        hasher.update(what);
        let mut out = [0; 32];
        out.copy_from_slice(hasher.finish().as_ref());
        out
    }

    /// Returns a time later than `previous`, even if the clock was set back.
    pub fn after(&self, previous: Millis) -> Millis {
        self.now.max(previous + 1)
    }
}

/// Formats a time as ISO 8601 in UTC.
pub fn iso8601(time: Millis) -> String {
    let bound = if time < 0 { Timestamp::MIN } else { Timestamp::MAX };
    format!("{:.3}", Timestamp::from_millisecond(time).unwrap_or(bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_the_seed() {
        let moment = Moment { now: 0, seed: [2; 32] };
        assert_eq!(moment.id(1).to_string(), "886a1c83-0e94-404a-9e80-ccf8003809b4");
        assert_ne!(moment.part(1).id(1), moment.id(1));
    }

    #[test]
    fn times_are_formatted_in_utc() {
        assert_eq!(iso8601(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso8601(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert_eq!(iso8601(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(iso8601(1_735_689_599_999), "2024-12-31T23:59:59.999Z");
    }
}
