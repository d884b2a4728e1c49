//! JSON: records are encoded straight into a buffer; input is parsed leniently about lone surrogates.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::error::{Error, Result};

/// An object that is being written.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> Object<'a> {
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    pub fn close(self) {
        self.out.push(b'}');
    }

    pub fn text(&mut self, key: &str, value: &str) {
        string(self.key(key), value);
    }

    pub fn opt_text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    pub fn int(&mut self, key: &str, value: i64) {
        self.key(key).extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    pub fn flag(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    pub fn uuid(&mut self, key: &str, value: &Uuid) {
        let out = self.key(key);
        out.push(b'"');
        out.extend_from_slice(value.hyphenated().encode_lower(&mut [0; 36]).as_bytes());
        out.push(b'"');
    }

    pub fn null(&mut self, key: &str) {
        self.raw(key, "null");
    }

    /// Writes a value that is already encoded.
    pub fn raw(&mut self, key: &str, json: &str) {
        self.key(key).extend_from_slice(json.as_bytes());
    }

    /// Writes encoded members, such as `"a":1,"b":2`. Returns the offset of their end.
    pub fn fragment(&mut self, members: &(impl AsRef<[u8]> + ?Sized)) -> usize {
        let members = members.as_ref();
        if !members.is_empty() {
            self.comma();
            self.out.extend_from_slice(members);
        }
        self.out.len()
    }

    /// Writes a key, which must need no escaping; the caller writes the value.
    pub fn key(&mut self, key: &str) -> &mut Vec<u8> {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    fn comma(&mut self) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
    }
}

/// Writes an array, one element after the other.
pub fn array<T>(out: &mut Vec<u8>, elements: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (i, element) in elements.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(out, element);
    }
    out.push(b']');
}

pub fn string(out: &mut Vec<u8>, value: &str) {
    // Writing a string into memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// The key by which serde_json (`arbitrary_precision`) represents a number internally: it parses an object that begins with
/// it as a number.
const NUMBER_TOKEN: &str = r#""$serde_json::private::Number""#;

/// Parses JSON from a caller; the error says what is wrong with it. Only for types that take about as much memory as their
/// text, or a text of bounded length; see [`crate::json_parts`].
pub fn parse<T: DeserializeOwned>(text: &str) -> std::result::Result<T, String> {
    refuse_reserved_key(text)?;
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        // JavaScript produces lone surrogates when it cuts a string between the two halves of a character.
        Err(error) if text.contains("\\u") => {
            serde_json::from_str(&replace_lone_surrogates(text)).map_err(|_| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

pub(crate) fn refuse_reserved_key(text: &str) -> std::result::Result<(), String> {
    if text.match_indices(NUMBER_TOKEN).any(|(at, _)| text[..at].trim_end().ends_with('{')) {
        return Err(format!("an object begins with the reserved key {NUMBER_TOKEN}"));
    }
    Ok(())
}

/// Replaces escaped lone surrogates by U+FFFD, as browsers do when they send one in a form.
fn replace_lone_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push('\u{fffd}');
                rest = &escape[6..];
                continue;
            }
            (Some(_), _) => 6,
            // A backslash and the character that it escapes, which may be another backslash.
            (None, _) => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    out.push_str(rest);
    out
}

/// The UTF-16 code unit of a `\uXXXX` at the start of a text.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The members of an object without its braces.
pub(crate) fn members(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(Error::internal)?;
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.map(str::to_owned).ok_or_else(|| Error::internal("only an object has members"))
}

/// Parses the output of [`members`].
pub(crate) fn from_members<T: DeserializeOwned>(members: &str) -> Result<T> {
    serde_json::from_str(&format!("{{{members}}}")).map_err(Error::internal)
}

/// Writes a map of custom fields.
pub(crate) fn encode_properties(map: &Map<String, Value>) -> String {
    let mut out = b"{".to_vec();
    for (i, (key, value)) in map.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        string(&mut out, key);
        out.push(b':');
        let _ = serde_json::to_writer(&mut out, value);
    }
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes an array of encoded records.
pub fn write_records<'r>(out: &mut Vec<u8>, records: impl IntoIterator<Item = &'r [u8]>) {
    array(out, records, |out, record| out.extend_from_slice(record));
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_kept() {
        for (json, text) in [
            (r#""a\ud800b""#, "a\u{fffd}b"),
            (r#""\udc00\ud800""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ude00\ud83d""#, "\u{1f600}\u{fffd}"),
            (r#""\\ud800 \ud800\n""#, "\\ud800 \u{fffd}\n"),
            (r#""\ud800\u0041""#, "\u{fffd}A"),
        ] {
            assert_eq!(parse::<Value>(json), Ok(Value::from(text)), "{json}");
        }
        for bad in [r#""\ud800"#, r#""\ud8""#, r#"\"#, r#""\u""#, r#"["\ud800",]"#, "\\é"] {
            assert!(parse::<Value>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_object_that_would_be_parsed_as_a_number_is_rejected() {
        let error = parse::<Value>(r#"{"a":{"$serde_json::private::Number":"1"}}"#).unwrap_err();
        assert!(error.contains("reserved key"), "{error}");
        for accepted in [
            r#""$serde_json::private::Number""#,
            r#"{"a":1,"$serde_json::private::Number":"1"}"#,
            r#"{"x$serde_json::private::Number":"{\"$serde_json::private::Number\":1"}"#,
        ] {
            assert_eq!(parse::<Value>(accepted).unwrap().to_string(), accepted);
        }
    }
}
