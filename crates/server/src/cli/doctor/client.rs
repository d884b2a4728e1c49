//! A GET request that also tells how the server was reached.

use std::net::SocketAddr;

use axum::body::Bytes;
use axum::http::Request;
use axum::http::header::{HOST, USER_AGENT};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::outbound::limited_read::LimitedRead;
use crate::outbound::tls;

/// The largest body of a response.
const MAX_BODY: usize = 256 << 10;
/// The same with its head, and the interim responses before it.
const MAX_RESPONSE: usize = MAX_BODY + (64 << 10);

pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Bytes,
    /// This end of the connection.
    pub(super) from: SocketAddr,
    /// The server's certificate, whose chain was verified; `None` without TLS.
    pub(super) certificate: Option<CertificateDer<'static>>,
}

/// Why there is no answer.
pub(super) enum Failure {
    Unreachable(String),
    Tls(String),
    Http(String),
}

/// Sends a GET request over a new connection.
pub(super) async fn get(url: &Url, headers: &[(&str, &str)]) -> Result<Answer, Failure> {
    let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(443));
    let plain = host.trim_matches(['[', ']']);
    let stream = TcpStream::connect((plain, port)).await.map_err(|error| Failure::Unreachable(error.to_string()))?;
    let from = stream.local_addr().map_err(|error| Failure::Unreachable(error.to_string()))?;
    let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut request = Request::get(&url[url::Position::BeforePath..url::Position::AfterQuery])
        .header(HOST, authority)
        .header(USER_AGENT, concat!("Wishbone/", env!("CARGO_PKG_VERSION")));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Empty::new()).map_err(|error| Failure::Http(error.to_string()))?;
    let (certificate, (status, body)) = if url.scheme() == "https" {
        let name = ServerName::try_from(plain.to_owned()).map_err(|error| Failure::Tls(error.to_string()))?;
        let connector = TlsConnector::from(tls::client_config().map_err(Failure::Tls)?);
        let stream = connector.connect(name, stream).await.map_err(|error| Failure::Tls(error.to_string()))?;
        let certificate = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).cloned();
        (certificate.map(CertificateDer::into_owned), exchange(stream, request).await?)
    } else {
        (None, exchange(stream, request).await?)
    };
    Ok(Answer { status, body, from, certificate })
}

async fn exchange<S>(stream: S, request: Request<Empty<Bytes>>) -> Result<(u16, Bytes), Failure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let failed = |error: hyper::Error| Failure::Http(error.to_string());
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(LimitedRead { stream, left: MAX_RESPONSE })).await.map_err(failed)?;
    let mut connection = std::pin::pin!(connection);
    let mut response = std::pin::pin!(async {
        let response = sender.send_request(request).await.map_err(failed)?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), MAX_BODY).collect().await;
        Ok((status, body.map_err(|error| Failure::Http(error.to_string()))?.to_bytes()))
    });
    tokio::select! {
        biased;
        response = &mut response => response,
        // Drives the connection; once it has ended, the response is there or never will be.
        _ = &mut connection => response.await,
    }
}
