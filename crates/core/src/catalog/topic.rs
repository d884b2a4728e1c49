//! Topics of product alerts: what can happen to a variant that a shopper may want to know.

use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Stock rose from nothing.
    BackInStock,
    /// In stock for the first time.
    ComingSoon,
    PriceDrop,
    LowStock,
}

pub const TOPICS: &[&str] = &["backinstock", "comingsoon", "pricedrop", "lowstock"];

impl Topic {
    pub const ALL: [Self; 4] = [Self::BackInStock, Self::ComingSoon, Self::PriceDrop, Self::LowStock];

    pub const fn as_str(self) -> &'static str {
        TOPICS[self as usize]
    }

    pub fn parse(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|topic| topic.as_str() == text);
        known.ok_or_else(|| Error::invalid("topic", format!("must be one of {}", TOPICS.join(", "))))
    }
}
