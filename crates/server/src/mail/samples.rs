//! Mails with sample content, for previews, test mails and the validation of templates.

use minijinja::Error;
use serde::{Deserialize, Serialize};
use wishbone_core::catalog::fields::{MAX_TITLE_LENGTH, MAX_URL_LENGTH};
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::items::input::MAX_NOTE_LENGTH;
use wishbone_core::lists::row::MAX_NAME_LENGTH;
use wishbone_core::mail::message::{
    AlertMessage, ConfirmationMessage, DigestMessage, ListMessage, MAX_SENDER_LENGTH, MessageItem, ReminderItem,
    ReminderMessage,
};
use wishbone_core::mail::shop_url::MailedUrl;
use wishbone_core::mail::text::MailText;

use crate::mail::attempt::RenderedMail;
use crate::mail::letterhead::Letterhead;
use crate::mail::render::{self, Links};

pub(super) const TITLE: &str = "Linen shirt";
pub(super) const LINK: &str = "https://shop.example/products/linen-shirt?variant=1";

const LIST: &str = "https://shop.example/lists/summer";

/// The unsubscribe or confirmation link of samples.
pub(super) const ACTION: &str = "https://lists.example/mail/sample-link";

/// A grey square, since previews have no network.
const IMAGE: &str = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 4 4%22%3E%3Cpath \
                     fill=%22%23c9cdd2%22 d=%22M0 0h4v4H0z%22/%3E%3C/svg%3E";

/// Alerts of a digest, and items of a list, at most.
const MAX_ITEMS: usize = 20;

/// Items of the list of samples.
const MORE_THAN_SHOWN: i64 = 25;

/// How long the texts of a sample are.
#[derive(Clone, Copy, Debug)]
pub enum Size {
    Ordinary,
    /// As long and as many as they can be, of this character.
    Largest(char),
}

impl Size {
    fn text(self, ordinary: &str, max_length: usize) -> MailText {
        match self {
            Self::Ordinary => MailText::lines(ordinary),
            Self::Largest(character) => MailText::lines(&repeated(character, max_length)),
        }
    }

    fn link(self, ordinary: &str) -> MailedUrl {
        let origin = "https://shop.example/";
        MailedUrl::of_shop(match self {
            Self::Ordinary => ordinary.to_owned(),
            Self::Largest(character) => origin.to_owned() + &repeated(character, MAX_URL_LENGTH - origin.len()),
        })
    }

    /// The items of a list, or as many as a mail can have.
    fn items(self, ordinary: &[(&str, i64)]) -> Vec<MessageItem> {
        let count = if matches!(self, Self::Ordinary) { ordinary.len() } else { MAX_ITEMS };
        ordinary.iter().cycle().take(count).map(|(title, quantity)| self.item(title, *quantity)).collect()
    }

    fn item(self, title: &str, quantity: i64) -> MessageItem {
        MessageItem {
            title: self.text(title, MAX_TITLE_LENGTH),
            variant: self.text("Blue / M", MAX_TITLE_LENGTH),
            price: Some("49.90".to_owned()),
            quantity,
            link: self.link(LINK),
            image: self.link(IMAGE),
        }
    }

    fn alert(self, topic: &str) -> AlertMessage {
        AlertMessage {
            topic: topic.to_owned(),
            item: self.item(TITLE, 1),
            stock: Some(3),
            previous_price: Some("59.90".to_owned()),
        }
    }

    fn digest(self) -> DigestMessage {
        let count = if matches!(self, Self::Ordinary) { TOPICS.len() } else { MAX_ITEMS };
        DigestMessage { alerts: TOPICS.iter().cycle().take(count).map(|topic| self.alert(topic)).collect() }
    }

    fn list(self, letterhead: &Letterhead) -> ListMessage {
        ListMessage {
            store: MailText::lines(&letterhead.store),
            sender: self.text("Ann Lee", MAX_SENDER_LENGTH),
            note: Some(self.text("Have a look!", MAX_NOTE_LENGTH)),
            list: self.text("Summer", MAX_NAME_LENGTH),
            link_id: None,
            link: self.link(LIST),
            count: MORE_THAN_SHOWN,
            items: self.items(&[(TITLE, 1), ("Straw hat", 2)]),
        }
    }

    fn reminder(self) -> ReminderMessage {
        let items = self.items(&[(TITLE, 1), ("Straw hat", 1)]).into_iter();
        let left = [Some(2), None].into_iter().cycle();
        ReminderMessage {
            list: self.text("Summer", MAX_NAME_LENGTH),
            link: self.link(LIST),
            count: MORE_THAN_SHOWN,
            items: items.zip(left).map(|(item, left)| ReminderItem { item, left }).collect(),
        }
    }
}

/// The links of samples that nobody receives.
pub(super) fn sample_links() -> Links {
    Links { action: ACTION.to_owned(), preferences: "https://lists.example/mail/preferences".to_owned() }
}

fn repeated(character: char, length: usize) -> String {
    std::iter::repeat_n(character, length).collect()
}

/// Renders a mail with sample content.
pub fn render_sample(
    letterhead: &Letterhead,
    size: Size,
    kind: &str,
    topic: &str,
    links: &Links,
) -> Result<RenderedMail, Error> {
    Sample::new(letterhead, size, kind, topic).render(letterhead, links)
}

/// A message of every kind of mail.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Sample {
    Alert(AlertMessage),
    Confirmation(ConfirmationMessage),
    Digest(DigestMessage),
    List(ListMessage),
    Reminder(ReminderMessage),
}

impl Sample {
    fn new(letterhead: &Letterhead, size: Size, kind: &str, topic: &str) -> Self {
        match kind {
            "confirmation" => {
                let (topic, item) = (topic.to_owned(), size.item(TITLE, 1));
                Self::Confirmation(ConfirmationMessage { topic, item, expires_at: 0, is_sms: false })
            }
            "digest" => Self::Digest(size.digest()),
            "list" => Self::List(size.list(letterhead)),
            "reminder" => Self::Reminder(size.reminder()),
            _ => Self::Alert(size.alert(topic)),
        }
    }

    fn render(&self, letterhead: &Letterhead, links: &Links) -> Result<RenderedMail, Error> {
        match self {
            Self::Alert(message) => render::alert(letterhead, message, links),
            Self::Confirmation(message) => render::confirmation(letterhead, message, links),
            Self::Digest(message) => render::digest(letterhead, message, links),
            Self::List(message) => render::list(letterhead, message, links),
            Self::Reminder(message) => render::reminder(letterhead, message, links),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wishbone_core::mail::customization::Customization;
    use wishbone_core::stores::alert_settings::AlertSettings;
    use wishbone_core::stores::record::StoreRecord;
    use wishbone_core::stores::settings::Settings;

    use super::*;
    use crate::mail::budget::{BUDGET, Budget};
    use crate::mail::languages::builtin_tags;

    fn links(action: &str) -> Links {
        Links {
            action: action.to_owned(),
            preferences: "https://lists.shop.example/mail/preferences?token=p&q".to_owned(),
        }
    }

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
            let letterhead = Letterhead::new(&Budget::of_test(), &store(tag), None, Customization::default()).strict();
            for (kind, topic) in
                crate::api::mail::KINDS.iter().flat_map(|kind| TOPICS.iter().map(move |topic| (kind, topic)))
            {
                let mail = render_sample(&letterhead, Size::Ordinary, kind, topic, &links(ACTION)).unwrap();
                let what = format!("{tag} {kind} {topic}: {} {}", mail.text, mail.html);
                assert!(mail.text.contains(TITLE) && mail.text.contains(LINK) && mail.text.contains(ACTION), "{what}");
                assert!(mail.text.contains("token=p&q") && mail.html.contains("token=p&amp;q"), "{what}");
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

    /// Replaces the texts of a message, except what the store sets: topics, prices and its own URLs.
    fn forge(value: &mut serde_json::Value, forged: &str) -> usize {
        match value {
            serde_json::Value::String(text) => {
                *text = forged.to_owned();
                1
            }
            serde_json::Value::Array(values) => values.iter_mut().map(|value| forge(value, forged)).sum(),
            serde_json::Value::Object(members) => {
                // Where the shop says nothing, a shopper's URL is used if it is the shop's.
                if members.contains_key("given") {
                    members.insert("shop".to_owned(), serde_json::Value::Null);
                    members.insert("given".to_owned(), forged.into());
                    return 1;
                }
                let is_stores = |name: &str| ["topic", "price", "previous_price"].contains(&name);
                members.iter_mut().filter(|(name, _)| !is_stores(name)).map(|(_, value)| forge(value, forged)).sum()
            }
            _ => 0,
        }
    }

    #[test]
    fn no_mail_has_a_link_that_a_shopper_or_stranger_has_set() {
        let letterhead = Letterhead::new(&Budget::of_test(), &store("en"), None, Customization::default()).strict();
        let hosts = ["evil.example", "www.evil", "evil@e", "1.2.3.4", "//evil", "tel:+", "\\\\evil"];
        for kind in crate::api::mail::KINDS {
            for forged in [
                "https://evil.example/x",
                "www.evil.example",
                "eve.evil@evil.example",
                "http://1.2.3.4/",
                "tel:+49151",
                "//evil.example",
                "\\\\evil\\x",
                "e\u{200b}vil.\u{200b}example evil.example",
            ] {
                let mut message =
                    serde_json::to_value(Sample::new(&letterhead, Size::Ordinary, kind, "pricedrop")).unwrap();
                assert!(forge(&mut message, forged) >= 4, "{message}");
                let message: Sample = serde_json::from_value(message).unwrap();
                let mail = message.render(&letterhead, &links("https://lists.shop.example/mail?token=a")).unwrap();
                for part in [&mail.subject, &mail.text, &mail.html] {
                    let shown = part.replace("&#x2f;", "/").replace('\u{200b}', "");
                    assert!(
                        shown.contains("evil")
                            || shown.contains("1.2.3.")
                            || shown.contains("+49")
                            || part == &mail.subject,
                        "readable: {shown}"
                    );
                    assert!(!hosts.iter().any(|host| shown.contains(host)), "{kind} {forged}: {shown}");
                }
            }
        }
    }

    #[test]
    fn the_shoppers_language_comes_before_the_stores() {
        let letterhead =
            |language| Letterhead::new(&Budget::of_test(), &store("de"), language, Customization::default());
        let subject = |language| {
            render_sample(&letterhead(language), Size::Ordinary, "alert", "pricedrop", &links("")).unwrap().subject
        };
        assert_eq!(subject(Some("ja")), "値下げしました：Linen shirt");
        assert_eq!(subject(Some("tlh")), "Preis gesenkt: Linen shirt");
        assert_eq!(subject(None), "Preis gesenkt: Linen shirt");
        let mail = render_sample(&letterhead(None), Size::Ordinary, "alert", "pricedrop", &links("")).unwrap();
        assert!(mail.text.contains("49,90\u{a0}€ statt 59,90\u{a0}€"), "{}", mail.text);
        let mail = render_sample(&letterhead(None), Size::Ordinary, "alert", "lowstock", &links("")).unwrap();
        assert!(mail.text.contains("Nur noch 3 Stück") && !mail.text.contains("59,90"), "{}", mail.text);
    }

    #[test]
    fn a_template_that_fails_is_replaced_by_the_built_in_one() {
        let mut customization = Customization::default();
        customization.templates.insert("alert.html".to_owned(), "{{ unknown }}".to_owned());
        let letterhead = Letterhead::new(&Budget::of_test(), &store("en"), None, customization);
        let mail = render_sample(&letterhead, Size::Ordinary, "alert", "lowstock", &links("")).unwrap();
        assert!(mail.html.contains("Only <bdi>3</bdi> left") || mail.html.contains("Only 3 left"), "{}", mail.html);
        assert!(render_sample(&letterhead.strict(), Size::Ordinary, "alert", "lowstock", &links("")).is_err());
    }

    #[test]
    fn built_in_mails_are_affordable_with_the_longest_texts() {
        let kinds = crate::api::mail::KINDS;
        let samples = ['"', '&', '😀'].into_iter().flat_map(|fill| kinds.iter().map(move |kind| (fill, kind)));
        for (fill, kind) in samples {
            let budget = Budget::of_test();
            let letterhead = Letterhead::new(&budget, &store("de"), None, Customization::default()).strict();
            let mail =
                render_sample(&letterhead, Size::Largest(fill), kind, "pricedrop", &links("https://lists.example/a"));
            let mail = mail.unwrap_or_else(|error| panic!("{kind} {fill}: {error:#}"));
            assert!(budget.spent() > mail.html.len() + mail.text.len(), "what is written is charged");
            assert!(budget.spent() < BUDGET / 2, "{kind} {fill}: {}", budget.spent());
        }
    }

    #[test]
    fn a_mail_whose_time_is_over_is_not_rendered_with_other_templates() {
        let mut customization = Customization::default();
        customization.templates.insert("alert.html".to_owned(), "{{ unknown }}".to_owned());
        let budget = Budget::new(Duration::ZERO);
        let letterhead = Letterhead::new(&budget, &store("en"), None, customization);
        assert!(render_sample(&letterhead, Size::Ordinary, "alert", "lowstock", &links("")).is_err());
    }

    #[test]
    fn a_mail_with_a_template_that_is_too_dear_is_rendered_with_the_built_in_one() {
        let mut customization = Customization::default();
        let dear = format!("{{{{ item.image{} }}}}", "|upper".repeat(150)).repeat(60);
        customization.templates.insert("alert.html".to_owned(), dear);
        let letterhead = Letterhead::new(&Budget::of_test(), &store("en"), None, customization);
        let render =
            |letterhead: &Letterhead| render_sample(letterhead, Size::Largest('x'), "alert", "lowstock", &links(""));
        assert!(render(&letterhead).unwrap().html.starts_with("<!doctype html>"));
        let error = render(&letterhead.strict()).unwrap_err();
        assert!(format!("{error:#}").contains("costs too much"), "{error:#}");
    }
}
