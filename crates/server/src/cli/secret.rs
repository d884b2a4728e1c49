//! The signing keys: outside the database, in a file that only its owner can read, or in the
//! environment. Newest first; older ones are still accepted, so that a key can be rotated.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use wishbone_core::tokens::Keys;
use wishbone_storage::Location;

use crate::cli::location::LocationArgs;
use crate::environment::Environment;

pub(super) const FILE: &str = "secret.key";

pub(super) const RULE: &str =
    "one or more keys, newest first, each base64 of at least 32 random bytes (`openssl rand -base64 32`)";

/// The keys, for commands that need them beside a server.
#[derive(Args)]
pub(super) struct SecretArgs {
    /// The server's signing keys, if they are not in the file secret.key in the data folder: the login secret is kept
    /// encrypted with them (give them in the environment: a command line can be read by others)
    #[arg(long, value_name = "BASE64", env = "WISHBONE_SECRET_KEYS", hide_env_values = true)]
    secret_keys: Option<String>,
}

impl SecretArgs {
    /// Those that the server has or will have. On PostgreSQL nobody can tell from here where it runs, so that a new file
    /// would hold a key which the server does not know.
    pub(super) fn keys(&self, location: &LocationArgs, environment: &Environment) -> anyhow::Result<Option<Keys>> {
        if let Some(text) = &self.secret_keys {
            let keys = given(text).with_context(|| format!("--secret-keys (WISHBONE_SECRET_KEYS) must be {RULE}"))?;
            return Ok(Some(keys));
        }
        let is_here = matches!(location.location(), Location::Sqlite(_)) || location.data.join(FILE).exists();
        is_here.then(|| load(&location.data, environment)).transpose()
    }
}

/// Keys as the environment gives them, with commas between them.
pub(super) fn given(text: &str) -> Option<Keys> {
    parse(text.split(','))
}

/// The keys of the file in the data folder, which is made on first use.
pub(super) fn load(data: &Path, environment: &Environment) -> anyhow::Result<Keys> {
    let path = data.join(FILE);
    make_if_absent(&path, environment).with_context(|| format!("cannot make the secret key {}", path.display()))?;
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mode = fs::metadata(&path)?.permissions().mode();
    ensure!(mode & 0o077 == 0, "{0} can be read by others: run `chmod 600 {0}`", path.display());
    parse(text.lines()).with_context(|| format!("{} must hold {RULE}", path.display()))
}

fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Keys> {
    lines
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| STANDARD.decode(line))
        .collect::<Result<Vec<_>, _>>()
        .ok()
        .and_then(|keys| Keys::new(&keys))
}

/// Two processes that start at once must end up with the same key: the file appears whole, once.
fn make_if_absent(path: &Path, environment: &Environment) -> std::io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let draft = path.with_extension(format!("{}.new", environment.uuid()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(file, "# Signs regids and sessionids. Keep it secret, back it up; to rotate, put a new line on top.")?;
    writeln!(file, "{}", STANDARD.encode(environment.random::<32>()))?;
    file.sync_all()?;
    let made = fs::hard_link(&draft, path);
    if made.is_ok() {
        tracing::info!(path = %path.display(), "made a signing key; what another key has signed is not accepted");
    }
    fs::remove_file(&draft)?;
    match made {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_readable_by_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        load(folder.path(), &Environment::Real).unwrap();
        let first = fs::read_to_string(folder.path().join(FILE)).unwrap();
        load(folder.path(), &Environment::Real).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), first);
        assert_eq!(fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_others_can_read_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        load(folder.path(), &Environment::Real).unwrap();
        fs::set_permissions(folder.path().join(FILE), fs::Permissions::from_mode(0o644)).unwrap();
        let error = load(folder.path(), &Environment::Real).err().unwrap();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
}
