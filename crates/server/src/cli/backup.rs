//! `wishbone backup`

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use serde_json::{Map, Value, json};
use wishbone_core::moment::Millis;
use wishbone_storage::{BackupSummary, Error, Location, ProgressReporter};

use crate::cli::location::LocationArgs;
use crate::cli::output::say;
use crate::cli::{pg_dump, progress, secret};
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct BackupArgs {
    /// The folder to make, outside the data folder; there must be none of this name, or an empty one [default: ./wishbone-backup-DATE-TIME]
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

pub(super) async fn run(args: &BackupArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.existing()?;
    let to = args.to.clone().unwrap_or_else(|| format!("wishbone-backup-{}", stamp(Environment::Real.now())).into());
    ensure!(is_free(&to), "{} is there already: choose another name with --to, or remove it", to.display());
    let unfinished = unfinished(&to)?;
    ensure!(
        location.is_postgres() || !is_inside(unfinished.path(), &location.data),
        "{} is in the data folder, and would be lost with it: choose another folder with --to",
        to.display()
    );
    let watch = progress::watch()?;
    let copied = match &database {
        Location::Sqlite(path) => copy(path, unfinished.path(), &watch).await,
        Location::Postgres(url) => pg_dump::run(url, &unfinished.path().join("wishbone.dump"), &watch).await,
    };
    // Its last line is cleared away before anything else is said.
    drop(watch);
    let copied = copied?;
    let has_key = copy_key(&location.data, unfinished.path()).context("cannot copy secret.key")?;
    finish(unfinished, &to).with_context(|| format!("cannot make {}", to.display()))?;
    say(&if json { as_json(&to, &copied, has_key) } else { as_text(&to, &copied, has_key, location) });
    Ok(ExitCode::SUCCESS)
}

async fn copy(database: &Path, folder: &Path, watch: &ProgressReporter) -> anyhow::Result<BackupSummary> {
    let copied = async {
        ensure_room(wishbone_storage::backup_size(database)?, folder)?;
        anyhow::Ok(wishbone_storage::backup(database, &folder.join("wishbone.db"), watch).await?)
    };
    copied.await.map_err(|error| match error.downcast_ref() {
        Some(Error::Cancelled) => anyhow!(pg_dump::INTERRUPTED),
        Some(Error::Corrupt(fault)) => anyhow!(
            "the database is damaged, and so would be its copy ({fault}); no backup was made\n\
             Run `wishbone check`, and restore the last good backup."
        ),
        Some(_) => error.context(format!("cannot copy {}", database.display())),
        None => error,
    })
}

fn is_free(to: &Path) -> bool {
    match fs::read_dir(to) {
        Ok(mut inside) => inside.next().is_none(),
        Err(_) => fs::symlink_metadata(to).is_err(),
    }
}

fn is_inside(folder: &Path, data: &Path) -> bool {
    matches!((folder.canonicalize(), data.canonicalize()), (Ok(folder), Ok(data)) if folder.starts_with(&data))
}

/// A folder beside the one to make, which gets its name once all is well, and else goes away.
fn unfinished(to: &Path) -> anyhow::Result<tempfile::TempDir> {
    let name = to.file_name().with_context(|| format!("{} names no folder: choose another with --to", to.display()))?;
    let beside = match to.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    tempfile::Builder::new()
        .prefix(&format!("{}.unfinished-", name.display()))
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(beside)
        .with_context(|| format!("cannot write to {}: choose another folder with --to", beside.display()))
}

/// Better said now than after half of the work.
fn ensure_room(needed: u64, folder: &Path) -> anyhow::Result<()> {
    let disk = rustix::fs::statvfs(folder)?;
    let room = disk.f_bavail.saturating_mul(disk.f_frsize);
    ensure!(
        needed < room,
        "the backup needs {}, but only {} are free there: choose another folder with --to",
        megabytes(needed),
        megabytes(room)
    );
    Ok(())
}

/// Whether the data folder has one: servers can be given their keys in the environment.
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

fn finish(unfinished: tempfile::TempDir, to: &Path) -> std::io::Result<()> {
    File::open(unfinished.path())?.sync_all()?;
    // It takes the place of an empty folder, and of nothing else.
    fs::rename(unfinished.path(), to)?;
    let _ = unfinished.keep();
    let beside = to.canonicalize()?;
    beside.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn as_json(to: &Path, copied: &BackupSummary, has_key: bool) -> String {
    let rows: Map<String, Value> = copied.rows.iter().map(|(table, rows)| (table.clone(), (*rows).into())).collect();
    json!({ "backup": to.display().to_string(), "bytes": copied.bytes, "secret_key": has_key, "rows": rows })
        .to_string()
}

fn as_text(to: &Path, copied: &BackupSummary, has_key: bool, location: &LocationArgs) -> String {
    let (to, data) = (to.display(), location.data.display());
    let count = |table: &str| {
        let rows = copied.rows.iter().find(|(name, _)| name == table);
        rows.map(|(name, rows)| format!("{rows} {name}, "))
    };
    let counts: String = ["stores", "shoppers", "lists", "items"].into_iter().filter_map(count).collect();
    let key = if has_key {
        "The secret key is with it: keep it as safe as the data folder."
    } else {
        "There is no secret key with it, since the data folder has none: keep a copy of what the servers are given \
         (WISHBONE_SECRET_KEYS), without which they would know no shopper after a restore."
    };
    let restore = if location.is_postgres() {
        format!("pg_restore --no-owner --single-transaction --dbname=EMPTY-DATABASE {to}/wishbone.dump")
    } else {
        format!("stop the server, then: mv {data} {data}.old && cp -a {to} {data}")
    };
    format!("{to}: {counts}{}; checked.\n{key}\nTo restore: {restore}", megabytes(copied.bytes))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Date and time in UTC, as names of files have them: 20261115-104500.
fn stamp(now: Millis) -> String {
    let seconds = now.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years that begin in March have their leap day in the end.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (era * 400 + year, month + 3) } else { (era * 400 + year + 1, month - 9) };
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", second / 3_600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_named_by_the_time_in_utc() {
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400_000), "20000229-000000");
        assert_eq!(stamp(1_763_203_512_999), "20251115-104512");
        assert_eq!(stamp(1_767_225_599_000), "20251231-235959");
    }
}
