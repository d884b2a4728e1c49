//! `wishbone user …`: requests under data protection law.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::merging::settle::settle_by_email;
use wishbone_core::privacy::erase::{EraseShopper, Erased, Person, erase_lists, scrub};
use wishbone_core::privacy::export::ExportShopper;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_storage::Database;

use crate::cli::location::LocationArgs;
use crate::cli::output::{plural, print, print_error};
use crate::cli::store_arg::StoreArg;
use crate::environment::Environment;

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Export everything stored about an e-mail address as one JSON object
    ///
    /// Example: `wishbone user export "My shop" --email ann@example.com > ann.json`
    Export {
        #[command(flatten)]
        person: PersonArgs,
        /// File to create, readable by this user only [default: stdout]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Erase everything stored about an e-mail address; this cannot be undone
    ///
    /// Erases lists, items, comments, subscriptions and mails. Backups are not changed.
    ///
    /// Example: `wishbone user erase "My shop" --email ann@example.com`
    Erase {
        #[command(flatten)]
        person: PersonArgs,
        /// Erase without asking for confirmation
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub(super) struct PersonArgs {
    #[command(flatten)]
    store: StoreArg,
    /// E-mail address of the person
    #[arg(long, value_name = "E")]
    email: String,
}

pub(super) async fn run(command: UserCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let now = Environment::Real.now();
    let database = location.open_existing().await?;
    match command {
        UserCommand::Export { person, out } => {
            let (by, email) = person.find(&database).await?;
            settle_by_email(&database, by.store().store_id, &email, &|| Environment::Real.moment()).await?;
            let parts = database.read_long(ExportShopper { by, email, now }).await?;
            match out {
                None => write_all(std::io::stdout().lock(), &parts)?,
                Some(path) => {
                    let file = private_file(&path)
                        .with_context(|| format!("cannot create {}: it must not exist yet", path.display()))?;
                    write_all(file, &parts)?;
                    print_error(&format!("Exported to {}.", path.display()));
                }
            }
        }
        UserCommand::Erase { person, yes } => {
            let (by, email) = person.find(&database).await?;
            ensure!(yes || confirmed(&email)?, "the address does not match; nothing was erased");
            let person = Person { by, email, now };
            let before = erase_lists(&database, &person, &|| Environment::Real.moment()).await?;
            let erased = database.write(EraseShopper { person: person.clone(), before }).await?;
            scrub(&database, &person).await?;
            print(&if json { serde_json::to_string(&erased)? } else { summary(&erased) });
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl PersonArgs {
    async fn find(self, database: &Database) -> anyhow::Result<(StoreAdmin, String)> {
        let by = self.store.admin(database).await?;
        Ok((by, normalize_email("--email", &self.email)?))
    }
}

/// Asks for confirmation; fails if stdin is not a terminal.
fn confirmed(email: &str) -> anyhow::Result<bool> {
    ensure!(std::io::stdin().is_terminal(), "erasing cannot be undone: add --yes to confirm");
    print_error(&format!("Erase everything stored about {email}? This cannot be undone. Type the address to confirm:"));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim().eq_ignore_ascii_case(email))
}

fn summary(erased: &Erased) -> String {
    if *erased == Erased::default() {
        return "Nothing is stored about this address.".to_owned();
    }
    let counts = [
        (erased.shoppers, "shopper"),
        (erased.lists, "list"),
        (erased.items, "item"),
        (erased.comments, "comment"),
        (erased.subscriptions, "subscription"),
        (erased.mails, "mail"),
        (erased.answers, "stored response"),
    ];
    let counts = counts.map(|(count, noun)| plural(count, noun)).join(", ");
    format!("Erased {counts}.\nOlder backups still contain the data.")
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
