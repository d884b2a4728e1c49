//! `wishbone demo`

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use wishbone_core::MIGRATIONS;
use wishbone_store::{Location, Options, Store};

use super::{LogFormat, log_to_stderr, say, say_error, secret};
use crate::app::{App, Limits};
use crate::demo::{DemoPage, DemoStore, curls, fill};
use crate::http::serve;
use crate::world::World;

const DEFAULT_LISTEN: &str = "127.0.0.1:8080";

#[derive(Args)]
pub(super) struct DemoArgs {
    /// Address and port to listen on
    #[arg(long, value_name = "ADDR", env = "WISHBONE_LISTEN", default_value = DEFAULT_LISTEN)]
    listen: SocketAddr,
}

pub(super) async fn run(args: DemoArgs, json: bool) -> anyhow::Result<ExitCode> {
    log_to_stderr("warn", LogFormat::Text);
    let stop = serve::on_signal()?;
    let listener = listen(args.listen).await?;
    let base = format!("http://{}", listener.local_addr()?);
    let folder =
        tempfile::Builder::new().prefix("wishbone-demo-").tempdir().context("cannot make a temporary folder")?;
    let world = World::Real;
    let keys = secret::load(None, folder.path(), &world)?;
    let store =
        Store::open(&Location::Sqlite(folder.path().join("wishbone.db")), MIGRATIONS, &Options::default()).await?;
    let mut app = App::new(store, keys, world, Limits::default());
    let demo = fill(&app, &base).await.context("cannot fill the demo store")?;
    app.demo = Some(DemoPage::new(&base, &demo));
    say(&if json { as_json(&base, &demo) } else { as_text(&base, &demo) });
    serve::serve(Arc::new(app), listener, stop).await?;
    if !json {
        say_error("\nStopped. The demo's data is gone; nothing else was touched.");
    }
    Ok(ExitCode::SUCCESS)
}

/// The usual port may be taken; then any free one will do, unless a certain one was asked for.
async fn listen(wanted: SocketAddr) -> anyhow::Result<TcpListener> {
    match TcpListener::bind(wanted).await {
        Err(_) if wanted.to_string() == DEFAULT_LISTEN => {
            say_error(&format!("{wanted} is in use; taking a free port instead."));
            Ok(TcpListener::bind((wanted.ip(), 0)).await?)
        }
        bound => bound.with_context(|| format!("cannot listen on {wanted}: choose another with --listen")),
    }
}

fn as_json(base: &str, demo: &DemoStore) -> String {
    let shopper =
        json!({ "email": demo.email, "regid": demo.credentials.regid, "sessionid": demo.credentials.sessionid });
    json!({ "url": base, "pid": demo.pid, "apikey": demo.api_key, "shopper": shopper }).to_string()
}

fn as_text(base: &str, demo: &DemoStore) -> String {
    let counts = &demo.counts;
    let commands =
        curls(base, demo).iter().map(|(title, command)| format!("# {title}\n{command}\n")).collect::<Vec<_>>();
    format!(
        "\n  Wishbone is running: a demo shop with {} variants, {} shoppers, {} lists and {} items.\n\n\
         \x20 Look at it      {base}\n\
         \x20 Store (pid)     {}\n\
         \x20 API key         {}\n\
         \x20 Demo shopper    {}\n\n\
         Paste any of these into another terminal:\n\n{}\n\
         Client script     <script src=\"{base}/sdk/wishbone.js\" data-store=\"{}\"></script>\n\
         Health, metrics   {base}/readyz   {base}/metrics\n\
         Your own store    wishbone store create --name \"My shop\"   then   wishbone serve\n\n\
         Everything lives in a temporary folder. Stop with Ctrl+C.",
        counts.variants,
        counts.shoppers,
        counts.lists,
        counts.items,
        demo.pid,
        demo.api_key,
        demo.email,
        commands.join("\n"),
        demo.pid
    )
}
