//! The extractor of the client address, for limits by address.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use crate::app::App;
use crate::http::edge::address::{Arrival, subscriber};

/// `None` for a request that did not come over a socket.
pub(crate) struct Subscriber(pub(crate) Option<IpAddr>);

impl FromRequestParts<Arc<App>> for Subscriber {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        Ok(Self(client_address(app, &parts.extensions, &parts.headers)))
    }
}

pub(crate) fn client_address(app: &App, extensions: &Extensions, headers: &HeaderMap) -> Option<IpAddr> {
    let arrival = extensions.get::<Arrival>();
    arrival.map(|arrival| subscriber(app.proxies.client(arrival.peer, headers)))
}
