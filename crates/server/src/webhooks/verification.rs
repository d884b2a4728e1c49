//! Verifies a delivery, as its receiver does.

use axum::http::{HeaderMap, HeaderName};
use wishbone_core::moment::Millis;
use wishbone_core::webhooks::signature::{Secret, TOLERANCE};

use crate::webhooks::attempt::{ID, SIGNATURE, TIMESTAMP};

/// Returns why a delivery must not be trusted.
pub(crate) fn verify(secret: &Secret, headers: &HeaderMap, body: &[u8], now: Millis) -> Result<(), String> {
    let header = |name: HeaderName| {
        let value = headers.get(&name).and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty());
        value.ok_or_else(|| format!("the header {name} is missing: this is not a webhook"))
    };
    let (id, timestamp, signatures) = (header(ID)?, header(TIMESTAMP)?, header(SIGNATURE)?);
    let timestamp: i64 =
        timestamp.parse().map_err(|_| format!("webhook-timestamp must be in seconds since 1970, got {timestamp:?}"))?;
    if !signatures.split(' ').any(|signature| signature.starts_with("v1,")) {
        return Err(format!("webhook-signature has no signature of version 1 (v1,…), got {signatures:?}"));
    }
    if !secret.verifies(id, timestamp, body, signatures) {
        return Err(
            "the signature does not match: the secret is that of another webhook or was replaced more than 24 hours \
                    ago, or a proxy changed the body"
                .to_owned(),
        );
    }
    let age = now.div_euclid(1_000) - timestamp;
    if age.abs() > TOLERANCE {
        let when = if age > 0 { "old" } else { "in the future" };
        let age = age.abs();
        return Err(format!("webhook-timestamp is {age} seconds {when}: this is a replay, or a clock is wrong"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_700_000_000_000;

    fn problem(change: impl Fn(&mut HeaderMap), body: &[u8]) -> Option<String> {
        let secret = Secret::new([1; 32]);
        let mut headers = HeaderMap::new();
        headers.insert(ID, "msg".parse().unwrap());
        headers.insert(TIMESTAMP, "1700000000".parse().unwrap());
        headers.insert(SIGNATURE, secret.sign("msg", 1_700_000_000, b"{}").parse().unwrap());
        change(&mut headers);
        verify(&secret, &headers, body, NOW).err()
    }

    #[test]
    fn a_delivery_is_trusted_only_if_everything_is_right() {
        assert_eq!(problem(|_| {}, b"{}"), None);
        let told = |change: fn(&mut HeaderMap)| problem(change, b"{}").unwrap();
        assert!(told(|headers| drop(headers.remove(ID))).contains("webhook-id is missing"));
        assert!(told(|headers| drop(headers.insert(ID, "other".parse().unwrap()))).contains("does not match"));
        assert!(told(|headers| drop(headers.insert(TIMESTAMP, "now".parse().unwrap()))).contains("seconds since 1970"));
        assert!(told(|headers| drop(headers.insert(SIGNATURE, "v2,x".parse().unwrap()))).contains("v1"));
        assert!(problem(|_| {}, b"{ }").unwrap().contains("proxy changed the body"));
    }

    #[test]
    fn an_old_delivery_is_a_replay() {
        let secret = Secret::new([1; 32]);
        let mut headers = HeaderMap::new();
        headers.insert(ID, "msg".parse().unwrap());
        headers.insert(TIMESTAMP, "1699999000".parse().unwrap());
        headers.insert(SIGNATURE, secret.sign("msg", 1_699_999_000, b"{}").parse().unwrap());
        let told = verify(&secret, &headers, b"{}", NOW).unwrap_err();
        assert!(told.contains("1000 seconds old"), "{told}");
    }
}
