//! `wishbone check`

use std::process::ExitCode;

use serde_json::json;
use wishbone_core::caller::Operator;
use wishbone_core::check::CheckData;

use super::location::LocationArgs;
use super::{say, say_error};

pub(super) async fn run(location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let store = location.open_existing().await?;
    if !json {
        say_error(&format!("checking the {} database …", store.engine()));
    }
    let mut faults = store.integrity().await?;
    if !json {
        say_error("checking counts and owners …");
    }
    let report = store.read_long(CheckData { by: Operator::of_this_machine() }).await?;
    faults.extend(report.faults);
    if json {
        let counts = json!({
            "stores": report.stores, "shoppers": report.shoppers, "lists": report.lists, "items": report.items,
            "products": report.products, "subscriptions": report.subscriptions,
        });
        say(&json!({ "ok": faults.is_empty(), "counts": counts, "faults": faults }).to_string());
    } else {
        say(&format!(
            "{} stores, {} shoppers, {} lists, {} items, {} products, {} subscriptions",
            report.stores, report.shoppers, report.lists, report.items, report.products, report.subscriptions
        ));
        if faults.is_empty() {
            say("All is well.");
        } else {
            faults.iter().for_each(|fault| say(&format!("FAULT  {fault}")));
            say("Stop the server, keep a copy of the data folder, and restore the last good backup.");
        }
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
