//! PostgreSQL itself is killed under the server: one of its processes, all of it, or only its connections.

use rustix::process::{Pid, Signal, kill_process};

use super::bed::{Outcome, Stage};

const WORKERS: usize = 8;

pub(crate) fn run(stage: &mut Stage) -> anyhow::Result<Outcome> {
    let mut cluster = stage.cluster("postgres", &[])?;
    let place =
        crate::parts::server::Place { data: stage.folder.join("data"), database: Some(cluster.url("wishbone")) };
    let server = stage.serve(&place, 0, &[])?;
    let mut load = stage.load(&place, &server, WORKERS)?;
    load.begin();
    for fault in 0..stage.times {
        let calls = stage.rng.u64(1..100);
        stage.wait_for_answers(&load, calls)?;
        stage.pause(0..30);
        let ours = "select pid from pg_stat_activity where application_name = 'wishbone'";
        let what = match fault % 4 {
            0 => {
                cluster.sql("postgres", &format!("select pg_terminate_backend(pid) from ({ours}) as ours"))?;
                "all connections ended by pg_terminate_backend"
            }
            1 => {
                // PostgreSQL then ends all others, since this one may have spoilt what they share, and recovers.
                if let Some(pid) = pids(&cluster.sql("postgres", ours)?).first() {
                    kill_process(*pid, Signal::KILL)?;
                }
                "kill -9 of one connection's process"
            }
            2 => {
                cluster.stop(Signal::QUIT)?;
                stage.pause(0..300);
                cluster.start(&[])?;
                "stopped at once, as in a crash, and started"
            }
            _ => {
                cluster.kill_all()?;
                stage.pause(0..300);
                cluster.start(&[])?;
                "kill -9 of everything, and started"
            }
        };
        stage.say(&format!("{what}; {} calls answered", load.ledger.answered()));
        if !load.ledger.problems().is_empty() {
            break;
        }
    }
    stage.wait_for_answers(&load, 100)?;
    let outcome = Outcome::of(load, &place, stage.times);
    drop(server);
    outcome
}

fn pids(lines: &str) -> Vec<Pid> {
    lines.lines().filter_map(|line| Pid::from_raw(line.trim().parse().ok()?)).collect()
}
