//! The pages that links in mails lead to. They work without JavaScript; GET shows them, POST changes something.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::{Serde, Value};
use minijinja::{Error, context};
use serde::Serialize;
use wishbone_core::mail::customization::Customization;
use wishbone_core::subscriptions::confirm::ConfirmedProduct;

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
/// is about all mail of the store.
pub fn unsubscribe_page(
    letterhead: &Letterhead,
    topic: Option<&str>,
    state: UnsubscribeState,
) -> Result<String, Error> {
    let topic_name = topic.map(|topic| letterhead.text(&format!("{topic}.name"), None, &[]));
    let key = match state {
        UnsubscribeState::Subscribed => "unsubscribe.heading",
        UnsubscribeState::UnsubscribedFromTopic => "unsubscribe.topic-done.heading",
        UnsubscribeState::Unsubscribed => "unsubscribe.done.heading",
    };
    let title = letterhead.text(key, None, &[("topic", topic_name.as_deref().unwrap_or_default())]);
    let values = context! { title, topic, topic_name, state => Serde(&state), ..common(letterhead) };
    page("unsubscribe.html", &values)
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
        ..common(letterhead)
    };
    page("confirm.html", &values)
}

/// The page of a link that this server did not make. Its store is not known, so the language is the browser's.
pub fn invalid_link_page(accept_language: Option<&str>) -> Result<String, Error> {
    let tags = accept_language.unwrap_or_default().split(',').take(10);
    let wanted: Vec<&str> = tags.filter_map(|tag| tag.split(';').next()).collect();
    let texts = Arc::new(Texts::new(&wanted, &Customization::default()));
    let values = context! {
        t => text_function(&texts, ""),
        title => texts.plain("link.invalid.heading", None, &[]),
        store => "",
        language => texts.tag(),
        direction => texts.direction(),
        button => Serde(&ButtonColors::new(None)),
    };
    page("page.html", &values)
}

fn page(name: &str, values: &Value) -> Result<String, Error> {
    render(&BTreeMap::new(), name, values)
}
