//! The public URL: whether it leads to this installation, and what stands in between.

use url::Url;
use wishbone_core::moment::Millis;
use wishbone_core::tokens::Keys;

use crate::cli::doctor::client::{self, Answer, Failure};
use crate::cli::doctor::finding::Finding;
use crate::cli::doctor::{certificate, proxy};
use crate::environment::Environment;
use crate::http::handlers::diagnosis::{self, Nonce, Sighting};

const CHECK: &str = "public URL";
const NOT_HERE: &str = "let it lead to this server: check DNS, the proxy, and that the server runs";

pub(super) async fn check(base: Option<&str>, keys: Option<&Keys>, environment: &Environment) -> Vec<Finding> {
    let Some(base) = base else {
        let remedy = "set --public-url (WISHBONE_PUBLIC_URL): links in mails need it";
        return vec![Finding::warning(CHECK, "no public URL is set", remedy)];
    };
    let (now, nonce): (Millis, Nonce) = (environment.now(), environment.random());
    let url = Url::parse(&format!("{}{}", base.trim_end_matches('/'), diagnosis::PATH));
    let Ok(url) = url else {
        return vec![Finding::error(CHECK, format!("{base} is not a URL"), "correct --public-url")];
    };
    // Without keys there is no question, and the server behaves as if there were no such page.
    let question = keys.map(|keys| diagnosis::question(keys, now, &nonce)).unwrap_or_default();
    let headers = [(diagnosis::QUESTION, question.as_str()), ("x-forwarded-for", proxy::FORGED)];
    let answer = match client::get(&url, &headers).await {
        Ok(answer) => answer,
        Err(failure) => return vec![failed(base, failure)],
    };
    let mut findings = Vec::new();
    match (keys, keys.and_then(|keys| read(keys, &nonce, &answer))) {
        (_, Some(seen)) => {
            findings.push(Finding::ok(CHECK, format!("{base} leads to this installation")));
            findings.push(proxy::judge(&seen, answer.from.ip()));
        }
        (None, None) => {
            let fact =
                format!("{base} answers; whether it leads to this installation cannot be told without signing keys");
            findings.push(Finding::warning(CHECK, fact, "run this where the server's signing keys are"));
        }
        // What a server with a certificate says on a plain connection.
        (Some(_), None) if answer.status == 400 && url.scheme() == "http" && speaks_tls(&answer) => {
            let remedy = "begin --public-url with https://";
            findings.push(Finding::error(CHECK, format!("{base} speaks TLS"), remedy));
        }
        (Some(_), None) => {
            let fact = format!("{base} answers with status {}, and does not lead to this installation", answer.status);
            findings.push(Finding::error(CHECK, fact, NOT_HERE));
        }
    }
    if let Some(shown) = &answer.certificate {
        findings.push(certificate::check_shown(shown, now));
    } else if !is_local(&url) {
        let fact = format!("{base} has no TLS: credentials of shoppers can be read on the way");
        findings.push(Finding::error(CHECK, fact, "set --tls-cert and --tls-key, or terminate TLS in a proxy"));
    }
    findings
}

fn failed(base: &str, failure: Failure) -> Finding {
    match failure {
        Failure::Unreachable(problem) => {
            Finding::error(CHECK, format!("cannot connect to {base} ({problem})"), NOT_HERE)
        }
        Failure::Http(problem) => Finding::error(CHECK, format!("{base} gives no valid answer ({problem})"), NOT_HERE),
        Failure::Tls(problem) => {
            let remedy = "install a certificate that clients accept, with its intermediates (certbot: fullchain.pem)";
            Finding::error("certificate", format!("clients reject the certificate of {base} ({problem})"), remedy)
        }
    }
}

/// What a server with these keys has seen.
fn read(keys: &Keys, nonce: &Nonce, answer: &Answer) -> Option<Sighting> {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).ok()?;
    diagnosis::read_answer(keys, nonce, body["answer"].as_str()?)
}

fn speaks_tls(answer: &Answer) -> bool {
    String::from_utf8_lossy(&answer.body).contains("TLS")
}

fn is_local(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}
