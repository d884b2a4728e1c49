//! Writing JSON straight into the answer. Records are put together from fields and from fragments
//! that were encoded when they were stored, which is what makes a page cheap to read.

use serde::Serialize;
use uuid::Uuid;

use crate::{Error, Result};

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

    /// A value that is JSON already.
    pub fn raw(&mut self, key: &str, json: &str) {
        self.key(key).extend_from_slice(json.as_bytes());
    }

    /// `"a":1,"b":2`: members that were encoded before. Answers where they end.
    pub fn fragment(&mut self, members: &str) -> usize {
        if !members.is_empty() {
            self.comma();
            self.out.extend_from_slice(members.as_bytes());
        }
        self.out.len()
    }

    /// Writes a key; the value is up to the caller. Keys are plain words, ours.
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

/// The members of an object without its braces.
pub(crate) fn members(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(value).map_err(Error::internal)?;
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.map(str::to_owned).ok_or_else(|| Error::internal("only an object has members"))
}

/// Reads back what [`members`] made.
pub(crate) fn from_members<T: serde::de::DeserializeOwned>(members: &str) -> Result<T> {
    serde_json::from_str(&format!("{{{members}}}")).map_err(Error::internal)
}
