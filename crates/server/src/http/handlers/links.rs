//! Share links.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::error::Error;
use wishbone_core::json::{Object, array};
use wishbone_core::lists::access::link_id;
use wishbone_core::mail::message::MAX_SENDER_LENGTH;
use wishbone_core::mail::shared_list::SharedLink;
use wishbone_core::mail::text::one_line;
use wishbone_core::sharing::links::{
    CreateShareLink, LinkSelection, ListShareLinks, MAX_LABEL_LENGTH, RevokeShareLinks, Scope, ShareLink,
};

use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::base_url::BaseUrl;
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::mail::shared_urls::shared_page_url;

pub(crate) async fn create(State(app): State<Arc<App>>, base: BaseUrl, call: ShopperCall) -> Result<Answer> {
    call.by.require_login()?;
    let list = call.target(&app)?;
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let moment = app.environment.moment();
    let scope = form.get("scope").map_or(Ok(Scope::View), Scope::parse)?;
    let expires_at = form.count("expires")?;
    if expires_at.is_some_and(|at| at <= moment.now) {
        return Err(Error::invalid("expires", "must be a time to come, in milliseconds since 1970").into());
    }
    let label = form.text("label", MAX_LABEL_LENGTH)?;
    let owner_name = owner_name(&form)?;
    let create = CreateShareLink { by: by.clone(), list, scope, label, owner_name, expires_at, moment };
    let keys = app.keys.clone();
    let answer = move |link: ShareLink| {
        Answer::object(|answer| {
            answer.text("status", "success");
            let shared = SharedLink::new(by.store().store_id, link.link_id);
            write_link(
                answer.key("link"),
                &link,
                &shared.key(&keys),
                &shared_page_url(&keys, &base.0, shared),
                moment.now,
            );
        })
    };
    app.write(idempotency_key, create, answer).await
}

pub(crate) async fn list(State(app): State<Arc<App>>, base: BaseUrl, call: ShopperCall) -> Result<Answer> {
    call.by.require_login()?;
    let list = call.list(&app)?;
    let links = app.database.read(ListShareLinks { by: call.by.clone(), list }).await?;
    let store_id = call.by.store().store_id;
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        array(answer.key("links"), &links, |out, link| {
            let shared = SharedLink::new(store_id, link.link_id);
            let url = shared_page_url(&app.keys, &base.0, shared);
            write_link(out, link, &shared.key(&app.keys), &url, app.environment.now());
        });
    }))
}

pub(crate) async fn revoke(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_login()?;
    let list = call.target(&app)?;
    let ShopperCall { by, form, idempotency_key, .. } = call;
    let links = match (form.get("key"), form.flag("all")?.unwrap_or(false)) {
        (Some(key), false) => {
            let link = link_id(&app.keys, &by, key);
            LinkSelection::One(link.ok_or_else(|| Error::invalid("key", "must be the key of a link of this store"))?)
        }
        (None, true) => LinkSelection::All,
        (None, false) => return Err(Error::missing("key, or all=true,").into()),
        (Some(_), true) => {
            return Err(Error::invalid("key", "and all=true exclude each other: send one of them").into());
        }
    };
    let answer = |revoked: u64| {
        Answer::object(|answer| {
            answer.text("status", "success");
            answer.int("revoked", i64::try_from(revoked).unwrap_or(i64::MAX));
        })
    };
    app.write(idempotency_key, RevokeShareLinks { by, list, links }, answer).await
}

/// The name that the owner agrees to show.
pub(super) fn owner_name(form: &Form) -> Result<Option<String>> {
    let name = form.text("fromname", MAX_SENDER_LENGTH)?.map(|name| one_line(&name, MAX_SENDER_LENGTH));
    Ok(name.filter(|name| !name.is_empty()))
}

fn write_link(out: &mut Vec<u8>, link: &ShareLink, key: &str, url: &str, now: i64) {
    let mut object = Object::open(out);
    object.text("key", key);
    object.text("url", url);
    object.opt_text("fromname", link.owner_name.as_deref());
    object.text("scope", link.scope.as_str());
    object.opt_text("label", link.label.as_deref());
    object.int("cts", link.created_at);
    match link.expires_at {
        Some(at) => object.int("expires", at),
        None => object.null("expires"),
    }
    object.flag("expired", link.expires_at.is_some_and(|at| at <= now));
    object.close();
}
