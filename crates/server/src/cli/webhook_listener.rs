//! `wishbone webhooks listen`

use std::convert::Infallible;
use std::sync::Arc;

use anyhow::Context;
use axum::body::Bytes;
use axum::http::{HeaderMap, Request, Response, StatusCode};
use clap::Args;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::service_fn;
use wishbone_core::webhooks::signature::Secret;

use crate::cli::listen;
use crate::cli::output::{print, print_error, url};
use crate::environment::Environment;
use crate::supervisor;
use crate::webhooks::attempt::{ID, TIMESTAMP};
use crate::webhooks::verification::verify;

/// The largest body that is read; events are much smaller.
const MAX_BODY: usize = 4 << 20;

#[derive(Args)]
pub(super) struct ListenArgs {
    /// Address or host name and port to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4000")]
    listen: String,
    /// Secret of the webhook, from `wishbone webhooks create`, webhooks/create or webhooks/rotate
    #[arg(long, value_name = "whsec_…", value_parser = secret)]
    secret: ParsedSecret,
    /// HTTP status to answer valid deliveries with, to see how failures are retried
    #[arg(long, value_name = "STATUS", default_value = "200", value_parser = clap::value_parser!(u16).range(200..=599))]
    respond: u16,
}

#[derive(Clone)]
struct ParsedSecret(Secret);

fn secret(text: &str) -> Result<ParsedSecret, String> {
    Secret::parse(text)
        .map(ParsedSecret)
        .ok_or_else(|| "expected whsec_ followed by base64 of 24 to 64 bytes".to_owned())
}

pub(super) async fn run(args: ListenArgs, json: bool) -> anyhow::Result<Infallible> {
    let addresses = listen::addresses(&args.listen).with_context(|| {
        format!(
            "--listen must be an address, or a host name that resolves, with a port, such as 127.0.0.1:4000, got {}",
            args.listen
        )
    })?;
    let listener = TcpListener::bind(&addresses[..])
        .await
        .with_context(|| format!("cannot listen on {}: choose another address with --listen", args.listen))?;
    print_error(&format!("Listening on {}. Press Ctrl+C to stop.", url("http", listener.local_addr()?)));
    let receiver = Arc::new(Receiver { secret: args.secret.0, respond: args.respond, json });
    loop {
        let (stream, _) = listener.accept().await?;
        let receiver = Arc::clone(&receiver);
        supervisor::start_connection(async move {
            let service = service_fn(move |request| receive(Arc::clone(&receiver), request));
            let connection = auto::Builder::new(TokioExecutor::new());
            // A broken connection is the sender's to report.
            let _ = connection.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)).await;
        });
    }
}

struct Receiver {
    secret: Secret,
    respond: u16,
    json: bool,
}

async fn receive(receiver: Arc<Receiver>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_BODY).collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let verdict = verify(&receiver.secret, &head.headers, &body, Environment::Real.now());
    print(&if receiver.json {
        as_json(&head.headers, &body, &verdict)
    } else {
        as_text(&head.headers, &body, &verdict)
    });
    let status = if verdict.is_ok() { receiver.respond } else { StatusCode::UNAUTHORIZED.as_u16() };
    let mut response = Response::new(Full::new(Bytes::from(verdict.err().unwrap_or_default())));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    Ok(response)
}

fn header<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("none")
}

fn as_text(headers: &HeaderMap, body: &[u8], verdict: &Result<(), String>) -> String {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let kind = parsed.as_ref().and_then(|body| body["type"].as_str()).unwrap_or("unknown type");
    let verdict = match verdict {
        Ok(()) => "valid".to_owned(),
        Err(problem) => format!("INVALID: {problem}"),
    };
    let body = parsed.as_ref().map_or_else(|| String::from_utf8_lossy(body).into_owned(), |body| format!("{body:#}"));
    format!("{kind}\n  id         {}\n  signature  {verdict}\n{body}\n", header(headers, &ID))
}

fn as_json(headers: &HeaderMap, body: &[u8], verdict: &Result<(), String>) -> String {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let body = parsed.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned().into());
    json!({
        "id": header(headers, &ID),
        "timestamp": header(headers, &TIMESTAMP),
        "valid": verdict.is_ok(),
        "problem": verdict.as_ref().err(),
        "body": body,
    })
    .to_string()
}
