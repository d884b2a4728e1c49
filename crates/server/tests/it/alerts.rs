//! Product alerts, from a change of the catalogue to the mail in the inbox, with a real SMTP server.

mod confirmation;
mod crashes;
mod delivery;
mod limits;
mod links;
mod preferences;
mod sms;
mod digest;
mod quiet_hours;
mod secrecy;
mod store;
mod topics;
mod unsubscribing;
mod webhooks;

use std::sync::Arc;

use serde_json::{Value, json};
use wishbone_core::moment::{DAY, HOUR, MINUTE};
use wishbone_core::stores::alert_settings::AlertSettingsChange;
use wishbone_core::stores::settings::SettingsChange;
use wishbone_server::app::App;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::send_alerts::send_due;
use wishbone_server::jobs::send_mail;

use crate::support::smtp::SmtpServer;
use crate::support::{Client, Reply, TestApp, item};

/// A node that sends mail, and the server it sends to.
struct Mailing {
    smtp: SmtpServer,
    node: Arc<App>,
}

impl Mailing {
    async fn start(app: &TestApp) -> Self {
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        Self { smtp, node }
    }

    /// Does everything that is due at the app's time, mails of the queue included.
    async fn work(&self, app: &TestApp) {
        self.node.environment.set_now(app.app.environment.now());
        while send_due(&self.node).await.unwrap() == Rest::None {}
        while send_mail::send_due(&self.node).await.unwrap() == Rest::None {}
    }

    /// The recipients of all mails, in the order of arrival.
    fn recipients(&self) -> Vec<String> {
        self.smtp.mails().iter().map(|mail| mail["to"][0].as_str().unwrap().to_owned()).collect()
    }
}

fn subscription<'a>(topic: &'a str, address: &'a str, epi: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("topic", topic),
        ("medium", "email"),
        ("mediumvalue", address),
        ("epi", epi),
        ("empi", "1001"),
        ("du", "https://shop.example/p/1"),
    ]
}

/// A shopper who is logged in subscribes with the own address.
async fn subscribe(app: &TestApp, name: &str, topic: &str, more: &[(&str, &str)]) -> Reply {
    let shopper = app.shopper(name).await;
    app.advance(1);
    let address = format!("{name}@example.com");
    let mut fields = subscription(topic, &address, "1");
    fields.extend_from_slice(more);
    shopper.post("subscriptions/add", &fields).await
}

/// Ten shoppers wait in the order of their numbers.
async fn ten_wait(app: &TestApp, topic: &str) {
    for n in 0..10 {
        subscribe(app, &format!("shopper{n}"), topic, &[]).await.ok();
    }
}

async fn stock(app: &TestApp, stock: Value) {
    app.advance(1);
    app.store_admin().stock(1, stock).await;
}

/// A chair, out of stock.
async fn chair(app: &TestApp) {
    let mut chair = item(1);
    chair["dt"] = json!("Oak chair");
    chair["pr"] = json!(49.90);
    chair["stock"] = json!(0);
    chair["iu"] = json!("https://shop.example/chair.png");
    app.store_admin().upsert(json!([chair])).await;
}

async fn set(app: &TestApp, change: AlertSettingsChange) {
    app.set(SettingsChange { alerts: change, ..SettingsChange::default() }).await;
}

/// No pause between batches.
async fn without_interval(app: &TestApp) {
    set(app, AlertSettingsChange { alert_interval: Some(0), ..AlertSettingsChange::default() }).await;
}

async fn fetch_one(client: &Client, topic: &str) -> Value {
    client.post("subscriptions/fetch-subs", &[("topic", topic)]).await.ok()["subscriptions"][0].clone()
}

/// The path of the link in a confirmation mail.
fn confirm_path(mail: &Value) -> String {
    let text = mail["text"].as_str().unwrap();
    let start = text.find("/mail/confirm?token=").unwrap_or_else(|| panic!("no link: {text}"));
    text[start..].split_whitespace().next().unwrap().to_owned()
}

fn names(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|n| format!("shopper{n}@example.com")).collect()
}
