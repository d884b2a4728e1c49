//! The command line parser, and the dispatch to commands.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use wishbone_core::error::Code;

use crate::cli::hint::{self, hint};
use crate::cli::location::{COMMON, LocationArgs};
use crate::cli::output::{LogFormat, log_to_stderr, print_error};
use crate::cli::{
    alerts, backup, check, cluster, demo, doctor, keys, log_output, mail, maintenance, move_data, openapi, serve,
    store, user, webhooks,
};

/// Self-hosted wishlists and product alerts for online shops.
///
/// To try it, run `wishbone demo`: it needs no setup. To use it, run `wishbone serve` in one terminal and
/// `wishbone store create --name "My shop"` in another.
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
    /// Run a server with a sample store; its data is temporary
    ///
    /// Needs no setup. Demo data is deleted on exit; --data and --database are not used.
    Demo(demo::DemoArgs),
    /// Run the server
    ///
    /// Creates the database and the secret key on first use. SIGTERM or Ctrl+C completes in-flight requests and exits.
    ///
    /// Example: `wishbone serve --listen 0.0.0.0:8080 --data /var/lib/wishbone`
    Serve(Box<serve::ServeArgs>),
    /// Check the installation: settings, database, disk, clock, mail, public URL, certificate, proxy, keys
    ///
    /// Takes the settings of `serve`, from the same options and environment variables. Run it as the server's user, on the
    /// server's machine, while the server runs: it changes nothing and sends no mail. Every check is one line; warnings and
    /// errors say what to change. Exits with 1 if there is an error.
    Doctor(Box<serve::ServeArgs>),
    /// Create and configure stores
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Customize mails: templates, texts, languages; preview and test them
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Export or erase one person's data (GDPR)
    #[command(subcommand)]
    User(user::UserCommand),
    /// Show who waits for alerts and what failed, and retry it
    #[command(subcommand)]
    Alerts(alerts::AlertsCommand),
    /// Create, list, delete and replay webhooks; receive them on this machine, for development
    #[command(subcommand)]
    Webhooks(webhooks::WebhooksCommand),
    /// Turn maintenance mode on or off, or show its state
    ///
    /// During maintenance every node answers requests with 503. Nodes follow within a second; the state survives restarts.
    /// For a single store, use `wishbone store set "My shop" --maintenance on`.
    Maintenance(maintenance::MaintenanceArgs),
    /// Show the signing keys that the database depends on, and what still uses each
    ///
    /// To rotate, add a new key as the second one on every node, then make it the first; restart every node in between.
    /// Stored secrets are encrypted with it when a server starts. Keep the old key: sessions are valid until they are
    /// revoked. Once no token signed with it has been used for long enough, run `wishbone keys retire FINGERPRINT`, and
    /// remove it.
    Keys(keys::KeysArgs),
    /// Print the API description (OpenAPI 3.1)
    ///
    /// A running server has it at /openapi.json, and as a readable page at /docs.
    Openapi,
    /// Back up the database and the secret key to a new folder
    ///
    /// Works while servers run. The backup is a consistent snapshot, and is verified before the command succeeds.
    ///
    /// The folder is laid out like a data folder: wishbone.db and, if the data folder has one, secret.key. To restore it, stop
    /// the server, move the data folder away, then run `cp -a BACKUP ./wishbone-data`. To inspect it, serve a copy:
    /// `wishbone serve --data COPY`. It contains personal data and the key that signs sessions: protect it like the data
    /// folder.
    ///
    /// On PostgreSQL the folder contains wishbone.dump, written by pg_dump and restored with pg_restore. PostgreSQL's client
    /// tools must be installed.
    Backup(backup::BackupArgs),
    /// Distribute the tables of a Citus cluster over its workers
    #[command(subcommand)]
    Cluster(cluster::ClusterCommand),
    /// Move all data from SQLite to PostgreSQL, or back
    ///
    /// Stop all servers first. The command fails if a server has the database open, and locks the database until it is done.
    /// Every row is read back and compared before the move is committed; a move that fails or is interrupted leaves the
    /// target empty and can be repeated.
    ///
    /// Afterwards the old database is unchanged except that maintenance is on, so that no server uses it by mistake.
    ///
    /// Example: `wishbone move --to postgres://localhost/wishbone`
    Move(move_data::MoveArgs),
    /// Check the database for damage: file integrity, counters, orphaned rows
    ///
    /// Works while servers run. Exits with 1 if it finds a fault.
    Check,
}

/// Runs the program with these arguments, which do not include its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    // The allocator asks for huge pages, in which buffers that are mostly unused take all of their memory: half of what a
    // server needs, and a third of what a connection does, for no gain in speed. A kernel without them is fine.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let name = OsString::from("wishbone");
    run_program(std::iter::once(name).chain(arguments).collect())
}

/// Not generic, so that calling crates do not compile the whole server again.
fn run_program(arguments: Vec<OsString>) -> ExitCode {
    hint::remember(&arguments);
    let cli = Cli::parse_from(arguments);
    let outcome = runtime().and_then(|runtime| runtime.block_on(run(cli)));
    log_output::flush();
    match outcome {
        Ok(code) => code,
        Err(error) => {
            print_error(&format!("error: {}", explain(&error)));
            ExitCode::FAILURE
        }
    }
}

/// The error message for the operator, who unlike callers of the API gets to see the cause.
fn explain(error: &anyhow::Error) -> String {
    let core_error = error.chain().find_map(|cause| cause.downcast_ref::<wishbone_core::error::Error>());
    match core_error {
        Some(error) if error.code == Code::UnknownStore => format!("unknown store: run `{}`", hint("store list")),
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
        Command::Doctor(args) => doctor::run::run(&args, &cli.location, cli.json).await,
        Command::Store(command) => {
            log_to_stderr("warn", LogFormat::Text);
            store::run(command, &cli.location, cli.json).await
        }
        Command::Mail(command) => {
            log_to_stderr("warn", LogFormat::Text);
            mail::run(command, &cli.location, cli.json).await
        }
        Command::User(command) => {
            log_to_stderr("warn", LogFormat::Text);
            user::run(command, &cli.location, cli.json).await
        }
        Command::Maintenance(args) => {
            log_to_stderr("warn", LogFormat::Text);
            maintenance::run(&args, &cli.location, cli.json).await
        }
        Command::Alerts(command) => {
            log_to_stderr("warn", LogFormat::Text);
            alerts::run(command, &cli.location, cli.json).await
        }
        Command::Webhooks(command) => {
            log_to_stderr("warn", LogFormat::Text);
            webhooks::run(command, &cli.location, cli.json).await
        }
        Command::Openapi => Ok(openapi::run(cli.json)),
        Command::Keys(args) => {
            log_to_stderr("warn", LogFormat::Text);
            keys::run(args, &cli.location, cli.json).await
        }
        Command::Backup(args) => {
            log_to_stderr("warn", LogFormat::Text);
            backup::run(&args, &cli.location, cli.json).await
        }
        Command::Move(args) => {
            log_to_stderr("warn", LogFormat::Text);
            move_data::run(&args, &cli.location, cli.json).await
        }
        Command::Cluster(command) => {
            log_to_stderr("warn", LogFormat::Text);
            cluster::run(command, &cli.location, cli.json).await
        }
        Command::Check => {
            log_to_stderr("warn", LogFormat::Text);
            check::run(&cli.location, cli.json).await
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The help of every command, as a terminal of 80 columns shows it.
    fn helps(command: &mut clap::Command) -> Vec<String> {
        let mut helps = vec![command.render_long_help().to_string()];
        command.get_subcommands_mut().for_each(|command| helps.extend(self::helps(command)));
        helps
    }

    /// The words of a command line up to a redirection.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split(" > ").next().unwrap().split('"').enumerate();
        let words = parts.flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn examples_in_help_are_whole_lines_that_run_as_they_are() {
        let mut root = Cli::command().term_width(80);
        root.build();
        let helps = helps(&mut root);
        let lines = helps.iter().flat_map(|help| help.lines());
        let mut seen = 0;
        for example in lines.filter_map(|line| line.trim().strip_prefix("Example: ")) {
            let command = example.strip_prefix('`').and_then(|command| command.strip_suffix('`'));
            let command = command.unwrap_or_else(|| panic!("it is broken into lines: {example}"));
            if let Err(error) = Cli::try_parse_from(words(command)) {
                panic!("{command}: {error}");
            }
            let is_placeholder = |word: &String| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
            let placeholder = words(command).into_iter().find(|word| is_placeholder(word) && word != "EUR");
            assert_eq!(placeholder, None, "{command}");
            seen += 1;
        }
        assert!(seen >= 20, "{seen}");
    }
}
