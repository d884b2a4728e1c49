//! The limit: recorded responses of the real server, served from memory by the same HTTP stack, without authentication
//! and without lookups.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, DATE, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

use crate::http::response::Head;

/// A recorded response.
#[derive(Serialize, Deserialize)]
pub(crate) struct Sample {
    path: String,
    gzip: bool,
    head: String,
    body: String,
}

impl Sample {
    pub(crate) fn new(request: &[u8], response: &[u8], head: &Head) -> anyhow::Result<Self> {
        let text = String::from_utf8_lossy(request);
        let path = text.split([' ', '?']).nth(1).context("the request has no path")?.to_owned();
        Ok(Self {
            path,
            gzip: text.contains("\r\naccept-encoding: gzip"),
            head: String::from_utf8_lossy(&response[..head.length]).into_owned(),
            body: STANDARD.encode(head.body(response)?),
        })
    }
}

/// The command that serves the recorded responses in a file.
pub(crate) fn command(samples: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("limit").arg(samples);
    Ok(command)
}

#[derive(Default)]
struct Samples {
    plain: Vec<(HeaderMap, Bytes)>,
    gzip: Vec<(HeaderMap, Bytes)>,
    next: AtomicUsize,
}

/// Serves until it is killed, with the runtime settings of the server.
pub(crate) fn serve(samples: &Path) -> anyhow::Result<()> {
    let samples: Vec<Sample> = serde_json::from_slice(&std::fs::read(samples)?)?;
    let mut by_path: HashMap<String, Samples> = HashMap::new();
    for sample in samples {
        let responses = by_path.entry(sample.path).or_default();
        let response = (headers(&sample.head)?, Bytes::from(STANDARD.decode(sample.body)?));
        if sample.gzip { responses.gzip.push(response) } else { responses.plain.push(response) }
    }
    let mut router = Router::new();
    for (path, samples) in by_path {
        router = router.route(&path, post(respond).with_state(Arc::new(samples)));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", serde_json::json!({ "url": format!("http://{}", listener.local_addr()?) }));
        wishbone_server::http::edge::listener::serve_bare(router, listener).await;
        Ok(())
    })
}

/// Reads the whole request, as the server must.
async fn respond(State(samples): State<Arc<Samples>>, headers: HeaderMap, _body: Bytes) -> Response {
    let matching = if headers.contains_key(ACCEPT_ENCODING) { &samples.gzip } else { &samples.plain };
    let number = samples.next.fetch_add(1, Ordering::Relaxed);
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    if let Some((headers, body)) = matching.get(number % matching.len().max(1)) {
        *response.status_mut() = StatusCode::OK;
        response.headers_mut().clone_from(headers);
        *response.body_mut() = Body::from(body.clone());
    }
    response
}

/// The headers set by the server; the HTTP library adds the others again.
fn headers(head: &str) -> anyhow::Result<HeaderMap> {
    let mut out = HeaderMap::new();
    for (name, value) in head.lines().skip(1).filter_map(|line| line.split_once(": ")) {
        let name = HeaderName::try_from(name)?;
        if ![CONTENT_LENGTH, DATE, TRANSFER_ENCODING, CONNECTION].contains(&name) {
            out.append(name, HeaderValue::from_str(value.trim())?);
        }
    }
    Ok(out)
}
