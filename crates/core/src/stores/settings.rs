//! Store settings, stored as JSON.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::stores::alert_settings::{AlertSettings, AlertSettingsChange, set};

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
    pub const ALL: [Self; 3] = [Self::SortFilter, Self::SaveForLater, Self::Subscriptions];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SortFilter => "sort-filter",
            Self::SaveForLater => "save-for-later",
            Self::Subscriptions => "subscriptions",
        }
    }
}

/// What visitors of a shared list see of its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShareOwner {
    #[default]
    None,
    Name,
}

/// Whether only products in the catalogue can be added to lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogRule {
    #[default]
    Open,
    Strict,
}

/// The settings of a store. They are stored as JSON, so that a new setting needs no migration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub plan: Plan,
    pub features: BTreeSet<Feature>,
    /// Allowed origins of browser calls; empty means any.
    pub allowed_origins: Vec<String>,
    pub default_itemslimit: i64,
    /// Calls of fetch-list-with-contents per second and shopper.
    pub rate_limit: u32,
    /// The same per address; higher, because a shop's own server calls for all of its shoppers from one address.
    pub address_rate_limit: u32,
    /// Writes per second and shopper.
    pub write_rate_limit: u32,
    /// The same for all browser guests of one client address.
    pub address_write_rate_limit: u32,
    /// MiB that a shopper may write in a day.
    pub shopper_quota: u32,
    /// The same for all browser guests of one client address.
    pub address_quota: u32,
    /// The same for all shoppers.
    pub store_quota: u32,
    pub share_owner: ShareOwner,
    pub catalog: CatalogRule,
    pub max_lists: i64,
    pub max_items: i64,
    /// Days without a visit until a guest is deleted.
    pub guest_days: i64,
    /// URL of the shop's page for a list; `{lid}` is replaced by the lid or, where the list is shared, by the key of the link.
    pub list_url: Option<String>,
    /// Lists per hour that a shopper may mail, and that may be mailed to one address.
    pub mails_per_shopper: i64,
    pub mails_per_address: i64,
    /// Mails per hour that shoppers of the store can cause, all together.
    pub mails_per_hour: i64,
    pub maintenance: bool,
    pub alerts: AlertSettings,
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
            write_rate_limit: 100,
            address_write_rate_limit: 400,
            shopper_quota: 64,
            address_quota: 256,
            store_quota: 16_384,
            share_owner: ShareOwner::default(),
            catalog: CatalogRule::default(),
            max_lists: 1_000,
            max_items: 10_000,
            guest_days: 400,
            list_url: None,
            mails_per_shopper: 10,
            mails_per_address: 5,
            mails_per_hour: 1_000,
            maintenance: false,
            alerts: AlertSettings::default(),
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

/// A change of settings; `None` leaves a setting as it is.
#[derive(Clone, Debug, Default)]
pub struct SettingsChange {
    pub plan: Option<Plan>,
    pub enable: Vec<Feature>,
    pub disable: Vec<Feature>,
    pub allowed_origins: Option<Vec<String>>,
    pub default_itemslimit: Option<i64>,
    pub rate_limit: Option<u32>,
    pub address_rate_limit: Option<u32>,
    pub write_rate_limit: Option<u32>,
    pub address_write_rate_limit: Option<u32>,
    pub shopper_quota: Option<u32>,
    pub address_quota: Option<u32>,
    pub store_quota: Option<u32>,
    pub share_owner: Option<ShareOwner>,
    pub catalog: Option<CatalogRule>,
    pub max_lists: Option<i64>,
    pub max_items: Option<i64>,
    pub guest_days: Option<i64>,
    pub list_url: Option<Option<String>>,
    pub mails_per_shopper: Option<i64>,
    pub mails_per_address: Option<i64>,
    pub mails_per_hour: Option<i64>,
    pub maintenance: Option<bool>,
    pub alerts: AlertSettingsChange,
}

impl SettingsChange {
    pub(crate) fn apply(&self, settings: &mut Settings) {
        set(&mut settings.plan, &self.plan);
        settings.features.extend(&self.enable);
        settings.features.retain(|feature| !self.disable.contains(feature));
        set(&mut settings.allowed_origins, &self.allowed_origins);
        set(&mut settings.default_itemslimit, &self.default_itemslimit);
        set(&mut settings.rate_limit, &self.rate_limit);
        set(&mut settings.address_rate_limit, &self.address_rate_limit);
        set(&mut settings.write_rate_limit, &self.write_rate_limit);
        set(&mut settings.address_write_rate_limit, &self.address_write_rate_limit);
        set(&mut settings.shopper_quota, &self.shopper_quota);
        set(&mut settings.address_quota, &self.address_quota);
        set(&mut settings.store_quota, &self.store_quota);
        set(&mut settings.share_owner, &self.share_owner);
        set(&mut settings.catalog, &self.catalog);
        set(&mut settings.max_lists, &self.max_lists);
        set(&mut settings.max_items, &self.max_items);
        set(&mut settings.guest_days, &self.guest_days);
        set(&mut settings.list_url, &self.list_url);
        set(&mut settings.mails_per_shopper, &self.mails_per_shopper);
        set(&mut settings.mails_per_address, &self.mails_per_address);
        set(&mut settings.mails_per_hour, &self.mails_per_hour);
        set(&mut settings.maintenance, &self.maintenance);
        self.alerts.apply(&mut settings.alerts);
    }
}
