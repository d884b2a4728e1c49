//! The login of a guest. The store proves the identity with its API key, or with a token that its server has signed.

use std::sync::Arc;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ring::hmac;
use wishbone_storage::Database;

use crate::error::{Code, Error, Result};
use crate::identity::caller::{Credentials, Shopper, bad_regid, is_client_sessionid};
use crate::identity::guest_sessions::GuestSession;
use crate::identity::profile::normalize_email;
use crate::merging::journal::{FindMergedLists, MergedList};
use crate::merging::merge::{FindLogin, FoundLogin, Leftovers, MergeGuest};
use crate::merging::preview::{DryRun, Preview};
use crate::merging::settle::{settle, settle_by_email};
use crate::moment::{DAY, Millis, Moment};
use crate::stores::admin::StoreAdmin;
use crate::stores::login_secret;
use crate::stores::record::StoreRecord;
use crate::tokens::{Keys, Regid, RegidKind};

/// Maximum lifetime of a login token, which limits the damage of a leak.
const MAX_TOKEN_LIFETIME: Millis = DAY;

/// Base64url with or without padding.
const BASE64_URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A proven login: the holder of a regid is the shopper with an e-mail address.
pub struct Login {
    store: Arc<StoreRecord>,
    regid: Regid,
    email: String,
    sessionid: Option<String>,
}

/// The outcome of a login.
pub struct LoggedIn {
    /// The shopper's.
    pub credentials: Credentials,
    pub leftovers: Leftovers,
    /// What the call has merged: the guest's lists, and where their items are.
    pub lists: Vec<MergedList>,
}

/// A login token and the parameters that it signs, as sent by a storefront.
pub struct LoginToken<'a> {
    pub regid: &'a str,
    pub external_id: &'a str,
    pub email: &'a str,
    pub expires: &'a str,
    pub token: &'a str,
    pub sessionid: &'a str,
}

impl Login {
    /// A login by the store's server, with the API key.
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

    /// A login by a token that the store's server has signed for this regid.
    pub async fn by_token(
        database: &Database,
        keys: &Keys,
        by: &Shopper,
        sent: &LoginToken<'_>,
        now: Millis,
    ) -> Result<Self> {
        let email = normalize_email("useremail", sent.email)?;
        let invalid = || Error::invalid("expires", "must be a time in milliseconds since 1970");
        let expires: Millis = sent.expires.trim().parse().map_err(|_| invalid())?;
        let secret = login_secret::find(database, keys, by.store()).await?;
        let signed = [&*by.store().pid, sent.regid, sent.external_id, sent.email, sent.expires].join("\n");
        let token = BASE64_URL.decode(sent.token.trim()).unwrap_or_default();
        if hmac::verify(&key(&secret), signed.as_bytes(), &token).is_err() {
            return Err(forbidden(
                "invalid token: send base64url of HMAC-SHA256 with the store's login secret over \
                 pid, regid, extuid, useremail and expires, as they are sent, separated by line feeds",
            ));
        }
        if expires <= now || expires > now.saturating_add(MAX_TOKEN_LIFETIME) {
            return Err(forbidden(
                "token has expired, or expires in more than 24 hours: get a new one from the store's server",
            ));
        }
        let sessionid = Some(sent.sessionid.to_owned());
        Ok(Self { store: Arc::clone(by.store()), regid: by.regid(), email, sessionid })
    }

    /// Returns the outcome if there is nothing to merge: storefronts repeat the call on every page.
    pub async fn merged(&self, database: &Database, keys: &Keys, now: Millis) -> Result<Option<LoggedIn>> {
        let found = database.read(self.find()).await?.filter(|found| found.is_settled(now));
        Ok(found.map(|found| self.outcome(keys, &found)))
    }

    /// Completes what is pending of both. Before the merge, which requires that, and after it, for the items that follow later.
    pub async fn settle(&self, database: &Database, moment: &(dyn Fn() -> Moment + Sync)) -> Result<()> {
        let store_id = self.store.store_id;
        settle(database, store_id, self.regid.shopper, moment).await?;
        settle_by_email(database, store_id, &self.email, moment).await
    }

    /// The write that merges the guest into the shopper.
    pub fn merge(&self, keys: &Keys, moment: Moment) -> MergeGuest {
        let (email, sessions) = (self.email.clone(), self.sessions(keys));
        MergeGuest { regid: self.regid, email, sessions, store: Arc::clone(&self.store), moment }
    }

    /// Returns the outcome, after the merge.
    pub async fn logged_in(&self, database: &Database, keys: &Keys) -> Result<LoggedIn> {
        let found = database.read(self.find()).await?.ok_or_else(bad_regid)?;
        let (store_id, guest) = (self.store.store_id, self.regid.shopper);
        let lists = database.read(FindMergedLists { store_id, guest }).await?;
        Ok(LoggedIn { lists, ..self.outcome(keys, &found) })
    }

    fn outcome(&self, keys: &Keys, found: &FoundLogin) -> LoggedIn {
        let credentials = Credentials::of_shopper(keys, &self.store, found.shopper, found.generation);
        LoggedIn { credentials, leftovers: found.leftovers, lists: Vec::new() }
    }

    /// Returns what the merge would do.
    pub async fn preview(self, database: &Database) -> Result<Preview> {
        database.read(DryRun { login: self.find() }).await
    }

    fn find(&self) -> FindLogin {
        FindLogin { store: Arc::clone(&self.store), regid: self.regid, email: self.email.clone() }
    }

    /// The sessionids that the guest may use: those issued with the regid, and the one that a browser chose.
    fn sessions(&self, keys: &Keys) -> Vec<GuestSession> {
        let own = self.sessionid.iter().filter(|_| self.regid.kind == RegidKind::BrowserGuest).cloned();
        let sessionids = keys.sessionids(&self.regid, self.store.generation).chain(own);
        sessionids.map(|sessionid| GuestSession::new(&self.regid, &sessionid)).collect()
    }
}

/// Signs a login as a store's server does: pid, regid, external id, e-mail address and time of expiry.
pub fn sign(secret: &str, signed: [&str; 5]) -> String {
    BASE64_URL.encode(hmac::sign(&key(secret), signed.join("\n").as_bytes()))
}

fn key(secret: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes())
}

fn forbidden(message: &str) -> Error {
    Error::new(Code::Forbidden, message)
}
