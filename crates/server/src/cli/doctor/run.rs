//! Runs all checks, one after another.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use url::Url;
use wishbone_core::registry::MIGRATIONS;
use wishbone_storage::{Location, diagnose};

use crate::cli::doctor::finding::{Finding, Status};
use crate::cli::doctor::{certificate, clock, database, disk, keys, mail, public_url};
use crate::cli::location::LocationArgs;
use crate::cli::output::{LogFormat, log_to_stderr, print};
use crate::cli::serve::{Config, ServeArgs};
use crate::environment::Environment;

/// Time for a check that waits for others.
const CHECK_TIMEOUT: Duration = Duration::from_secs(15);

pub(crate) async fn run(args: &ServeArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    log_to_stderr("error", LogFormat::Text);
    let findings = match args.check(location) {
        Ok(config) => {
            let mut findings = vec![Finding::ok("settings", "valid")];
            findings.extend(check_all(args, config, location).await);
            findings
        }
        // The other checks would look at something else than what the server is going to use.
        Err(faults) => {
            let fault = |fault: &String| Finding::error("settings", fault, "no other check was made");
            faults.iter().map(fault).collect()
        }
    };
    let count = |status: Status| findings.iter().filter(|finding| finding.status == status).count();
    let (errors, warnings) = (count(Status::Error), count(Status::Warning));
    if json {
        let checks: Vec<_> = findings.iter().map(Finding::as_json).collect();
        print(&json!({ "ok": errors == 0, "errors": errors, "warnings": warnings, "checks": checks }).to_string());
    } else {
        findings.iter().for_each(|finding| print(&finding.as_text()));
    }
    Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_all(args: &ServeArgs, config: Config, location: &LocationArgs) -> Vec<Finding> {
    let environment = Environment::Real;
    let place = location.location();
    let mut findings = Vec::new();
    let servers = if location.is_new() {
        let remedy = "check --data, or run `wishbone serve`, which creates it";
        findings.push(Finding::warning("database", format!("no database in {}", location.data.display()), remedy));
        Vec::new()
    } else {
        // Bounded for each server.
        diagnose(&place, MIGRATIONS).await
    };
    findings.extend(database::check(&servers, config.options.pool_size));
    // With the database and the keys elsewhere, nothing has to be in the data folder.
    if !(location.is_postgres() && config.keys.is_some() && !location.data.exists()) {
        findings.extend(disk::check(&location.data));
    }
    findings.push(disk::check_files(&config.limits));
    let file = match &place {
        Location::Sqlite(path) => Some(path.as_path()),
        Location::Postgres(_) => None,
    };
    findings.push(clock::check(environment.now(), &servers, file));
    let checked = bounded(keys::check(config.keys, location, database::is_current(&servers))).await;
    let (keys, finding) = checked.unwrap_or_else(|| (None, late("signing keys")));
    findings.push(finding);
    if let Ok(mailer) = args.mail.mailer(&location.data, "http://localhost") {
        findings.push(bounded(mail::check(&mailer)).await.unwrap_or_else(|| late("mail")));
    }
    let base = args.mail.public_url.as_deref();
    if let Some((_, loaded)) = &config.tls {
        let url = base.and_then(|base| Url::parse(base).ok());
        let host = url.as_ref().and_then(Url::host_str).map(|host| host.trim_matches(['[', ']']));
        findings.push(certificate::check_files(loaded, host, environment.now()));
    }
    let checked = bounded(public_url::check(base, keys.as_ref(), &environment)).await;
    findings.extend(checked.unwrap_or_else(|| vec![late("public URL")]));
    findings
}

async fn bounded<T>(check: impl Future<Output = T>) -> Option<T> {
    timeout(CHECK_TIMEOUT, check).await.ok()
}

fn late(check: &'static str) -> Finding {
    let fact = format!("no result within {} seconds", CHECK_TIMEOUT.as_secs());
    Finding::error(check, fact, "check the network and the firewall between this machine and the other one")
}
