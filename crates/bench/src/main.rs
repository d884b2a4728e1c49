//! Proof of what we claim: how fast the server is, and that it loses nothing.

// A measuring program reads the clock, draws numbers, starts tasks and prints; the rules are the server's.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod faults;
mod parts;
mod speed;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

// As in the server, which is this same program (see `wishbone` below).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures Wishbone: its speed beside the limit of what could be, and what it loses when things break.
#[derive(Parser)]
#[command(name = "bench", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Faults(faults::FaultsArgs),

    /// How fast the server is, beside the limit of what could be
    Speed(speed::SpeedArgs),

    /// Make docs/performance.md and its plots of the numbers of a run
    Report {
        /// What `speed` has written
        result: std::path::PathBuf,
    },

    /// Insert into a database as fast as SQLite can: what `speed` compares adds with
    #[command(hide = true)]
    RawAdds {
        database: std::path::PathBuf,
        group: usize,
        seconds: f64,
        seed: u64,
    },

    /// Serve answers from memory: the limit that `speed` compares with
    #[command(hide = true)]
    Limit {
        samples: std::path::PathBuf,
    },

    /// Be the server: what follows is `wishbone`'s own command line
    #[command(hide = true, disable_help_flag = true)]
    Wishbone {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Faults(args) => faults::run(&args),
        Command::Speed(args) => done(speed::run(args)),
        Command::Report { result } => done(speed::report::publish(&result)),
        Command::RawAdds { database, group, seconds, seed } => done(speed::raw::run(&database, group, seconds, seed)),
        Command::Limit { samples } => done(speed::limit::serve(&samples)),
        Command::Wishbone { arguments } => return wishbone_server::cli::command::main(arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn done(outcome: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    outcome.map(|()| ExitCode::SUCCESS)
}
