//! Settings of product alerts and of the mail that carries them.

use serde::{Deserialize, Serialize};

use crate::moment::Millis;
use crate::stores::calling_codes::countries_of;
use crate::stores::quiet_hours::QuietHours;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AlertSettings {
    /// Shoppers notified per unit in stock; `None` means all.
    pub alerts_per_unit: Option<i64>,
    /// Seconds between batches of alerts for one variant.
    pub alert_interval: i64,
    /// Stock from which `backinstock` fires.
    pub alert_minimum: i64,
    /// Stock at or below which `lowstock` fires.
    pub low_stock: i64,
    /// Whether addresses given in a browser must be confirmed (double opt-in).
    pub confirm_addresses: bool,
    /// ISO 4217 code of the catalogue's prices; `None` shows them without a currency.
    pub currency: Option<String>,
    /// BCP 47 tag of the language of mails to shoppers who have not saved one.
    pub language: String,
    pub reply_to: Option<String>,
    /// URL of a picture.
    pub logo: Option<String>,
    /// `#rrggbb`.
    pub brand_color: Option<String>,
    /// URL of the SMS gateway; its user and password are stored encrypted, see [`crate::stores::sms_auth`].
    pub sms_url: Option<String>,
    /// Sender of SMS: a phone number or a name.
    pub sms_from: Option<String>,
    /// ISO 3166 codes of the countries that SMS are sent to; empty means all.
    pub sms_countries: Vec<String>,
    /// SMS per hour that shoppers of the store can cause, all together; alerts that were confirmed do not count.
    pub sms_per_hour: i64,
    /// When no alerts, digests and reminders are sent.
    pub quiet_hours: Option<QuietHours>,
    /// IANA name of the time zone of the quiet hours.
    pub time_zone: String,
    /// Days after which shoppers are reminded of wishlists that nobody has touched; `None` sends no reminders.
    pub reminder_days: Option<i64>,
}

impl AlertSettings {
    /// True if the store sends SMS to the country of a phone number. Without its country code, that is not known.
    pub fn sends_sms_to(&self, number: &str) -> bool {
        let is_wanted = |code: &str| self.sms_countries.iter().any(|country| country == code);
        self.sms_countries.is_empty() || countries_of(number).into_iter().flatten().any(is_wanted)
    }

    /// When the quiet hours that contain `now` end; `None` if it is not quiet.
    pub fn quiet_until(&self, now: Millis) -> Option<Millis> {
        self.quiet_hours.and_then(|hours| hours.end_after(now, &self.time_zone))
    }
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self {
            alerts_per_unit: Some(1),
            alert_interval: 900,
            alert_minimum: 1,
            low_stock: 5,
            confirm_addresses: true,
            currency: None,
            language: "en".to_owned(),
            reply_to: None,
            logo: None,
            brand_color: None,
            sms_url: None,
            sms_from: None,
            sms_countries: Vec::new(),
            sms_per_hour: 200,
            quiet_hours: None,
            time_zone: "UTC".to_owned(),
            reminder_days: None,
        }
    }
}

/// A change of these settings; `None` leaves a setting as it is.
#[derive(Clone, Debug, Default)]
pub struct AlertSettingsChange {
    pub alerts_per_unit: Option<Option<i64>>,
    pub alert_interval: Option<i64>,
    pub alert_minimum: Option<i64>,
    pub low_stock: Option<i64>,
    pub confirm_addresses: Option<bool>,
    pub currency: Option<Option<String>>,
    pub language: Option<String>,
    pub reply_to: Option<Option<String>>,
    pub logo: Option<Option<String>>,
    pub brand_color: Option<Option<String>>,
    pub sms_url: Option<Option<String>>,
    pub sms_from: Option<Option<String>>,
    pub sms_countries: Option<Vec<String>>,
    pub sms_per_hour: Option<i64>,
    pub quiet_hours: Option<Option<QuietHours>>,
    pub time_zone: Option<String>,
    pub reminder_days: Option<Option<i64>>,
}

impl AlertSettingsChange {
    pub(super) fn apply(&self, settings: &mut AlertSettings) {
        set(&mut settings.alerts_per_unit, &self.alerts_per_unit);
        set(&mut settings.alert_interval, &self.alert_interval);
        set(&mut settings.alert_minimum, &self.alert_minimum);
        set(&mut settings.low_stock, &self.low_stock);
        set(&mut settings.confirm_addresses, &self.confirm_addresses);
        set(&mut settings.currency, &self.currency);
        set(&mut settings.language, &self.language);
        set(&mut settings.reply_to, &self.reply_to);
        set(&mut settings.logo, &self.logo);
        set(&mut settings.brand_color, &self.brand_color);
        set(&mut settings.sms_url, &self.sms_url);
        set(&mut settings.sms_from, &self.sms_from);
        set(&mut settings.sms_countries, &self.sms_countries);
        set(&mut settings.sms_per_hour, &self.sms_per_hour);
        set(&mut settings.quiet_hours, &self.quiet_hours);
        set(&mut settings.time_zone, &self.time_zone);
        set(&mut settings.reminder_days, &self.reminder_days);
    }
}

/// Replaces a setting if the change names it.
pub(super) fn set<T: Clone>(target: &mut T, change: &Option<T>) {
    if let Some(value) = change {
        target.clone_from(value);
    }
}
