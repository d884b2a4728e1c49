//! Identity: the check of an API key, regids for shoppers and guests, profiles, and revoking sessions.

use std::sync::Arc;

use axum::extract::State;
use uuid::{Uuid, Version};
use wishbone_core::error::{Code, Error};
use wishbone_core::identity::caller::{Credentials, device_guest, register_browser};
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::identity::shoppers::{SaveProfile, generate_regid as regid_of_email};
use wishbone_core::json::{Object, array, string};
use wishbone_core::stores::manage::RevokeOwnSessions;
use wishbone_core::stores::settings::Feature;

use crate::api::identity::MAX_PROFILE_TEXT;
use crate::app::App;
use crate::http::request::authentication::{AdminCall, BrowserCall, ShopperCall};
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn me(call: AdminCall) -> Answer {
    Answer::object(|answer| {
        answer.text("pid", &call.by.store().pid);
        answer.text("appId", "StoreadminApi");
    })
}

pub(crate) async fn generate_regid(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, .. } = call;
    let credentials = match (form.get("useremail"), form.get("uuid")) {
        (Some(email), None) => {
            let email = normalize_email("useremail", email)?;
            regid_of_email(&app.database, &app.keys, by, email, app.environment.moment()).await?
        }
        (None, Some(uuid)) => device_guest(&app.database, &app.keys, &by, device(uuid)?).await?,
        (None, None) => return Err(Error::missing("useremail or uuid").into()),
        (Some(_), Some(_)) => {
            return Err(Error::invalid("useremail", "and uuid exclude each other: send one of them").into());
        }
    };
    Ok(answer(&credentials))
}

fn device(text: &str) -> Result<Uuid> {
    match Uuid::try_parse(text.trim()) {
        Ok(uuid) if uuid.get_version() == Some(Version::Random) => Ok(uuid),
        _ => Err(Error::invalid("uuid", "must be a version 4 UUID").into()),
    }
}

pub(crate) async fn register(State(app): State<Arc<App>>, call: BrowserCall) -> Answer {
    answer(&register_browser(&app.keys, &call.store, app.environment.random()))
}

pub(crate) async fn features(call: BrowserCall) -> Answer {
    let settings = &call.store.settings;
    let in_effect = |feature: &Feature| match feature {
        Feature::SortFilter => settings.may_sort_and_filter(),
        other => settings.has(*other),
    };
    Answer::object(|answer| {
        answer.text("status", "success");
        let mut data = Object::open(answer.key("data"));
        let features = Feature::ALL.into_iter().filter(in_effect);
        array(data.key("features"), features, |out, feature| string(out, feature.as_str()));
        data.close();
    })
}

pub(crate) async fn revoke_sessions(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let email = call.form.get("useremail").map(|email| normalize_email("useremail", email)).transpose()?;
    // A missing or misspelt address must not log out every shopper of the store.
    if email.is_some() == call.form.flag("all")?.unwrap_or(false) {
        return Err(Error::new(
            Code::MissingParameter,
            "send useremail for one shopper, or all=true for the whole store",
        )
        .into());
    }
    let answer = |revoked: bool| {
        Answer::object(|answer| {
            answer.text("status", "success");
            answer.flag("revoked", revoked);
        })
    };
    app.write(call.idempotency_key, RevokeOwnSessions { by: call.by, email, now: app.environment.now() }, answer).await
}

pub(crate) async fn save_user(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let digest = form.get("alertdigest");
    if digest.is_some() {
        // It is about an address, and a guest has none.
        by.require_login()?;
    }
    let profile = SaveProfile {
        by,
        first_name: form.text("fname", MAX_PROFILE_TEXT)?,
        last_name: form.text("lname", MAX_PROFILE_TEXT)?,
        accepts_marketing: form.flag("acceptMarketing")?,
        language: form.text("language", MAX_PROFILE_TEXT)?,
        region: form.text("region", MAX_PROFILE_TEXT)?,
        alert_digest: digest.map(wants_digest).transpose()?,
        now: app.environment.now(),
    };
    app.write(idempotency_key, profile, |()| Answer::object(|answer| answer.text("message", "User saved."))).await
}

fn wants_digest(text: &str) -> Result<bool> {
    match text {
        "daily" => Ok(true),
        "off" => Ok(false),
        _ => Err(Error::invalid("alertdigest", "must be daily or off").into()),
    }
}

pub(crate) fn answer(credentials: &Credentials) -> Answer {
    let Credentials { regid, sessionid } = credentials;
    Answer::object(|answer| {
        answer.text("regid", regid);
        answer.text("sessionid", sessionid);
    })
}
