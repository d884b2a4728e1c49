//! HTTPS without a proxy.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::slice::from_ref;

use axum::body::Bytes;
use axum::http::{Request, Version};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ProtocolVersion;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::version::{TLS12, TLS13};
use serde_json::Value;
use tokio_rustls::TlsConnector;

use crate::support::certificates::{Pair, ask, client_config, client_config_of, connect};
use crate::support::process::{Server, Setup, TIMEOUT, Wire, until};

const CLOSE: &str = "Host: lists.example\r\nConnection: close\r\n\r\n";

/// The certificate that new connections get.
fn served(server: &Server, trusted: &[CertificateDer<'static>]) -> CertificateDer<'static> {
    let wire = connect(server.address, client_config(trusted, &[])).unwrap();
    wire.conn.peer_certificates().unwrap()[0].clone()
}

#[test]
fn https_is_served_by_http_1_and_the_links_of_the_documentation_use_it() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let server = setup.serve(&pair.arguments());
    assert!(server.said["url"].as_str().unwrap().starts_with("https://127.0.0.1:"), "{}", server.said);
    for (version, name) in [(&TLS12, ProtocolVersion::TLSv1_2), (&TLS13, ProtocolVersion::TLSv1_3)] {
        let config = client_config_of(&[version], &[pair.der()], &["http/1.1"]);
        let mut wire = connect(server.address, config).unwrap();
        assert_eq!(wire.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        assert_eq!(wire.conn.protocol_version(), Some(name));
        let page = ask(&mut wire, &format!("GET /docs HTTP/1.1\r\n{CLOSE}")).replace("&#x2f;", "/");
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        assert!(page.contains("https://lists.example") && !page.contains("http://lists.example"), "{page}");
        assert!(!page.contains("strict-transport-security"), "nothing was said about the public URL: {page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn https_is_served_by_http_2() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let server = setup.serve(&pair.arguments());
    let config = client_config(&[pair.der()], &["h2", "http/1.1"]);
    let stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(config).connect(name, stream).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (mut sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get(format!("https://localhost:{}/readyz", server.address.port()));
    let response = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap()).await.unwrap();
    assert_eq!((response.status().as_u16(), response.version()), (200, Version::HTTP_2));
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["status"], "ok");
}

#[test]
fn browsers_are_told_to_use_https_only_if_the_public_url_does() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    for (url, is_strict) in [("https://lists.example", true), ("http://lists.example", false)] {
        let server = setup.serve(&[&pair.arguments()[..], &["--public-url", url]].concat());
        for path in ["/healthz", "/nowhere"] {
            let mut wire = connect(server.address, client_config(&[pair.der()], &[])).unwrap();
            let response = ask(&mut wire, &format!("GET {path} HTTP/1.1\r\n{CLOSE}"));
            assert_eq!(response.contains("strict-transport-security: max-age=31536000\r\n"), is_strict, "{response}");
        }
    }
    let plain = setup.serve(&["--public-url", "https://lists.example"]);
    assert_eq!(plain.get("/healthz").header("strict-transport-security"), None, "a proxy adds it");
}

#[test]
fn a_renewed_certificate_is_served_without_a_restart() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let server = setup.serve(&pair.arguments());
    let (first, second) = (pair.der(), Pair::valid(setup.folder(), "second"));
    let (both, renewed) = ([first.clone(), second.der()], second.der());
    assert_eq!(served(&server, &both), first);
    let mut open = connect(server.address, client_config(&both, &[])).unwrap();
    pair.replace_by(&second);
    until("the new certificate is served", || served(&server, &both) == renewed);
    let response = ask(&mut open, &format!("GET /healthz HTTP/1.1\r\n{CLOSE}"));
    assert!(response.starts_with("HTTP/1.1 200"), "open connections stay: {response}");
    assert!(server.log().contains("expires=4000-12-31T00:00:00"), "{}", server.log());
    let expires = server.metric("wishbone_tls_certificate_expires_at_seconds").unwrap();
    assert!((64_092_000_000.0..64_093_000_000.0).contains(&expires), "{expires}");
}

#[test]
fn sighup_loads_the_certificate_again() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let server = setup.serve(&pair.arguments());
    let loaded = || server.log().matches("TLS certificate loaded").count();
    assert_eq!(loaded(), 1);
    server.signal("HUP");
    until("it was loaded again", || loaded() == 2);
    assert_eq!(served(&server, &[pair.der()]), pair.der());
}

#[test]
fn a_renewal_that_cannot_be_used_leaves_the_former_certificate_in_place() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let server = setup.serve(&pair.arguments());
    let first = pair.der();
    let good_key = fs::read(&pair.key).unwrap();
    let good = fs::read(&pair.certificate).unwrap();
    let other = Pair::valid(setup.folder(), "other");
    let expired = Pair::make(setup.folder(), "expired", 2001);
    let mut refused = 0;
    let broken: [(&str, Vec<u8>, Vec<u8>); 4] = [
        ("does not belong to", good.clone(), fs::read(&other.key).unwrap()),
        ("not encrypted", good.clone(), b"nonsense".to_vec()),
        ("fullchain.pem", b"nonsense".to_vec(), good_key.clone()),
        ("has expired: renew it", fs::read(&expired.certificate).unwrap(), fs::read(&expired.key).unwrap()),
    ];
    for (problem, certificate, key) in broken {
        fs::write(&pair.certificate, certificate).unwrap();
        fs::write(&pair.key, key).unwrap();
        server.signal("HUP");
        until(problem, || server.log().contains(problem));
        let reports = server.log().matches("The former one stays in use").count();
        assert!(reports > refused, "{}", server.log());
        refused = reports;
        assert_eq!(served(&server, from_ref(&first)), first);
    }
    fs::remove_file(&pair.key).unwrap();
    until("it notices that a file is gone", || server.log().contains("cannot read"));
    assert_eq!(served(&server, from_ref(&first)), first);

    let next = Pair::valid(setup.folder(), "next");
    let (both, renewed) = ([first, next.der()], next.der());
    pair.replace_by(&next);
    until("a good pair is taken", || served(&server, &both) == renewed);
}

#[test]
fn files_that_cannot_be_used_stop_the_start_with_the_remedy() {
    let setup = Setup::new();
    let good = Pair::valid(setup.folder(), "good");
    let other = Pair::valid(setup.folder(), "other");
    let empty = setup.folder().join("empty");
    fs::write(&empty, "").unwrap();
    let [certificate, key] = [&good.certificate, &good.key].map(|path| path.to_str().unwrap());
    let empty = empty.to_str().unwrap();
    let start = |arguments: &[&str], words: &[&str]| {
        setup.run(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat()).fails(words);
    };
    start(&["--tls-cert", certificate], &["WISHBONE_TLS_CERT", "WISHBONE_TLS_KEY", "must be set together"]);
    start(&["--tls-key", key], &["must be set together"]);
    let both = |certificate, key, words: &[&str]| start(&["--tls-cert", certificate, "--tls-key", key], words);
    both("/nowhere.pem", key, &["cannot read /nowhere.pem", "check the path"]);
    both(certificate, "/nowhere.pem", &["cannot read /nowhere.pem", "check the path"]);
    both(empty, key, &[empty, "fullchain.pem"]);
    both(certificate, empty, &[empty, "privkey.pem", "openssl pkey"]);
    both(key, certificate, &["fullchain.pem"]);
    both(certificate, other.key.to_str().unwrap(), &["does not belong to", "same renewal"]);
    assert!(!setup.data().exists(), "nothing was made");
}

#[test]
fn an_expired_certificate_is_served_with_an_error_in_the_log() {
    let setup = Setup::new();
    let pair = Pair::make(setup.folder(), "expired", 2001);
    let server = setup.serve(&pair.arguments());
    assert!(server.log().contains("has expired, clients reject it: renew it"), "{}", server.log());
}

#[test]
fn slow_handshakes_are_cut_and_count_as_connections() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let limits = ["--max-connections", "3", "--max-connections-per-address", "3"];
    let server = setup.serve(&[&pair.arguments()[..], &limits[..]].concat());
    let config = client_config(&[pair.der()], &[]);
    // Nothing, the head of a record, and half a greeting.
    let mut slow: Vec<TcpStream> = [&[][..], &[22, 3, 1], &[22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, 7, 7]]
        .into_iter()
        .map(|bytes| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.set_read_timeout(Some(TIMEOUT)).unwrap();
            stream.write_all(bytes).unwrap();
            stream
        })
        .collect();
    until("there is no slot left", || connect(server.address, config.clone()).is_err());
    assert!(server.metric("wishbone_connections_refused_total").unwrap() >= 1.0);
    for stream in &mut slow {
        let _ = stream.read_to_end(&mut Vec::new()).unwrap();
    }
    until("there is room again", || connect(server.address, config.clone()).is_ok());
}

#[test]
fn plain_http_to_the_tls_port_is_told_to_use_https() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "first");
    let server = setup.serve(&pair.arguments());
    let answer = Wire::connect(server.address).ask("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n");
    answer.fails(400, "invalid-parameter");
    assert!(answer.body.contains("use https://"), "{answer:?}");
    // Counted after the answer.
    until("it is counted", || server.metric("wishbone_tls_handshakes_failed_total").is_some_and(|count| count >= 1.0));
}
