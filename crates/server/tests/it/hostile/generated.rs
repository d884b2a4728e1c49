//! Requests that a generator makes up.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use wishbone_core::error::Code;
use wishbone_core::items::input::{Action, ItemInputs};
use wishbone_server::http::request::form::Form;

use super::{assert_sane, every_call};
use crate::support::{Call, arbitrary_json, arbitrary_product, encode_form, property, runner};

both_engines! {
    async fn no_form_body_breaks_an_operation(app: TestApp) {
        let all = every_call(&app).await;
        let pick = [
            "/api/v3/lists/create",
            "/api/v3/lists/update-ctx",
            "/api/v3/lists/fetch-user-list",
            "/storeadmin/bispa/subscriptions/create",
        ];
        let picked: Vec<Call> = all.into_iter().filter(|call| pick.contains(&call.path)).collect();
        let bytes = proptest::collection::vec(any::<u8>(), 0..300);
        let name = prop_oneof![
            "lid|lname|lty|lnote|lprops|a|u|d|items|itemslimit|next|sortby|products|topics|medium",
            "\\PC{0,8}"
        ];
        let fields = proptest::collection::vec(
            (name, prop_oneof!["\\PC{0,60}".boxed(), arbitrary_json().prop_map(|v| v.to_string()).boxed()]),
            0..6,
        );
        let strategy = (0..picked.len(), prop_oneof![bytes.prop_map(Part::Raw), fields.prop_map(Part::Fields)]);
        let mut runner = runner(300);
        let run = || {
            runner.run(&strategy, |(which, part)| {
                let call = &picked[which];
                let body = match &part {
                    Part::Raw(bytes) => [call.form().as_bytes(), b"&", bytes].concat(),
                    Part::Fields(fields) => {
                        let named: BTreeSet<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                        let base = named.iter().fold(call.clone(), |call, name| call.without(name));
                        let fields: Vec<(&str, &str)> =
                            fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                        format!("{}&{}", base.form(), encode_form(&fields)).into_bytes()
                    }
                };
                let reply = Handle::current().block_on(call.send_body(&app.router, body));
                assert_sane(&reply, &|| format!("{} {part:?}", call.path));
                Ok(())
            })
        };
        block_in_place(run).unwrap();
    }

    async fn any_product_is_taken_or_refused_in_its_place(app: TestApp) {
        let ann = app.shopper("ann").await;
        let lid = ann.list("Mine").await;
        let strategy = proptest::collection::vec(arbitrary_product(), 1..6);
        let mut runner = runner(200);
        let run = || {
            runner.run(&strategy, |products| {
                let text = Value::from(products.clone()).to_string();
                let reply = Handle::current().block_on(ann.post("lists/update-ctx", &[("lid", &lid), ("a", &text)]));
                assert_sane(&reply, &|| text.clone());
                let body = reply.ok();
                let results = body["a"].as_array().unwrap();
                prop_assert_eq!(results.len(), products.len());
                for result in results {
                    let failed = result["hasError"] == json!(true);
                    prop_assert!(failed != result["id"].is_string(), "{}", result);
                    if failed {
                        prop_assert!(
                            ["invalid-item", "too-many-labels"].contains(&result["error-code"].as_str().unwrap()),
                            "{}",
                            result
                        );
                    }
                }
                Ok(())
            })
        };
        block_in_place(run).unwrap();
    }
}

/// What a generated request adds to a good one.
#[derive(Clone, Debug)]
enum Part {
    Raw(Vec<u8>),
    Fields(Vec<(String, String)>),
}

fn any_text() -> impl Strategy<Value = String> {
    let nearly_json = "[\\[\\]{}\":,0-9a-z\\\\. -]{0,80}";
    prop_oneof![any::<String>(), nearly_json, arbitrary_json().prop_map(|value| value.to_string())]
}

proptest! {
    #![proptest_config(property(400))]

    #[test]
    fn any_text_is_products_or_an_invalid_parameter(text in any_text()) {
        for action in [Action::Add, Action::Update, Action::Delete] {
            match ItemInputs::parse(action, "items", &text) {
                Ok(inputs) => prop_assert!((1..=500).contains(&inputs.len())),
                Err(error) => {
                    prop_assert_eq!(error.code, Code::InvalidParameter);
                    prop_assert!(error.message.starts_with("items "), "{}", error.message);
                    prop_assert!(error.message.len() < 500, "{}", error.message);
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_a_form_or_an_invalid_parameter(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        if let Err(error) = Form::parse(&bytes) {
            prop_assert_eq!(error.code, Code::InvalidParameter);
        }
    }

    #[test]
    fn encoded_forms_are_decoded_to_the_same_fields(
        fields in proptest::collection::hash_map("[^\0]{1,20}", "[^\0]{1,50}", 0..10)
    ) {
        let pairs: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let form = Form::parse(encode_form(&pairs).as_bytes()).unwrap();
        for (name, value) in pairs {
            prop_assert_eq!(form.get(name), Some(value));
        }
    }

    #[test]
    fn products_are_read_element_by_element(products in proptest::collection::vec(arbitrary_product(), 1..20)) {
        let text = Value::from(products.clone()).to_string();
        for action in [Action::Add, Action::Update, Action::Delete] {
            prop_assert_eq!(ItemInputs::parse(action, "a", &text).unwrap().len(), products.len());
        }
    }
}

#[test]
fn a_hundred_thousand_levels_of_json_are_refused() {
    for text in ["[".repeat(100_000), "{\"a\":".repeat(100_000), format!("[{}]", "[".repeat(100_000))] {
        let error = ItemInputs::parse(Action::Add, "a", &text).unwrap_err();
        assert_eq!(error.code, Code::InvalidParameter);
    }
}
