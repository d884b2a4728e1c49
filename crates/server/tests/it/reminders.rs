//! Reminders of wishlists that nobody has touched, with a real SMTP server.

use std::sync::Arc;

use serde_json::{Value, json};
use wishbone_core::stores::alert_settings::AlertSettingsChange;
use wishbone_core::stores::settings::{Settings, SettingsChange};
use wishbone_server::app::App;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::send_mail;
use wishbone_server::jobs::send_reminders::queue_due;

use crate::support::smtp::SmtpServer;
use crate::support::{Client, TestApp, TestStore, item};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A node that sends mail, and the server it sends to.
struct Mailing {
    smtp: SmtpServer,
    node: Arc<App>,
}

impl Mailing {
    /// Reminders are sent after 30 days; the catalogue has products 1 to 3 in stock, of which the third is low.
    async fn start(app: &TestApp) -> Self {
        set(app, AlertSettingsChange { reminder_days: Some(Some(30)), ..AlertSettingsChange::default() }).await;
        let products: Vec<Value> = [(1, json!(null)), (2, json!(100)), (3, json!(4)), (4, json!(0))]
            .into_iter()
            .map(|(n, stock)| {
                let mut product = item(n);
                product["dt"] = json!(format!("Product {n}."));
                product["stock"] = stock;
                product
            })
            .collect();
        app.store_admin().upsert(json!(products)).await;
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        Self { smtp, node }
    }

    /// Takes one step of the job, and sends what it has queued.
    async fn step(&self, app: &TestApp) {
        self.node.environment.set_now(app.app.environment.now());
        queue_due(&self.node).await.unwrap();
        while send_mail::send_due(&self.node).await.unwrap() == Rest::None {}
    }

    /// Takes a step some time later, and returns the number of all mails.
    async fn after(&self, app: &TestApp, time: i64) -> usize {
        app.advance(time);
        self.step(app).await;
        self.smtp.mails().len()
    }
}

async fn set(app: &TestApp, change: AlertSettingsChange) {
    app.set(SettingsChange { alerts: change, ..SettingsChange::default() }).await;
}

/// A shopper who accepts marketing, and a list with products.
async fn owner(app: &TestApp, store: &TestStore, name: &str, products: &[i64]) -> (Client, String) {
    let shopper = app.shopper_of(store, name).await;
    shopper.post("user/save", &[("acceptMarketing", "true")]).await.ok();
    let lid = shopper.list("Summer").await;
    for n in products {
        app.advance(1);
        shopper.add(&lid, &[*n]).await;
    }
    (shopper, lid)
}

both_engines! {
    async fn a_list_that_nobody_has_touched_is_reminded_of_once(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let (ann, lid) = owner(&app, &app.store, "ann", &[1, 2, 3, 4, 9]).await;
        assert_eq!(mailing.after(&app, 0).await, 0);
        assert_eq!(mailing.after(&app, 30 * DAY - 1).await, 0);
        assert_eq!(mailing.after(&app, MINUTE).await, 1);
        let mail = &mailing.smtp.mails()[0];
        assert_eq!(mail["to"][0], "ann@example.com");
        assert_eq!(mail["headers"]["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
        let text = mail["text"].as_str().unwrap();
        let place = |n: i64| text.find(&format!("Product {n}."));
        assert!(place(3) < place(2) && place(2) < place(1) && place(3).is_some(), "newest first: {text}");
        assert_eq!(place(4), None, "sold out");
        assert!(text.contains("Summer") && text.contains("Only 4 left") && !text.contains("100"), "{text}");
        for _ in 0..5 {
            assert_eq!(mailing.after(&app, 31 * DAY).await, 1, "once for an untouched list");
        }
        ann.add(&lid, &[5]).await;
        assert_eq!(mailing.after(&app, 29 * DAY).await, 1);
        assert_eq!(mailing.after(&app, 2 * DAY).await, 2, "touching it has armed it again");
        app.assert_sound().await;
    }

    async fn two_reminders_are_as_many_days_apart(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let (ann, lid) = owner(&app, &app.store, "ann", &[1]).await;
        assert_eq!(mailing.after(&app, 50 * DAY).await, 1);
        app.advance(DAY);
        ann.add(&lid, &[2]).await;
        for day in 1..30 {
            assert_eq!(mailing.after(&app, DAY).await, 1, "{day}");
        }
        assert_eq!(mailing.after(&app, DAY).await, 2);
    }

    async fn a_change_of_the_days_takes_effect_at_once(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        owner(&app, &app.store, "ann", &[1]).await;
        assert_eq!(mailing.after(&app, 10 * DAY).await, 0);
        set(&app, AlertSettingsChange { reminder_days: Some(Some(60)), ..AlertSettingsChange::default() }).await;
        assert_eq!(mailing.after(&app, 30 * DAY).await, 0);
        set(&app, AlertSettingsChange { reminder_days: Some(Some(7)), ..AlertSettingsChange::default() }).await;
        assert_eq!(mailing.after(&app, 2 * MINUTE).await, 1);
        set(&app, AlertSettingsChange { reminder_days: Some(None), ..AlertSettingsChange::default() }).await;
        owner(&app, &app.store, "ben", &[1]).await;
        assert_eq!(mailing.after(&app, 90 * DAY).await, 1, "reminders are off");
    }

    async fn nothing_is_sent_without_consent_or_to_those_who_unsubscribed(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let silent = app.shopper("silent").await;
        let lid = silent.list("Mine").await;
        silent.add(&lid, &[1]).await;
        let (refusing, _) = owner(&app, &app.store, "refusing", &[1]).await;
        refusing.post("user/save", &[("acceptMarketing", "false")]).await.ok();
        let guest = app.guest().await;
        guest.post("user/save", &[("acceptMarketing", "true")]).await.ok();
        let lid = guest.list("Guest").await;
        guest.add(&lid, &[1]).await;
        owner(&app, &app.store, "never", &[1]).await;
        assert_eq!(mailing.after(&app, 31 * DAY).await, 0, "one address does not exist");
        let lid = app.shopper("never").await.list("Winter").await;
        app.shopper("never").await.add(&lid, &[2]).await;
        assert_eq!(mailing.after(&app, 62 * DAY).await, 0);
        assert_eq!(app.rows("mails").await, 0, "the address is suppressed, and the first mail forgotten");
    }

    async fn consent_is_checked_again_when_the_mail_is_sent(app: TestApp) {
        let mut mailing = Mailing::start(&app).await;
        let (ann, _) = owner(&app, &app.store, "ann", &[1]).await;
        owner(&app, &app.store, "ben", &[1]).await;
        mailing.smtp.stop();
        assert_eq!(mailing.after(&app, 31 * DAY).await, 0);
        ann.post("user/save", &[("acceptMarketing", "false")]).await.ok();
        mailing.smtp.restart();
        assert_eq!(mailing.after(&app, HOUR).await, 1);
        assert_eq!(mailing.smtp.mails()[0]["to"][0], "ben@example.com");
    }

    async fn what_is_not_available_is_not_reminded_of(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        owner(&app, &app.store, "empty", &[]).await;
        owner(&app, &app.store, "soldout", &[4]).await;
        owner(&app, &app.store, "unknown", &[9]).await;
        let (archiving, lid) = owner(&app, &app.store, "archiving", &[1]).await;
        archiving.post("lists/update", &[("lid", &lid), ("archived", "true")]).await.ok();
        let (_, _) = owner(&app, &app.store, "deleted", &[2]).await;
        app.store_admin().json("/storeadmin/v3/products/delete", &json!({ "products": [{ "epi": 2 }] })).await.ok();
        // The list that was touched last has nothing, another one has.
        let (several, _) = owner(&app, &app.store, "several", &[1]).await;
        app.advance(1);
        let other = several.list("Other").await;
        several.add(&other, &[4]).await;
        assert_eq!(mailing.after(&app, 31 * DAY).await, 1);
        assert_eq!(mailing.smtp.mails()[0]["to"][0], "several@example.com");
    }

    async fn reminders_respect_quiet_hours(app: TestApp) {
        let mut mailing = Mailing::start(&app).await;
        owner(&app, &app.store, "ann", &[1]).await;
        // It is 22:13 in UTC.
        set(&app, AlertSettingsChange {
            quiet_hours: Some(Some("20:00-09:00".parse().unwrap())),
            ..AlertSettingsChange::default()
        })
        .await;
        assert_eq!(mailing.after(&app, 31 * DAY).await, 0);
        assert_eq!(app.rows("mails").await, 0);
        // One that could not be sent before them waits for their end.
        mailing.smtp.stop();
        assert_eq!(mailing.after(&app, 21 * HOUR + 46 * MINUTE).await, 0);
        assert_eq!(app.rows("mails").await, 1);
        mailing.smtp.restart();
        assert_eq!(mailing.after(&app, MINUTE).await, 0);
        assert_eq!(mailing.after(&app, 12 * HOUR).await, 0);
        assert_eq!(mailing.after(&app, HOUR).await, 1);
    }

    async fn a_store_that_turns_reminders_on_sends_few_at_a_time(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let other = app.create_store(Settings::default()).await;
        for n in 0..50 {
            owner(&app, &app.store, &format!("shopper{n}"), &[1]).await;
        }
        owner(&app, &other, "elsewhere", &[1]).await;
        assert_eq!(mailing.after(&app, 31 * DAY).await, 20);
        let second = app.node_mailing(&mailing.smtp.url()).await;
        queue_due(&second).await.unwrap();
        assert_eq!(mailing.after(&app, MINUTE - 1).await, 20, "all nodes together, in a minute");
        assert_eq!(mailing.after(&app, 1).await, 40);
        assert_eq!(mailing.after(&app, MINUTE).await, 50);
        assert_eq!(mailing.after(&app, MINUTE).await, 50);
        let recipients: std::collections::BTreeSet<String> =
            mailing.smtp.mails().iter().map(|mail| mail["to"][0].to_string()).collect();
        assert_eq!(recipients.len(), 50, "the other store has not turned them on");
    }

    async fn two_nodes_send_each_reminder_once(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let second = app.node_mailing(&mailing.smtp.url()).await;
        for n in 0..5 {
            owner(&app, &app.store, &format!("shopper{n}"), &[1]).await;
        }
        app.advance(31 * DAY);
        for node in [&mailing.node, &second] {
            node.environment.set_now(app.app.environment.now());
        }
        let (first, second) = futures_util::future::join(queue_due(&mailing.node), queue_due(&second)).await;
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        assert_eq!(mailing.after(&app, 0).await, 5);
    }

    async fn a_reminder_is_exported_and_erased(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        owner(&app, &app.store, "ann", &[1]).await;
        assert_eq!(mailing.after(&app, 31 * DAY).await, 1);
        let fields = [("useremail", "ann@example.com")];
        let export = app.store_admin().form("/storeadmin/v3/user/export", &fields).await.ok();
        assert_eq!(export["profile"]["reminded"], app.app.environment.now());
        assert_eq!(export["mails"][0]["kind"], "reminder");
        app.store_admin().form("/storeadmin/v3/user/erase", &fields).await.ok();
        assert_eq!(app.rows("mails").await, 0);
        assert_eq!(mailing.after(&app, 90 * DAY).await, 1);
    }
}
