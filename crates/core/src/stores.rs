//! Stores: what the operator makes and sets, and what a store may do.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use wishbone_store::{FromRow, Query, Read, Row, Tx, Write};

use crate::caller::{Operator, StoreAdmin};
use crate::identity;
use crate::{Code, Error, Millis, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plan {
    #[default]
    Standard,
    Enterprise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    SortFilter,
    SaveForLater,
    Subscriptions,
}

impl Feature {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SortFilter => "sort-filter",
            Self::SaveForLater => "save-for-later",
            Self::Subscriptions => "subscriptions",
        }
    }
}

/// What visitors of a shared list learn of its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShareOwner {
    #[default]
    None,
    Name,
}

/// Whether items must be in the catalogue to be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogRule {
    #[default]
    Open,
    Strict,
}

/// What an operator can change of a store. Kept as JSON, so that a new setting needs no migration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub plan: Plan,
    pub features: BTreeSet<Feature>,
    /// Origins that browsers may call from; empty means any.
    pub allowed_origins: Vec<String>,
    pub default_itemslimit: i64,
    /// Calls of fetch-list-with-contents a second, for each shopper.
    pub rate_limit: u32,
    /// The same for each address; generous, because a shop's own server calls for all its shoppers from one.
    pub address_rate_limit: u32,
    pub share_owner: ShareOwner,
    pub catalog: CatalogRule,
    pub max_lists: i64,
    pub max_items: i64,
    /// Guests who have not come for so long are removed.
    pub guest_days: i64,
    /// Where the shop shows a shared list; `{lid}` stands for the list.
    pub list_url: Option<String>,
    /// Lists that a shopper may mail within an hour, and that one address may get.
    pub mails_per_shopper: i64,
    pub mails_per_address: i64,
    pub maintenance: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            plan: Plan::default(),
            features: BTreeSet::new(),
            allowed_origins: Vec::new(),
            default_itemslimit: 50,
            rate_limit: 20,
            address_rate_limit: 200,
            share_owner: ShareOwner::default(),
            catalog: CatalogRule::default(),
            max_lists: 1_000,
            max_items: 10_000,
            guest_days: 400,
            list_url: None,
            mails_per_shopper: 10,
            mails_per_address: 5,
            maintenance: false,
        }
    }
}

impl Settings {
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    pub fn may_sort_and_filter(&self) -> bool {
        self.plan == Plan::Enterprise && self.has(Feature::SortFilter)
    }
}

/// A change of settings: what is absent stays.
#[derive(Clone, Debug, Default)]
pub struct SettingsChange {
    pub plan: Option<Plan>,
    pub enable: Vec<Feature>,
    pub disable: Vec<Feature>,
    pub allowed_origins: Option<Vec<String>>,
    pub default_itemslimit: Option<i64>,
    pub rate_limit: Option<u32>,
    pub address_rate_limit: Option<u32>,
    pub share_owner: Option<ShareOwner>,
    pub catalog: Option<CatalogRule>,
    pub max_lists: Option<i64>,
    pub max_items: Option<i64>,
    pub guest_days: Option<i64>,
    pub list_url: Option<Option<String>>,
    pub mails_per_shopper: Option<i64>,
    pub mails_per_address: Option<i64>,
    pub maintenance: Option<bool>,
}

impl SettingsChange {
    fn apply(&self, settings: &mut Settings) {
        fn set<T: Clone>(target: &mut T, change: &Option<T>) {
            if let Some(value) = change {
                target.clone_from(value);
            }
        }
        set(&mut settings.plan, &self.plan);
        settings.features.extend(&self.enable);
        settings.features.retain(|feature| !self.disable.contains(feature));
        set(&mut settings.allowed_origins, &self.allowed_origins);
        set(&mut settings.default_itemslimit, &self.default_itemslimit);
        set(&mut settings.rate_limit, &self.rate_limit);
        set(&mut settings.address_rate_limit, &self.address_rate_limit);
        set(&mut settings.share_owner, &self.share_owner);
        set(&mut settings.catalog, &self.catalog);
        set(&mut settings.max_lists, &self.max_lists);
        set(&mut settings.max_items, &self.max_items);
        set(&mut settings.guest_days, &self.guest_days);
        set(&mut settings.list_url, &self.list_url);
        set(&mut settings.mails_per_shopper, &self.mails_per_shopper);
        set(&mut settings.mails_per_address, &self.mails_per_address);
        set(&mut settings.maintenance, &self.maintenance);
    }
}

/// A store as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreRecord {
    pub store_id: i64,
    pub pid: String,
    pub name: String,
    pub settings: Settings,
    /// Signed into every sessionid of the store.
    pub generation: i64,
    pub api_key_hash: Vec<u8>,
    pub created_at: Millis,
}

impl StoreRecord {
    /// How many columns a store takes at the front of a row.
    pub(crate) const COLUMNS: usize = 7;
}

impl FromRow for StoreRecord {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        Ok(Self {
            store_id: row.int(0)?,
            pid: row.text(1)?.to_owned(),
            name: row.text(2)?.to_owned(),
            settings: serde_json::from_str(row.text(3)?).map_err(wishbone_store::Error::bug)?,
            generation: row.int(4)?,
            api_key_hash: row.blob(5)?.to_owned(),
            created_at: row.int(6)?,
        })
    }
}

pub struct FindStore {
    pub pid: String,
}

impl Read for FindStore {
    const NAME: &'static str = "find_store";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<StoreRecord>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.first(FIND.bind(&[(&self.pid).into()])).await?)
    }
}

pub struct CreateStore {
    pub by: Operator,
    pub pid: String,
    pub name: String,
    pub api_key: String,
    pub settings: Settings,
    pub now: Millis,
}

impl Write for CreateStore {
    const NAME: &'static str = "create_store";
    // Store ids are small and dense: they are part of every key.
    const SERIALIZABLE: bool = true;
    type Out = StoreRecord;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<StoreRecord> {
        if tx.first::<StoreRecord>(FIND.bind(&[(&self.pid).into()])).await?.is_some() {
            return Err(Error::invalid("pid", "is taken by another store of this server"));
        }
        let store_id: i64 = tx.first(NEXT_ID.bind(&[])).await?.unwrap_or(1);
        let hash = identity::api_key_hash(&self.api_key);
        let settings = encode(&self.settings)?;
        tx.execute(INSERT.bind(&[
            store_id.into(),
            (&self.pid).into(),
            (&self.name).into(),
            (&hash).into(),
            (&settings).into(),
            0.into(),
            self.now.into(),
            self.now.into(),
        ]))
        .await?;
        Ok(StoreRecord {
            store_id,
            pid: self.pid.clone(),
            name: self.name.clone(),
            settings: self.settings.clone(),
            generation: 0,
            api_key_hash: hash.to_vec(),
            created_at: self.now,
        })
    }
}

pub struct ListStores {
    pub by: Operator,
}

impl Read for ListStores {
    const NAME: &'static str = "list_stores";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<StoreRecord>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(ALL.bind(&[])).await?)
    }
}

pub struct UpdateStore {
    pub by: Operator,
    pub pid: String,
    pub change: SettingsChange,
    pub now: Millis,
}

impl Write for UpdateStore {
    const NAME: &'static str = "update_store";
    type Out = StoreRecord;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<StoreRecord> {
        let mut store = touch(tx, &self.pid, self.now).await?;
        self.change.apply(&mut store.settings);
        let settings = encode(&store.settings)?;
        tx.execute(SET_SETTINGS.bind(&[(&settings).into(), store.store_id.into()])).await?;
        Ok(store)
    }
}

pub struct RotateKey {
    pub by: Operator,
    pub pid: String,
    pub api_key: String,
    pub now: Millis,
}

impl Write for RotateKey {
    const NAME: &'static str = "rotate_key";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let store = touch(tx, &self.pid, self.now).await?;
        let hash = identity::api_key_hash(&self.api_key);
        tx.execute(SET_KEY.bind(&[(&hash).into(), store.store_id.into()])).await?;
        Ok(())
    }
}

/// Takes back the sessionids of a whole store, or of one shopper. Regids and lists stay; browser
/// guests, who prove nothing but their regid, must get a new one when the whole store is meant.
pub struct RevokeSessions {
    pub by: Operator,
    pub pid: String,
    pub email: Option<String>,
    pub now: Millis,
}

impl Write for RevokeSessions {
    const NAME: &'static str = "revoke_sessions";
    /// Whether anything was there to revoke.
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<bool> {
        let store = touch(tx, &self.pid, self.now).await?;
        revoke(tx, store.store_id, self.email.as_deref(), self.now).await
    }
}

/// The same, by the store itself.
pub struct RevokeOwnSessions {
    pub by: StoreAdmin,
    pub email: Option<String>,
    pub now: Millis,
}

impl Write for RevokeOwnSessions {
    const NAME: &'static str = "revoke_own_sessions";
    type Out = bool;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<bool> {
        revoke(tx, self.by.store_id(), self.email.as_deref(), self.now).await
    }
}

async fn revoke<T: Tx>(tx: &mut T, store_id: i64, email: Option<&str>, now: Millis) -> Result<bool> {
    let changed = match email {
        None => tx.execute(RAISE_GENERATION.bind(&[now.into(), store_id.into()])).await?,
        Some(email) => tx.execute(RAISE_SHOPPER.bind(&[now.into(), store_id.into(), email.into()])).await?,
    };
    Ok(changed > 0)
}

/// Locks the store's row for this write.
async fn touch<T: Tx>(tx: &mut T, pid: &str, now: Millis) -> Result<StoreRecord> {
    tx.first(TOUCH.bind(&[now.into(), pid.into()])).await?.ok_or_else(|| unknown(pid))
}

pub(crate) fn unknown(pid: &str) -> Error {
    let shown: String = pid.chars().take(60).collect();
    Error::new(
        Code::UnknownStore,
        format!("no store has the pid {shown:?}: check the pid parameter, and that it is URL-encoded"),
    )
}

fn encode(settings: &Settings) -> Result<String> {
    serde_json::to_string(settings).map_err(Error::internal)
}

statements! {
    FIND = "select store_id, pid, name, settings, generation, api_key_hash, created_at from stores where pid = $1";
    ALL = "select store_id, pid, name, settings, generation, api_key_hash, created_at from stores order by store_id";
    NEXT_ID = "select coalesce(max(store_id), 0) + 1 from stores";
    INSERT = "insert into stores (store_id, pid, name, api_key_hash, settings, generation, created_at, updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8)";
    TOUCH = "update stores set updated_at = $1 where pid = $2
             returning store_id, pid, name, settings, generation, api_key_hash, created_at";
    SET_SETTINGS = "update stores set settings = $1 where store_id = $2";
    SET_KEY = "update stores set api_key_hash = $1 where store_id = $2";
    RAISE_GENERATION = "update stores set generation = generation + 1, updated_at = $1 where store_id = $2";
    RAISE_SHOPPER = "update shoppers set generation = generation + 1, updated_at = $1 where store_id = $2 and email = $3";
}
