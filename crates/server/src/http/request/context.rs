//! The context of a request, created when its head arrives.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::header::{HeaderName, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method, Version};
use wishbone_core::error::{Code, Error, Result};
use wishbone_core::stores::record::StoreRecord;

use crate::api::operation::{Caller, Operation};
use crate::app::App;
use crate::http::edge::address::Arrival;
use crate::http::edge::admission::Permit;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(crate) struct RequestContext {
    pub(crate) started: Instant,
    pub(crate) id: String,
    pub(crate) method: Method,
    pub(crate) version: Version,
    pub(crate) origin: Option<HeaderValue>,
    pub(crate) operation: Operation,
    /// Set once the request is admitted.
    permit: OnceLock<Permit>,
    /// Set once the store is known.
    store: OnceLock<Arc<StoreRecord>>,
}

impl RequestContext {
    pub(crate) fn new(app: &App, operation: Operation, request: &Request) -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            id: request_id(app, request.headers()),
            method: request.method().clone(),
            version: request.version(),
            origin: request.headers().get(ORIGIN).cloned(),
            operation,
            permit: OnceLock::new(),
            store: OnceLock::new(),
        })
    }

    /// The context that the observation layer has attached.
    pub(crate) fn of(request: &Request) -> Result<Arc<Self>> {
        let context = request.extensions().get::<Arc<Self>>().cloned();
        context.ok_or_else(|| Error::internal("the request has no context: its route is not observed"))
    }

    /// Admits or rejects the request. Probes and files are always admitted, so that operators can monitor a busy server.
    pub(crate) fn admit(&self, app: &App, request: &Request) -> Result<()> {
        if self.operation.caller == Caller::Anyone {
            return Ok(());
        }
        if app.is_in_maintenance() {
            return Err(Error::new(Code::Maintenance, "server in maintenance: retry after the time in Retry-After"));
        }
        let delay = request.extensions().get::<Arrival>().map_or(Duration::ZERO, |arrival| arrival.delay);
        let permit = app.admission.admit(delay, self.started)?;
        let _ = self.permit.set(permit);
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

/// The request id from the header if it is safe to log, else a new one.
fn request_id(app: &App, headers: &HeaderMap) -> String {
    let sent = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let is_safe = |id: &&str| {
        (8..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    sent.filter(is_safe).map_or_else(|| app.environment.label().to_string(), str::to_owned)
}
