//! Sending SMS through a store's gateway.

use wishbone_core::error::Result;
use wishbone_core::mail::record::Delivery;
use wishbone_core::operator::Operator;
use wishbone_core::stores::record::StoreRecord;
use wishbone_core::stores::sms_auth::FindSmsAuth;

use crate::app::App;
use crate::mail::attempt::Attempt;
use crate::sms::{self, Sms, SmsOutcome};

/// Makes one attempt to send an SMS.
pub(super) async fn send_sms(app: &App, store: &StoreRecord, to: &str, body: &str) -> Result<Attempt> {
    let settings = &store.settings.alerts;
    let Some(url) = &settings.sms_url else {
        let summary = "the store has no SMS gateway: run `wishbone store set PID --sms-url URL`".to_owned();
        return Ok(Attempt { delivery: Delivery::Never(summary.clone()), summary });
    };
    if !settings.sends_sms_to(to) {
        let summary =
            "the store sends no SMS to this country: run `wishbone store set PID --sms-countries …`".to_owned();
        return Ok(Attempt { delivery: Delivery::Never(summary.clone()), summary });
    }
    let sealed = app.database.read(FindSmsAuth { by: Operator::of_this_machine(), store_id: store.store_id }).await?;
    let auth = sealed.open(&app.keys, store)?;
    let from = settings.sms_from.as_deref().unwrap_or(&store.name);
    let outcome = sms::send(&app.outbound, &Sms { url, from, auth: auth.as_deref(), to, body }).await;
    Ok(match outcome {
        SmsOutcome::Sent => Attempt::sent(),
        SmsOutcome::Later(problem) => Attempt::later(problem),
        SmsOutcome::Never(problem) => Attempt { delivery: Delivery::Never(problem.clone()), summary: problem },
    })
}
