//! Merging a guest into a login, and undoing it.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::idempotency::IdempotencyKey;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::json::{Object, array};
use wishbone_core::merging::journal::{ListMerges, UNDO_TIME};
use wishbone_core::merging::login::{LoggedIn, Login, LoginToken};
use wishbone_core::merging::preview::{Preview, PreviewedList};
use wishbone_core::merging::settle::prepare_undo;
use wishbone_core::merging::undo::{MergedGuest, UndoMerge, Undone};

use crate::app::App;
use crate::http::request::authentication::{AdminCall, ShopperCall};
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn guest_validate_sync(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, idempotency_key } = call;
    let regid = form.required("regid")?;
    let email = normalize_email("useremail", form.required("useremail")?)?;
    let is_dry_run = form.flag("dryrun")?.unwrap_or(false);
    let login = Login::by_store(&by, &app.keys, regid, email, form.get("sessionid"))?;
    if is_dry_run {
        return Ok(preview(&login.preview(&app.database).await?));
    }
    // Sessionids are never stored: the idempotency key records that the merge was done, not the response.
    if app.stored_response(idempotency_key.as_ref()).await?.is_some() {
        login.settle(&app.database, &|| app.environment.moment()).await?;
        return Ok(logged_in(&login.logged_in(&app.database, &app.keys).await?, false));
    }
    Ok(logged_in(&merge(&app, idempotency_key, &login).await?, false))
}

pub(crate) async fn user_validate_sync(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let ShopperCall { by, form, .. } = call;
    let token = LoginToken {
        regid: form.required("regid")?,
        external_id: form.required("extuid")?,
        email: form.required("useremail")?,
        expires: form.required("expires")?,
        token: form.required("token")?,
        sessionid: form.required("sessionid")?,
    };
    let login = Login::by_token(&app.database, &app.keys, &by, &token, app.environment.now()).await?;
    Ok(logged_in(&merge(&app, None, &login).await?, true))
}

async fn merge(app: &App, idempotency_key: Option<IdempotencyKey>, login: &Login) -> Result<LoggedIn> {
    if let Some(known) = login.merged(&app.database, &app.keys, app.environment.now()).await? {
        return Ok(known);
    }
    let moment = || app.environment.moment();
    login.settle(&app.database, &moment).await?;
    app.write(idempotency_key, login.merge(&app.keys, moment()), |_| Vec::new().into()).await?;
    // If this call is cancelled, a job continues.
    app.wake_steps();
    login.settle(&app.database, &moment).await?;
    app.wake_steps();
    Ok(login.logged_in(&app.database, &app.keys).await?)
}

/// The shopper's credentials, and what stays with the guest, if anything does. A store's server repeats the call on every
/// page, and gets the same each time; a browser tells the shopper what has become of the lists.
fn logged_in(LoggedIn { credentials, leftovers, lists }: &LoggedIn, has_lists: bool) -> Answer {
    Answer::object(|answer| {
        answer.text("regid", &credentials.regid);
        answer.text("sessionid", &credentials.sessionid);
        if leftovers.lists > 0 {
            answer.int("leftlists", leftovers.lists);
            answer.int("leftitems", leftovers.items);
        }
        if leftovers.subscriptions > 0 {
            answer.int("leftsubscriptions", leftovers.subscriptions);
        }
        if has_lists && !lists.is_empty() {
            array(answer.key("lists"), lists, |out, list| {
                let mut object = Object::open(out);
                object.uuid("lid", &list.list_id);
                if let Some(into) = &list.into {
                    object.uuid("into", into);
                }
                object.text("lname", &list.name);
                object.int("cnt", list.items);
                object.close();
            });
        }
    })
}

pub(crate) async fn merges(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, .. } = call;
    let email = normalize_email("useremail", form.required("useremail")?)?;
    let merges = app.database.read(ListMerges { by: by.clone(), email }).await?;
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
            if merge.left_lists > 0 {
                object.int("leftlists", merge.left_lists);
            }
            object.close();
        });
    }))
}

pub(crate) async fn undo_merge(State(app): State<Arc<App>>, call: AdminCall) -> Result<Answer> {
    let AdminCall { by, form, idempotency_key } = call;
    let regid = form.required("regid")?;
    let email = normalize_email("useremail", form.required("useremail")?)?;
    let moment = || app.environment.moment();
    let guest = MergedGuest::new(by, &app.keys, regid)?;
    let lists = match guest.undo(&app.database, email).await? {
        None => None,
        Some(undo) => {
            // As with merging, the stored response holds no sessionid, only the number of lists.
            let stored = match app.stored_response(idempotency_key.as_ref()).await? {
                Some(stored) => stored,
                None => {
                    prepare_undo(&app.database, undo, &moment).await?;
                    let respond = |undone: Option<Undone>| {
                        undone.map_or(Vec::new(), |undone| undone.lists.to_string().into()).into()
                    };
                    app.write(idempotency_key, UndoMerge { undo, moment: moment() }, respond).await?
                }
            };
            app.wake_steps();
            std::str::from_utf8(&stored.0.body).ok().and_then(|lists| lists.parse().ok())
        }
    };
    let guest = guest.credentials(&app.keys);
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
            object.int("already", union.already);
            object.close();
        });
        if !preview.stays.is_empty() {
            array(answer.key("stays"), &preview.stays, |out, list| {
                let mut object = Object::open(out);
                describe(&mut object, list);
                object.close();
            });
        }
        answer.int("subscriptions", preview.subscriptions);
    })
}
