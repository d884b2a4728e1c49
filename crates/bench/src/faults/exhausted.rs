//! More clients than connections to PostgreSQL: few in the server's pool, or few that PostgreSQL allows.

use super::bed::{Outcome, Stage};
use crate::parts::server::Place;

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let cluster = stage.cluster("postgres", &["max_connections=12"])?;
    let place = Place { data: stage.folder.join("data"), database: Some(cluster.url("wishbone")) };
    let server = stage.serve(&place, 0, &["--pool-size", "2"])?;
    let port = server.address.port();
    let (workers, calls) = if stage.is_short { (24, 100) } else { (48, 2_000) };
    let mut load = stage.load(&place, &server, workers)?;
    load.begin();
    stage.wait_for_answers(&load, calls)?;
    stage.say(&format!("a pool of 2: {} calls answered", load.ledger.answered()));
    load.rest()?;
    server.stop()?;
    // PostgreSQL keeps three connections for its superuser, whom this is; the rest is for all.
    let server = stage.serve(&place, port, &["--pool-size", "40"])?;
    load.begin();
    stage.wait_for_answers(&load, calls)?;
    stage.say(&format!("a pool of 40 where 12 are allowed: {} calls answered", load.ledger.answered()));
    load.rest()?;
    server.stop()?;
    let _server = stage.serve(&place, port, &[])?;
    Outcome::of(load, &place, 2)
}
