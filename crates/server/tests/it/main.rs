//! One integration binary. Every test body runs on both engines, in process, with a fixed clock.

#[macro_use]
mod support;

mod lists;
