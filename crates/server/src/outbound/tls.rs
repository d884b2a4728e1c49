//! TLS to other servers.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// TLS with certificates verified against the system's; `SSL_CERT_FILE` names others.
pub(crate) fn client_config() -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("TLS failed: this machine has no root certificates: install the package ca-certificates".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
}
