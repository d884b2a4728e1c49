//! What PostgreSQL itself knows to be wrong. It checks its pages as it reads them, if it was set up with checksums; its
//! extension amcheck, where it is installed, looks at the structure of indexes.

use super::Postgres;
use crate::{Result, Watch};

const NO_LIMIT: &str = "set statement_timeout = 0";
const INVALID: &str = "
    select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = current_schema()::regnamespace and not (i.indisvalid and i.indisready)";
const CHECKSUMS: &str = "
    select coalesce(checksum_failures, 0) from pg_stat_database where datname = current_database()";
const AMCHECK: &str = "
    select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'amcheck'";
const INDEXES: &str = "
    select c.oid, c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where c.relnamespace = current_schema()::regnamespace and a.amname = 'btree' and i.indisvalid order by c.relname";

impl Postgres {
    pub(crate) async fn integrity(&self, watch: &Watch) -> Result<Vec<String>> {
        let client = self.client().await?;
        let mut faults = Vec::new();
        for row in client.query(INVALID, &[]).await? {
            let index: &str = row.try_get(0)?;
            faults.push(format!("the index {index} is not valid: run `reindex index {index}`"));
        }
        // Engines that only speak the protocol may not count them.
        let failures = client.query_opt(CHECKSUMS, &[]).await.ok().flatten();
        let failures: i64 = failures.map_or(Ok(0), |row| row.try_get(0))?;
        if failures > 0 {
            faults.push(format!("{failures} pages had a wrong checksum when they were read: look at PostgreSQL's log"));
        }
        let Some(row) = client.query_opt(AMCHECK, &[]).await? else { return Ok(faults) };
        let call = format!("select \"{}\".bt_index_check($1::oid::regclass)", row.try_get::<_, &str>(0)?);
        let indexes = client.query(INDEXES, &[]).await?;
        client.batch_execute(NO_LIMIT).await?;
        for (done, row) in indexes.iter().enumerate() {
            watch.tell("checking indexes", done as u64, indexes.len() as u64)?;
            let (oid, index): (u32, &str) = (row.try_get(0)?, row.try_get(1)?);
            if let Err(error) = client.execute(&call, &[&oid]).await {
                faults.push(format!(
                    "the index {index} is damaged ({}): run `reindex index {index}`",
                    crate::Error::from(error)
                ));
            }
        }
        // The connection goes to nobody who counts on its limit.
        drop(deadpool_postgres::Object::take(client));
        Ok(faults)
    }
}
