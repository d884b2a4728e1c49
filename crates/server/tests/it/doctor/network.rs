//! Mail servers, certificates, public URLs and proxies that do not work.

use wishbone_core::moment::iso8601;
use wishbone_server::environment::Environment;

use super::{Report, free_port};
use crate::support::certificates::Pair;
use crate::support::process::{Server, Setup};
use crate::support::proxy::{self, Forwarding};
use crate::support::smtp::SmtpServer;

#[test]
fn a_mail_server_that_cannot_be_used_is_an_error() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "mail");
    let smtp = SmtpServer::private(setup.folder(), [&pair.certificate, &pair.key], "ann", "secret", true);
    let url = |password: &str, port: u16| format!("smtps://ann:{password}@localhost:{port}");
    let report = |url: &str, trusted: bool| {
        let settings = ["--smtp", url, "--mail-from", "a@example.com", "--public-url", "http://localhost:1"];
        let mut command = setup.command(&[&["doctor"][..], &settings].concat());
        if trusted {
            command.env("SSL_CERT_FILE", &pair.certificate);
        }
        Report::of(command)
    };
    report(&url("secret", smtp.port()), true).has("mail", "ok", "accepts this server", "");
    let remedy = "user and password in --smtp";
    report(&url("wrong", smtp.port()), true).has("mail", "error", "(535)", remedy);
    report(&url("secret", smtp.port()), false).has("mail", "error", "UnknownIssuer", remedy);
    report(&url("secret", 1), true).has("mail", "error", "cannot connect", remedy);
    Report::run(&setup, &[]).has("mail", "warning", "and not sent", "--smtp");
}

#[test]
fn certificates_that_clients_reject_are_errors() {
    let setup = Setup::new();
    let report = |pair: &Pair, url: Option<&str>, trusted: bool| {
        let mut command = setup.command(&[&["doctor"][..], &pair.arguments()].concat());
        command.args(url.map(|url| ["--public-url", url]).into_iter().flatten());
        if trusted {
            command.env("SSL_CERT_FILE", &pair.certificate);
        }
        Report::of(command)
    };
    let (good, expired) = (Pair::valid(setup.folder(), "good"), Pair::make(setup.folder(), "expired", 2001));
    report(&good, None, true).has("certificate", "ok", "is valid for", "");
    report(&expired, None, true).has("certificate", "error", "has expired (2001-12-31", "certbot renew");
    report(&good, None, false).has("certificate", "error", "does not lead to a root certificate", "fullchain.pem");
    let other = report(&good, Some("https://127.0.0.2:1"), true);
    other.has("certificate", "error", "is not valid for 127.0.0.2", "--public-url");
    let day = iso8601(Environment::Real.now() + 5 * 24 * 3_600_000);
    let part = |range: std::ops::Range<usize>| day[range].parse::<u16>().unwrap();
    let (month, day) = (part(5..7) as u8, part(8..10) as u8);
    let soon = Pair::until(setup.folder(), "soon", (i32::from(part(0..4)), month, day));
    report(&soon, None, true).has("certificate", "warning", "expires in 4 days", "check that its renewal works");
}

#[test]
fn a_certificate_of_the_public_url_that_clients_reject_is_an_error() {
    let setup = Setup::new();
    let pair = Pair::valid(setup.folder(), "unknown");
    let server = setup.serve(&pair.arguments());
    let url = format!("https://localhost:{}", server.address.port());
    let report = Report::run(&setup, &["--public-url", &url]);
    report.has("certificate", "error", "clients reject the certificate of https://localhost", "intermediates");
}

#[test]
fn a_public_url_must_lead_to_this_installation() {
    let (setup, other) = (Setup::new(), Setup::new());
    let (server, stranger) = (setup.serve(&[]), other.serve(&[]));
    let at = |port: u16| format!("http://localhost:{port}");
    let report = |url: &str| Report::run(&setup, &["--public-url", url]);
    report(&at(server.address.port())).has("public URL", "ok", "leads to this installation", "");
    let found = report(&at(stranger.address.port()));
    found.has("public URL", "error", "answers with status 404, and does not lead to this installation", "check DNS");
    report(&at(free_port())).has("public URL", "error", "cannot connect to", "that the server runs");
    report("http://nobody.invalid").has("public URL", "error", "cannot connect to", "check DNS");
    let found = report(&format!("http://127.0.0.2:{}", server.address.port()));
    found.has("public URL", "error", "cannot connect to", "");
}

#[test]
fn a_public_url_without_tls_is_an_error() {
    let setup = Setup::new();
    let server =
        crate::support::process::Server::start(setup.command(&["serve", "--listen", "127.0.0.2:0"]), setup.folder());
    let report = Report::run(&setup, &["--public-url", &format!("http://{}", server.address)]);
    report.has("public URL", "error", "has no TLS", "--tls-cert");
}

/// What the doctor says about a server behind a proxy.
fn behind(setup: &Setup, server: &Server, forwarding: Forwarding) -> Report {
    let proxy = proxy::start(server.address, forwarding);
    Report::run(setup, &["--public-url", &format!("http://localhost:{}", proxy.port())])
}

#[test]
fn a_proxy_must_be_trusted_and_must_tell_client_addresses() {
    let setup = Setup::new();
    let untrusting = setup.serve(&[]);
    let found = behind(&setup, &untrusting, Forwarding::Append);
    found.has("proxy", "error", "a proxy at 127.0.0.1 that is not trusted", "--trust-proxy 127.0.0.1");
    untrusting.stop();
    let server = setup.serve(&["--trust-proxy", "127.0.0.1"]);
    behind(&setup, &server, Forwarding::Append).has("proxy", "ok", "cannot be forged", "");
    let found = behind(&setup, &server, Forwarding::Keep);
    found.has("proxy", "error", "clients can forge their address", "proxy_add_x_forwarded_for");
    let found = behind(&setup, &server, Forwarding::Remove);
    found.has("proxy", "error", "sends no X-Forwarded-For", "proxy_add_x_forwarded_for");
    let url = format!("http://localhost:{}", server.address.port());
    let direct = Report::run(&setup, &["--public-url", &url]);
    direct.has("proxy", "warning", "is a trusted proxy itself", "not in --trust-proxy");
}

#[test]
fn nobody_else_gets_an_answer_to_the_question_of_the_doctor() {
    let setup = Setup::new();
    let server = setup.serve(&[]);
    server.get("/api/v3/diagnosis").fails(404, "not-found");
    for question in ["", "x", "AAAA", &"A".repeat(60)] {
        let request = format!("GET /api/v3/diagnosis HTTP/1.1\r\nHost: t\r\nX-Wishbone-Diagnosis: {question}\r\n\r\n");
        server.connect().ask(&request).fails(404, "not-found");
    }
}
