//! The signing keys: whether this machine has those that the database depends on.

use anyhow::Context;
use wishbone_core::operator::Operator;
use wishbone_core::stores::signing_keys::FindSigningKeys;
use wishbone_core::tokens::Keys;

use crate::cli::doctor::finding::Finding;
use crate::cli::location::LocationArgs;
use crate::cli::output::plural;
use crate::cli::secret;

const CHECK: &str = "signing keys";

/// The keys of this machine, if there are any, and what is wrong with them. `is_current` tells that the database can be
/// opened without updating it.
pub(super) async fn check(given: Option<Keys>, location: &LocationArgs, is_current: bool) -> (Option<Keys>, Finding) {
    let file = location.data.join(secret::FILE);
    let keys = match given {
        Some(keys) => Ok(Some(keys)),
        None if file.exists() => secret::read(&location.data).map(Some),
        None => Ok(None),
    };
    let keys = match keys {
        Ok(keys) => keys,
        Err(error) => {
            return (None, Finding::error(CHECK, format!("{error:#}"), "the server does not start until then"));
        }
    };
    if !is_current {
        let fact = "not compared with the database, which cannot be opened as it is";
        return (keys, Finding::warning(CHECK, fact, "run this again once the database is in order"));
    }
    let finding = match compare(keys.as_ref(), location).await {
        Ok(finding) => finding,
        Err(error) => Finding::error(CHECK, format!("{error:#}"), "the server does not start until then"),
    };
    (keys, finding)
}

async fn compare(keys: Option<&Keys>, location: &LocationArgs) -> anyhow::Result<Finding> {
    let database = location.open_existing().await?;
    let known =
        database.read(FindSigningKeys { by: Operator::of_this_machine() }).await.context("cannot read the keys")?;
    let Some(keys) = keys else {
        let fact = format!("this machine has none, and the database depends on {}", plural(known.len() as u64, "key"));
        return Ok(match known.is_empty() {
            true => Finding::ok(CHECK, "none yet: the first start of a server makes one"),
            false => Finding::error(CHECK, fact, "restore secret.key from a backup, or set WISHBONE_SECRET_KEYS"),
        });
    };
    secret::require(&known, keys)?;
    Ok(Finding::ok(
        CHECK,
        format!("{} on this machine, none is missing", plural(keys.fingerprints().len() as u64, "key")),
    ))
}
