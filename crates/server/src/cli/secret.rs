//! The signing keys, in a file that only its owner can read, or in the environment. The first key signs; older ones are
//! still accepted, so that keys can be rotated.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use wishbone_core::operator::Operator;
use wishbone_core::stores::signing_keys::{FindSigningKeys, RegisterSigningKey, SigningKey};
use wishbone_core::tokens::Keys;
use wishbone_storage::{Database, Location};

use crate::cli::hint::hint;
use crate::cli::location::LocationArgs;
use crate::environment::Environment;

pub(super) const FILE: &str = "secret.key";

pub(super) const RULE: &str =
    "one or more keys, newest first, each base64 of at least 32 random bytes (`openssl rand -base64 32`)";

/// What to do where [`SecretArgs::keys`] finds none.
pub(super) const NO_KEYS: &str = "secrets are encrypted with the server's signing keys, which were not found: set \
                                  WISHBONE_SECRET_KEYS, or --data to the server's data folder";

/// The option for signing keys, for commands that run beside a server.
#[derive(Args)]
pub(super) struct SecretArgs {
    /// Signing keys of the server, which encrypt secrets of stores (set them in the environment: other users can read
    /// command lines) [default: the file secret.key in the data folder]
    #[arg(long, value_name = "BASE64", env = "WISHBONE_SECRET_KEYS", hide_env_values = true)]
    secret_keys: Option<String>,
}

impl SecretArgs {
    /// The server's keys; `None` if they are unknown. On PostgreSQL the server may run elsewhere with other keys, and on
    /// SQLite with keys from the environment, so no key file is created for a database that is in use.
    pub(super) async fn keys(
        &self,
        database: &Database,
        location: &LocationArgs,
        environment: &Environment,
    ) -> anyhow::Result<Option<Keys>> {
        let known = database.read(FindSigningKeys { by: Operator::of_this_machine() }).await?;
        match self.present(location)? {
            Some(keys) => require(&known, &keys).map(|()| Some(keys)),
            None if known.is_empty() && matches!(location.location(), Location::Sqlite(_)) => {
                load(&location.data, environment).map(Some)
            }
            None => Ok(None),
        }
    }

    /// The keys of this machine, if it has any.
    pub(super) fn present(&self, location: &LocationArgs) -> anyhow::Result<Option<Keys>> {
        match &self.secret_keys {
            Some(text) => {
                let keys = parse_list(text);
                keys.map(Some).with_context(|| format!("--secret-keys (WISHBONE_SECRET_KEYS) must be {RULE}"))
            }
            None if location.data.join(FILE).exists() => read(&location.data).map(Some),
            None => Ok(None),
        }
    }
}

/// Returns a server's keys: those of the environment, or of the key file, which is created on first use. Fails if the
/// database depends on a key that is not among them.
pub(super) async fn establish(
    database: &Database,
    given: Option<Keys>,
    data: &Path,
    environment: &Environment,
) -> anyhow::Result<Keys> {
    let by = Operator::of_this_machine();
    let known = database.read(FindSigningKeys { by }).await?;
    let path = data.join(FILE);
    let keys = match (given, known.first()) {
        (Some(keys), _) => keys,
        (None, Some(SigningKey { fingerprint, .. })) if !path.exists() => bail!(
            "{} is missing, but this database depends on the signing key {fingerprint}: restore the file from a backup, or \
             set WISHBONE_SECRET_KEYS. If the key is lost, run `wishbone keys retire {fingerprint}`: sessions, guests and \
             share links signed with it stop working",
            path.display(),
        ),
        (None, _) => load(data, environment)?,
    };
    require(&known, &keys)?;
    if let Some(fingerprint) = keys.fingerprints().into_iter().next() {
        database.write(RegisterSigningKey { by, fingerprint, now: environment.now() }).await?;
    }
    Ok(keys)
}

/// Fails if the database depends on a key that is not among these.
pub(super) fn require(known: &[SigningKey], keys: &Keys) -> anyhow::Result<()> {
    let ours = keys.fingerprints();
    match known.iter().find(|known| !ours.contains(&known.fingerprint)) {
        None => Ok(()),
        Some(SigningKey { fingerprint, .. }) => bail!(
            "the signing key {fingerprint} is missing: sessions, guests and share links of this database are signed with \
             it. Add it to the keys of this server, below the newest. If it is lost or no longer needed (see `{}`), run \
             `{}`",
            hint("keys"),
            hint(format_args!("keys retire {fingerprint}"))
        ),
    }
}

/// Parses comma-separated keys.
pub(super) fn parse_list(text: &str) -> Option<Keys> {
    parse(text.split(','))
}

/// Reads the key file in the data folder, which is created on first use.
pub(super) fn load(data: &Path, environment: &Environment) -> anyhow::Result<Keys> {
    let path = data.join(FILE);
    create_if_absent(&path, environment).with_context(|| {
        format!("cannot create the secret key {}: check that this user can write there", path.display())
    })?;
    read(data)
}

pub(super) fn read(data: &Path) -> anyhow::Result<Keys> {
    let path = data.join(FILE);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mode = fs::metadata(&path)?.permissions().mode();
    ensure!(mode & 0o077 == 0, "{0} is readable by other users: run `chmod 600 {0}`", path.display());
    parse(text.lines()).with_context(|| format!("{} must contain {RULE}", path.display()))
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

/// Creates the file atomically, so that two processes that start at once use the same key.
fn create_if_absent(path: &Path, environment: &Environment) -> std::io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let draft = path.with_extension(format!("{}.new", environment.uuid()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    writeln!(file, "# Signs regids and sessionids. Keep it secret and back it up. To rotate it: wishbone keys --help")?;
    writeln!(file, "{}", STANDARD.encode(environment.random::<32>()))?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    if linked.is_ok() {
        tracing::info!(path = %path.display(), "created a signing key; sessions signed with another key are not accepted");
    }
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_created_once_and_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        load(folder.path(), &Environment::Real).unwrap();
        let first = fs::read_to_string(folder.path().join(FILE)).unwrap();
        load(folder.path(), &Environment::Real).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), first);
        assert_eq!(fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_other_users_can_read_is_rejected_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        load(folder.path(), &Environment::Real).unwrap();
        fs::set_permissions(folder.path().join(FILE), fs::Permissions::from_mode(0o644)).unwrap();
        let error = load(folder.path(), &Environment::Real).err().unwrap();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
}
