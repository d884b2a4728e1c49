//! What all mails and pages of a store have in common: name, branding, language, currency, templates.

use std::sync::Arc;

use wishbone_core::mail::customization::{Customization, MailContext};
use wishbone_core::mail::message::MAX_SENDER_LENGTH;
use wishbone_core::mail::shop_url::ShopOrigins;
use wishbone_core::mail::text::one_line;
use wishbone_core::stores::record::StoreRecord;

use crate::mail::budget::Budget;
use crate::mail::colors::ButtonColors;
use crate::mail::price::format_price;
use crate::mail::texts::Texts;

#[derive(Clone, Debug)]
pub struct Letterhead {
    /// Of the rendering that this letterhead is for.
    pub(super) budget: Arc<Budget>,
    pub(super) store: String,
    pub(super) logo: Option<String>,
    pub(super) reply_to: Option<String>,
    /// Decides what mails link to.
    pub(super) origins: ShopOrigins,
    pub(super) button: ButtonColors,
    /// Whether the store reminds shoppers of lists.
    pub(super) sends_reminders: bool,
    pub(super) texts: Arc<Texts>,
    currency: Option<String>,
    pub(super) customization: Customization,
    pub(super) is_strict: bool,
}

impl Letterhead {
    /// `language` is the one that the shopper has saved, if any; the store's is the next choice.
    pub fn new(
        budget: &Arc<Budget>,
        store: &StoreRecord,
        language: Option<&str>,
        customization: Customization,
    ) -> Self {
        let settings = &store.settings.alerts;
        let wanted: Vec<&str> = language.into_iter().chain([settings.language.as_str()]).collect();
        Self {
            budget: Arc::clone(budget),
            store: one_line(&store.name, MAX_SENDER_LENGTH),
            logo: settings.logo.clone(),
            reply_to: settings.reply_to.clone(),
            origins: ShopOrigins::new(&store.settings),
            button: ButtonColors::new(settings.brand_color.as_deref()),
            sends_reminders: settings.reminder_days.is_some(),
            texts: Arc::new(Texts::new(&wanted, &customization)),
            currency: settings.currency.clone(),
            customization,
            is_strict: false,
        }
    }

    /// Rendering with this letterhead fails if a template of the store does, instead of using the built-in one.
    pub(super) fn strict(self) -> Self {
        Self { is_strict: true, ..self }
    }

    pub fn of_context(budget: &Arc<Budget>, context: MailContext) -> Self {
        Self::new(budget, &context.store, context.language.as_deref(), context.customization)
    }

    /// The language tag of the texts.
    pub fn language(&self) -> String {
        self.texts.tag()
    }

    pub(super) fn price(&self, price: &str) -> String {
        format_price(price, self.currency.as_deref(), &self.texts.locale)
    }

    /// A text with the store's name and other values.
    pub(super) fn text(&self, key: &str, count: Option<i64>, arguments: &[(&str, &str)]) -> String {
        let arguments = [&[("store", self.store.as_str())], arguments].concat();
        let text = self.texts.plain(key, count, &arguments).unwrap_or_else(|| key.to_owned());
        self.budget.spend(text.len());
        text
    }
}
