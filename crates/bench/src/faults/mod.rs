//! The fault machine: clients with a ledger of what they were told, while the parts below them are broken on purpose.
//! Afterwards nothing that was answered may be missing, nothing half done, and no count wrong.

mod bed;
mod calls;
mod clock;
mod compare;
mod cuts;
mod damage;
mod database;
mod disk_full;
mod exhausted;
mod failover;
mod http;
mod kills;
mod ledger;
mod load;
mod model;
mod proxy;
mod torn_log;
mod verify;
mod worker;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, ValueEnum};
use fastrand::Rng;

use bed::{Outcome, Stage};

/// Break things while clients with a ledger write, and look whether anything that was answered is lost.
///
/// Every scenario starts servers (and PostgreSQL clusters) of its own on free ports of 127.0.0.1, in a folder of its
/// own, and lets several clients write at random: lists, items one by one and in batches, moves, copies, logins,
/// subscriptions, with and without idempotency keys and versions. A call whose answer never came may have been done or
/// not, but wholly; clients find out which, or send it again under its key.
///
/// At the end everything is read in every way that the API has and compared with the ledger, and `wishbone check` must
/// find nothing. The exit code is 1 if anything is wrong; then the folder with the data, the server's log and the ledger
/// is kept, and the seed repeats the run (as far as chance in timing lets it).
#[derive(Args)]
pub(crate) struct FaultsArgs {
    /// Which scenarios to run [default: all]
    #[arg(value_enum, value_name = "SCENARIO")]
    scenarios: Vec<Scenario>,

    /// Only on this engine [default: both]
    #[arg(long, value_enum)]
    engine: Option<Engine>,

    /// How often the server is killed, for each engine [default: 100; with --short: 8]
    #[arg(long, value_name = "N")]
    kills: Option<usize>,

    /// How often PostgreSQL fails over [default: 20; with --short: 1]
    #[arg(long, value_name = "N")]
    failovers: Option<usize>,

    /// Repeat a run
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// About a minute for everything, as part of the tests
    #[arg(long)]
    short: bool,

    /// Where the data goes; a real disk is slower than memory, and more honest [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scenario {
    /// `kill -9` of the server
    Kills,
    /// The server's clock jumps back and forth
    Clock,
    /// SQLite's disk is full for a while
    DiskFull,
    /// The power goes while SQLite writes its log
    TornLog,
    /// A page of SQLite's file is overwritten; a backup is restored
    Damage,
    /// PostgreSQL is killed, and its connections are ended
    Database,
    /// Connections to PostgreSQL are lost in the middle of a commit
    Cuts,
    /// Fewer connections to PostgreSQL than are wanted
    Exhausted,
    /// The primary PostgreSQL dies, its synchronous standby takes over
    Failover,
}

type Run = fn(&mut Stage) -> anyhow::Result<Outcome>;

impl Scenario {
    fn engines(self) -> &'static [Engine] {
        match self {
            Self::Kills => &[Engine::Sqlite, Engine::Postgres],
            Self::Clock => &[Engine::Sqlite, Engine::Postgres],
            Self::DiskFull | Self::TornLog | Self::Damage => &[Engine::Sqlite],
            Self::Database | Self::Cuts | Self::Exhausted | Self::Failover => &[Engine::Postgres],
        }
    }

    fn run(self) -> Run {
        match self {
            Self::Kills => kills::run,
            Self::Clock => clock::run,
            Self::DiskFull => disk_full::run,
            Self::TornLog => torn_log::run,
            Self::Damage => damage::run,
            Self::Database => database::run,
            Self::Cuts => cuts::run,
            Self::Exhausted => exhausted::run,
            Self::Failover => failover::run,
        }
    }

    /// How often, and how often in the short version.
    fn times(self, args: &FaultsArgs) -> usize {
        let (asked, usual, short) = match self {
            Self::Kills => (args.kills, 100, 8),
            Self::Clock => (None, 100, 10),
            Self::DiskFull => (None, 10, 2),
            Self::TornLog => (None, 40, 6),
            Self::Damage => (None, 5, 1),
            Self::Database => (None, 40, 4),
            Self::Cuts => (None, 400, 30),
            Self::Exhausted => (None, 2, 2),
            Self::Failover => (args.failovers, 20, 1),
        };
        asked.unwrap_or(if args.short { short } else { usual })
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
    fn is_good(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|outcome| outcome.problems.is_empty())
    }
}

pub(crate) fn run(args: &FaultsArgs) -> anyhow::Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000));
    let parent = args.folder.clone().unwrap_or_else(std::env::temp_dir);
    let mut rows = Vec::new();
    for scenario in Scenario::value_variants().iter().copied() {
        if !args.scenarios.is_empty() && !args.scenarios.contains(&scenario) {
            continue;
        }
        for engine in scenario.engines().iter().copied().filter(|engine| args.engine.is_none_or(|only| only == *engine))
        {
            rows.push(play(args, scenario, engine, seed, &parent)?);
        }
    }
    summarize(&rows, seed);
    Ok(if rows.iter().all(Row::is_good) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn play(args: &FaultsArgs, scenario: Scenario, engine: Engine, seed: u64, parent: &Path) -> anyhow::Result<Row> {
    use std::os::unix::fs::PermissionsExt;
    // PostgreSQL may run as another user, who must be able to get in.
    let open = std::fs::Permissions::from_mode(0o755);
    let folder = tempfile::Builder::new().prefix("wishbone-faults-").permissions(open).tempdir_in(parent);
    let folder = folder.with_context(|| format!("cannot make a folder in {}: choose another", parent.display()))?;
    let times = scenario.times(args);
    eprintln!("{} on {}, seed {seed}, in {}", name(scenario), name(engine), folder.path().display());
    let began = Instant::now();
    let rng = Rng::with_seed(seed);
    let mut stage = Stage { engine, seed, folder: folder.path().to_owned(), is_short: args.short, times, rng, began };
    let outcome = scenario.run()(&mut stage);
    let row = Row { scenario, engine, took: began.elapsed(), outcome };
    match &row.outcome {
        Ok(Outcome { skipped: Some(why), .. }) => eprintln!("    SKIPPED: {why}"),
        Ok(_) if row.is_good() => {}
        Ok(outcome) => outcome.problems.iter().for_each(|problem| eprintln!("    PROBLEM {problem}")),
        Err(error) => eprintln!("    FAILED: {error:#}"),
    }
    if !row.is_good() {
        let kept = folder.keep();
        eprintln!("    kept in {}: ledger.txt, server.log and the data", kept.display());
        let (scenario, engine) = (name(scenario), name(engine));
        let short = if args.short { " --short" } else { "" };
        eprintln!(
            "    again:  cargo run --release -p bench -- faults {scenario} --engine {engine} --seed {seed}{short}"
        );
    }
    Ok(row)
}

fn summarize(rows: &[Row], seed: u64) {
    println!(
        "scenario        engine    faults  answered   refused  unanswered (done/not/again/admitted)    time  verdict"
    );
    for Row { scenario, engine, took, outcome } in rows {
        let start = format!("{:<15} {:<8}", name(*scenario), name(*engine));
        match outcome {
            Err(error) => println!("{start}  FAILED: {}", error.to_string().lines().next().unwrap_or_default()),
            Ok(Outcome { skipped: Some(why), .. }) => println!("{start}  skipped: {why}"),
            Ok(outcome) => {
                let [done, not, again, admitted] = outcome.unknown;
                let verdict = match outcome.problems.len() {
                    0 => "nothing lost".to_owned(),
                    count => format!("{count} PROBLEMS"),
                };
                println!(
                    "{start} {:>7} {:>9} {:>9}  {:>36} {:>6.0} s  {verdict}",
                    outcome.faults,
                    outcome.answered,
                    outcome.refused,
                    format!("{done} / {not} / {again} / {admitted}"),
                    took.as_secs_f64(),
                );
            }
        }
    }
    println!("seed {seed}");
}
