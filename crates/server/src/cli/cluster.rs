//! `wishbone cluster`

use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use wishbone_core::registry::{MIGRATIONS, layout};
use wishbone_storage::{Cluster, ClusterNode, Database, Location, Options};

use crate::cli::location::LocationArgs;
use crate::cli::output::{plural, print};
use crate::cli::progress;

const NO_EXTENSION: &str = "the database does not have the extension Citus: on the coordinator and every worker, install it, \
                            add citus to shared_preload_libraries, restart, create the database, and run \
                            `create extension citus` in it";

#[derive(Subcommand)]
pub(super) enum ClusterCommand {
    /// Distribute all tables over the workers, and check the result
    ///
    /// --database is the coordinator. The extension Citus must exist in the database, and in a database of the same name on
    /// every worker. Creates the schema if necessary; tables may have rows. Stop all servers before the first run. It is
    /// safe to run again: after an interruption, after adding workers, and after an update of Wishbone that adds tables.
    ///
    /// Example: `wishbone cluster setup --coordinator db0:5432 --worker db1:5432`
    Setup(SetupArgs),
}

#[derive(Args)]
pub(super) struct SetupArgs {
    /// Address of the coordinator as workers reach it; omit if it is registered
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    coordinator: Option<(String, u16)>,

    /// Address of a worker, to register it; repeat for each
    #[arg(long = "worker", value_name = "HOST:PORT", value_parser = address)]
    workers: Vec<(String, u16)>,
}

fn address(text: &str) -> Result<(String, u16), String> {
    let (host, port) = text.rsplit_once(':').ok_or("must be HOST:PORT")?;
    let port = port.parse().map_err(|_| format!("invalid port {port}"))?;
    if host.is_empty() { Err("must be HOST:PORT".to_owned()) } else { Ok((host.to_owned(), port)) }
}

pub(super) async fn run(command: ClusterCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let ClusterCommand::Setup(args) = command;
    let Location::Postgres(url) = location.location() else {
        bail!("only PostgreSQL with Citus can be sharded: pass --database (WISHBONE_DATABASE_URL) of the coordinator");
    };
    let cluster = Cluster::connect(&url, layout()).await.context("cannot connect to the coordinator")?;
    let cluster = cluster.ok_or_else(|| anyhow!(NO_EXTENSION))?;
    cluster.add_nodes(args.coordinator.as_ref(), &args.workers).await?;
    // Between its tables being distributed, a server's statements would fail.
    if cluster.misplaced().await?.is_none() && cluster.other_connections().await? > 0 {
        bail!("servers are connected to the database: stop them, and run this again");
    }
    drop(Database::open(&Location::Postgres(url), MIGRATIONS, &Options { pool_size: 1, ..Options::default() }).await?);
    let distributed = distribute(&cluster).await?;
    let misplaced = cluster.misplaced().await?.unwrap_or_default();
    anyhow::ensure!(misplaced.is_empty(), "not distributed: {}", misplaced.join(", "));
    let nodes = cluster.nodes().await?;
    if json {
        let nodes: Vec<_> = nodes.iter().map(node_json).collect();
        print(&json!({ "distributed": distributed, "nodes": nodes }).to_string());
    } else {
        print(&as_text(distributed, &nodes));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of tables that were not distributed before.
async fn distribute(cluster: &Cluster) -> anyhow::Result<usize> {
    let layout = layout();
    let tables: Vec<&str> = layout.reference.into_iter().chain(layout.distributed).collect();
    let watch = progress::show();
    let mut distributed = 0;
    for (done, table) in tables.iter().enumerate() {
        watch.report("distributing", done as u64, tables.len() as u64)?;
        let failed = || format!("cannot distribute {table}; run this again after solving it");
        distributed += usize::from(cluster.distribute(table).await.with_context(failed)?);
        cluster.delete_local_rows(table).await.with_context(failed)?;
    }
    Ok(distributed)
}

fn node_json(node: &ClusterNode) -> serde_json::Value {
    json!({ "address": node.address, "coordinator": node.is_coordinator, "shard_groups": node.shard_groups })
}

fn as_text(distributed: usize, nodes: &[ClusterNode]) -> String {
    let mut text = match distributed {
        0 => "All tables were distributed already.".to_owned(),
        _ => format!("Distributed {}.", plural(distributed as u64, "table")),
    };
    for ClusterNode { address, is_coordinator, shard_groups } in nodes {
        let role = if *is_coordinator { "coordinator" } else { "worker" };
        text.push_str(&format!("\n  {role:<11} {address}  {}", plural(shard_groups.unsigned_abs(), "shard group")));
    }
    if nodes.iter().any(|node| !node.is_coordinator && node.shard_groups == 0) {
        text.push_str(
            "\nA worker has no shards: to move some there, run `select citus_rebalance_start()` in the database.",
        );
    }
    text
}
