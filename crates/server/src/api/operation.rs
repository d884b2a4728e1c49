//! The words in which an operation is described.

use serde_json::Value;
use wishbone_core::error::Code;

/// The longest idempotency key.
pub(crate) const LONGEST_KEY: usize = 255;

/// Who calls an operation. This decides about cross-origin calls, and which table tests it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Browsers and apps, with a regid and a sessionid.
    Shopper,
    /// Browsers that have no identity yet.
    Browser,
    /// The store's own server, with its API key.
    StoreAdmin,
    /// Anyone who can reach the server: probes and files.
    Anyone,
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

/// Made when it is needed: JSON cannot be a constant.
pub type Schema = fn() -> Value;

/// One operation, but for its path, method and caller, which are the router's.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub id: &'static str,
    pub tag: &'static str,
    pub summary: &'static str,
    /// More of it, in paragraphs; `code` in backticks.
    pub text: &'static str,
    /// Besides what its caller always sends.
    pub takes: &'static [Parameter],
    /// The schema of the body, where it is JSON, and an example.
    pub json: Option<(Schema, &'static str)>,
    pub answer: Answer,
    /// Besides those that every operation of its caller has.
    pub errors: &'static [Code],
    pub needs_login: bool,
    /// The beta feature that a store must have.
    pub feature: Option<&'static str>,
    /// Takes an idempotency key.
    pub once: bool,
    /// Tells the list's version in a header.
    pub tells_version: bool,
    /// Tells in headers how many more such calls there may be.
    pub tells_rate: bool,
    /// What it does not find is a page too.
    pub has_lost_page: bool,
}

/// What comes back with status 200.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    Json(Schema),
    Text(&'static str),
}

/// What all begin with.
pub(crate) const OPERATION: Description = Description {
    id: "",
    tag: "",
    summary: "",
    text: "",
    takes: &[],
    json: None,
    answer: Answer::Text("text/plain; charset=utf-8"),
    errors: &[],
    needs_login: false,
    feature: None,
    once: false,
    tells_version: false,
    tells_rate: false,
    has_lost_page: false,
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
    /// With names of things in braces, such as `{lid}`.
    pub example: Option<&'static str>,
}

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// So many characters at most.
    Text(usize),
    /// So many characters of ASCII at most, no blank at either end.
    Visible(usize),
    /// A text that somebody else made up, and that is not looked at.
    AnyText,
    Pid,
    Regid,
    Sessionid,
    /// A list's id or the key of a link to it.
    List,
    /// Made by us, opaque.
    Token,
    /// Of the given version, if that matters.
    Uuid(Option<u8>),
    Email,
    /// An e-mail address or a phone number.
    Address,
    Flag,
    /// From, to.
    Whole(i64, i64),
    /// Milliseconds since 1970.
    Time,
    /// An epi or empi.
    ProductId,
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
    /// What its operations always take.
    fn takes(self) -> &'static [Parameter] {
        match self {
            Self::Shopper => &[PID, REGID, SESSIONID],
            Self::Browser => &[PID],
            Self::StoreAdmin | Self::Anyone => &[],
        }
    }

    /// How any of its operations may fail.
    fn errors(self) -> Vec<Code> {
        let own: &[Code] = match self {
            Self::Shopper => &[Code::UnknownStore, Code::BadRegid],
            Self::Browser => &[Code::UnknownStore],
            Self::StoreAdmin => &[Code::BadApiKey],
            Self::Anyone => return Vec::new(),
        };
        let shape = [Code::MissingParameter, Code::InvalidParameter, Code::InvalidContentType, Code::BodyTooLarge];
        [&shape, own, &[Code::Internal, Code::Overloaded, Code::Maintenance]].concat()
    }
}

impl Description {
    /// Everything that a call takes, in the order in which it is shown.
    pub fn parameters(&self, caller: Caller) -> impl Iterator<Item = &'static Parameter> {
        let key: &[Parameter] = if self.once { &[IDEMPOTENCY_KEY] } else { &[] };
        caller.takes().iter().chain(self.takes).chain(key)
    }

    /// Every way in which a call may fail.
    pub fn codes(&self, caller: Caller) -> Vec<Code> {
        let mut codes = caller.errors();
        // What takes a key is what changes something.
        codes.extend(self.once.then_some(Code::OutcomeUnknown));
        codes.extend(self.needs_login.then_some(Code::UserNotLoggedIn));
        codes.extend(self.feature.map(|_| Code::FeatureNotEnabled));
        codes.extend(self.errors);
        codes
    }
}
