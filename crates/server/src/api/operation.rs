//! The types that describe an operation.

use serde_json::Value;
use wishbone_core::error::Code;

/// Maximum length of an idempotency key.
pub(crate) const LONGEST_KEY: usize = 255;

/// The kind of caller of an operation. Decides about cross-origin calls, and which table tests include it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Browsers and apps, with a regid and a sessionid.
    Shopper,
    /// Browsers that have no identity yet.
    Browser,
    /// The store's own server, with its API key.
    StoreAdmin,
    /// Anyone who can reach the server: files and pages.
    Anyone,
    /// Tools that monitor the server.
    Monitor,
}

/// One line of the route table.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    pub caller: Caller,
    /// GET or POST.
    pub method: &'static str,
    pub path: &'static str,
    /// `None` for what is not part of the API.
    pub description: Option<&'static Description>,
}

/// A JSON schema, built on demand: JSON cannot be a constant.
pub type Schema = fn() -> Value;

/// The description of one operation; caller, method and path are in the route table.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub id: &'static str,
    pub tag: &'static str,
    pub summary: &'static str,
    /// Further paragraphs; `code` in backticks.
    pub text: &'static str,
    /// In addition to what its caller always sends.
    pub parameters: &'static [Parameter],
    /// Schema and example of a JSON body.
    pub json: Option<(Schema, &'static str)>,
    pub answer: Answer,
    /// In addition to those of every operation of its caller.
    pub errors: &'static [Code],
    pub needs_login: bool,
    /// The beta feature that must be enabled for the store.
    pub feature: Option<&'static str>,
    /// Accepts an idempotency key.
    pub idempotent: bool,
    /// Frees more than it writes, and is allowed when a quota is used up.
    pub frees: bool,
    /// Returns the list's version in a header.
    pub returns_version: bool,
    /// Returns rate limit headers.
    pub returns_rate_limit: bool,
    /// Returns a page also with status 404.
    pub has_not_found_page: bool,
}

/// The response with status 200.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    Json(Schema),
    Text(&'static str),
    /// A stream of server-sent events.
    Events,
}

/// The defaults of every description.
pub(crate) const OPERATION: Description = Description {
    id: "",
    tag: "",
    summary: "",
    text: "",
    parameters: &[],
    json: None,
    answer: Answer::Text("text/plain; charset=utf-8"),
    errors: &[],
    needs_login: false,
    feature: None,
    idempotent: false,
    frees: false,
    returns_version: false,
    returns_rate_limit: false,
    has_not_found_page: false,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterIn {
    Query,
    Form,
    Header,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub place: ParameterIn,
    pub kind: Kind,
    pub required: bool,
    pub default: Option<&'static str>,
    pub text: &'static str,
    /// May contain placeholders such as `{lid}`.
    pub example: Option<&'static str>,
}

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Text with a maximum number of characters.
    Text(usize),
    /// ASCII text with a maximum length and no blank at either end.
    Visible(usize),
    /// Text that is accepted and ignored.
    AnyText,
    Pid,
    Regid,
    Sessionid,
    /// A list's id or the key of a link to it.
    List,
    /// An opaque token of this server.
    Token,
    /// A UUID, of the given version if any.
    Uuid(Option<u8>),
    Email,
    /// An e-mail address or a phone number.
    Address,
    Flag,
    /// Minimum and maximum.
    Whole(i64, i64),
    /// Milliseconds since 1970.
    Time,
    /// An epi or empi.
    ProductId,
    Price,
    Word(&'static [&'static str]),
    /// JSON text.
    Json(Schema),
}

const fn parameter(place: ParameterIn, name: &'static str, kind: Kind, text: &'static str) -> Parameter {
    Parameter { name, place, kind, required: false, default: None, text, example: None }
}

pub(crate) const fn form(name: &'static str, kind: Kind, text: &'static str) -> Parameter {
    parameter(ParameterIn::Form, name, kind, text)
}

pub(crate) const fn query(name: &'static str, kind: Kind, text: &'static str) -> Parameter {
    parameter(ParameterIn::Query, name, kind, text)
}

pub(crate) const fn header(name: &'static str, kind: Kind, text: &'static str) -> Parameter {
    parameter(ParameterIn::Header, name, kind, text)
}

impl Parameter {
    pub(crate) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(crate) const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(crate) const fn like(self, example: &'static str) -> Self {
        Self { example: Some(example), ..self }
    }
}

const PID: Parameter = query(
    "pid",
    Kind::Pid,
    "Store ID: 32 bytes in base64. Percent-encode it, because it can contain `+`, `/` and `=`.",
)
.required()
.like("{pid}");
const REGID: Parameter =
    form("regid", Kind::Regid, "Shopper ID. The same email address or device always has the same regid.")
        .required()
        .like("{regid}");
const SESSIONID: Parameter =
    form("sessionid", Kind::Sessionid, "Session ID that authenticates the regid. Valid until it is revoked.")
        .required()
        .like("{sessionid}");
const IDEMPOTENCY_KEY: Parameter = header(
    "idempotency-key",
    Kind::Visible(LONGEST_KEY),
    "Unique key for this request, 1 to 255 ASCII characters. Repeating the key within 24 hours returns the first \
     response and does not run the request again.",
);

pub(crate) const LID: Parameter =
    form("lid", Kind::List, "List ID, or the key of a share link.").required().like("{lid}");
pub(crate) const IF_VERSION: Parameter = form(
    "ifversion",
    Kind::Whole(0, i64::MAX),
    "Version that the list must have. If it has another, the request fails with `version-conflict` and changes nothing.",
);

impl Caller {
    /// Parameters of all of its operations.
    fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Shopper => &[PID, REGID, SESSIONID],
            Self::Browser => &[PID],
            Self::StoreAdmin | Self::Anyone | Self::Monitor => &[],
        }
    }

    /// Errors of all of its operations.
    fn errors(self) -> Vec<Code> {
        let own: &[Code] = match self {
            Self::Shopper => &[Code::UnknownStore, Code::BadRegid],
            Self::Browser => &[Code::UnknownStore],
            Self::StoreAdmin => &[Code::BadApiKey, Code::Forbidden],
            Self::Anyone => return vec![Code::Overloaded],
            Self::Monitor => return Vec::new(),
        };
        let shape = [Code::MissingParameter, Code::InvalidParameter, Code::InvalidContentType, Code::BodyTooLarge];
        [&shape, own, &[Code::Internal, Code::Overloaded, Code::Maintenance]].concat()
    }
}

impl Description {
    /// Operations that accept an idempotency key are writes.
    pub(crate) fn is_write(&self) -> bool {
        self.idempotent
    }

    /// All parameters, in the order in which they are shown.
    pub fn parameters(&self, caller: Caller) -> impl Iterator<Item = &'static Parameter> {
        let key: &[Parameter] = if self.idempotent { &[IDEMPOTENCY_KEY] } else { &[] };
        caller.parameters().iter().chain(self.parameters).chain(key)
    }

    /// All error codes.
    pub fn codes(&self, caller: Caller) -> Vec<Code> {
        let mut codes = caller.errors();
        codes.extend(self.is_write().then_some(Code::OutcomeUnknown));
        codes.extend((self.is_write() && caller == Caller::Shopper).then_some(Code::RateLimited));
        codes.extend(self.needs_login.then_some(Code::UserNotLoggedIn));
        codes.extend(self.feature.map(|_| Code::FeatureNotEnabled));
        let own: Vec<Code> = self.errors.iter().copied().filter(|code| !codes.contains(code)).collect();
        codes.extend(own);
        codes
    }
}
