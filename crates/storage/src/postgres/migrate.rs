//! Migrations on PostgreSQL.

use tokio_postgres::GenericClient;

use crate::error::Result;
use crate::migration::{CREATE_VERSIONS, CURRENT_VERSION, Migration, pending};

/// An arbitrary key, unlikely to be used by another program.
const ADVISORY_LOCK: i64 = 0x5749_5348_424f_4e45;

pub(super) async fn migrate(client: &mut tokio_postgres::Client, migrations: &[Migration]) -> Result<()> {
    // An up-to-date database needs no advisory lock, which some compatible engines do not support.
    let current = schema_version(client).await.unwrap_or(0);
    if pending(current, migrations)?.is_empty() {
        return Ok(());
    }
    let tx = client.transaction().await?;
    apply(&tx, migrations).await?;
    Ok(tx.commit().await?)
}

/// Applies pending migrations within a transaction; the caller commits.
pub(super) async fn apply(tx: &impl GenericClient, migrations: &[Migration]) -> Result<()> {
    // Waiting for another node, or changing a large table, can exceed the timeout.
    tx.batch_execute("set local statement_timeout = 0").await?;
    tx.execute("select pg_advisory_xact_lock($1)", &[&ADVISORY_LOCK]).await?;
    tx.batch_execute(CREATE_VERSIONS).await?;
    let current: i64 = tx.query_one(CURRENT_VERSION, &[]).await?.get(0);
    for migration in pending(current, migrations)? {
        // One by one: Citus rejects some statements among others.
        for statement in migration.postgres.split(";\n") {
            tx.batch_execute(statement).await?;
        }
        tx.execute("insert into schema_versions values ($1, $2)", &[&migration.number, &migration.name]).await?;
        tracing::info!(number = migration.number, name = migration.name, "schema updated");
    }
    Ok(())
}

pub(super) async fn schema_version(client: &impl GenericClient) -> Result<i64> {
    Ok(client.query_one(CURRENT_VERSION, &[]).await?.try_get(0)?)
}
