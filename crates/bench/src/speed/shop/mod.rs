//! The mix of a shop with hearts on its listing pages.

pub(super) mod shares;
mod check;
mod guests;
mod encode;
mod step;
pub(super) mod source;
#[cfg(test)]
mod tests;
