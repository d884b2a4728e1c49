//! Proof of what we claim: how fast the server is, and that it loses nothing.

// A measuring program reads the clock, draws numbers, starts tasks and prints; the rules are the server's.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod faults;
mod parts;

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
    /// Be the server: what follows is `wishbone`'s own command line
    #[command(hide = true, disable_help_flag = true)]
    Wishbone {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Faults(args) => finish(faults::run(&args)),
        Command::Wishbone { arguments } => wishbone_server::cli::main(arguments),
    }
}

fn finish(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
