//! Mailing a list.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::identity::caller::Shopper;
use wishbone_core::identity::profile::normalize_email;
use wishbone_core::items::input::MAX_NOTE_LENGTH;
use wishbone_core::lists::access::ListTarget;
use wishbone_core::lists::row::ListRow;
use wishbone_core::lists::view::{Parts, View};
use wishbone_core::mail::list_mail::MailList;
use wishbone_core::mail::message::MAX_SENDER_LENGTH;
use wishbone_core::mail::text::one_line;

use crate::app::App;
use crate::http::handlers::links::owner_name;
use crate::http::request::authentication::ShopperCall;
use crate::http::request::form::Form;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;
use crate::limit_key::ClientAddress;

pub(crate) async fn email_list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_login()?;
    let list = ListTarget { list: call.list(&app)?, if_version: None };
    let ShopperCall { by, form, idempotency_key, address: client, .. } = call;
    let (sender, owner_name) = (sender(&by, &form)?, owner_name(&form)?);
    let address = normalize_email("toemail", form.required("toemail")?)?;
    let note = form.text("note", MAX_NOTE_LENGTH)?;
    let _slot = app.enter_recipient(&by, client, &address)?;
    let domain = app.mailer.as_ref().map_or("localhost", |mailer| mailer.domain()).to_owned();
    let mail = MailList {
        by: by.clone(),
        clients: client.map(ClientAddress::counters).unwrap_or_default(),
        list,
        sender,
        owner_name,
        address,
        note,
        domain,
        moment: app.environment.moment(),
    };
    let shape = move |list: ListRow| {
        Answer::object(|answer| {
            View::own(&by).write_list(answer.key("listinfo"), &list, &Parts::default());
            answer.text("msg", "The list is on its way.");
        })
    };
    let answer = app.write(idempotency_key, mail, shape).await?;
    app.new_mail.notify_one();
    Ok(answer)
}

/// The sender's name: as sent, else as saved in the profile, else the store's.
pub(crate) fn sender(by: &Shopper, form: &Form) -> Result<String> {
    let sent = form.text("fromname", MAX_SENDER_LENGTH)?;
    let saved = by.full_name();
    let visible = |name: &String| !one_line(name, MAX_SENDER_LENGTH).is_empty();
    Ok(sent.filter(visible).or_else(|| saved.filter(visible)).unwrap_or_else(|| by.store().name.clone()))
}
