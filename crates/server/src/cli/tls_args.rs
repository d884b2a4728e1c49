//! Options for TLS.

use std::path::PathBuf;

use clap::Args;

use crate::http::edge::certificate::{CertificateFiles, LoadedCertificate};

const HEADING: &str = "TLS";

/// Without a certificate the server speaks plain HTTP.
#[derive(Args)]
pub(super) struct TlsArgs {
    /// PEM file with the server's certificate and its intermediates (certbot: fullchain.pem); the server then speaks HTTPS
    /// only. Replaced files are loaded within seconds, and on SIGHUP [default: plain HTTP, for a proxy that terminates TLS]
    #[arg(long, help_heading = HEADING, value_name = "FILE", env = "WISHBONE_TLS_CERT")]
    tls_cert: Option<PathBuf>,

    /// PEM file with the private key of --tls-cert, not encrypted (certbot: privkey.pem)
    #[arg(long, help_heading = HEADING, value_name = "FILE", env = "WISHBONE_TLS_KEY")]
    tls_key: Option<PathBuf>,
}

impl TlsArgs {
    /// The files, if both are set.
    pub(super) fn files(&self) -> Option<CertificateFiles> {
        let (certificate, key) = (self.tls_cert.clone()?, self.tls_key.clone()?);
        Some(CertificateFiles { certificate, key })
    }

    /// Loads the certificate, and adds a sentence to `faults` if that is not possible.
    pub(super) fn load(&self, faults: &mut Vec<String>) -> Option<(CertificateFiles, LoadedCertificate)> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            faults.push(
                "--tls-cert (WISHBONE_TLS_CERT) and --tls-key (WISHBONE_TLS_KEY) must be set together".to_owned(),
            );
        }
        let files = self.files()?;
        match files.load() {
            Ok(loaded) => Some((files, loaded)),
            Err(problem) => {
                faults.push(format!("--tls-cert (WISHBONE_TLS_CERT) and --tls-key (WISHBONE_TLS_KEY): {problem}"));
                None
            }
        }
    }
}
