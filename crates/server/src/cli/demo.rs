//! `wishbone demo`

use std::io::IsTerminal;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use wishbone_core::registry::{MIGRATIONS, default_options};
use wishbone_storage::{Database, Location};

use crate::app::App;
use crate::cli::output::{LogFormat, log_to_stderr, plural, print, print_error, url};
use crate::cli::{limits, listen, secret};
use crate::demo::fill::{DemoCounts, DemoStore, MAIL_DOMAIN, Target, fill};
use crate::demo::page::{DemoShop, curls};
use crate::environment::Environment;
use crate::http::server;
use crate::jobs::runner::Jobs;
use crate::mail::mailer::Mailer;
use crate::mail::outbox::Outbox;
use crate::mail::transport::Transport;
use crate::outbound::client::HttpClient;
use crate::shutdown;

const DEFAULT_LISTEN: &str = "127.0.0.1:8080";

#[derive(Args)]
pub(super) struct DemoArgs {
    /// Address or host name and port to listen on; if the default port is in use, a free one is chosen
    #[arg(long, value_name = "ADDR", env = "WISHBONE_LISTEN", default_value = DEFAULT_LISTEN)]
    listen: String,

    /// Disable colored output
    #[arg(long, env = "NO_COLOR", value_parser = clap::builder::FalseyValueParser::new())]
    no_color: bool,
}

pub(super) async fn run(args: DemoArgs, json: bool) -> anyhow::Result<ExitCode> {
    log_to_stderr("warn", LogFormat::Text);
    let stop = shutdown::on_signal()?;
    let listener = bind(&args.listen).await?;
    let base = url("http", listener.local_addr()?);
    let folder = tempfile::Builder::new()
        .prefix("wishbone-demo-")
        .tempdir()
        .context("cannot create a temporary folder: set TMPDIR to a writable one")?;
    let environment = Environment::Real;
    let keys = secret::load(folder.path(), &environment)?;
    let database =
        Database::open(&Location::Sqlite(folder.path().join("wishbone.db")), MIGRATIONS, &default_options()).await?;
    let limits = limits::within_open_files(0).0;
    let mut app = App::new(database, keys, environment, limits);
    let target = Target { database: &app.database, keys: &app.keys, environment: &app.environment };
    let demo = fill(target, &base).await.context("cannot fill the demo store")?;
    app.demo = Some(DemoShop::new(&base, &demo)?);
    let outbox = Outbox::new(folder.path().join("outbox"));
    app.mailer = Some(Mailer::new(Transport::Outbox(outbox), format!("lists@{MAIL_DOMAIN}").parse()?, &base));
    // For `wishbone webhooks listen`. A demo that others can reach must not let them reach this network.
    app.outbound = HttpClient::new(listener.local_addr()?.ip().is_loopback());
    let app = Arc::new(app);
    let jobs = Jobs::start(&app, &stop).await;
    print(&if json { as_json(&base, &demo) } else { as_text(&base, &demo, &Style::of_stdout(args.no_color)) });
    server::serve(app, listener, stop.clone()).await;
    jobs.finish(stop).await;
    if !json {
        print_error("\nStopped. Demo data was deleted.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Binds the address; if it is the default one and in use, a free port instead.
async fn bind(wanted: &str) -> anyhow::Result<TcpListener> {
    let addresses = listen::addresses(wanted).with_context(|| {
        format!("--listen must be an address, or a host name that resolves, with a port, such as 127.0.0.1:8080 or localhost:8080, got {wanted}")
    })?;
    match TcpListener::bind(&addresses[..]).await {
        Err(_) if wanted == DEFAULT_LISTEN => {
            print_error(&format!("{wanted} is in use: using a free port instead"));
            Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?)
        }
        bound => bound.with_context(|| format!("cannot listen on {wanted}: choose another address with --listen")),
    }
}

fn as_json(base: &str, demo: &DemoStore) -> String {
    let shopper =
        json!({ "email": demo.email, "regid": demo.credentials.regid, "sessionid": demo.credentials.sessionid });
    json!({ "url": base, "pid": demo.pid, "apikey": demo.api_key, "shopper": shopper }).to_string()
}

/// Commands start at the first column without decoration, so that they can be pasted.
fn as_text(base: &str, demo: &DemoStore, style: &Style) -> String {
    let Style { bold, faint, accent, plain } = style;
    let (pid, key, email, counts) = (&demo.pid, &demo.api_key, demo.email, &demo.counts);
    let DemoCounts { variants, shoppers, lists, items } = *counts;
    let counts = [(variants, "variant"), (shoppers, "shopper"), (lists, "list"), (items, "item")]
        .map(|(n, noun)| plural(n, noun));
    let commands: Vec<String> =
        curls(base, demo).iter().map(|(title, command)| format!("{faint}# {title}{plain}\n{command}\n")).collect();
    format!(
        "
  {bold}Wishbone is running{plain} with a demo shop: {counts}.

    Demo shop      {accent}{base}{plain}
    API reference  {accent}{base}/docs{plain}
    Store (pid)    {pid}
    API key        {key}
    Shopper        {email}

  {bold}Try it{plain}: paste a command into another terminal. If jq is installed, append | jq.

{commands}
{faint}# Generate credentials when a shopper logs in; called by your server with the API key{plain}
curl -sS -u '{pid}:{key}' '{base}/storeadmin/v3/user/generate-regid' \\
  -d useremail=ben@fernweh.example -d useragenttype=curl

  {bold}Next steps{plain}

    Add to a page  a heart, and the list that it fills:
<script src=\"{base}/sdk/wishbone.js\" data-store=\"{pid}\" data-load=\"elements\"></script>
<wishbone-heart variant=\"button\" epi=\"100101\" empi=\"1001\" du=\"{base}/demo/products/alpine-rain-jacket\"></wishbone-heart>
<wishbone-list currency=\"EUR\"></wishbone-list>

    Your shop      {program} store create --name \"My shop\"
                   {program} serve

  Press Ctrl+C to stop. Demo data is deleted on exit.
",
        commands = commands.join("\n"),
        counts = counts.join(", "),
        // As invoked, since the binary may not be in PATH.
        program = std::env::args().next().unwrap_or_else(|| "wishbone".to_owned())
    )
}

/// Terminal escape sequences; empty if stdout is not a terminal.
#[derive(Default)]
struct Style {
    bold: &'static str,
    faint: &'static str,
    accent: &'static str,
    plain: &'static str,
}

impl Style {
    fn of_stdout(no_color: bool) -> Self {
        if no_color || !std::io::stdout().is_terminal() {
            return Self::default();
        }
        Self { bold: "\x1b[1m", faint: "\x1b[2m", accent: "\x1b[1;36m", plain: "\x1b[0m" }
    }
}
