//! `wishbone store …`

use std::process::ExitCode;
use wishbone_core::stores::login_secret;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::moment::Millis;
use wishbone_core::operator::Operator;
use wishbone_core::stores::login_secret::NewSecret;
use wishbone_core::stores::manage::{CreateStore, ListStores, RevokeSessions, RotateKey, UpdateStore};
use wishbone_core::stores::record::{FindStore, StoreRecord};
use wishbone_core::stores::settings::{CatalogRule, Feature, Plan, Settings, SettingsChange, ShareOwner};
use wishbone_core::tokens::{api_key, is_pid, pid};
use wishbone_storage::{Database, Options};

use crate::cli::location::LocationArgs;
use crate::cli::output::{Switch, say, say_error};
use crate::cli::secret::SecretArgs;
use crate::environment::Environment;

const DAY: Millis = 24 * 60 * 60 * 1_000;

#[derive(Subcommand)]
pub(super) enum StoreCommand {
    /// Make a store; prints its pid, its login secret and its API key, which is shown this once
    Create(CreateArgs),
    /// All stores of this server
    List,
    /// One store with its settings
    Show {
        /// The store's id, as `wishbone store list` shows it
        pid: String,
        /// Also the login secret, which your shop's server signs logins with; made now if there is none yet
        #[arg(long)]
        secrets: bool,
        #[command(flatten)]
        secret: SecretArgs,
    },
    /// Change settings; what is not named stays as it is
    Set(Box<SetArgs>),
    /// Replace the API key; the old one stops working at once, or after --keep-old
    RotateKey {
        /// The store's id, as `wishbone store list` shows it
        pid: String,

        /// Time for which the old key stays valid, such as 30m, 24h or 7d (30 days at most), so that servers can change
        /// over without a failed call. Leave it out when the old key has leaked
        #[arg(long, value_name = "TIME", value_parser = lifetime)]
        keep_old: Option<Lifetime>,
    },
    /// Replace the login secret; tokens of the old one are refused at once
    RotateLoginSecret {
        /// The store's id, as `wishbone store list` shows it
        pid: String,
        #[command(flatten)]
        secret: SecretArgs,
    },
    /// Take sessionids back, of the whole store or of one shopper; lists stay
    RevokeSessions {
        /// The store's id, as `wishbone store list` shows it
        pid: String,
        /// Only this shopper's
        #[arg(long, value_name = "E")]
        email: Option<String>,
    },
}

#[derive(Args)]
pub(super) struct CreateArgs {
    /// The store's name, for people
    #[arg(long)]
    name: String,
    /// Sorting and filtering need enterprise, and the feature sort-filter
    #[arg(long, value_enum, default_value = "standard")]
    plan: PlanArg,
    /// Keep the id of a service you move from: base64 of 32 bytes (default: a new one)
    #[arg(long)]
    pid: Option<String>,
    /// Turn a feature on; may be repeated
    #[arg(long, value_enum, value_name = "FEATURE")]
    enable: Vec<FeatureArg>,
    #[command(flatten)]
    secret: SecretArgs,
}

#[derive(Args)]
pub(super) struct SetArgs {
    /// The store's id, as `wishbone store list` shows it
    pid: String,
    /// Sorting and filtering need enterprise, and the feature sort-filter
    #[arg(long, value_enum)]
    plan: Option<PlanArg>,
    /// Turn a feature on; may be repeated
    #[arg(long, value_enum, value_name = "FEATURE")]
    enable: Vec<FeatureArg>,
    /// Turn a feature off; may be repeated
    #[arg(long, value_enum, value_name = "FEATURE")]
    disable: Vec<FeatureArg>,
    /// Items per page where the caller does not say, 50 to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(50..=100))]
    default_itemslimit: Option<i64>,
    /// Calls of fetch-list-with-contents a second for each shopper, such as 20/s
    #[arg(long, value_name = "N/s", value_parser = rate)]
    rate_limit: Option<u32>,
    /// The same for each address; behind a proxy see `wishbone serve --trust-proxy`
    #[arg(long, value_name = "N/s", value_parser = rate)]
    address_rate_limit: Option<u32>,
    /// An origin that browsers may call from, such as https://shop.example; may be repeated; `*` is any
    #[arg(long, value_name = "URL", value_parser = origin)]
    allow_origin: Vec<String>,
    /// What visitors of a shared list learn of its owner
    #[arg(long, value_enum, value_name = "WHAT")]
    share_owner: Option<ShareOwnerArg>,
    /// Whether items must be in the catalogue to be added
    #[arg(long, value_enum, value_name = "RULE")]
    catalog: Option<CatalogArg>,
    /// Lists a shopper can have
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    max_lists: Option<i64>,
    /// Items a list can hold
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    max_items: Option<i64>,
    /// Days after which a guest who has not come back is removed, with all lists
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=36_500))]
    guest_days: Option<i64>,
    /// Where the shop shows a shared list, such as https://shop.example/pages/list?lid={lid}; `none` if it does not.
    /// Mails of public lists link to it
    #[arg(long, value_name = "URL", value_parser = list_url)]
    list_url: Option<ListUrl>,
    /// Lists that a shopper may mail within an hour
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=1_000))]
    mails_per_shopper: Option<i64>,
    /// Lists that one address may be mailed within an hour
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=1_000))]
    mails_per_address: Option<i64>,
    /// Answer every request of this store with 503
    #[arg(long, value_enum, value_name = "SWITCH")]
    maintenance: Option<Switch>,
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
    number.filter(|rate| (1..=100_000).contains(rate)).ok_or_else(|| "give a number a second, such as 20/s".to_owned())
}

fn origin(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_origin = rest.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', ' ', ',']));
    if text == "*" || is_origin {
        return Ok(text.to_owned());
    }
    Err("give scheme and host without a path, such as https://shop.example, or * for any".to_owned())
}

/// `None` takes the setting away.
/// A time span, as it was given and in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Lifetime {
    text: String,
    millis: Millis,
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    const DAY: Millis = 24 * 3_600_000;
    let units = [("m", 60_000), ("h", 3_600_000), ("d", DAY)];
    let parsed = units.into_iter().find_map(|(unit, millis)| {
        text.strip_suffix(unit)?.parse::<Millis>().ok().filter(|count| *count > 0)?.checked_mul(millis)
    });
    match parsed.filter(|millis| *millis <= 30 * DAY) {
        Some(millis) => Ok(Lifetime { text: text.to_owned(), millis }),
        None => Err("give a number with a unit, such as 30m, 24h or 7d, 30 days at most".into()),
    }
}

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
    Err("give a web address with {lid} where the list's id goes, such as https://shop.example/pages/list?lid={lid}"
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
    fn change(&self) -> SettingsChange {
        let origins = &self.allow_origin;
        let any = origins.iter().any(|origin| origin == "*");
        SettingsChange {
            plan: self.plan.map(PlanArg::plan),
            enable: self.enable.iter().map(|feature| feature.feature()).collect(),
            disable: self.disable.iter().map(|feature| feature.feature()).collect(),
            allowed_origins: (!origins.is_empty()).then(|| if any { Vec::new() } else { origins.clone() }),
            default_itemslimit: self.default_itemslimit,
            rate_limit: self.rate_limit,
            address_rate_limit: self.address_rate_limit,
            share_owner: self.share_owner.map(|shown| match shown {
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
            maintenance: self.maintenance.map(|switch| switch == Switch::On),
        }
    }
}

pub(super) async fn run(command: StoreCommand, location: &LocationArgs, json: bool) -> anyhow::Result<ExitCode> {
    let by = Operator::of_this_machine();
    let environment = Environment::Real;
    let now = environment.now();
    match command {
        StoreCommand::Create(args) => {
            // The first store may be made before the first start of the server.
            let is_new = location.is_new();
            let database = location.open_or_make(&Options { readers: 1, pool_size: 2, ..Options::default() }).await?;
            if is_new {
                say_error(&format!("made a new database in {}", location.data.display()));
            }
            create(&database, args, location, &environment, json).await?;
        }
        StoreCommand::List => {
            let database = location.open_existing().await?;
            let stores = database.read(ListStores { by }).await?;
            if json {
                say(&json!({ "stores": stores.iter().map(describe).collect::<Vec<_>>() }).to_string());
            } else if stores.is_empty() {
                say("There is no store yet. Make one: wishbone store create --name \"My shop\"");
            } else {
                stores.iter().for_each(|store| say(&format!("{}  {}", store.pid, store.name)));
            }
        }
        StoreCommand::Show { pid, secrets, secret } => {
            let database = location.open_existing().await?;
            let found = find(&database, &pid).await?;
            let keys = if secrets { Some(secret.keys(location, &environment)?.context(NO_KEYS)?) } else { None };
            let secret = match keys {
                Some(keys) => Some(login_secret::show(&database, &keys, by, &pid, &new_secret(&environment)).await?),
                None => None,
            };
            show(&found, secret.as_deref(), now, json);
        }
        StoreCommand::Set(args) => {
            let database = location.open_existing().await?;
            let changed = database.write(UpdateStore { by, pid: args.pid.clone(), change: args.change(), now }).await?;
            show(&changed, None, now, json);
        }
        StoreCommand::RotateKey { pid, keep_old } => {
            let database = location.open_existing().await?;
            let key = api_key(&environment.random());
            let keep_previous_until = keep_old.as_ref().map(|Lifetime { millis, .. }| now + millis);
            database.write(RotateKey { by, pid: pid.clone(), api_key: key.clone(), keep_previous_until, now }).await?;
            let old = match &keep_old {
                Some(Lifetime { text, .. }) => format!("The old key stays valid for {text}."),
                None => "The old key no longer works.".to_owned(),
            };
            say_key(&pid, &key, None, json, &old);
        }
        StoreCommand::RotateLoginSecret { pid, secret } => {
            let database = location.open_existing().await?;
            let keys = secret.keys(location, &environment)?.context(NO_KEYS)?;
            let secret = login_secret::rotate(&database, &keys, by, &pid, &new_secret(&environment)).await?;
            if json {
                say(&json!({ "pid": pid, "loginsecret": secret }).to_string());
            } else {
                say(&format!("login secret  {secret}\n\nTokens that the old one has signed are refused from now on."));
            }
        }
        StoreCommand::RevokeSessions { pid, email } => {
            let database = location.open_existing().await?;
            let email = email.map(|email| normalize_email("--email", &email)).transpose()?;
            let revoked = database.write(RevokeSessions { by, pid, email, now }).await?;
            if json {
                say(&json!({ "revoked": revoked }).to_string());
            } else if revoked {
                say("Revoked. Storefronts get new sessionids with their next generate-regid.");
            } else {
                say("No shopper of this store has that e-mail address; nothing was changed.");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

const NO_KEYS: &str = "the login secret is kept encrypted with the server's signing keys, which are not here: give them in \
                       WISHBONE_SECRET_KEYS, or name the server's data folder with --data";

fn new_secret(environment: &Environment) -> NewSecret {
    NewSecret { random: environment.random(), nonce: environment.random(), now: environment.now() }
}

async fn create(
    database: &Database,
    args: CreateArgs,
    location: &LocationArgs,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<()> {
    let name = args.name.trim().to_owned();
    let is_name = (1..=200).contains(&name.chars().count()) && !name.contains(char::is_control);
    anyhow::ensure!(is_name, "--name must have 1 to 200 characters, none of them a control character");
    let pid = args.pid.unwrap_or_else(|| pid(&environment.random()));
    anyhow::ensure!(is_pid(&pid), "--pid must be standard base64 of 32 bytes (44 characters)");
    let taken = database.read(FindStore { pid: pid.clone() }).await?.is_some();
    anyhow::ensure!(!taken, "--pid {pid} belongs to a store already: `wishbone store show {pid}` describes it");
    let settings = Settings {
        plan: args.plan.plan(),
        features: args.enable.iter().map(|feature| feature.feature()).collect(),
        ..Settings::default()
    };
    let keys = args.secret.keys(location, environment)?;
    let key = api_key(&environment.random());
    let by = Operator::of_this_machine();
    database
        .write(CreateStore { by, pid: pid.clone(), name, api_key: key.clone(), settings, now: environment.now() })
        .await?;
    let secret = match &keys {
        Some(keys) => Some(login_secret::show(database, keys, by, &pid, &new_secret(environment)).await?),
        None => {
            say_error(&format!(
                "There is no login secret yet ({NO_KEYS}): `wishbone store show {pid} --secrets` makes one."
            ));
            None
        }
    };
    say_key(
        &pid,
        &key,
        secret.as_deref(),
        json,
        "Next: wishbone serve, then try it:  curl -u 'PID:API_KEY' http://127.0.0.1:8080/storeadmin/me",
    );
    Ok(())
}

fn say_key(pid: &str, key: &str, secret: Option<&str>, json: bool, then: &str) {
    if json {
        let mut out = json!({ "pid": pid, "apikey": key });
        if let Some(secret) = secret {
            out["loginsecret"] = secret.into();
        }
        return say(&out.to_string());
    }
    let then = then.replace("PID:API_KEY", &format!("{pid}:{key}"));
    let secret = secret.map(|secret| format!("login secret  {secret}\n")).unwrap_or_default();
    say(&format!(
        "pid           {pid}\nAPI key       {key}\n{secret}\nThe key is shown this once; only a hash of it is kept.\n{then}"
    ));
}

pub(super) async fn find(database: &Database, pid: &str) -> anyhow::Result<StoreRecord> {
    let found = database.read(FindStore { pid: pid.to_owned() }).await?;
    found.with_context(|| format!("no store has the pid {pid}: `wishbone store list` shows all of this database"))
}

/// In the words of `store set`.
fn show(store: &StoreRecord, secret: Option<&str>, now: Millis, json: bool) {
    if json {
        let mut described = describe(store);
        if let Some(secret) = secret {
            described["loginsecret"] = secret.into();
        }
        return say(&described.to_string());
    }
    let settings = &store.settings;
    let listed = |elements: &[String], none: &str| if elements.is_empty() { none.into() } else { elements.join(", ") };
    let features: Vec<String> = settings.features.iter().map(|feature| feature.as_str().to_owned()).collect();
    let created = match (now - store.created_at).max(0) / DAY {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    let lines = [
        ("pid", store.pid.clone()),
        ("name", store.name.clone()),
        ("created", created),
        ("plan", word(&settings.plan)),
        ("features", listed(&features, "none")),
        ("default-itemslimit", settings.default_itemslimit.to_string()),
        ("rate-limit", format!("{}/s", settings.rate_limit)),
        ("address-rate-limit", format!("{}/s", settings.address_rate_limit)),
        ("allow-origin", listed(&settings.allowed_origins, "*")),
        ("share-owner", word(&settings.share_owner)),
        ("catalog", word(&settings.catalog)),
        ("max-lists", settings.max_lists.to_string()),
        ("max-items", settings.max_items.to_string()),
        ("guest-days", settings.guest_days.to_string()),
        ("list-url", settings.list_url.clone().unwrap_or_else(|| "none".to_owned())),
        ("mails-per-shopper", settings.mails_per_shopper.to_string()),
        ("mails-per-address", settings.mails_per_address.to_string()),
        ("maintenance", if settings.maintenance { "on" } else { "off" }.to_owned()),
    ];
    let secret = secret.map(|secret| ("login-secret", secret.to_owned()));
    lines.into_iter().chain(secret).for_each(|(name, value)| say(&format!("{name:<19} {value}")));
}

/// A setting as it is kept and given.
fn word(setting: &impl serde::Serialize) -> String {
    serde_json::to_value(setting).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn describe(store: &StoreRecord) -> Value {
    let mut out = json!({ "pid": store.pid, "name": store.name, "created": store.created_at });
    if let (Some(out), Ok(Value::Object(settings))) = (out.as_object_mut(), serde_json::to_value(&store.settings)) {
        out.extend(settings);
    }
    out
}
