//! A guest becomes a shopper, and the other way round.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::json::{Object, array};
use wishbone_core::login::{Login, Token};
use wishbone_core::merge_journal::{ListMerges, UNDO_TIME};
use wishbone_core::merge_preview::{Preview, PreviewedList};
use wishbone_core::once::OnceKey;
use wishbone_core::shoppers::normalize_email;
use wishbone_core::unmerge::UndoMerge;

use super::answer::Answer;
use super::auth::{AdminCall, ShopperCall};
use super::error::Result;
use super::identity::answer;
use crate::app::App;

pub(super) async fn guest_validate_sync(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, once } = call;
    let regid = form.required("regid")?;
    let email = normalize_email("useremail", form.required("useremail")?)?;
    let is_dry_run = form.flag("dryrun")?.unwrap_or(false);
    let login = Login::by_store(&by, &app.keys, regid, email, form.get("sessionid"))?;
    if is_dry_run {
        return Ok(preview(&login.preview(&app.store).await?));
    }
    // Sessionids are not for the database: under a key it is kept that the merge was done, not what was answered.
    if app.answered(once.as_ref()).await?.is_some() {
        return Ok(answer(&login.credentials(&app.store, &app.keys).await?));
    }
    merge(&app, once, &login).await
}

pub(super) async fn user_validate_sync(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, .. } = call;
    let token = Token {
        regid: form.required("regid")?,
        external_id: form.required("extuid")?,
        email: form.required("useremail")?,
        expires: form.required("expires")?,
        token: form.required("token")?,
        sessionid: form.required("sessionid")?,
    };
    let login = Login::by_token(&app.store, &app.keys, &by, &token, app.world.now()).await?;
    merge(&app, None, &login).await
}

async fn merge(app: &App, once: Option<OnceKey>, login: &Login) -> Result<Answer> {
    if let Some(known) = login.known(&app.store, &app.keys).await? {
        return Ok(answer(&known));
    }
    app.write(once, login.merge(&app.keys, app.world.moment()), |_| Vec::new().into()).await?;
    Ok(answer(&login.credentials(&app.store, &app.keys).await?))
}

pub(super) async fn merges(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, .. } = call;
    let email = normalize_email("useremail", form.required("useremail")?)?;
    let merges = app.store.read(ListMerges { by: by.clone(), email }).await?;
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        array(answer.key("merges"), &merges, |out, merge| {
            let mut object = Object::open(out);
            object.text("regid", &merge.credentials(&app.keys, &by).regid);
            object.int("cts", merge.merged_at);
            object.int("undountil", merge.merged_at + UNDO_TIME);
            object.flag("undone", merge.undone_at.is_some());
            object.int("lists", merge.lists);
            object.int("items", merge.items);
            object.close();
        });
    }))
}

pub(super) async fn undo_merge(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, once } = call;
    let regid = form.required("regid")?;
    let email = normalize_email("useremail", form.required("useremail")?)?;
    let undo = UndoMerge::new(by, &app.keys, regid, email, app.world.moment())?;
    let guest = undo.credentials(&app.keys);
    // As with merging, what is kept under a key holds no sessionid: how many lists there were, or nothing.
    let kept = app.write(once, undo, |lists| lists.map_or(Vec::new(), |lists| lists.to_string().into()).into()).await?;
    let lists = std::str::from_utf8(&kept.0.body).ok().and_then(|lists| lists.parse().ok());
    Ok(Answer::object(|answer| {
        answer.text("status", "success");
        answer.flag("undone", lists.is_some());
        if let Some(lists) = lists {
            answer.text("regid", &guest.regid);
            answer.text("sessionid", &guest.sessionid);
            answer.int("lists", lists);
        }
    }))
}

fn preview(preview: &Preview) -> Answer {
    fn describe(object: &mut Object<'_>, list: &PreviewedList) {
        object.uuid("lid", &list.list_id);
        object.text("lname", &list.name);
        object.text("lty", &list.list_type);
        object.int("cnt", list.items);
    }
    Answer::object(|answer| {
        answer.text("status", "success");
        answer.flag("dryrun", true);
        array(answer.key("moves"), &preview.moves, |out, list| {
            let mut object = Object::open(out);
            describe(&mut object, list);
            object.close();
        });
        array(answer.key("unites"), &preview.unites, |out, union| {
            let mut object = Object::open(out);
            describe(&mut object, &union.list);
            object.uuid("into", &union.into);
            object.int("adds", union.adds);
            object.int("already", union.list.items - union.adds);
            object.close();
        });
        answer.int("subscriptions", preview.subscriptions);
    })
}
