//! `wishbone user …`: what the law lets people ask of a store.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::operator::Operator;
use wishbone_core::privacy::erase::{EraseShopper, Erased, Person, erase_lists, scrub};
use wishbone_core::privacy::export::ExportShopper;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_storage::Database;

use crate::cli::location::LocationArgs;
use crate::cli::output::{say, say_error};
use crate::cli::store::find;
use crate::environment::Environment;

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Everything that is kept of an address, as one JSON object
    Export {
        #[command(flatten)]
        person: PersonArgs,
        /// The file to write; default: stdout
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Forget an address: lists, items, comments, subscriptions, mails; there is no way back
    Erase {
        #[command(flatten)]
        person: PersonArgs,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub(super) struct PersonArgs {
    /// The store's id, as `wishbone store list` shows it
    pid: String,
    /// The address
    #[arg(long, value_name = "E")]
    email: String,
}

pub(super) async fn run(command: UserCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let now = Environment::Real.now();
    let database = location.open_existing().await?;
    match command {
        UserCommand::Export { person, out } => {
            let (by, email) = person.find(&database).await?;
            let parts = database.read_long(ExportShopper { by, email, now }).await?;
            match out {
                None => write_all(std::io::stdout().lock(), &parts)?,
                Some(path) => {
                    let file = private_file(&path).with_context(|| format!("cannot write {}", path.display()))?;
                    write_all(file, &parts)?;
                    say_error(&format!("written to {}", path.display()));
                }
            }
        }
        UserCommand::Erase { person, yes } => {
            let (by, email) = person.find(&database).await?;
            ensure!(yes || confirmed(&email)?, "nothing was erased");
            let person = Person { by, email, now };
            let before = erase_lists(&database, &person).await?;
            let erased = database.write(EraseShopper { person: person.clone(), before }).await?;
            scrub(&database, &person).await?;
            say(&if json { serde_json::to_string(&erased)? } else { in_words(&erased) });
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl PersonArgs {
    async fn find(self, database: &Database) -> anyhow::Result<(StoreAdmin, String)> {
        let by = StoreAdmin::by_operator(Operator::of_this_machine(), find(database, &self.pid).await?);
        Ok((by, normalize_email("--email", &self.email)?))
    }
}

/// Whoever cannot be asked must have said yes before.
fn confirmed(email: &str) -> anyhow::Result<bool> {
    ensure!(std::io::stdin().is_terminal(), "erasing cannot be undone: add --yes to do it without being asked");
    say_error(&format!("Erase everything of {email}? There is no way back. Type the address to go on:"));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim().eq_ignore_ascii_case(email))
}

fn in_words(erased: &Erased) -> String {
    let Erased { shoppers, lists, items, comments, subscriptions, mails, answers } = erased;
    if *erased == Erased::default() {
        return "Nothing is kept of this address.".to_owned();
    }
    format!(
        "Erased: {shoppers} shopper, {lists} lists, {items} items, {comments} comments, {subscriptions} subscriptions, \
         {mails} mails, {answers} kept answers.\nBackups made before still have them."
    )
}

fn private_file(path: &PathBuf) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn write_all(mut out: impl Write, parts: &[Vec<u8>]) -> std::io::Result<()> {
    parts.iter().try_for_each(|part| out.write_all(part))?;
    out.write_all(b"\n")?;
    out.flush()
}
