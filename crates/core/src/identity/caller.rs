//! The shopper as a caller. A caller can only be obtained by authentication and is the only source of a store's id, so an
//! operation that takes one cannot reach another store's rows.

use std::sync::Arc;

use wishbone_storage::Database;

use crate::error::{Code, Error, Result};
use crate::identity::guest_sessions::FindGuestSession;
use crate::identity::profile::{FindEpoch, FindShopper, Profile};
use crate::stores::admin::StoreAdmin;
use crate::stores::record::{FindStore, StoreRecord, unknown};
use crate::stores::record_cache::RecordCache;
use crate::stores::settings::Feature;
use crate::tokens::{self, Keys, Regid, RegidKind, ShopperId};

/// The regid and the sessionid of a shopper's calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    pub regid: String,
    pub sessionid: String,
}

impl Credentials {
    /// `generation` is the shopper's, or 0 for guests.
    pub(crate) fn of(keys: &Keys, store: &StoreRecord, regid: Regid, generation: i64) -> Self {
        Self { sessionid: keys.sessionid(&regid, store.generation, generation), regid: keys.regid(regid) }
    }

    pub(crate) fn of_shopper(keys: &Keys, store: &StoreRecord, shopper: ShopperId, generation: i64) -> Self {
        let regid = Regid { kind: RegidKind::LoggedIn, store_id: store.store_id, shopper, generation: 0 };
        Self::of(keys, store, regid, generation)
    }
}

/// Returns the credentials of the guest of a device. Reads one row, writes nothing.
pub async fn device_guest(
    database: &Database,
    keys: &Keys,
    by: &StoreAdmin,
    device: uuid::Uuid,
) -> Result<Credentials> {
    let store_id = by.store_id();
    let first = ShopperId::of_device(store_id, device);
    let epoch = database.read(FindEpoch { by: by.clone(), first }).await?;
    let shopper = first.in_epoch(store_id, epoch);
    let regid = Regid { kind: RegidKind::DeviceGuest, store_id, shopper, generation: epoch };
    Ok(Credentials::of(keys, by.store(), regid, 0))
}

/// Returns the credentials of a new browser guest. Writes nothing.
pub fn register_browser(keys: &Keys, store: &StoreRecord, random: [u8; 16]) -> Credentials {
    let regid = Regid {
        kind: RegidKind::BrowserGuest,
        store_id: store.store_id,
        shopper: ShopperId(random),
        generation: store.generation,
    };
    Credentials::of(keys, store, regid, 0)
}

/// The store of a call and the shopper that its regid names, before the sessionid is checked.
pub struct Claim {
    store: Arc<StoreRecord>,
    regid: Option<Regid>,
    profile: Option<Profile>,
}

impl Claim {
    pub async fn look_up(
        database: &Database,
        keys: &Keys,
        pid: &str,
        regid: Option<&str>,
        stores: &RecordCache,
    ) -> Result<Self> {
        let Some(regid) = regid.and_then(|text| keys.read_regid(text)) else {
            // Without a shopper, no shard is needed: `stores` is on every node.
            let record = database.read(FindStore { pid: pid.to_owned() }).await?.ok_or_else(|| unknown(pid))?;
            return Ok(Self { store: Arc::new(record), regid: None, profile: None });
        };
        let (known_stamp, known) = stores.find(regid.store_id, pid).unzip();
        let shopper = (regid.store_id, regid.shopper);
        let found = database.read(FindShopper { pid: pid.to_owned(), shopper, known_stamp }).await?;
        let known = known.filter(|_| found.stamp == known_stamp);
        let read = found.store.map(|record| stores.share(record, found.stamp));
        let store = read.or(known).ok_or_else(|| unknown(pid))?;
        Ok(Self { store, regid: Some(regid), profile: found.profile })
    }

    pub fn store(&self) -> &Arc<StoreRecord> {
        &self.store
    }

    /// Returns the shopper, if store, regid and sessionid belong together.
    pub async fn prove(self, database: &Database, keys: &Keys, sessionid: &str) -> Result<Shopper> {
        let regid = self.regid.ok_or_else(bad_regid)?;
        let device = if is_authentic(keys, &regid, sessionid, &self.store, self.profile.as_ref()) {
            tokens::device(&regid, sessionid)
        } else {
            self.guest_session(database, &regid, sessionid).await?.ok_or_else(bad_regid)?
        };
        Ok(Shopper::new(self.store, regid, self.profile, device.into()))
    }

    /// The device of a sessionid that the shopper used as a guest, if it is still valid.
    async fn guest_session(&self, database: &Database, regid: &Regid, sessionid: &str) -> Result<Option<String>> {
        let Some(profile) = self.profile.as_ref().filter(|profile| profile.email.is_some() && !profile.retired) else {
            return Ok(None);
        };
        let is_eligible = regid.kind == RegidKind::LoggedIn
            && regid.store_id == self.store.store_id
            && is_client_sessionid(sessionid);
        if !is_eligible {
            return Ok(None);
        }
        let session_hash = tokens::session_hash(regid.store_id, sessionid);
        let generations = (self.store.generation, profile.generation);
        database
            .read(FindGuestSession { store_id: regid.store_id, shopper: regid.shopper, session_hash, generations })
            .await
    }
}

/// A shopper of one store, logged in or a guest.
#[derive(Clone, Debug)]
pub struct Shopper {
    store: Arc<StoreRecord>,
    regid: Regid,
    /// `None` for a guest without a row.
    profile: Option<Arc<Profile>>,
    device: Arc<str>,
    /// The public identifier, which every record has: a hash.
    uid: Arc<str>,
}

impl Shopper {
    fn new(store: Arc<StoreRecord>, regid: Regid, profile: Option<Profile>, device: Arc<str>) -> Self {
        let uid = regid.shopper.uid(store.store_id).into();
        Self { store, regid, profile: profile.map(Arc::new), device, uid }
    }

    /// A shopper whose records the store may see as the shopper does.
    pub(crate) fn viewed_by(store: &StoreAdmin, id: ShopperId, profile: Profile) -> Self {
        Self::viewed(Arc::clone(store.store()), id, Some(profile))
    }

    /// A shopper whose records the store gets in events, as the shopper sees them.
    pub(crate) fn viewed(store: Arc<StoreRecord>, id: ShopperId, profile: Option<Profile>) -> Self {
        let regid = Regid { kind: RegidKind::LoggedIn, store_id: store.store_id, shopper: id, generation: 0 };
        Self::new(store, regid, profile, "".into())
    }

    pub fn store(&self) -> &Arc<StoreRecord> {
        &self.store
    }

    pub(crate) fn store_id(&self) -> i64 {
        self.store.store_id
    }

    pub(crate) fn id(&self) -> &ShopperId {
        &self.regid.shopper
    }

    pub(crate) fn uid(&self) -> &str {
        &self.uid
    }

    pub(crate) fn regid(&self) -> Regid {
        self.regid
    }

    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    pub(crate) fn profile(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }

    /// First and last name, as saved in the profile.
    pub fn full_name(&self) -> Option<String> {
        let profile = self.profile.as_deref()?;
        let name = format!("{} {}", profile.first_name, profile.last_name).trim().to_owned();
        (!name.is_empty()).then_some(name)
    }

    /// The e-mail address; `None` for a guest.
    pub fn email(&self) -> Option<&str> {
        self.profile.as_ref()?.email.as_deref()
    }

    pub fn require_login(&self) -> Result<()> {
        match self.email() {
            Some(_) => Ok(()),
            None => Err(Error::new(Code::UserNotLoggedIn, "not logged in: use a regid of an e-mail address")),
        }
    }

    pub fn require_feature(&self, feature: Feature) -> Result<()> {
        if self.store.settings.has(feature) {
            return Ok(());
        }
        Err(Error::new(
            Code::FeatureNotEnabled,
            format!(
                "{0} is not enabled for this store: ask the operator to run `wishbone store set PID --enable {0}`",
                feature.as_str()
            ),
        ))
    }

    /// True for a guest that anyone can create.
    pub fn is_browser_guest(&self) -> bool {
        self.regid.kind == RegidKind::BrowserGuest
    }

    /// Identifies the shopper in rate limits and similar counters.
    pub fn fingerprint(&self) -> (i64, [u8; 16]) {
        (self.store_id(), self.regid.shopper.0)
    }
}

fn is_authentic(keys: &Keys, regid: &Regid, sessionid: &str, store: &StoreRecord, profile: Option<&Profile>) -> bool {
    if regid.store_id != store.store_id || profile.is_some_and(|profile| profile.retired) {
        return false;
    }
    let generation = profile.map_or(0, |profile| profile.generation);
    match regid.kind {
        RegidKind::BrowserGuest => regid.generation == store.generation && is_client_sessionid(sessionid),
        RegidKind::DeviceGuest => keys.accepts_sessionid(sessionid, regid, store.generation, generation),
        RegidKind::LoggedIn => {
            profile.is_some_and(|profile| profile.email.is_some())
                && keys.accepts_sessionid(sessionid, regid, store.generation, generation)
        }
    }
}

pub(crate) fn is_client_sessionid(text: &str) -> bool {
    (8..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

pub(crate) fn bad_regid() -> Error {
    Error::new(
        Code::BadRegid,
        "invalid regid or sessionid for this store: get new ones with generate-regid or provider/register",
    )
}
