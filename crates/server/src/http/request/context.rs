//! The context of a request, created when its head arrives.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::header::{HOST, HeaderName, ORIGIN, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Method, Version};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Span;
use wishbone_core::error::{Code, Error, Result};
use wishbone_core::stores::record::StoreRecord;

use crate::api::operation::{Caller, Operation};
use crate::app::{App, LARGE_BODIES_PER_STORE};
use crate::http::clients::client::Arriving;
use crate::http::edge::address::Arrival;
use crate::http::edge::admission::Permit;
use crate::http::response::compression::accepts_gzip;
use crate::limit_key::{ClientAddress, LimitKey};
use crate::slot_limiter::Slot;
use crate::spans;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(crate) struct RequestContext {
    pub(crate) started: Instant,
    pub(crate) id: String,
    pub(crate) method: Method,
    pub(crate) version: Version,
    pub(crate) origin: Option<HeaderValue>,
    /// True if a browser would ask for a password if the call fails.
    pub(crate) asks_for_password: bool,
    pub(crate) operation: Operation,
    /// Disabled if the request is not traced.
    pub(crate) span: Span,
    /// Set once the request is admitted.
    permit: OnceLock<Permit>,
    /// Set once the store is known, if the database is sharded.
    worker: OnceLock<OwnedSemaphorePermit>,
    /// Set once the body is known to be large.
    large_body: OnceLock<Slot<i64>>,
    /// Set if the rest of the body is not read.
    pub(crate) is_cut_off: AtomicBool,
    /// Set once the store is known.
    store: OnceLock<Arc<StoreRecord>>,
    /// Whom limits count, once a shopper is known.
    caller: OnceLock<LimitKey>,
    /// The client's address as a key for limits. `None` if the request did not come over a socket.
    pub(crate) address: Option<ClientAddress>,
    pub(crate) accepts_gzip: bool,
    /// `None` if the request did not come over a socket.
    pub(crate) arriving: Option<Arc<Arriving>>,
}

impl RequestContext {
    pub(crate) fn new(app: &App, operation: Operation, request: &Request) -> Arc<Self> {
        let id = request_id(app, request.headers());
        // Probes and files would be most of the traces of a quiet server.
        let span = match operation.caller {
            Caller::Anyone | Caller::Monitor => Span::none(),
            _ => spans::request(request.method(), operation.path, &id, request.headers()),
        };
        Arc::new(Self {
            started: Instant::now(),
            span,
            id,
            method: request.method().clone(),
            version: request.version(),
            origin: request.headers().get(ORIGIN).cloned(),
            asks_for_password: operation.caller == Caller::StoreAdmin && is_browser(request.headers()),
            operation,
            permit: OnceLock::new(),
            worker: OnceLock::new(),
            large_body: OnceLock::new(),
            is_cut_off: AtomicBool::new(false),
            store: OnceLock::new(),
            caller: OnceLock::new(),
            address: app.proxies.client_key(request.extensions(), request.headers()),
            accepts_gzip: accepts_gzip(request.headers()),
            arriving: request.extensions().get::<Arc<Arriving>>().cloned(),
        })
    }

    /// The context that the observation layer has attached.
    pub(crate) fn of(request: &Request) -> Result<Arc<Self>> {
        let context = request.extensions().get::<Arc<Self>>().cloned();
        context.ok_or_else(|| Error::internal("the request has no context: its route is not observed"))
    }

    /// Admits or rejects the request. Probes are always admitted, so that operators can monitor a busy server.
    pub(crate) fn admit(&self, app: &App, request: &Request) -> Result<()> {
        if self.operation.caller == Caller::Monitor {
            return Ok(());
        }
        // Files and pages do not change.
        if app.is_in_maintenance() && self.operation.caller != Caller::Anyone {
            return Err(Error::new(Code::Maintenance, "server in maintenance: retry after the time in Retry-After"));
        }
        if self.operation.caller == Caller::StoreAdmin && is_cross_site(request.headers()) {
            let message = "a page of another site may not call this: call it from your server";
            return Err(Error::new(Code::Forbidden, message));
        }
        let delay = request.extensions().get::<Arrival>().map_or(Duration::ZERO, |arrival| arrival.delay);
        let permit = app.admission.admit(self.address, delay, self.started)?;
        let _ = self.permit.set(permit);
        Ok(())
    }

    /// Waits until the worker that has the store may serve one more request.
    pub(crate) async fn enter_worker(&self, app: &App, store_id: i64) -> Result<()> {
        if let Some(permit) = app.enter_worker(store_id).await? {
            let _ = self.worker.set(permit);
        }
        Ok(())
    }

    /// Counts the body among the large ones of the store, until the response.
    pub(crate) fn enter_large_body(&self, app: &App, store_id: i64) -> Result<()> {
        let slot = app.large_bodies.acquire(Some(store_id)).ok_or_else(|| {
            let message = format!(
                "a store may send {LARGE_BODIES_PER_STORE} bodies of more than 1 MiB at a time: retry after the time in \
                 Retry-After"
            );
            Error::new(Code::Overloaded, message)
        })?;
        let _ = self.large_body.set(slot);
        Ok(())
    }

    pub(crate) fn permit(&self) -> Option<&Permit> {
        self.permit.get()
    }

    pub(crate) fn store(&self) -> Option<&Arc<StoreRecord>> {
        self.store.get()
    }

    /// Records the store of the request, and rejects the request while that store is in maintenance.
    pub(crate) fn enter_store(&self, store: &Arc<StoreRecord>) -> Result<()> {
        self.note_store(Arc::clone(store));
        if store.settings.maintenance {
            return Err(Error::new(Code::Maintenance, "store in maintenance: retry after the time in Retry-After"));
        }
        Ok(())
    }

    /// Records whom limits count.
    pub(crate) fn enter_caller(&self, caller: LimitKey) {
        let _ = self.caller.set(caller);
    }

    /// Whom limits count: a shopper, a store or a client address. `None` for strangers who did not come over a socket.
    pub(crate) fn limit_key(&self) -> Option<LimitKey> {
        let of_store = || match self.operation.caller {
            Caller::StoreAdmin => self.store().map(|store| LimitKey::Store(store.store_id)),
            _ => None,
        };
        self.caller.get().copied().or_else(of_store).or(self.address.map(LimitKey::Address))
    }

    pub(crate) fn note_store(&self, store: Arc<StoreRecord>) {
        let _ = self.store.set(store);
    }

    /// True if pages from other origins may call the operation.
    pub(crate) fn is_cross_origin(&self) -> bool {
        matches!(self.operation.caller, Caller::Shopper | Caller::Browser)
    }

    pub(crate) fn is_preflight(&self) -> bool {
        self.is_cross_origin() && self.method == Method::OPTIONS && self.origin.is_some()
    }
}

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// All browsers name Mozilla first. Almost all tell about the page that sends the request.
fn is_browser(headers: &HeaderMap) -> bool {
    let agent = headers.get(USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
    headers.contains_key(FETCH_SITE) || agent.starts_with(b"Mozilla/")
}

/// True if a page of another site sends the request, with a password that the browser may have kept.
fn is_cross_site(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    match (text(&FETCH_SITE), headers.get(ORIGIN)) {
        // `none` is an address that the user has typed.
        (Some(site), _) => !matches!(site, "same-origin" | "none"),
        (None, None) => false,
        (None, Some(origin)) => {
            let authority = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, it)| it);
            authority.is_none() || authority != text(&HOST)
        }
    }
}

/// The request id from the header if it is safe to log, else a new one.
fn request_id(app: &App, headers: &HeaderMap) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let is_safe = |id: &&str| {
        (8..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    sent.filter(is_safe).map_or_else(|| app.environment.label().to_string(), str::to_owned)
}
