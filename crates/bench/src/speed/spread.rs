//! Several rounds as one number: the median, and how far they lie apart.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// `None` of nothing.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Some(Self { median, least, most })
    }

    /// One against the other, round by round: what slows a whole round down cancels out.
    pub(crate) fn of_ratios(of: &[f64], to: &[f64]) -> Option<Self> {
        Self::of(of.iter().zip(to).filter(|(_, to)| **to > 0.0).map(|(of, to)| of / to))
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_is_in_the_middle_of_odd_and_even_numbers() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 3.0 }));
        assert_eq!(Spread::of([4.0, 1.0]).unwrap().median, 2.5);
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        let ratio = Spread::of_ratios(&[50.0, 10.0, 40.0], &[100.0, 20.0, 50.0]).unwrap();
        assert_eq!((ratio.median, ratio.least, ratio.most), (0.5, 0.5, 0.8));
        assert_eq!(Spread::of_ratios(&[1.0], &[0.0]), None);
    }
}
