//! Rate limits of operations, per shopper and per client address.

use axum::response::{IntoResponse, Response};
use wishbone_core::identity::caller::Shopper;

use crate::app::App;
use crate::http::edge::rate_limit::Rate;
use crate::http::response::error::{Failure, Result};
use crate::limit_key::ClientAddress;

/// Runs `work` unless the shopper or the address calls too often. The response tells how much is left.
pub(crate) async fn limited<T: IntoResponse>(
    app: &App,
    by: &Shopper,
    address: Option<ClientAddress>,
    work: impl Future<Output = Result<T>>,
) -> Response {
    let (store, now) = (by.store(), app.environment.now());
    let mut verdict = app.rates.take(by.fingerprint(), Rate::per_second(store.settings.rate_limit), now);
    let mut who = "a shopper may call this";
    if let (true, Some(address)) = (verdict.allowed, address) {
        let rate = Rate::per_second(store.settings.address_rate_limit);
        verdict = verdict.stricter(app.address_rates.take((store.store_id, address), rate, now));
        who = "an address may call this";
    }
    let mut response = match verdict.require(who, "times a second") {
        Ok(()) => work.await.into_response(),
        Err(error) => Failure(error).into_response(),
    };
    verdict.write(response.headers_mut());
    response
}
