//! The group sizes of SQLite's commits, from the server's metrics.

use anyhow::Context;

use super::system::System;
use crate::http::client::Client;

/// The totals of writes and commits of the SQLite writer.
#[derive(Default)]
pub(super) struct Groups {
    writes: f64,
    commits: f64,
}

impl Groups {
    pub(super) fn now(system: &System) -> anyhow::Result<Self> {
        if system.sqlite_file().is_none() {
            return Ok(Self::default());
        }
        let request = b"GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
        let metrics = system.metrics().context("the server has no metrics")?;
        let (response, _) = Client::connect(metrics)?.send(request)?;
        let text = String::from_utf8_lossy(&response);
        let value =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap_or(0.0);
        Ok(Self {
            writes: value("wishbone_database_group_size_sum "),
            commits: value("wishbone_database_group_size_count "),
        })
    }

    pub(super) fn mean_since(&self, before: &Self) -> Option<f64> {
        let commits = self.commits - before.commits;
        (commits > 0.0).then(|| (self.writes - before.writes) / commits)
    }
}
