//! `wishbone doctor`: one file per check.

mod finding;
mod client;
mod database;
mod disk;
mod clock;
mod mail;
mod certificate;
mod proxy;
mod public_url;
mod keys;
pub(super) mod run;
