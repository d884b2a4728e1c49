//! TLS for URLs with `sslmode=require`. The server's certificate is verified against the system's root certificates, or
//! those in SSL_CERT_FILE.

use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::{Error, Result};

pub(super) fn connector() -> Result<MakeRustlsConnect> {
    // Fails if the process has a default provider already; any provider works.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match MakeRustlsConnect::with_native_certs() {
        Ok((connector, _)) => Ok(connector),
        Err(_) => Err(Error::Unusable(
            "sslmode=require needs root certificates: install the package ca-certificates, or set SSL_CERT_FILE".into(),
        )),
    }
}
