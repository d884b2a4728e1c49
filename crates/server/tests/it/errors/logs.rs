//! What a log line tells of a request, and what it keeps.

use std::cell::RefCell;
use std::io;
use std::sync::Once;

use super::{Shop, authorization};
use crate::support::{FORM, send};

both_engines! {
    async fn the_log_names_the_request_and_keeps_every_secret(app: TestApp) {
        let Shop { ann, lid, .. } = Shop::new(&app).await;
        listen();
        let mut ids = Vec::new();
        let key = authorization(&app);
        for (path, fields) in
            [("lists/fetch-lists", vec![]), ("lists/fetch-user-list", vec![("lid", lid.as_str()), ("next", "x")])]
        {
            let reply = ann.post(path, &fields).await;
            ids.push(reply.headers["x-request-id"].to_str().unwrap().to_owned());
        }
        let email = "useremail=new.shopper%40example.com";
        for body in [email, "useremail=broken"] {
            let headers = [("authorization", key.as_str()), FORM, ("x-request-id", "my-own-request-id")];
            send(&app.router, "POST", "/storeadmin/v3/user/generate-regid", &headers, body).await;
        }
        send(
            &app.router,
            "POST",
            "/storeadmin/v3/user/generate-regid",
            &[("authorization", "Basic eDp3cm9uZy1rZXk=")],
            "",
        )
        .await;
        let text = heard();
        for id in ids.iter().map(String::as_str).chain(["my-own-request-id"]) {
            assert!(text.contains(id), "{id} in {text}");
        }
        assert!(text.contains("invalid-next-token") && text.contains("bad-api-key"), "{text}");
        let basic = key.split_once(' ').unwrap().1;
        for secret in [
            &ann.sessionid,
            &ann.regid,
            &app.store.key,
            basic,
            "wrong-key",
            "eDp3cm9uZy1rZXk",
            "new.shopper",
            "ann@example.com",
        ] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

thread_local! {
    /// What this thread has logged since it began to listen.
    static HEARD: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Starts to keep what this thread logs. The subscriber is the whole process's: one of a thread's own
/// would miss events, because the first thread to reach one decides for all whether it is of interest.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(|| Log).finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
        tracing::callsite::rebuild_interest_cache();
    });
    HEARD.set(Some(Vec::new()));
}

fn heard() -> String {
    String::from_utf8(HEARD.take().unwrap()).unwrap()
}

struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        HEARD.with_borrow_mut(|heard| heard.as_mut().map(|heard| heard.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
