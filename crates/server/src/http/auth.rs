//! Extractors that yield a caller. They read the request once, and check it in this order: its shape,
//! its store, its shopper. What an operation checks itself (login, feature, parameters) comes after.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use axum::http::{HeaderMap, Uri};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use http_body::Body;
use http_body_util::BodyExt;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use wishbone_core::access::{ListRef, ListTarget};
use wishbone_core::caller::{Claim, Shopper, StoreAdmin};
use wishbone_core::once::OnceKey;
use wishbone_core::stores::StoreRecord;
use wishbone_core::{Code, Error, json};

use super::Operation;
use super::error::{Failure, Result};
use super::form::Form;
use super::gate::Ticket;
use crate::app::App;
use crate::memory::Memories;
use crate::openapi::Place;

/// A body that is too large is read on to this many times its limit, so that the caller gets to read
/// the answer instead of a broken connection.
const DRAIN: usize = 8;

/// Tells the layer around the handler which store a request turned out to be about.
#[derive(Clone, Default)]
pub struct SeenStore(pub Arc<OnceLock<Arc<StoreRecord>>>);

/// A call of a shopper: who it is, and what was sent.
pub struct ShopperCall {
    pub by: Shopper,
    pub query: Form,
    pub form: Form,
    /// The header of that name.
    pub user_agent: Option<String>,
    pub once: Option<OnceKey>,
}

impl ShopperCall {
    /// The list that the call names.
    pub(super) fn list(&self, app: &App) -> Result<ListRef> {
        self.list_of(app, "lid")
    }

    /// The list that one of several parameters names.
    pub(super) fn list_of(&self, app: &App, parameter: &str) -> Result<ListRef> {
        Ok(ListRef::parse(&app.keys, &self.by, self.form.required(parameter)?, app.world.now()))
    }

    /// The list that the call is to change.
    pub(super) fn target(&self, app: &App) -> Result<ListTarget> {
        Ok(ListTarget { list: self.list(app)?, if_version: self.form.count("ifversion")? })
    }
}

impl FromRequest<Arc<App>> for ShopperCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        Self::of(Said::read(request, app.limits.form_bytes).await?, app, app.memories()).await
    }
}

impl ShopperCall {
    pub(super) async fn of(said: Said, app: &App, memories: Option<Memories<'_>>) -> Result<Self> {
        let (shape, seen) = said.forms()?;
        let by = shopper(app, memories, &shape, &seen).await?;
        app.visits.note(&app.store, &by, app.world.now()).await;
        let once = shape.once.as_deref().map(|key| {
            // A call that is sent again may have been given new credentials in between.
            let said = shape.form.without(&["regid", "sessionid"]);
            OnceKey::of_shopper(&by, key, &request_parts(&shape.path, &said), app.world.now())
        });
        Ok(Self { by, query: shape.query, form: shape.form, user_agent: shape.user_agent, once })
    }
}

/// Who calls, if that was proved.
async fn shopper(app: &App, memories: Option<Memories<'_>>, shape: &Shape, seen: &SeenStore) -> Result<Shopper> {
    let pid = pid(&shape.query)?;
    let (regid, sessionid) = (shape.form.get("regid"), shape.form.get("sessionid"));
    let proof = || [&pid, regid.unwrap_or_default(), sessionid.unwrap_or_default()].map(Box::from);
    if let Some(known) = memories.and_then(|memories| memories.callers().get(&proof())) {
        open_store(seen, known.store())?;
        return Ok(known);
    }
    let stores = memories.map(|memories| memories.stores());
    let claim = Claim::look_up(&app.store, &app.keys, &pid, regid, stores).await?;
    open_store(seen, claim.store())?;
    if regid.is_none() {
        return Err(Error::missing("regid").into());
    }
    let by = claim.prove(&app.store, &app.keys, shape.form.required("sessionid")?).await?;
    if let Some(memories) = memories {
        memories.callers().keep(proof(), memories.since, by.clone());
    }
    Ok(by)
}

/// A call that names only its store.
pub struct BrowserCall {
    pub store: Arc<StoreRecord>,
}

impl FromRequest<Arc<App>> for BrowserCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let (shape, seen) = Said::read(request, app.limits.form_bytes).await?.forms()?;
        let claim = Claim::look_up(&app.store, &app.keys, &pid(&shape.query)?, None, None).await?;
        open_store(&seen, claim.store())?;
        Ok(Self { store: Arc::clone(claim.store()) })
    }
}

/// A call of the store itself, with form fields.
pub struct AdminCall {
    pub by: StoreAdmin,
    pub form: Form,
    pub once: Option<OnceKey>,
}

impl FromRequest<Arc<App>> for AdminCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let headers = request.headers().clone();
        let (shape, seen) = Said::read(request, app.limits.form_bytes).await?.forms()?;
        let by = store_admin(app, &headers, &seen).await?;
        let once = shape.once.as_deref().map(|key| {
            let said = shape.form.without(&[]);
            OnceKey::of_store(&by, key, &request_parts(&shape.path, &said), app.world.now())
        });
        Ok(Self { by, form: shape.form, once })
    }
}

/// A call of the store itself, with a JSON body.
pub struct AdminJsonCall {
    pub by: StoreAdmin,
    pub body: Value,
    pub once: Option<OnceKey>,
}

impl FromRequest<Arc<App>> for AdminJsonCall {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self> {
        let headers = request.headers().clone();
        let seen = seen(&request);
        let path = request.uri().path().to_owned();
        let body = read_body(request, app.limits.json_bytes).await?;
        if !body.is_empty() {
            require_type(&headers, "application/json")?;
        }
        let once = once_key(&headers)?;
        let by = store_admin(app, &headers, &seen).await?;
        let once = once.map(|key| OnceKey::of_store(&by, &key, &[path.as_bytes(), &body], app.world.now()));
        let text = std::str::from_utf8(&body).map_err(|_| Error::invalid("the body", "must be UTF-8"))?;
        let body = json::parse(text).map_err(|error| Error::invalid("the body", format!("must be JSON ({error})")))?;
        Ok(Self { by, body, once })
    }
}

/// What a form request says, before anyone is asked who sent it.
struct Shape {
    path: String,
    query: Form,
    form: Form,
    user_agent: Option<String>,
    once: Option<String>,
}

/// The longest idempotency key.
pub(crate) const LONGEST_KEY: usize = 255;
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The caller's own name for this call, if it has one.
fn once_key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let is_key = |key: &&str| (1..=LONGEST_KEY).contains(&key.len()) && !key.contains('\t');
    match value.to_str().ok().map(str::trim).filter(is_key) {
        Some(key) => Ok(Some(key.to_owned())),
        None => Err(Error::invalid(IDEMPOTENCY_KEY, "must have 1 to 255 printable characters of ASCII").into()),
    }
}

/// What a call says, for telling whether another says the same.
fn request_parts<'a>(path: &'a str, said: &'a [(&str, &str)]) -> Vec<&'a [u8]> {
    let fields = said.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    std::iter::once(path.as_bytes()).chain(fields).collect()
}

fn seen(request: &Request) -> SeenStore {
    request.extensions().get::<SeenStore>().cloned().unwrap_or_default()
}

/// A form request as it came.
#[derive(Clone)]
pub(super) struct Said {
    uri: Uri,
    pub(super) headers: HeaderMap,
    body: Bytes,
    pub(super) seen: SeenStore,
    /// Known in debug builds.
    operation: Option<Operation>,
}

impl Said {
    pub(super) async fn read(mut request: Request, limit: usize) -> Result<Self> {
        let seen = seen(&request);
        let operation = request.extensions().get::<Operation>().copied();
        let (uri, headers) = (request.uri().clone(), std::mem::take(request.headers_mut()));
        let body = read_body(request, limit).await?;
        if !body.is_empty() {
            require_type(&headers, "application/x-www-form-urlencoded")?;
        }
        Ok(Self { uri, headers, body, seen, operation })
    }

    /// What is checked in a call whose answer is known already.
    pub(super) fn check_key(&self) -> Result<()> {
        once_key(&self.headers).map(drop)
    }

    /// Query and body, which cannot be confused: there is no line feed in a query.
    pub(super) fn bytes(&self) -> Box<[u8]> {
        [self.uri.query().unwrap_or_default().as_bytes(), &self.body].join(&b'\n').into()
    }

    fn forms(self) -> Result<(Shape, SeenStore)> {
        let headers = &self.headers;
        // Not every agent keeps to ASCII; what it calls itself matters less than that it does.
        let user_agent =
            headers.get(USER_AGENT).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned());
        let user_agent = user_agent.filter(|value| !value.is_empty());
        let query = Form::parse(self.uri.query().unwrap_or_default().as_bytes())?;
        let query = query.described_by(self.operation, Place::Query);
        let form = Form::parse(&self.body)?.described_by(self.operation, Place::Form);
        let once = once_key(headers)?;
        Ok((Shape { path: self.uri.path().to_owned(), query, form, user_agent, once }, self.seen))
    }
}

pub(super) async fn read_body(request: Request, limit: usize) -> Result<Bytes> {
    let ticket = request.extensions().get::<Ticket>().cloned();
    let mut body = request.into_body();
    // One that says how long it is, and is too long to be read to its end, is not waited for.
    let promised = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let (mut out, mut length) = (Vec::new(), if promised > limit * DRAIN { promised } else { 0 });
    while length <= limit * DRAIN
        && let Some(frame) = body.frame().await
    {
        let frame = frame.map_err(|_| Error::invalid("the body", "could not be read to its end"))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length <= limit {
            if let Some(ticket) = &ticket {
                ticket.hold_body(length)?;
            }
            out.extend_from_slice(&data);
        }
    }
    if length > limit {
        return Err(Error::new(
            Code::BodyTooLarge,
            format!("the body must have at most {limit} bytes: send less at once"),
        )
        .into());
    }
    if let Some(ticket) = &ticket {
        ticket.enter()?;
    }
    Ok(out.into())
}

fn require_type(headers: &HeaderMap, wanted: &str) -> Result<()> {
    let sent = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = sent.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    Err(Error::new(Code::InvalidContentType, format!("send the body as `Content-Type: {wanted}`")).into())
}

/// The store's id. Clients forget to encode its `+`, or encode it twice.
fn pid(query: &Form) -> Result<String> {
    let sent = query.required("pid")?;
    let pid = if sent.contains('%') { percent_decode_str(sent).decode_utf8_lossy() } else { sent.into() };
    if pid.contains('\0') {
        // The form was checked for it, but not what was encoded twice; PostgreSQL takes no such text.
        return Err(Error::invalid("pid", "must not contain the character U+0000").into());
    }
    Ok(pid.trim_end().replace(' ', "+"))
}

pub(super) fn pid_of(query: &str) -> Option<String> {
    pid(&Form::parse(query.as_bytes()).ok()?).ok()
}

async fn store_admin(app: &App, headers: &HeaderMap, seen: &SeenStore) -> Result<StoreAdmin> {
    let (pid, key) = basic(headers).ok_or_else(StoreAdmin::refused)?;
    let by = StoreAdmin::authenticate(&app.store, &pid, &key).await?;
    open_store(seen, by.store())?;
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
    // A pid with U+0000 is no pid, and not every engine can be asked for it.
    (!pid.contains('\0')).then(|| (pid.to_owned(), key.to_owned()))
}

pub(super) fn open_store(seen: &SeenStore, store: &Arc<StoreRecord>) -> Result<()> {
    let _ = seen.0.set(Arc::clone(store));
    if store.settings.maintenance {
        return Err(Error::new(Code::Maintenance, "this store is offline for maintenance: try again later").into());
    }
    Ok(())
}
