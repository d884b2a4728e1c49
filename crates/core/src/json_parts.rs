//! Takes a caller's JSON apart. A parsed `Value` takes up to fifty times the memory of its text, so a text of a caller is
//! not parsed as a whole: its parts stay text, and each is parsed to what is kept of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json;

/// The elements of an array.
#[derive(Debug)]
pub struct Elements<'a> {
    pub first: Vec<&'a RawValue>,
    /// Of all elements.
    pub count: usize,
}

/// Reads an array. Elements after the first `most` are only counted.
pub fn elements(json: &str, most: usize) -> Result<Elements<'_>, String> {
    json::refuse_reserved_key(json)?;
    let mut parser = serde_json::Deserializer::from_str(json);
    let elements = parser.deserialize_seq(ArrayVisitor { most });
    elements.and_then(|elements| parser.end().map(|()| elements)).map_err(|error| error.to_string())
}

struct ArrayVisitor {
    most: usize,
}

impl<'a> Visitor<'a> for ArrayVisitor {
    type Value = Elements<'a>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut array: A) -> Result<Elements<'a>, A::Error> {
        let mut first = Vec::new();
        while first.len() < self.most {
            match array.next_element()? {
                Some(element) => first.push(element),
                None => return Ok(Elements { count: first.len(), first }),
            }
        }
        let mut count = first.len();
        while array.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(Elements { first, count })
    }
}

/// The members of an object, in their order. A name may occur several times.
#[derive(Debug)]
pub struct Members<'a> {
    pub first: Vec<(Cow<'a, str>, &'a RawValue)>,
    /// Of all members.
    pub count: usize,
}

/// Reads an object. Members after the first `most` are only counted.
pub fn members(json: &str, most: usize) -> Result<Members<'_>, String> {
    let mut members = Members { first: Vec::new(), count: 0 };
    each_member(json, |name, value| {
        if members.count < most {
            members.first.push((name, value));
        }
        members.count += 1;
    })?;
    Ok(members)
}

/// The number of elements or members; 0 of anything else.
pub fn count(json: &str) -> usize {
    let elements = elements(json, 0).map(|elements| elements.count);
    elements.or_else(|_| members(json, 0).map(|members| members.count)).unwrap_or_default()
}

/// Members with names that are known. Of several with the same name, the last.
#[derive(Debug)]
pub(crate) struct NamedMembers<'a>(Vec<(&'static str, &'a RawValue)>);

impl<'a> NamedMembers<'a> {
    /// Reads the members that have one of the names; `None` if the JSON is not an object.
    pub(crate) fn read(json: &'a str, names: &[&'static str]) -> Result<Option<Self>, String> {
        if !is_object(json) {
            return Ok(None);
        }
        let mut found: Vec<(&'static str, &'a RawValue)> = Vec::new();
        each_member(json, |name, value| {
            let Some(name) = names.iter().find(|known| **known == name) else { return };
            match found.iter_mut().find(|(known, _)| known == name) {
                Some(member) => member.1 = value,
                None => found.push((name, value)),
            }
        })?;
        Ok(Some(Self(found)))
    }

    /// A member; `null` counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let (_, value) = self.0.iter().find(|(known, value)| *known == name && value.get() != "null")?;
        Some(value)
    }

    /// All members, each as [`flat`] has it.
    pub(crate) fn flat(&self) -> Result<Map<String, Value>, String> {
        self.0.iter().map(|(name, value)| Ok(((*name).to_owned(), flat(value)?))).collect()
    }
}

/// Parses a text, a number, a flag or `null`. Of an array or an object remains only what it is: it comes empty.
pub fn flat(part: &RawValue) -> Result<Value, String> {
    match part.get() {
        array if is_array(array) => Ok(Value::Array(Vec::new())),
        object if is_object(object) => Ok(Value::Object(Map::new())),
        text => json::parse(text),
    }
}

pub fn is_array(json: &str) -> bool {
    json.trim_ascii_start().starts_with('[')
}

pub fn is_object(json: &str) -> bool {
    json.trim_ascii_start().starts_with('{')
}

fn each_member<'a>(json: &'a str, each: impl FnMut(Cow<'a, str>, &'a RawValue)) -> Result<(), String> {
    json::refuse_reserved_key(json)?;
    let mut parser = serde_json::Deserializer::from_str(json);
    let read = parser.deserialize_map(ObjectVisitor(each)).and_then(|()| parser.end());
    read.map_err(|error| error.to_string())
}

struct ObjectVisitor<F>(F);

impl<'a, F: FnMut(Cow<'a, str>, &'a RawValue)> Visitor<'a> for ObjectVisitor<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut object: A) -> Result<(), A::Error> {
        while let Some((name, value)) = object.next_entry::<&'a RawValue, &'a RawValue>()? {
            (self.0)(decoded(name.get()).map_err(serde::de::Error::custom)?, value);
        }
        Ok(())
    }
}

/// The name of a member.
fn decoded(quoted: &str) -> Result<Cow<'_, str>, String> {
    match quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(name) if !name.contains('\\') => Ok(Cow::Borrowed(name)),
        _ => json::parse(quoted).map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_after_the_first_are_counted_and_must_be_json() {
        let read = |json, most| {
            elements(json, most).map(|Elements { first, count }| {
                (first.iter().map(|element| element.get().to_owned()).collect::<Vec<_>>().join(" "), count)
            })
        };
        for (json, most, expected) in [
            (" [ ] ", 2, ("", 0)),
            ("[1, [2,3] ]", 2, ("1 [2,3]", 2)),
            (r#"["\ud800",{"a":1},3,4]"#, 2, (r#""\ud800" {"a":1}"#, 4)),
            ("[1,2]", 0, ("", 2)),
        ] {
            assert_eq!(read(json, most), Ok((expected.0.to_owned(), expected.1)), "{json}");
        }
        for bad in ["", "{}", "5", "[1,2,3,]", "[1,2,3", "[1,2,3]]", r#"[{"$serde_json::private::Number":"1"}]"#] {
            assert!(read(bad, 1).is_err(), "{bad}");
        }
        let million = format!("[{}]", ["[]"; 1_000_000].join(","));
        let found = elements(&million, 500).unwrap();
        assert_eq!((found.count, found.first.len()), (1_000_000, 500));
        assert!(found.first.capacity() < 2_000);
    }

    #[test]
    fn errors_are_those_of_parsing_the_whole() {
        for bad in ["", "{}", "5", "nul", "[1,]", "[1", "[1]]", "[tru]", "[01]", r#"["\x"]"#] {
            assert_eq!(elements(bad, 1).unwrap_err(), json::parse::<Vec<Value>>(bad).unwrap_err(), "{bad}");
        }
        for bad in ["", "[]", "5", "{", "{\"a\"}", "{\"a\":1,}", "{1:2}", "{\"a\":[1}", "{} {}"] {
            assert_eq!(members(bad, 1).unwrap_err(), json::parse::<Map<String, Value>>(bad).unwrap_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_decoded_and_the_last_of_a_name_counts() {
        let json = r#" {"a":1,"\u0062":[{}],"a":"\udc00","c":null,"\ud800":4,"x":[5]} "#;
        let all = members(json, 3).unwrap();
        assert_eq!((all.first.len(), all.count), (3, 6));
        assert_eq!(all.first[1].0, "b");
        assert_eq!(members(json, 6).unwrap().first[4].0, "\u{fffd}");
        let named = NamedMembers::read(json, &["a", "b", "c", "d"]).unwrap().unwrap();
        let text = |name| named.get(name).map(RawValue::get);
        assert_eq!([text("a"), text("b"), text("c"), text("d")], [Some(r#""\udc00""#), Some("[{}]"), None, None]);
        let flat = Value::from(named.flat().unwrap());
        assert_eq!(flat, serde_json::json!({ "a": "\u{fffd}", "b": [], "c": null }));
        assert!(NamedMembers::read("[1]", &["a"]).unwrap().is_none());
    }
}
