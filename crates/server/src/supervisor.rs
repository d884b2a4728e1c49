//! The one place that starts background work, by name, so that its end never goes unnoticed.

use std::future::Future;

#[allow(clippy::disallowed_methods, reason = "this is the one place")]
pub(crate) fn start(name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
    let task = tokio::spawn(work);
    tokio::spawn(async move {
        if let Err(error) = task.await {
            tracing::error!(task = name, %error, "background work ended unexpectedly");
        }
    });
}

/// A client's connection: there are many, each may end at any time, and requests report for themselves,
/// so nothing watches it.
#[allow(clippy::disallowed_methods, reason = "this is the one place")]
pub(crate) fn start_connection(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}
