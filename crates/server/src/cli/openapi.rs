//! `wishbone openapi`

use std::process::ExitCode;

use crate::api::document::document;
use crate::api::examples::Examples;
use crate::cli::output::print;

pub(super) fn run(json: bool) -> ExitCode {
    let document = document(&Examples::default());
    print(&if json { document.to_string() } else { format!("{document:#}") });
    ExitCode::SUCCESS
}
