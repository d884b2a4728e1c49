//! `wishbone serve`

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use tokio::net::TcpListener;
use wishbone_core::registry::default_options;
use wishbone_core::tokens::Keys;
use wishbone_storage::Options;

use crate::app::{App, Limits};
use crate::cli::limits::LimitArgs;
use crate::cli::listen;
use crate::cli::location::LocationArgs;
use crate::cli::mail_args::MailArgs;
use crate::cli::output::{LogFormat, log_and_trace, log_filter, print, url};
use crate::cli::tls_args::TlsArgs;
use crate::cli::trace_args::TraceArgs;
use crate::cli::{secret, server_url};
use crate::environment::Environment;
use crate::http::edge::address::Proxies;
use crate::http::edge::certificate::{CertificateFiles, LoadedCertificate};
use crate::http::edge::metrics;
use crate::http::edge::tls::ServerTls;
use crate::http::server;
use crate::jobs::runner::Jobs;
use crate::jobs::signing_keys;
use crate::outbound::client::HttpClient;
use crate::shutdown;
use crate::traces::tracer::{TraceSettings, Tracer};

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

    #[command(flatten)]
    tls: TlsArgs,

    /// Maximum number of connections to PostgreSQL; writes hold at most three quarters of them [default: 8 per processor, at
    /// most 64]
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
    traces: TraceArgs,

    #[command(flatten)]
    pub(super) mail: MailArgs,

    /// Allow webhooks and SMS gateways in private networks and on this machine. Stores can then reach your internal servers
    #[arg(long, env = "WISHBONE_ALLOW_PRIVATE_WEBHOOKS")]
    allow_private_webhooks: bool,
}

/// The default address of the metrics.
const METRICS: &str = "127.0.0.1:9464";

pub(super) struct Config {
    listen: Vec<SocketAddr>,
    /// Empty for no metrics.
    metrics: Vec<SocketAddr>,
    pub(super) limits: Limits,
    proxies: Proxies,
    pub(super) tls: Option<(CertificateFiles, LoadedCertificate)>,
    pub(super) options: Options,
    log_format: LogFormat,
    traces: Option<TraceSettings>,
    /// Keys from --secret-keys; `None` if they are in the data folder.
    pub(super) keys: Option<Keys>,
}

impl ServeArgs {
    /// Everything that `serve` needs, or all faults.
    pub(super) fn check(&self, location: &LocationArgs) -> Result<Config, Vec<String>> {
        let mut faults = location.faults();
        let mut options = default_options();
        let pool_size = self.pool_size.as_ref().map(|text| text.parse().ok().filter(|size| (1..=1_000).contains(size)));
        if let Some(Some(size)) = pool_size {
            options.pool_size = size;
        }
        let tls = self.tls.load(&mut faults);
        let traces = self.traces.check(&mut faults);
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
                Ok(Config { listen, metrics, limits, proxies, tls, options, log_format, traces, keys: keys.flatten() })
            }
            _ => Err(faults),
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
    let config = args
        .check(location)
        .map_err(|faults| anyhow::anyhow!("invalid configuration:\n  - {}", faults.join("\n  - ")))?;
    let tracer = config.traces.as_ref().map(Tracer::start).transpose()?;
    log_and_trace(&args.log, config.log_format, tracer.as_ref());
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
    let tls = match config.tls {
        Some((files, loaded)) => Some(Arc::new(ServerTls::new(files, loaded, args.mail.is_https())?)),
        None => None,
    };
    let keys = secret::establish(&database, config.keys, &location.data, &environment).await?;
    let engine = database.engine();
    let mut app = App::new(database, keys, environment, config.limits);
    if location.has_workers().await? {
        app.limit_workers(config.options.pool_size);
    }
    app.proxies = config.proxies;
    app.outbound = HttpClient::new(args.allow_private_webhooks);
    if let Some(tls) = &tls {
        tls.reload_on_change()?;
    }
    app.tls = tls;
    let scheme = if app.tls.is_some() { "https" } else { "http" };
    app.public_url = args.mail.public_url.clone();
    let (address, version) = (listener.local_addr()?, env!("CARGO_PKG_VERSION"));
    let mailer = args.mail.mailer(&location.data, &url(scheme, address));
    server_url::record(&location.data, args.mail.public_url.as_deref().unwrap_or(&url(scheme, address)));
    app.mailer = Some(mailer.map_err(|faults| anyhow::anyhow!(faults.join("\n")))?);
    let app = Arc::new(app);
    signing_keys::reencrypt(&app).await?;
    if let Some(mailer) = &app.mailer {
        tracing::info!("mail goes to {}", mailer.transport.describe());
    }
    let metrics_url = match &metrics {
        Some(metrics) => Some(format!("{}/metrics", url("http", metrics.local_addr()?))),
        None => None,
    };
    if let Some(url) = &metrics_url {
        tracing::info!("metrics are at {url}");
    }
    tracing::info!(url = %url(scheme, address), %address, engine, version, "ready");
    if json {
        let ready =
            json!({ "url": url(scheme, address), "engine": engine, "version": version, "metrics": metrics_url });
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
    if let Some(tracer) = tracer {
        tracer.shut_down().await;
    }
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}
