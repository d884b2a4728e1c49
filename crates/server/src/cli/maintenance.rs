//! `wishbone maintenance`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use wishbone_core::operator::Operator;
use wishbone_core::stores::maintenance::{InMaintenance, SetMaintenance};

use crate::cli::location::LocationArgs;
use crate::cli::output::{Switch, say};
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct MaintenanceArgs {
    /// Every node follows within a second, and after a restart too; without a word: how it is now.
    /// For one store alone: `wishbone store set PID --maintenance on`
    #[arg(value_enum, value_name = "SWITCH")]
    switch: Option<Switch>,
}

pub(super) async fn run(args: &MaintenanceArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.open_existing().await?;
    if let Some(switch) = args.switch {
        let by = Operator::of_this_machine();
        database.write(SetMaintenance { by, on: switch == Switch::On, now: Environment::Real.now() }).await?;
    }
    let on = database.read(InMaintenance).await?;
    if json {
        say(&json!({ "maintenance": on }).to_string());
    } else if on {
        say("Maintenance is on: every request is answered with 503. End it: wishbone maintenance off");
    } else {
        say("Maintenance is off: requests are answered.");
    }
    Ok(ExitCode::SUCCESS)
}
