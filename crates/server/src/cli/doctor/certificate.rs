//! Certificates: whether clients accept them, and for how long.

use std::sync::Arc;
use std::time::Duration;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, RootCertStore};
use wishbone_core::moment::{Millis, iso8601};

use crate::cli::doctor::finding::Finding;
use crate::http::edge::certificate::{LoadedCertificate, expiry};

const CHECK: &str = "certificate";
const DAY: Millis = 24 * 3_600_000;
/// Let's Encrypt's certificates are renewed 30 days before they expire.
const SOON: Millis = 14 * DAY;
const RENEW: &str = "check that its renewal works (certbot: `certbot renew --dry-run`)";

/// The certificate of --tls-cert, as clients of `host` see it.
pub(super) fn check_files(loaded: &LoadedCertificate, host: Option<&str>, now: Millis) -> Finding {
    const OF: &str = "the certificate of --tls-cert";
    let (fact, remedy) = match verify(&loaded.certified.cert, host, now) {
        Ok(()) => return check_expiry(OF, loaded.expires_at, now),
        // Anything else may be wrong with it too; this comes first.
        Err(_) if loaded.expires_at <= now => return check_expiry(OF, loaded.expires_at, now),
        Err(rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => {
            let host = host.unwrap_or_default();
            (format!("{OF} is not valid for {host}"), format!("get one for {host}, or correct --public-url"))
        }
        // The others: a root certificate of this machine has the same name as the issuer, and another key.
        Err(rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. },
        )) => {
            let fact = format!("{OF} does not lead to a root certificate of this machine");
            let remedy = "use the file with all intermediates (certbot: fullchain.pem); for a certificate authority of your \
                          own, name its certificate in SSL_CERT_FILE";
            (fact, remedy.to_owned())
        }
        Err(error) => (format!("clients reject {OF} ({error})"), "get a new one".to_owned()),
    };
    Finding::error(CHECK, fact, remedy)
}

/// The certificate that the public URL has shown, which was accepted.
pub(super) fn check_shown(shown: &CertificateDer<'_>, now: Millis) -> Finding {
    check_expiry("the certificate of the public URL", expiry(shown).unwrap_or(0), now)
}

fn check_expiry(of: &str, expires_at: Millis, now: Millis) -> Finding {
    let (days, expires) = ((expires_at - now) / DAY, iso8601(expires_at));
    match expires_at - now {
        ..=0 => Finding::error(CHECK, format!("{of} has expired ({expires})"), RENEW),
        1..SOON => Finding::warning(CHECK, format!("{of} expires in {days} days ({expires})"), RENEW),
        _ => Finding::ok(CHECK, format!("{of} is valid for {days} days ({expires})")),
    }
}

fn verify(chain: &[CertificateDer<'static>], host: Option<&str>, now: Millis) -> Result<(), rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let unknown = || rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().map_err(|_| unknown())?;
    let (first, rest) = chain.split_first().ok_or_else(unknown)?;
    let time = UnixTime::since_unix_epoch(Duration::from_millis(now.unsigned_abs()));
    let name = host.and_then(|host| ServerName::try_from(host).ok());
    let anything = ServerName::try_from("localhost").map_err(|_| unknown())?;
    match verifier.verify_server_cert(first, rest, name.as_ref().unwrap_or(&anything), &[], time) {
        Err(rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) if name.is_none() => Ok(()),
        verified => verified.map(|_| ()),
    }
}
