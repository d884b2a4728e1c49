//! Median and range of several measurements.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) median: f64,
    #[serde(rename = "least")]
    pub(crate) min: f64,
    #[serde(rename = "most")]
    pub(crate) max: f64,
}

impl Summary {
    /// `None` without values.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Some(Self { median, min, max })
    }

    /// Summarizes pairwise ratios, so that interference with both sides cancels out.
    pub(crate) fn of_ratios(of: &[f64], to: &[f64]) -> Option<Self> {
        Self::of(of.iter().zip(to).filter(|(_, to)| **to > 0.0).map(|(of, to)| of / to))
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn the_median_of_odd_and_even_counts_is_in_the_middle() {
        assert_eq!(Summary::of([]), None);
        assert_eq!(Summary::of([3.0, 1.0, 2.0]), Some(Summary { median: 2.0, min: 1.0, max: 3.0 }));
        assert_eq!(Summary::of([4.0, 1.0]).unwrap().median, 2.5);
    }

    #[test]
    fn ratios_are_pairwise() {
        let ratio = Summary::of_ratios(&[50.0, 10.0, 40.0], &[100.0, 20.0, 50.0]).unwrap();
        assert_eq!((ratio.median, ratio.min, ratio.max), (0.5, 0.5, 0.8));
        assert_eq!(Summary::of_ratios(&[1.0], &[0.0]), None);
    }
}
