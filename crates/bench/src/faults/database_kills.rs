//! PostgreSQL is killed while the server runs: its connections, one process, or all processes.

use rustix::process::{Pid, Signal, kill_process};

use super::environment::{Environment, Outcome};

const WORKERS: usize = 8;

pub(crate) fn run(env: &mut Environment) -> anyhow::Result<Outcome> {
    let mut cluster = env.cluster("postgres", &[])?;
    let location = crate::processes::server::DataLocation {
        data: env.folder.join("data"),
        database: Some(cluster.url("wishbone")),
    };
    let server = env.serve(&location, 0, &[])?;
    let mut load = env.load(&location, &server, WORKERS)?;
    load.start();
    for fault in 0..env.times {
        let calls = env.rng.u64(1..100);
        env.wait_for_writes(&load, calls)?;
        env.pause(0..30);
        let ours = "select pid from pg_stat_activity where application_name = 'wishbone'";
        let what = match fault % 4 {
            0 => {
                cluster.sql("postgres", &format!("select pg_terminate_backend(pid) from ({ours}) as ours"))?;
                "all connections terminated by pg_terminate_backend"
            }
            1 => {
                // PostgreSQL then restarts all other processes, because shared memory may be corrupt.
                if let Some(pid) = pids(&cluster.sql("postgres", ours)?).first() {
                    kill_process(*pid, Signal::KILL)?;
                }
                "kill -9 of one backend"
            }
            2 => {
                cluster.stop(Signal::QUIT)?;
                env.pause(0..300);
                cluster.start(&[])?;
                "immediate shutdown and restart"
            }
            _ => {
                cluster.kill_all()?;
                env.pause(0..300);
                cluster.start(&[])?;
                "kill -9 of all processes and restart"
            }
        };
        env.log_progress(&format!("{what}; {} calls acknowledged", load.ledger.acknowledged()));
        if !load.ledger.violations().is_empty() {
            break;
        }
    }
    env.wait_for_writes(&load, 100)?;
    let outcome = Outcome::of(load, &location, env.times);
    drop(server);
    outcome
}

fn pids(lines: &str) -> Vec<Pid> {
    lines.lines().filter_map(|line| Pid::from_raw(line.trim().parse().ok()?)).collect()
}
