//! Time and randomness. The only module that reads the clock or draws random bytes; tests substitute a fixed
//! environment.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Uuid;
use wishbone_core::moment::{Millis, Moment};

pub enum Environment {
    Real,
    /// A clock that tests set, and a predictable sequence of bytes.
    Fixed {
        now: AtomicI64,
        drawn: AtomicU64,
    },
}

impl Environment {
    pub fn fixed(now: Millis) -> Self {
        Self::Fixed { now: AtomicI64::new(now), drawn: AtomicU64::new(0) }
    }

    #[allow(clippy::disallowed_methods, reason = "the clock is read only here")]
    pub fn now(&self) -> Millis {
        match self {
            Self::Real => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
            }
            Self::Fixed { now, .. } => now.load(Ordering::Relaxed),
        }
    }

    /// Sets a fixed clock, forwards or backwards. Does nothing to a real one.
    pub fn set_now(&self, to: Millis) {
        if let Self::Fixed { now, .. } = self {
            now.store(to, Ordering::Relaxed);
        }
    }

    #[allow(
        clippy::disallowed_methods,
        clippy::expect_used,
        reason = "randomness is drawn only here; without it no secure id can be made"
    )]
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut out = [0; N];
        match self {
            Self::Real => getrandom::fill(&mut out).expect("the operating system provides random bytes"),
            Self::Fixed { drawn, .. } => {
                let number = drawn.fetch_add(1, Ordering::Relaxed).to_be_bytes();
                let length = N.min(number.len());
                out[N - length..].copy_from_slice(&number[number.len() - length..]);
            }
        }
        out
    }

    pub fn moment(&self) -> Moment {
        Moment { now: self.now(), seed: self.random() }
    }

    pub fn uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.random()).into_uuid()
    }

    /// A unique id that is not secret. Makes no system call, which would cost a microsecond per request.
    pub fn label(&self) -> Uuid {
        match self {
            Self::Real => uuid::Builder::from_random_bytes(fastrand::u128(..).to_be_bytes()).into_uuid(),
            Self::Fixed { .. } => self.uuid(),
        }
    }
}
