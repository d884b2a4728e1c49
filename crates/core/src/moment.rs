//! Time, ids and randomness as one input, so that a retried operation produces the same result.

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// Milliseconds since 1970.
pub type Millis = i64;

/// What the world contributes to one call.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub now: Millis,
    /// Random bytes drawn for this call alone.
    pub seed: [u8; 32],
}

impl Moment {
    /// The `n`th fresh id of this call: unguessable, and the same when the call runs again.
    pub fn id(&self, n: usize) -> Uuid {
        let digest = Sha256::new().chain_update(self.seed).chain_update(n.to_be_bytes()).finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Builder::from_random_bytes(bytes).into_uuid()
    }

    /// A number that was never there before, and is never 0.
    pub fn stamp(&self) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = self.id(0).into_bytes();
        (i64::from_be_bytes([a, b, c, d, e, f, g, h]) & i64::MAX) | 1
    }

    /// A time that is later than `previous` even when the clock has gone back.
    pub fn after(&self, previous: Millis) -> Millis {
        self.now.max(previous + 1)
    }
}
