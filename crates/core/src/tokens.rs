//! Regids, sessionids and page tokens. They are signed with HMAC: issuing one stores nothing, and all survive a restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::{digest, hmac};
use subtle::ConstantTimeEq;
use uuid::{Builder, Uuid};
use wishbone_storage::{FromRow, Row};

/// Bytes of a MAC that are part of a token: 128 bits cannot be guessed online.
const TAG_LENGTH: usize = 16;
const REGID_LENGTH: usize = 1 + 8 + 16 + 8;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShopperId(pub [u8; 16]);

impl ShopperId {
    /// The guest of a device that the store identifies by a uuid. Derived, so that it needs no row.
    pub fn of_device(store_id: i64, device: Uuid) -> Self {
        Self(derive(b"device", &[&store_id.to_be_bytes(), device.as_bytes()]))
    }

    /// The guest of the same device after `epoch` logins: each login retires the device's guest, and the next person gets
    /// a new one. The mapping is its own inverse.
    #[must_use]
    pub(crate) fn in_epoch(self, store_id: i64, epoch: i64) -> Self {
        if epoch == 0 {
            return self;
        }
        let mask = derive(b"device epoch", &[&store_id.to_be_bytes(), &epoch.to_be_bytes()]);
        Self(std::array::from_fn(|i| self.0[i] ^ mask[i]))
    }

    /// The owner of subscriptions by phone number.
    pub fn of_phone(store_id: i64, number: &str) -> Self {
        Self(derive(b"phone", &[&store_id.to_be_bytes(), number.as_bytes()]))
    }

    /// The shopper's public identifier.
    pub fn uid(&self, store_id: i64) -> String {
        STANDARD.encode(hash(b"uid", &[&store_id.to_be_bytes(), &self.0]))
    }

    pub fn from_slice(bytes: &[u8]) -> wishbone_storage::Result<Self> {
        bytes.try_into().map(Self).map_err(wishbone_storage::Error::bug)
    }
}

impl FromRow for ShopperId {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Self::from_slice(row.blob(0)?)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegidKind {
    /// Issued to the store for an e-mail address: logged in.
    LoggedIn,
    /// Issued to the store for a device's uuid.
    DeviceGuest,
    /// Issued to anyone; accepts any sessionid that the browser chooses.
    BrowserGuest,
}

/// The content of a regid whose signature was verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Regid {
    pub kind: RegidKind,
    pub store_id: i64,
    pub shopper: ShopperId,
    /// For browser guests, the store's generation: raising it revokes them all. For guests of a device, its epoch.
    pub generation: i64,
}

impl Regid {
    fn to_bytes(self) -> [u8; REGID_LENGTH] {
        let mut out = [0; REGID_LENGTH];
        out[0] = match self.kind {
            RegidKind::LoggedIn => 1,
            RegidKind::DeviceGuest => 2,
            RegidKind::BrowserGuest => 3,
        };
        out[1..9].copy_from_slice(&self.store_id.to_be_bytes());
        out[9..25].copy_from_slice(&self.shopper.0);
        out[25..].copy_from_slice(&self.generation.to_be_bytes());
        out
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let kind = match bytes.first()? {
            1 => RegidKind::LoggedIn,
            2 => RegidKind::DeviceGuest,
            3 => RegidKind::BrowserGuest,
            _ => return None,
        };
        Some(Self {
            kind,
            store_id: i64::from_be_bytes(bytes.get(1..9)?.try_into().ok()?),
            shopper: ShopperId(bytes.get(9..25)?.try_into().ok()?),
            generation: i64::from_be_bytes(bytes.get(25..)?.try_into().ok()?),
        })
    }
}

/// The signing keys, newest first. The first one signs and all are accepted, so that rotating a key logs nobody out.
#[derive(Clone)]
pub struct Keys(Arc<[Key]>);

struct Key {
    mac: hmac::Key,
    /// Whether a token of this key was accepted since [`Keys::take_accepted`] was last called.
    was_accepted: AtomicBool,
}

impl Key {
    /// Identifies the key without revealing it.
    fn fingerprint(&self) -> String {
        hmac::sign(&self.mac, b"fingerprint").as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Keys {
    /// Returns `None` without a key, or if one has less than 32 bytes.
    pub fn new(keys: &[Vec<u8>]) -> Option<Self> {
        if keys.is_empty() || keys.iter().any(|key| key.len() < 32) {
            return None;
        }
        let key = |key: &Vec<u8>| {
            let mac = hmac::Key::new(hmac::HMAC_SHA256, key);
            Key { mac, was_accepted: AtomicBool::new(false) }
        };
        Some(Self(keys.iter().map(key).collect()))
    }

    /// The fingerprints of all keys, in their order.
    pub fn fingerprints(&self) -> Vec<String> {
        self.0.iter().map(Key::fingerprint).collect()
    }

    /// The fingerprints of keys, other than the first, of which tokens were accepted since the last call.
    pub fn take_accepted(&self) -> Vec<String> {
        let accepted = self.0.iter().skip(1).filter(|key| key.was_accepted.swap(false, Ordering::Relaxed));
        accepted.map(Key::fingerprint).collect()
    }

    /// True if `verifies` holds for one of the keys.
    fn accepts(&self, verifies: impl Fn(&hmac::Key) -> bool) -> bool {
        let accepted = self.0.iter().position(|key| verifies(&key.mac));
        if let Some(number @ 1..) = accepted {
            self.0[number].was_accepted.store(true, Ordering::Relaxed);
        }
        accepted.is_some()
    }

    pub fn regid(&self, regid: Regid) -> String {
        self.seal(b"regid", &[], &regid.to_bytes())
    }

    pub fn read_regid(&self, text: &str) -> Option<Regid> {
        Regid::from_bytes(&self.unseal(b"regid", &[], text)?)
    }

    /// The sessionid of a regid. Raising either generation revokes it.
    pub fn sessionid(&self, regid: &Regid, store_generation: i64, shopper_generation: i64) -> String {
        session(&self.0[0].mac, regid, store_generation, shopper_generation)
    }

    /// Every sessionid that may have been issued with a guest's regid: one for each key.
    pub(crate) fn sessionids(&self, regid: &Regid, store_generation: i64) -> impl Iterator<Item = String> {
        self.0.iter().map(move |key| session(&key.mac, regid, store_generation, 0))
    }

    pub fn accepts_sessionid(&self, text: &str, regid: &Regid, store_generation: i64, shopper_generation: i64) -> bool {
        self.accepts(|key| {
            let expected = session(key, regid, store_generation, shopper_generation);
            expected.as_bytes().ct_eq(text.as_bytes()).into()
        })
    }

    /// Signs a body for one purpose and context. The context is not part of the token.
    pub fn seal(&self, purpose: &[u8], context: &[&[u8]], body: &[u8]) -> String {
        let mut out = body.to_vec();
        out.extend_from_slice(&tag(&self.0[0].mac, purpose, context, body));
        URL_SAFE_NO_PAD.encode(out)
    }

    /// Encrypts with a nonce that must be random and used once.
    pub(crate) fn encrypt(
        &self,
        purpose: &[u8],
        context: &[u8],
        nonce: [u8; NONCE_LEN],
        plain: &[u8],
    ) -> Option<Vec<u8>> {
        let mut sealed = plain.to_vec();
        let key = encryption_key(&self.0[0].mac, purpose)?;
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(context), &mut sealed).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// Encrypts for a URL, which ends up in logs. The nonce is derived with the key: the same text has the same token, and
    /// a token does not help to guess its text.
    pub(crate) fn encrypt_token(&self, purpose: &[u8], plain: &[u8]) -> Option<String> {
        let nonce = tag(&self.0[0].mac, purpose, &[b"nonce"], plain).first_chunk().copied()?;
        Some(URL_SAFE_NO_PAD.encode(self.encrypt(purpose, &[], nonce, plain)?))
    }

    pub(crate) fn decrypt_token(&self, purpose: &[u8], token: &str) -> Option<Vec<u8>> {
        self.decrypt(purpose, &[], &URL_SAFE_NO_PAD.decode(token).ok()?)
    }

    pub(crate) fn decrypt(&self, purpose: &[u8], context: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        self.decrypt_with(purpose, context, sealed).map(|(_, plain)| plain)
    }

    /// Decrypts, and tells with which key.
    pub(crate) fn decrypt_with(&self, purpose: &[u8], context: &[u8], sealed: &[u8]) -> Option<(usize, Vec<u8>)> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        self.0.iter().enumerate().find_map(|(number, key)| {
            let (key, mut plain) = (encryption_key(&key.mac, purpose)?, sealed.to_vec());
            let opened = key.open_in_place(Nonce::assume_unique_for_key(*nonce), Aad::from(context), &mut plain);
            opened.ok().map(|plain| (number, plain.to_vec()))
        })
    }

    pub fn unseal(&self, purpose: &[u8], context: &[&[u8]], text: &str) -> Option<Vec<u8>> {
        let mut bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let body_length = bytes.len().checked_sub(TAG_LENGTH)?;
        let (body, given) = bytes.split_at(body_length);
        let genuine = self.accepts(|key| tag(key, purpose, context, body).ct_eq(given).into());
        genuine.then(|| {
            bytes.truncate(body_length);
            bytes
        })
    }
}

/// The hash by which a sessionid is stored.
pub(crate) fn session_hash(store_id: i64, sessionid: &str) -> [u8; 32] {
    hash(b"session", &[&store_id.to_be_bytes(), sessionid.as_bytes()])
}

/// Derives an encryption key for one purpose from a signing key.
fn encryption_key(key: &hmac::Key, purpose: &[u8]) -> Option<LessSafeKey> {
    let derived = hmac::sign(key, &[b"encryption", purpose].concat());
    UnboundKey::new(&CHACHA20_POLY1305, derived.as_ref()).ok().map(LessSafeKey::new)
}

fn session(key: &hmac::Key, regid: &Regid, store_generation: i64, shopper_generation: i64) -> String {
    let context: [&[u8]; 2] = [&store_generation.to_be_bytes(), &shopper_generation.to_be_bytes()];
    let uuid = Builder::from_random_bytes(tag(key, b"session", &context, &regid.to_bytes())).into_uuid();
    format!("{uuid}-API")
}

fn tag(key: &hmac::Key, purpose: &[u8], context: &[&[u8]], body: &[u8]) -> [u8; TAG_LENGTH] {
    let mut mac = hmac::Context::with_key(key);
    for part in std::iter::once(&purpose).chain(context).chain([&body]) {
        mac.update(&part.len().to_be_bytes());
        mac.update(part);
    }
    let mut out = [0; TAG_LENGTH];
    out.copy_from_slice(&mac.sign().as_ref()[..TAG_LENGTH]);
    out
}

pub(crate) fn hash(purpose: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = digest::Context::new(&digest::SHA256);
    for part in std::iter::once(&purpose).chain(parts) {
        hasher.update(&part.len().to_be_bytes());
        hasher.update(part);
    }
    let mut out = [0; 32];
    out.copy_from_slice(hasher.finish().as_ref());
    out
}

fn derive(purpose: &[u8], parts: &[&[u8]]) -> [u8; 16] {
    let mut out = [0; 16];
    out.copy_from_slice(&hash(purpose, parts)[..16]);
    out
}

/// The device of a session: a uuid for browsers, `…-API` for other callers. It is derived, because records must not
/// contain the sessionid itself.
pub(crate) fn device(regid: &Regid, sessionid: &str) -> String {
    let uuid = Builder::from_random_bytes(derive(b"device of", &[&regid.shopper.0, sessionid.as_bytes()])).into_uuid();
    match regid.kind {
        RegidKind::BrowserGuest => uuid.to_string(),
        RegidKind::LoggedIn | RegidKind::DeviceGuest => format!("{uuid}-API"),
    }
}

/// Makes a store's pid from 32 random bytes.
pub fn pid(random: &[u8; 32]) -> String {
    STANDARD.encode(random)
}

/// True for standard base64 of 32 bytes, the form of a pid.
pub fn is_pid(text: &str) -> bool {
    STANDARD.decode(text).is_ok_and(|bytes| bytes.len() == 32)
}

/// Makes an API key from 32 random bytes.
pub fn api_key(random: &[u8; 32]) -> String {
    format!("wb_{}", URL_SAFE_NO_PAD.encode(random))
}

/// The hash by which an API key is stored. A plain hash suffices, since a key has 256 random bits.
pub fn api_key_hash(key: &str) -> [u8; 32] {
    hash(b"api key", &[key.as_bytes()])
}

pub(crate) fn api_key_matches(key: &str, stored: &[u8]) -> bool {
    api_key_hash(key).ct_eq(stored).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Keys {
        Keys::new(&bytes.iter().map(|byte| vec![*byte; 32]).collect::<Vec<_>>()).unwrap()
    }

    fn regid() -> Regid {
        Regid { kind: RegidKind::LoggedIn, store_id: 7, shopper: ShopperId([9; 16]), generation: 0 }
    }

    #[test]
    fn a_regid_is_long_and_url_safe_and_can_be_read() {
        let text = keys(&[1]).regid(regid());
        assert!(text.len() >= 64, "{text}");
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{text}");
        assert_eq!(keys(&[1]).read_regid(&text), Some(regid()));
    }

    /// Computed by another implementation: what was issued and stored stays valid whatever the library.
    #[test]
    fn tokens_are_what_they_have_always_been() {
        let keys = keys(&[1]);
        assert_eq!(keys.regid(regid()), "AQAAAAAAAAAHCQkJCQkJCQkJCQkJCQkJCQAAAAAAAAAACeUCxlSdJtQ-OSD8d4m88Q");
        assert_eq!(keys.sessionid(&regid(), 0, 0), "c5229b18-48b8-47ea-8191-81365f911ad4-API");
        assert_eq!(regid().shopper.uid(7), "NOX/1mqQyTBE5p+vyStWnhrdpw6L/PPWb1QowRPcSE8=");
        assert_eq!(keys.fingerprints(), ["d0b2f868470e3a31"]);
        let sealed = keys.encrypt(b"a", b"x", [3; 12], b"plain").unwrap();
        let hex: String = sealed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "03030303030303030303030309a3b1dcae19815fb47a77eaa733aa0ad126ea45a7");
    }

    #[test]
    fn a_changed_character_anywhere_is_rejected() {
        let text = keys(&[1]).regid(regid());
        for i in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[i] = if bytes[i] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(changed == text || keys(&[1]).read_regid(&changed).is_none(), "{changed}");
        }
    }

    #[test]
    fn after_a_rotation_tokens_of_the_old_key_are_accepted() {
        let (text, session) = (keys(&[1]).regid(regid()), keys(&[1]).sessionid(&regid(), 0, 0));
        assert_eq!(keys(&[2, 1]).read_regid(&text), Some(regid()));
        assert!(keys(&[2, 1]).accepts_sessionid(&session, &regid(), 0, 0));
        assert_eq!(keys(&[2]).read_regid(&text), None);
    }

    #[test]
    fn raising_either_generation_revokes_a_sessionid() {
        let session = keys(&[1]).sessionid(&regid(), 0, 0);
        assert!(session.ends_with("-API") && Uuid::parse_str(&session[..36]).is_ok(), "{session}");
        assert!(keys(&[1]).accepts_sessionid(&session, &regid(), 0, 0));
        assert!(!keys(&[1]).accepts_sessionid(&session, &regid(), 1, 0));
        assert!(!keys(&[1]).accepts_sessionid(&session, &regid(), 0, 1));
    }

    #[test]
    fn any_of_the_keys_decrypts_for_the_same_purpose_and_context_only() {
        let sealed = keys(&[1]).encrypt(b"a", b"x", [3; 12], b"plain").unwrap();
        assert!(!sealed.windows(5).any(|part| part == b"plain"));
        assert_eq!(keys(&[2, 1]).decrypt(b"a", b"x", &sealed).as_deref(), Some(&b"plain"[..]));
        for (keys, purpose, context) in [(keys(&[2]), b"a", b"x"), (keys(&[1]), b"b", b"x"), (keys(&[1]), b"a", b"y")] {
            assert_eq!(keys.decrypt(purpose, context, &sealed), None);
        }
        assert_eq!(keys(&[1]).decrypt(b"a", b"x", b"short"), None);
    }

    #[test]
    fn an_encrypted_token_is_the_same_for_the_same_text_and_purpose_only() {
        let token = |key: u8, purpose: &[u8], plain: &[u8]| keys(&[key]).encrypt_token(purpose, plain).unwrap();
        let first = token(1, b"a", b"ann@example.com");
        assert_eq!(token(1, b"a", b"ann@example.com"), first);
        for other in [token(2, b"a", b"ann@example.com"), token(1, b"b", b"ann@example.com"), token(1, b"a", b"x")] {
            assert_ne!(other[..16], first[..16], "another nonce");
        }
        assert_eq!(keys(&[2, 1]).decrypt_token(b"a", &first).as_deref(), Some(&b"ann@example.com"[..]));
        assert_eq!(keys(&[1]).decrypt_token(b"b", &first), None);
    }

    #[test]
    fn epochs_give_distinct_guests_and_lead_back_to_the_first() {
        let first = ShopperId::of_device(7, Uuid::from_bytes([5; 16]));
        assert_eq!(first.in_epoch(7, 0), first);
        let next = first.in_epoch(7, 1);
        assert!(next != first && next != first.in_epoch(7, 2) && next != first.in_epoch(8, 1));
        assert_eq!(next.in_epoch(7, 1), first);
    }

    #[test]
    fn a_signature_is_valid_for_its_purpose_and_context_only() {
        let keys = keys(&[1]);
        let text = keys.seal(b"a", &[b"x"], b"body");
        assert_eq!(keys.unseal(b"a", &[b"x"], &text).as_deref(), Some(&b"body"[..]));
        assert_eq!(keys.unseal(b"b", &[b"x"], &text), None);
        assert_eq!(keys.unseal(b"a", &[b"y"], &text), None);
    }
}
