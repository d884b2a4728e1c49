//! Customizing mails, in JSON.

use serde_json::{Value, json};
use wishbone_core::catalog::topic::TOPICS;
use wishbone_core::error::Code;

use crate::api::json_schema::{array, flag, object, success, text, whole};
use crate::api::operation::{Answer, Description, OPERATION};

const MAIL: Description = Description { tag: "Mail", ..OPERATION };

/// The kinds of mail.
pub(crate) const KINDS: &[&str] = &["alert", "confirmation", "digest", "list", "reminder"];

pub(crate) const LIST_TEMPLATES: Description = Description {
    id: "listMailTemplates",
    summary: "List mail templates",
    text: "Returns every template of the store's mails with its source. Templates are shared by all languages; `t(key)` \
           inserts a text.",
    json: Some((|| json!({ "type": "object" }), "{}")),
    answer: Answer::Json(|| {
        let template = object(
            &[
                ("name", text("Name, such as `alert.html`.")),
                ("customized", flag("`true` if the store has replaced the built-in template.")),
                ("source", text("Source.")),
            ],
            &[],
        );
        data(array(template))
    }),
    ..MAIL
};

pub(crate) const SET_TEMPLATE: Description = Description {
    id: "setMailTemplate",
    summary: "Replace a mail template",
    text: "Validates the template before it is stored: all mails of the store are rendered with sample content, must \
           name the product and its URL in the text part, must link to `{{ unsubscribe }}` or `{{ confirm }}`, and must \
           not cost too much with 20 items and the longest titles. An error says what to change. At most 64 KiB.",
    json: Some((
        || object(&[("name", text("Name of the template.")), ("source", text("Source."))], &[]),
        r#"{"name":"button.html","source":"<p><a href=\"{{ target }}\">{{ label }}</a></p>"}"#,
    )),
    idempotent: true,
    answer: Answer::Json(template_answer),
    ..MAIL
};

pub(crate) const RESET_TEMPLATE: Description = Description {
    id: "resetMailTemplate",
    summary: "Restore a built-in mail template",
    json: Some((|| object(&[("name", text("Name of the template."))], &[]), r#"{"name":"button.html"}"#)),
    idempotent: true,
    answer: Answer::Json(template_answer),
    ..MAIL
};

fn template_answer() -> Value {
    data(object(
        &[("name", text("Name of the template.")), ("customized", flag("`true` if the template is the store's own."))],
        &[],
    ))
}

pub(crate) const LIST_TEXTS: Description = Description {
    id: "listMailTexts",
    summary: "List texts of mails and pages",
    text: "Returns every text in one language, and the languages that exist.",
    json: Some((|| object(&[], &[("language", tag())]), r#"{"language":"de"}"#)),
    answer: Answer::Json(|| {
        let entry = object(
            &[
                ("key", text("Key. Plural forms end in their CLDR category, such as `.one`.")),
                ("text", text("Text with placeholders such as `{store}`.")),
                ("customized", flag("`true` if the text is the store's own.")),
            ],
            &[],
        );
        data(object(
            &[
                ("language", tag()),
                ("languages", array(text("Language tag."))),
                ("missing", missing()),
                ("texts", array(entry)),
            ],
            &[],
        ))
    }),
    ..MAIL
};

pub(crate) const SET_TEXTS: Description = Description {
    id: "setMailTexts",
    summary: "Change texts of mails and pages",
    text: "Changes texts of one language, built in or new. A new language is used when no text is missing. `null` restores \
           the built-in text.",
    json: Some((
        || {
            let texts = json!({ "type": "object", "minProperties": 1,
                                "additionalProperties": { "type": ["string", "null"], "maxLength": 1000 } });
            object(&[("language", tag()), ("texts", texts)], &[])
        },
        r#"{"language":"en","texts":{"alert.button":"Shop now"}}"#,
    )),
    idempotent: true,
    answer: Answer::Json(texts_answer),
    ..MAIL
};

pub(crate) const RESET_TEXTS: Description = Description {
    id: "resetMailTexts",
    summary: "Restore built-in texts",
    text: "Restores the given texts of a language; without `keys`, all of them.",
    json: Some((
        || object(&[("language", tag())], &[("keys", array(text("Key of a text.")))]),
        r#"{"language":"en","keys":["alert.button"]}"#,
    )),
    idempotent: true,
    answer: Answer::Json(texts_answer),
    ..MAIL
};

fn texts_answer() -> Value {
    data(object(
        &[("language", tag()), ("changed", whole("Number of texts changed or restored.")), ("missing", missing())],
        &[],
    ))
}

pub(crate) const PREVIEW: Description = Description {
    id: "previewMail",
    summary: "Preview a mail",
    text: "Renders a mail with sample content. `templates` replaces templates for this call only.",
    json: Some((
        || {
            let templates = json!({ "type": "object", "additionalProperties": { "type": "string" },
                                    "description": "Sources by template name." });
            object(&[], &[choice(), vec![("templates", templates)]].concat())
        },
        r#"{"kind":"alert","topic":"pricedrop","language":"de"}"#,
    )),
    answer: Answer::Json(|| {
        data(object(
            &[
                ("language", tag()),
                ("subject", text("Subject.")),
                ("text", text("Plain-text part.")),
                ("html", text("HTML part.")),
            ],
            &[],
        ))
    }),
    ..MAIL
};

pub(crate) const SEND_TEST: Description = Description {
    id: "sendTestMail",
    summary: "Send a test mail",
    text: "Queues a mail with sample content. At most 20 per store and hour. Nothing is sent to an address that has \
           unsubscribed.",
    json: Some((
        || object(&[("to", json!({ "type": "string", "format": "email" }))], &choice()),
        r#"{"to":"owner@shop.example","kind":"alert","topic":"backinstock"}"#,
    )),
    idempotent: true,
    errors: &[Code::RateLimited],
    answer: Answer::Json(|| data(object(&[("to", text("Recipient."))], &[]))),
    ..MAIL
};

fn choice() -> Vec<(&'static str, Value)> {
    let kind = json!({ "enum": KINDS, "default": "alert" });
    let topic = json!({ "enum": TOPICS, "default": "backinstock", "description": "For alerts and confirmations." });
    vec![("kind", kind), ("topic", topic), ("language", tag())]
}

fn tag() -> Value {
    text("Language tag (BCP 47), such as `de` or `pt-BR`. Default: the store's language.")
}

fn missing() -> Value {
    array(text("Key of a text that a new language lacks before it is used."))
}

fn data(of: Value) -> Value {
    object(&[success(), ("data", of)], &[])
}
