//! Output of `wishbone store …`.

use serde_json::{Value, json};
use wishbone_core::error::Result;
use wishbone_core::mail::limits::{FindSentMessages, SentMessages};
use wishbone_core::moment::{DAY, Millis, iso8601};
use wishbone_core::operator::Operator;
use wishbone_core::stores::counts::{MAX_COUNT, StoreCounts};
use wishbone_core::stores::deletion::StoreDeletion;
use wishbone_core::stores::manage::{FindStoreSecrets, StoreSecrets};
use wishbone_core::stores::record::StoreRecord;
use wishbone_storage::Database;

use crate::cli::hint::hint;
use crate::cli::output::{plural, print};

/// Elements that show something on any page, without a catalogue.
pub(super) fn snippet(base: &str, pid: &str) -> String {
    format!(
        r#"<script src="{base}/sdk/wishbone.js" data-store="{pid}" data-load="elements"></script>
<wishbone-heart variant="button" epi="1" empi="1" du="https://shop.example/shirt" dt="Linen shirt"></wishbone-heart>
<wishbone-list></wishbone-list>"#
    )
}

/// Prints the credentials of a store. `next` comes last; in it, `PID:API_KEY` is replaced by their values.
pub(super) fn print_credentials(pid: &str, key: &str, secret: Option<&str>, json: bool, next: &str) {
    if json {
        let mut out = json!({ "pid": pid, "apikey": key });
        if let Some(secret) = secret {
            out["loginsecret"] = secret.into();
        }
        return print(&out.to_string());
    }
    let next = next.replace("PID:API_KEY", &format!("{pid}:{key}"));
    let secret = secret.map(|secret| format!("login secret  {secret}\n")).unwrap_or_default();
    print(&format!(
        "pid           {pid}\nAPI key       {key}\n{secret}\nSave the API key now: it is not shown again, since only a hash of it is stored.\n{next}"
    ));
}

/// Prints stores with what they have, and those that are being deleted.
pub(super) fn list(stores: &[(StoreRecord, StoreCounts)], deletions: &[StoreDeletion], json: bool) {
    if json {
        let store = |(store, counts): &(StoreRecord, StoreCounts)| {
            let mut out = describe(store);
            let StoreCounts { shoppers, lists, products, subscriptions } = counts;
            out["counts"] =
                json!({ "shoppers": shoppers, "lists": lists, "products": products, "subscriptions": subscriptions });
            out
        };
        let deletion = |StoreDeletion { pid, name, since, .. }: &StoreDeletion| json!({ "pid": pid, "name": name, "since": since });
        let stores: Vec<Value> = stores.iter().map(store).collect();
        let deletions: Vec<Value> = deletions.iter().map(deletion).collect();
        return print(&json!({ "stores": stores, "deleting": deletions }).to_string());
    }
    if stores.is_empty() {
        print(&format!("No stores. To create one, run: {}", hint("store create --name \"My shop\"")));
    }
    let width = stores.iter().map(|(store, _)| store.name.chars().count()).max().unwrap_or_default().min(40);
    for (StoreRecord { pid, name, .. }, found) in stores {
        print(&format!("{pid}  {name:<width$}  {}", counts(found)));
    }
    for StoreDeletion { pid, name, .. } in deletions {
        let next = hint(format_args!("store delete {pid}"));
        print(&format!("{pid}  {name:<width$}  being deleted; to go on, run: {next}"));
    }
}

/// What a store has, in words.
pub(super) fn counts(counts: &StoreCounts) -> String {
    let StoreCounts { shoppers, lists, products, subscriptions } = *counts;
    let counts = [(shoppers, "shopper"), (lists, "list"), (products, "product"), (subscriptions, "subscription")];
    let counted = |(count, noun)| match count {
        MAX_COUNT => format!("{MAX_COUNT}+ {noun}s"),
        _ => plural(count, noun),
    };
    counts.map(counted).join(", ")
}

/// A store, and what its record does not tell.
pub(super) struct StoreState {
    store: StoreRecord,
    secrets: StoreSecrets,
    sent: SentMessages,
    read_at: Millis,
}

impl StoreState {
    pub(super) async fn read(database: &Database, by: Operator, store: StoreRecord, now: Millis) -> Result<Self> {
        let store_id = store.store_id;
        let secrets = database.read(FindStoreSecrets { by, store_id }).await?;
        let sent = database.read(FindSentMessages { by, store_id, now }).await?;
        Ok(Self { store, secrets, sent, read_at: now })
    }

    fn previous_key_until(&self) -> Option<Millis> {
        self.secrets.previous_key_until.filter(|until| *until > self.read_at)
    }

    fn to_json(&self) -> Value {
        let mut out = describe(&self.store);
        out["sms_auth"] = self.secrets.has_sms_auth.into();
        out["mails_this_hour"] = self.sent.mails.into();
        out["sms_this_hour"] = self.sent.sms.into();
        out["previous_key_until"] = self.previous_key_until().into();
        out
    }
}

/// Prints a store with its settings.
pub(super) fn show(state: &StoreState, login_secret: Option<&str>, json: bool) {
    if json {
        let mut out = state.to_json();
        if let Some(secret) = login_secret {
            out["loginsecret"] = secret.into();
        }
        return print(&out.to_string());
    }
    let login_secret = login_secret.map(|secret| ("login-secret", secret.to_owned()));
    lines(state).into_iter().chain(login_secret).for_each(|(name, value)| print(&format!("{name:<24} {value}")));
}

/// Prints the settings that differ; as JSON, all of them.
pub(super) fn show_changes(before: &StoreState, after: &StoreState, json: bool) {
    if json {
        return print(&after.to_json().to_string());
    }
    let name = &after.store.name;
    let changed: Vec<_> =
        lines(before).into_iter().zip(lines(after)).filter(|(before, after)| before != after).collect();
    if changed.is_empty() {
        let next = hint(format_args!("store show {}", after.store.pid));
        return print(&format!("{name}: nothing has changed. All settings: {next}"));
    }
    print(&format!("{name}:"));
    for ((setting, before), (_, after)) in changed {
        print(&format!("  {setting:<24} {before} → {after}"));
    }
}

/// What is shown of a store. Settings have the names of the options of `store set`.
fn lines(state: &StoreState) -> Vec<(&'static str, String)> {
    let StoreState { store, secrets, sent, read_at } = state;
    let (settings, alerts) = (&store.settings, &store.settings.alerts);
    let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
    let optional = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let join = |values: &[String], none: &str| if values.is_empty() { none.into() } else { values.join(", ") };
    let features: Vec<String> = settings.features.iter().map(|feature| feature.as_str().to_owned()).collect();
    let created = match (read_at - store.created_at).max(0) / DAY {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    };
    let mut lines = vec![
        ("pid", store.pid.clone()),
        ("name", store.name.clone()),
        ("created", created),
        ("plan", name(&settings.plan)),
        ("features", join(&features, "none")),
        ("default-itemslimit", settings.default_itemslimit.to_string()),
        ("rate-limit", format!("{}/s", settings.rate_limit)),
        ("address-rate-limit", format!("{}/s", settings.address_rate_limit)),
        ("write-rate-limit", format!("{}/s", settings.write_rate_limit)),
        ("address-write-rate-limit", format!("{}/s", settings.address_write_rate_limit)),
        ("shopper-quota", format!("{} MiB/day", settings.shopper_quota)),
        ("address-quota", format!("{} MiB/day", settings.address_quota)),
        ("store-quota", format!("{} MiB/day", settings.store_quota)),
        ("allow-origin", join(&settings.allowed_origins, "*")),
        ("share-owner", name(&settings.share_owner)),
        ("catalog", name(&settings.catalog)),
        ("max-lists", settings.max_lists.to_string()),
        ("max-items", settings.max_items.to_string()),
        ("guest-days", settings.guest_days.to_string()),
        ("list-url", optional(&settings.list_url)),
        ("mails-per-shopper", settings.mails_per_shopper.to_string()),
        ("mails-per-address", settings.mails_per_address.to_string()),
        ("mails-per-hour", settings.mails_per_hour.to_string()),
        ("mails-this-hour", sent.mails.to_string()),
        ("maintenance", switch(settings.maintenance)),
        ("alerts-per-unit", alerts.alerts_per_unit.map_or_else(|| "all".to_owned(), |count| count.to_string())),
        ("alert-interval", format!("{} s", alerts.alert_interval)),
        ("alert-minimum", alerts.alert_minimum.to_string()),
        ("low-stock", alerts.low_stock.to_string()),
        ("confirm-addresses", switch(alerts.confirm_addresses)),
        ("currency", optional(&alerts.currency)),
        ("language", alerts.language.clone()),
        ("reply-to", optional(&alerts.reply_to)),
        ("logo", optional(&alerts.logo)),
        ("brand-color", optional(&alerts.brand_color)),
        ("sms-url", optional(&alerts.sms_url)),
        ("sms-from", optional(&alerts.sms_from)),
        ("sms-countries", join(&alerts.sms_countries, "all")),
        ("sms-per-hour", alerts.sms_per_hour.to_string()),
        ("sms-this-hour", sent.sms.to_string()),
        ("sms-auth", if secrets.has_sms_auth { "set" } else { "none" }.to_owned()),
        ("quiet-hours", alerts.quiet_hours.map_or_else(|| "none".to_owned(), |hours| hours.to_string())),
        ("time-zone", alerts.time_zone.clone()),
        ("reminder-days", alerts.reminder_days.map_or_else(|| "off".to_owned(), |days| days.to_string())),
    ];
    let previous_key = state.previous_key_until();
    lines.extend(previous_key.map(|until| ("previous-key", format!("valid until {}", iso8601(until)))));
    lines
}

/// The name of a setting's value, as it is serialized.
fn name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A store with its settings as JSON.
fn describe(store: &StoreRecord) -> Value {
    let mut out = json!({ "pid": store.pid, "name": store.name, "created": store.created_at });
    if let (Some(out), Ok(Value::Object(mut settings))) = (out.as_object_mut(), serde_json::to_value(&store.settings)) {
        let alerts = settings.shift_remove("alerts");
        out.extend(settings);
        if let Some(Value::Object(alerts)) = alerts {
            out.extend(alerts);
        }
    }
    out
}
