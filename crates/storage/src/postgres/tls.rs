//! TLS, when the address says `sslmode=require`. The server's certificate is checked against the
//! system's roots, or those of the file that SSL_CERT_FILE names.

use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{Error, Result};

pub(super) fn connector() -> Result<MakeRustlsConnect> {
    // Another part of the process may have chosen a provider before; any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match MakeRustlsConnect::with_native_certs() {
        Ok((connector, _)) => Ok(connector),
        Err(_) => Err(Error::Unusable(
            "sslmode=require needs root certificates: install the package ca-certificates, or name a file of them \
             in SSL_CERT_FILE"
                .into(),
        )),
    }
}
