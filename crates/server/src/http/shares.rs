//! What a storefront's share buttons report.

use std::sync::Arc;

use axum::extract::State;
use wishbone_core::Error;
use wishbone_core::access::ListTarget;
use wishbone_core::shares::{LONGEST_MEDIUM, ReportShare};

use super::answer::Answer;
use super::auth::ShopperCall;
use super::error::Result;
use super::list_mail::sender;
use crate::app::App;

pub(super) async fn report_share(State(app): State<Arc<App>>, call: ShopperCall) -> Result<Answer> {
    let list = call.list(&app)?;
    let ShopperCall { by, form, once, .. } = call;
    // It is part of the wire format; who shared is known by the regid, and a name is not kept.
    sender(&form)?;
    form.required("medium")?;
    let medium = form.text("medium", LONGEST_MEDIUM)?.unwrap_or_default().trim().to_lowercase();
    if medium.is_empty() {
        return Err(Error::invalid("medium", "must not be blank").into());
    }
    let list = ListTarget { list, if_version: None };
    let report = ReportShare { by, list, medium, now: app.world.now() };
    app.write(once, report, |lid| Answer::object(|answer| answer.text("lid", &lid))).await
}
