//! Seeds of randomized tests. A run draws fresh ones; `WISHBONE_TEST_SEED` repeats a run.

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// Returns the seed from the environment, or a fresh one. It is printed, which the harness shows when the test fails.
pub fn seed() -> u64 {
    const VARIABLE: &str = "WISHBONE_TEST_SEED";
    let seed = match std::env::var(VARIABLE) {
        Ok(text) => {
            text.parse().unwrap_or_else(|_| panic!("{VARIABLE} must be an integer from 0 to 2^64-1, got {text:?}"))
        }
        Err(_) => getrandom::u64().unwrap(),
    };
    println!("to repeat: {VARIABLE}={seed}");
    seed
}

/// The configuration of a property test. Seeds replace proptest's files of failures.
pub fn property(cases: u32) -> Config {
    Config { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(seed()), ..Config::default() }
}

pub fn runner(cases: u32) -> TestRunner {
    TestRunner::new(property(cases))
}

/// Small and repeatable (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

#[test]
fn equal_seeds_give_equal_values() {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;

    let draw = |seed| {
        let config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() };
        any::<[u64; 4]>().new_tree(&mut TestRunner::new(config)).unwrap().current()
    };
    assert_eq!(draw(7), draw(7));
    assert_ne!(draw(7), draw(8));
}
