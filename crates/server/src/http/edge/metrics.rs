//! The metrics recorder, for `/metrics`.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::time::sleep;

use crate::supervisor;

/// How often recorded samples are merged into their histograms; until then they take memory.
const UPKEEP: Duration = Duration::from_secs(5);
/// From a short read to the request timeout.
const SECONDS: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0,
];
const SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Starts the task that merges recorded samples into their histograms.
pub fn start_upkeep() {
    let Some(recorder) = recorder() else { return };
    supervisor::start("metrics upkeep", async move {
        loop {
            sleep(UPKEEP).await;
            recorder.run_upkeep();
        }
    });
}

/// The recorder, installed on first use; there is one per process.
pub fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER.get_or_init(install).as_ref()
}

fn install() -> Option<PrometheusHandle> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), SECONDS)
        .and_then(|builder| builder.set_buckets_for_metric(Matcher::Suffix("_size".into()), SIZES))
        .ok()?;
    let handle = builder.install_recorder().ok()?;
    metrics::describe_counter!("wishbone_requests_total", "Requests by operation and HTTP status.");
    metrics::describe_histogram!("wishbone_request_seconds", "Time from the request head to the response.");
    metrics::describe_gauge!("wishbone_connections", "Open connections.");
    metrics::describe_counter!("wishbone_connections_refused_total", "Connections rejected at the limit.");
    metrics::describe_gauge!("wishbone_database_queue_depth", "Operations waiting for the database.");
    metrics::describe_histogram!("wishbone_database_group_size", "Writes per group commit (SQLite).");
    metrics::describe_histogram!(
        "wishbone_database_read_seconds",
        "Time that a read holds a thread that serves requests (SQLite)."
    );
    metrics::describe_histogram!("wishbone_database_write_seconds", "Time that a write holds the writer (SQLite).");
    metrics::describe_counter!("wishbone_database_retries_total", "Operations retried after a conflict (PostgreSQL).");
    metrics::describe_counter!("wishbone_alerts_total", "Attempts to send a product alert, by outcome.");
    metrics::describe_gauge!("wishbone_alerts_waiting", "Subscriptions that wait for an event.");
    metrics::describe_gauge!("wishbone_alerts_due", "Alerts that are due.");
    metrics::describe_gauge!("wishbone_alerts_oldest_due_seconds", "How long the oldest due alert has been due.");
    // Present from the first scrape on, even before the first write.
    metrics::gauge!("wishbone_database_queue_depth").set(0.0);
    Some(handle)
}
