//! What an item's row says of itself, encoded as in responses, so that reads only copy it.

use std::borrow::Cow;

use memchr::memrchr;
use uuid::Uuid;
use wishbone_storage::{Error, Result};

use crate::catalog::web_url::hidden_at;
use crate::json::Object;

/// The members of an item's record that do not depend on the reader, the list or the catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemMembers<'a> {
    pub(crate) item_id: Uuid,
    pub(crate) variant_id: i64,
    pub(crate) product_id: i64,
    /// Encoded.
    pub(crate) attributes: &'a str,
    pub(crate) added_at: i64,
    pub(crate) updated_at: i64,
}

/// The length of the id with its key. Statements that replace it have the same number.
const ID_LENGTH: usize = r#""id":"","#.len() - 1 + 36;

impl<'a> ItemMembers<'a> {
    pub(crate) fn encode(&self) -> String {
        let mut out = Vec::with_capacity(self.attributes.len() + 160);
        let mut object = Object::open(&mut out);
        object.uuid("id", &self.item_id);
        object.int("epi", self.variant_id);
        object.int("empi", self.product_id);
        object.fragment(self.attributes);
        object.int("cts", self.added_at);
        object.int("uts", self.updated_at);
        without_brace(out)
    }

    pub(crate) fn decode(text: &'a str) -> Result<Self> {
        Self::try_decode(text).ok_or_else(|| Error::Bug("invalid members of an item".to_owned()))
    }

    fn try_decode(text: &'a str) -> Option<Self> {
        let (id, rest) = text.strip_prefix(r#""id":""#)?.split_at_checked(36)?;
        let (variant_id, rest) = rest.strip_prefix(r#"","epi":"#)?.split_once(',')?;
        let (product_id, rest) = rest.strip_prefix(r#""empi":"#)?.split_once(',')?;
        // Custom fields may have the same keys, but come before.
        let (attributes, times) = rest.rsplit_once(r#","cts":"#)?;
        let (added_at, updated_at) = times.split_once(r#","uts":"#)?;
        Some(Self {
            item_id: Uuid::try_parse(id).ok()?,
            variant_id: variant_id.parse().ok()?,
            product_id: product_id.parse().ok()?,
            attributes,
            added_at: added_at.parse().ok()?,
            updated_at: updated_at.parse().ok()?,
        })
    }
}

/// The variant of an item, without decoding the rest.
pub(crate) fn variant_id(members: &[u8]) -> Result<i64> {
    let rest = members.get(ID_LENGTH..).and_then(|rest| rest.strip_prefix(br#","epi":"#)).unwrap_or_default();
    let (is_negative, digits) = rest.strip_prefix(b"-").map_or((false, rest), |digits| (true, digits));
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 {
        return Err(Error::Bug("an item without a variant".to_owned()));
    }
    let number = digits[..length].iter().fold(0_i64, |sum, byte| sum.wrapping_mul(10) + i64::from(byte - b'0'));
    Ok(if is_negative { -number } else { number })
}

/// Encoded members as they are shown.
pub(crate) fn shown(members: &[u8]) -> Cow<'_, [u8]> {
    match url_at(members).and_then(|at| hidden_at(members, at)) {
        None => Cow::Borrowed(members),
        Some(url) => Cow::Owned([&members[..url.start], &members[url.end..]].concat()),
    }
}

/// Encoded members before and after the price at which the item was saved, which is the last attribute, and that price.
pub(crate) fn split_saved_price(members: &[u8]) -> ([&[u8]; 2], Option<&str>) {
    const KEY: &[u8] = br#","spr":"#;
    let split = || {
        // The times, which have digits only, are the last members.
        let attributes = &members[..memrchr(b',', &members[..memrchr(b',', members)?])?];
        let is_digit = |byte: &u8| byte.is_ascii_digit() || b".-+eE".contains(byte);
        let digits = attributes.iter().rev().take_while(|byte| is_digit(byte)).count();
        let (before, price) = attributes.split_at(attributes.len() - digits);
        let price = std::str::from_utf8(price).ok()?;
        Some(([before.strip_suffix(KEY)?, &members[attributes.len() + 1..]], Some(price)))
    };
    split().unwrap_or(([members, &[]], None))
}

/// The offset of the URL, which follows the ids.
fn url_at(members: &[u8]) -> Option<usize> {
    let after = |at: usize, key: &[u8]| members.get(at..)?.starts_with(key).then_some(at + key.len());
    let end = |at: usize| Some(at + members.get(at..)?.iter().position(|byte| *byte == b',')?);
    let product_id = after(end(after(ID_LENGTH, br#","epi":"#)?)?, br#","empi":"#)?;
    after(end(product_id)?, br#","du":""#)
}

/// The first member of encoded members.
pub(crate) fn id(members: &str) -> &str {
    members.get(..ID_LENGTH).unwrap_or(members)
}

/// Encodes an id as the first member.
pub(crate) fn encoded_id(item_id: &Uuid) -> String {
    let mut out = Vec::with_capacity(ID_LENGTH + 1);
    Object::open(&mut out).uuid("id", item_id);
    without_brace(out)
}

fn without_brace(mut out: Vec<u8>) -> String {
    out.remove(0);
    // Everything written is text.
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_when_an_item_was_saved_is_found_at_the_end_of_the_attributes_only() {
        let split = |attributes: &str| {
            let members = format!(r#""id":"x","epi":1,"empi":2,{attributes},"cts":11,"uts":12"#);
            let ([before, after], price) = split_saved_price(members.as_bytes());
            let parts = [before, after].map(|part| String::from_utf8(part.to_vec()).unwrap());
            let shown = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
            (shown == members.replace(r#","spr":19.95,"cts""#, r#","cts""#), price.map(str::to_owned))
        };
        assert_eq!(split(r#""clbls":[],"spr":19.95"#), (true, Some("19.95".to_owned())));
        for other in [r#""clbls":[]"#, r#""qty":2"#, r#""cprops":{"a":1,"spr":5}"#, r#""clbls":["a\",\"spr\":5"]"#] {
            assert_eq!(split(other), (true, None), "{other}");
        }
        assert_eq!(split_saved_price(b""), ([&b""[..], &[]], None));
    }

    #[test]
    fn members_are_decoded_as_they_were_encoded() {
        let attributes =
            r#""du":"https://shop.example/?a=\",\"cts\":1","qty":2,"cprops":{"a":{"x":1,"cts":5,"uts":6}},"clbls":[]"#;
        let item_id = Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        let item = ItemMembers { item_id, variant_id: -7, product_id: 0, attributes, added_at: 11, updated_at: 12 };
        let text = item.encode();
        assert_eq!(
            text,
            format!(r#""id":"01234567-89ab-cdef-0123-456789abcdef","epi":-7,"empi":0,{attributes},"cts":11,"uts":12"#)
        );
        let decoded = ItemMembers::decode(&text).unwrap();
        assert_eq!((decoded.item_id, decoded.variant_id, decoded.product_id), (item_id, -7, 0));
        assert_eq!((decoded.attributes, decoded.added_at, decoded.updated_at), (attributes, 11, 12));
        assert_eq!(variant_id(text.as_bytes()).unwrap(), -7);
        assert_eq!((encoded_id(&item_id).as_str(), ID_LENGTH), (id(&text), 43));
        assert_eq!(shown(text.as_bytes()), text.as_bytes());
        let (before, after) = text.split_once("https:").unwrap();
        let hidden = after.split_once(r#"1",""#).unwrap().1;
        assert_eq!(
            String::from_utf8_lossy(&shown(format!("{before}javascript&colon;{after}").as_bytes())),
            format!(r#"{before}","{hidden}"#)
        );
        for damaged in ["", &text[1..], &text[..60], &text.replace("-89ab-", "89ab"), &text.replace("11", "")] {
            assert!(ItemMembers::decode(damaged).is_err(), "{damaged}");
            assert_eq!(shown(damaged.as_bytes()), damaged.as_bytes());
        }
    }
}
