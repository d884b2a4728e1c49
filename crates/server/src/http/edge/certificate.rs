//! The server's TLS certificate and its private key, in PEM files.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use wishbone_core::moment::Millis;
use x509_cert::Certificate;
use x509_cert::der::Decode;

const CERTIFICATE_RULE: &str =
    "it must be a PEM file with the server's certificate and then its intermediates (certbot: fullchain.pem)";
const KEY_RULE: &str = "it must be a PEM file with a private key that is not encrypted (certbot: privkey.pem; to decrypt \
                        one, run `openssl pkey`)";

/// Where a certificate and its key are. Tools such as certbot replace both while the server runs.
#[derive(Clone, Debug)]
pub struct CertificateFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A certificate with its key.
#[derive(Debug)]
pub struct LoadedCertificate {
    pub certified: Arc<CertifiedKey>,
    pub expires_at: Millis,
}

/// The state of both files, to notice when one is replaced or changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileStamps([Option<[i64; 4]>; 2]);

impl CertificateFiles {
    /// Reads both files, and checks that they belong together. The error is for the operator.
    pub fn load(&self) -> Result<LoadedCertificate, String> {
        let Self { certificate, key } = self;
        for path in [certificate, key] {
            // Anything else may never end.
            if path.metadata().is_ok_and(|found| !found.is_file()) {
                return Err(format!("{} is not a file: check the path", path.display()));
            }
        }
        let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let chain = chain.map_err(|error| unreadable(certificate, &error, CERTIFICATE_RULE))?;
        let first = chain.first().ok_or_else(|| unusable(certificate, CERTIFICATE_RULE))?;
        let expires_at = expiry(first).ok_or_else(|| unusable(certificate, CERTIFICATE_RULE))?;
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error, KEY_RULE))?;
        let certified =
            CertifiedKey::from_der(chain, private, &ring::default_provider()).map_err(|error| match error {
                rustls::Error::InconsistentKeys(_) => format!(
                    "the key in {} does not belong to the certificate in {}: use the two files of the same renewal",
                    key.display(),
                    certificate.display(),
                ),
                error => {
                    format!("{} cannot be used: {error}: use an ECDSA P-256 or RSA key of 2048 bits", key.display())
                }
            })?;
        Ok(LoadedCertificate { certified: Arc::new(certified), expires_at })
    }

    /// Follows links, and includes changes of permissions.
    pub(super) fn stamps(&self) -> FileStamps {
        let stamp = |path: &PathBuf| {
            let found = std::fs::metadata(path).ok()?;
            Some([found.dev().cast_signed(), found.ino().cast_signed(), found.ctime(), found.ctime_nsec()])
        };
        FileStamps([&self.certificate, &self.key].map(stamp))
    }
}

fn unreadable(path: &Path, error: &pem::Error, rule: &str) -> String {
    match error {
        pem::Error::Io(error) => {
            format!("cannot read {}: {error}: check the path, and that this user may read it", path.display())
        }
        _ => unusable(path, rule),
    }
}

fn unusable(path: &Path, rule: &str) -> String {
    format!("{} cannot be used: {rule}", path.display())
}

/// When a certificate expires; `None` if it is malformed.
pub fn expiry(certificate: &CertificateDer<'_>) -> Option<Millis> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let until = certificate.tbs_certificate.validity.not_after.to_unix_duration();
    Millis::try_from(until.as_millis()).ok()
}
