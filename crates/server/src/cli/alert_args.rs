//! Arguments of `wishbone store set` for product alerts and their mail.

use clap::Args;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::stores::alert_settings::AlertSettingsChange;
use wishbone_core::stores::calling_codes::is_country;
use wishbone_core::stores::quiet_hours::{QuietHours, time_zone_name};

use crate::cli::output::Switch;
use crate::cli::secret::SecretArgs;
use crate::mail::languages::parse_tag;
use crate::outbound::target::Target;

#[derive(Args)]
#[command(next_help_heading = "Product alerts")]
pub(super) struct AlertArgs {
    /// Shoppers notified per unit in stock, or `all` [initially 1]
    #[arg(long, value_name = "N|all", allow_negative_numbers = true, value_parser = per_unit)]
    alerts_per_unit: Option<PerUnit>,
    /// Seconds between batches of alerts for one variant; 0 for none [initially 900]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=2_592_000))]
    alert_interval: Option<i64>,
    /// Stock from which shoppers are told that a variant is back [initially 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    alert_minimum: Option<i64>,
    /// Stock at or below which a variant is low in stock [initially 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    low_stock: Option<i64>,
    /// Whether addresses given in a browser are confirmed by mail first [initially on]
    #[arg(long, value_enum, value_name = "SWITCH")]
    confirm_addresses: Option<Switch>,
    /// Currency of the catalogue's prices, such as EUR; `none` shows prices without one [initially none]
    #[arg(long, value_name = "CODE", value_parser = currency)]
    currency: Option<Clearable>,
    /// Language of mails to shoppers who have not saved one, such as de or pt-BR: a built-in one, or one that was added with
    /// `wishbone mail text import` [initially en]
    #[arg(long, value_name = "TAG", value_parser = language)]
    pub(super) language: Option<String>,
    /// Address that replies to mails go to; `none` for the sender's [initially none]
    #[arg(long, value_name = "ADDRESS", value_parser = reply_to)]
    reply_to: Option<Clearable>,
    /// URL of the picture at the top of mails; `none` for the store's name [initially none]
    #[arg(long, value_name = "URL", value_parser = logo)]
    logo: Option<Clearable>,
    /// Colour of buttons in mails, such as #1a7f5a; `none` for a neutral one [initially none]
    #[arg(long, value_name = "#RRGGBB", value_parser = brand_color)]
    brand_color: Option<Clearable>,
    /// URL of the SMS gateway, which takes To, From and Body as a form; `none` turns SMS off [initially none]
    #[arg(long, value_name = "URL", value_parser = sms_url)]
    sms_url: Option<Clearable>,
    /// Sender of SMS: a phone number or a name, as the gateway accepts it; `none` clears it [initially none]
    #[arg(long, value_name = "TEXT", value_parser = sms_from)]
    sms_from: Option<Clearable>,
    /// Countries that SMS are sent to: ISO 3166 codes such as DE,AT, by calling code, or `all` [initially all]
    #[arg(long, value_name = "CODES|all", value_parser = sms_countries)]
    sms_countries: Option<SmsCountries>,
    /// Maximum number of SMS per hour that all shoppers of the store can cause: confirmations of numbers [initially 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..=1_000_000))]
    sms_per_hour: Option<i64>,
    /// User and password of the SMS gateway, stored encrypted and never shown; `none` deletes them [initially none]
    #[arg(long, value_name = "USER:PASSWORD", value_parser = sms_auth)]
    sms_auth: Option<Clearable>,
    /// Time of day in which no alerts, digests and reminders are sent, such as 22:00-08:00; `none` for no such time
    /// [initially none]
    #[arg(long, value_name = "HH:MM-HH:MM", value_parser = quiet_hours)]
    quiet_hours: Option<Quiet>,
    /// Time zone of the quiet hours: an IANA name, such as Europe/Berlin [initially UTC]
    #[arg(long, value_name = "ZONE", value_parser = time_zone)]
    time_zone: Option<String>,
    /// Days after which shoppers who accept marketing are reminded of wishlists that nobody has touched, 1 to 365, or
    /// `off` [initially off]
    #[arg(long, value_name = "N|off", value_parser = reminder_days)]
    reminder_days: Option<ReminderDays>,
    #[command(flatten)]
    secret: SecretArgs,
}

impl AlertArgs {
    /// `user:password` of the SMS gateway; `None` inside deletes it.
    pub(super) fn sms_auth(&self) -> Option<Option<&str>> {
        self.sms_auth.as_ref().map(|Clearable(auth)| auth.as_deref())
    }

    /// The keys that encrypt the password.
    pub(super) fn secret(&self) -> &SecretArgs {
        &self.secret
    }

    pub(super) fn change(&self) -> AlertSettingsChange {
        let clearable = |value: &Option<Clearable>| value.clone().map(|Clearable(value)| value);
        AlertSettingsChange {
            alerts_per_unit: self.alerts_per_unit.map(|PerUnit(count)| count),
            alert_interval: self.alert_interval,
            alert_minimum: self.alert_minimum,
            low_stock: self.low_stock,
            confirm_addresses: self.confirm_addresses.map(|switch| switch == Switch::On),
            currency: clearable(&self.currency),
            language: self.language.clone(),
            reply_to: clearable(&self.reply_to),
            logo: clearable(&self.logo),
            brand_color: clearable(&self.brand_color),
            sms_url: clearable(&self.sms_url),
            sms_from: clearable(&self.sms_from),
            sms_countries: self.sms_countries.clone().map(|SmsCountries(codes)| codes),
            sms_per_hour: self.sms_per_hour,
            quiet_hours: self.quiet_hours.map(|Quiet(hours)| hours),
            time_zone: self.time_zone.clone(),
            reminder_days: self.reminder_days.map(|ReminderDays(days)| days),
        }
    }
}

/// `None` means all.
#[derive(Clone, Copy)]
struct PerUnit(Option<i64>);

fn per_unit(text: &str) -> Result<PerUnit, String> {
    if text == "all" {
        return Ok(PerUnit(None));
    }
    let count = text.parse().ok().filter(|count| (1..=1_000_000).contains(count));
    count.map(|count| PerUnit(Some(count))).ok_or_else(|| "expected 1 to 1000000, or all".to_owned())
}

/// `None` means that it is never quiet.
#[derive(Clone, Copy)]
struct Quiet(Option<QuietHours>);

fn quiet_hours(text: &str) -> Result<Quiet, String> {
    if text == "none" {
        return Ok(Quiet(None));
    }
    text.parse().map(|hours| Quiet(Some(hours))).map_err(|expected: String| format!("{expected}, or none"))
}

fn time_zone(text: &str) -> Result<String, String> {
    time_zone_name(text)
        .ok_or_else(|| "expected a name of the IANA time zone database, such as Europe/Berlin".to_owned())
}

/// `None` sends no reminders.
#[derive(Clone, Copy)]
struct ReminderDays(Option<i64>);

fn reminder_days(text: &str) -> Result<ReminderDays, String> {
    if text == "off" {
        return Ok(ReminderDays(None));
    }
    let days = text.parse().ok().filter(|days| (1..=365).contains(days));
    days.map(|days| ReminderDays(Some(days))).ok_or_else(|| "expected 1 to 365, or off".to_owned())
}

/// Empty means all.
#[derive(Clone)]
struct SmsCountries(Vec<String>);

fn sms_countries(text: &str) -> Result<SmsCountries, String> {
    if text == "all" {
        return Ok(SmsCountries(Vec::new()));
    }
    let mut codes: Vec<String> = text.split(',').map(|code| code.trim().to_ascii_uppercase()).collect();
    codes.sort();
    codes.dedup();
    match codes.iter().find(|code| !is_country(code)) {
        None => Ok(SmsCountries(codes)),
        Some(_) => Err("expected country codes of two letters (ISO 3166), such as DE,AT,CH, or all".to_owned()),
    }
}

/// The value of a setting that `none` clears.
#[derive(Clone)]
struct Clearable(Option<String>);

fn clearable(text: &str, is_valid: impl Fn(&str) -> bool, expected: &str) -> Result<Clearable, String> {
    match text {
        "none" => Ok(Clearable(None)),
        text if is_valid(text) => Ok(Clearable(Some(text.to_owned()))),
        _ => Err(format!("expected {expected}, or none")),
    }
}

fn currency(text: &str) -> Result<Clearable, String> {
    let text = if text == "none" { text.to_owned() } else { text.to_ascii_uppercase() };
    let is_code = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    clearable(&text, is_code, "a currency code of three letters, such as EUR")
}

fn language(text: &str) -> Result<String, String> {
    let tag = parse_tag(text).map(|tag| tag.to_string());
    tag.ok_or_else(|| "expected a language tag, such as de or pt-BR".to_owned())
}

fn reply_to(text: &str) -> Result<Clearable, String> {
    match text {
        "none" => Ok(Clearable(None)),
        text => {
            normalize_email("--reply-to", text).map(|address| Clearable(Some(address))).map_err(|error| error.message)
        }
    }
}

fn logo(text: &str) -> Result<Clearable, String> {
    let is_url = |text: &str| {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"'`\\".contains(&byte));
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        text.len() <= 1_000 && is_plain && host.is_some_and(|host| !host.is_empty())
    };
    clearable(text, is_url, "the URL of a picture, such as https://shop.example/logo.png")
}

fn sms_url(text: &str) -> Result<Clearable, String> {
    let is_url = |text: &str| Target::parse(text, true).is_ok();
    clearable(text, is_url, "the URL of an SMS gateway, such as https://sms.example/send")
}

fn sms_from(text: &str) -> Result<Clearable, String> {
    let is_sender = |text: &str| (1..=50).contains(&text.chars().count()) && !text.contains(char::is_control);
    clearable(text, is_sender, "a phone number or a name of 1 to 50 characters")
}

fn sms_auth(text: &str) -> Result<Clearable, String> {
    let is_auth = |text: &str| {
        let has_user = text.split_once(':').is_some_and(|(user, _)| !user.is_empty());
        has_user && text.len() <= 500 && !text.contains(char::is_control)
    };
    clearable(text, is_auth, "USER:PASSWORD")
}

fn brand_color(text: &str) -> Result<Clearable, String> {
    let is_color = |text: &str| {
        text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    clearable(text, is_color, "a colour such as #1a7f5a")
}
