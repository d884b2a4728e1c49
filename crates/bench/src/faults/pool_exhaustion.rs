//! More clients than connections to PostgreSQL: a small pool, or a low connection limit of PostgreSQL.

use super::environment::{Environment, Outcome};
use crate::processes::server::DataLocation;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let cluster = env.cluster("postgres", &["max_connections=12"])?;
    let location = DataLocation { data: env.folder.join("data"), database: Some(cluster.url("wishbone")) };
    let server = env.serve(&location, 0, &["--pool-size", "2"])?;
    let port = server.address.port();
    let (workers, calls) = if env.is_short { (24, 100) } else { (48, 2_000) };
    let mut load = env.load(&location, &server, workers)?;
    load.start();
    env.wait_for_writes(&load, calls)?;
    env.log_progress(&format!("pool size 2: {} calls acknowledged", load.ledger.acknowledged()));
    load.stop_workers()?;
    server.stop()?;
    // The server connects as superuser, so it can also use the three reserved connections.
    let server = env.serve(&location, port, &["--pool-size", "40"])?;
    load.start();
    env.wait_for_writes(&load, calls)?;
    env.log_progress(&format!("pool size 40, connection limit 12: {} calls acknowledged", load.ledger.acknowledged()));
    load.stop_workers()?;
    server.stop()?;
    let _server = env.serve(&location, port, &[])?;
    Outcome::of(load, &location, 2)
}
