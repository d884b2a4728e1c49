//! Who is who: the store's own check, regids for shoppers and guests, and taking sessions back.

use std::sync::Arc;

use axum::extract::State;
use uuid::{Uuid, Version};
use wishbone_core::caller::{Credentials, register_browser};
use wishbone_core::shoppers::{SaveProfile, generate_regid as regid_of_email, normalize_email};
use wishbone_core::stores::RevokeOwnSessions;
use wishbone_core::{Code, Error};

use super::answer::Answer;
use super::auth::{AdminCall, BrowserCall, ShopperCall};
use super::error::Result;
use crate::app::App;

pub(super) async fn me(call: AdminCall) -> Answer {
    Answer::object(|answer| {
        answer.text("pid", &call.by.store().pid);
        answer.text("appId", "StoreadminApi");
    })
}

pub(super) async fn generate_regid(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, .. } = call;
    let credentials = match (form.get("useremail"), form.get("uuid")) {
        (Some(email), None) => {
            let email = normalize_email("useremail", email)?;
            regid_of_email(&app.store, &app.keys, by, email, app.world.moment()).await?
        }
        (None, Some(uuid)) => by.guest(&app.store, &app.keys, device(uuid)?).await?,
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

pub(super) async fn register(State(app): State<Arc<App>>, call: BrowserCall) -> Answer {
    answer(&register_browser(&app.keys, &call.store, app.world.random()))
}

pub(super) async fn revoke_sessions(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let email = call.form.get("useremail").map(|email| normalize_email("useremail", email)).transpose()?;
    // A forgotten or misspelt address must not log a whole store out.
    if email.is_some() == call.form.flag("all")?.unwrap_or(false) {
        return Err(Error::new(
            Code::MissingParameter,
            "send useremail for one shopper, or all=true for the whole store",
        )
        .into());
    }
    let answer = |revoked| {
        Answer::object(|answer| {
            answer.text("status", "success");
            answer.flag("revoked", revoked);
        })
    };
    app.write(call.once, RevokeOwnSessions { by: call.by, email, now: app.world.now() }, answer).await
}

/// The longest name, language or region.
pub(crate) const LONGEST_WORD: usize = 200;

pub(super) async fn save_user(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, once, .. } = call;
    let profile = SaveProfile {
        by,
        first_name: form.text("fname", LONGEST_WORD)?,
        last_name: form.text("lname", LONGEST_WORD)?,
        accepts_marketing: form.flag("acceptMarketing")?,
        language: form.text("language", LONGEST_WORD)?,
        region: form.text("region", LONGEST_WORD)?,
        now: app.world.now(),
    };
    app.write(once, profile, |()| Answer::object(|answer| answer.text("message", "User saved."))).await
}

pub(super) fn answer(credentials: &Credentials) -> Answer {
    let Credentials { regid, sessionid } = credentials;
    Answer::object(|answer| {
        answer.text("regid", regid);
        answer.text("sessionid", sessionid);
    })
}
