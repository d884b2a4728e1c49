//! Unusual and hostile values, and generators of more.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts that are known to break parsers, templates and SQL.
pub const TEXTS: &[&str] = &[
    "'; drop table lists; --",
    "\" or \"1\"=\"1",
    "$1",
    "%s%n%x",
    "\\",
    "\\'",
    "?1",
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "a\r\nSet-Cookie: x=1\r\n\r\nbody",
    "a\tb",
    "{{7*7}} ${jndi:ldap://x} <%= 1 %>",
    "../../../etc/passwd",
    "%00%0d%0a",
    "\u{202e}gpj.exe\u{202c}",
    "مرحبا بالعالم",
    "zero\u{200b}width\u{feff}joined\u{200d}",
    "e\u{301}\u{302}\u{303}\u{304} Zalgo\u{336}",
    "👩‍👩‍👧‍👦🛒🇩🇪",
    "İıſßẞﬃ",
    "\u{1}\u{7}\u{1b}[31m\u{7f}\u{85}",
    "\u{2028}line\u{2029}paragraph",
    "\u{e000}\u{fffd}\u{ffff}\u{10ffff}",
    "null",
    "true",
    "a&b=c;d+e",
];

#[rustfmt::skip]
pub const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "-0",
    "+1",
    "1.5",
    "1e3",
    "1e309",
    "-1e309",
    "NaN",
    "Infinity",
    "0x10",
    "１２",
    "9007199254740992",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999999999999999999999999999",
];

#[rustfmt::skip]
pub const SHAPES: &[&str] = &[
    "[]",
    "{}",
    "[[]]",
    "[null]",
    "[{}]",
    "[7]",
    "[\"x\"]",
    "{\"epi\":1}",
    "{\"a\":1",
    "[{\"epi\":1}",
    "[1,]",
    "\"text\"",
    "\"\\ud800\"",
    "[\"\\udc00\\ud800\"]",
    "{\"\\ud800\":1}",
    "[{\"epi\":1,\"empi\":1,\"du\":\"\\ud83d\"}]",
    "[{\"epi\":{\"a\":[]},\"empi\":[],\"du\":7}]",
    "[{\"epi\":1e400,\"empi\":-1,\"du\":\"\"}]",
    "[{\"epi\":\"1' or '1'='1\",\"empi\":\"0x1\",\"du\":\"javascript:alert(1)\"}]",
    "[{\"epi\":1,\"empi\":1,\"du\":\"x\\u0000y\"}]",
    "[{\"epi\":1,\"empi\":1,\"du\":\"x\",\"cprops\":{\"\\u0000\":\"\\u0000\"}}]",
    "[{\"epi\":1,\"empi\":1,\"du\":\"x\",\"qty\":1e400,\"cprops\":[[]],\"clbls\":{},\"note\":7,\"pr\":\"NaN\"}]",
    "[{\"epi\":1,\"empi\":1,\"du\":\"x\",\"pr\":1e-400,\"cprops\":{\"n\":1e400}}]",
    "[{\"epi\":1,\"epi\":2,\"empi\":1,\"du\":\"x\"}]",
    "{\"$serde_json::private::Number\":\"1\"}",
    "[{\"$serde_json::private::Number\":\"x\"}]",
    "[{\"epi\":1,\"empi\":1,\"du\":\"x\",\"cprops\":{\"$serde_json::private::Number\":\"1\"}}]",
    "{\"a\":{\"$serde_json::private::RawValue\":\"}\"}}",
    "[\"backinstock\",7]",
    "[\"nothing\"]",
    "nul",
    "[1 2]",
    "\u{feff}[]",
];

/// Values of fields that are invalid UTF-8, or invalid percent-encoding.
pub const BYTES: &[&[u8]] = &[
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\0",
    b"%ff",
    b"%c3%28",
    b"%ed%a0%80",
    b"%C0%80",
    b"%00",
    b"a%00b",
    b"%",
    b"%z",
    b"%zz",
    b"%u0041",
    b"\r\n",
    b"\x1b",
];

/// All of these as text, and some that are long or deeply nested.
pub fn values() -> Vec<String> {
    let mut out: Vec<String> = [TEXTS, NUMBERS, SHAPES].concat().iter().map(|text| (*text).to_owned()).collect();
    out.extend([" ".to_owned(), "x".repeat(20_000), "🛒".repeat(2_000), "1".repeat(5_000)]);
    out.extend(["[".repeat(100_000), "{\"a\":".repeat(20_000), format!("{}{}", "[".repeat(110), "]".repeat(110))]);
    out
}

pub fn arbitrary_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 30, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::hash_map("epi|empi|du|qty|note|cprops|clbls|pr|dt|\\PC{0,6}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A product with up to three arbitrary fields.
pub fn arbitrary_product() -> impl Strategy<Value = Value> {
    let fields = ["epi", "empi", "du", "qty", "note", "cprops", "clbls", "dt", "iu", "pr", "ct", "vi", "bt", "sku"];
    let change = (proptest::sample::select(fields.to_vec()), arbitrary_json());
    proptest::collection::vec(change, 0..4).prop_map(|changes| {
        let mut product =
            json!({ "epi": 1, "empi": 2, "du": "https://shop.example/p/1", "qty": 3, "cprops": { "a": "b" } });
        for (field, value) in changes {
            product[field] = value;
        }
        product
    })
}
