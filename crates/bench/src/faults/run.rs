//! The command `bench faults`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use fastrand::Rng;

use super::environment::{Environment, Outcome};
use super::{
    abuse, alerts, clock_jumps, connection_loss, database_kills, disk_full, failover, frozen_primary, node_kill,
    page_corruption, pool_exhaustion, rolling_restart, server_kills, standby_away, torn_log,
};
use crate::processes::engine::Engine;
use crate::processes::reverse_proxy::ReverseProxy;
use crate::processes::server::use_program;

/// Inject faults under write load and verify that no acknowledged write is lost
///
/// Every scenario starts its own servers and PostgreSQL clusters on free ports of 127.0.0.1, in a temporary directory.
/// Several clients make random writes: lists, single items and batches, moves, copies, logins and subscriptions, with
/// and without idempotency keys and versions. A call without a response must be applied completely or not at all;
/// clients determine which, or retry it with its idempotency key.
///
/// At the end all data is read by every read operation of the API and compared with the model, and `wishbone check`
/// must pass. The exit code is 1 if a guarantee was violated. The directory with the data, the server's log and the
/// ledger is then preserved. The seed repeats the calls of a run, but not their timing.
///
/// `abuse` is different: each attack has a server of its own, and a shop that must not notice. A line tells what the shop
/// saw, what the server took, and what the attack got. From many addresses means 127.16.0.0 and up, each in a network
/// of its own.
#[derive(Args)]
pub(crate) struct FaultsArgs {
    /// Scenarios to run [default: all; with --short: all but abuse]
    #[arg(value_enum, value_name = "SCENARIO")]
    scenarios: Vec<Scenario>,

    /// Run on this engine only [default: both]
    #[arg(long, value_enum)]
    engine: Option<Engine>,

    /// Number of server kills per engine [default: 100, 50 while alerts are sent; with --short: 8 and 5]
    #[arg(long, value_name = "N")]
    kills: Option<usize>,

    /// Number of PostgreSQL failovers [default: 20; with --short: 1]
    #[arg(long, value_name = "N")]
    failovers: Option<usize>,

    /// Reverse proxies for rolling-restart and node-kill, with the example files in deploy/ [default: those that are
    /// installed; with --short: the first of them]
    #[arg(long, value_enum, value_name = "PROXY", value_delimiter = ',')]
    proxy: Vec<ReverseProxy>,

    /// Attacks of abuse to run, by a part of their name [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    attack: Vec<String>,

    /// Seconds of an attack after its preparation; more on a busy machine [default: 10; with --short: 3]
    #[arg(long, value_name = "SECONDS")]
    attack_time: Option<usize>,

    /// The `wishbone` program to test, such as an earlier release [default: the code that this program was built with]
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,

    /// Random seed [default: random]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Run fewer faults: about two minutes in total
    #[arg(long)]
    short: bool,

    /// Directory for the data, preferably on a real disk [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scenario {
    /// `kill -9` of the server
    Kills,
    /// Clock jumps of the server
    Clock,
    /// Full disk (SQLite)
    DiskFull,
    /// Power loss during a write to the log (SQLite)
    TornLog,
    /// Overwritten database page; restore of a backup (SQLite)
    Damage,
    /// Kills of PostgreSQL and of its connections
    Database,
    /// Connections to PostgreSQL lost during a commit
    Cuts,
    /// Too few connections to PostgreSQL
    Exhausted,
    /// Failover to a synchronous standby (PostgreSQL)
    Failover,
    /// Rolling restart of three nodes behind a reverse proxy, 50,000 requests each: none may fail (PostgreSQL)
    RollingRestart,
    /// `kill -9` of one of three nodes behind a reverse proxy (PostgreSQL)
    NodeKill,
    /// The primary freezes, and its synchronous standby is promoted (PostgreSQL)
    FrozenPrimary,
    /// The synchronous standby is away for a while (PostgreSQL)
    StandbyAway,
    /// `kill -9` of servers that send product alerts; failures of the mail server
    Alerts,
    /// Strangers, shoppers and a store try to slow, fill, stop or misuse the server while a shop works: unread and slowly
    /// read responses, costly templates, logins, mail and SMS to others, spent quotas, from one address and from many
    Abuse,
}

type Run = fn(&mut Environment) -> anyhow::Result<Outcome>;

impl Scenario {
    fn engines(self) -> &'static [Engine] {
        match self {
            Self::Kills | Self::Alerts | Self::Abuse => &[Engine::Sqlite, Engine::Postgres],
            Self::Clock => &[Engine::Sqlite, Engine::Postgres],
            Self::DiskFull | Self::TornLog | Self::Damage => &[Engine::Sqlite],
            Self::Database | Self::Cuts | Self::Exhausted | Self::Failover => &[Engine::Postgres],
            Self::RollingRestart | Self::NodeKill => &[Engine::Postgres],
            Self::FrozenPrimary | Self::StandbyAway => &[Engine::Postgres],
        }
    }

    fn run(self) -> Run {
        match self {
            Self::Kills => server_kills::run,
            Self::Clock => clock_jumps::run,
            Self::DiskFull => disk_full::run,
            Self::TornLog => torn_log::run,
            Self::Damage => page_corruption::run,
            Self::Database => database_kills::run,
            Self::Cuts => connection_loss::run,
            Self::Exhausted => pool_exhaustion::run,
            Self::Failover => failover::run,
            Self::RollingRestart => rolling_restart::run,
            Self::NodeKill => node_kill::run,
            Self::FrozenPrimary => frozen_primary::run,
            Self::StandbyAway => standby_away::run,
            Self::Alerts => alerts::run,
            Self::Abuse => abuse::run,
        }
    }

    /// The number of faults to inject, of requests during them, or of seconds per attack.
    fn times(self, args: &FaultsArgs) -> usize {
        let (requested, full, short) = match self {
            Self::Kills => (args.kills, 100, 8),
            Self::Clock => (None, 100, 10),
            Self::DiskFull => (None, 10, 2),
            Self::TornLog => (None, 40, 6),
            Self::Damage => (None, 5, 1),
            Self::Database => (None, 40, 4),
            Self::Cuts => (None, 400, 30),
            Self::Exhausted => (None, 2, 2),
            Self::Failover => (args.failovers, 20, 1),
            Self::RollingRestart => (None, 50_000, 1_000),
            Self::NodeKill => (None, 10, 2),
            Self::FrozenPrimary => (None, 5, 1),
            Self::StandbyAway => (None, 3, 1),
            Self::Alerts => (args.kills, 50, 5),
            Self::Abuse => (args.attack_time, 10, 3),
        };
        requested.unwrap_or(if args.short { short } else { full })
    }
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

struct Row {
    scenario: Scenario,
    engine: Engine,
    took: Duration,
    outcome: anyhow::Result<Outcome>,
}

impl Row {
    fn is_ok(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|outcome| outcome.violations.is_empty())
    }
}

pub(crate) fn run(args: &FaultsArgs) -> anyhow::Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    if let Some(program) = &args.server {
        use_program(program)?;
    }
    let parent = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    let mut rows = Vec::new();
    for scenario in Scenario::value_variants().iter().copied() {
        let is_wanted = match args.scenarios.is_empty() {
            // It measures time, which means nothing on a busy machine.
            true => scenario != Scenario::Abuse || !args.short,
            false => args.scenarios.contains(&scenario),
        };
        if !is_wanted {
            continue;
        }
        for engine in scenario.engines().iter().copied().filter(|engine| args.engine.is_none_or(|only| only == *engine))
        {
            rows.push(run_scenario(args, scenario, engine, seed, &parent)?);
        }
    }
    summarize(&rows, seed);
    Ok(if rows.iter().all(Row::is_ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_scenario(
    args: &FaultsArgs,
    scenario: Scenario,
    engine: Engine,
    seed: u64,
    parent: &Path,
) -> anyhow::Result<Row> {
    use std::os::unix::fs::PermissionsExt;
    // PostgreSQL may run as another user, who needs access.
    let open = std::fs::Permissions::from_mode(0o755);
    let folder = tempfile::Builder::new().prefix("wishbone-faults-").permissions(open).tempdir_in(parent);
    let folder = folder
        .with_context(|| format!("cannot create a directory in {}: choose another with --folder", parent.display()))?;
    let times = scenario.times(args);
    eprintln!("{} on {}, seed {seed}, in {}", name(scenario), name(engine), folder.path().display());
    let began = Instant::now();
    let rng = Rng::with_seed(seed);
    let (data, proxies, attacks) = (folder.path().to_owned(), args.proxy.clone(), args.attack.clone());
    let mut env = Environment { engine, seed, folder: data, is_short: args.short, times, proxies, attacks, rng, began };
    let outcome = scenario.run()(&mut env);
    let row = Row { scenario, engine, took: began.elapsed(), outcome };
    match &row.outcome {
        Ok(Outcome { skipped: Some(why), .. }) => eprintln!("    SKIPPED: {why}"),
        Ok(_) if row.is_ok() => {}
        Ok(outcome) => outcome.violations.iter().for_each(|violation| eprintln!("    VIOLATION {violation}")),
        Err(error) => eprintln!("    FAILED: {error:#}"),
    }
    if !row.is_ok() {
        let preserved = folder.keep();
        eprintln!("    preserved: {} (ledger.txt, server.log and the data)", preserved.display());
        let (scenario, engine) = (name(scenario), name(engine));
        let short = if args.short { " --short" } else { "" };
        eprintln!(
            "    repeat:  cargo run --release -p bench -- faults {scenario} --engine {engine} --seed {seed}{short}"
        );
    }
    Ok(row)
}

fn summarize(rows: &[Row], seed: u64) {
    println!(
        "scenario        engine    faults     acked  rejected  no response: applied/not/retried; unknown    time  result"
    );
    for Row { scenario, engine, took, outcome } in rows {
        let start = format!("{:<15} {:<8}", name(*scenario), name(*engine));
        match outcome {
            Err(error) => println!("{start}  FAILED: {}", error.to_string().lines().next().unwrap_or_default()),
            Ok(Outcome { skipped: Some(why), .. }) => println!("{start}  skipped: {why}"),
            Ok(outcome) => {
                let [applied, not_applied, retried, unknown] = outcome.unknown;
                let result = match outcome.violations.len() {
                    0 => "ok".to_owned(),
                    count => format!("{count} VIOLATIONS"),
                };
                println!(
                    "{start} {:>7} {:>9} {:>9}  {:>36} {:>6.0} s  {result}",
                    outcome.faults,
                    outcome.acknowledged,
                    outcome.rejected,
                    format!("{applied} / {not_applied} / {retried}; {unknown}"),
                    took.as_secs_f64(),
                );
            }
        }
    }
    // Again at the end, where a log is read first.
    for Row { scenario, engine, outcome, .. } in rows {
        let violations = outcome.as_ref().map_or(&[][..], |outcome| &outcome.violations);
        for violation in violations.iter().take(3) {
            println!("{} on {}: {violation}", name(*scenario), name(*engine));
        }
    }
    println!("seed {seed}");
}
