//! Stores: their settings and row, the store as a caller, and what an operator does with them.

pub mod settings;
pub mod record;
pub mod admin;
pub mod manage;
pub mod login_secret;
pub mod maintenance;
