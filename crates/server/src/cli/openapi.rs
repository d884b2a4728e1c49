//! `wishbone openapi`

use std::process::ExitCode;

use super::say;
use crate::openapi::{Examples, document};

pub(super) fn run(json: bool) -> ExitCode {
    let document = document(&Examples::default());
    say(&if json { document.to_string() } else { format!("{document:#}") });
    ExitCode::SUCCESS
}
