//! An HTTP client with one connection that tells whether a failed request was sent.

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use hyper_util::rt::TokioIo;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tokio::net::TcpStream;

/// Twice the default request timeout of the server.
const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) fields: Vec<(&'static str, String)>,
    /// For store admin calls.
    pub(crate) authorization: Option<String>,
    pub(crate) idempotency_key: Option<String>,
}

impl Request {
    fn body(&self) -> String {
        let encoded = self.fields.iter().map(|(name, value)| format!("{name}={}", encode(value)));
        encoded.collect::<Vec<_>>().join("&")
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) list_version: Option<i64>,
}

impl Response {
    pub(crate) fn code(&self) -> &str {
        self.body["error-code"].as_str().unwrap_or_default()
    }
}

/// The reason for a missing response.
#[derive(Debug)]
pub(crate) enum SendError {
    /// The request was not sent.
    NotSent,
    /// The request was sent: it may have been applied.
    Lost(String),
}

pub(crate) struct Client {
    address: SocketAddr,
    connection: Option<SendRequest<Full<Bytes>>>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, connection: None }
    }

    pub(crate) async fn send(&mut self, request: &Request) -> Result<Response, SendError> {
        let mut connection = self.connect().await?;
        let mut message = hyper::Request::post(&request.path)
            .header(HOST, "localhost")
            .header(USER_AGENT, "wishbone-faults")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(value) = &request.authorization {
            message = message.header(AUTHORIZATION, value);
        }
        if let Some(key) = &request.idempotency_key {
            message = message.header("idempotency-key", key);
        }
        let message = message.body(Full::from(request.body())).map_err(|error| SendError::Lost(error.to_string()))?;
        let response = async {
            let response = connection.send_request(message).await?;
            let status = response.status().as_u16();
            let version = response.headers().get("x-list-version").and_then(|value| value.to_str().ok()?.parse().ok());
            let body = response.into_body().collect().await?.to_bytes();
            Ok::<_, hyper::Error>((status, version, body))
        };
        let (status, list_version, body) = match tokio::time::timeout(TIMEOUT, response).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(SendError::Lost(error.to_string())),
            Err(_) => return Err(SendError::Lost(format!("no response within {TIMEOUT:?}"))),
        };
        let body =
            serde_json::from_slice(&body).map_err(|error| SendError::Lost(format!("{status}, not JSON: {error}")))?;
        self.connection = Some(connection);
        Ok(Response { status, body, list_version })
    }

    /// Returns the open connection, or a new one if it was closed.
    async fn connect(&mut self) -> Result<SendRequest<Full<Bytes>>, SendError> {
        if let Some(mut connection) = self.connection.take()
            && connection.ready().await.is_ok()
        {
            return Ok(connection);
        }
        let stream = TcpStream::connect(self.address).await.map_err(|_| SendError::NotSent)?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|_| SendError::NotSent)?;
        tokio::spawn(connection);
        Ok(sender)
    }
}

pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
