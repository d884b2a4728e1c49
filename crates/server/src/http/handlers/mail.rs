//! A store's own mail templates and texts, previews and test mails.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde::de::DeserializeOwned;
use serde_json::json;
use wishbone_core::error::Error;
use wishbone_core::idempotency::IdempotencyKey;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::json::parse;
use wishbone_core::json_parts::has_more;
use wishbone_core::mail::customization::{FindCustomization, SetTemplate, SetTexts};
use wishbone_core::mail::message::TestMessage;
use wishbone_core::mail::test_mail::SendTestMail;
use wishbone_core::stores::admin::StoreAdmin;

use crate::app::App;
use crate::http::request::authentication::AdminJsonCall;
use crate::http::request::json_body::JsonBody;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::mail::customize::{self, MAX_TEXTS, SampleChoice};

pub(crate) async fn list_templates(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let customization = app.database.read(FindCustomization { by: call.by }).await?;
    Ok(Answer::data_value(&customize::templates(&customization)))
}

pub(crate) async fn set_template(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let name = required(&call.body, "name")?;
    let source = required(&call.body, "source")?;
    let name = customize::check_template(&app.database, &app.renders, &call.by, &name, &source).await?.to_owned();
    let answer = json!({ "name": name, "customized": true });
    let write = SetTemplate { by: call.by, name, source: Some(source), now: app.environment.now() };
    app.write(call.idempotency_key, write, move |()| Answer::data_value(&answer)).await
}

pub(crate) async fn reset_template(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let name = customize::template_name(&required(&call.body, "name")?)?.to_owned();
    let answer = json!({ "name": name, "customized": false });
    let write = SetTemplate { by: call.by, name, source: None, now: app.environment.now() };
    app.write(call.idempotency_key, write, move |()| Answer::data_value(&answer)).await
}

pub(crate) async fn list_texts(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let language = member::<String>(&call.body, "language")?;
    let store = Arc::clone(call.by.store());
    let customization = app.database.read(FindCustomization { by: call.by }).await?;
    Ok(Answer::data_value(&customize::texts(
        &customization,
        language.as_deref().unwrap_or(&store.settings.alerts.language),
    )?))
}

pub(crate) async fn set_texts(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let language = required(&call.body, "language")?;
    let texts = customize::parse_texts(call.body.get("texts").ok_or_else(|| Error::missing("texts"))?.get())?;
    write_texts(&app, call.by, call.idempotency_key, &language, texts).await
}

pub(crate) async fn reset_texts(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let language = required(&call.body, "language")?;
    let keys = member(&call.body, "keys")?;
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

pub(crate) async fn preview(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let choice = choice(&call.body)?;
    let templates: BTreeMap<String, String> = member(&call.body, "templates")?.unwrap_or_default();
    let preview = customize::preview(&app.database, &app.renders, &call.by, &choice, templates).await?;
    Ok(Answer::data_value(&serde_json::to_value(preview).map_err(Error::internal)?))
}

pub(crate) async fn send_test(State(app): State<Arc<App>>, call: AdminJsonCall) -> Result<Answer> {
    let choice = choice(&call.body)?;
    let address = normalize_email("to", &required(&call.body, "to")?)?;
    let message: TestMessage = choice.message()?;
    let domain = app.mailer.as_ref().map_or("localhost", |mailer| mailer.domain()).to_owned();
    let answer = json!({ "to": address });
    let write = SendTestMail { by: call.by, address, message, domain, moment: app.environment.moment() };
    let answer = app.write(call.idempotency_key, write, move |()| Answer::data_value(&answer)).await?;
    app.new_mail.notify_one();
    Ok(answer)
}

fn choice(body: &JsonBody) -> Result<SampleChoice> {
    Ok(SampleChoice { kind: member(body, "kind")?, topic: member(body, "topic")?, language: member(body, "language")? })
}

fn required(body: &JsonBody, name: &str) -> Result<String> {
    Ok(member(body, name)?.ok_or_else(|| Error::missing(name))?)
}

/// Decodes a member: a text, or a limited number of texts.
fn member<T: DeserializeOwned>(body: &JsonBody, name: &str) -> Result<Option<T>> {
    let Some(value) = body.get(name) else { return Ok(None) };
    if has_more(value.get(), MAX_TEXTS) {
        return Err(Error::invalid(name, format!("must have at most {MAX_TEXTS} texts")).into());
    }
    let invalid = |error: String| {
        // It quotes the value, and ends with a place in it.
        let problem = error.rsplit_once(" at line ").map_or(error.as_str(), |(problem, _)| problem);
        let problem: String = problem.chars().take(100).collect();
        Error::invalid("the body", format!("is not as described ({problem})"))
    };
    Ok(Some(parse(value.get()).map_err(invalid)?))
}
