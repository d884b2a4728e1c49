//! `wishbone backup`

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde_json::{Map, Value, json};
use wishbone_core::moment::{Millis, iso8601};
use wishbone_storage::{BackupSummary, Error, Location, ProgressReporter, check_url};

use crate::cli::location::LocationArgs;
use crate::cli::output::{plural, print};
use crate::cli::{pg_dump, progress, secret};
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct BackupArgs {
    /// Folder to create, outside the data folder; it must not exist, or be empty [default: ./wishbone-backup-DATE-TIME]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

pub(super) async fn run(args: &BackupArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.existing()?;
    check_url(&database)?;
    let to = args.to.clone().unwrap_or_else(|| format!("wishbone-backup-{}", stamp(Environment::Real.now())).into());
    ensure!(is_free(&to), "{} already exists: choose another folder with --to, or remove it", to.display());
    // Before there is anything to remove.
    let watch = progress::watch()?;
    let partial = temporary_folder(&to)?;
    ensure!(
        location.is_postgres() || !is_inside(partial.path(), &location.data),
        "{} is inside the data folder and would be lost with it: choose another folder with --to",
        to.display()
    );
    let copied = match &database {
        Location::Sqlite(path) => copy(path, partial.path(), &watch).await,
        Location::Postgres(url) => pg_dump::run(url, &partial.path().join("wishbone.dump"), &watch).await,
    };
    // Clears the progress line before other output.
    drop(watch);
    let copied = copied?;
    let has_key = copy_key(&location.data, partial.path()).context("cannot copy secret.key: check its permissions")?;
    finish(partial, &to).with_context(|| format!("cannot create {}", to.display()))?;
    print(&if json { as_json(&to, &copied, has_key) } else { as_text(&to, &copied, has_key, location) });
    Ok(ExitCode::SUCCESS)
}

async fn copy(database: &Path, folder: &Path, watch: &ProgressReporter) -> anyhow::Result<BackupSummary> {
    let copied = async {
        ensure_disk_space(wishbone_storage::backup_size(database)?, folder)?;
        anyhow::Ok(wishbone_storage::backup(database, &folder.join("wishbone.db"), watch).await?)
    };
    copied.await.map_err(|error| match error.downcast_ref() {
        Some(Error::Cancelled) => anyhow!(pg_dump::INTERRUPTED),
        Some(Error::Corrupt(fault)) => anyhow!(
            "the database is damaged ({fault}); no backup was created\n\
             Run `wishbone check`, then restore the last good backup."
        ),
        Some(_) => error.context(format!("cannot copy {}", database.display())),
        None => error,
    })
}

fn is_free(to: &Path) -> bool {
    match fs::read_dir(to) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => fs::symlink_metadata(to).is_err(),
    }
}

fn is_inside(folder: &Path, data: &Path) -> bool {
    matches!((folder.canonicalize(), data.canonicalize()), (Ok(folder), Ok(data)) if folder.starts_with(&data))
}

/// A temporary folder next to the target. It is renamed when the backup is complete, and removed otherwise.
fn temporary_folder(to: &Path) -> anyhow::Result<tempfile::TempDir> {
    let name = to
        .file_name()
        .with_context(|| format!("{} is not a folder name: choose another folder with --to", to.display()))?;
    let parent = match to.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    tempfile::Builder::new()
        .prefix(&format!("{}.unfinished-", name.display()))
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent)
        .with_context(|| format!("cannot write to {}: choose another folder with --to", parent.display()))
}

/// Fails early if the disk has too little free space.
fn ensure_disk_space(needed: u64, folder: &Path) -> anyhow::Result<()> {
    let disk = rustix::fs::statvfs(folder)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    ensure!(
        needed < free,
        "the backup needs {} but only {} are free: free disk space, or choose another folder with --to",
        megabytes(needed),
        megabytes(free)
    );
    Ok(())
}

/// Copies the secret key. Returns false if the data folder has none: servers can get their keys from the environment.
pub(super) fn copy_key(data: &Path, folder: &Path) -> std::io::Result<bool> {
    let key = data.join(secret::FILE);
    if !key.exists() {
        return Ok(false);
    }
    let text = fs::read(key)?;
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(folder.join(secret::FILE))?;
    copy.write_all(&text)?;
    copy.sync_all()?;
    Ok(true)
}

fn finish(partial: tempfile::TempDir, to: &Path) -> std::io::Result<()> {
    File::open(partial.path())?.sync_all()?;
    // Replaces an empty folder, and nothing else.
    fs::rename(partial.path(), to)?;
    let _ = partial.keep();
    let created = to.canonicalize()?;
    created.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

fn as_json(to: &Path, copied: &BackupSummary, has_key: bool) -> String {
    let rows: Map<String, Value> = copied.rows.iter().map(|(table, rows)| (table.clone(), (*rows).into())).collect();
    json!({ "backup": to.display().to_string(), "bytes": copied.bytes, "secret_key": has_key, "rows": rows })
        .to_string()
}

fn as_text(to: &Path, copied: &BackupSummary, has_key: bool, location: &LocationArgs) -> String {
    let (to, data) = (to.display(), location.data.display());
    let count = |noun: &str| {
        let rows = copied.rows.iter().find(|(table, _)| table.strip_suffix('s') == Some(noun));
        rows.map(|(_, rows)| format!("{}, ", plural(*rows, noun)))
    };
    let counts: String = ["store", "shopper", "list", "item"].into_iter().filter_map(count).collect();
    let key = if has_key {
        "It includes the secret key: protect it like the data folder."
    } else {
        "It does not include a secret key, since the data folder has none: back up WISHBONE_SECRET_KEYS of the servers \
         separately. Without it shoppers are not recognized after a restore."
    };
    let restore = if location.is_postgres() {
        format!("pg_restore --no-owner --single-transaction --dbname=EMPTY-DATABASE {to}/wishbone.dump")
    } else {
        format!("stop the server, then: mv {data} {data}.old && cp -a {to} {data}")
    };
    format!("Created and verified {to}: {counts}{}.\n{key}\nTo restore: {restore}", megabytes(copied.bytes))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Date and time in UTC, formatted for file names: 20261115-104500.
fn stamp(now: Millis) -> String {
    let time = iso8601(now);
    time.split('.').next().unwrap_or(&time).replace(['-', ':'], "").replace('T', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_named_after_the_time_in_utc() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400_000), "20000229-000000");
        assert_eq!(stamp(1_763_203_512_999), "20251115-104512");
        assert_eq!(stamp(1_767_225_599_000), "20251231-235959");
    }
}
