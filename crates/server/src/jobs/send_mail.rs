//! Sends what is due in the mail queue.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::Notify;
use tracing::Instrument;
use wishbone_core::error::Result;
use wishbone_core::mail::claim::ClaimMail;
use wishbone_core::mail::customization::FindMailContext;
use wishbone_core::mail::message::Message;
use wishbone_core::mail::queue::{DueMail, FindDueMails};
use wishbone_core::mail::record::{DeliveryState, RecordDelivery};
use wishbone_core::operator::Operator;
use wishbone_core::stores::work::Work;

use crate::app::App;
use crate::jobs::job::{Job, Rest};
use crate::jobs::record;
use crate::jobs::sms::send_sms;
use crate::mail::attempt::Attempt;
use crate::mail::mailer::Mailer;
use crate::mail::transport::Transport;
use crate::spans;

/// Mails of one store in one step.
const BATCH: i64 = 50;
/// Mails that are on their way at the same time.
const AT_ONCE: usize = 4;

pub(super) struct SendMail;

impl Job for SendMail {
    const NAME: &'static str = "send mail";
    const PAUSE: Duration = Duration::from_secs(2);

    async fn step(app: &App) -> Result<Rest> {
        send_due(app).await
    }

    fn wake(app: &App) -> Option<&Notify> {
        Some(&app.new_mail)
    }
}

/// Sends what is due now, up to a batch of every store.
pub async fn send_due(app: &App) -> Result<Rest> {
    let Some(mailer) = &app.mailer else { return Ok(Rest::UntilWoken) };
    let (by, now) = (Operator::of_this_machine(), app.environment.now());
    let (mut due, mut outcome) = (Vec::new(), Ok(()));
    for store_id in app.stores_with(Work::Mails).await? {
        // A store that fails does not stop the others.
        match app.database.read(FindDueMails { by, store_id, now, limit: BATCH }).await {
            Ok(mails) => due.extend(mails),
            Err(error) => outcome = Err(error),
        }
    }
    let is_idle = due.is_empty() || app.is_draining();
    // All of them to their end, also when the database fails one: a mail that is cut off on its way may be sent twice.
    let sends = stream::iter(due)
        .map(|mail| send(app, mailer, mail).instrument(spans::delivery("send mail")))
        .buffer_unordered(AT_ONCE);
    let sent = sends.collect::<Vec<Result<()>>>().await.into_iter().collect::<Result<()>>();
    outcome.and(sent)?;
    Ok(if is_idle { Rest::UntilWoken } else { Rest::None })
}

async fn send(app: &App, mailer: &Mailer, mail: DueMail) -> Result<()> {
    // Another node, or the next start, will: one that is cut off on its way may be sent twice.
    if app.is_draining() {
        return Ok(());
    }
    let slot = mailer.slots.take().await;
    let by = Operator::of_this_machine();
    let Some(mail) = app.database.write(ClaimMail { by, mail, now: app.environment.now() }).await? else {
        return Ok(());
    };
    let id = mail.due.id();
    let for_confirmation = matches!(mail.message(), Ok(Message::Confirmation(_)));
    let context = FindMailContext { by: mail.recipient, address: Some(mail.address.clone()), for_confirmation };
    let Some(context) = app.database.read(context).await? else { return Ok(()) };
    let Attempt { delivery, summary: problem } =
        match mailer.sms_confirmation(&app.renders, &app.keys, &context, &mail).await {
            Ok(Some(text)) => send_sms(app, &context.store, &mail.address, &text).await?,
            Ok(None) => slot.hold(mailer.send(&app.renders, &app.keys, context, &mail)).await,
            Err(error) => Attempt::later(error.message),
        };
    let state =
        record::record(app, RecordDelivery { by, mail, delivery, now: app.environment.now() }, record::MAIL_PAUSES)
            .await?;
    let outcome = match state {
        DeliveryState::Sent => "sent",
        DeliveryState::Waiting => "retry",
        DeliveryState::Failed => "failed",
    };
    metrics::counter!("wishbone_mails_total", "outcome" => outcome).increment(1);
    spans::record_outcome(id, outcome);
    match state {
        DeliveryState::Sent => match &mailer.transport {
            Transport::Smtp(_) => tracing::info!(mail = %id, "mail sent"),
            Transport::Outbox(_) => tracing::info!(mail = %id, "mail written to outbox"),
        },
        DeliveryState::Waiting => tracing::warn!(mail = %id, problem, "mail not sent: retrying later"),
        DeliveryState::Failed => tracing::error!(mail = %id, problem, "mail failed: not retried"),
    }
    Ok(())
}
