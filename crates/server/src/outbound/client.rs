//! An HTTP client for one request per connection. It follows no redirects, and connects only to addresses that were checked.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use axum::http::{HeaderName, Request};
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tracing::Instrument;

use crate::outbound::limited_read::LimitedRead;
use crate::outbound::target::Target;
use crate::outbound::tls;
use crate::spans;

/// Time for a whole request, from the look-up of the host to the head of the response.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// Time to connect to one address, so that the next one gets its turn.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest head of a response, with all interim responses before it. Bodies are not read.
const MAX_HEAD: usize = 64 << 10;

pub struct HttpClient {
    pub allow_private: bool,
    timeout: Duration,
    /// Built on first use, since loading the system's certificates takes a while.
    tls: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl HttpClient {
    pub fn new(allow_private: bool) -> Self {
        Self { allow_private, timeout: REQUEST_TIMEOUT, tls: OnceLock::new() }
    }

    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Posts a body. Returns the HTTP status, or why there is none.
    pub(crate) async fn post(
        &self,
        url: &str,
        content_type: &str,
        headers: &[(HeaderName, String)],
        body: Vec<u8>,
    ) -> Result<u16, String> {
        let target = Target::parse(url, self.allow_private).map_err(|rule| format!("the URL {rule}"))?;
        let mut request = Request::post(target.path_and_query())
            .header(HOST, target.authority())
            .header(USER_AGENT, concat!("Wishbone/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, content_type);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?;
        let span = spans::outbound("POST", &target.host());
        let sent = timeout(self.timeout, self.send(&target, request)).instrument(span.clone()).await;
        let result = sent.unwrap_or_else(|_| Err(format!("no response within {} seconds", self.timeout.as_secs_f32())));
        spans::record_status(&span, result.as_ref().ok().copied());
        result
    }

    async fn send(&self, target: &Target, request: Request<Full<Bytes>>) -> Result<u16, String> {
        let stream = self.connect(target).await?;
        if !target.is_https() {
            return exchange(stream, request).await;
        }
        let name = match target.address() {
            Some(address) => ServerName::IpAddress(address.into()),
            None => ServerName::try_from(target.host()).map_err(|_| "the host name is invalid".to_owned())?,
        };
        let connector = TlsConnector::from(self.tls()?);
        let stream = connector.connect(name, stream).await.map_err(|error| format!("TLS failed: {error}"))?;
        exchange(stream, request).await
    }

    async fn connect(&self, target: &Target) -> Result<TcpStream, String> {
        let mut problem = String::new();
        for address in target.addresses(self.allow_private).await? {
            match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Head and body are small: they are sent at once.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => problem = format!("cannot connect: {error}"),
                Err(_) => problem = "cannot connect: timed out".to_owned(),
            }
        }
        Err(problem)
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, String> {
        self.tls.get_or_init(tls::client_config).clone()
    }
}

/// Sends a request over a connection, which is closed after the head of the response.
async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<u16, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD);
    let failed = |error: hyper::Error| format!("no valid response: {error}");
    let stream = LimitedRead { stream, left: MAX_HEAD };
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(failed)?;
    let mut response = std::pin::pin!(sender.send_request(request));
    let response = tokio::select! {
        biased;
        response = &mut response => response,
        // Drives the connection; once it has ended, the response is there or never will be.
        _ = connection => response.await,
    };
    Ok(response.map_err(failed)?.status().as_u16())
}
