//! Integrity checks of PostgreSQL: invalid indexes, failed page checksums, and the structure of indexes where the
//! extension amcheck is installed.

use super::engine::Postgres;
use crate::error::{Error, Result};
use crate::progress::ProgressReporter;

const NO_TIMEOUT: &str = "set statement_timeout = 0";
const INVALID_INDEXES: &str = "
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace and not (i.indisvalid and i.indisready)";
const CHECKSUM_FAILURES: &str = "
    select coalesce(checksum_failures, 0) from pg_stat_database where datname = current_database()";
const AMCHECK_SCHEMA: &str = "
    select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'amcheck'";
const INDEXES: &str = "
    select c.oid, c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where c.relnamespace = current_schema()::regnamespace and a.amname = 'btree' and i.indisvalid order by c.relname";

impl Postgres {
    pub(crate) async fn integrity(&self, progress: &ProgressReporter) -> Result<Vec<String>> {
        let client = self.client().await?;
        let mut faults = Vec::new();
        for row in client.query(INVALID_INDEXES, &[]).await? {
            let index: &str = row.try_get(0)?;
            faults.push(format!("index {index} is invalid: run `reindex index {index}`"));
        }
        // Compatible engines may not have this view.
        let failures = client.query_opt(CHECKSUM_FAILURES, &[]).await.ok().flatten();
        let failures: i64 = failures.map_or(Ok(0), |row| row.try_get(0))?;
        if failures > 0 {
            faults.push(format!("{failures} page checksum failures: see PostgreSQL's log"));
        }
        let Some(row) = client.query_opt(AMCHECK_SCHEMA, &[]).await? else { return Ok(faults) };
        let call = format!("select \"{}\".bt_index_check($1::oid::regclass)", row.try_get::<_, &str>(0)?);
        let indexes = client.query(INDEXES, &[]).await?;
        client.batch_execute(NO_TIMEOUT).await?;
        for (done, row) in indexes.iter().enumerate() {
            progress.report("checking indexes", done as u64, indexes.len() as u64)?;
            let (oid, index): (u32, &str) = (row.try_get(0)?, row.try_get(1)?);
            if let Err(error) = client.execute(&call, &[&oid]).await {
                faults.push(format!("index {index} is corrupt ({}): run `reindex index {index}`", Error::from(error)));
            }
        }
        // Not returned to the pool, because it has no statement timeout.
        drop(deadpool_postgres::Object::take(client));
        Ok(faults)
    }
}
