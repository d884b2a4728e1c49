//! `wishbone alerts …`: who waits, what was sent, what failed.

use std::process::ExitCode;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::alerts::list::{ListSubscriptions, SubscriptionFilter};
use wishbone_core::alerts::retry::{MAX_RETRIES, RetrySelection, retry_alerts};
use wishbone_core::alerts::summary::SummarizeSubscriptions;
use wishbone_core::catalog::topic::{TOPICS, Topic};
use wishbone_core::mail::medium::Medium;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_core::subscriptions::status::{self, STATES};
use wishbone_storage::Database;

use crate::api::alerts::MAX_PAGE;
use crate::cli::location::LocationArgs;
use crate::cli::output::{plain, plural, print, print_error};
use crate::cli::store_arg::StoreArg;
use crate::environment::Environment;

#[derive(Subcommand)]
pub(super) enum AlertsCommand {
    /// Count subscriptions by variant and topic, the most waited for first
    ///
    /// Example: `wishbone alerts summary "My shop" --limit 20`
    Summary {
        #[command(flatten)]
        store: StoreArg,
        /// Maximum number of lines
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// List subscriptions with the state of their alerts, oldest first
    ///
    /// `waiting` is in line for an event of its variant, `unconfirmed` awaits the confirmation of its address, `failed` was
    /// given up and can be retried, `suppressed` belongs to a recipient who unsubscribed or to an address that does not exist.
    ///
    /// Example: `wishbone alerts list "My shop" --state failed`
    List(ListArgs),
    /// Make failed alerts due again
    ///
    /// Those that are no longer true wait for the next event. A suppressed subscription waits again unless its recipient
    /// unsubscribed.
    ///
    /// Example: `wishbone alerts retry "My shop" --failed`
    Retry(RetryArgs),
}

#[derive(Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    store: StoreArg,
    /// Only subscriptions to this topic
    #[arg(long, value_parser = PossibleValuesParser::new(TOPICS))]
    topic: Option<String>,
    /// Only alerts by this medium
    #[arg(long, value_parser = PossibleValuesParser::new(["email", "sms"]))]
    medium: Option<String>,
    /// Only subscriptions to this variant
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..1 << 53))]
    epi: Option<i64>,
    /// Only subscriptions to variants of this product
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(i64).range(1..1 << 53))]
    empi: Option<i64>,
    /// Only alerts in this state
    #[arg(long, value_parser = PossibleValuesParser::new(STATES))]
    state: Option<String>,
    /// Maximum number of subscriptions
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    limit: i64,
}

#[derive(Args)]
#[group(required = true, multiple = false, args = ["failed", "id"])]
pub(super) struct RetryArgs {
    #[command(flatten)]
    store: StoreArg,
    /// Retry all alerts that have failed
    #[arg(long)]
    failed: bool,
    /// Retry this subscription; may be repeated. See `wishbone alerts list`
    #[arg(long, value_name = "SUBSCRIPTION")]
    id: Vec<Uuid>,
}

pub(super) async fn run(command: AlertsCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let database = location.open_existing().await?;
    match command {
        AlertsCommand::Summary { store, limit } => {
            let by = store.admin(&database).await?;
            let counted = parse(&database.read_long(SummarizeSubscriptions { by, limit }).await?)?;
            print_summary(&counted, json);
        }
        AlertsCommand::List(args) => {
            let by = args.store.admin(&database).await?;
            let (found, has_more) = find(&database, &by, &args.filter()?, args.limit).await?;
            print_subscriptions(&found, has_more, args.limit, json);
        }
        AlertsCommand::Retry(args) => {
            let by = args.store.admin(&database).await?;
            anyhow::ensure!(
                args.id.len() <= MAX_RETRIES,
                "--id can be given {MAX_RETRIES} times: retry the others after"
            );
            let selection = if args.failed { RetrySelection::Failed } else { RetrySelection::Ids(args.id) };
            let retried = retry_alerts(&database, &by, &selection, Environment::Real.now()).await?;
            let line = format!("Retried {}. A running server sends what is due.", plural(retried as u64, "alert"));
            print(&if json { json!({ "retried": retried }).to_string() } else { line });
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl ListArgs {
    fn filter(&self) -> anyhow::Result<SubscriptionFilter> {
        Ok(SubscriptionFilter {
            topic: self.topic.as_deref().map(Topic::parse).transpose()?,
            medium: self.medium.as_deref().map(Medium::parse).transpose()?,
            variant_id: self.epi,
            product_id: self.empi,
            status: self.state.as_deref().map(status::parse).transpose()?,
        })
    }
}

/// Reads pages up to a number of subscriptions. Returns whether there are more.
async fn find(
    database: &Database,
    by: &StoreAdmin,
    filter: &SubscriptionFilter,
    limit: i64,
) -> anyhow::Result<(Vec<Value>, bool)> {
    let (mut found, mut start, mut left) = (Vec::new(), None, limit);
    loop {
        let limit = left.min(MAX_PAGE);
        let list = ListSubscriptions { by: by.clone(), filter: filter.clone(), limit, start };
        let page = database.read_long(list).await?;
        found.extend(parse(&page.records)?);
        left -= limit;
        start = page.next;
        if start.is_none() || left == 0 {
            return Ok((found, start.is_some()));
        }
    }
}

/// Decodes records, which are encoded for responses.
fn parse(records: &[Vec<u8>]) -> anyhow::Result<Vec<Value>> {
    records.iter().map(|record| serde_json::from_slice(record).context("a record is no JSON")).collect()
}

fn print_summary(counted: &[Value], json: bool) {
    if json {
        return print(&json!({ "summary": counted }).to_string());
    }
    if counted.is_empty() {
        return print("Nobody has subscribed to anything.");
    }
    print(&format!("{:>9} {:>9} {:>9}  {:<11}  {:<16}  title", "waiting", "sent", "failed", "topic", "epi"));
    for line in counted {
        let number = |name: &str| line[name].as_i64().unwrap_or_default();
        print(&format!(
            "{:>9} {:>9} {:>9}  {:<11}  {:<16}  {}",
            number("waiting"),
            number("sent"),
            number("failed"),
            text(&line["topic"]),
            number("epi"),
            text(&line["dt"])
        ));
    }
}

fn print_subscriptions(found: &[Value], has_more: bool, limit: i64, json: bool) {
    if json {
        return print(&json!({ "subscriptions": found, "more": has_more }).to_string());
    }
    if found.is_empty() {
        return print("No subscription matches.");
    }
    for found in found {
        let [id, state, topic, address, title] =
            ["id", "state", "topic", "mediumvalue", "dt"].map(|name| text(&found[name]));
        print(&format!("{id}  {state:<11}  {topic:<11}  {address}  {} {title}", found["epi"]));
        if !found["lasterror"].is_null() {
            let attempts = plural(found["attempts"].as_u64().unwrap_or(0), "attempt");
            print(&format!("  {attempts}: {}", text(&found["lasterror"])));
        }
    }
    if has_more {
        print_error(&format!("There are more than {limit}: narrow the list, or raise --limit."));
    }
}

fn text(value: &Value) -> String {
    plain(value.as_str().unwrap_or_default())
}
