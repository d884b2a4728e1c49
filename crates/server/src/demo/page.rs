//! The start page with its values filled in, and the commands it shows.

use super::DemoStore;

pub struct DemoPage {
    pub html: String,
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
        Self { html }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// A title and a ready-to-paste command for each REST operation of the contract.
pub fn curls(base: &str, demo: &DemoStore) -> Vec<(&'static str, String)> {
    let pid = percent_encoding::utf8_percent_encode(&demo.pid, percent_encoding::NON_ALPHANUMERIC);
    let call = |path: &str, query: &str, fields: &[(&str, &str)]| {
        let mut command = format!("curl -s '{base}/api/v3/{path}?pid={pid}{query}'");
        let who = [("regid", demo.credentials.regid.as_str()), ("sessionid", &demo.credentials.sessionid)];
        for (name, value) in who.iter().chain(fields) {
            command.push_str(&format!(" \\\n  --data-urlencode '{name}={value}'"));
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
            "A page of the 300-item list, cheapest first",
            call("lists/fetch-user-list", "", &[("lid", long), ("sortby", "price"), ("sortorder", "asc")]),
        ),
        ("All lists of the shopper", call("lists/fetch-user-lists", "", &[])),
        ("A list with its first three items", call("lists/fetch-list-with-contents", "&limit=3", &[("lid", long)])),
        (
            "Change an item in the save-for-later list",
            call("lists/sfl/update", "", &[("lid", saved_list), ("user-agent", "curl"), ("items", &saved)]),
        ),
        ("Back-in-stock subscriptions", call("subscriptions/fetch-subs", "", &[("topic", "backinstock")])),
    ]
}
