//! A list by mail.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::Error;
use wishbone_core::item_input::LONGEST_NOTE;
use wishbone_core::list_mail::{LONGEST_SENDER, MailList, one_line};
use wishbone_core::lists::ListRow;
use wishbone_core::record::{Parts, View};
use wishbone_core::shoppers::normalize_email;

use super::answer::Answer;
use super::auth::ShopperCall;
use super::error::Result;
use super::form::Form;
use crate::app::App;

pub(super) async fn email_list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    call.by.require_login()?;
    let list = call.list(&app)?;
    let ShopperCall { by, form, once, .. } = call;
    let sender = sender(&form)?;
    let address = normalize_email("toemail", form.required("toemail")?)?;
    let note = form.text("note", LONGEST_NOTE)?;
    let domain = app.mailer.as_ref().map_or("localhost", |mailer| mailer.domain()).to_owned();
    let mail = MailList { by: by.clone(), list, sender, address, note, domain, moment: app.world.moment() };
    let shape = move |list: ListRow| {
        Answer::object(|answer| {
            View::own(&by).write_list(answer.key("listinfo"), &list, &Parts::default());
            answer.text("msg", "The list is on its way.");
        })
    };
    let answer = app.write(once, mail, shape).await?;
    app.new_mail.notify_one();
    Ok(answer)
}

/// The name that a shopper goes by.
pub(super) fn sender(form: &Form) -> Result<String> {
    form.required("fromname")?;
    let sender = form.text("fromname", LONGEST_SENDER)?.unwrap_or_default();
    if one_line(&sender, LONGEST_SENDER).is_empty() {
        return Err(Error::invalid("fromname", "must have a character that can be seen").into());
    }
    Ok(sender)
}
