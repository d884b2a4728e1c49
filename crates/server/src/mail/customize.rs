//! Customizing mails: what the store-admin API and the command line have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use wishbone_core::catalog::topic::{TOPICS, Topic};
use wishbone_core::error::{Error, Result};
use wishbone_core::json::parse;
use wishbone_core::json_parts::has_more;
use wishbone_core::mail::customization::{Customization, FindCustomization};
use wishbone_core::mail::message::TestMessage;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_storage::Database;

use crate::api::mail::KINDS;
use crate::mail::budget::Budget;
use crate::mail::languages::{builtin, builtin_tags, default_texts, lookup_chain, parse_tag};
use crate::mail::letterhead::Letterhead;
use crate::mail::pool::{Purpose, RenderPool};
use crate::mail::samples::{Size, render_sample, sample_links};
use crate::mail::templates::MAIL_TEMPLATES;
use crate::mail::texts::missing;
use crate::mail::validation;

pub(crate) use crate::mail::validation::template_name;

/// Maximum texts of one call: more than there are, in all plural forms.
pub(crate) const MAX_TEXTS: usize = 1_000;

/// Texts by key; `None` restores the built-in one.
pub(crate) type TextChanges = BTreeMap<String, Option<String>>;

/// Every template with its present source.
pub(crate) fn templates(customization: &Customization) -> Value {
    let describe = |(name, _): &(&str, &str)| {
        let customized = customization.templates.contains_key(*name);
        json!({ "name": name, "customized": customized, "source": template(customization, name) })
    };
    MAIL_TEMPLATES.iter().map(describe).collect()
}

/// The present source of a template.
pub(crate) fn template(customization: &Customization, name: &str) -> String {
    let builtin = || MAIL_TEMPLATES.iter().find(|(known, _)| *known == name).map(|(_, source)| (*source).to_owned());
    customization.templates.get(name).cloned().or_else(builtin).unwrap_or_default()
}

/// Checks that the mails of a store are complete and not too dear with this template. Returns the template's name.
pub(crate) async fn check_template(
    database: &Database,
    pool: &RenderPool,
    by: &StoreAdmin,
    name: &str,
    source: &str,
) -> Result<&'static str> {
    let name = template_name(name)?;
    let mut customization = database.read(FindCustomization { by: by.clone() }).await?;
    customization.templates.insert(name.to_owned(), source.to_owned());
    validation::check_size(&customization)?;
    let source = source.to_owned();
    pool.run(by.store().store_id, Purpose::Call, move |_| validation::check_source(name, &source)).await??;
    validation::check_mails(pool, by.store(), None, &Arc::new(customization)).await?;
    Ok(name)
}

/// Every text in a language, and the languages there are.
pub(crate) fn texts(customization: &Customization, language: &str) -> Result<Value> {
    let language = validation::language_tag(language)?;
    let chain = parse_tag(&language).map(|tag| lookup_chain(&tag)).unwrap_or_default();
    let own: Vec<_> = chain.iter().filter_map(|tag| customization.texts.get(tag)).collect();
    let builtin = chain.iter().find_map(|tag| builtin(tag));
    let fallback = builtin.unwrap_or(default_texts());
    let mut keys: Vec<&String> = fallback.keys().chain(own.iter().flat_map(|texts| texts.keys())).collect();
    keys.sort();
    keys.dedup();
    let texts: Vec<Value> = keys
        .into_iter()
        .map(|key| {
            let customized = own.iter().find_map(|texts| texts.get(key));
            json!({ "key": key, "text": customized.or_else(|| fallback.get(key)), "customized": customized.is_some() })
        })
        .collect();
    let missing = missing_texts(customization, &language);
    Ok(json!({ "language": language, "languages": languages(customization), "missing": missing, "texts": texts }))
}

/// The built-in languages, and those that the store has texts of.
fn languages(customization: &Customization) -> BTreeSet<&str> {
    let mut languages: BTreeSet<&str> = builtin_tags().collect();
    languages.extend(customization.texts.keys().map(String::as_str));
    languages
}

/// Fails if there are texts neither of a language nor of a more general one. The message ends with the known ones.
pub(crate) fn require_language(customization: &Customization, language: &str) -> std::result::Result<(), String> {
    let known = languages(customization);
    let chain = parse_tag(language).map(|tag| lookup_chain(&tag)).unwrap_or_default();
    if chain.iter().any(|tag| known.contains(tag.as_str())) {
        return Ok(());
    }
    let known: Vec<&str> = known.into_iter().collect();
    Err(format!("there are no texts in {language}, only in {}", known.join(", ")))
}

/// The texts that a language lacks before it is used; none if it is built in.
fn missing_texts(customization: &Customization, language: &str) -> Vec<String> {
    let chain = parse_tag(language).map(|tag| lookup_chain(&tag)).unwrap_or_default();
    if chain.iter().any(|tag| builtin(tag).is_some()) {
        return Vec::new();
    }
    missing(&chain.iter().filter_map(|tag| customization.texts.get(tag)).cloned().collect::<Vec<_>>())
}

/// Decodes an object of texts; `null` restores a text.
pub(crate) fn parse_texts(json: &str) -> Result<TextChanges> {
    if has_more(json, MAX_TEXTS) {
        return Err(Error::invalid("texts", format!("must have at most {MAX_TEXTS} texts")));
    }
    let texts: TextChanges = parse(json).map_err(|_| {
        Error::invalid("texts", "must be an object of keys and texts, such as {\"alert.button\": \"Shop now\"}")
    })?;
    if texts.is_empty() { Err(Error::invalid("texts", "must not be empty")) } else { Ok(texts) }
}

/// The changes that restore these texts of a language; without keys, all of them.
pub(crate) fn reset_texts(
    customization: &Customization,
    language: &str,
    keys: Option<Vec<String>>,
) -> Result<TextChanges> {
    let language = validation::language_tag(language)?;
    let all = || customization.texts.get(&language).map(|texts| texts.keys().cloned().collect()).unwrap_or_default();
    Ok(keys.unwrap_or_else(all).into_iter().map(|key| (key, None)).collect())
}

/// Texts that can be written.
pub(crate) struct CheckedTexts {
    /// The canonical tag.
    pub(crate) language: String,
    /// What the language lacks after the change.
    pub(crate) missing: Vec<String>,
}

pub(crate) async fn check_texts(
    database: &Database,
    pool: &RenderPool,
    by: &StoreAdmin,
    language: &str,
    texts: &TextChanges,
) -> Result<CheckedTexts> {
    let language = validation::language_tag(language)?;
    let mut customization = database.read(FindCustomization { by: by.clone() }).await?;
    validation::check_texts(&customization, &language, texts)?;
    let own = customization.texts.entry(language.clone()).or_default();
    for (key, text) in texts {
        match text {
            Some(text) => own.insert(key.clone(), text.clone()),
            None => own.remove(key),
        };
    }
    validation::check_size(&customization)?;
    let missing = missing_texts(&customization, &language);
    // With the built-in templates, which are used if the store's own fail.
    let customization = Arc::new(Customization { templates: BTreeMap::new(), ..customization });
    validation::check_mails(pool, by.store(), Some(&language), &customization).await?;
    Ok(CheckedTexts { missing, language })
}

/// The mail that is to be shown or sent with sample content.
#[derive(Clone, Debug, Default)]
pub(crate) struct SampleChoice {
    /// A kind of mail; `alert` by default.
    pub(crate) kind: Option<String>,
    /// The topic of an alert or a confirmation; `backinstock` by default.
    pub(crate) topic: Option<String>,
    /// A language tag; the store's by default.
    pub(crate) language: Option<String>,
}

impl SampleChoice {
    pub(crate) fn message(&self) -> Result<TestMessage> {
        let kind = self.kind.as_deref().unwrap_or(KINDS[0]);
        if !KINDS.contains(&kind) {
            return Err(Error::invalid("kind", format!("must be one of {}", KINDS.join(", "))));
        }
        let language = self.language.as_deref().map(validation::language_tag).transpose()?;
        let topic = Topic::parse(self.topic.as_deref().unwrap_or(TOPICS[0]))?.as_str();
        Ok(TestMessage { kind: kind.to_owned(), topic: topic.to_owned(), language })
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Preview {
    pub(crate) language: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
}

/// Renders a mail with sample content, and with templates that are not set yet.
pub(crate) async fn preview(
    database: &Database,
    pool: &RenderPool,
    by: &StoreAdmin,
    choice: &SampleChoice,
    templates: BTreeMap<String, String>,
) -> Result<Preview> {
    let TestMessage { kind, topic, language } = choice.message()?;
    let mut customization = database.read(FindCustomization { by: by.clone() }).await?;
    let store = Arc::clone(by.store());
    let render = move |budget: &Arc<Budget>| {
        for (name, source) in templates {
            validation::check_source(template_name(&name)?, &source)?;
            customization.templates.insert(name, source);
        }
        let letterhead = Letterhead::new(budget, &store, language.as_deref(), customization).strict();
        let mail = render_sample(&letterhead, Size::Ordinary, &kind, &topic, &sample_links())
            .map_err(|error| validation::template_error(&error))?;
        Ok(Preview { language: letterhead.language(), subject: mail.subject, text: mail.text, html: mail.html })
    };
    pool.run(by.store().store_id, Purpose::Call, render).await?
}
