//! Portable statements, their arguments and their rows.

use crate::error::{Error, Result};

/// A statement, the same for both engines. `$1, $2, …` must first appear in ascending order, which is checked at compile
/// time: SQLite numbers parameters by first appearance, so that in any other order arguments would be bound to the wrong
/// parameters.
#[derive(Clone, Copy, Debug)]
pub struct Sql {
    text: &'static str,
    pub(crate) parameters: usize,
}

impl Sql {
    pub const fn new(text: &'static str) -> Self {
        Self { text, parameters: count_parameters(text) }
    }

    pub const fn bind<'a>(self, args: &'a [Arg<'a>]) -> Bound<'a> {
        Bound { sql: self, args }
    }

    pub const fn text(&self) -> &'static str {
        self.text
    }

    pub const fn parameters(&self) -> usize {
        self.parameters
    }
}

const fn count_parameters(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut i, mut seen) = (0, 0);
    while i < bytes.len() {
        if bytes[i] != b'$' {
            i += 1;
            continue;
        }
        let (mut number, mut end) = (0, i + 1);
        while end < bytes.len() && bytes[end].is_ascii_digit() {
            number = number * 10 + (bytes[end] - b'0') as usize;
            end += 1;
        }
        assert!(number >= 1 && number <= seen + 1, "parameters must first appear in ascending order");
        if number == seen + 1 {
            seen = number;
        }
        i = end;
    }
    seen
}

/// A statement with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    pub(crate) sql: Sql,
    pub(crate) args: &'a [Arg<'a>],
}

impl Bound<'_> {
    pub(crate) fn check(&self) -> Result<()> {
        if self.args.len() == self.sql.parameters {
            return Ok(());
        }
        Err(Error::Bug(format!("{} arguments for: {}", self.args.len(), self.sql.text)))
    }

    /// About what the statement adds to the database, if it writes a row.
    pub(crate) fn bytes(&self) -> u64 {
        self.args.iter().map(Arg::bytes).sum::<u64>() + ROW_OVERHEAD
    }
}

/// About what a row takes beside its values, with its index entries.
pub const ROW_OVERHEAD: u64 = 256;

/// An argument of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg<'a> {
    Null,
    Int(i64),
    Double(f64),
    Text(&'a str),
    Blob(&'a [u8]),
}

impl Arg<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Self::Null => 0,
            Self::Int(_) | Self::Double(_) => 8,
            Self::Text(text) => text.len() as u64,
            Self::Blob(bytes) => bytes.len() as u64,
        }
    }
}

impl From<i64> for Arg<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Arg<'_> {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl From<f64> for Arg<'_> {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Arg<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(value)
    }
}

impl<'a> From<&'a Vec<u8>> for Arg<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::Blob(value)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Arg<'a> {
    fn from(value: &'a [u8; N]) -> Self {
        Self::Blob(value)
    }
}

impl<'a, T: Into<Arg<'a>>> From<Option<T>> for Arg<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A result row, borrowed from the engine. Columns are numbered from 0.
pub trait Row {
    fn opt_int(&self, column: usize) -> Result<Option<i64>>;
    fn opt_double(&self, column: usize) -> Result<Option<f64>>;
    fn opt_text(&self, column: usize) -> Result<Option<&str>>;
    fn opt_blob(&self, column: usize) -> Result<Option<&[u8]>>;

    fn int(&self, column: usize) -> Result<i64> {
        self.opt_int(column)?.ok_or_else(|| unexpected_null(column))
    }

    fn flag(&self, column: usize) -> Result<bool> {
        Ok(self.int(column)? != 0)
    }

    fn text(&self, column: usize) -> Result<&str> {
        self.opt_text(column)?.ok_or_else(|| unexpected_null(column))
    }

    /// The bytes of a text, which need not be checked to be UTF-8.
    fn text_bytes(&self, column: usize) -> Result<&[u8]> {
        self.text(column).map(str::as_bytes)
    }

    fn blob(&self, column: usize) -> Result<&[u8]> {
        self.opt_blob(column)?.ok_or_else(|| unexpected_null(column))
    }
}

fn unexpected_null(column: usize) -> Error {
    Error::Bug(format!("column {column} is null"))
}

/// A type that can be decoded from a row.
pub trait FromRow: Sized + Send {
    fn from_row(row: &dyn Row) -> Result<Self>;
}

impl FromRow for i64 {
    fn from_row(row: &dyn Row) -> Result<Self> {
        row.int(0)
    }
}

impl FromRow for String {
    fn from_row(row: &dyn Row) -> Result<Self> {
        Ok(row.text(0)?.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_number_is_the_parameter_count() {
        assert_eq!(Sql::new("select 1").parameters(), 0);
        assert_eq!(Sql::new("select $1, $2, $1, $3").parameters(), 3);
    }

    #[test]
    #[should_panic(expected = "ascending")]
    fn parameters_out_of_order_are_rejected() {
        Sql::new(std::hint::black_box("select $2, $1"));
    }
}
