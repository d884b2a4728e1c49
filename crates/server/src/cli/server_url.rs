//! The URL of the server, for the commands and links that are printed beside it.

use std::fs;
use std::path::Path;

use clap::Args;

use crate::cli::location::LocationArgs;

/// Has the URL of the last server with this data folder.
const FILE: &str = "server.url";
const DEFAULT: &str = "http://127.0.0.1:8080";

#[derive(Args)]
pub(super) struct ServerUrlArgs {
    /// URL of the server, for the commands that are printed [default: that of the last server with this data folder]
    #[arg(long, value_name = "URL", env = "WISHBONE_PUBLIC_URL")]
    public_url: Option<String>,
}

impl ServerUrlArgs {
    pub(super) fn url(&self, location: &LocationArgs) -> String {
        let recorded = || fs::read_to_string(location.data.join(FILE)).ok();
        let url = self.public_url.clone().or_else(recorded).unwrap_or_else(|| DEFAULT.to_owned());
        url.trim().trim_end_matches('/').to_owned()
    }
}

/// Notes where this server is reached. Without the file, only hints are less exact.
pub(super) fn record(data: &Path, url: &str) {
    if let Err(error) = fs::write(data.join(FILE), format!("{url}\n")) {
        tracing::debug!(%error, "cannot note the URL of the server");
    }
}
