//! The command line. Commands call core operations, never SQL, and work while a server runs.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use wishbone_core::error::Code;

use crate::cli::location::{COMMON, LocationArgs};
use crate::cli::output::{LogFormat, log_to_stderr, say_error};
use crate::cli::{backup, check, demo, log_output, maintenance, move_data, openapi, serve, store, user};

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
    #[arg(long, global = true, help_heading = COMMON)]
    json: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a filled demo store; nothing to prepare, nothing kept (--data and --database have no part in it)
    Demo(demo::DemoArgs),
    /// Serve the API
    Serve(Box<serve::ServeArgs>),
    /// Make and change stores
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Hand over, or forget, what is kept of one e-mail address
    #[command(subcommand)]
    User(user::UserCommand),
    /// Answer every request with 503 while you work on the server or its database, or stop doing so
    Maintenance(maintenance::MaintenanceArgs),
    /// Print the API's description (OpenAPI 3.1); a server has it at /openapi.json, and for people at /docs
    Openapi,
    /// Copy the database and the secret key to a new folder while the server runs
    ///
    /// The copy is of one moment, and is checked before it counts. Servers go on meanwhile.
    ///
    /// The backup is a folder that looks like a data folder: wishbone.db and, if the data folder has one, secret.key.
    /// To restore it, stop the server, move the data folder away, then `cp -a BACKUP ./wishbone-data`. To look into it, serve
    /// a copy: `wishbone serve --data COPY`. It holds addresses, and the key that signs logins: keep it as safe as the data
    /// folder.
    ///
    /// On PostgreSQL the folder holds wishbone.dump, which pg_dump (PostgreSQL's client tools must be installed) writes and
    /// pg_restore reads.
    Backup(backup::BackupArgs),
    /// Move everything to an empty PostgreSQL, or from PostgreSQL to SQLite
    ///
    /// Stop the servers first: what they wrote during the move would be lost, so the command refuses to begin while one
    /// has the database open, and lets none in until it is done. Every row is read back and compared before anything
    /// counts; a move that is stopped or fails leaves the target empty, and can be started again.
    ///
    /// Afterwards the old database is as it was, but in maintenance, so that nobody goes on with it by mistake.
    Move(move_data::MoveArgs),
    /// Look for damage: the database's own integrity, counts, rows without an owner
    Check,
}

/// What the program does with these arguments, which do not begin with its own name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let name = OsString::from("wishbone");
    run_program(std::iter::once(name).chain(arguments).collect())
}

/// Not generic: else the whole server would be compiled again by everyone who calls it.
fn run_program(arguments: Vec<OsString>) -> ExitCode {
    let cli = Cli::parse_from(arguments);
    let outcome = runtime().and_then(|runtime| runtime.block_on(run(cli)));
    log_output::flush();
    match outcome {
        Ok(code) => code,
        Err(error) => {
            say_error(&format!("error: {}", explain(&error)));
            ExitCode::FAILURE
        }
    }
}

/// The operator, unlike the callers of the API, is told the cause.
fn explain(error: &anyhow::Error) -> String {
    let refused = error.chain().find_map(|cause| cause.downcast_ref::<wishbone_core::error::Error>());
    match refused {
        Some(refused) if refused.code == Code::UnknownStore => {
            "no store has this pid: `wishbone store list` shows all of this database".to_owned()
        }
        Some(wishbone_core::error::Error { cause: Some(cause), .. }) => cause.clone(),
        _ => format!("{error:#}"),
    }
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Demo(args) => demo::run(args, cli.json).await,
        Command::Serve(args) => serve::run(*args, &cli.location, cli.json).await,
        Command::Store(command) => {
            log_to_stderr("warn", LogFormat::Text);
            store::run(command, &cli.location, cli.json).await
        }
        Command::User(command) => {
            log_to_stderr("warn", LogFormat::Text);
            user::run(command, &cli.location, cli.json).await
        }
        Command::Maintenance(args) => {
            log_to_stderr("warn", LogFormat::Text);
            maintenance::run(&args, &cli.location, cli.json).await
        }
        Command::Openapi => Ok(openapi::run(cli.json)),
        Command::Backup(args) => {
            log_to_stderr("warn", LogFormat::Text);
            backup::run(&args, &cli.location, cli.json).await
        }
        Command::Move(args) => {
            log_to_stderr("warn", LogFormat::Text);
            move_data::run(&args, &cli.location, cli.json).await
        }
        Command::Check => {
            log_to_stderr("warn", LogFormat::Text);
            check::run(&cli.location, cli.json).await
        }
    }
}
