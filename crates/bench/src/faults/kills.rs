//! `kill -9` of the server, again and again, under load.

use std::process::Stdio;

use super::bed::{Outcome, Stage};

const WORKERS: usize = 8;

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let (place, _cluster) = stage.place()?;
    let mut server = stage.serve(&place, 0, &[])?;
    let port = server.address.port();
    let mut load = stage.load(&place, &server, WORKERS)?;
    load.begin();
    for kill in 1..=stage.times {
        // Under load, surely; and at any point of a call.
        let calls = stage.rng.u64(0..100);
        stage.wait_for_answers(&load, calls)?;
        stage.pause(0..30);
        server.kill()?;
        if kill % 10 == 0 {
            // One that has hardly begun.
            let listen = format!("127.0.0.1:{port}");
            let mut command = place.command(&["serve", "--listen", &listen])?;
            let mut early = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            stage.pause(0..60);
            early.kill()?;
            early.wait()?;
        }
        server = stage.serve(&place, port, &[])?;
        if kill % 10 == 0 || kill == stage.times {
            stage.say(&format!("killed {kill} times, {} calls answered", load.ledger.answered()));
        }
        if !load.ledger.problems().is_empty() {
            break;
        }
    }
    stage.wait_for_answers(&load, 100)?;
    Outcome::of(load, &place, stage.times)
}
