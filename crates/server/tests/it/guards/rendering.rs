//! Templates and texts of stores are rendered on the pool only.

use super::{assert_none, sources};

/// What only these files may do.
const RULES: &[(&str, &[&str])] = &[
    // Rendering needs a budget, and only the pool makes one.
    ("Budget::new(", &["server/src/mail/pool.rs"]),
    // Other environments charge nothing: they render the server's own pages.
    ("Environment::empty(", &["server/src/mail/templates.rs"]),
];

#[test]
fn templates_of_stores_are_rendered_on_the_pool_only() {
    let mut findings = Vec::new();
    for (call, allowed) in RULES {
        let users = sources().into_iter().filter(|(_, source)| source.contains(call)).map(|(path, _)| path);
        let users: Vec<String> = users.collect();
        assert!(!users.is_empty(), "nothing uses {call}: change the rule");
        let others = users.iter().filter(|path| !allowed.contains(&path.as_str()));
        findings.extend(others.map(|path| format!("{path} uses {call}")));
    }
    assert_none(&findings);
}
