//! Validation of a store's own templates and texts when they are set.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::sync::Arc;

use minijinja::{ErrorKind, HtmlEscape};
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::error::{Error, Result};
use wishbone_core::mail::customization::Customization;
use wishbone_core::stores::record::StoreRecord;

use crate::api::mail::KINDS;
use crate::mail::attempt::RenderedMail;
use crate::mail::budget::Budget;
use crate::mail::languages::{TextMap, default_texts, parse_tag, placeholders, split_plural};
use crate::mail::letterhead::Letterhead;
use crate::mail::pool::{Purpose, RenderPool};
use crate::mail::samples::{ACTION, LINK, Size, TITLE, render_sample, sample_links};
use crate::mail::subset;
use crate::mail::templates::{MAIL_TEMPLATES, check_syntax};

pub(crate) const MAX_TEMPLATE_BYTES: usize = 64 << 10;
pub(crate) const MAX_TEXT_LENGTH: usize = 1_000;

/// Bytes of all templates and texts of a store.
const MAX_CUSTOMIZATION_BYTES: usize = 1 << 20;

/// Languages that a store may have texts of its own in.
const MAX_LANGUAGES: usize = 50;
const MAX_TAG_LENGTH: usize = 35;

/// Returns the name of a template in [`MAIL_TEMPLATES`].
pub(crate) fn template_name(name: &str) -> Result<&'static str> {
    let names = || MAIL_TEMPLATES.iter().map(|(name, _)| *name);
    let unknown = || Error::invalid("name", format!("must be one of {}", names().collect::<Vec<_>>().join(", ")));
    names().find(|known| *known == name).ok_or_else(unknown)
}

/// Checks a template by itself.
pub(crate) fn check_source(name: &str, source: &str) -> Result<()> {
    if source.len() > MAX_TEMPLATE_BYTES || source.contains('\0') {
        let rule = format!("must have at most {MAX_TEMPLATE_BYTES} bytes, and no U+0000");
        return Err(Error::invalid(name, rule));
    }
    // First what bounds the work of the parser.
    subset::check(source).map_err(|problem| Error::invalid(name, problem))?;
    check_syntax(name, source).map_err(|error| template_error(&error))
}

/// Checks that all templates and texts of a store together are not too large: every mail reads them.
pub(crate) fn check_size(customization: &Customization) -> Result<()> {
    let templates = customization.templates.values();
    let texts = customization.texts.values().flat_map(BTreeMap::values);
    let bytes: usize = templates.chain(texts).map(String::len).sum();
    if bytes > MAX_CUSTOMIZATION_BYTES {
        let rule = format!("have {bytes} bytes together with this change: {MAX_CUSTOMIZATION_BYTES} are allowed");
        return Err(Error::invalid("templates and texts", rule));
    }
    Ok(())
}

/// Renders all mails of the store with sample content, and checks that they have what they must have, and that they are not
/// too dear with the longest content.
pub(crate) async fn check_mails(
    pool: &RenderPool,
    store: &Arc<StoreRecord>,
    language: Option<&str>,
    customization: &Arc<Customization>,
) -> Result<()> {
    let id = store.store_id;
    for (kind, topic) in sample_mails() {
        for size in [Size::Ordinary, Size::Largest('x')] {
            let (store, customization) = (Arc::clone(store), Arc::clone(customization));
            let language = language.map(str::to_owned);
            let check = move |budget: &Arc<Budget>| {
                let letterhead = Letterhead::new(budget, &store, language.as_deref(), (*customization).clone());
                check_sample(&letterhead.strict(), size, kind, topic)
            };
            pool.run(id, Purpose::Call, check).await??;
        }
    }
    Ok(())
}

fn check_sample(letterhead: &Letterhead, size: Size, kind: &str, topic: &str) -> Result<()> {
    let what = || format!("the mail {kind} ({topic})");
    match (render_sample(letterhead, size, kind, topic, &sample_links()), size) {
        (Ok(mail), Size::Ordinary) => check_mail(&mail).map_err(|problem| Error::invalid(&what(), problem)),
        (Ok(_), Size::Largest(_)) => Ok(()),
        (Err(error), Size::Ordinary) => Err(template_error(&error)),
        (Err(error), Size::Largest(_)) => {
            let Error { message, .. } = template_error(&error);
            Err(Error::invalid(&what(), format!("fails with the longest titles and 20 items: {message}")))
        }
    }
}

/// Every kind of mail, with every topic where that matters.
fn sample_mails() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.iter().flat_map(|kind| {
        let topics = if ["alert", "confirmation"].contains(kind) { TOPICS } else { &TOPICS[..1] };
        topics.iter().map(move |topic| (*kind, *topic))
    })
}

fn check_mail(mail: &RenderedMail) -> std::result::Result<(), &'static str> {
    let link = HtmlEscape(ACTION).to_string();
    let has_link = [format!("href=\"{link}\""), format!("href='{link}'")].iter().any(|href| mail.html.contains(href));
    match () {
        () if !mail.text.contains(TITLE) => Err("must name the product in its text part: use {{ item.title }}"),
        () if !mail.text.contains(LINK) => Err("must have the product's URL in its text part: use {{ item.link }}"),
        () if !mail.text.contains(ACTION) => {
            Err("must have its link in its text part: use {{ unsubscribe }}, or {{ confirm }} in a confirmation")
        }
        () if !has_link => Err("must have its link in its HTML part: use <a href=\"{{ unsubscribe }}\">, or \
                                {{ confirm }} in a confirmation"),
        () => Ok(()),
    }
}

/// The innermost error of a template, with its line.
pub(crate) fn template_error(error: &minijinja::Error) -> Error {
    let mut innermost = error;
    while let Some(source) = innermost.source().and_then(|source| source.downcast_ref::<minijinja::Error>()) {
        innermost = source;
    }
    let problem = match innermost.kind() {
        ErrorKind::OutOfFuel => "out of fuel: use fewer loops, filters and includes".to_owned(),
        // The source tells the limit.
        ErrorKind::WriteFailure => innermost.source().unwrap_or(innermost).to_string(),
        kind => innermost.detail().map_or_else(|| kind.to_string(), str::to_owned),
    };
    let problem: String = problem.chars().take(150).collect();
    let name = innermost.name().or_else(|| error.name()).unwrap_or("the template");
    let line = innermost.line().or_else(|| error.line()).unwrap_or(1);
    Error::invalid(name, format!("line {line}: {problem}"))
}

/// Returns a language tag in its canonical form.
pub(crate) fn language_tag(text: &str) -> Result<String> {
    let tag = parse_tag(text).filter(|_| text.len() <= MAX_TAG_LENGTH);
    tag.map(|tag| tag.to_string())
        .ok_or_else(|| Error::invalid("language", "must be a language tag, such as de or pt-BR"))
}

/// Checks texts of a language. `None` restores a text.
pub(crate) fn check_texts(
    customization: &Customization,
    language: &str,
    texts: &BTreeMap<String, Option<String>>,
) -> Result<()> {
    for (key, text) in texts {
        let Some(base) = known_key(key) else { return Err(unknown_key(key)) };
        let Some(text) = text else { continue };
        let length = text.chars().count();
        if text.trim().is_empty() || length > MAX_TEXT_LENGTH || text.contains(char::is_control) {
            let rule = format!("{key} must have 1 to {MAX_TEXT_LENGTH} characters on one line");
            return Err(Error::invalid("texts", rule));
        }
        let known = known_placeholders(base);
        if let Some(unknown) = placeholders(text).find(|name| !known.contains(name)) {
            let known: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
            let unknown = shortened(unknown);
            let rule = format!("{key} has an unknown placeholder {{{unknown}}}: use {}", known.join(", "));
            return Err(Error::invalid("texts", rule));
        }
    }
    let is_new = !customization.texts.contains_key(language);
    if is_new && customization.texts.len() >= MAX_LANGUAGES {
        return Err(Error::invalid("language", format!("is one too many: a store has at most {MAX_LANGUAGES}")));
    }
    Ok(())
}

/// The key without its plural category; `None` if there is no such text. Other languages have other categories.
fn known_key(key: &str) -> Option<&str> {
    let (base, category) = split_plural(key);
    let is_plural = default_texts().contains_key(&format!("{base}.other"));
    if default_texts().contains_key(key) || (category.is_some() && is_plural) { Some(base) } else { None }
}

/// Names the keys of the same group, or the groups if there is none: all keys are too many for a message.
fn unknown_key(key: &str) -> Error {
    let group = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    let all = default_texts().keys();
    let similar: Vec<&str> = all.clone().filter(|known| group(known) == group(key)).map(String::as_str).collect();
    let key = shortened(key);
    if similar.is_empty() {
        let groups: BTreeSet<String> = all.map(|key| group(key)).collect();
        let groups = groups.into_iter().collect::<Vec<_>>().join(", ");
        return Error::invalid("texts", format!("has an unknown key {key:?}: known keys start with {groups}"));
    }
    Error::invalid("texts", format!("has an unknown key {key:?}: known are {}", similar.join(", ")))
}

/// The beginning of a text that a message quotes.
fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}

/// The placeholders that a text may have.
fn known_placeholders(base: &str) -> BTreeSet<&'static str> {
    let texts: &'static TextMap = default_texts();
    let forms = texts.iter().filter(|(key, _)| split_plural(key).0 == base);
    forms.flat_map(|(_, text)| placeholders(text)).chain(["store"]).collect()
}
