//! Arguments of `wishbone store create` and `wishbone store set`.

use clap::{Args, ValueEnum};
use wishbone_core::moment::{DAY, HOUR, MINUTE, Millis};
use wishbone_core::stores::settings::{CatalogRule, Feature, Plan, Settings, SettingsChange, ShareOwner};

use crate::cli::alert_args::AlertArgs;
use crate::cli::output::Switch;
use crate::cli::secret::SecretArgs;
use crate::cli::server_url::ServerUrlArgs;
use crate::cli::store_arg::StoreArg;

#[derive(Args)]
pub(super) struct CreateArgs {
    /// Name of the store, shown in mails
    #[arg(long)]
    pub(super) name: String,
    /// Plan; sorting and filtering require enterprise and --enable sort-filter. Without --plan and --enable, the store is
    /// enterprise and has all features; with --enable alone it is standard
    #[arg(long, value_enum)]
    plan: Option<PlanArg>,
    /// Store id to keep when migrating from another service: base64 of 32 bytes [default: a new random id]
    #[arg(long)]
    pub(super) pid: Option<String>,
    /// Enable only this feature; may be repeated [default: all, unless --plan is given]
    #[arg(long, value_enum, value_name = "FEATURE")]
    enable: Vec<FeatureArg>,
    #[command(flatten)]
    pub(super) secret: SecretArgs,
    #[command(flatten)]
    pub(super) server: ServerUrlArgs,
}

impl CreateArgs {
    pub(super) fn settings(&self) -> Settings {
        let (plan, features) = match (self.plan, &self.enable[..]) {
            (None, []) => (PlanArg::Enterprise, FeatureArg::value_variants()),
            (plan, enabled) => (plan.unwrap_or(PlanArg::Standard), enabled),
        };
        let features = features.iter().map(|feature| feature.feature()).collect();
        Settings { plan: plan.plan(), features, ..Settings::default() }
    }
}

#[derive(Args)]
pub(super) struct SetArgs {
    #[command(flatten)]
    pub(super) store: StoreArg,
    /// Plan; sorting and filtering require enterprise and --enable sort-filter
    #[arg(long, value_enum)]
    plan: Option<PlanArg>,
    /// Enable a feature; may be repeated
    #[arg(long, value_enum, value_name = "FEATURE")]
    enable: Vec<FeatureArg>,
    /// Disable a feature; may be repeated
    #[arg(long, value_enum, value_name = "FEATURE")]
    disable: Vec<FeatureArg>,
    /// Items per page if the caller does not set a limit, 50 to 100 [initially 50]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(50..=100))]
    default_itemslimit: Option<i64>,
    /// Rate limit of fetch-list-with-contents and subscriptions/add per shopper, such as 20/s [initially 20/s]
    #[arg(long, value_name = "N/s", value_parser = rate)]
    rate_limit: Option<u32>,
    /// Rate limit of these per client address, such as 200/s; behind a proxy, set
    /// `wishbone serve --trust-proxy` [initially 200/s]
    #[arg(long, value_name = "N/s", value_parser = rate)]
    address_rate_limit: Option<u32>,
    /// Rate limit of writes per shopper, with bursts of 20 times as many [initially 100/s]
    #[arg(long, value_name = "N/s", value_parser = rate)]
    write_rate_limit: Option<u32>,
    /// Rate limit of writes by all browser guests of one client address, with bursts of 20 times as many [initially
    /// 400/s]
    #[arg(long, value_name = "N/s", value_parser = rate)]
    address_write_rate_limit: Option<u32>,
    /// Maximum MiB that a shopper can write per day [initially 64]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    shopper_quota: Option<u32>,
    /// Maximum MiB that all browser guests of one client address can write per day [initially 256]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    address_quota: Option<u32>,
    /// Maximum MiB that all shoppers of the store can write per day, guests at most half of it [initially 16384]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    store_quota: Option<u32>,
    /// Origin that browsers may call the API from, such as https://shop.example; may be repeated, and replaces all
    /// earlier ones; `*` allows any origin [initially *]
    #[arg(long, value_name = "URL", value_parser = origin)]
    allow_origin: Vec<String>,
    /// What visitors of a shared list see of its owner
    #[arg(long, value_enum, value_name = "WHAT")]
    share_owner: Option<ShareOwnerArg>,
    /// Whether only products of the catalogue can be added to lists (strict) or any product (open)
    #[arg(long, value_enum, value_name = "RULE")]
    catalog: Option<CatalogArg>,
    /// Maximum number of lists per shopper [initially 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    max_lists: Option<i64>,
    /// Maximum number of items per list [initially 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    max_items: Option<i64>,
    /// Days after which a guest who has not returned is deleted with all lists [initially 400]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=36_500))]
    guest_days: Option<i64>,
    /// URL of the shop's page for a list, such as https://shop.example/pages/list?wishlist={lid}, for links in mails and of
    /// shared lists; `none` for the page of this server [initially none]
    #[arg(long, value_name = "URL", value_parser = list_url)]
    list_url: Option<ListUrl>,
    /// Maximum number of lists that a shopper can mail per hour [initially 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=1_000))]
    mails_per_shopper: Option<i64>,
    /// Maximum number of lists mailed to one address per hour [initially 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=1_000))]
    mails_per_address: Option<i64>,
    /// Maximum number of mails per hour that all shoppers of the store can cause: lists, and confirmations of addresses
    /// [initially 1000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=1_000_000))]
    mails_per_hour: Option<i64>,
    /// Maintenance mode: answer every request to this store with 503
    #[arg(long, value_enum, value_name = "SWITCH")]
    maintenance: Option<Switch>,
    #[command(flatten)]
    pub(super) alerts: AlertArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum PlanArg {
    Standard,
    Enterprise,
}

#[derive(Clone, Copy, ValueEnum)]
enum FeatureArg {
    SortFilter,
    SaveForLater,
    Subscriptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShareOwnerArg {
    None,
    Name,
}

#[derive(Clone, Copy, ValueEnum)]
enum CatalogArg {
    Open,
    Strict,
}

fn rate(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix("/s").unwrap_or(text).parse().ok();
    number
        .filter(|rate| (1..=100_000).contains(rate))
        .ok_or_else(|| "expected 1/s to 100000/s, such as 20/s".to_owned())
}

fn origin(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_origin = rest.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', ' ', ',']));
    if text == "*" || is_origin {
        return Ok(text.to_owned());
    }
    Err("expected scheme and host without a path, such as https://shop.example, or * for any origin".to_owned())
}

/// A time span, as given and in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Lifetime {
    pub(super) text: String,
    pub(super) millis: Millis,
}

pub(super) fn lifetime(text: &str) -> Result<Lifetime, String> {
    let units = [("m", MINUTE), ("h", HOUR), ("d", DAY)];
    let parsed = units.into_iter().find_map(|(unit, millis)| {
        text.strip_suffix(unit)?.parse::<Millis>().ok().filter(|count| *count > 0)?.checked_mul(millis)
    });
    match parsed.filter(|millis| *millis <= 30 * DAY) {
        Some(millis) => Ok(Lifetime { text: text.to_owned(), millis }),
        None => Err("expected a number with a unit, such as 30m, 24h or 7d, 30 days at most".into()),
    }
}

/// `None` clears the setting.
#[derive(Clone)]
struct ListUrl(Option<String>);

fn list_url(text: &str) -> Result<ListUrl, String> {
    if text == "none" {
        return Ok(ListUrl(None));
    }
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    let is_plain =
        text.len() <= 1_000 && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"'`\\".contains(&byte));
    if is_web && is_plain && text.contains("{lid}") {
        return Ok(ListUrl(Some(text.to_owned())));
    }
    Err("expected a URL with {lid} in place of the list's id, such as https://shop.example/pages/list?lid={lid}, or none"
        .into())
}

impl PlanArg {
    fn plan(self) -> Plan {
        match self {
            Self::Standard => Plan::Standard,
            Self::Enterprise => Plan::Enterprise,
        }
    }
}

impl FeatureArg {
    fn feature(self) -> Feature {
        match self {
            Self::SortFilter => Feature::SortFilter,
            Self::SaveForLater => Feature::SaveForLater,
            Self::Subscriptions => Feature::Subscriptions,
        }
    }
}

impl SetArgs {
    pub(super) fn change(&self) -> SettingsChange {
        let origins = &self.allow_origin;
        let allows_any = origins.iter().any(|origin| origin == "*");
        SettingsChange {
            plan: self.plan.map(PlanArg::plan),
            enable: self.enable.iter().map(|feature| feature.feature()).collect(),
            disable: self.disable.iter().map(|feature| feature.feature()).collect(),
            allowed_origins: (!origins.is_empty()).then(|| if allows_any { Vec::new() } else { origins.clone() }),
            default_itemslimit: self.default_itemslimit,
            rate_limit: self.rate_limit,
            address_rate_limit: self.address_rate_limit,
            write_rate_limit: self.write_rate_limit,
            address_write_rate_limit: self.address_write_rate_limit,
            shopper_quota: self.shopper_quota,
            address_quota: self.address_quota,
            store_quota: self.store_quota,
            share_owner: self.share_owner.map(|owner| match owner {
                ShareOwnerArg::None => ShareOwner::None,
                ShareOwnerArg::Name => ShareOwner::Name,
            }),
            catalog: self.catalog.map(|rule| match rule {
                CatalogArg::Open => CatalogRule::Open,
                CatalogArg::Strict => CatalogRule::Strict,
            }),
            max_lists: self.max_lists,
            max_items: self.max_items,
            guest_days: self.guest_days,
            list_url: self.list_url.clone().map(|ListUrl(url)| url),
            mails_per_shopper: self.mails_per_shopper,
            mails_per_address: self.mails_per_address,
            mails_per_hour: self.mails_per_hour,
            maintenance: self.maintenance.map(|switch| switch == Switch::On),
            alerts: self.alerts.change(),
        }
    }
}
