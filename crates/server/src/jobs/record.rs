//! Recording results: what was sent and is not recorded would be sent again.

use std::time::Duration;

use tokio::time::sleep;
use wishbone_core::error::{Code, Error, Result};
use wishbone_storage::Write;

use crate::app::App;

/// Pauses before the attempts after the first; together less than is left of a lease.
pub(super) const MAIL_PAUSES: &[Duration] =
    &[Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(10), Duration::from_secs(30)];
pub(super) const WEBHOOK_PAUSES: &[Duration] =
    &[Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(10)];

/// Runs a write that may be repeated, again and again while the database does not answer.
pub(super) async fn record<W: Write<Error = Error> + Clone>(
    app: &App,
    result: W,
    pauses: &[Duration],
) -> Result<W::Out> {
    for pause in pauses {
        match app.of_job(app.database.write(result.clone())).await {
            Err(error) if matches!(error.code, Code::Overloaded | Code::OutcomeUnknown) => sleep(*pause).await,
            recorded => return recorded,
        }
    }
    app.of_job(app.database.write(result)).await
}
