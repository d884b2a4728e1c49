//! Quiet hours, in which nothing is sent but what somebody has just asked for.

use super::*;

/// The clock of the tests starts at 22:13:20 UTC, 23:13:20 in Berlin, in November.
async fn quiet(app: &TestApp, hours: &str) {
    set(
        app,
        AlertSettingsChange {
            quiet_hours: Some(Some(hours.parse().unwrap())),
            time_zone: Some("Europe/Berlin".to_owned()),
            ..AlertSettingsChange::default()
        },
    )
    .await;
}

both_engines! {
    async fn alerts_wait_until_quiet_hours_end(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        quiet(&app, "22:00-07:30").await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(2)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        // Until 7:30 in Berlin: 8 hours, 16 minutes and 40 seconds.
        app.advance(8 * HOUR + 16 * MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        app.advance(MINUTE);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..2), "in the order of the line");
        let listed = app.store_admin().json("/storeadmin/v3/subscriptions/list", &json!({ "state": "sent" })).await.ok();
        assert_eq!(listed["data"]["subscriptions"][0]["attempts"], 1, "waiting is no attempt");
        app.assert_sound().await;
    }

    async fn an_alert_that_is_not_true_in_the_morning_keeps_its_place(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        quiet(&app, "22:00-07:30").await;
        without_interval(&app).await;
        chair(&app).await;
        ten_wait(&app, "backinstock").await;
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        stock(&app, json!(0)).await;
        app.advance(9 * HOUR);
        mailing.work(&app).await;
        assert_eq!(mailing.recipients().len(), 0);
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), names(0..1));
    }

    async fn mails_that_were_asked_for_are_sent_at_once(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        quiet(&app, "22:00-07:30").await;
        chair(&app).await;
        let browser = app.browser().await;
        browser.post("subscriptions/add", &subscription("backinstock", "new@example.com", "1")).await.ok();
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        ann.post("lists/emailList", &[("lid", &lid), ("toemail", "ben@example.com")]).await.ok();
        mailing.work(&app).await;
        let mut recipients = mailing.recipients();
        recipients.sort();
        assert_eq!(recipients, ["ben@example.com", "new@example.com"], "a confirmation and a list");
    }

    async fn quiet_hours_of_one_store_delay_no_other(app: TestApp) {
        let mailing = Mailing::start(&app).await;
        quiet(&app, "12:00-13:00").await;
        chair(&app).await;
        subscribe(&app, "ann", "backinstock", &[]).await.ok();
        stock(&app, json!(1)).await;
        mailing.work(&app).await;
        assert_eq!(mailing.recipients(), ["ann@example.com"], "it is late, and not noon");
    }
}
