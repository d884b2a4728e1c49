//! `wishbone check`

use std::process::ExitCode;

use serde_json::{Value, json};
use wishbone_core::caller::Operator;
use wishbone_core::check::{CheckData, CheckReport};

use super::location::LocationArgs;
use super::{say, say_error};

pub(super) async fn run(location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let store = location.open_existing().await?;
    if !json {
        say_error(&format!("checking the {} database …", store.engine()));
    }
    // A file can be so damaged that even the search for damage fails: then that is the finding.
    let mut faults = store.integrity().await.unwrap_or_else(|error| vec![error.to_string()]);
    if !json {
        say_error("checking counts and owners …");
    }
    let report = match store.read_long(CheckData { by: Operator::of_this_machine() }).await {
        Ok(mut report) => {
            faults.append(&mut report.faults);
            Some(report)
        }
        Err(error) => {
            faults.push(format!("the rows cannot be read: {}", error.cause.unwrap_or(error.message)));
            None
        }
    };
    if json {
        say(&json!({ "ok": faults.is_empty(), "counts": report.as_ref().map(counts), "faults": faults }).to_string());
    } else {
        if let Some(report) = &report {
            say(&in_words(report));
        }
        if faults.is_empty() {
            say("All is well.");
        } else {
            faults.iter().for_each(|fault| say(&format!("FAULT  {fault}")));
            say("Stop the server, keep a copy of the data folder, and restore the last good backup.");
        }
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn counts(report: &CheckReport) -> Value {
    json!({
        "stores": report.stores, "shoppers": report.shoppers, "lists": report.lists, "items": report.items,
        "products": report.products, "subscriptions": report.subscriptions,
    })
}

fn in_words(report: &CheckReport) -> String {
    let counts = [
        (report.stores, "store"),
        (report.shoppers, "shopper"),
        (report.lists, "list"),
        (report.items, "item"),
        (report.products, "product"),
        (report.subscriptions, "subscription"),
    ];
    let words = counts.map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }));
    words.join(", ")
}
