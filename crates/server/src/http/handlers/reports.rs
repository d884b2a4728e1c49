//! Reports of a storefront's share buttons.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::error::Error;
use wishbone_core::lists::access::ListTarget;
use wishbone_core::mail::message::MAX_SENDER_LENGTH;
use wishbone_core::sharing::reports::{MAX_MEDIUM_LENGTH, ReportShare};

use crate::app::App;
use crate::http::request::authentication::ShopperCall;
use crate::http::response::answer::Answer;
use crate::http::response::error::Result;

pub(crate) async fn report_share(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.list(&app)?;
    let ShopperCall { by, form, idempotency_key, .. } = call;
    // Part of the wire format, but not stored: the regid says who shared.
    form.text("fromname", MAX_SENDER_LENGTH)?;
    form.required("medium")?;
    let medium = form.text("medium", MAX_MEDIUM_LENGTH)?.unwrap_or_default().trim().to_lowercase();
    if medium.is_empty() {
        return Err(Error::invalid("medium", "must not be blank").into());
    }
    let list = ListTarget { list, if_version: None };
    let report = ReportShare { by, list, medium, moment: app.environment.moment() };
    app.write(idempotency_key, report, |lid| Answer::object(|answer| answer.text("lid", &lid))).await
}
