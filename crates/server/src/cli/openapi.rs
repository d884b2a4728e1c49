//! `wishbone openapi`

use std::process::ExitCode;

use crate::api::document::document;
use crate::api::examples::Examples;
use crate::cli::output::say;

pub(super) fn run(json: bool) -> ExitCode {
    let document = document(&Examples::default());
    say(&if json { document.to_string() } else { format!("{document:#}") });
    ExitCode::SUCCESS
}
