//! Looks at every server of a URL, each over a connection of its own.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, NoTls};

use super::hosts::{name, of_one_host, parse};
use super::migrate::schema_version;
use super::tls;
use crate::diagnosis::{PostgresState, ServerDiagnosis, ServerState};
use crate::error::{Error, Result};
use crate::migration::{Migration, newest};

/// Time to connect to a server and to ask it.
const TIMEOUT: Duration = Duration::from_secs(5);

const STATE: &str = "
select current_setting('server_version'), current_setting('server_version_num')::bigint,
  pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
  (extract(epoch from clock_timestamp()) * 1000)::bigint,
  current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
  (select count(*) from pg_stat_activity where backend_type = 'client backend' and application_name <> current_setting('application_name')
    and pid <> pg_backend_pid()),
  current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on',
  current_setting('synchronous_commit'), current_setting('synchronous_standby_names') <> '',
  coalesce(has_schema_privilege(current_schema(), 'create'), false),
  to_regclass('stores') is not null and has_table_privilege(to_regclass('stores')::oid, 'insert, update, delete')";

pub(crate) async fn diagnose(url: &str, migrations: &[Migration]) -> Vec<ServerDiagnosis> {
    let config = match parse(url) {
        Ok(config) => config,
        Err(error) => {
            return vec![ServerDiagnosis { name: "PostgreSQL".to_owned(), state: Err(error.to_string()) }];
        }
    };
    let mut found = Vec::new();
    for server in servers(&config) {
        let state = match timeout(TIMEOUT, inspect(&server, migrations)).await {
            Ok(state) => state.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no response within {} seconds", TIMEOUT.as_secs())),
        };
        found.push(ServerDiagnosis { name: name(&server), state });
    }
    found
}

/// A configuration for each host, primary or standby.
fn servers(config: &Config) -> Vec<Config> {
    let server = |i: usize| {
        let mut server = of_one_host(config, i);
        // As for servers, whose connections are not counted as those of others.
        server.application_name(config.get_application_name().unwrap_or("wishbone"));
        server.target_session_attrs(TargetSessionAttrs::Any);
        server
    };
    (0..config.get_hosts().len().max(config.get_hostaddrs().len()).max(1)).map(server).collect()
}

async fn inspect(config: &Config, migrations: &[Migration]) -> Result<ServerState> {
    if config.get_ssl_mode() == SslMode::Require {
        let (client, connection) = config.connect(tls::connector()?).await?;
        driven(connection, state(&client, migrations)).await
    } else {
        let (client, connection) = config.clone().ssl_mode(SslMode::Disable).connect(NoTls).await?;
        driven(connection, state(&client, migrations)).await
    }
}

/// Runs work on a connection, which makes no progress by itself.
async fn driven<T>(
    connection: impl Future<Output = std::result::Result<(), tokio_postgres::Error>>,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    tokio::select! {
        biased;
        done = work => done,
        ended = connection => Err(ended.err().map_or_else(|| Error::bug("the connection was closed"), Error::from)),
    }
}

async fn state(client: &Client, migrations: &[Migration]) -> Result<ServerState> {
    let row = client.query_one(STATE, &[]).await?;
    let clock_read_at = Instant::now();
    let (is_standby, is_read_only): (bool, bool) = (row.try_get(2)?, row.try_get(3)?);
    let (may_create, may_write): (bool, bool) = (row.try_get(11)?, row.try_get(12)?);
    let schema = schema_version(client).await.unwrap_or(0);
    let write_problem = match schema {
        _ if is_standby => None,
        _ if is_read_only => Some("transactions are read-only (default_transaction_read_only)".to_owned()),
        0 if !may_create => Some("this user may not create tables in the schema".to_owned()),
        1.. if !may_write => Some("this user may not write to the tables".to_owned()),
        _ => None,
    };
    Ok(ServerState {
        engine: "PostgreSQL",
        version: row.try_get(0)?,
        schema,
        newest_schema: newest(migrations),
        is_standby,
        write_problem,
        postgres: Some(PostgresState {
            version_number: row.try_get(1)?,
            clock: row.try_get(4)?,
            clock_read_at,
            max_connections: row.try_get(5)?,
            other_connections: row.try_get(6)?,
            fsync: row.try_get(7)?,
            full_page_writes: row.try_get(8)?,
            synchronous_commit: row.try_get(9)?,
            synchronous_standbys: row.try_get(10)?,
        }),
    })
}
