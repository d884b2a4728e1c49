//! The pages that links in mails lead to. They work without JavaScript; GET shows them, POST changes something.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Serde, Value};
use minijinja::{Error, context};
use serde::Serialize;
use wishbone_core::mail::customization::Customization;
use wishbone_core::mail::shared_list::{SharedItem, SharedList};
use wishbone_core::mail::text::MailText;
use wishbone_core::subscriptions::confirm::ConfirmedProduct;
use wishbone_core::subscriptions::preferences::{AwaitedAlert, AwaitedState, Preferences};

use crate::mail::budget::Budget;
use crate::mail::colors::ButtonColors;
use crate::mail::item_view::ItemView;
use crate::mail::letterhead::Letterhead;
use crate::mail::render::common;
use crate::mail::templates::{render, text_function};
use crate::mail::texts::Texts;

/// What a recipient accepts of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnsubscribeState {
    Subscribed,
    /// From the topic that the link is about.
    UnsubscribedFromTopic,
    /// From everything.
    Unsubscribed,
}

/// The page of an unsubscribe link. Its forms post `scope=topic`, `scope=all` or `again=true`. Without a topic, the link
/// is about all mail of the store. Leads back to the product of an alert.
pub fn unsubscribe_page(
    letterhead: &Letterhead,
    topic: Option<&str>,
    state: UnsubscribeState,
    product: Option<&ConfirmedProduct>,
) -> Result<String, Error> {
    let topic_name = topic.map(|topic| letterhead.text(&format!("{topic}.name"), None, &[]));
    let key = match state {
        UnsubscribeState::Subscribed => "unsubscribe.heading",
        UnsubscribeState::UnsubscribedFromTopic => "unsubscribe.topic-done.heading",
        UnsubscribeState::Unsubscribed => "unsubscribe.done.heading",
    };
    let title = letterhead.text(key, None, &[("topic", topic_name.as_deref().unwrap_or_default())]);
    let product = product.and_then(|product| ItemView::of_request(letterhead, product).link);
    let product = Serde(product);
    let values = context! { title, topic, topic_name, state => Serde(&state), product, ..of_store(letterhead) };
    page(&letterhead.budget, "unsubscribe.html", &values)
}

/// The state of a request for alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmState {
    /// The page shows a form that confirms.
    Pending,
    Confirmed,
    AlreadyConfirmed,
    Expired,
}

/// The page of a confirmation link, with the alerts that are to be confirmed, or were.
pub fn confirm_page(
    letterhead: &Letterhead,
    state: ConfirmState,
    requests: &[ConfirmedProduct],
    more: i64,
) -> Result<String, Error> {
    let texts = match state {
        ConfirmState::Pending => "confirm",
        ConfirmState::Confirmed => "confirm.done",
        ConfirmState::AlreadyConfirmed => "confirm.already",
        ConfirmState::Expired => "confirm.expired",
    };
    let is_listed = matches!(state, ConfirmState::Pending | ConfirmState::Confirmed);
    let items: Vec<ItemView> =
        requests.iter().filter(|_| is_listed).map(|request| ItemView::of_request(letterhead, request)).collect();
    let values = context! {
        title => letterhead.text(&format!("{texts}.heading"), None, &[]),
        texts,
        pending => state == ConfirmState::Pending,
        items => Serde(&items),
        more,
        ..of_store(letterhead)
    };
    page(&letterhead.budget, "confirm.html", &values)
}

/// What the page of mail preferences shows.
pub struct PreferencesView {
    pub preferences: Preferences,
    /// Of the link to other pages of alerts.
    pub token: String,
    /// True if a change was made.
    pub saved: bool,
}

/// Something that can be turned on and off.
#[derive(Serialize)]
struct Switch {
    /// What the form posts as `on` or `off`.
    name: &'static str,
    title: String,
    on: bool,
}

#[derive(Serialize)]
struct AwaitedView {
    id: String,
    item: ItemView,
    /// The key of a text.
    note: Option<&'static str>,
}

/// The page of mail preferences. Its form posts `end`, `on` or `off`.
pub fn preferences_page(letterhead: &Letterhead, view: &PreferencesView) -> Result<String, Error> {
    let PreferencesView { preferences, token, saved } = view;
    let switch = |name, key: &str, on| Switch { name, title: letterhead.text(key, None, &[]), on };
    let topics = preferences.topics.iter().map(|(topic, on)| {
        let name = topic.as_str();
        switch(name, &format!("{name}.name"), *on)
    });
    let digest = preferences.digest.map(|on| switch("digest", "preferences.digest", on));
    let reminders = preferences.reminders.filter(|_| letterhead.sends_reminders);
    let reminders = reminders.map(|on| switch("reminder", "preferences.reminders", on));
    let switches: Vec<Switch> = topics.chain(digest).chain(reminders).collect();
    let alerts = preferences.alerts.iter().map(|AwaitedAlert { id, product, state }| AwaitedView {
        id: id.to_string(),
        item: ItemView::of_request(letterhead, product),
        note: match state {
            AwaitedState::Waiting => None,
            AwaitedState::Unconfirmed => Some("preferences.unconfirmed"),
            AwaitedState::Off => Some("preferences.suppressed"),
        },
    });
    let alerts: Vec<AwaitedView> = alerts.collect();
    let values = context! {
        title => letterhead.text("preferences.heading", None, &[]),
        private => preferences.is_private,
        stopped => preferences.stopped,
        switches => Serde(&switches),
        alerts => Serde(&alerts),
        token,
        newer => Some(preferences.page).filter(|number| *number > 0),
        older => preferences.has_more.then_some(preferences.page + 2),
        saved => *saved,
        ..of_store(letterhead)
    };
    page(&letterhead.budget, "preferences.html", &values)
}

/// What the page of a shared list shows.
pub struct SharedView {
    /// `None` if the link has expired or was revoked.
    pub list: Option<SharedList>,
    /// The page that the store has for shared lists.
    pub list_page: Option<String>,
    /// Of the link, to the next items.
    pub token: String,
    pub next: Option<String>,
    /// Items that this page and those before do not show.
    pub more: i64,
}

#[derive(Serialize)]
struct SharedItemView {
    item: ItemView,
    note: Option<MailText>,
}

/// The page of a share link, with a preview for messengers.
pub fn shared_page(letterhead: &Letterhead, view: SharedView) -> Result<String, Error> {
    let SharedView { list, list_page, token, next, more } = view;
    let Some(list) = list else {
        let title = letterhead.text("shared.gone.heading", None, &[]);
        return page(&letterhead.budget, "shared.html", &context! { title, list => false, ..of_store(letterhead) });
    };
    let owner = list.owner.as_ref().filter(|owner| !owner.is_empty());
    let description = match owner {
        Some(owner) => letterhead.text("list.intro", None, &[("sender", owner.as_str()), ("list", list.name.as_str())]),
        None => letterhead.text("list.intro.store", None, &[("list", list.name.as_str())]),
    };
    let items = list.items.iter().map(|SharedItem { item, note, .. }| SharedItemView {
        item: ItemView::new(letterhead, item),
        note: note.clone(),
    });
    let items: Vec<SharedItemView> = items.collect();
    let values = context! {
        title => list.name.as_str(),
        list => true,
        owner => Serde(owner),
        note => Serde(&list.note),
        description,
        picture => Serde(items.iter().find_map(|entry| entry.item.image.as_ref())),
        list_page,
        items => Serde(&items),
        token,
        next,
        more,
        ..of_store(letterhead)
    };
    page(&letterhead.budget, "shared.html", &values)
}

/// The page of a link that this server did not make. Its store is not known, so the language is the browser's.
pub fn invalid_link_page(budget: &Arc<Budget>, accept_language: Option<&str>) -> Result<String, Error> {
    let tags = accept_language.unwrap_or_default().split(',').take(10);
    let wanted: Vec<&str> = tags.filter_map(|tag| tag.split(';').next()).collect();
    let texts = Arc::new(Texts::new(&wanted, &Customization::default()));
    let values = context! {
        t => text_function(&texts, ""),
        title => texts.plain("link.invalid.heading", None, &[]),
        store => "",
        logo => (),
        product => (),
        home => (),
        language => texts.tag(),
        direction => texts.direction(),
        button => Serde(&ButtonColors::new(None)),
    };
    page(budget, "page.html", &values)
}

/// The values of every page of a store. It leads back to the shop and, if there is one, to a product.
fn of_store(letterhead: &Letterhead) -> Value {
    context! { product => (), home => Serde(letterhead.origins.home()), ..common(letterhead) }
}

fn page(budget: &Arc<Budget>, name: &str, values: &Value) -> Result<String, Error> {
    render(budget, &BTreeMap::new(), name, values)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use wishbone_core::catalog::fields::{MAX_TITLE_LENGTH, MAX_URL_LENGTH};
    use wishbone_core::catalog::topic::{TOPICS, Topic};
    use wishbone_core::mail::message::MessageItem;
    use wishbone_core::mail::shop_url::MailedUrl;
    use wishbone_core::mail::text::MailText;
    use wishbone_core::stores::record::StoreRecord;
    use wishbone_core::stores::settings::Settings;

    use super::*;
    use crate::mail::budget::BUDGET;
    use crate::mail::languages::builtin_tags;

    fn letterhead(language: &str) -> Letterhead {
        let store = StoreRecord {
            store_id: 1,
            pid: String::new(),
            name: "<Shop>".to_owned(),
            settings: Settings::default(),
            generation: 0,
            api_key_hash: Vec::new(),
            created_at: 0,
            webhook_events: 0,
        };
        Letterhead::new(&Budget::of_test(), &store, Some(language), Customization::default())
    }

    fn assert_page(html: &str, tag: &str, forms: usize, buttons: usize) {
        assert!(html.contains(&format!("<html lang=\"{tag}\" dir=\"ltr\">")), "{html}");
        assert_eq!((html.matches("<form").count(), html.matches("<button").count()), (forms, buttons), "{html}");
        assert_eq!((html.matches("<h1").count(), html.matches("<main").count()), (1, 1), "{html}");
        assert!(!html.contains("<Shop>") && !html.contains("<script") && !html.contains("{store}"), "{html}");
        let title = html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap();
        assert!(!title.is_empty() && !title.contains('<'), "{title}");
    }

    #[test]
    fn the_longest_page_is_affordable() {
        let text = |length| MailText::lines(&"&".repeat(length));
        let url = format!("https://shop.example/{}", "&".repeat(MAX_URL_LENGTH - 30));
        let item = MessageItem {
            title: text(MAX_TITLE_LENGTH),
            variant: text(MAX_TITLE_LENGTH),
            price: None,
            quantity: 1,
            link: MailedUrl::of_shop(url),
            image: MailedUrl::default(),
        };
        let product = ConfirmedProduct { topic: "pricedrop".to_owned(), item };
        let alert = AwaitedAlert { id: Uuid::nil(), product, state: AwaitedState::Unconfirmed };
        let preferences = Preferences {
            is_private: true,
            stopped: false,
            topics: Topic::ALL.map(|topic| (topic, true)).into(),
            digest: Some(true),
            reminders: Some(true),
            alerts: vec![alert; 20],
            page: 1,
            has_more: true,
        };
        let view = PreferencesView { preferences, token: "x".repeat(500), saved: true };
        let letterhead = letterhead("fr");
        let html = preferences_page(&letterhead, &view).unwrap();
        assert!(letterhead.budget.spent() > html.len() && letterhead.budget.spent() < BUDGET / 2);
    }

    #[test]
    fn every_page_is_complete_in_every_language() {
        use {ConfirmState as C, UnsubscribeState as U};
        let preferences = |stopped, alerts: &[ConfirmedProduct]| PreferencesView {
            preferences: Preferences {
                is_private: true,
                stopped,
                topics: Topic::ALL.map(|topic| (topic, topic == Topic::PriceDrop)).into(),
                digest: Some(true),
                reminders: Some(false),
                alerts: alerts
                    .iter()
                    .zip([AwaitedState::Waiting, AwaitedState::Unconfirmed, AwaitedState::Off])
                    .map(|(product, state)| AwaitedAlert { id: Uuid::nil(), product: product.clone(), state })
                    .collect(),
                page: 1,
                has_more: true,
            },
            token: "abc".to_owned(),
            saved: true,
        };
        let item = MessageItem {
            title: MailText::lines("<b>"),
            variant: MailText::default(),
            price: None,
            quantity: 1,
            link: MailedUrl::default(),
            image: MailedUrl::default(),
        };
        let requests: Vec<ConfirmedProduct> =
            TOPICS.iter().map(|topic| ConfirmedProduct { topic: (*topic).to_owned(), item: item.clone() }).collect();
        for tag in builtin_tags() {
            let letterhead = letterhead(tag);
            for (state, forms) in [(C::Pending, 1), (C::Confirmed, 0), (C::AlreadyConfirmed, 0), (C::Expired, 0)] {
                let html = confirm_page(&letterhead, state, &requests, 2).unwrap();
                assert_page(&html, tag, forms, forms);
                let listed = if matches!(state, C::Pending | C::Confirmed) { 4 } else { 0 };
                assert_eq!(html.matches("&lt;b&gt;").count(), listed, "{html}");
            }
            for topic in [None, Some("pricedrop")] {
                let buttons = if topic.is_some() { 2 } else { 1 };
                assert_page(&unsubscribe_page(&letterhead, topic, U::Subscribed, None).unwrap(), tag, 1, buttons);
                assert_page(&unsubscribe_page(&letterhead, topic, U::Unsubscribed, None).unwrap(), tag, 1, 1);
            }
            let html = unsubscribe_page(&letterhead, Some("pricedrop"), U::UnsubscribedFromTopic, None).unwrap();
            assert_page(&html, tag, 1, 2);
            // Four topics and the digest, three alerts, and what stops everything: the store sends no reminders.
            let html = preferences_page(&letterhead, &preferences(false, &requests)).unwrap();
            assert_page(&html, tag, 1, 5 + 3 + 1);
            assert!(html.contains("?token=abc&amp;page=1\"") && html.contains("?token=abc&amp;page=3\""), "{html}");
            assert_page(&preferences_page(&letterhead, &preferences(true, &requests)).unwrap(), tag, 1, 3 + 1);
            assert_page(&preferences_page(&letterhead, &preferences(false, &[])).unwrap(), tag, 1, 5 + 1);
            assert_page(
                &invalid_link_page(&Budget::of_test(), Some(&format!("tlh;q=1,{tag};q=0.5"))).unwrap(),
                tag,
                0,
                0,
            );
        }
        assert_page(&invalid_link_page(&Budget::of_test(), None).unwrap(), "en", 0, 0);
    }
}
