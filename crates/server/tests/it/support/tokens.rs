//! Tokens that a store's server signs with its login secret.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;

/// The random bytes of the login secret of every test store.
pub const LOGIN_SECRET: [u8; 32] = [5; 32];

/// `pid`, `regid`, `extuid`, `useremail` and `expires`, signed.
pub fn login_token(fields: [&str; 5]) -> String {
    sign(&format!("wbl_{}", URL_SAFE_NO_PAD.encode(LOGIN_SECRET)), &fields.join("\n"))
}

pub fn sign(secret: &str, message: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    URL_SAFE_NO_PAD.encode(hmac::sign(&key, message.as_bytes()))
}
