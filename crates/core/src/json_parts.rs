//! Takes a caller's JSON apart. A parsed `Value` takes up to fifty times the memory of its text, so a text of a caller is
//! not parsed as a whole: its parts stay text, and each is parsed to what is kept of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::json;

/// The first elements of an array. More are not read, not even to count them: that costs as much as to parse them.
#[derive(Debug)]
pub struct Elements<'a> {
    pub first: Vec<&'a RawValue>,
    pub has_more: bool,
}

/// Reads an array of at most so many elements.
pub fn elements(json: &str, most: usize) -> Result<Elements<'_>, String> {
    json::refuse_reserved_key(json)?;
    let mut elements = Elements { first: Vec::new(), has_more: false };
    let mut parser = serde_json::Deserializer::from_str(json);
    let visitor = ArrayVisitor { most, elements: &mut elements };
    let read = parser.deserialize_seq(visitor).and_then(|()| parser.end());
    match read {
        // The parser was left in the middle of the array.
        Err(error) if !elements.has_more => Err(error.to_string()),
        _ => Ok(elements),
    }
}

struct ArrayVisitor<'e, 'a> {
    most: usize,
    elements: &'e mut Elements<'a>,
}

impl<'a> Visitor<'a> for ArrayVisitor<'_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut array: A) -> Result<(), A::Error> {
        let Elements { first, has_more } = self.elements;
        while first.len() < self.most {
            match array.next_element()? {
                Some(element) => first.push(element),
                None => return Ok(()),
            }
        }
        *has_more = array.next_element::<IgnoredAny>()?.is_some();
        Ok(())
    }
}

/// The first members of an object, in their order. A name may occur several times.
#[derive(Debug)]
pub struct Members<'a> {
    pub first: Vec<(Cow<'a, str>, &'a RawValue)>,
    pub has_more: bool,
}

/// Reads an object of at most so many members.
pub fn members(json: &str, most: usize) -> Result<Members<'_>, String> {
    let mut first = Vec::new();
    let has_more = !each_member(json, most, |name, value| first.push((name, value)))?;
    Ok(Members { first, has_more })
}

/// True for an array or an object with more elements or members.
pub fn has_more(json: &str, most: usize) -> bool {
    let array = elements(json, most).map(|elements| elements.has_more);
    array.or_else(|_| members(json, most).map(|members| members.has_more)).unwrap_or_default()
}

/// Members of an object of which only some are known.
const MOST_MEMBERS: usize = 1_000;

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
        let is_complete = each_member(json, MOST_MEMBERS, |name, value| {
            let Some(name) = names.iter().find(|known| **known == name) else { return };
            match found.iter_mut().find(|(known, _)| known == name) {
                Some(member) => member.1 = value,
                None => found.push((name, value)),
            }
        })?;
        if !is_complete {
            return Err(format!("an object must have at most {MOST_MEMBERS} members"));
        }
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

/// Reads at most so many members. Returns whether these are all.
fn each_member<'a>(json: &'a str, most: usize, each: impl FnMut(Cow<'a, str>, &'a RawValue)) -> Result<bool, String> {
    json::refuse_reserved_key(json)?;
    let mut has_more = false;
    let mut parser = serde_json::Deserializer::from_str(json);
    let visitor = ObjectVisitor { most, each, has_more: &mut has_more };
    let read = parser.deserialize_map(visitor).and_then(|()| parser.end());
    match read {
        Err(error) if !has_more => Err(error.to_string()),
        _ => Ok(!has_more),
    }
}

struct ObjectVisitor<'h, F> {
    most: usize,
    each: F,
    has_more: &'h mut bool,
}

impl<'a, F: FnMut(Cow<'a, str>, &'a RawValue)> Visitor<'a> for ObjectVisitor<'_, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut object: A) -> Result<(), A::Error> {
        for _ in 0..self.most {
            let Some((name, value)) = object.next_entry::<&'a RawValue, &'a RawValue>()? else { return Ok(()) };
            (self.each)(decoded(name.get()).map_err(serde::de::Error::custom)?, value);
        }
        *self.has_more = object.next_key::<&'a RawValue>()?.is_some();
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
    fn elements_after_the_first_are_not_read() {
        let read = |json, most| {
            elements(json, most).map(|Elements { first, has_more }| {
                (first.iter().map(|element| element.get().to_owned()).collect::<Vec<_>>().join(" "), has_more)
            })
        };
        for (json, most, expected) in [
            (" [ ] ", 2, ("", false)),
            ("[1, [2,3] ]", 2, ("1 [2,3]", false)),
            (r#"["\ud800",{"a":1},3,4]"#, 2, (r#""\ud800" {"a":1}"#, true)),
            ("[1,2]", 0, ("", true)),
            ("[1,2 nonsense", 1, ("1", true)),
        ] {
            assert_eq!(read(json, most), Ok((expected.0.to_owned(), expected.1)), "{json}");
        }
        for bad in ["", "{}", "5", "[1,2,3,]", "[1,2,3", "[1,2,3]]", r#"[{"$serde_json::private::Number":"1"}]"#] {
            assert!(read(bad, 9).is_err(), "{bad}");
        }
        let million = format!("[{}]", ["[]"; 1_000_000].join(","));
        let found = elements(&million, 500).unwrap();
        assert!(found.has_more && found.first.len() == 500);
        assert!(found.first.capacity() < 2_000);
    }

    #[test]
    fn errors_are_those_of_parsing_the_whole() {
        for bad in ["", "{}", "5", "nul", "[1,]", "[1", "[1]]", "[tru]", "[01]", r#"["\x"]"#] {
            assert_eq!(elements(bad, 9).unwrap_err(), json::parse::<Vec<Value>>(bad).unwrap_err(), "{bad}");
        }
        for bad in ["", "[]", "5", "{", "{\"a\"}", "{\"a\":1,}", "{1:2}", "{\"a\":[1}", "{} {}"] {
            assert_eq!(members(bad, 9).unwrap_err(), json::parse::<Map<String, Value>>(bad).unwrap_err(), "{bad}");
        }
    }

    #[test]
    fn names_are_decoded_and_the_last_of_a_name_counts() {
        let json = r#" {"a":1,"\u0062":[{}],"a":"\udc00","c":null,"\ud800":4,"x":[5]} "#;
        let all = members(json, 3).unwrap();
        assert_eq!((all.first.len(), all.has_more), (3, true));
        assert!(!members(json, 6).unwrap().has_more);
        assert!(has_more(json, 5) && !has_more(json, 6) && has_more("[1,2]", 1) && !has_more("[1,2]", 2));
        let many: Vec<String> = (0..=MOST_MEMBERS).map(|n| format!("\"{n}\":1")).collect();
        assert!(NamedMembers::read(&format!("{{{}}}", many.join(",")), &["a"]).is_err());
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
