//! Benchmark and fault injection for Wishbone.

// These lints are for the server: a benchmark reads the clock, uses randomness, spawns tasks and prints.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod http;
mod processes;
mod alert_store;
mod speed;
mod faults;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

// The server's allocator: this program is also the server under test (see `Wishbone` below).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Benchmark and fault injection for Wishbone
#[derive(Parser)]
#[command(name = "bench", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Faults(faults::run::FaultsArgs),

    /// Measure throughput and latency of both engines beside the limit
    Speed(speed::settings::SpeedArgs),

    /// Generate docs/performance.md and its plots from the results of a run
    Report {
        /// JSON file written by `speed`
        result: std::path::PathBuf,
    },

    /// Insert rows with raw SQLite: the baseline for durable adds
    #[command(hide = true)]
    RawAdds {
        database: std::path::PathBuf,
        group: usize,
        seconds: f64,
        seed: u64,
    },

    /// Serve recorded responses from memory: the limit
    #[command(hide = true)]
    Limit {
        samples: std::path::PathBuf,
    },

    /// Run `wishbone` with the arguments that follow
    #[command(hide = true, disable_help_flag = true)]
    Wishbone {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Faults(args) => faults::run::run(&args),
        Command::Speed(args) => success(speed::run::run(args)),
        Command::Report { result } => success(speed::publish::publish(&result)),
        Command::RawAdds { database, group, seconds, seed } => {
            success(speed::raw_sqlite::run(&database, group, seconds, seed))
        }
        Command::Limit { samples } => success(speed::limit::serve(&samples)),
        Command::Wishbone { arguments } => return wishbone_server::cli::command::main(arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn success(outcome: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    outcome.map(|()| ExitCode::SUCCESS)
}
