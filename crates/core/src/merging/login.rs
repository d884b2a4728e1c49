//! A guest logs in: the store vouches for who it is, with its key or with a token that its server has signed.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use wishbone_storage::Database;

use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, Shopper, bad_regid, is_client_sessionid};
use crate::identity::guest_sessions::GuestSession;
use crate::identity::profile::{FindByEmail, normalize_email};
use crate::merging::merge::{FindLogin, MergeGuest};
use crate::merging::preview::{DryRun, Preview};
use crate::moment::{Millis, Moment};
use crate::stores::admin::StoreAdmin;
use crate::stores::login_secret;
use crate::stores::record::StoreRecord;
use crate::tokens::{Keys, Regid, RegidKind};

/// How far ahead a token may expire: one that leaks is of use to nobody the day after.
const LONGEST_TOKEN: Millis = 24 * 60 * 60 * 1_000;

/// With or without the `=` at the end.
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Someone who is known to be the shopper with an address, and was the holder of a regid until now.
pub struct Login {
    store: Arc<StoreRecord>,
    regid: Regid,
    email: String,
    sessionid: Option<String>,
}

/// What a storefront's page brings from its server, in the words of the request.
pub struct Token<'a> {
    pub regid: &'a str,
    pub external_id: &'a str,
    pub email: &'a str,
    pub expires: &'a str,
    pub token: &'a str,
    pub sessionid: &'a str,
}

impl Login {
    /// The store's own server says who it is.
    pub fn by_store(by: &StoreAdmin, keys: &Keys, regid: &str, email: String, sessionid: Option<&str>) -> Result<Self> {
        let store = Arc::clone(by.store());
        let regid = keys.read_regid(regid).filter(|regid| regid.store_id == store.store_id).ok_or_else(bad_regid)?;
        if regid.kind == RegidKind::BrowserGuest && regid.generation != store.generation {
            return Err(bad_regid());
        }
        if sessionid.is_some_and(|sessionid| !is_client_sessionid(sessionid)) {
            return Err(Error::invalid("sessionid", "must be 8 to 128 characters of A-Z a-z 0-9 - _"));
        }
        Ok(Self { store, regid, email, sessionid: sessionid.map(str::to_owned) })
    }

    /// The store's server has signed who it is, for this regid alone.
    pub async fn by_token(
        database: &Database,
        keys: &Keys,
        by: &Shopper,
        sent: &Token<'_>,
        now: Millis,
    ) -> Result<Self> {
        let email = normalize_email("useremail", sent.email)?;
        let whole = || Error::invalid("expires", "must be a time in milliseconds since 1970");
        let expires: Millis = sent.expires.trim().parse().map_err(|_| whole())?;
        let secret = login_secret::find(database, keys, by.store()).await?;
        let message = [&by.store().pid, sent.regid, sent.external_id, sent.email, sent.expires].join("\n");
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(Error::internal)?.chain_update(message);
        let token = BASE64_URL.decode(sent.token.trim()).unwrap_or_default();
        if mac.verify_slice(&token).is_err() {
            return Err(refused(
                "token is not right: it is base64url of HMAC-SHA256 with the store's login secret over \
                 pid, regid, extuid, useremail and expires, as they are sent, with line feeds between them",
            ));
        }
        if expires <= now || expires > now.saturating_add(LONGEST_TOKEN) {
            return Err(refused(
                "token has expired, or expires more than 24 hours from now: have the store's server make a new one",
            ));
        }
        let sessionid = Some(sent.sessionid.to_owned());
        Ok(Self { store: Arc::clone(by.store()), regid: by.regid(), email, sessionid })
    }

    /// What the shopper calls with from now on, if the guest has become the shopper already: pages say so again and again,
    /// and it changes nothing.
    pub async fn known(&self, database: &Database, keys: &Keys) -> Result<Option<Credentials>> {
        let known = database.read(self.find()).await?;
        Ok(known.map(|(shopper, generation)| Credentials::of_shopper(keys, &self.store, shopper, generation)))
    }

    /// Makes what the guest has the shopper's.
    pub fn merge(&self, keys: &Keys, moment: Moment) -> MergeGuest {
        let (email, sessions) = (self.email.clone(), self.sessions(keys));
        MergeGuest { regid: self.regid, email, sessions, store_generation: self.store.generation, moment }
    }

    /// What the shopper calls with, whatever has become of the guest since.
    pub async fn credentials(&self, database: &Database, keys: &Keys) -> Result<Credentials> {
        let found = FindByEmail { store_id: self.store.store_id, email: self.email.clone() };
        let (shopper, generation) = database.read(found).await?.ok_or_else(bad_regid)?;
        Ok(Credentials::of_shopper(keys, &self.store, shopper, generation))
    }

    /// What merging would do.
    pub async fn preview(self, database: &Database) -> Result<Preview> {
        database.read(DryRun { login: self.find() }).await
    }

    fn find(&self) -> FindLogin {
        FindLogin { regid: self.regid, email: self.email.clone() }
    }

    /// Those that the guest may have: what we made, and what a browser made up and is known to use.
    fn sessions(&self, keys: &Keys) -> Vec<GuestSession> {
        let own = self.sessionid.iter().filter(|_| self.regid.kind == RegidKind::BrowserGuest).cloned();
        let sessionids = keys.sessionids(&self.regid, self.store.generation).chain(own);
        sessionids.map(|sessionid| GuestSession::new(&self.regid, &sessionid)).collect()
    }
}

fn refused(message: &str) -> Error {
    Error::new(Code::Forbidden, message)
}
