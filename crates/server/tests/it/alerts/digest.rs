//! Digests: at most one mail with alerts a day for shoppers who want it.

use super::*;

/// Products 1 to `count`, out of stock, that a shopper who wants a digest waits for.
async fn waits_for(app: &TestApp, name: &str, count: i64) -> Client {
    without_interval(app).await;
    let products: Vec<Value> = (1..=count)
        .map(|n| {
            let mut product = item(n);
            product["dt"] = json!(format!("Product {n}."));
            product["stock"] = json!(0);
            product
        })
        .collect();
    app.store_admin().upsert(json!(products)).await;
    let shopper = app.shopper(name).await;
    shopper.post("user/save", &[("alertdigest", "daily")]).await.ok();
    let address = format!("{name}@example.com");
    for n in 1..=count {
        app.advance(1);
        shopper.post("subscriptions/add", &subscription("backinstock", &address, &n.to_string())).await.ok();
    }
    shopper
}

async fn restock(app: &TestApp, numbers: impl IntoIterator<Item = i64>, stock: i64) {
    app.advance(1);
    for n in numbers {
        app.store_admin().stock(n, json!(stock)).await;
    }
}

/// The numbers of the products in the last mail.
fn products(mailing: &Mailing) -> Vec<i64> {
    let mails = mailing.smtp.mails();
    let text = mails.last().unwrap()["text"].as_str().unwrap();
    (1..=30).filter(|n| text.contains(&format!("Product {n}."))).collect()
}

async fn states(app: &TestApp, state: &str) -> usize {
    let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "state": state })).await.ok();
    listed["data"]["subscriptions"].as_array().unwrap().len()
}

both_engines! {
    async fn what_becomes_due_within_a_day_arrives_in_one_mail(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        waits_for(&app, "ann", 5).await;
        restock(&app, [1], 1).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "the first is not delayed");
        assert_eq!(products(&mailing), [1]);
        let alone = mailing.smtp.mails()[0]["headers"]["subject"].clone();
        assert!(alone.as_str().unwrap().contains("Product 1."), "one alert is an ordinary mail: {alone}");
        for n in [2, 3, 4] {
            app.advance(HOUR);
            restock(&app, [n], 1).await;
            mailing.work(&app).await;
        }
        assert_eq!(mailing.recipients().len(), 1, "not before a day has passed");
        assert_eq!(states(&app, "waiting").await, 4);
        // One that is sold out meanwhile keeps its place.
        restock(&app, [3], 0).await;
        app.advance(21 * HOUR - 1_000);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1);
        app.advance(1_000);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2);
        assert_eq!(products(&mailing), [2, 4]);
        let digest = mailing.smtp.mails()[1].clone();
        assert_eq!(digest["headers"]["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
        assert!(digest["text"].as_str().unwrap().contains("https://shop.example/p/2"), "{}", digest["text"]);
        assert_eq!((states(&app, "sent").await, states(&app, "waiting").await), (3, 2));
        restock(&app, [3], 1).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2, "the next digest is a day later");
        app.advance(DAY);
        mailing.work(&app).await;
        assert_eq!(products(&mailing), [3]);
        app.assert_sound().await;
    }

    async fn what_was_held_back_arrives_when_the_shopper_wants_no_digest_any_more(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let ann = waits_for(&app, "ann", 3).await;
        restock(&app, [1], 1).await;
        mailing.work(&app).await;
        restock(&app, [2, 3], 1).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "the others wait for the digest");
        ann.post("user/save", &[("alertdigest", "off")]).await.ok();
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 3);
    }

    async fn a_digest_is_retried_as_a_whole(app: TestApp) {
        let mut mailing = Mailing::start(&app).await;
        waits_for(&app, "ann", 4).await;
        restock(&app, [1, 2, 3], 1).await;
        mailing.smtp.stop();
        mailing.work(&app).await;
        assert_eq!(states(&app, "waiting").await, 4);
        // A new alert does not join, nor does it start a mail of its own.
        app.advance(MINUTE);
        restock(&app, [4], 1).await;
        restock(&app, [2], 0).await;
        mailing.smtp.restart();
        mailing.work(&app).await;
        assert_eq!(products(&mailing), [1, 3], "what is no longer true is left out");
        app.advance(DAY - MINUTE);
        restock(&app, [2], 1).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1, "a day after the mail was sent");
        app.advance(MINUTE);
        mailing.work(&app).await;
        assert_eq!(products(&mailing), [2, 4]);
    }

    async fn a_digest_of_a_node_that_crashed_is_sent_under_the_same_id(app: TestApp) {
        use wishbone_core::alerts::queue::FindDueAlerts;
        use wishbone_core::alerts::digest::ClaimAlerts;
        use wishbone_core::alerts::dispatch::{DispatchEvent, FindDueEvents};
        use wishbone_core::operator::Operator;

        let mailing = Mailing::start(&app).await;
        waits_for(&app, "ann", 3).await;
        restock(&app, [1, 2, 3], 1).await;
        let (by, now, database) = (Operator::of_this_machine(), app.app.environment.now(), &app.app.database);
        for event in database.read(FindDueEvents { by, store_id: 1, now, limit: 9 }).await.unwrap() {
            database.write(DispatchEvent { by, event, now }).await.unwrap();
        }
        let due = database.read(FindDueAlerts { by, store_id: 1, now, limit: 9 }).await.unwrap();
        let moment = app.app.environment.moment();
        let claimed = database.write(ClaimAlerts { by, alert: due[2], moment }).await.unwrap();
        assert_eq!(claimed.len(), 3);
        for alert in due {
            assert_eq!(database.write(ClaimAlerts { by, alert, moment }).await.unwrap().len(), 0, "one node sends it");
        }
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        app.advance(150_000);
        mailing.work(&app).await;
        assert_eq!(products(&mailing), [1, 2, 3]);
        let mails = mailing.smtp.mails();
        assert_eq!(mails.len(), 1);
        assert_eq!(mails[0]["headers"]["message-id"], format!("<{}@shop.example>", claimed[0].message_id));
    }

    async fn a_digest_has_twenty_alerts_at_most_and_the_next_has_the_others(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        waits_for(&app, "ann", 23).await;
        restock(&app, 1..=23, 1).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 1);
        assert_eq!(products(&mailing).len(), 20);
        assert_eq!(states(&app, "sent").await, 20);
        app.advance(DAY);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2);
        assert_eq!(products(&mailing).len(), 3);
    }

    async fn a_rejected_digest_fails_as_a_whole(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        waits_for(&app, "never", 3).await;
        restock(&app, [1, 2], 1).await;
        mailing.work(&app).await;
        assert_eq!((states(&app, "failed").await, states(&app, "suppressed").await), (2, 1));
    }

    async fn two_nodes_send_one_digest(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let second = app.node_mailing(&mailing.smtp.url()).await;
        waits_for(&app, "ann", 12).await;
        restock(&app, 1..=12, 1).await;
        for node in [&mailing.node, &second] {
            node.environment.set_now(app.app.environment.now());
        }
        let work = async |node: &Arc<App>| while send_due(node).await.unwrap() == Rest::None {};
        futures_util::future::join(work(&mailing.node), work(&second)).await;
        assert_eq!(mailing.recipients().len(), 1, "what was dispatched later waits");
        app.advance(DAY);
        mailing.work(&app).await;
        assert_eq!(states(&app, "sent").await, 12);
        assert!(mailing.recipients().len() <= 2);
    }

    async fn a_shopper_can_end_digests(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        let ann = waits_for(&app, "ann", 2).await;
        ann.post("user/save", &[("fname", "Ann")]).await.ok();
        let export = async || {
            let fields = [("useremail", "ann@example.com")];
            app.store_admin().form("/storeadmin/v3/user/export", &fields).await.ok()["profile"]["alertdigest"].clone()
        };
        assert_eq!(export().await, "daily", "omitted parameters change nothing");
        ann.post("user/save", &[("alertdigest", "off")]).await.ok();
        assert_eq!(export().await, "off");
        restock(&app, [1, 2], 1).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 2);
        ann.post("user/save", &[("alertdigest", "weekly")]).await.fails(400, "invalid-parameter");
        app.guest().await.post("user/save", &[("alertdigest", "daily")]).await.fails(401, "user-not-logged-in");
    }
}
