//! How a request looks to this server, for `wishbone doctor`. Only those who have the signing keys can ask, and the answer
//! proves that the server has them too.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{Extensions, HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use wishbone_core::moment::Millis;
use wishbone_core::tokens::Keys;

use crate::app::App;
use crate::http::edge::address::{Arrival, FORWARDED_FOR};
use crate::http::response::answer::Answer;
use crate::http::response::error;

/// Below the path of the API, which every proxy must pass on.
pub(crate) const PATH: &str = "/api/v3/diagnosis";
pub(crate) const QUESTION: &str = "x-wishbone-diagnosis";
/// Long enough for clocks that differ.
const VALIDITY: Millis = 10 * 60_000;
const NONCE_LENGTH: usize = 16;
/// Headers that proxies add, and `wishbone doctor` does not send.
const PROXY_HEADERS: &[&str] = &["via", "forwarded", "x-forwarded-proto", "x-forwarded-host", "x-real-ip"];

pub(crate) type Nonce = [u8; NONCE_LENGTH];

/// How a request looks to the server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Sighting {
    pub(crate) peer: IpAddr,
    pub(crate) trusts_peer: bool,
    /// The address that limits are counted for.
    pub(crate) client: IpAddr,
    /// The entries of `X-Forwarded-For`.
    pub(crate) forwarded_for: Vec<String>,
    /// True if a proxy has added a header.
    pub(crate) has_proxy_headers: bool,
}

/// The value of the header [`QUESTION`].
pub(crate) fn question(keys: &Keys, now: Millis, nonce: &Nonce) -> String {
    keys.seal(b"diagnosis", &[], &[&now.to_be_bytes()[..], nonce].concat())
}

/// Reads the answer to a question; `None` if it does not come from a server with these keys.
pub(crate) fn read_answer(keys: &Keys, nonce: &Nonce, answer: &str) -> Option<Sighting> {
    serde_json::from_slice(&keys.unseal(b"diagnosis answer", &[nonce], answer)?).ok()
}

/// Does not exist for anyone else.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    extensions: Extensions,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    match answer(&app, &extensions, &headers) {
        Some(sealed) => Answer::object(|answer| answer.text("answer", &sealed)).into_response(),
        None => error::not_found(uri).await.into_response(),
    }
}

fn answer(app: &App, extensions: &Extensions, headers: &HeaderMap) -> Option<String> {
    let question = headers.get(QUESTION)?.to_str().ok()?;
    let body = app.keys.unseal(b"diagnosis", &[], question)?;
    let (time, nonce) = body.split_first_chunk::<8>()?;
    let nonce: &Nonce = nonce.try_into().ok()?;
    let age = app.environment.now().saturating_sub(Millis::from_be_bytes(*time));
    let peer = extensions.get::<Arrival>().filter(|_| age.abs() <= VALIDITY)?.peer.to_canonical();
    let lines = headers.get_all(FORWARDED_FOR).into_iter().flat_map(|line| line.to_str().ok());
    let sighting = Sighting {
        peer,
        trusts_peer: app.proxies.trust(peer),
        client: app.proxies.client(peer, headers),
        forwarded_for: lines.flat_map(|line| line.split(',')).map(|entry| entry.trim().to_owned()).collect(),
        has_proxy_headers: PROXY_HEADERS.iter().any(|name| headers.contains_key(*name)),
    };
    Some(app.keys.seal(b"diagnosis answer", &[nonce], &serde_json::to_vec(&sighting).ok()?))
}
