//! Page cursors: sort order, filter and the signed `next` token.
//!
//! A token holds the sort values of the last item shown. The next page starts after them, wherever that item is by then,
//! so nothing is skipped or repeated and page k costs what page 1 costs.

use uuid::Uuid;

use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::tokens::Keys;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortBy {
    /// Time of addition.
    #[default]
    Added,
    Price,
    Title,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    #[default]
    Any,
    InStock,
    OutOfStock,
}

/// Sort order and filter of a page. A page token is valid for one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub by: SortBy,
    pub ascending: bool,
    pub filter: Filter,
}

impl Order {
    fn code(self) -> u8 {
        let by = match self.by {
            SortBy::Added => 0,
            SortBy::Price => 1,
            SortBy::Title => 2,
        };
        let filter = match self.filter {
            Filter::Any => 0,
            Filter::InStock => 1,
            Filter::OutOfStock => 2,
        };
        by | filter << 2 | u8::from(self.ascending) << 4
    }
}

/// The sort value of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortValue {
    Missing,
    Price(f64),
    Title(Vec<u8>),
}

/// The last item that was shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    pub(crate) value: SortValue,
    pub(crate) added_at: i64,
    pub(crate) seq: i64,
}

const PURPOSE: &[u8] = b"next";

impl Cursor {
    pub fn to_token(&self, keys: &Keys, by: &Shopper, list: &Uuid, order: Order) -> String {
        let mut body = vec![order.code()];
        body.extend_from_slice(&self.added_at.to_be_bytes());
        body.extend_from_slice(&self.seq.to_be_bytes());
        match &self.value {
            SortValue::Missing => body.push(0),
            SortValue::Price(price) => {
                body.push(1);
                body.extend_from_slice(&price.to_bits().to_be_bytes());
            }
            SortValue::Title(key) => {
                body.push(2);
                body.extend_from_slice(key);
            }
        }
        keys.seal(PURPOSE, &context(by, list), &body)
    }

    /// Returns `None` for a token of another sort or filter: the new order starts at its first page.
    pub fn from_token(keys: &Keys, by: &Shopper, list: &Uuid, order: Order, token: &str) -> Result<Option<Self>> {
        let body = keys.unseal(PURPOSE, &context(by, list), token).ok_or_else(|| {
            Error::new(
                Code::InvalidNextToken,
                "next is not a token of this list and shopper: omit it to start at the first page",
            )
        })?;
        if body.first() != Some(&order.code()) {
            return Ok(None);
        }
        Self::decode(&body).ok_or_else(|| Error::internal("a signed token could not be decoded")).map(Some)
    }

    fn decode(body: &[u8]) -> Option<Self> {
        let number = |from: usize| <[u8; 8]>::try_from(body.get(from..from + 8)?).ok();
        let value = match body.get(17)? {
            0 => SortValue::Missing,
            1 => SortValue::Price(f64::from_bits(u64::from_be_bytes(number(18)?))),
            _ => SortValue::Title(body.get(18..)?.to_vec()),
        };
        Some(Self { value, added_at: i64::from_be_bytes(number(1)?), seq: i64::from_be_bytes(number(9)?) })
    }
}

fn context<'a>(by: &'a Shopper, list: &'a Uuid) -> [&'a [u8]; 3] {
    [by.store().pid.as_bytes(), &by.id().0, list.as_bytes()]
}
