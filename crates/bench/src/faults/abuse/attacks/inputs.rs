//! Input that must be refused.

use serde_json::{Value, json};

use super::{Attack, Scene};
use crate::faults::abuse::tally::Tally;

/// Links that run a script where a page takes them as they are.
const SCRIPTS: &[&str] = &[
    "javascript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
];
/// The documented limit on a request's head, in bytes.
const MAX_HEAD: usize = 64 << 10;

pub(super) const ATTACKS: &[Attack] =
    &[Attack::planned("script links", script_links), Attack::planned("long heads", long_heads)];

/// Items whose link is a script, and one that is not.
fn script_links(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    let mut guest = scene.store.guest()?;
    let lid = guest.list(&[("lname", "Links")])?;
    let links = SCRIPTS.iter().chain(&["https://shop.example/p/1"]).enumerate();
    let items: Value = links.map(|(number, du)| json!({ "epi": number + 1, "empi": 1, "du": du, "iu": du })).collect();
    tally.count(&guest.call("lists/update-ctx", &[("lid", &lid), ("a", &items.to_string())]));
    let list = guest.json("lists/fetch-list-with-contents", &[("lid", &lid)])?;
    let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let links = items.iter().flat_map(|item| [&item["du"], &item["iu"]]).filter_map(Value::as_str);
    let is_safe = |link: &&str| link.is_empty() || link.starts_with("https://shop.example/");
    let scripts = links.filter(|link| !is_safe(link)).count() as u64;
    tally.require(!items.is_empty(), "the harmless link is accepted");
    tally.require_at_most(0, scripts, "script links handed out");
    Ok(())
}

/// Heads just below and just above the limit.
fn long_heads(scene: &Scene, tally: &mut Tally) -> anyhow::Result<()> {
    for (length, is_accepted) in [(MAX_HEAD - 1_024, true), (MAX_HEAD + 1_024, false), (MAX_HEAD * 17 / 16, false)] {
        let head = format!("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx: {}\r\n\r\n", "x".repeat(length - 50));
        // A refusal may reset the connection while the rest of the head is on its way.
        let response = scene.store.stranger()?.send(head.as_bytes());
        let status = response.map_or(0, |(_, head)| head.status);
        let what = format!("a head of {} KiB is {}", length >> 10, if is_accepted { "accepted" } else { "refused" });
        tally.require((status == 200) == is_accepted, &what);
    }
    Ok(())
}
