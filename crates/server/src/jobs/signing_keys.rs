//! Rotation of signing keys: encrypts stored secrets with the newest key, and records which older keys are still in use.

use std::time::Duration;

use wishbone_core::encrypted_secrets::{FindEncryptedSecrets, Reencrypt};
use wishbone_core::error::Result;
use wishbone_core::operator::Operator;
use wishbone_core::stores::signing_keys::RecordAcceptedKeys;

use crate::app::App;
use crate::jobs::job::{Job, Rest};

/// Encrypts all secrets with the newest key that are encrypted with an older one. Done once, when the server starts.
pub async fn reencrypt(app: &App) -> Result<()> {
    if app.keys.fingerprints().len() == 1 {
        return Ok(());
    }
    let by = Operator::of_this_machine();
    let mut count = 0;
    for secret in app.database.read_long(FindEncryptedSecrets { by }).await? {
        if let Some(write) = Reencrypt::new(by, &app.keys, secret, app.environment.random()) {
            app.database.write(write).await?;
            count += 1;
        }
    }
    if count > 0 {
        tracing::info!(count, "stored secrets are now encrypted with the newest signing key");
    }
    Ok(())
}

pub(super) struct RecordKeys;

impl Job for RecordKeys {
    const NAME: &'static str = "record keys";
    const PAUSE: Duration = Duration::from_secs(10);

    async fn step(app: &App) -> Result<Rest> {
        record(app).await?;
        Ok(Rest::UntilWoken)
    }
}

/// Records which older keys were needed since the last time.
pub async fn record(app: &App) -> Result<()> {
    let fingerprints = app.keys.take_accepted();
    if !fingerprints.is_empty() {
        let (by, now) = (Operator::of_this_machine(), app.environment.now());
        app.database.write(RecordAcceptedKeys { by, fingerprints, now }).await?;
    }
    Ok(())
}
