//! `wishbone serve`

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use wishbone_core::tokens::Keys;
use wishbone_storage::Options;

use crate::app::{App, Limits};
use crate::cli::limits::LimitArgs;
use crate::cli::listen;
use crate::cli::location::LocationArgs;
use crate::cli::mail_args::MailArgs;
use crate::cli::output::{LogFormat, log_filter, log_to_stderr, print, url};
use crate::cli::secret;
use crate::environment::Environment;
use crate::http::edge::address::Proxies;
use crate::http::edge::metrics;
use crate::http::server;
use crate::jobs::runner::Jobs;
use crate::jobs::signing_keys;
use crate::outbound::client::HttpClient;
use crate::shutdown;

/// Values are checked together, so that all mistakes are reported at once.
#[derive(Args)]
pub(super) struct ServeArgs {
    /// Address or host name and port to listen on, such as 0.0.0.0:8080 or localhost:8080
    #[arg(long, value_name = "ADDR", env = "WISHBONE_LISTEN", default_value = "127.0.0.1:8080")]
    listen: String,

    /// Address and port of the metrics for Prometheus, at the path /metrics; `off` for none. Do not expose it to the internet
    /// [default: 127.0.0.1:9464, if it is free]
    #[arg(long, value_name = "ADDR", env = "WISHBONE_METRICS_LISTEN")]
    metrics_listen: Option<String>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Maximum number of connections to PostgreSQL
    #[arg(long, value_name = "N", env = "WISHBONE_POOL_SIZE")]
    pool_size: Option<String>,

    /// Log level: error, warn, info or debug, or levels by module such as info,hyper=debug
    #[arg(long, value_name = "FILTER", env = "WISHBONE_LOG", default_value = "info")]
    log: String,

    /// Log format: text or json
    #[arg(long, value_name = "FORMAT", env = "WISHBONE_LOG_FORMAT", default_value = "text")]
    log_format: String,

    /// Signing keys as base64, newest first, separated by commas, instead of the file secret.key in the data folder.
    /// Servers that share a database need the same keys. Prefer the environment variable: other users can read a
    /// command line
    #[arg(long, value_name = "BASE64", env = "WISHBONE_SECRET_KEYS", hide_env_values = true)]
    secret_keys: Option<String>,

    #[command(flatten)]
    mail: MailArgs,

    /// Allow webhooks and SMS gateways in private networks and on this machine. Stores can then reach your internal servers
    #[arg(long, env = "WISHBONE_ALLOW_PRIVATE_WEBHOOKS")]
    allow_private_webhooks: bool,
}

/// The default address of the metrics.
const METRICS: &str = "127.0.0.1:9464";

struct Config {
    listen: Vec<SocketAddr>,
    /// Empty for no metrics.
    metrics: Vec<SocketAddr>,
    limits: Limits,
    proxies: Proxies,
    options: Options,
    log_format: LogFormat,
    /// Keys from --secret-keys; `None` if they are in the data folder.
    keys: Option<Keys>,
}

impl ServeArgs {
    fn check(&self, location: &LocationArgs) -> anyhow::Result<Config> {
        let mut faults = location.faults();
        let mut options = Options::default();
        let pool_size = self.pool_size.as_ref().map(|text| text.parse().ok().filter(|size| (1..=1_000).contains(size)));
        if let Some(Some(size)) = pool_size {
            options.pool_size = size;
        }
        let (limits, proxies) = self.limits.check(location.is_postgres().then_some(options.pool_size), &mut faults);
        let mut checked = |setting: &str, rule: &str, ok: bool| {
            if !ok {
                faults.push(format!("{setting} must be {rule}"));
            }
        };
        let listen = listen::addresses(&self.listen);
        checked(
            "--listen (WISHBONE_LISTEN)",
            "an address, or a host name that resolves, with a port, such as 0.0.0.0:8080 or localhost:8080",
            listen.is_some(),
        );
        let metrics = match self.metrics_listen.as_deref().unwrap_or(METRICS) {
            "off" => Some(Vec::new()),
            address => listen::addresses(address),
        };
        checked(
            "--metrics-listen (WISHBONE_METRICS_LISTEN)",
            "an address, or a host name that resolves, with a port, such as 127.0.0.1:9464, or off",
            metrics.is_some(),
        );
        checked("--pool-size (WISHBONE_POOL_SIZE)", "1 to 1000", pool_size != Some(None));
        checked(
            "--log (WISHBONE_LOG)",
            "a level (error, warn, info, debug), or levels by module such as info,hyper=debug",
            log_filter(&self.log).is_some(),
        );
        let log_format = match self.log_format.as_str() {
            "text" => Some(LogFormat::Text),
            "json" => Some(LogFormat::Json),
            _ => None,
        };
        checked("--log-format (WISHBONE_LOG_FORMAT)", "text or json", log_format.is_some());
        let keys = self.secret_keys.as_deref().map(secret::parse_list);
        checked("--secret-keys (WISHBONE_SECRET_KEYS)", secret::RULE, !matches!(keys, Some(None)));
        faults.extend(self.mail.mailer(&location.data, "http://localhost").err().unwrap_or_default());
        match (listen, metrics, log_format) {
            (Some(listen), Some(metrics), Some(log_format)) if faults.is_empty() => {
                Ok(Config { listen, metrics, limits, proxies, options, log_format, keys: keys.flatten() })
            }
            _ => bail!("invalid configuration:\n  - {}", faults.join("\n  - ")),
        }
    }
}

impl ServeArgs {
    /// The listener of the metrics. The default port may be taken by another server on this machine.
    async fn bind_metrics(&self, addresses: &[SocketAddr]) -> anyhow::Result<Option<TcpListener>> {
        if addresses.is_empty() {
            return Ok(None);
        }
        match (TcpListener::bind(addresses).await, &self.metrics_listen) {
            (Ok(listener), _) => Ok(Some(listener)),
            (Err(error), None) => {
                tracing::warn!(%error, "no metrics: {METRICS} is in use; choose another address with --metrics-listen");
                Ok(None)
            }
            (Err(error), Some(given)) => Err(error)
                .with_context(|| format!("cannot listen on {given}: choose another address with --metrics-listen")),
        }
    }
}

pub(super) async fn run(args: ServeArgs, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let config = args.check(location)?;
    log_to_stderr(&args.log, config.log_format);
    // Before the database is opened: it looks up its metrics once.
    let _ = metrics::recorder();
    let stop = shutdown::on_signal()?;
    let listener = TcpListener::bind(&config.listen[..])
        .await
        .with_context(|| format!("cannot listen on {}: choose another address with --listen", args.listen))?;
    let metrics = args.bind_metrics(&config.metrics).await?;
    let environment = Environment::Real;
    let database = location.open_or_create(&config.options).await?;
    if config.keys.is_none() {
        location.create_folder()?;
    }
    let keys = secret::establish(&database, config.keys, &location.data, &environment).await?;
    let engine = database.engine();
    let mut app = App::new(database, keys, environment, config.limits);
    app.proxies = config.proxies;
    app.outbound = HttpClient::new(args.allow_private_webhooks);
    app.public_url = args.mail.public_url.clone();
    let (address, version) = (listener.local_addr()?, env!("CARGO_PKG_VERSION"));
    let mailer = args.mail.mailer(&location.data, &url(address));
    app.mailer = Some(mailer.map_err(|faults| anyhow::anyhow!(faults.join("\n")))?);
    let app = Arc::new(app);
    signing_keys::reencrypt(&app).await?;
    if let Some(mailer) = &app.mailer {
        tracing::info!("mail goes to {}", mailer.transport.describe());
    }
    let metrics_url = match &metrics {
        Some(metrics) => Some(format!("{}/metrics", url(metrics.local_addr()?))),
        None => None,
    };
    if let Some(url) = &metrics_url {
        tracing::info!("metrics are at {url}");
    }
    tracing::info!(url = %url(address), %address, engine, version, "ready");
    if json {
        let ready = json!({ "url": url(address), "engine": engine, "version": version, "metrics": metrics_url });
        print(&ready.to_string());
    }
    let jobs = Jobs::start(&app, &stop).await;
    let metrics = async {
        if let Some(listener) = metrics {
            server::serve_metrics(listener, stop.clone()).await;
        }
    };
    tokio::join!(server::serve(Arc::clone(&app), listener, stop.clone()), metrics);
    jobs.finish(stop).await;
    if let Err(error) = signing_keys::record(&app).await {
        tracing::warn!(cause = error.cause, "cannot record which signing keys were needed");
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}
