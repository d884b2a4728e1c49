//! Signatures by the Standard Webhooks convention: HMAC-SHA256 over id, timestamp and body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::tokens::Keys;

const PREFIX: &str = "whsec_";
const VERSION: &str = "v1,";
pub(crate) const PURPOSE: &[u8] = b"webhook secret";

/// The largest difference between the clocks of sender and receiver, in seconds, as the convention recommends.
pub const TOLERANCE: i64 = 5 * 60;

/// The key of an endpoint, which its receiver knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    pub fn new(random: [u8; 32]) -> Self {
        Self(random.to_vec())
    }

    /// Parses `whsec_…`, of 24 to 64 bytes; the prefix may be missing.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let key = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).ok()?;
        (24..=64).contains(&key.len()).then_some(Self(key))
    }

    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// The signature of a message. `timestamp` is in seconds.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.key(), &signed(id, timestamp, body));
        format!("{VERSION}{}", STANDARD.encode(tag))
    }

    /// True if one of several signatures, separated by spaces, is that of the message.
    pub fn verifies(&self, id: &str, timestamp: i64, body: &[u8], signatures: &str) -> bool {
        let (key, signed) = (self.key(), signed(id, timestamp, body));
        signatures
            .split(' ')
            .filter_map(|signature| STANDARD.decode(signature.strip_prefix(VERSION)?).ok())
            .any(|signature| hmac::verify(&key, &signed, &signature).is_ok())
    }

    fn key(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &self.0)
    }

    /// Encrypts the secret of an endpoint, to be stored.
    pub(crate) fn seal(&self, keys: &Keys, webhook: &Uuid, nonce: [u8; 12]) -> Result<Vec<u8>> {
        let sealed = keys.encrypt(PURPOSE, webhook.as_bytes(), nonce, &self.0);
        sealed.ok_or_else(|| Error::internal("the webhook secret could not be encrypted"))
    }

    pub(crate) fn open(keys: &Keys, webhook: &Uuid, sealed: &[u8]) -> Result<Self> {
        let opened = keys.decrypt(PURPOSE, webhook.as_bytes(), sealed).map(Self);
        opened.ok_or_else(|| {
            Error::internal(
                "the webhook secret was encrypted with a key that is not among the signing keys: call webhooks/rotate",
            )
        })
    }
}

fn signed(id: &str, timestamp: i64, body: &[u8]) -> Vec<u8> {
    [format!("{id}.{timestamp}.").as_bytes(), body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the reference libraries of the convention.
    #[test]
    fn the_signature_is_that_of_the_standard() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let (id, timestamp, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        let signature = secret.sign(id, timestamp, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert!(secret.verifies(id, timestamp, body, &format!("v1,AAAA v2,x {signature}")));
        assert!(!secret.verifies(id, timestamp + 1, body, &signature));
        assert!(!secret.verifies(id, timestamp, b"{}", &signature));
        assert!(!secret.verifies(id, timestamp, body, ""));
    }

    #[test]
    fn a_secret_survives_its_text() {
        let secret = Secret::new([7; 32]);
        assert!(secret.to_text().starts_with("whsec_"));
        assert!(Secret::parse(&secret.to_text()) == Some(secret));
        assert!(Secret::parse("whsec_not base64").is_none() && Secret::parse("whsec_").is_none());
    }
}
