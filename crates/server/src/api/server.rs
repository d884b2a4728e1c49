//! What anyone may ask the server itself.

use serde_json::json;
use wishbone_core::error::Code;

use crate::api::operation::{Answer, Description, Kind, OPERATION, Parameter, form, query};
use crate::api::schemas::{constant, flag, object};

/// Where the link in a mail leads.
pub const UNSUBSCRIBE_PAGE: &str = "/mail/unsubscribe";

const SERVER: Description = Description { tag: "The server", ..OPERATION };
const PAGE: Answer = Answer::Text("text/html; charset=utf-8");

pub(crate) const SCRIPT: Description = Description {
    id: "sdkScript",
    summary: "The client script",
    text: "`<script src=\"/sdk/wishbone.js\" data-store=\"PID\"></script>`",
    answer: Answer::Text("text/javascript; charset=utf-8"),
    ..SERVER
};

pub(crate) const TYPES: Description =
    Description { id: "sdkTypes", summary: "The client script's TypeScript types", ..SERVER };

pub(crate) const OPENAPI: Description = Description {
    id: "openapi",
    summary: "This description, in OpenAPI 3.1",
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
    Description { id: "docs", summary: "This description, for people", answer: PAGE, ..SERVER };

pub(crate) const HEALTHZ: Description = Description {
    id: "healthz",
    summary: "The process is up",
    answer: Answer::Json(|| object(&[("status", constant("ok"))], &[])),
    ..SERVER
};

pub(crate) const READYZ: Description = Description {
    id: "readyz",
    summary: "It can work: the database answers",
    errors: &[Code::Overloaded, Code::Internal],
    answer: Answer::Json(|| {
        let engine = json!({ "enum": ["sqlite", "postgres"] });
        let maintenance = flag("Whether all calls are answered with 503 for now.");
        object(&[("status", constant("ok")), ("engine", engine), ("maintenance", maintenance)], &[])
    }),
    ..SERVER
};

pub(crate) const METRICS: Description = Description {
    id: "metrics",
    summary: "Counts and times, for Prometheus",
    answer: Answer::Text("text/plain; version=0.0.4; charset=utf-8"),
    ..SERVER
};

const MAIL_TOKEN: Parameter = query("token", Kind::Token, "From the link in a mail.").required();

pub(crate) const RECIPIENT_PAGE: Description = Description {
    id: "unsubscribePage",
    summary: "Where the links in mails lead",
    text: "A page for people. Looking at it changes nothing.",
    takes: &[MAIL_TOKEN],
    errors: &[Code::Internal, Code::Overloaded],
    answer: PAGE,
    has_lost_page: true,
    ..SERVER
};

pub(crate) const RECIPIENT_ANSWER: Description = Description {
    id: "unsubscribe",
    summary: "Refuse further mail of a store (RFC 8058)",
    takes: &[
        MAIL_TOKEN,
        form("List-Unsubscribe", Kind::AnyText, "`One-Click`, from mail programs."),
        form("again", Kind::AnyText, "`true` takes the refusal back."),
    ],
    errors: &[Code::InvalidParameter, Code::BodyTooLarge, Code::Internal, Code::OutcomeUnknown, Code::Overloaded],
    answer: PAGE,
    has_lost_page: true,
    ..SERVER
};
