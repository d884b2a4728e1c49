//! `wishbone maintenance`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use wishbone_core::operator::Operator;
use wishbone_core::stores::maintenance::{InMaintenance, SetMaintenance};

use crate::cli::hint::hint;
use crate::cli::location::LocationArgs;
use crate::cli::output::{Switch, print};
use crate::environment::Environment;

#[derive(Args)]
pub(super) struct MaintenanceArgs {
    /// on or off; omit to show the current state
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
        print(&json!({ "maintenance": on }).to_string());
    } else if on {
        let end = hint("maintenance off");
        print(&format!("Maintenance is on: requests are answered with 503. To end it, run `{end}`."));
    } else {
        print("Maintenance is off.");
    }
    Ok(ExitCode::SUCCESS)
}
