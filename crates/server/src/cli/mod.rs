//! The command line. Commands call core operations, never SQL, and work while a server runs.

mod check;
mod demo;
mod location;
mod secret;
mod serve;
mod store;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use location::LocationArgs;

/// Shopper lists and product alerts for your shop, on your own server.
///
/// Start with `wishbone demo`: it needs nothing and shows everything. For real use: `wishbone serve` in one
/// terminal, `wishbone store create --name "My shop"` in another.
#[derive(Parser)]
#[command(name = "wishbone", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    location: LocationArgs,

    /// Print one JSON object on stdout instead of text
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a filled demo store; nothing to prepare, nothing kept
    Demo(demo::DemoArgs),
    /// Serve the API
    Serve(serve::ServeArgs),
    /// Make and change stores
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Look for damage: the database's own integrity, counts, rows without an owner
    Check,
}

pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = runtime().and_then(|runtime| runtime.block_on(run(cli)));
    match outcome {
        Ok(code) => code,
        Err(error) => {
            say_error(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Demo(args) => demo::run(args, cli.json).await,
        Command::Serve(args) => serve::run(args, &cli.location).await,
        Command::Store(command) => {
            log_to_stderr("warn", LogFormat::Text);
            store::run(command, &cli.location, cli.json).await
        }
        Command::Check => {
            log_to_stderr("warn", LogFormat::Text);
            check::run(&cli.location, cli.json).await
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogFormat {
    Text,
    Json,
}

fn log_to_stderr(filter: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let _ = match format {
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => logs.json().flatten_event(true).try_init(),
    };
}

#[allow(clippy::print_stdout, reason = "this is how commands answer")]
fn say(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "this is how commands fail")]
fn say_error(text: &str) {
    eprintln!("{text}");
}
