//! Spawns background tasks. The only module that does, so that a task that ends unexpectedly is always logged.

use std::future::Future;

#[allow(clippy::disallowed_methods, reason = "tasks are spawned only here")]
pub(crate) fn start(name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
    let task = tokio::spawn(work);
    tokio::spawn(async move {
        if let Err(error) = task.await {
            tracing::error!(task = name, %error, "background task ended unexpectedly");
        }
    });
}

/// Spawns the task of a client connection. It is not watched: connections may end at any time, and requests log their
/// own failures.
#[allow(clippy::disallowed_methods, reason = "tasks are spawned only here")]
pub(crate) fn start_connection(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work);
}
