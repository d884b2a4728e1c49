//! A store's own mail templates and texts, previews and test mails.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use wishbone_core::error::Error;
use wishbone_core::idempotency::IdempotencyKey;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::mail::customization::{FindCustomization, SetTemplate, SetTexts};
use wishbone_core::mail::message::TestMessage;
use wishbone_core::mail::test_mail::SendTestMail;
use wishbone_core::stores::admin::StoreAdmin;

use crate::app::App;
use crate::http::request::authentication::AdminJsonCall;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::mail::customize::{self, SampleChoice};

pub(crate) async fn list_templates(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let customization = app.database.read(FindCustomization { by: call.by }).await?;
    Ok(Answer::data_value(&customize::templates(&customization)))
}

#[derive(Deserialize)]
struct TemplateBody {
    name: Option<String>,
    source: Option<String>,
}

pub(crate) async fn set_template(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let TemplateBody { name, source } = parse(call.body)?;
    let name = name.ok_or_else(|| Error::missing("name"))?;
    let source = source.ok_or_else(|| Error::missing("source"))?;
    let name = customize::check_template(&app.database, &app.renders, &call.by, &name, &source).await?.to_owned();
    let answer = json!({ "name": name, "customized": true });
    let write = SetTemplate { by: call.by, name, source: Some(source), now: app.environment.now() };
    app.write(call.idempotency_key, write, move |()| Answer::data_value(&answer)).await
}

pub(crate) async fn reset_template(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let TemplateBody { name, .. } = parse(call.body)?;
    let name = customize::template_name(&name.ok_or_else(|| Error::missing("name"))?)?.to_owned();
    let answer = json!({ "name": name, "customized": false });
    let write = SetTemplate { by: call.by, name, source: None, now: app.environment.now() };
    app.write(call.idempotency_key, write, move |()| Answer::data_value(&answer)).await
}

#[derive(Deserialize)]
struct TextsBody {
    language: Option<String>,
    texts: Option<Value>,
    keys: Option<Vec<String>>,
}

pub(crate) async fn list_texts(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let TextsBody { language, .. } = parse(call.body)?;
    let store = Arc::clone(call.by.store());
    let customization = app.database.read(FindCustomization { by: call.by }).await?;
    Ok(Answer::data_value(&customize::texts(
        &customization,
        language.as_deref().unwrap_or(&store.settings.alerts.language),
    )?))
}

pub(crate) async fn set_texts(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let TextsBody { language, texts, .. } = parse(call.body)?;
    let language = language.ok_or_else(|| Error::missing("language"))?;
    let texts = customize::parse_texts(texts.ok_or_else(|| Error::missing("texts"))?)?;
    write_texts(&app, call.by, call.idempotency_key, &language, texts).await
}

pub(crate) async fn reset_texts(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let TextsBody { language, keys, .. } = parse(call.body)?;
    let language = language.ok_or_else(|| Error::missing("language"))?;
    let customization = app.database.read(FindCustomization { by: call.by.clone() }).await?;
    let texts = customize::reset_texts(&customization, &language, keys)?;
    write_texts(&app, call.by, call.idempotency_key, &language, texts).await
}

async fn write_texts(
    app: &App,
    by: StoreAdmin,
    key: Option<IdempotencyKey>,
    language: &str,
    texts: customize::TextChanges,
) -> Result<Answer> {
    let checked = customize::check_texts(&app.database, &app.renders, &by, language, &texts).await?;
    let answer = json!({ "language": checked.language, "changed": texts.len(), "missing": checked.missing });
    let write = SetTexts { by, language: checked.language, texts, now: app.environment.now() };
    app.write(key, write, move |()| Answer::data_value(&answer)).await
}

#[derive(Deserialize)]
struct PreviewBody {
    #[serde(flatten)]
    choice: SampleChoice,
    #[serde(default)]
    templates: BTreeMap<String, String>,
}

pub(crate) async fn preview(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let PreviewBody { choice, templates } = parse(call.body)?;
    let preview = customize::preview(&app.database, &app.renders, &call.by, &choice, templates).await?;
    Ok(Answer::data_value(&serde_json::to_value(preview).map_err(Error::internal)?))
}

#[derive(Deserialize)]
struct TestBody {
    #[serde(flatten)]
    choice: SampleChoice,
    to: Option<String>,
}

pub(crate) async fn send_test(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let TestBody { choice, to } = parse(call.body)?;
    let address = normalize_email("to", &to.ok_or_else(|| Error::missing("to"))?)?;
    let message: TestMessage = choice.message()?;
    let domain = app.mailer.as_ref().map_or("localhost", |mailer| mailer.domain()).to_owned();
    let answer = json!({ "to": address });
    let write = SendTestMail { by: call.by, address, message, domain, moment: app.environment.moment() };
    let answer = app.write(call.idempotency_key, write, move |()| Answer::data_value(&answer)).await?;
    app.new_mail.notify_one();
    Ok(answer)
}

/// Decodes a body whose members are optional.
fn parse<T: for<'de> Deserialize<'de>>(body: Value) -> Result<T> {
    // The error quotes the value.
    let explain = |error: serde_json::Error| error.to_string().chars().take(100).collect::<String>();
    let invalid = |error| Error::invalid("the body", format!("is not as described ({})", explain(error)));
    Ok(T::deserialize(body).map_err(invalid)?)
}
