//! Connections to PostgreSQL are lost in the middle of a commit: before it was heard, or before its answer came back.

use std::sync::atomic::Ordering;

use super::bed::{Outcome, Stage};
use super::proxy::Proxy;
use crate::parts::server::Place;

const WORKERS: usize = 8;

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let (place, cluster) = stage.place()?;
    let proxy = Proxy::start(cluster.as_ref().map_or(0, |cluster| cluster.port()), stage.rng.u64(..))?;
    let through =
        Place { database: Some(format!("postgres://postgres@127.0.0.1:{}/wishbone", proxy.port)), ..place.clone() };
    let server = stage.serve(&through, 0, &["--request-timeout", "2"])?;
    let mut load = stage.load(&place, &server, WORKERS)?;
    load.begin();
    let cuts = || proxy.chances.cuts.load(Ordering::Relaxed) as usize;
    proxy.chances.set(30, 60, 0);
    while cuts() < stage.times && load.ledger.problems().is_empty() {
        stage.wait_for_answers(&load, 20)?;
    }
    stage.say(&format!("cut {} times, {} calls answered; now without a word", cuts(), load.ledger.answered()));
    // Each of these holds a connection until the server gives up on it.
    proxy.chances.set(10, 10, 10);
    let wanted = cuts() + if stage.is_short { 10 } else { 60 };
    while cuts() < wanted && load.ledger.problems().is_empty() {
        stage.wait_for_answers(&load, 5)?;
    }
    proxy.chances.set(0, 0, 0);
    stage.wait_for_answers(&load, 200)?;
    Outcome::of(load, &place, cuts())
}
