//! Time, ids and randomness as one input, so that a retried operation produces the same result.

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// Milliseconds since 1970-01-01 UTC.
pub type Millis = i64;

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
        let digest = Sha256::new().chain_update(self.seed).chain_update(n.to_be_bytes()).finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Builder::from_random_bytes(bytes).into_uuid()
    }

    /// A random number that is not 0.
    pub fn stamp(&self) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = self.id(0).into_bytes();
        (i64::from_be_bytes([a, b, c, d, e, f, g, h]) & i64::MAX) | 1
    }

    /// Returns a time later than `previous`, even if the clock was set back.
    pub fn after(&self, previous: Millis) -> Millis {
        self.now.max(previous + 1)
    }
}
