//! Encodes the calls that only the mix makes.

use serde_json::{Value, json};

use super::guests::Guest;
use crate::http::client::{FORM, encoded, form_request, post};
use crate::speed::calls::{Calls, lid};
use crate::speed::dataset;
use crate::speed::seed::products;

const STOCKS: usize = 10;
const VARIANTS: u64 = dataset::VARIANTS as u64;
const JSON: (&str, &str) = ("content-type", "application/json");

pub(super) fn social_count(calls: &mut Calls<'_>, out: &mut Vec<u8>) {
    let by = calls.shopper();
    let product = dataset::product(calls.variant(by.store)).to_string();
    calls.call(out, "product/wishlist/social-count", by.into(), &["&empi=", &product]);
}

pub(super) fn register(calls: &Calls<'_>, out: &mut Vec<u8>, store: usize) {
    form_request(out, "/api/v3/provider/register", &calls.targets.stores[store].pid, false, &[]);
}

/// The list has the name of every shopper's first list, and becomes part of it at the login.
pub(super) fn create_list(calls: &Calls<'_>, out: &mut Vec<u8>, guest: &Guest) {
    calls.call(out, "lists/create", guest.caller(), &["&lname=List%201"]);
}

/// The login of a guest, which the shop's server reports.
pub(super) fn log_in(calls: &Calls<'_>, out: &mut Vec<u8>, guest: &Guest, shopper: usize) {
    let email = encoded(&dataset::email(&calls.targets.shoppers[shopper].id));
    let body = format!("regid={}&useremail={email}&useragenttype=bench", guest.regid);
    admin_call(calls, out, guest.store, "user/guest-validate-sync", FORM, &body);
}

pub(super) fn feed_stock(calls: &mut Calls<'_>, out: &mut Vec<u8>) {
    let store = calls.shopper().store;
    let stocks: Vec<Value> =
        (0..STOCKS).map(|_| json!({ "epi": calls.variant(store), "stock": calls.rng.below(50) })).collect();
    admin_call(calls, out, store, "inventory/update", JSON, &json!({ "inventory": stocks }).to_string());
}

/// All variants of a product with another price, as the webhook of a shop system sends them.
pub(super) fn feed_product(calls: &mut Calls<'_>, out: &mut Vec<u8>) {
    let store = calls.shopper().store;
    let first = calls.rng.below(calls.targets.stores[store].variants / VARIANTS) * VARIANTS;
    let price = 5 + calls.rng.below(195);
    let variants: Vec<Value> = (first..first + VARIANTS)
        .map(|number| {
            let mut variant = products::product(store, number);
            variant["pr"] = price.into();
            variant
        })
        .collect();
    admin_call(calls, out, store, "products/upsert", JSON, &json!({ "products": variants }).to_string());
}

pub(super) fn subscribe(calls: &mut Calls<'_>, out: &mut Vec<u8>) {
    let by = calls.shopper();
    let epi = calls.variant(by.store);
    let (empi, du) = (dataset::product(epi), encoded(&dataset::url(by.store, epi)));
    let form = format!("&topic=backinstock&medium=email&epi={epi}&empi={empi}&du={du}");
    calls.call(out, "subscriptions/add", by.into(), &[&form]);
}

pub(super) fn share(calls: &mut Calls<'_>, out: &mut Vec<u8>) {
    let list = calls.rng.pick(&calls.targets.paged);
    let by = (&calls.targets.shoppers[list.shopper]).into();
    calls.call(out, "lists/share-links/create", by, &["&lid=", &lid(&list.id)]);
}

fn admin_call(calls: &Calls<'_>, out: &mut Vec<u8>, store: usize, path: &str, content_type: (&str, &str), body: &str) {
    let headers = [content_type, ("authorization", &calls.targets.stores[store].authorization)];
    out.extend_from_slice(&post(&format!("/storeadmin/v3/{path}"), &headers, body));
}
