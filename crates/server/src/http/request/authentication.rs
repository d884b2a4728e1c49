//! Extractors that read and authenticate a request. They check its format first, then its store, then its shopper.
//! Checks of the operation itself (login, feature, parameters) come after.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Uri};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use memchr::memchr2;
use percent_encoding::percent_decode_str;
use wishbone_core::error::{Code, Error};
use wishbone_core::idempotency::IdempotencyKey;
use wishbone_core::identity::caller::{Claim, Shopper};
use wishbone_core::lists::access::{ListRef, ListTarget};
use wishbone_core::stores::admin::StoreAdmin;
use wishbone_core::stores::record::StoreRecord;

use crate::api::operation::{LONGEST_KEY, ParameterIn};
use crate::app::App;
use crate::http::request::body::{read_body, read_body_admitting};
use crate::http::request::context::RequestContext;
use crate::http::request::form::Form;
use crate::http::request::json_body::JsonBody;
use crate::http::response::error::{Failure, Result};
use crate::limit_key::{ClientAddress, LimitKey};

/// A call by a shopper, authenticated.
pub struct ShopperCall {
    pub by: Shopper,
    pub query: Form,
    pub form: Form,
    pub has_user_agent: bool,
    pub idempotency_key: Option<IdempotencyKey>,
    /// The client's address as a key for limits. `None` if the call did not come over a socket.
    pub address: Option<ClientAddress>,
}

impl ShopperCall {
    /// The list named by `lid`.
    pub(crate) fn list(&self, app: &App) -> Result<ListRef> {
        self.list_of(app, "lid")
    }

    /// The list named by `parameter`.
    pub(crate) fn list_of(&self, app: &App, parameter: &str) -> Result<ListRef> {
        Ok(ListRef::parse(&app.keys, &self.by, self.form.required(parameter)?, app.environment.now()))
    }

    /// Whom limits count for this call.
    pub(crate) fn limit_key(&self) -> LimitKey {
        LimitKey::new(&self.by, self.address)
    }

    /// The list to change, with the version that the caller expects.
    pub(crate) fn target(&self, app: &App) -> Result<ListTarget> {
        Ok(ListTarget { list: self.list(app)?, if_version: self.form.count("ifversion")? })
    }
}

impl FromRequest<Arc<App>> for ShopperCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let FormRequest { context, uri, query, form, has_user_agent, idempotency_key } =
            FormRequest::read(request, app).await?;
        let address = context.address;
        let by = authenticate(app, &context, &query, &form).await?;
        context.enter_caller(LimitKey::new(&by, address));
        if let Some(description) = context.operation.description.filter(|it| it.is_write()) {
            app.admit_write(&by, address, description.frees)?;
        }
        app.visits.note(&app.database, &by, app.environment.now()).await;
        let idempotency_key = idempotency_key.map(|key| {
            // A retry may carry new credentials.
            let fields = form.without(&["regid", "sessionid"]);
            IdempotencyKey::of_shopper(&by, &key, &request_parts(uri.path(), &fields), app.environment.now())
        });
        Ok(Self { by, query, form, has_user_agent, idempotency_key, address })
    }
}

/// The shopper identified by pid, regid and sessionid.
async fn authenticate(app: &App, context: &RequestContext, query: &Form, form: &Form) -> Result<Shopper> {
    let (pid, regid) = (pid(query)?, form.get("regid"));
    if app.is_sharded()
        && let Some(regid) = regid.and_then(|regid| app.keys.read_regid(regid))
    {
        context.enter_worker(app, regid.store_id).await?;
    }
    let claim = Claim::look_up(&app.database, &app.keys, &pid, regid, &app.stores).await?;
    context.enter_store(claim.store())?;
    if regid.is_none() {
        return Err(Error::missing("regid").into());
    }
    Ok(claim.prove(&app.database, &app.keys, form.required("sessionid")?).await?)
}

/// A call that identifies only its store.
pub struct BrowserCall {
    pub store: Arc<StoreRecord>,
}

impl FromRequest<Arc<App>> for BrowserCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let FormRequest { context, query, .. } = FormRequest::read(request, app).await?;
        let claim = Claim::look_up(&app.database, &app.keys, &pid(&query)?, None, &app.stores).await?;
        context.enter_store(claim.store())?;
        Ok(Self { store: Arc::clone(claim.store()) })
    }
}

/// A call by the store, authenticated, with form fields.
pub struct AdminCall {
    pub by: StoreAdmin,
    pub form: Form,
    pub idempotency_key: Option<IdempotencyKey>,
}

impl FromRequest<Arc<App>> for AdminCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let headers = request.headers().clone();
        let FormRequest { context, uri, form, idempotency_key, .. } = FormRequest::read(request, app).await?;
        let by = store_admin(app, &headers, &context).await?;
        let idempotency_key = idempotency_key.map(|key| {
            let fields = form.without(&[]);
            IdempotencyKey::of_store(&by, &key, &request_parts(uri.path(), &fields), app.environment.now())
        });
        Ok(Self { by, form, idempotency_key })
    }
}

/// A call by the store, authenticated, with a JSON body.
pub struct AdminJsonCall {
    pub by: StoreAdmin,
    pub body: JsonBody,
    pub idempotency_key: Option<IdempotencyKey>,
}

impl FromRequest<Arc<App>> for AdminJsonCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let context = RequestContext::of(&request)?;
        let headers = request.headers().clone();
        let path = request.uri().path().to_owned();
        let mut by = None;
        // Whose body it is, is found out before much of it is read.
        let admit = async || {
            let by = by.insert(store_admin(app, &headers, &context).await?);
            Ok(context.enter_large_body(app, by.store().store_id)?)
        };
        let body = read_body_admitting(request, app, app.limits.json_bytes, admit).await?;
        if !body.is_empty() {
            require_type(&headers, "application/json")?;
        }
        let idempotency_key = idempotency_key(&headers)?;
        let by = match by {
            Some(by) => by,
            None => store_admin(app, &headers, &context).await?,
        };
        let idempotency_key = idempotency_key
            .map(|key| IdempotencyKey::of_store(&by, &key, &[path.as_bytes(), &body], app.environment.now()));
        // As with forms, an empty body has no parameters.
        let body = if body.is_empty() { Bytes::from_static(b"{}") } else { body };
        Ok(Self { by, body: JsonBody::parse(&body)?, idempotency_key })
    }
}

/// A well-formed form request, not yet authenticated.
struct FormRequest {
    context: Arc<RequestContext>,
    uri: Uri,
    query: Form,
    form: Form,
    has_user_agent: bool,
    idempotency_key: Option<String>,
}

impl FormRequest {
    async fn read(mut request: Request, app: &App) -> Result<Self> {
        let context = RequestContext::of(&request)?;
        let (uri, headers) = (request.uri().clone(), std::mem::take(request.headers_mut()));
        let body = read_body(request, app, app.limits.form_bytes).await?;
        if !body.is_empty() {
            require_type(&headers, "application/x-www-form-urlencoded")?;
        }
        let has_user_agent = headers.get(USER_AGENT).is_some_and(|value| !value.as_bytes().trim_ascii().is_empty());
        let query = Form::parse(uri.query().unwrap_or_default().as_bytes())?;
        let query = query.described_by(&context.operation, ParameterIn::Query);
        let form = Form::parse(&body)?.described_by(&context.operation, ParameterIn::Form);
        let idempotency_key = idempotency_key(&headers)?;
        Ok(Self { context, uri, query, form, has_user_agent, idempotency_key })
    }
}

static IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The value of the header `Idempotency-Key`.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get(&IDEMPOTENCY_KEY) else { return Ok(None) };
    let is_key = |key: &&str| (1..=LONGEST_KEY).contains(&key.len()) && !key.contains('\t');
    match value.to_str().ok().map(str::trim).filter(is_key) {
        Some(key) => Ok(Some(key.to_owned())),
        None => Err(Error::invalid(IDEMPOTENCY_KEY.as_str(), "must have 1 to 255 printable ASCII characters").into()),
    }
}

/// The parts of a request that must be the same in a retry with the same idempotency key.
fn request_parts<'a>(path: &'a str, fields: &'a [(&str, &str)]) -> Vec<&'a [u8]> {
    let fields = fields.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    std::iter::once(path.as_bytes()).chain(fields).collect()
}

fn require_type(headers: &HeaderMap, required: &str) -> Result<()> {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if content_type == required.as_bytes() {
        return Ok(());
    }
    let content_type = str::from_utf8(content_type).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case(required) {
        return Ok(());
    }
    Err(Error::new(Code::InvalidContentType, format!("send the body as `Content-Type: {required}`")).into())
}

/// The store's pid. Accepts a `+` that the client did not encode, or encoded twice.
fn pid(query: &Form) -> Result<Cow<'_, str>> {
    let value = query.required("pid")?;
    if memchr2(b'%', b' ', value.as_bytes()).is_none() {
        return Ok(value.into());
    }
    let pid = percent_decode_str(value).decode_utf8_lossy();
    if pid.contains('\0') {
        // The form rejects it only when encoded once, and PostgreSQL text cannot contain it.
        return Err(Error::invalid("pid", "must not contain the character U+0000").into());
    }
    Ok(pid.trim_end().replace(' ', "+").into())
}

pub(crate) fn pid_of(query: &str) -> Option<String> {
    Some(pid(&Form::parse(query.as_bytes()).ok()?).ok()?.into_owned())
}

async fn store_admin(app: &App, headers: &HeaderMap, context: &RequestContext) -> Result<StoreAdmin> {
    let (pid, key) = basic(headers).ok_or_else(StoreAdmin::bad_api_key)?;
    let by = StoreAdmin::authenticate(&app.database, &pid, &key, app.environment.now()).await?;
    context.enter_store(by.store())?;
    context.enter_worker(app, by.store().store_id).await?;
    Ok(by)
}

/// User and password of `Authorization: Basic`.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let (scheme, encoded) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let encoded = encoded.trim();
    let bytes = STANDARD.decode(encoded).or_else(|_| STANDARD_NO_PAD.decode(encoded)).ok()?;
    let (pid, key) = std::str::from_utf8(&bytes).ok()?.split_once(':')?;
    // No pid contains U+0000, and PostgreSQL text cannot.
    (!pid.contains('\0')).then(|| (pid.to_owned(), key.to_owned()))
}
