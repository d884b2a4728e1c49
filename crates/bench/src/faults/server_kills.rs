//! Repeated `kill -9` of the server under load.

use std::process::Stdio;

use super::environment::{Environment, Outcome};

const WORKERS: usize = 8;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let (location, _cluster) = env.location()?;
    let mut server = env.serve(&location, 0, &[])?;
    let port = server.address.port();
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    for kill in 1..=env.times {
        // At a random point of a call, under load.
        let calls = env.rng.u64(0..100);
        env.wait_for_writes(&load, calls)?;
        env.pause(0..30);
        server.kill()?;
        if kill % 10 == 0 {
            // Killed during startup.
            let listen = format!("127.0.0.1:{port}");
            let mut command = location.command(&["serve", "--listen", &listen])?;
            let mut early = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            env.pause(0..60);
            early.kill()?;
            early.wait()?;
        }
        server = env.serve(&location, port, &[])?;
        if kill % 10 == 0 || kill == env.times {
            env.log_progress(&format!("{kill} kills, {} calls acknowledged", load.ledger.acknowledged()));
        }
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    env.wait_for_writes(&load, 100)?;
    Outcome::of(load, &location, env.times)
}
