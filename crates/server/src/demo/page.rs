//! The rendered start page, and the example commands that it shows.

use crate::api::examples::{Examples, form_field};
use crate::demo::fill::{DemoItem, DemoStore};

pub struct DemoPage {
    pub html: String,
    /// The content security policy of the page and its files.
    pub policy: String,
    /// The policy of a mail shown by the page: no scripts, no forms, only the demo's own pictures.
    pub mail_policy: String,
    /// Values that make the examples of the API description work against the demo store.
    pub examples: Examples,
}

impl DemoPage {
    pub fn new(base: &str, demo: &DemoStore) -> Self {
        let commands =
            curls(base, demo).iter().map(|(title, command)| format!("# {title}\n{command}")).collect::<Vec<_>>();
        let values = [
            ("{{pid}}", demo.pid.as_str()),
            ("{{regid}}", &demo.credentials.regid),
            ("{{sessionid}}", &demo.credentials.sessionid),
            ("{{shopper}}", demo.email),
            ("{{base}}", base),
            ("{{curls}}", &commands.join("\n\n")),
            ("{{version}}", env!("CARGO_PKG_VERSION")),
        ];
        let html = values
            .iter()
            .fold(include_str!("page/index.html").to_owned(), |html, (name, value)| html.replace(name, &escape(value)));
        // Picture URLs use the address that the demo listens on; the page may be open under another name, such as
        // localhost.
        let policy = format!(
            "default-src 'self'; img-src 'self' {base}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let mail_policy = format!(
            "default-src 'none'; img-src {base}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'self'; sandbox"
        );
        Self { html, policy, mail_policy, examples: examples(base, demo) }
    }
}

fn examples(base: &str, demo: &DemoStore) -> Examples {
    let DemoItem { variant_id, product_id, url } = &demo.liked;
    let saved = &demo.saved;
    Examples(vec![
        ("{base}", base.to_owned()),
        ("{pid}", demo.pid.clone()),
        ("{regid}", demo.credentials.regid.clone()),
        ("{guest_regid}", demo.guest_regid.clone()),
        ("{sessionid}", demo.credentials.sessionid.clone()),
        ("{lid}", demo.long_list.clone()),
        ("{spare_lid}", demo.empty_list.clone()),
        ("{saved_lid}", demo.saved_list.clone()),
        ("{epi}", variant_id.to_string()),
        ("{empi}", product_id.to_string()),
        ("{du}", url.clone()),
        ("{saved_epi}", saved.variant_id.to_string()),
        ("{saved_empi}", saved.product_id.to_string()),
        ("{saved_du}", saved.url.clone()),
        ("{webhook}", demo.webhook.clone()),
    ])
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// Example commands with their titles, ready to paste.
pub fn curls(base: &str, demo: &DemoStore) -> Vec<(&'static str, String)> {
    let pid = percent_encoding::utf8_percent_encode(&demo.pid, percent_encoding::NON_ALPHANUMERIC);
    let call = |path: &str, query: &str, fields: &[(&str, &str)]| {
        let mut command = format!("curl -sS '{base}/api/v3/{path}?pid={pid}{query}'");
        let credentials = [("regid", demo.credentials.regid.as_str()), ("sessionid", &demo.credentials.sessionid)];
        for (name, value) in credentials.iter().chain(fields) {
            command.push_str(" \\\n  ");
            command.push_str(&form_field(name, value));
        }
        command
    };
    let saved = format!(
        r#"[{{"epi": {}, "empi": {}, "du": "{}", "qty": 3, "note": "from the terminal"}}]"#,
        demo.saved.variant_id, demo.saved.product_id, demo.saved.url
    );
    let (long, saved_list) = (demo.long_list.as_str(), demo.saved_list.as_str());
    vec![
        (
            "Fetch a page of the 300-item list, cheapest first",
            call("lists/fetch-user-list", "", &[("lid", long), ("sortby", "price"), ("sortorder", "asc")]),
        ),
        ("Fetch all lists of the shopper", call("lists/fetch-user-lists", "", &[])),
        (
            "Fetch a list with its first three items",
            call("lists/fetch-list-with-contents", "&limit=3", &[("lid", long)]),
        ),
        (
            "Update the quantity and note of a saved-for-later item",
            call("lists/sfl/update", "", &[("lid", saved_list), ("user-agent", "curl"), ("items", &saved)]),
        ),
        (
            "Fetch the shopper's back-in-stock subscriptions",
            call("subscriptions/fetch-subs", "", &[("topic", "backinstock")]),
        ),
        (
            "Email a list; the email appears on the demo page",
            call("lists/emailList", "", &[("lid", long), ("fromname", "Ann"), ("toemail", "cleo@fernweh.example")]),
        ),
    ]
}
