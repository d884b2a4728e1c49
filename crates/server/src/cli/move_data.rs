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
use crate::cli::output::{plural, print};
use crate::cli::{progress, secret};
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct MoveArgs {
    /// Target: postgres://… of an empty database or, with --database, sqlite:DIR of a folder without a database (set a URL
    /// with a password in the environment: other users can read command lines)
    #[arg(long, value_name = "TARGET", env = "WISHBONE_MOVE_TO", hide_env_values = true)]
    to: String,
}

pub(super) async fn run(args: &MoveArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let target = target(&args.to, location)?;
    let from = location.existing()?;
    if target.is_postgres() == location.is_postgres() {
        anyhow::bail!("source and target use the same engine: use `wishbone backup`, and restore the backup");
    }
    if let Location::Sqlite(_) = target.location() {
        target.create_folder()?;
    }
    let watch = progress::watch()?;
    let moved = wishbone_storage::transfer(&from, &target.location(), MIGRATIONS, &watch).await;
    drop(watch);
    let moved = moved.map_err(|error| match error {
        Error::Cancelled => anyhow!("interrupted; nothing was moved, source and target are unchanged"),
        Error::OutcomeUnknown(cause) => anyhow!(
            "the response to the commit was lost ({cause})\nRun this again: it finds out whether the data was moved."
        ),
        Error::Corrupt(fault) => anyhow!("the source is damaged ({fault}); nothing was moved\nRun `wishbone check`."),
        error => anyhow!("{error}\nNothing was moved; source and target are unchanged."),
    })?;
    let has_key = transfer_key(&location.data, &target)
        .with_context(|| format!("the data was moved, but not secret.key: copy it to {}", target.data.display()))?;
    // Copied from the source, before maintenance is turned on there.
    let in_maintenance = target.open_existing().await?.read(InMaintenance).await?;
    let set = SetMaintenance { by: Operator::of_this_machine(), on: true, now: Environment::Real.now() };
    location.open_existing().await?.write(set).await?;
    if json {
        let rows: Map<String, Value> = moved.into_iter().map(|(table, rows)| (table, rows.into())).collect();
        print(
            &json!({ "rows": rows, "verified": true, "secret_key": has_key, "maintenance": in_maintenance })
                .to_string(),
        );
    } else {
        print(&as_text(&moved, location, &target, has_key, in_maintenance));
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

/// Copies the secret key to a new data folder. For PostgreSQL it stays in place. Returns false if there is none.
fn transfer_key(data: &Path, target: &LocationArgs) -> std::io::Result<bool> {
    let exists = target.data.join(secret::FILE).exists();
    if target.is_postgres() || exists { Ok(exists) } else { copy_key(data, &target.data) }
}

fn as_text(
    moved: &[(String, u64)],
    location: &LocationArgs,
    target: &LocationArgs,
    has_key: bool,
    in_maintenance: bool,
) -> String {
    let rows: u64 = moved.iter().map(|(_, rows)| rows).sum();
    let count = |noun: &str| {
        let rows = moved.iter().find(|(table, _)| table.strip_suffix('s') == Some(noun)).map_or(0, |(_, rows)| *rows);
        plural(rows, noun)
    };
    let data = target.data.display();
    let serve = if target.is_postgres() {
        format!("WISHBONE_DATABASE_URL='postgres://…' wishbone serve --data {data}")
    } else {
        format!("wishbone serve --data {data}")
    };
    let key = if has_key {
        format!("Every server needs {data}/secret.key, or its content in WISHBONE_SECRET_KEYS, to recognize shoppers.")
    } else {
        "Start the servers with the same WISHBONE_SECRET_KEYS as before, or they will not recognize shoppers."
            .to_owned()
    };
    let maintenance = if in_maintenance {
        "\nMaintenance is on in the new database, as it was in the old one. To end it, run `wishbone maintenance off`."
    } else {
        ""
    };
    let old = if location.is_postgres() { "PostgreSQL".to_owned() } else { location.data.display().to_string() };
    format!(
        "Moved and verified {}: {}, {}, {}, {}.\nNext: {serve}\n{key}{maintenance}\n\
         The old database ({old}) is now in maintenance; delete it when you no longer need it.",
        plural(rows, "row"),
        count("store"),
        count("shopper"),
        count("list"),
        count("item"),
    )
}
