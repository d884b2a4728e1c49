//! SplitMix64, a seeded pseudorandom number generator.

#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // The high half of the product: no division, and a negligible bias.
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    pub(crate) fn uuid(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.next().to_be_bytes());
        bytes[8..].copy_from_slice(&self.next().to_be_bytes());
        uuid::Builder::from_random_bytes(bytes).into_uuid().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn equal_seeds_give_equal_numbers_and_all_are_below_the_end() {
        let draw = |seed| (0..1_000).scan(Rng::new(seed), |rng, _| Some(rng.below(7))).collect::<Vec<_>>();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let seen: std::collections::BTreeSet<u64> = draw(3).into_iter().collect();
        assert_eq!(seen, (0..7).collect());
    }
}
