//! Renders mails. A store's own template that fails is logged, and the built-in ones are used instead.

use std::collections::BTreeMap;

use minijinja::value::{Serde, Value, merge_maps};
use minijinja::{Error, context};
use wishbone_core::mail::message::{AlertMessage, ConfirmationMessage, DigestMessage, ListMessage, ReminderMessage};
use wishbone_core::mail::text::one_line;

use crate::mail::attempt::RenderedMail;
use crate::mail::item_view::ItemView;
use crate::mail::letterhead::Letterhead;
use crate::mail::plain_text::tidy;
use crate::mail::templates::{render, text_function};

/// Maximum length of a subject; mail clients truncate longer ones.
const MAX_SUBJECT: usize = 150;
/// Maximum length of a product's name in an SMS; longer ones cost the store several.
const MAX_SMS_TITLE: usize = 60;

/// The links of a mail to pages of this server.
#[derive(Clone, Debug)]
pub struct Links {
    /// To confirm in a confirmation, to unsubscribe in every other mail.
    pub action: String,
    pub preferences: String,
}

/// A product alert.
pub fn alert(letterhead: &Letterhead, message: &AlertMessage, links: &Links) -> Result<RenderedMail, Error> {
    let item = ItemView::of_alert(letterhead, message);
    let subject = letterhead.text(&format!("{}.subject", message.topic), None, &[("product", &item.title)]);
    let values = context! {
        topic => &message.topic,
        target => Serde(&item.link),
        label => letterhead.text("alert.button", None, &[]),
        item => Serde(&item),
        unsubscribe => &links.action,
    };
    mail(letterhead, "alert", &subject, links, values)
}

/// A product alert as an SMS.
pub fn sms_alert(letterhead: &Letterhead, message: &AlertMessage, unsubscribe: &str) -> String {
    let item = ItemView::of_alert(letterhead, message);
    let product = one_line(&item.title, MAX_SMS_TITLE);
    let alert = letterhead.text(&format!("{}.subject", message.topic), None, &[("product", &product)]);
    let link = item.link.as_ref().map_or("", |link| link.as_str());
    letterhead.text("sms.alert", None, &[("alert", &alert), ("link", link), ("unsubscribe", unsubscribe)])
}

/// The request to confirm a phone number, as an SMS.
pub fn sms_confirmation(letterhead: &Letterhead, message: &ConfirmationMessage, confirm: &str) -> String {
    let item = ItemView::new(letterhead, &message.item);
    let product = one_line(&item.title, MAX_SMS_TITLE);
    letterhead.text("sms.confirmation", None, &[("product", &product), ("link", confirm)])
}

/// The request to confirm an address.
pub fn confirmation(
    letterhead: &Letterhead,
    message: &ConfirmationMessage,
    links: &Links,
) -> Result<RenderedMail, Error> {
    let item = ItemView::new(letterhead, &message.item);
    let subject = letterhead.text("confirmation.subject", None, &[("product", &item.title)]);
    let values = context! {
        topic => &message.topic,
        target => &links.action,
        label => letterhead.text("confirmation.button", None, &[]),
        item => Serde(&item),
        confirm => &links.action,
    };
    mail(letterhead, "confirmation", &subject, links, values)
}

/// Several product alerts.
pub fn digest(letterhead: &Letterhead, message: &DigestMessage, links: &Links) -> Result<RenderedMail, Error> {
    let items: Vec<ItemView> = message.alerts.iter().map(|alert| ItemView::of_alert(letterhead, alert)).collect();
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let subject = letterhead.text("digest.subject", Some(count), &[]);
    let values = context! { items => Serde(&items), unsubscribe => &links.action };
    mail(letterhead, "digest", &subject, links, values)
}

/// A reminder of a list.
pub fn reminder(letterhead: &Letterhead, message: &ReminderMessage, links: &Links) -> Result<RenderedMail, Error> {
    let items: Vec<ItemView> = message
        .items
        .iter()
        .map(|reminded| ItemView::new(letterhead, &reminded.item).with_left(reminded.left))
        .collect();
    let subject = letterhead.text("reminder.subject", None, &[("list", message.list.as_str())]);
    let values = context! {
        list => Serde(&message.list),
        more => more(message.count, &items),
        items => Serde(&items),
        target => Serde(letterhead.origins.own(&message.link)),
        label => letterhead.text("reminder.button", None, &[]),
        unsubscribe => &links.action,
    };
    mail(letterhead, "reminder", &subject, links, values)
}

/// A list that a shopper mails to somebody.
pub fn list(letterhead: &Letterhead, message: &ListMessage, links: &Links) -> Result<RenderedMail, Error> {
    // A shopper without a name mails in the store's.
    let sender = Some(&message.sender).filter(|sender| **sender != message.store);
    // The words of the store only: the recipient must be able to tell who is writing.
    let subject = letterhead.text("list.subject", None, &[]);
    let items: Vec<ItemView> = message.items.iter().map(|item| ItemView::new(letterhead, item)).collect();
    let values = context! {
        sender => Serde(sender),
        list => Serde(&message.list),
        note => Serde(&message.note),
        more => more(message.count, &items),
        items => Serde(&items),
        target => Serde(letterhead.origins.own(&message.link)),
        label => letterhead.text("list.button", None, &[]),
        unsubscribe => &links.action,
    };
    mail(letterhead, "list", &subject, links, values)
}

/// Items of a list that a mail does not show.
fn more(count: i64, shown: &[ItemView]) -> Option<i64> {
    Some(count - i64::try_from(shown.len()).unwrap_or(count)).filter(|more| *more > 0)
}

fn mail(
    letterhead: &Letterhead,
    kind: &str,
    subject: &str,
    links: &Links,
    values: Value,
) -> Result<RenderedMail, Error> {
    let values = context! { preferences => &links.preferences, ..values };
    let own = &letterhead.customization.templates;
    match mail_from(own, letterhead, kind, subject, &values) {
        Err(error) if !own.is_empty() && !letterhead.is_strict && !letterhead.budget.is_over() => {
            letterhead.budget.refill();
            tracing::error!(kind, error = format!("{error:#}"), "mail template failed: using the built-in one");
            mail_from(&BTreeMap::new(), letterhead, kind, subject, &values)
        }
        rendered => rendered,
    }
}

/// Renders both parts with these templates of the store.
fn mail_from(
    own: &BTreeMap<String, String>,
    letterhead: &Letterhead,
    kind: &str,
    subject: &str,
    values: &Value,
) -> Result<RenderedMail, Error> {
    let subject = self::subject(subject);
    let values = context! { subject => &subject, ..merge_maps([values.clone(), common(letterhead)]) };
    Ok(RenderedMail {
        store: letterhead.store.clone(),
        reply_to: letterhead.reply_to.clone(),
        text: tidy(&render(&letterhead.budget, own, &format!("{kind}.txt"), &values)?),
        html: render(&letterhead.budget, own, &format!("{kind}.html"), &values)?,
        subject,
    })
}

/// The values of every mail and page.
pub(super) fn common(letterhead: &Letterhead) -> Value {
    context! {
        t => text_function(&letterhead.texts, &letterhead.store),
        store => &letterhead.store,
        logo => &letterhead.logo,
        language => letterhead.texts.tag(),
        direction => letterhead.texts.direction(),
        button => Serde(&letterhead.button),
    }
}

/// A single-line subject without encoded words (`=?utf-8?q?…?=`). They are ASCII, so they would pass unencoded, and mail
/// clients would decode characters that [`one_line`] removes.
fn subject(text: &str) -> String {
    one_line(text, MAX_SUBJECT).replace("=?", "= ?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_contains_no_encoded_words() {
        assert_eq!(subject("=?utf-8?q?=E2=80=AE?= shares"), "= ?utf-8?q?=E2=80=AE?= shares");
        assert!(!subject("==??=?=\u{202e}?").contains("=?"));
    }
}
