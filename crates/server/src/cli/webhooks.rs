//! `wishbone webhooks …`: the webhooks of a store, and a receiver for development.

use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use uuid::Uuid;
use wishbone_core::moment::{Millis, iso8601};
use wishbone_core::webhooks::endpoints::{CreateWebhook, DeleteWebhook, FindWebhook, ListWebhooks, NewSecret, Webhook};
use wishbone_core::webhooks::event_type::EventSet;
use wishbone_core::webhooks::replay::Replay;
use wishbone_storage::Database;

use crate::cli::hint::hint;
use crate::cli::location::LocationArgs;
use crate::cli::output::{plural, print};
use crate::cli::secret::{NO_KEYS, SecretArgs};
use crate::cli::store_arg::StoreArg;
use crate::cli::store_args::lifetime;
use crate::cli::webhook_listener::{self, ListenArgs};
use crate::environment::Environment;
use crate::outbound::target::Target;
use crate::webhooks::description::describe;

#[derive(Subcommand)]
pub(super) enum WebhooksCommand {
    /// List the webhooks of a store, oldest first
    ///
    /// A webhook is disabled when every attempt of five days has failed; `wishbone webhooks replay` enables it again.
    List(StoreArg),
    /// Create a webhook and print its secret, which is shown only once
    ///
    /// Events from now on are sent to the URL. A store can have 20 webhooks.
    ///
    /// Example: `wishbone webhooks create "My shop" --url https://shop.example/hooks`
    Create(CreateArgs),
    /// Delete a webhook; events that wait for it are not sent
    Delete {
        #[command(flatten)]
        store: StoreArg,
        /// Id of the webhook; see `wishbone webhooks list`
        #[arg(value_name = "WEBHOOK")]
        id: Uuid,
    },
    /// Send past events again, delivered or not, and enable the webhook if it was disabled
    ///
    /// Events are stored for 30 days. They keep their `webhook-id`, by which the receiver knows them.
    Replay {
        #[command(flatten)]
        store: StoreArg,
        /// Id of the webhook; see `wishbone webhooks list`
        #[arg(value_name = "WEBHOOK")]
        id: Uuid,
        /// How far back: 30m, 24h or 7d, or a time in milliseconds since 1970
        #[arg(long, value_name = "TIME", value_parser = since)]
        since: Since,
    },
    /// Print and verify deliveries, for development
    ///
    /// Let the server send to this machine: set WISHBONE_ALLOW_PRIVATE_WEBHOOKS=true for `wishbone serve` and for the next
    /// command. (A demo needs no variable, but has its data elsewhere: there, call webhooks/create with the API key.)
    ///
    /// Create a webhook for the address of --listen, which prints its secret:
    ///
    /// Example: `wishbone webhooks create "My shop" --url http://127.0.0.1:4000`
    ///
    /// Then run this command with the secret, and change a list.
    ///
    /// A delivery with a valid signature is answered with 200, any other with 401, and the output says what is wrong with it.
    Listen(ListenArgs),
}

#[derive(Args)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    store: StoreArg,
    /// URL to send events to
    #[arg(long)]
    url: String,
    /// Types of events, such as list.created,item.added; `*` for all, also those of later versions
    #[arg(long, value_name = "TYPES", value_delimiter = ',', default_value = "*")]
    events: Vec<String>,
    /// Allow a URL in a private network or on this machine; the server needs the same option to send events there
    #[arg(long, env = "WISHBONE_ALLOW_PRIVATE_WEBHOOKS")]
    allow_private_webhooks: bool,
    #[command(flatten)]
    secret: SecretArgs,
}

/// A time, or how long ago it was.
#[derive(Clone, Copy)]
pub(super) enum Since {
    Ago(Millis),
    At(Millis),
}

fn since(text: &str) -> Result<Since, String> {
    match text.parse() {
        Ok(time) => Ok(Since::At(time)),
        Err(_) => lifetime(text).map(|span| Since::Ago(span.millis)),
    }
}

pub(super) async fn run(command: WebhooksCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let now = Environment::Real.now();
    match command {
        WebhooksCommand::List(store) => {
            let database = location.open_existing().await?;
            let by = store.admin(&database).await?;
            let pid = by.store().pid.clone();
            list(&database.read(ListWebhooks { by }).await?, &pid, json);
        }
        WebhooksCommand::Create(args) => create(args, &location.open_existing().await?, location, json).await?,
        WebhooksCommand::Delete { store, id } => {
            let database = location.open_existing().await?;
            let by = store.admin(&database).await?;
            database.write(DeleteWebhook { by, id, now }).await?;
            print(&if json {
                json!({ "id": id.to_string() }).to_string()
            } else {
                format!("Deleted the webhook {id}.")
            });
        }
        WebhooksCommand::Replay { store, id, since } => {
            let database = location.open_existing().await?;
            let by = store.admin(&database).await?;
            let since = match since {
                Since::Ago(millis) => now - millis,
                Since::At(time) => time,
            };
            let last = Replay { by, id, since, now }.start(&database).await?;
            let queued = database.write(last).await?.total;
            let line = format!("Queued {}. A running server sends them within seconds.", plural(queued, "event"));
            print(&if json { json!({ "queued": queued }).to_string() } else { line });
        }
        WebhooksCommand::Listen(args) => match webhook_listener::run(args, json).await? {},
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(args: CreateArgs, database: &Database, location: &LocationArgs, json: bool) -> anyhow::Result<()> {
    let environment = Environment::Real;
    let by = args.store.admin(database).await?;
    let events = EventSet::parse(args.events.iter().map(|name| name.trim()))?;
    Target::parse(&args.url, args.allow_private_webhooks).map_err(|rule| anyhow::anyhow!("--url {rule}"))?;
    let keys = args.secret.keys(database, location, &environment).await?.context(NO_KEYS)?;
    let new = NewSecret { random: environment.random(), nonce: environment.random() };
    let create = CreateWebhook::new(by.clone(), &keys, args.url, events, &new, &environment.moment())?;
    let id = database.write(create).await?;
    let found = database.read(FindWebhook { by, id }).await?;
    let (webhook, secret) = (&found.webhook, found.secret(&keys)?.to_text());
    if json {
        let mut out = describe(webhook);
        out["secret"] = secret.into();
        print(&out.to_string());
    } else {
        print(&format!(
            "id      {id}\nurl     {}\nevents  {}\nsecret  {secret}\n\nSave the secret now: it is not shown again. Your server \
             verifies deliveries with it.",
            webhook.url,
            webhook.events.names().join(", ")
        ));
    }
    Ok(())
}

fn list(webhooks: &[Webhook], pid: &str, json: bool) {
    if json {
        return print(&json!({ "webhooks": webhooks.iter().map(describe).collect::<Vec<Value>>() }).to_string());
    }
    if webhooks.is_empty() {
        let create = hint(format_args!("webhooks create {pid} --url URL"));
        return print(&format!("No webhooks. To create one, run: {create}"));
    }
    for Webhook { id, url, events, is_enabled, failing_since, .. } in webhooks {
        let state = if *is_enabled { "enabled" } else { "disabled" };
        let failing = failing_since.map(|since| format!(", failing since {}", iso8601(since))).unwrap_or_default();
        print(&format!("{id}  {state}{failing}\n  {url}\n  {}", events.names().join(", ")));
    }
}
