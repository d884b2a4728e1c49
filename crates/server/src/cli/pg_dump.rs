//! Backups of PostgreSQL with `pg_dump`.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, bail};
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use wishbone_core::registry::MIGRATIONS;
use wishbone_storage::{BackupSummary, Error, ProgressReporter, tables};

pub(super) const INTERRUPTED: &str = "interrupted; nothing was written";
const ADVICE: &str = "Install PostgreSQL's client tools (Debian: postgresql-client) in the server's version or newer, or \
                      run this command on a machine that has them.";

/// Writes a consistent snapshot of the tables to a file, and checks that `pg_restore` can read it.
pub(super) async fn run(url: &str, file: &Path, watch: &ProgressReporter) -> anyhow::Result<BackupSummary> {
    dump(url, file, watch).await?;
    let list = tool("pg_restore").arg("--list").arg(file).stdout(Stdio::null()).output().await;
    let list = list.context("cannot run pg_restore to verify the backup")?;
    if !list.status.success() {
        bail!("pg_restore cannot read the dump: {}", String::from_utf8_lossy(&list.stderr).trim());
    }
    let written = std::fs::File::open(file)?;
    written.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    written.sync_all()?;
    Ok(BackupSummary { bytes: written.metadata()?.len(), rows: Vec::new() })
}

async fn dump(url: &str, file: &Path, watch: &ProgressReporter) -> anyhow::Result<()> {
    let (url, password) = without_password(url);
    let all = tables(MIGRATIONS);
    let mut command = tool("pg_dump");
    command.args(["--format=custom", "--no-owner", "--no-privileges", "--verbose", "--file"]).arg(file);
    command.args(all.iter().map(|table| format!("--table={table}"))).arg(format!("--dbname={url}"));
    // Not on the command line, which other users can read.
    command.envs(password.map(|password| ("PGPASSWORD", password)));
    let mut child = match command.stderr(Stdio::piped()).spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("pg_dump is not installed. {ADVICE}"),
        child => child.context("cannot run pg_dump")?,
    };
    let lines = child.stderr.take().context("pg_dump has no stderr")?;
    let (mut lines, mut started, mut errors) = (BufReader::new(lines).lines(), 0, Vec::new());
    while let Some(line) = lines.next_line().await.context("cannot read the output of pg_dump")? {
        started += u64::from(line.contains("dumping contents of table"));
        if let Err(Error::Cancelled) = watch.report("copying", started.saturating_sub(1), all.len() as u64) {
            child.kill().await?;
            bail!(INTERRUPTED);
        }
        // The lines after the first error are its details.
        if line.contains("error:") || !errors.is_empty() {
            errors.push(line);
        }
    }
    if !child.wait().await?.success() {
        bail!("cannot copy the PostgreSQL database: {}\nNo backup was created. {ADVICE}", errors.join("\n"));
    }
    Ok(())
}

fn tool(name: &str) -> Command {
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Splits the password off a URL, which has it before the host or as a parameter.
fn without_password(url: &str) -> (String, Option<String>) {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (mut address, query) =
        url.split_once('?').map_or((url.to_owned(), ""), |(start, query)| (start.to_owned(), query));
    let (secret, others): (Vec<_>, Vec<_>) =
        query.split('&').filter(|part| !part.is_empty()).partition(|part| part.starts_with("password="));
    let mut password = secret.last().and_then(|part| part.strip_prefix("password=")).map(decoded);
    let start = address.find("://").map_or(0, |at| at + 3);
    let end = address[start..].find('/').map_or(address.len(), |at| start + at);
    if let Some(at) = address[start..end].rfind('@').map(|at| start + at)
        && let Some(colon) = address[start..at].find(':').map(|colon| start + colon)
    {
        password = password.or_else(|| Some(decoded(&address[colon + 1..at])));
        address.replace_range(colon..at, "");
    }
    if !others.is_empty() {
        address = format!("{address}?{}", others.join("&"));
    }
    (address, password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_removed_from_the_url() {
        for (url, address, password) in [
            ("postgres://h/d", "postgres://h/d", None),
            ("postgres://u:p%40s:s@h:5/d?sslmode=require", "postgres://u@h:5/d?sslmode=require", Some("p@s:s")),
            ("postgres://u@h/d?a=b&password=x%20y", "postgres://u@h/d?a=b", Some("x y")),
            ("postgres://u:p@h", "postgres://u@h", Some("p")),
            ("postgres:///d?host=/tmp&user=a:b@c", "postgres:///d?host=/tmp&user=a:b@c", None),
        ] {
            assert_eq!(without_password(url), (address.to_owned(), password.map(str::to_owned)));
        }
    }
}
