//! `wishbone move`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::{Map, Value, json};
use wishbone_core::operator::Operator;
use wishbone_core::registry::MIGRATIONS;
use wishbone_core::stores::maintenance::{InMaintenance, SetMaintenance};
use wishbone_storage::{Error, Location};

use crate::cli::backup::copy_key;
use crate::cli::location::LocationArgs;
use crate::cli::output::say;
use crate::cli::{progress, secret};
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct MoveArgs {
    /// postgres://… of an empty database; or, with --database, sqlite:DIR with a folder that has no database yet (give an
    /// address with a password in the environment: a command line can be read by others)
    #[arg(long, value_name = "TARGET", env = "WISHBONE_MOVE_TO", hide_env_values = true)]
    to: String,
}

pub(super) async fn run(args: &MoveArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let target = target(&args.to, location)?;
    let from = location.existing()?;
    if target.is_postgres() == location.is_postgres() {
        anyhow::bail!("both databases are of the same kind: `wishbone backup` here, and restore there");
    }
    if let Location::Sqlite(_) = target.location() {
        target.make_folder()?;
    }
    let watch = progress::watch()?;
    let moved = wishbone_storage::transfer(&from, &target.location(), MIGRATIONS, &watch).await;
    drop(watch);
    let moved = moved.map_err(|error| match error {
        Error::Cancelled => anyhow!("stopped; the target is as empty as it was, and the source as it was"),
        Error::Corrupt(fault) => anyhow!("the source is damaged ({fault}): run `wishbone check`; nothing was moved"),
        error => anyhow!("{error}\nNothing was moved: the target is as it was, and the source too."),
    })?;
    let has_key = hand_over_key(&location.data, &target).context("everything was moved but secret.key")?;
    // The target says what the source said when it was read.
    let target_closed = target.open_existing().await?.read(InMaintenance).await?;
    let close = SetMaintenance { by: Operator::of_this_machine(), on: true, now: Environment::Real.now() };
    location.open_existing().await?.write(close).await?;
    if json {
        let rows: Map<String, Value> = moved.into_iter().map(|(table, rows)| (table, rows.into())).collect();
        say(&json!({ "rows": rows, "verified": true, "secret_key": has_key, "maintenance": target_closed }).to_string());
    } else {
        say(&as_text(&moved, location, &target, has_key, target_closed));
    }
    Ok(ExitCode::SUCCESS)
}

fn target(to: &str, location: &LocationArgs) -> anyhow::Result<LocationArgs> {
    match to.strip_prefix("sqlite:") {
        Some(folder) if !folder.is_empty() => Ok(location.at_folder(PathBuf::from(folder))),
        _ if to.starts_with("postgres://") || to.starts_with("postgresql://") => Ok(location.at_database(to)),
        _ => Err(anyhow!("--to must be postgres://… or sqlite:DIR")),
    }
}

/// A data folder has its key; servers on PostgreSQL take it from where it is.
fn hand_over_key(data: &Path, target: &LocationArgs) -> std::io::Result<bool> {
    let is_there = target.data.join(secret::FILE).exists();
    if target.is_postgres() || is_there { Ok(is_there) } else { copy_key(data, &target.data) }
}

fn as_text(
    moved: &[(String, u64)],
    location: &LocationArgs,
    target: &LocationArgs,
    has_key: bool,
    target_closed: bool,
) -> String {
    let rows: u64 = moved.iter().map(|(_, rows)| rows).sum();
    let count = |name: &str| moved.iter().find(|(table, _)| table == name).map_or(0, |(_, rows)| *rows);
    let data = target.data.display();
    let serve = if target.is_postgres() {
        format!("WISHBONE_DATABASE_URL='postgres://…' wishbone serve --data {data}")
    } else {
        format!("wishbone serve --data {data}")
    };
    let key = if has_key {
        format!(
            "{data}/secret.key is still what signs logins: every server needs it there, or in WISHBONE_SECRET_KEYS."
        )
    } else {
        "Give the servers the same WISHBONE_SECRET_KEYS as before, or they will know no shopper.".to_owned()
    };
    let closed = if target_closed {
        "\nThe new database is in maintenance, as the old one was: end it with `wishbone maintenance off`."
    } else {
        ""
    };
    let old = if location.is_postgres() { "PostgreSQL".to_owned() } else { location.data.display().to_string() };
    format!(
        "Moved and compared {rows} rows: {} stores, {} shoppers, {} lists, {} items.\nServe it: {serve}\n{key}{closed}\n\
         The old database ({old}) is now in maintenance; remove it once you are sure.",
        count("stores"),
        count("shoppers"),
        count("lists"),
        count("items"),
    )
}
