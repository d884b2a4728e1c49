//! Connections to an SMTP server, on top of lettre's protocol. lettre's own pool leaves Nagle's algorithm on, which costs up
//! to 40 ms per mail, and keeps a connection whose mail was cut off by a timeout.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream, TlsParameters};
use lettre::transport::smtp::extension::{ClientId, Extension};
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use percent_encoding::percent_decode_str;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Url;

use crate::outbound::tls;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// A connection that was idle for longer may have been closed by the server: it is checked before it is used.
const FRESH: Duration = Duration::from_secs(2);
/// A connection that was idle for longer is closed.
const MAX_IDLE: Duration = Duration::from_secs(60);
/// The reply of a server that accepts no more mails over a connection.
const CLOSING: &str = "421";

pub struct SmtpServer {
    host: String,
    port: u16,
    encryption: Encryption,
    credentials: Option<Credentials>,
    client: ClientId,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
    /// Built on first use, since loading the system's certificates takes a while.
    tls: OnceLock<Result<Arc<ClientConfig>, String>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encryption {
    None,
    StartTls,
    /// STARTTLS if the server offers it.
    Opportunistic,
    /// TLS from the start.
    Implicit,
}

pub(super) enum Failure {
    Connection(String),
    /// The server accepts no addresses that are not ASCII.
    NoUnicode,
    Smtp(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Smtp(error)
    }
}

impl SmtpServer {
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// `None` if the URL is not that of an SMTP server.
    pub(super) fn parse(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let tls = url.query_pairs().find(|(name, _)| name == "tls").map(|(_, value)| value.into_owned());
        let (encryption, port) = match (url.scheme(), tls.as_deref()) {
            ("smtp", None) => (Encryption::None, SMTP_PORT),
            ("smtp", Some("required")) => (Encryption::StartTls, SUBMISSION_PORT),
            ("smtp", Some("opportunistic")) => (Encryption::Opportunistic, SUBMISSION_PORT),
            ("smtps", _) => (Encryption::Implicit, SUBMISSIONS_PORT),
            _ => return None,
        };
        let decode = |text: &str| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(decode(url.username())?, decode(password)?)),
            None => None,
        };
        let name = url.path().trim_matches('/');
        Some(Self {
            host: url.host_str().filter(|host| !host.is_empty())?.to_owned(),
            port: url.port().unwrap_or(port),
            encryption,
            credentials,
            client: if name.is_empty() { ClientId::default() } else { ClientId::Domain(name.to_owned()) },
            idle: Mutex::new(Vec::new()),
            tls: OnceLock::new(),
        })
    }

    /// Host and port.
    pub fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Connects and logs in, without sending a mail.
    pub async fn check(&self) -> Result<(), String> {
        let connected = self.connect().await.map_err(|failure| match failure {
            Failure::Connection(problem) => problem,
            Failure::Smtp(error) => error.to_string(),
            Failure::NoUnicode => String::new(),
        });
        // The reply to the farewell does not matter.
        let _ = connected?.quit().await;
        Ok(())
    }

    /// Sends a mail. If this is cancelled, the connection is closed: a late reply is not taken for that of another mail.
    pub(super) async fn send(&self, envelope: &Envelope, mail: &[u8]) -> Result<(), Failure> {
        if let Some(mut connection) = self.idle_connection().await {
            Self::require_unicode(&connection, envelope)?;
            match connection.send(envelope, mail).await {
                Ok(_) => {
                    self.keep(connection);
                    return Ok(());
                }
                Err(error) if error.status().is_some_and(|code| code.to_string() == CLOSING) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut connection = self.connect().await?;
        Self::require_unicode(&connection, envelope)?;
        connection.send(envelope, mail).await?;
        self.keep(connection);
        Ok(())
    }

    /// Fails if an address is not ASCII and the server does not support that (RFC 6531).
    fn require_unicode(connection: &AsyncSmtpConnection, envelope: &Envelope) -> Result<(), Failure> {
        let is_ascii =
            envelope.to().iter().chain(envelope.from()).all(|address| AsRef::<str>::as_ref(address).is_ascii());
        if is_ascii || connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Ok(());
        }
        Err(Failure::NoUnicode)
    }

    async fn idle_connection(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let (mut connection, since) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            let idle = since.elapsed();
            if idle < FRESH || idle < MAX_IDLE && connection.test_connected().await {
                return Some(connection);
            }
        }
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        if !connection.has_broken() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((connection, Instant::now()));
        }
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, Failure> {
        let connected = timeout(CONNECT_TIMEOUT, self.handshake()).await;
        connected.unwrap_or_else(|_| Err(Failure::Connection("the mail server timed out".to_owned())))
    }

    async fn handshake(&self) -> Result<AsyncSmtpConnection, Failure> {
        let failed = |error: io::Error| Failure::Connection(format!("cannot connect to the mail server: {error}"));
        let host = self.host.trim_matches(['[', ']']);
        let socket = TcpStream::connect((host, self.port)).await.map_err(failed)?;
        socket.set_nodelay(true).map_err(failed)?;
        let stream: Box<dyn AsyncTokioStream> = match self.encryption {
            Encryption::Implicit => {
                let invalid = |_| Failure::Connection("the host name of the mail server is invalid".to_owned());
                let name = ServerName::try_from(host.to_owned()).map_err(invalid)?;
                let config = self.tls.get_or_init(tls::client_config).clone().map_err(Failure::Connection)?;
                Box::new(TlsSocket(TlsConnector::from(config).connect(name, socket).await.map_err(failed)?))
            }
            _ => Box::new(socket),
        };
        let mut connection = AsyncSmtpConnection::connect_with_transport(stream, &self.client).await?;
        let starts_tls = match self.encryption {
            Encryption::StartTls => true,
            Encryption::Opportunistic => connection.can_starttls(),
            Encryption::None | Encryption::Implicit => false,
        };
        if starts_tls {
            connection.starttls(TlsParameters::new(host.to_owned())?, &self.client).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }
}

/// TLS from the start, as lettre wants it.
#[derive(Debug)]
struct TlsSocket(TlsStream<TcpStream>);

impl AsyncTokioStream for TlsSocket {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.0.get_ref().0.peer_addr()
    }
}

impl AsyncRead for TlsSocket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for TlsSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// Counts the mails of two connections. Over the first it never says whether it has accepted one.
    async fn late_server(listener: TcpListener) -> Vec<usize> {
        let mut mails = Vec::new();
        for is_late in [true, false] {
            let (socket, _) = listener.accept().await.unwrap();
            let (read, mut write) = socket.into_split();
            let mut lines = BufReader::new(read).lines();
            write.write_all(b"220 late\r\n").await.unwrap();
            let (mut count, mut is_data) = (0, false);
            while let Ok(Some(line)) = lines.next_line().await {
                let reply = match line.as_str() {
                    "." if is_late => {
                        count += 1;
                        is_data = false;
                        continue;
                    }
                    "." => {
                        count += 1;
                        is_data = false;
                        "250 accepted\r\n"
                    }
                    _ if is_data => continue,
                    "DATA" => {
                        is_data = true;
                        "354 go on\r\n"
                    }
                    _ => "250 late\r\n",
                };
                write.write_all(reply.as_bytes()).await.unwrap();
            }
            mails.push(count);
        }
        mails
    }

    #[tokio::test]
    async fn a_server_without_unicode_addresses_gets_none() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = SmtpServer::parse(&format!("smtp://127.0.0.1:{port}")).unwrap();
        let from = "shop@example.com".parse().unwrap();
        let envelope = Envelope::new(Some(from), vec!["änn@example.com".parse().unwrap()]).unwrap();
        let send = async {
            for _ in 0..2 {
                let sent = server.send(&envelope, b"Subject: 1\r\n\r\n.").await;
                assert!(matches!(sent, Err(Failure::NoUnicode)));
            }
        };
        assert_eq!(tokio::join!(late_server(listener), send).0, [0, 0]);
    }

    #[tokio::test]
    async fn the_connection_of_a_mail_that_timed_out_is_not_used_again() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = SmtpServer::parse(&format!("smtp://127.0.0.1:{port}")).unwrap();
        let address = || "ann@example.com".parse().unwrap();
        let envelope = Envelope::new(Some(address()), vec![address()]).unwrap();
        let send = async {
            let cut_off = timeout(Duration::from_millis(200), server.send(&envelope, b"Subject: 1\r\n\r\n.")).await;
            assert!(cut_off.is_err());
            for _ in 0..2 {
                assert!(server.send(&envelope, b"Subject: 2\r\n\r\n.").await.is_ok());
            }
            server.idle.lock().unwrap().clear();
        };
        assert_eq!(tokio::join!(late_server(listener), send).0, [1, 2]);
    }
}
