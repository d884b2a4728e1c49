//! Tokens that a store's server signs with its login secret.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The random bytes of the login secret of every test store.
pub const LOGIN_SECRET: [u8; 32] = [5; 32];

/// `pid`, `regid`, `extuid`, `useremail` and `expires`, signed.
pub fn login_token(fields: [&str; 5]) -> String {
    sign(&format!("wbl_{}", URL_SAFE_NO_PAD.encode(LOGIN_SECRET)), &fields.join("\n"))
}

pub fn sign(secret: &str, message: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(message);
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}
