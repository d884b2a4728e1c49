//! Mails with sample content, for previews, test mails and the validation of templates.

use minijinja::Error;
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::mail::message::{
    AlertMessage, ConfirmationMessage, DigestMessage, ListMessage, MessageItem, ReminderItem, ReminderMessage,
};

use crate::mail::attempt::RenderedMail;
use crate::mail::letterhead::Letterhead;
use crate::mail::render;

pub(super) const TITLE: &str = "Linen shirt";
pub(super) const LINK: &str = "https://shop.example/products/linen-shirt?variant=1";

/// A grey square, since previews have no network.
const IMAGE: &str = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 4 4%22%3E%3Cpath \
                     fill=%22%23c9cdd2%22 d=%22M0 0h4v4H0z%22/%3E%3C/svg%3E";

/// Renders a mail with sample content. `action` is its unsubscribe or confirmation link.
pub fn render_sample(letterhead: &Letterhead, kind: &str, topic: &str, action: &str) -> Result<RenderedMail, Error> {
    match kind {
        "confirmation" => {
            let topic = topic.to_owned();
            let message = ConfirmationMessage { topic, item: item(TITLE, 1), expires_at: 0, is_sms: false };
            render::confirmation(letterhead, &message, action)
        }
        "digest" => {
            let alerts = TOPICS.iter().map(|topic| alert(topic)).collect();
            render::digest(letterhead, &DigestMessage { alerts }, action)
        }
        "list" => render::list(letterhead, &list(letterhead), action),
        "reminder" => render::reminder(letterhead, &reminder(), action),
        _ => render::alert(letterhead, &alert(topic), action),
    }
}

fn alert(topic: &str) -> AlertMessage {
    AlertMessage {
        topic: topic.to_owned(),
        item: item(TITLE, 1),
        stock: Some(3),
        previous_price: Some("59.90".to_owned()),
    }
}

fn list(letterhead: &Letterhead) -> ListMessage {
    ListMessage {
        store: letterhead.store.clone(),
        sender: "Ann Lee".to_owned(),
        note: Some("Have a look!".to_owned()),
        list: "Summer".to_owned(),
        link: Some("https://shop.example/lists/summer".to_owned()),
        count: 5,
        items: vec![item(TITLE, 1), item("Straw hat", 2)],
    }
}

fn reminder() -> ReminderMessage {
    ReminderMessage {
        list: "Summer".to_owned(),
        link: Some("https://shop.example/lists/summer".to_owned()),
        count: 3,
        items: vec![
            ReminderItem { item: item(TITLE, 1), left: Some(2) },
            ReminderItem { item: item("Straw hat", 1), left: None },
        ],
    }
}

fn item(title: &str, quantity: i64) -> MessageItem {
    MessageItem {
        title: title.to_owned(),
        variant: "Blue / M".to_owned(),
        price: Some("49.90".to_owned()),
        quantity,
        link: Some(LINK.to_owned()),
        image: Some(IMAGE.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use wishbone_core::mail::customization::Customization;
    use wishbone_core::stores::alert_settings::AlertSettings;
    use wishbone_core::stores::record::StoreRecord;
    use wishbone_core::stores::settings::Settings;

    use super::*;
    use crate::mail::languages::builtin_tags;

    fn store(language: &str) -> StoreRecord {
        let alerts = AlertSettings {
            language: language.to_owned(),
            currency: Some("EUR".to_owned()),
            ..AlertSettings::default()
        };
        StoreRecord {
            store_id: 1,
            pid: String::new(),
            name: "Bread & <Butter>".to_owned(),
            settings: Settings { alerts, ..Settings::default() },
            generation: 0,
            api_key_hash: Vec::new(),
            created_at: 0,
            webhook_events: 0,
        }
    }

    #[test]
    fn every_mail_is_complete_in_every_language() {
        const ACTION: &str = "https://lists.example/mail?token=a&b";
        for tag in builtin_tags() {
            let letterhead = Letterhead::new(&store(tag), None, Customization::default()).strict();
            for (kind, topic) in
                crate::api::mail::KINDS.iter().flat_map(|kind| TOPICS.iter().map(move |topic| (kind, topic)))
            {
                let mail = render_sample(&letterhead, kind, topic, ACTION).unwrap();
                let what = format!("{tag} {kind} {topic}: {} {}", mail.text, mail.html);
                assert!(mail.text.contains(TITLE) && mail.text.contains(LINK) && mail.text.contains(ACTION), "{what}");
                assert!(mail.text.contains("49") && !mail.text.contains("\n\n\n"), "{what}");
                assert!(
                    mail.html.starts_with(&format!("<!doctype html>\n<html lang=\"{tag}\" dir=\"ltr\">")),
                    "{what}"
                );
                assert!(mail.html.contains("token=a&amp;b") && mail.html.contains(TITLE), "{what}");
                assert!(mail.html.contains("Bread &amp; &lt;Butter&gt;") && !mail.html.contains("<Butter>"), "{what}");
                for part in [&mail.subject, &mail.text, &mail.html] {
                    assert!(!part.contains("{store}") && !part.contains("{{"), "{what}");
                }
                assert_eq!(mail.html.matches("<table").count(), mail.html.matches("</table>").count(), "{what}");
            }
        }
    }

    #[test]
    fn the_shoppers_language_comes_before_the_stores() {
        let letterhead = |language| Letterhead::new(&store("de"), language, Customization::default());
        let subject = |language| render_sample(&letterhead(language), "alert", "pricedrop", "").unwrap().subject;
        assert_eq!(subject(Some("ja")), "値下げしました：Linen shirt");
        assert_eq!(subject(Some("tlh")), "Preis gesenkt: Linen shirt");
        assert_eq!(subject(None), "Preis gesenkt: Linen shirt");
        let mail = render_sample(&letterhead(None), "alert", "pricedrop", "").unwrap();
        assert!(mail.text.contains("49,90\u{a0}€ statt 59,90\u{a0}€"), "{}", mail.text);
        let mail = render_sample(&letterhead(None), "alert", "lowstock", "").unwrap();
        assert!(mail.text.contains("Nur noch 3 Stück") && !mail.text.contains("59,90"), "{}", mail.text);
    }

    #[test]
    fn a_template_that_fails_is_replaced_by_the_built_in_one() {
        let mut customization = Customization::default();
        customization.templates.insert("alert.html".to_owned(), "{{ unknown }}".to_owned());
        let letterhead = Letterhead::new(&store("en"), None, customization);
        let mail = render_sample(&letterhead, "alert", "lowstock", "").unwrap();
        assert!(mail.html.contains("Only <bdi>3</bdi> left") || mail.html.contains("Only 3 left"), "{}", mail.html);
        assert!(render_sample(&letterhead.strict(), "alert", "lowstock", "").is_err());
    }
}
