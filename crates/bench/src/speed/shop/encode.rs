//! Encodes the requests of the mix.

use serde_json::{Value, json};

use super::shares::Call;
use super::source::{Item, Read, Shop, Step};
use crate::http::client::{FORM, encoded, form_request, post};
use crate::speed::calls::lid;
use crate::speed::dataset;
use crate::speed::seed::products;

const STOCKS: usize = 10;
const VARIANTS: u64 = dataset::VARIANTS as u64;

/// The name of every shopper's first list: a guest's list of this name becomes part of it at the login.
const LIST_NAME: &str = "&lname=List%201";

impl Shop<'_> {
    pub(super) fn write(&mut self, out: &mut Vec<u8>, step: &Step) {
        let targets = self.calls.targets;
        match step {
            Step::Call(call) => self.write_call(out, *call),
            Step::Add(Item { list, variant }) => {
                self.calls.add(out, (&targets.shoppers[list.shopper]).into(), &list.id, &[*variant]);
            }
            Step::Remove(Item { list, variant }) => {
                self.calls.remove(out, (&targets.shoppers[list.shopper]).into(), &list.id, *variant);
            }
            Step::Register { store } => {
                form_request(out, "/api/v3/provider/register", &targets.stores[*store].pid, false, &[]);
            }
            Step::CreateList(guest) => self.calls.call(out, "lists/create", guest.caller(), &[LIST_NAME]),
            Step::FirstItem(guest) => self.calls.add(out, guest.caller(), &guest.list, &[guest.variant]),
            Step::LogIn { guest, shopper } => {
                let email = encoded(&dataset::email(&targets.shoppers[*shopper].id));
                let body = format!("regid={}&useremail={email}&useragenttype=bench", guest.regid);
                self.write_admin(out, guest.store, "user/guest-validate-sync", FORM, &body);
            }
            Step::ReadBack { read: Read::Page(list), .. } => self.calls.page(out, list, None),
            Step::ReadBack { by, read: Read::Contains, expectation } => {
                self.calls.contains(out, by.caller(targets), Some(expectation.variant));
            }
        }
    }

    fn write_call(&mut self, out: &mut Vec<u8>, call: Call) {
        let calls = &mut self.calls;
        let targets = calls.targets;
        match call {
            Call::Page => {
                let list = calls.rng.pick(&targets.paged);
                calls.page(out, list, None);
            }
            Call::HotPage => {
                let list = calls.hot_list();
                calls.page(out, list, None);
            }
            Call::FetchLists => calls.fetch_lists(out),
            Call::Contents => calls.contents(out),
            Call::SocialCount => {
                let by = calls.shopper();
                let product = dataset::product(calls.variant(by.store)).to_string();
                calls.call(out, "product/wishlist/social-count", by.into(), &["&empi=", &product]);
            }
            Call::FeedStock => self.write_stock(out),
            Call::FeedProduct => self.write_product(out),
            Call::Subscribe => {
                let by = calls.shopper();
                let epi = calls.variant(by.store);
                let (empi, du) = (dataset::product(epi), encoded(&dataset::url(by.store, epi)));
                let form = format!("&topic=backinstock&medium=email&epi={epi}&empi={empi}&du={du}");
                calls.call(out, "subscriptions/add", by.into(), &[&form]);
            }
            Call::Share => {
                let list = calls.rng.pick(&targets.paged);
                let by = (&targets.shoppers[list.shopper]).into();
                calls.call(out, "lists/share-links/create", by, &["&lid=", &lid(&list.id)]);
            }
            // Those that remain are steps of their own.
            _ => {
                let by = calls.shopper().into();
                calls.contains(out, by, None);
            }
        }
    }

    fn write_stock(&mut self, out: &mut Vec<u8>) {
        let store = self.calls.shopper().store;
        let stocks: Vec<Value> = (0..STOCKS)
            .map(|_| json!({ "epi": self.calls.variant(store), "stock": self.calls.rng.below(50) }))
            .collect();
        self.write_admin(out, store, "inventory/update", JSON, &json!({ "inventory": stocks }).to_string());
    }

    /// All variants of a product with another price, as the webhook of a shop system sends them.
    fn write_product(&mut self, out: &mut Vec<u8>) {
        let store = self.calls.shopper().store;
        let first = self.calls.rng.below(self.calls.targets.stores[store].variants / VARIANTS) * VARIANTS;
        let price = 5 + self.calls.rng.below(195);
        let variants: Vec<Value> = (first..first + VARIANTS)
            .map(|number| {
                let mut variant = products::product(store, number);
                variant["pr"] = price.into();
                variant
            })
            .collect();
        self.write_admin(out, store, "products/upsert", JSON, &json!({ "products": variants }).to_string());
    }

    fn write_admin(&self, out: &mut Vec<u8>, store: usize, path: &str, content_type: (&str, &str), body: &str) {
        let headers = [content_type, ("authorization", &self.calls.targets.stores[store].authorization)];
        out.extend_from_slice(&post(&format!("/storeadmin/v3/{path}"), &headers, body));
    }
}

const JSON: (&str, &str) = ("content-type", "application/json");
