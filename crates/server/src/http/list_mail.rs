//! A list by mail.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use wishbone_core::item_input::LONGEST_NOTE;
use wishbone_core::list_mail::{Allowance, LONGEST_SENDER, MailList, Mailed, one_line};
use wishbone_core::lists::list_id;
use wishbone_core::record::{Parts, View};
use wishbone_core::shoppers::normalize_email;
use wishbone_core::{Code, Error};

use super::answer::Answer;
use super::auth::ShopperCall;
use super::error::{Failure, Result};
use super::form::Form;
use crate::app::App;

pub(super) async fn email_list(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Response> {
    let ShopperCall { by, form, .. } = call;
    by.require_login()?;
    let lid = form.required("lid")?;
    let sender = sender(&form)?;
    let address = normalize_email("toemail", form.required("toemail")?)?;
    let note = form.text("note", LONGEST_NOTE)?;
    let list = list_id(lid)?;
    let domain = app.mailer.as_ref().map_or("localhost", |mailer| mailer.domain()).to_owned();
    let moment = app.world.moment();
    match app.store.write(MailList { by: by.clone(), list, sender, address, note, domain, moment }).await? {
        Mailed::Accepted(list, allowance) => {
            app.new_mail.notify_one();
            let answer = Answer::object(|answer| {
                View::new(&by, &list).write_list(answer.key("listinfo"), &list, &Parts::default());
                answer.text("msg", "The list is on its way.");
            });
            Ok(with_allowance(answer.into_response(), allowance))
        }
        Mailed::TooManyOfShopper(allowance) => Ok(too_many("a shopper may mail", allowance)),
        Mailed::TooManyToAddress(allowance) => Ok(too_many("an address may be sent", allowance)),
    }
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

fn too_many(who: &str, allowance: Allowance) -> Response {
    let message = format!("{who} {} lists an hour: wait as long as Retry-After says", allowance.limit);
    let mut response = Failure(Error::new(Code::RateLimited, message)).into_response();
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(allowance.reset));
    with_allowance(response, allowance)
}

fn with_allowance(mut response: Response, Allowance { limit, remaining, reset }: Allowance) -> Response {
    for (name, value) in [("ratelimit-limit", limit), ("ratelimit-remaining", remaining), ("ratelimit-reset", reset)] {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from(value));
    }
    response
}
