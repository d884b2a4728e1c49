//! The mail queue with a real SMTP server: every accepted mail is delivered exactly once.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use wishbone_core::mail::failed::FindFailedMails;
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_server::app::App;
use wishbone_server::jobs::job::Rest;
use wishbone_server::jobs::send_mail::send_due;

use crate::support::process::{Buyer, Setup, until};
use crate::support::smtp::SmtpServer;
use crate::support::{Client, TestApp, item};

const HOUR: i64 = 3_600_000;

async fn mail(by: &Client, lid: &str, to: &str) {
    by.post("lists/emailList", &[("lid", lid), ("fromname", "Ann"), ("toemail", to)]).await.ok();
}

/// Runs the steps that are due on a node, now and after a wait.
async fn work(node: &Arc<App>, wait: i64) {
    node.environment.set_now(node.environment.now() + wait);
    while send_due(node).await.unwrap() == Rest::None {}
}

/// A column of the mails' rows: 8 is the state, 9 the attempts, 11 the problem.
async fn column(app: &TestApp, n: usize) -> Vec<String> {
    let rows = app.app.database.dump("mails").await.unwrap();
    rows.iter().map(|row| row.split(" | ").nth(n).unwrap().to_owned()).collect()
}

const SENT: &str = "1";
const FAILED: &str = "3";

both_engines! {
    async fn a_mail_is_delivered_once_with_all_headers(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Süßes & Saures 🍬").await;
        app.store_admin().upsert(json!([item(1)])).await;
        ann.add(&lid, &[1]).await;
        mail(&ann, &lid, "ben@example.com").await;
        work(&node, 0).await;
        work(&node, HOUR).await;
        let mails = smtp.mails();
        assert_eq!(mails.len(), 1);
        let (mail, headers) = (&mails[0], &mails[0]["headers"]);
        assert_eq!((&mail["from"], &mail["to"]), (&json!("lists@shop.example"), &json!(["ben@example.com"])));
        assert_eq!(headers["from"], "Test <lists@shop.example>");
        assert_eq!(headers["subject"], "A list from Test was shared with you");
        assert_eq!(headers["date"], "Tue, 14 Nov 2023 22:13:20 +0000");
        assert_eq!(headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
        let link = headers["list-unsubscribe"].as_str().unwrap();
        assert!(link.starts_with("<https://lists.shop.example/mail/unsubscribe?token=") && link.ends_with('>'), "{link}");
        assert!(headers["message-id"].as_str().unwrap().ends_with("@shop.example>"), "{headers}");
        assert_eq!(mail["type"], "multipart/alternative");
        let (text, html) = (mail["text"].as_str().unwrap(), mail["html"].as_str().unwrap());
        assert!(text.contains("Süßes & Saures 🍬") && text.contains("https://shop.example/p/1"), "{text}");
        assert!(html.contains("Süßes &amp; Saures 🍬"), "{html}");
        let link = link.trim_matches(['<', '>']);
        assert!(text.contains(link), "people find it too: {text}");
        assert_eq!(column(&app, 8).await, [SENT]);
    }

    async fn user_input_cannot_inject_headers(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let names = [
            "Ann\r\nBcc: eve@example.com\r\n\r\nbody",
            "\u{202e}nnA\u{2028}Bcc: eve@example.com",
            "=?utf-8?q?Ann=0D=0ABcc:_eve@example.com?=",
            "\"Ann\" <eve@example.com>, \\",
            "👩‍🚀 ü \u{0301}\u{feff}Ann",
            &"ü".repeat(100),
            &"a".repeat(100),
            "..\r\n.\r\nQUIT",
        ];
        for (n, name) in names.iter().enumerate() {
            let lid = ann.list(&name.chars().take(100).collect::<String>()).await;
            let items = json!([{ "epi": 1, "empi": 1, "du": "https://shop.example/p/1", "dt": "x".repeat(1_000), "vi": name }]);
            ann.add_items(&lid, &items).await;
            let (to, note) = (format!("ben{n}@example.com"), format!("{name}\r\n.\r\n{}", "long line ".repeat(80)));
            let fields = [("lid", lid.as_str()), ("fromname", name), ("toemail", &to), ("note", &note)];
            ann.post("lists/emailList", &fields).await.ok();
        }
        work(&node, 0).await;
        assert_eq!(smtp.mails().len(), names.len());
        let expected = [
            "from", "to", "subject", "date", "message-id", "list-unsubscribe", "list-unsubscribe-post", "mime-version",
            "content-type",
        ];
        for mail in smtp.mails() {
            let mut found: Vec<&str> = mail["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            found.sort_unstable();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{}", mail["raw"].as_str().unwrap());
            assert_eq!(mail["to"].as_array().unwrap().len(), 1);
            assert!(mail["raw"].as_str().unwrap().lines().all(|line| line.len() < 998));
            assert!(mail["text"].as_str().unwrap().contains("long line"), "all of it arrived: {}", mail["text"]);
        }
    }

    async fn mails_are_retried_while_the_mail_server_is_down(app: TestApp) {
        let mut smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        smtp.stop();
        mail(&ann, &lid, "ben@example.com").await;
        work(&node, 0).await;
        let before = app.app.database.dump("mails").await.unwrap();
        smtp.restart();
        work(&node, 4_000).await;
        assert_eq!(smtp.mails().len(), 0, "not before its time");
        work(&node, 3_500).await;
        let mails = smtp.mails();
        assert_eq!(mails.len(), 1);
        let id = mails[0]["headers"]["message-id"].as_str().unwrap();
        assert!(before[0].contains(id), "the id that it was queued with: {before:?}");
        assert_eq!(column(&app, 8).await, [SENT]);
    }

    async fn temporary_rejections_are_retried_and_permanent_ones_are_not(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for to in ["later@example.com", "never@example.com", "ben@example.com"] {
            mail(&ann, &lid, to).await;
        }
        work(&node, 0).await;
        assert_eq!(smtp.mails().len(), 1, "one refusal does not hold up the others");
        work(&node, 7_500).await;
        assert_eq!((smtp.to("later@example.com").len(), smtp.to("never@example.com").len()), (1, 0));
        work(&node, 24 * HOUR).await;
        assert_eq!(smtp.mails().len(), 2);
        let mut states = column(&app, 8).await;
        states.sort();
        assert_eq!(states, [SENT, SENT, FAILED], "what failed is kept to be seen");
        let by = StoreAdmin::authenticate(&app.app.database, &app.store.pid, &app.store.key, app.app.environment.now());
        let find = FindFailedMails { by: by.await.unwrap(), limit: 10 };
        let failed = app.app.database.read(find).await.unwrap();
        assert_eq!((failed.len(), failed[0].address.as_deref(), failed[0].attempts), (1, Some("never@example.com"), 1));
        assert!(failed[0].problem.as_ref().unwrap().contains("5.1.1"), "with the reason: {failed:?}");
    }

    async fn a_mail_fails_after_a_day_of_retries(app: TestApp) {
        let mut smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        smtp.stop();
        mail(&ann, &lid, "ben@example.com").await;
        for _ in 0..20 {
            work(&node, 6 * HOUR).await;
        }
        assert_eq!((column(&app, 8).await, column(&app, 9).await), (vec![FAILED.to_owned()], vec!["12".to_owned()]));
    }

    async fn two_nodes_send_a_mail_once(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let nodes = [app.node_mailing(&smtp.url()).await, app.node_mailing(&smtp.url()).await];
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        for n in 0..10 {
            mail(&ann, &lid, &format!("friend{n}@example.com")).await;
        }
        tokio::join!(work(&nodes[0], 0), work(&nodes[1], 0));
        let mut to: Vec<Value> = smtp.mails().iter().map(|mail| mail["to"][0].clone()).collect();
        assert_eq!(to.len(), 10);
        to.sort_by_key(Value::to_string);
        to.dedup();
        assert_eq!(to.len(), 10);
    }

    async fn a_mail_claimed_by_a_crashed_node_is_sent_by_another(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com").await;
        // A mail server that accepts the connection and never replies; then the node crashes.
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let lost = app.node_mailing(&format!("smtp://{}", silent.local_addr().unwrap())).await;
        let (mut sending, mut accepted) = (Box::pin(work(&lost, 0)), Box::pin(silent.accept()));
        let connection = tokio::select! {
            () = &mut sending => panic!("it was sent"),
            connection = &mut accepted => connection.unwrap(),
        };
        drop(sending);
        drop(connection);
        let node = app.node_mailing(&smtp.url()).await;
        work(&node, 60_000).await;
        assert_eq!(smtp.mails().len(), 0, "it may still be at it");
        work(&node, 100_000).await;
        assert_eq!(smtp.mails().len(), 1);
        assert_eq!((column(&app, 8).await, column(&app, 9).await), (vec![SENT.to_owned()], vec!["2".to_owned()]));
    }

    async fn a_node_that_shuts_down_sends_no_further_mails(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com").await;
        node.drain();
        work(&node, 0).await;
        assert_eq!(smtp.mails().len(), 0);
        let other = app.node_mailing(&smtp.url()).await;
        work(&other, 0).await;
        assert_eq!((smtp.mails().len(), column(&app, 9).await), (1, vec!["1".to_owned()]));
    }

    async fn a_mail_that_crashes_nodes_is_not_retried_forever(app: TestApp) {
        let smtp = SmtpServer::start(app.folder());
        let node = app.node_mailing(&smtp.url()).await;
        let ann = app.shopper("ann").await;
        let lid = ann.list("Summer").await;
        mail(&ann, &lid, "ben@example.com").await;
        let by = wishbone_core::operator::Operator::of_this_machine();
        for n in 0..13 {
            let now = node.environment.now() + n * HOUR;
            let due = node.database.read(wishbone_core::mail::queue::FindDueMails { by, store_id: 1, now, limit: 10 }).await.unwrap();
            node.database.write(wishbone_core::mail::claim::ClaimMail { by, mail: due[0], now }).await.unwrap();
        }
        work(&node, 100 * HOUR).await;
        assert_eq!((smtp.mails().len(), column(&app, 8).await), (0, vec![FAILED.to_owned()]));
    }
}

const FROM: [&str; 4] = ["--mail-from", "Any name <lists@shop.example>", "--public-url", "https://lists.shop.example/"];

fn ann_with_list(shop: &crate::support::process::Shop) -> (Buyer, String) {
    let ann = shop.login("ann@example.com");
    let lid = ann.list("Summer");
    (ann, lid)
}

fn ask(ann: &Buyer, lid: &str, to: &str) {
    ann.post("lists/emailList", &[("lid", lid), ("fromname", "Ann"), ("toemail", to)]).ok();
}

both_setups! {
    fn a_server_killed_before_sending_sends_after_its_restart(setup: Setup) {
        let mut smtp = SmtpServer::start(setup.folder());
        let url = smtp.url();
        smtp.stop();
        let arguments = [&["--smtp", url.as_str()][..], &FROM].concat();
        let (server, shop) = setup.shop(&arguments);
        let (ann, lid) = ann_with_list(&shop);
        ask(&ann, &lid, "ben@example.com");
        until("it was tried", || server.log().contains("mail not sent"));
        let log = server.log();
        assert!(!log.contains("ben@example.com"), "{log}");
        server.kill();
        smtp.restart();
        let server = setup.serve(&arguments);
        let mails = smtp.wait_for(1);
        assert_eq!(mails[0]["to"][0], "ben@example.com");
        until("it is recorded", || server.metrics().body.contains("wishbone_mails_total{outcome=\"sent\"} 1"));
        server.stop();
        assert_eq!(smtp.mails().len(), 1);
    }
}

#[test]
fn a_second_signal_exits_without_waiting_for_the_mail_server() {
    let setup = Setup::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("smtp://{}", silent.local_addr().unwrap());
    let (mut server, shop) = setup.shop(&[&["--smtp", url.as_str()][..], &FROM].concat());
    let (ann, lid) = ann_with_list(&shop);
    ask(&ann, &lid, "ben@example.com");
    let _call = silent.accept().unwrap();
    server.signal("TERM");
    until("it is stopping", || server.log().contains("shutting down"));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    assert!(server.log().contains("exiting immediately with job steps in progress"), "{}", server.log());
}

#[test]
fn starttls_and_authentication_are_used() {
    encryption_and_authentication_are_used(false);
}

#[test]
fn tls_from_the_start_and_authentication_are_used() {
    encryption_and_authentication_are_used(true);
}

fn encryption_and_authentication_are_used(implicit: bool) {
    let setup = Setup::new();
    let (certificate, key) = (setup.folder().join("cert.pem"), setup.folder().join("key.pem"));
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]);
    openssl.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
    assert!(openssl.output().unwrap().status.success());
    let smtp = SmtpServer::private(setup.folder(), [&certificate, &key], "ann", "p@ss/word", implicit);
    let serve = |password: &str, trusted: bool| {
        let (scheme, query) = if implicit { ("smtps", "") } else { ("smtp", "?tls=required") };
        let url = format!("{scheme}://ann:{password}@localhost:{}{query}", smtp.port());
        let mut command = setup.command(&["serve", "--listen", "127.0.0.1:0"]);
        // In the environment, as in a service file: the URL contains a password.
        command.args(FROM).env("WISHBONE_SMTP_URL", url);
        if trusted {
            command.env("SSL_CERT_FILE", &certificate);
        }
        crate::support::process::Server::start(command, setup.folder())
    };
    let (pid, apikey) = setup.create_store();
    for (password, trusted) in [("p%40ss%2Fword", false), ("wrong", true)] {
        let server = serve(password, trusted);
        let (ann, lid) = ann_with_list(&server.shop(&pid, &apikey));
        ask(&ann, &lid, "ben@example.com");
        until("it was tried", || server.log().contains("mail not sent"));
        assert!(!server.log().contains("wrong") && !server.log().contains("ss%2F"), "{}", server.log());
        server.stop();
    }
    assert_eq!(smtp.mails().len(), 0, "nothing goes to who is not trusted, and a wrong password loses nothing");
    let server = serve("p%40ss%2Fword", true);
    for mail in smtp.wait_for(2) {
        assert_eq!(mail["tls"], true);
    }
    server.stop();
}

#[test]
fn without_a_mail_server_mails_go_to_the_outbox() {
    let setup = Setup::new();
    let (server, shop) = setup.shop(&[]);
    let (ann, lid) = ann_with_list(&shop);
    ask(&ann, &lid, "ben@example.com");
    // A file has a temporary name until it is complete.
    let files =
        || std::fs::read_dir(setup.data().join("outbox")).into_iter().flatten().flatten().map(|file| file.path());
    let mail = || files().find(|file| file.extension().is_some_and(|extension| extension == "eml"));
    until("the mail is there", || mail().is_some());
    assert_eq!(files().count(), 1);
    let text = std::fs::read_to_string(mail().unwrap()).unwrap();
    let link = text.lines().find_map(|line| line.strip_prefix("List-Unsubscribe: <")).unwrap();
    let path = link.trim_end_matches('>').strip_prefix(&format!("http://{}", server.address)).unwrap();
    assert_eq!(server.get(path).status, 200, "the link leads here");
    server.stop();
}

#[test]
fn all_invalid_mail_settings_are_reported_together() {
    let setup = Setup::new();
    setup.run(&["serve", "--smtp", "smtp://user:secret@mail.example", "--public-url", "lists.example"]).fails(&[
        "--smtp (WISHBONE_SMTP_URL) must be",
        "--public-url (WISHBONE_PUBLIC_URL) must be",
        "--smtp requires --mail-from",
    ]);
    setup
        .run(&["serve", "--smtp", "http://mail.example", "--mail-from", "nobody"])
        .fails(&["--smtp (WISHBONE_SMTP_URL) must be", "--mail-from (WISHBONE_MAIL_FROM) must be"]);
    let finished = setup.run(&["serve", "--smtp", "smtp://user:secret@mail.example"]);
    assert!(!finished.stderr.contains("secret"), "{finished:?}");
}

#[test]
fn list_url_and_mail_limits_are_set_per_store() {
    let setup = Setup::new();
    let (pid, _) = setup.create_store();
    let set = |arguments: &[&str]| setup.run(&[&["store", "set", &pid], arguments].concat());
    let url = "https://shop.example/pages/list?lid={lid}";
    set(&["--list-url", url, "--mails-per-shopper", "3", "--mails-per-address", "0"]).ok();
    let shown = setup.run(&["store", "show", &pid]).ok().to_owned();
    for line in [
        format!("list-url                 {url}"),
        "mails-per-shopper        3".into(),
        "mails-per-address        0".into(),
    ] {
        assert!(shown.contains(&line), "{line}: {shown}");
    }
    for bad in ["https://shop.example/list", "javascript:{lid}", "https://shop.example/{lid}\"x", "shop.example/{lid}"]
    {
        set(&["--list-url", bad]).fails(&["{lid}"]);
    }
    assert!(set(&["--list-url", "none"]).ok().contains(&format!("{url} → none")));
    set(&["--mails-per-hour", "70", "--sms-per-hour", "8", "--sms-countries", "de, at,DE"]).ok();
    let shown = setup.run(&["store", "show", &pid]).ok().to_owned();
    for line in [
        "mails-per-hour           70\nmails-this-hour          0",
        "sms-countries            AT, DE\nsms-per-hour             8\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    for bad in ["Germany", "+49", "", "DE,", "all,DE"] {
        set(&["--sms-countries", bad]).fails(&["such as DE,AT,CH, or all"]);
    }
    assert!(set(&["--sms-countries", "all"]).ok().contains("AT, DE → all"));
}
