//! Tables on a Citus cluster: most are distributed by their first column, the others copied to every node.

use deadpool_postgres::Object;

use super::engine::Postgres;
use super::pool::{CITUS_VERSION, ConnectionPool};
use super::transfer::OTHER_CONNECTIONS;
use crate::error::{Error, Result};
use crate::options::Options;

/// How tables are laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Distributed by `key`, rows with the same value on the same worker.
    pub distributed: Vec<&'static str>,
    pub key: &'static str,
    /// Copied to every node.
    pub reference: Vec<&'static str>,
}

/// A node of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterNode {
    pub address: String,
    pub is_coordinator: bool,
    /// The number of groups of shards on it; a group has one shard of each distributed table.
    pub shard_groups: i64,
}

/// How a table is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Local,
    Reference,
    Distributed { colocation: i64 },
}

const ACTIVE_NODES: &str = "from pg_dist_node where isactive and noderole = 'primary'";
const KIND: &str = "
    select case when p.partmethod = 'h' then 'distributed' when p.repmodel = 't' then 'reference' else 'local' end,
           p.colocationid::bigint
    from pg_dist_partition p where p.logicalrelid = to_regclass($1::text)";
/// The node and the number of shards of a table.
const PLACEMENTS: &str = "
    select n.nodename || ':' || n.nodeport, n.groupid = 0, count(p.shardid)
    from pg_dist_node n
    left join pg_dist_placement p on p.groupid = n.groupid
         and p.shardid in (select shardid from pg_dist_shard where logicalrelid = to_regclass($1::text))
    where n.isactive and n.noderole = 'primary' group by 1, 2, n.nodeid order by n.nodeid";

/// The worker that has the rows of a key, by the number of its group: a worker and its standbys.
const WORKER: &str = "
    select p.groupid::bigint from pg_dist_placement p
    where p.shardid = get_shard_id_for_distribution_column(to_regclass($1::text), $2::bigint)";

impl Postgres {
    /// Returns a number for the worker of a Citus cluster that has the rows of a key.
    pub(crate) async fn worker(&self, table: &str, key: i64) -> Result<i64> {
        Ok(self.client().await?.query_one(WORKER, &[&table, &key]).await?.try_get(0)?)
    }
}

/// A connection to the coordinator of a Citus cluster.
pub struct Cluster {
    client: Object,
    layout: Layout,
}

impl Cluster {
    /// Connects; `None` if the database does not have the extension Citus.
    pub async fn connect(url: &str, layout: Layout) -> Result<Option<Self>> {
        let client = ConnectionPool::new(url, &Options { pool_size: 1, ..Options::default() })?.get().await?;
        // Tables are distributed with their rows, which can take long.
        client.batch_execute("set statement_timeout = 0").await?;
        let has_extension = client.query_opt(CITUS_VERSION, &[]).await?.is_some();
        Ok(has_extension.then_some(Self { client, layout }))
    }

    /// Registers the coordinator and workers, each as host and port. Those that are registered stay as they are.
    pub async fn add_nodes(&self, coordinator: Option<&(String, u16)>, workers: &[(String, u16)]) -> Result<()> {
        if let Some((host, port)) = coordinator {
            let sql = "select citus_set_coordinator_host($1::text, $2::int)";
            self.client.execute(sql, &[host, &i32::from(*port)]).await?;
        }
        for (host, port) in workers {
            let known = format!("select 1 {ACTIVE_NODES} and nodename = $1::text and nodeport = $2::int");
            let port = i32::from(*port);
            if self.client.query_opt(&known, &[host, &port]).await?.is_none() {
                self.client.execute("select citus_add_node($1::text, $2::int)", &[host, &port]).await?;
            }
        }
        let count = async |condition: &str| -> Result<i64> {
            Ok(self
                .client
                .query_one(&format!("select count(*) {ACTIVE_NODES} and {condition}"), &[])
                .await?
                .try_get(0)?)
        };
        if count("groupid = 0").await? == 0 {
            return Err(Error::Unusable(
                "the coordinator is not registered: pass --coordinator HOST:PORT, its address as workers reach it"
                    .to_owned(),
            ));
        }
        if count("groupid <> 0 and shouldhaveshards").await? == 0 {
            return Err(Error::Unusable("the cluster has no workers: pass --worker HOST:PORT for each".to_owned()));
        }
        Ok(())
    }

    /// Distributes a table, or copies it to every node. Returns false if it is so already.
    pub async fn distribute(&self, table: &str) -> Result<bool> {
        let is_reference = self.layout.reference.contains(&table);
        let first = self.first();
        match (self.kind(table).await?, is_reference) {
            (Kind::Reference, true) => return Ok(false),
            (Kind::Distributed { colocation }, false) => {
                if self.kind(first).await? == (Kind::Distributed { colocation }) {
                    return Ok(false);
                }
                return Err(Error::Unusable(format!("{table} is not colocated with {first}: undistribute it first")));
            }
            (Kind::Local, _) => {}
            (Kind::Reference | Kind::Distributed { .. }, _) => {
                return Err(Error::Unusable(format!("{table} is distributed in another way: undistribute it first")));
            }
        }
        let sql = if is_reference {
            format!("select create_reference_table('{table}')")
        } else {
            let colocate_with = if table == first { "none" } else { first };
            let key = self.layout.key;
            format!("select create_distributed_table('{table}', '{key}', colocate_with => '{colocate_with}')")
        };
        self.client.batch_execute(&sql).await?;
        Ok(true)
    }

    /// Deletes the rows that the coordinator still has of a table that was distributed: erased data must not remain.
    pub async fn delete_local_rows(&self, table: &str) -> Result<()> {
        self.client.batch_execute(&format!("select truncate_local_data_after_distributing_table('{table}')")).await?;
        let sql = "select pg_relation_size(to_regclass($1::text))";
        let size: i64 = self.client.query_one(sql, &[&table]).await?.try_get(0)?;
        if size > 0 {
            return Err(Error::Unusable(format!("the coordinator still has rows of {table} ({size} bytes)")));
        }
        Ok(())
    }

    /// Tables that are not as they should be; `None` if nothing is distributed.
    pub async fn misplaced(&self) -> Result<Option<Vec<&'static str>>> {
        let Kind::Distributed { colocation } = self.kind(self.first()).await? else { return Ok(None) };
        let mut misplaced = Vec::new();
        for table in &self.layout.distributed {
            if self.kind(table).await? != (Kind::Distributed { colocation }) {
                misplaced.push(*table);
            }
        }
        for table in &self.layout.reference {
            if self.kind(table).await? != Kind::Reference {
                misplaced.push(*table);
            }
        }
        Ok(Some(misplaced))
    }

    /// The number of other connections of this program.
    pub async fn other_connections(&self) -> Result<i64> {
        Ok(self.client.query_one(OTHER_CONNECTIONS, &[]).await?.try_get(0)?)
    }

    pub async fn nodes(&self) -> Result<Vec<ClusterNode>> {
        let rows = self.client.query(PLACEMENTS, &[&self.first()]).await?;
        let node = |row: &tokio_postgres::Row| -> Result<ClusterNode> {
            Ok(ClusterNode { address: row.try_get(0)?, is_coordinator: row.try_get(1)?, shard_groups: row.try_get(2)? })
        };
        rows.iter().map(node).collect()
    }

    async fn kind(&self, table: &str) -> Result<Kind> {
        let Some(row) = self.client.query_opt(KIND, &[&table]).await? else { return Ok(Kind::Local) };
        Ok(match row.try_get::<_, &str>(0)? {
            "distributed" => Kind::Distributed { colocation: row.try_get(1)? },
            "reference" => Kind::Reference,
            _ => Kind::Local,
        })
    }

    /// The table with which the others are colocated.
    fn first(&self) -> &'static str {
        self.layout.distributed.first().copied().unwrap_or_default()
    }
}
