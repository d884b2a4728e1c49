//! `wishbone check`

use std::process::ExitCode;

use serde_json::{Value, json};
use wishbone_core::integrity::check::{CheckReport, check};
use wishbone_core::integrity::fault::Fault;
use wishbone_core::operator::Operator;
use wishbone_core::stores::deletion::{ListDeletions, StoreDeletion};
use wishbone_storage::{Database, Error, ProgressReporter};

use crate::cli::hint::hint;
use crate::cli::location::LocationArgs;
use crate::cli::output::{plural, print, print_error};
use crate::cli::progress;

const DAMAGED: &str = "The database file is damaged, usually by a failing disk or by copying it while a server runs. Stop \
                       the server, keep a copy of the data folder, and restore the last good backup.";
const UNREADABLE: &str = "Some rows cannot be read. Stop the server, keep a copy of the data folder, and restore the last \
                          good backup.";

pub(super) async fn run(location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.open_existing().await?;
    let deletions = database.read(ListDeletions { by: Operator::of_this_machine() }).await;
    let (report, faults) = find_faults(&database, &progress::show()).await;
    for StoreDeletion { pid, name, .. } in deletions.unwrap_or_default() {
        let next = hint(format_args!("store delete {pid}"));
        print_error(&format!("{name} is being deleted, and not checked. To finish, run: {next}"));
    }
    if json {
        let counts = report.as_ref().map(counts);
        let faults: Vec<Value> = faults.iter().map(as_json).collect();
        print(&json!({ "ok": faults.is_empty(), "counts": counts, "faults": faults }).to_string());
    } else {
        if let Some(report) = &report {
            print(&summary(report));
        }
        faults.iter().for_each(|fault| print(&as_text(fault)));
        if faults.is_empty() {
            print("No faults found.");
        }
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs all checks. A check that fails, for example on a damaged file, is reported as a fault.
async fn find_faults(database: &Database, watch: &ProgressReporter) -> (Option<CheckReport>, Vec<Fault>) {
    let mut faults = Vec::new();
    let damage = database.integrity(watch).await.unwrap_or_else(|error| vec![describe(&error)]);
    if !damage.is_empty() {
        let (count, examples) = (damage.len() as i64, damage.into_iter().take(20).collect());
        faults.push(Fault { kind: "damage", count, examples, meaning: DAMAGED });
    }
    match check(database, Operator::of_this_machine(), watch).await {
        Ok(mut report) => {
            faults.append(&mut report.faults);
            (Some(report), faults)
        }
        Err(error) => {
            let examples = vec![format!("cannot read rows: {}", error.cause.unwrap_or(error.message))];
            faults.push(Fault { kind: "unreadable", count: 1, examples, meaning: UNREADABLE });
            (None, faults)
        }
    }
}

fn describe(error: &Error) -> String {
    match error {
        Error::Corrupt(fault) => fault.clone(),
        error => error.to_string(),
    }
}

fn as_json(fault: &Fault) -> Value {
    json!({ "kind": fault.kind, "count": fault.count, "examples": fault.examples, "meaning": fault.meaning })
}

fn as_text(fault: &Fault) -> String {
    let mut text: String = fault.examples.iter().map(|example| format!("FAULT  {example}\n")).collect();
    let more = fault.count - fault.examples.len() as i64;
    if more > 0 {
        text += &format!("       … and {more} more of this kind\n");
    }
    text + &format!("       {}", fault.meaning)
}

fn counts(report: &CheckReport) -> Value {
    json!({
        "stores": report.stores, "shoppers": report.shoppers, "lists": report.lists, "items": report.items,
        "products": report.products, "subscriptions": report.subscriptions,
    })
}

fn summary(report: &CheckReport) -> String {
    let counts = [
        (report.stores, "store"),
        (report.shoppers, "shopper"),
        (report.lists, "list"),
        (report.items, "item"),
        (report.products, "product"),
        (report.subscriptions, "subscription"),
    ];
    counts.map(|(count, noun)| plural(count, noun)).join(", ")
}
