//! What must hold for any bytes. The fuzz targets look for some for which it does not; an ordinary test tries those that
//! were found before (`corpus/`).

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use wishbone_core::items::input::{Action, ItemInputs};
use wishbone_core::mail::recipients::Recipient;
use wishbone_core::tokens::{Keys, Regid, RegidKind, ShopperId};
use wishbone_server::http::request::form::Form;

/// A body is a form or is refused; a form that is encoded again is the same form.
pub fn form(bytes: &[u8]) {
    let form = match Form::parse(bytes) {
        Ok(form) => form,
        Err(error) => return assert!(error.message.chars().count() < 200, "{error}"),
    };
    let fields = form.without(&[]);
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let body: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    let again = Form::parse(body.join("&").as_bytes()).unwrap();
    for (name, value) in &fields {
        assert_eq!(form.get(name), Some(*value).filter(|value| !value.is_empty()));
        assert_eq!(form.get(name), again.get(name));
    }
    // A field without a name and a value is none.
    let named = |fields: &[(&str, &str)]| fields.iter().filter(|field| **field != ("", "")).count();
    assert_eq!(named(&fields), named(&again.without(&[])));
    for (name, _) in fields {
        let _ = (form.flag(name), form.int(name), form.count(name), form.text(name, 10));
    }
}

/// Products are items or are refused, each in its place. What an item says of itself is JSON, and adding just that gives
/// the same item.
pub fn products(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for action in [Action::Add, Action::Update, Action::Delete] {
        let Ok(inputs) = ItemInputs::parse(action, "items", text) else { return };
        let described = inputs.described().unwrap();
        assert_eq!(described.len(), inputs.len());
        for element in described {
            let value: Value = serde_json::from_slice(&element).unwrap();
            if value["hasError"] == true {
                assert!(!value["msg"].as_str().unwrap().is_empty());
                continue;
            }
            let again =
                ItemInputs::parse(action, "items", &format!("[{}]", String::from_utf8(element.clone()).unwrap()));
            assert_eq!(again.unwrap().described().unwrap(), [element]);
        }
    }
}

/// Any text is a token of ours or none; one that is accepted is, letter by letter, the one that we would make, and with
/// one letter changed it is none.
pub fn tokens(bytes: &[u8]) {
    let keys = Keys::new(&[vec![7; 32], vec![8; 32]]).unwrap();
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Some(regid) = keys.read_regid(text) {
            assert_eq!(keys.regid(regid), text);
        }
        if let Some(body) = keys.unseal(b"share link", &[b"1"], text) {
            assert_eq!(keys.seal(b"share link", &[b"1"], &body), text);
        }
        if let Some(recipient) = Recipient::of_token(&keys, text) {
            assert_eq!(recipient.token(&keys), text);
        }
        let nobody = Regid { kind: RegidKind::LoggedIn, store_id: 1, shopper: ShopperId([0; 16]), generation: 0 };
        assert!(!keys.accepts_sessionid(text, &nobody, 0, 0) || keys.sessionid(&nobody, 0, 0) == text);
    }
    let Some((number, body)) = bytes.split_first() else { return };
    let token = keys.seal(b"share link", &[b"1"], body);
    assert_eq!(keys.unseal(b"share link", &[b"1"], &token).as_deref(), Some(body));
    assert_eq!(keys.unseal(b"share link", &[b"2"], &token), None);
    assert_eq!(keys.unseal(b"recipient", &[b"1"], &token), None);
    let mut changed = token.clone().into_bytes();
    let at = usize::from(*number) % changed.len();
    changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
    assert_eq!(keys.unseal(b"share link", &[b"1"], std::str::from_utf8(&changed).unwrap()), None);
}
