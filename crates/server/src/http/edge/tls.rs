//! TLS for client connections, with a certificate that is replaced while the server runs.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use wishbone_core::error::Code;
use wishbone_core::moment::{Millis, iso8601};

use crate::environment::Environment;
use crate::http::edge::certificate::{CertificateFiles, LoadedCertificate};
use crate::http::edge::refusals::{refusal, send_and_close};
use crate::supervisor;

/// Time from the connection to the end of the handshake. A client speaks first and at once, unlike after the handshake.
const HANDSHAKE_TIMEOUT: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(10) };
/// How often the files are compared. Two system calls.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// How often the expiry is logged.
const REPORT_INTERVAL: Duration = Duration::from_secs(24 * 3_600);
/// Time before the expiry from which on it is a warning. Let's Encrypt's certificates are renewed 30 days before.
const RENEWAL_MARGIN: Millis = 14 * 24 * 3_600_000;
/// The first byte of a TLS connection: a handshake record.
const HANDSHAKE_RECORD: u8 = 22;

pub struct ServerTls {
    files: CertificateFiles,
    current: Arc<CurrentCertificate>,
    expires_at: AtomicI64,
    acceptor: TlsAcceptor,
    /// True if browsers are to be told that this host has HTTPS only.
    pub is_strict: bool,
}

/// The certificate of new handshakes.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl ServerTls {
    /// TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1. Early data is not accepted, since it can be replayed.
    pub fn new(files: CertificateFiles, loaded: LoadedCertificate, is_strict: bool) -> Result<Self, rustls::Error> {
        let current = Arc::new(CurrentCertificate(RwLock::new(Arc::clone(&loaded.certified))));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_no_client_auth();
        let mut config = config.with_cert_resolver(Arc::clone(&current) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        // Clients keep their sessions, so that resumption takes no memory here.
        config.ticketer = ring::Ticketer::new()?;
        report(loaded.expires_at);
        let expires_at = AtomicI64::new(loaded.expires_at);
        Ok(Self { files, current, expires_at, acceptor: Arc::new(config).into(), is_strict })
    }

    /// Loads the certificate again on SIGHUP, and when a file has changed.
    pub fn reload_on_change(self: &Arc<Self>) -> std::io::Result<()> {
        let mut hangup = signal(SignalKind::hangup())?;
        let tls = Arc::clone(self);
        let (mut known, mut reported) = (tls.files.stamps(), Instant::now());
        supervisor::start("certificate", async move {
            loop {
                let is_forced = tokio::select! {
                    _ = hangup.recv() => true,
                    () = sleep(CHECK_INTERVAL) => false,
                };
                // Before the files are read: a change meanwhile is noticed the next time.
                let found = blocking(&tls, |tls| tls.files.stamps()).await.unwrap_or_default();
                if is_forced || found != known {
                    blocking(&tls, Self::reload).await;
                    known = found;
                } else if reported.elapsed() >= REPORT_INTERVAL {
                    report(tls.expires_at.load(Ordering::Relaxed));
                    reported = Instant::now();
                }
            }
        });
        Ok(())
    }

    /// A pair that cannot be used leaves the former one in place. A renewal may be half done: its second file is a change.
    fn reload(&self) {
        let loaded = self.files.load().and_then(|loaded| match loaded.expires_at > Environment::Real.now() {
            true => Ok(loaded),
            false => Err(format!("{} has expired: renew it", self.files.certificate.display())),
        });
        match loaded {
            Ok(loaded) => {
                report(loaded.expires_at);
                self.expires_at.store(loaded.expires_at, Ordering::Relaxed);
                *self.current.0.write().unwrap_or_else(PoisonError::into_inner) = loaded.certified;
            }
            Err(problem) => tracing::error!(
                "the TLS certificate was not replaced: {problem}. The former one stays in use; the files are read again when \
                 they change, or on SIGHUP"
            ),
        }
    }

    /// Completes the handshake; `None` if the client does not.
    pub(super) async fn handshake(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        let shaken = timeout(HANDSHAKE_TIMEOUT, async {
            let mut first = [0];
            // rustls allocates buffers at once; a connection that has sent nothing needs none.
            if stream.peek(&mut first).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if first != [HANDSHAKE_RECORD] {
                let message = "this port speaks TLS: use https:// in the URL";
                send_and_close(stream, &refusal("400 Bad Request", "", Code::InvalidParameter, message));
                return Err(ErrorKind::InvalidData.into());
            }
            self.acceptor.accept(stream).await
        });
        match shaken.await {
            Ok(Ok(stream)) => return Some(stream),
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("connection closed: the TLS handshake took too long"),
        }
        metrics::counter!("wishbone_tls_handshakes_failed_total").increment(1);
        None
    }
}

/// Runs what reads files: they may be on a network that hangs, which must not stop the server.
async fn blocking<T: Send + 'static>(
    tls: &Arc<ServerTls>,
    read: impl FnOnce(&ServerTls) -> T + Send + 'static,
) -> Option<T> {
    let tls = Arc::clone(tls);
    tokio::task::spawn_blocking(move || read(&tls)).await.ok()
}

/// Logs and measures when a certificate expires.
fn report(expires_at: Millis) {
    let expires = iso8601(expires_at);
    metrics::gauge!("wishbone_tls_certificate_expires_at_seconds").set((expires_at / 1_000) as f64);
    match expires_at - Environment::Real.now() {
        ..=0 => tracing::error!(%expires, "the TLS certificate has expired, clients reject it: renew it"),
        1..=RENEWAL_MARGIN => {
            tracing::warn!(%expires, "the TLS certificate expires soon: check that its renewal works")
        }
        _ => tracing::info!(%expires, "TLS certificate loaded"),
    }
}
