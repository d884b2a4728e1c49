//! Operations of the server itself.

use serde_json::json;
use wishbone_core::error::Code;

use crate::api::json_schema::{constant, flag, object, text};
use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form, query};

/// The page that the unsubscribe link of a mail leads to.
pub const UNSUBSCRIBE_PAGE: &str = "/mail/unsubscribe";
/// The page that confirmation mails link to.
pub(crate) const CONFIRM_PAGE: &str = "/mail/confirm";
/// The page of mail preferences, which mails link to.
pub(crate) const PREFERENCES_PAGE: &str = "/mail/preferences";

/// The page of a shared list.
pub(crate) const SHARED_PAGE: &str = "/shared";

const SERVER: Description = Description { tag: "The server", ..OPERATION };
const PAGE: Answer = Answer::Text("text/html; charset=utf-8");

pub(crate) const SCRIPT: Description = Description {
    id: "sdkScript",
    summary: "Get the client script",
    text: "Include it in a page: `<script src=\"/sdk/wishbone.js\" data-store=\"PID\"></script>`.",
    answer: Answer::Text("text/javascript; charset=utf-8"),
    ..SERVER
};

pub(crate) const MODULE: Description = Description {
    id: "sdkModule",
    summary: "Get the client script as a module",
    text: "Import it in a page: `import { createClient } from \"/sdk/wishbone.mjs\"`.",
    answer: Answer::Text("text/javascript; charset=utf-8"),
    ..SERVER
};

pub(crate) const ELEMENTS: Description = Description {
    id: "sdkElements",
    summary: "Get the custom elements",
    text: "Hearts, lists and forms for pages, loaded by `data-load=\"elements\"` of the script tag.",
    ..MODULE
};

pub(crate) const LIVE: Description = Description {
    id: "sdkLive",
    summary: "Get the part of the client script that follows changes of other devices",
    text: "Loaded by `data-load=\"live\"` of the script tag.",
    ..MODULE
};

pub(crate) const LEGACY: Description = Description {
    id: "sdkLegacy",
    summary: "Get the compatibility layer of the client script",
    text: "For themes that were written for an older script, loaded by `data-legacy-prefix` of the script tag.",
    ..MODULE
};

pub(crate) const TYPES: Description =
    Description { id: "sdkTypes", summary: "Get the TypeScript types of the client script", ..SERVER };

pub(crate) const PACKAGE: Description = Description {
    id: "sdkPackage",
    summary: "Get the npm package of the client script",
    text: "Install it with npm, from this server: `npm install URL`.",
    answer: Answer::Text("application/gzip"),
    ..SERVER
};

pub(crate) const OPENAPI: Description = Description {
    id: "openapi",
    summary: "Get the OpenAPI document",
    answer: Answer::Json(|| {
        object(
            &[("openapi", json!({ "type": "string" })), ("info", json!({ "type": "object" }))],
            &[
                ("paths", json!({ "type": "object" })),
                ("components", json!({ "type": "object" })),
                ("servers", json!({ "type": "array" })),
                ("tags", json!({ "type": "array" })),
                ("jsonSchemaDialect", json!({ "type": "string" })),
            ],
        )
    }),
    ..SERVER
};

pub(crate) const DOCS: Description =
    Description { id: "docs", summary: "Get the API reference", answer: PAGE, ..SERVER };

pub(crate) const HEALTHZ: Description = Description {
    id: "healthz",
    summary: "Check liveness",
    text: "Succeeds while the process is running.",
    answer: Answer::Json(|| object(&[("status", constant("ok"))], &[])),
    ..SERVER
};

pub(crate) const READYZ: Description = Description {
    id: "readyz",
    summary: "Check readiness",
    text: "Succeeds while the server accepts requests, and the database responds and accepts writes. With PostgreSQL, which \
           nodes share, an outage of the database counts only after 30 to 60 seconds: `database` tells of it at once.",
    errors: &[Code::Overloaded, Code::Internal],
    answer: Answer::Json(|| {
        let engine = json!({ "enum": ["sqlite", "postgres"] });
        let maintenance = flag("`true` if maintenance mode is on and requests return HTTP 503.");
        let database = text("`ok`, or why the database cannot be used at the moment.");
        object(
            &[("status", constant("ok")), ("engine", engine), ("database", database), ("maintenance", maintenance)],
            &[],
        )
    }),
    ..SERVER
};

const MAIL_TOKEN: Parameter = query("token", Kind::Token, "Token from the link in an email.").required();

const ALERT_PAGE: Parameter = query("page", Kind::AnyText, "Number of the page of alerts, from 1.");

pub(crate) const SHARED_LIST_PAGE: Description = Description {
    id: "sharedListPage",
    summary: "Show a shared list",
    text: "HTML page that the `url` of a share link opens: name and items of the list, with links to the shop, and a preview for \
           messengers (Open Graph). It leads to the store's own page for shared lists (`--list-url`), if there is one. A link that \
           has expired or was revoked has a page that says so, with status 404.",
    parameters: &[
        query("token", Kind::Token, "Token from the `url` of a share link.").required(),
        query("after", Kind::AnyText, "Where the page begins, as its link to more items says."),
    ],
    errors: &[Code::RateLimited, Code::Internal, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};

pub(crate) const RECIPIENT_PAGE: Description = Description {
    id: "unsubscribePage",
    summary: "Show the unsubscribe page",
    text: "HTML page that the unsubscribe link in emails opens. A GET request changes nothing.",
    parameters: &[MAIL_TOKEN],
    errors: &[Code::Internal, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};

pub(crate) const RECIPIENT_ANSWER: Description = Description {
    id: "unsubscribe",
    summary: "Unsubscribe from a store's emails",
    text: "Supports one-click unsubscribe (RFC 8058).",
    parameters: &[
        MAIL_TOKEN,
        form("List-Unsubscribe", Kind::AnyText, "`One-Click`, as sent by email clients."),
        form("again", Kind::AnyText, "`true` resubscribes."),
        form(
            "scope",
            Kind::AnyText,
            "`all` for all emails of the store, `topic` for alerts of the email's topic (default).",
        ),
    ],
    errors: &[Code::InvalidParameter, Code::BodyTooLarge, Code::Internal, Code::OutcomeUnknown, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};

pub(crate) const CONFIRMATION_PAGE: Description = Description {
    id: "confirmationPage",
    summary: "Show the confirmation page",
    text: "HTML page that the link in a confirmation email opens. A GET request changes nothing.",
    parameters: &[MAIL_TOKEN],
    errors: &[Code::Internal, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};

pub(crate) const CONFIRMATION_ANSWER: Description = Description {
    id: "confirmAddress",
    summary: "Confirm an address",
    text: "Confirms the address that the email was sent to: its subscriptions become active.",
    parameters: &[MAIL_TOKEN],
    errors: &[Code::InvalidParameter, Code::BodyTooLarge, Code::Internal, Code::OutcomeUnknown, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};

pub(crate) const PREFERENCE_PAGE: Description = Description {
    id: "preferencesPage",
    summary: "Show the page of mail preferences",
    text: "HTML page that the link \"Mail preferences\" in emails opens: the alerts that the address waits for, and what the store \
           may send to it. A GET request changes nothing.",
    parameters: &[MAIL_TOKEN, ALERT_PAGE],
    errors: &[Code::Internal, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};

pub(crate) const PREFERENCE_ANSWER: Description = Description {
    id: "changePreferences",
    summary: "Change mail preferences",
    text: "Called by a button of the page. A value that is unknown changes nothing.",
    parameters: &[
        MAIL_TOKEN,
        ALERT_PAGE,
        form("end", Kind::AnyText, "ID of an alert that the address no longer waits for."),
        form("off", Kind::AnyText, "What is turned off: a topic, `digest`, `reminder` or `all`."),
        form("on", Kind::AnyText, "What is turned on."),
    ],
    errors: &[Code::InvalidParameter, Code::BodyTooLarge, Code::Internal, Code::OutcomeUnknown, Code::Overloaded],
    answer: PAGE,
    has_not_found_page: true,
    ..SERVER
};
