//! Output of `wishbone mail …`.

use std::path::Path;

use serde_json::{Map, Value};
use wishbone_core::mail::failed::FailedMail;
use wishbone_core::moment::iso8601;

use crate::cli::output::{plain, plural, print};
use crate::mail::customize::Preview;

pub(super) fn print_templates(templates: &Value, json: bool) {
    if json {
        return print(&serde_json::json!({ "templates": templates }).to_string());
    }
    for template in templates.as_array().into_iter().flatten() {
        let state = if template["customized"] == true { "replaced" } else { "built in" };
        print(&format!("{:<19} {state}", template["name"].as_str().unwrap_or_default()));
    }
}

/// As JSON, the texts are one object of keys and texts, which `text import` reads.
pub(super) fn print_texts(texts: &Value, json: bool) {
    let entries = texts["texts"].as_array().into_iter().flatten();
    if json {
        let texts: Map<String, Value> =
            entries.filter_map(|entry| Some((entry["key"].as_str()?.to_owned(), entry["text"].clone()))).collect();
        return print(&Value::Object(texts).to_string());
    }
    for entry in entries {
        let mark = if entry["customized"] == true { "*" } else { " " };
        let [key, text] = ["key", "text"].map(|name| entry[name].as_str().unwrap_or_default());
        print(&format!("{mark} {key:<30} {text}"));
    }
}

pub(super) fn print_failed(mails: &[FailedMail], json: bool) {
    if json {
        return print(&serde_json::json!({ "mails": mails }).to_string());
    }
    if mails.is_empty() {
        return print("No mail was given up in the last 30 days.");
    }
    for mail in mails {
        let FailedMail { kind, attempts, failed_at, .. } = mail;
        let address = plain(mail.address.as_deref().unwrap_or("-"));
        let attempts = plural(u64::try_from(*attempts).unwrap_or(0), "attempt");
        let problem = plain(mail.problem.as_deref().unwrap_or("unknown problem"));
        print(&format!("{}  {kind:<12} {address}  {attempts}: {problem}", iso8601(*failed_at)));
    }
}

pub(super) fn print_preview(preview: &Preview, html: Option<&Path>, json: bool) {
    if json {
        return print(&serde_json::json!(preview).to_string());
    }
    print(&format!("Subject: {}\nLanguage: {}\n\n{}", preview.subject, preview.language, preview.text));
    if let Some(path) = html {
        print(&format!("The HTML part is in {}.", path.display()));
    }
}
