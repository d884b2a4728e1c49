//! Whether client addresses can be forged, and whether they are known at all. The question is asked through the public URL
//! with an invented address in `X-Forwarded-For`.

use std::net::IpAddr;

use crate::cli::doctor::finding::Finding;
use crate::http::handlers::diagnosis::Sighting;

const CHECK: &str = "proxy";
/// An address for documentation (RFC 5737), which no client has.
pub(super) const FORGED: &str = "192.0.2.213";
const APPEND: &str = "let the proxy append the client's address (nginx: `proxy_set_header X-Forwarded-For \
                      $proxy_add_x_forwarded_for;`)";

/// `from` is the address that the request was sent from.
pub(super) fn judge(seen: &Sighting, from: IpAddr) -> Finding {
    let is_last = seen.forwarded_for.last().is_some_and(|entry| entry == FORGED);
    let is_unchanged = is_last && seen.forwarded_for.len() == 1;
    // Nothing on the way has left a trace. A proxy on this machine that adds no header cannot be told from none.
    let is_direct = is_unchanged && !seen.has_proxy_headers && seen.peer == from.to_canonical();
    let peer = seen.peer;
    if !seen.trusts_peer {
        if is_unchanged && !seen.has_proxy_headers {
            let fact = format!("no proxy in sight: the client address is that of the connection ({peer})");
            return Finding::ok(CHECK, fact);
        }
        let fact =
            format!("requests come through a proxy at {peer} that is not trusted, so all clients share its limits");
        let remedy = format!("start servers with --trust-proxy {peer} (WISHBONE_TRUST_PROXY)");
        return Finding::error(CHECK, fact, remedy);
    }
    if is_direct {
        let fact = format!("this machine ({peer}) is a trusted proxy itself and reached the server directly");
        let remedy =
            "run this on a machine that is not in --trust-proxy; nobody but proxies should have an address in it";
        return Finding::warning(CHECK, fact, remedy);
    }
    if is_last {
        let fact = format!(
            "clients can forge their address: the trusted proxy at {peer} passes X-Forwarded-For on as it came"
        );
        return Finding::error(CHECK, fact, APPEND);
    }
    if seen.forwarded_for.is_empty() {
        let fact = format!("the trusted proxy at {peer} sends no X-Forwarded-For, so all clients share its limits");
        return Finding::error(CHECK, fact, APPEND);
    }
    Finding::ok(CHECK, format!("the trusted proxy at {peer} tells client addresses, and they cannot be forged"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Status;

    fn judged(peer: &str, trusts_peer: bool, forwarded_for: &[&str], has_proxy_headers: bool) -> (Status, String) {
        let forwarded_for = forwarded_for.iter().map(|entry| (*entry).to_owned()).collect();
        let peer: IpAddr = peer.parse().unwrap();
        let seen = Sighting { peer, trusts_peer, client: peer, forwarded_for, has_proxy_headers };
        let finding = judge(&seen, "198.51.100.1".parse().unwrap());
        (finding.status, finding.as_text())
    }

    #[test]
    fn what_the_server_has_seen_tells_whether_addresses_can_be_forged() {
        for (peer, trusts, forwarded, has_headers, status, word) in [
            ("198.51.100.1", false, &[FORGED][..], false, Status::Ok, "no proxy"),
            // Another address without a trace of a proxy: address translation.
            ("203.0.113.1", false, &[FORGED], false, Status::Ok, "no proxy"),
            ("10.0.0.1", false, &[FORGED, "198.51.100.1"], false, Status::Error, "--trust-proxy 10.0.0.1"),
            ("10.0.0.1", false, &[FORGED], true, Status::Error, "--trust-proxy 10.0.0.1"),
            ("10.0.0.1", false, &[], false, Status::Error, "--trust-proxy 10.0.0.1"),
            ("10.0.0.1", true, &[FORGED, "198.51.100.1"], true, Status::Ok, "cannot be forged"),
            ("10.0.0.1", true, &["198.51.100.1"], false, Status::Ok, "cannot be forged"),
            ("10.0.0.1", true, &[FORGED], true, Status::Error, "proxy_add_x_forwarded_for"),
            ("10.0.0.1", true, &["198.51.100.1", FORGED], false, Status::Error, "can forge"),
            ("10.0.0.1", true, &[], true, Status::Error, "sends no X-Forwarded-For"),
            ("198.51.100.1", true, &[FORGED], false, Status::Warning, "--trust-proxy"),
        ] {
            let (found, text) = judged(peer, trusts, forwarded, has_headers);
            assert_eq!(found, status, "{text}");
            assert!(text.contains(word), "{text}");
        }
    }
}
