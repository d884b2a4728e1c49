//! A store's own mails: templates, texts, languages, previews and test mails.

use serde_json::{Value, json};
use wishbone_core::stores::alert_settings::AlertSettingsChange;
use wishbone_core::stores::settings::{Settings, SettingsChange};
use wishbone_server::jobs::send_mail::send_due;
use wishbone_server::mail::outbox::RecentMail;
use wishbone_server::mail::transport::Transport;

use crate::support::{Reply, TestApp};

async fn call(app: &TestApp, path: &str, body: Value) -> Reply {
    app.store_admin().json(&format!("/storeadmin/v3/mail/{path}"), &body).await
}

async fn data(app: &TestApp, path: &str, body: Value) -> Value {
    call(app, path, body).await.ok()["data"].take()
}

async fn outbox(app: &TestApp) -> Vec<RecentMail> {
    send_due(&app.app).await.unwrap();
    let Transport::Outbox(outbox) = &app.app.mailer.as_ref().unwrap().transport else { panic!("no outbox") };
    outbox.recent()
}

async fn set_alerts(app: &TestApp, alerts: AlertSettingsChange) {
    app.set(SettingsChange { alerts, ..SettingsChange::default() }).await;
}

fn message(reply: &Value) -> &str {
    reply["error-msg"].as_str().unwrap()
}

both_engines! {
    async fn a_template_is_replaced_and_restored(app: TestApp) {
        let builtin = data(&app, "templates/list", json!({})).await;
        assert_eq!(builtin.as_array().unwrap().len(), 15);
        let source = |list: &Value| list.as_array().unwrap().iter().find(|it| it["name"] == "button.html").unwrap().clone();
        let own = "<p><a class=\"own\" href=\"{{ target }}\">{{ label|upper }}</a></p>";
        data(&app, "templates/set", json!({ "name": "button.html", "source": own })).await;
        let listed = source(&data(&app, "templates/list", json!({})).await);
        assert_eq!((&listed["customized"], &listed["source"]), (&json!(true), &json!(own)));
        let html = data(&app, "preview", json!({ "topic": "lowstock" })).await["html"].as_str().unwrap().to_owned();
        assert!(html.contains("class=\"own\"") && html.contains("VIEW PRODUCT") && html.contains("Only 3 left"), "{html}");

        let other = app.create_store(Settings::default()).await;
        let others = app.admin_of(&other).json("/storeadmin/v3/mail/templates/list", &json!({})).await.ok();
        assert_eq!(source(&others["data"]), source(&builtin), "other stores keep theirs");

        data(&app, "templates/reset", json!({ "name": "button.html" })).await;
        assert_eq!(data(&app, "templates/list", json!({})).await, builtin);
    }

    async fn a_bad_template_is_refused_with_its_line(app: TestApp) {
        for (name, source, expected) in [
            ("alert.html", "<p>\n{{ item.titel }}</p>", "line 2"),
            ("alert.html", "{% if %}", "line 1"),
            ("alert.html", "a\nb\n{% for x in items %}", "line"),
            ("alert.txt", "{{ item.title }} {{ unsubscribe }}", "item.link"),
            ("alert.txt", "{{ item.link }} {{ unsubscribe }}", "item.title"),
            ("alert.txt", "{{ item.title }} {{ item.link }}", "{{ unsubscribe }}"),
            ("alert.html", "{{ unsubscribe }}", "href"),
            ("confirmation.html", "<p>no link</p>", "{{ confirm }}"),
            ("layout.html", "<html>{{ subject }}</html>", "href"),
            ("alert.html", "{{ t(\"no.such.text\") }}", "no.such.text"),
            ("alert.html", "{% include \"/etc/passwd\" %}", "line 1"),
            ("alert.html", "{% include \"alert.html\" %}", "recursion"),
            ("alert.html", "{% for a in range(9999999) %}x{% endfor %}", "range"),
            ("alert.html", "{{ \"x\" * 999999999 }}", "operator *"),
            ("alert.html", "{% set x = 1 %}", "tag set"),
        ] {
            let error = call(&app, "templates/set", json!({ "name": name, "source": source })).await;
            let error = error.fails(400, "invalid-parameter");
            assert!(message(&error).contains(expected), "{source}: {error}");
        }
        let nested = format!("{}{}", "{% for a in items %}".repeat(30), "{% endfor %}".repeat(30));
        let lists = "{% for a in [1,2,3,4,5,6,7,8,9,0] %}".repeat(7) + &"{% endfor %}".repeat(7);
        for (source, expected) in [(nested, "undefined value"), (lists, "fuel"), ("x".repeat(70_000), "65536 bytes")] {
            let error = call(&app, "templates/set", json!({ "name": "alert.html", "source": source })).await;
            let error = error.fails(400, "invalid-parameter");
            assert!(message(&error).contains(expected), "{error}");
        }
        // Tags that the parser nests would overflow the stack.
        let elifs = format!("{{% if topic %}}{}{{% endif %}}", "{%elif topic%}".repeat(4_000));
        let attributes = format!("{{{{ topic{} }}}}", ".a".repeat(20_000));
        let dear = format!("{{% if item.image{} %}}{{% endif %}}", "|upper".repeat(150)).repeat(20);
        let dear = dear + "<a href=\"{{ unsubscribe }}\">";
        for (source, expected) in [(elifs, "nested"), (attributes, "1000 bytes"), (dear.clone(), "costs too much")] {
            let error = call(&app, "templates/set", json!({ "name": "alert.html", "source": source })).await;
            let error = error.fails(400, "invalid-parameter");
            assert!(message(&error).contains(expected), "{error}");
        }
        // The image of an ordinary sample is short.
        data(&app, "preview", json!({ "templates": { "alert.html": dear } })).await;
        let error = call(&app, "templates/set", json!({ "name": "../alert.html", "source": "" })).await;
        assert!(message(&error.fails(400, "invalid-parameter")).contains("layout.html"));
        call(&app, "templates/set", json!({ "name": "alert.html" })).await.fails(400, "missing-parameter");
        assert_eq!(app.rows("mail_templates").await, 0);
    }

    async fn texts_are_changed_in_a_language_and_languages_are_added(app: TestApp) {
        let texts = json!({ "alert.button": "Jetzt kaufen bei {store}", "product.left.one": "Letztes Stück" });
        let set = data(&app, "texts/set", json!({ "language": "de", "texts": texts })).await;
        assert_eq!((&set["changed"], &set["missing"]), (&json!(2), &json!([])));
        let preview = data(&app, "preview", json!({ "language": "de-AT" })).await;
        assert_eq!(preview["language"], "de-AT");
        assert!(preview["html"].as_str().unwrap().contains("Jetzt kaufen bei Test"), "{preview}");

        let english = data(&app, "texts/list", json!({ "language": "en" })).await;
        let polish: serde_json::Map<String, Value> = english["texts"].as_array().unwrap().iter()
            .map(|entry| (entry["key"].as_str().unwrap().to_owned(), json!(format!("PL {}", entry["text"].as_str().unwrap()))))
            .collect();
        let part: serde_json::Map<String, Value> = polish.clone().into_iter().skip(1).collect();
        let set = data(&app, "texts/set", json!({ "language": "pl", "texts": part })).await;
        assert_eq!(set["missing"].as_array().unwrap().len(), 1, "{set}");
        assert_eq!(data(&app, "preview", json!({ "language": "pl" })).await["language"], "en", "not complete yet");
        data(&app, "texts/set", json!({ "language": "PL", "texts": polish })).await;
        data(&app, "texts/set", json!({ "language": "pl", "texts": { "product.left.few": "Zostały {count}" } })).await;
        let preview = data(&app, "preview", json!({ "language": "pl-PL", "topic": "lowstock" })).await;
        assert_eq!(preview["subject"], "PL Almost sold out: Linen shirt");
        assert!(preview["text"].as_str().unwrap().contains("Zostały 3"), "{preview}");
        let languages = data(&app, "texts/list", json!({})).await["languages"].clone();
        assert_eq!(languages, json!(["de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt"]));

        data(&app, "texts/reset", json!({ "language": "pl" })).await;
        data(&app, "texts/reset", json!({ "language": "de", "keys": ["alert.button"] })).await;
        assert_eq!(app.rows("mail_texts").await, 1);
    }

    async fn a_bad_text_is_refused(app: TestApp) {
        for (texts, expected) in [
            (json!({ "alert.buton": "x" }), "alert.button"),
            (json!({ "alert.button.one": "x" }), "alert.button"),
            (json!({ "alert.button": "{price}" }), "{store}"),
            (json!({ "alert.button": " " }), "1 to 1000"),
            (json!({ "alert.button": "a\nb" }), "one line"),
            (json!({ "alert.button": "x".repeat(1_001) }), "1 to 1000"),
            (json!({}), "empty"),
            (json!([]), "object"),
            (json!({ "alert.button": 3 }), "object"),
        ] {
            let error = call(&app, "texts/set", json!({ "language": "en", "texts": texts })).await;
            let error = error.fails(400, "invalid-parameter");
            assert!(message(&error).contains(expected), "{error}");
        }
        for language in ["", "x", "d€", "en; drop"] {
            let body = json!({ "language": language, "texts": { "alert.button": "x" } });
            call(&app, "texts/set", body).await.fails(400, "invalid-parameter");
        }
        assert_eq!(app.rows("mail_texts").await, 0);
    }

    async fn templates_and_texts_of_a_store_have_a_maximum_size(app: TestApp) {
        let english = data(&app, "texts/list", json!({ "language": "en" })).await;
        let keys = || english["texts"].as_array().unwrap().iter().map(|entry| entry["key"].as_str().unwrap().to_owned());
        let texts = || Value::Object(keys().map(|key| (key, json!("ä".repeat(1_000)))).collect());
        let mut refused = None;
        for language in ["de", "en", "es", "fr", "it", "ja", "nl", "pt", "pl", "cs", "da", "fi", "sv"] {
            let reply = call(&app, "texts/set", json!({ "language": language, "texts": texts() })).await;
            if reply.status != 200 {
                refused = Some(reply);
                break;
            }
        }
        let error = refused.expect("none was refused").fails(400, "invalid-parameter");
        assert!(message(&error).contains("1048576"), "{error}");
    }

    async fn a_preview_shows_templates_that_are_not_set(app: TestApp) {
        let body = json!({ "kind": "reminder", "templates": { "reminder.txt": "Only text: {{ list }}" } });
        let preview = data(&app, "preview", body).await;
        assert_eq!((preview["text"].as_str(), app.rows("mail_templates").await), (Some("Only text: Summer\n"), 0));
        for body in [json!({ "kind": "newsletter" }), json!({ "topic": "x" }), json!({ "templates": { "x": "" } }),
                     json!({ "templates": { "list.txt": "{{" } }), json!({ "kind": 1 })] {
            call(&app, "preview", body).await.fails(400, "invalid-parameter");
        }
    }

    async fn a_test_mail_is_sent_like_any_mail(app: TestApp) {
        let alerts = AlertSettingsChange {
            language: Some("fr".to_owned()),
            currency: Some(Some("EUR".to_owned())),
            reply_to: Some(Some("help@shop.example".to_owned())),
            ..AlertSettingsChange::default()
        };
        set_alerts(&app, alerts).await;
        data(&app, "send-test", json!({ "to": " Owner@Shop.example ", "topic": "pricedrop" })).await;
        data(&app, "send-test", json!({ "to": "owner@shop.example", "kind": "digest", "language": "ja" })).await;
        let sent = outbox(&app).await;
        let subjects: Vec<&str> = sent.iter().map(|mail| mail.subject.as_str()).collect();
        assert!(subjects.contains(&"Baisse de prix : Linen shirt"), "{subjects:?}");
        assert!(subjects.contains(&"Testからのお知らせ（4件）"), "{subjects:?}");
        assert!(sent.iter().all(|mail| mail.to == "owner@shop.example" && mail.text.contains("/mail/unsubscribe?token=")));
        let Transport::Outbox(folder) = &app.app.mailer.as_ref().unwrap().transport else { panic!("no outbox") };
        let file = std::fs::read_dir(folder.folder()).unwrap().next().unwrap().unwrap().path();
        let raw = std::fs::read_to_string(file).unwrap();
        assert!(raw.contains("Reply-To: help@shop.example\r\n") && raw.contains("From: Test <lists@shop.example>\r\n"), "{raw}");

        for n in 2..20 {
            data(&app, "send-test", json!({ "to": format!("o{n}@shop.example") })).await;
        }
        call(&app, "send-test", json!({ "to": "more@shop.example" })).await.fails(429, "rate-limited");
        call(&app, "send-test", json!({ "to": "nobody" })).await.fails(400, "invalid-parameter");
        app.advance(3_600_000);
        data(&app, "send-test", json!({ "to": "more@shop.example" })).await;

        let exported = app.store_admin().form("/storeadmin/v3/user/export", &[("useremail", "more@shop.example")]).await.ok();
        assert_eq!(exported["mails"][0]["kind"], "test");
        app.store_admin().form("/storeadmin/v3/user/erase", &[("useremail", "more@shop.example")]).await.ok();
        let before = outbox(&app).await.len();
        assert_eq!(before, 20, "an erased address gets nothing");
    }

    async fn mail_is_in_the_language_of_the_recipient(app: TestApp) {
        set_alerts(&app, AlertSettingsChange { language: Some("de".to_owned()), ..AlertSettingsChange::default() }).await;
        let (ann, bea) = (app.shopper("ann").await, app.shopper("bea").await);
        bea.post("user/save", &[("language", "nl-BE")]).await.ok();
        let lid = ann.list("Summer").await;
        for to in ["bea@example.com", "cleo@example.com"] {
            ann.post("lists/emailList", &[("lid", &lid), ("toemail", to)]).await.ok();
        }
        let sent = outbox(&app).await;
        let subject = |to: &str| sent.iter().find(|mail| mail.to == to).unwrap().subject.clone();
        assert_eq!(subject("bea@example.com"), "Er is een lijst van Test met je gedeeld");
        assert_eq!(subject("cleo@example.com"), "Eine Liste von Test wurde mit dir geteilt");
        assert!(sent[0].text.starts_with("Iemand") || sent[0].text.starts_with("Jemand"), "{}", sent[0].text);
    }
}
