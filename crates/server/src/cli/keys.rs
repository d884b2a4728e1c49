//! `wishbone keys`

use std::process::ExitCode;

use anyhow::ensure;
use clap::{Args, Subcommand};
use serde_json::json;
use wishbone_core::encrypted_secrets::FindEncryptedSecrets;
use wishbone_core::moment::{Millis, iso8601};
use wishbone_core::operator::Operator;
use wishbone_core::stores::signing_keys::{FindSigningKeys, RetireSigningKey, SigningKey};
use wishbone_storage::Database;

use crate::cli::location::LocationArgs;
use crate::cli::output::print;
use crate::cli::secret::SecretArgs;

#[derive(Args)]
pub(super) struct KeysArgs {
    #[command(subcommand)]
    command: Option<KeysCommand>,
    #[command(flatten)]
    secret: SecretArgs,
}

#[derive(Subcommand)]
enum KeysCommand {
    /// Let servers start without a key; sessions, guests and share links signed with it stop working
    Retire {
        /// Fingerprint of the key; see `wishbone keys`
        fingerprint: String,
    },
}

/// A key that the database depends on, or that this machine has.
struct Listed {
    fingerprint: String,
    role: &'static str,
    known: Option<SigningKey>,
    /// Stored secrets that are encrypted with it; `None` if the key is not here.
    secrets: Option<usize>,
}

pub(super) async fn run(args: KeysArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.open_existing().await?;
    let by = Operator::of_this_machine();
    if let Some(KeysCommand::Retire { fingerprint }) = &args.command {
        let fingerprint = fingerprint.to_ascii_lowercase();
        ensure_unused(&database, &args.secret, location, &fingerprint).await?;
        let retired = database.write(RetireSigningKey { by, fingerprint: fingerprint.clone() }).await?;
        ensure!(retired, "unknown key {fingerprint}: run `wishbone keys`");
        if json {
            print(&json!({ "retired": fingerprint }).to_string());
        } else {
            print(&format!(
                "Servers may start without {fingerprint} now: remove it from their keys, and restart them. Running servers \
                 accept it until then."
            ));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let keys = list(&database, &args.secret, location).await?;
    if json {
        let key = |key: &Listed| {
            json!({
                "fingerprint": key.fingerprint,
                "role": key.role,
                "signedsince": key.known.as_ref().map(|known| known.signed_since),
                "acceptedat": key.known.as_ref().and_then(|known| known.accepted_at),
                "secrets": key.secrets,
            })
        };
        print(&json!({ "keys": keys.iter().map(key).collect::<Vec<_>>() }).to_string());
    } else if keys.is_empty() {
        print("No keys: no server has used this database yet.");
    } else {
        print(&format!("{:<16}  {:<8}  {:<16}  {:<16}  SECRETS", "KEY", "ROLE", "SIGNS SINCE", "LAST ACCEPTED"));
        for Listed { fingerprint, role, known, secrets } in &keys {
            let time = |time: Option<Millis>| time.map_or_else(|| "-".to_owned(), minute);
            let since = time(known.as_ref().map(|known| known.signed_since));
            let accepted = time(known.as_ref().and_then(|known| known.accepted_at));
            let secrets = secrets.map_or_else(|| "?".to_owned(), |count| count.to_string());
            print(&format!("{fingerprint:<16}  {role:<8}  {since:<16}  {accepted:<16}  {secrets}"));
        }
        print("\nLAST ACCEPTED is when a session, guest or share link signed with an older key was last used (UTC).");
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if a key must not be retired: tokens are signed with it, or secrets are encrypted with it.
async fn ensure_unused(
    database: &Database,
    secret: &SecretArgs,
    location: &LocationArgs,
    fingerprint: &str,
) -> anyhow::Result<()> {
    let keys = list(database, secret, location).await?;
    let Some(key) = keys.iter().find(|key| key.fingerprint == fingerprint) else { return Ok(()) };
    ensure!(key.role != "signs", "{fingerprint} is the first key, which signs: make another key the first one before");
    ensure!(
        key.secrets.unwrap_or(0) == 0,
        "stored secrets are encrypted with {fingerprint}: start a server that has another key first, which encrypts them again"
    );
    Ok(())
}

/// A time to the minute.
fn minute(time: Millis) -> String {
    iso8601(time).replace('T', " ").chars().take(16).collect()
}

async fn list(database: &Database, secret: &SecretArgs, location: &LocationArgs) -> anyhow::Result<Vec<Listed>> {
    let by = Operator::of_this_machine();
    let mut known = database.read(FindSigningKeys { by }).await?;
    let Some(keys) = secret.present(location)? else {
        let unknown = |known: SigningKey| Listed {
            fingerprint: known.fingerprint.clone(),
            role: "unknown",
            known: Some(known),
            secrets: None,
        };
        return Ok(known.into_iter().map(unknown).collect());
    };
    let encrypted = database.read_long(FindEncryptedSecrets { by }).await?;
    let mut out = Vec::new();
    for (number, fingerprint) in keys.fingerprints().into_iter().enumerate() {
        let at = known.iter().position(|known| known.fingerprint == fingerprint);
        out.push(Listed {
            role: if number == 0 { "signs" } else { "accepted" },
            known: at.map(|at| known.remove(at)),
            secrets: Some(encrypted.iter().filter(|secret| secret.key(&keys) == Some(number)).count()),
            fingerprint,
        });
    }
    out.extend(known.into_iter().map(|known| Listed {
        fingerprint: known.fingerprint.clone(),
        role: "missing",
        known: Some(known),
        secrets: None,
    }));
    Ok(out)
}
