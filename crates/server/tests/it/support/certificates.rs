//! Certificates made for a test, and a TLS client that trusts them.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

/// The files of a self-signed certificate for `localhost` and 127.0.0.1.
pub struct Pair {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

impl Pair {
    /// Makes a certificate that is valid through `last_year`. Its common name is unique.
    pub fn make(folder: &Path, name: &str, last_year: i32) -> Self {
        Self::until(folder, name, (last_year, 12, 31))
    }

    /// Makes a certificate that is valid until a day.
    pub fn until(folder: &Path, name: &str, (year, month, day): (i32, u8, u8)) -> Self {
        let pair = Self { certificate: folder.join(format!("{name}.crt")), key: folder.join(format!("{name}.key")) };
        let mut params = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(year, month, day);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        fs::write(&pair.certificate, params.self_signed(&key).unwrap().pem()).unwrap();
        fs::write(&pair.key, key.serialize_pem()).unwrap();
        pair
    }

    pub fn valid(folder: &Path, name: &str) -> Self {
        Self::make(folder, name, 4000)
    }

    /// The options of a server with this pair.
    pub fn arguments(&self) -> [&str; 4] {
        ["--tls-cert", self.certificate.to_str().unwrap(), "--tls-key", self.key.to_str().unwrap()]
    }

    pub fn der(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_file(&self.certificate).unwrap()
    }

    /// Replaces the files of this pair by those of another, as certbot does: first one, then the other.
    pub fn replace_by(&self, other: &Self) {
        fs::rename(&other.key, &self.key).unwrap();
        fs::rename(&other.certificate, &self.certificate).unwrap();
    }
}

/// A client that trusts these certificates, and offers these protocols.
pub fn client_config(trusted: &[CertificateDer<'static>], protocols: &[&str]) -> Arc<ClientConfig> {
    client_config_of(rustls::DEFAULT_VERSIONS, trusted, protocols)
}

/// The same, for some versions of TLS.
pub fn client_config_of(
    versions: &[&'static SupportedProtocolVersion],
    trusted: &[CertificateDer<'static>],
    protocols: &[&str],
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(trusted.iter().cloned());
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_protocol_versions(versions).unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Arc::new(config)
}

pub type TlsWire = StreamOwned<ClientConnection, TcpStream>;

/// Connects to a server on this machine, with a completed handshake.
pub fn connect(address: SocketAddr, config: Arc<ClientConfig>) -> std::io::Result<TlsWire> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(super::process::TIMEOUT))?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut wire = StreamOwned::new(ClientConnection::new(config, name).unwrap(), stream);
    wire.conn.complete_io(&mut wire.sock)?;
    Ok(wire)
}

/// The whole response to a request over HTTP/1.1.
pub fn ask(wire: &mut TlsWire, request: &str) -> String {
    wire.write_all(request.as_bytes()).unwrap();
    let mut response = Vec::new();
    wire.read_to_end(&mut response).unwrap();
    String::from_utf8(response).unwrap()
}
