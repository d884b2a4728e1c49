//! The filters of templates. The budget is charged for the values that a filter takes and returns, and none reads or writes
//! more than those.

use std::borrow::Cow;

use minijinja::value::{Rest, Value};
use minijinja::{Error, ErrorKind, State, filters};

/// Takes the value that is filtered, and the arguments.
type Filter = fn(&mut State<'_, '_>, &[Value]) -> Result<Value, Error>;

/// All filters, by name.
pub(super) const FILTERS: &[(&str, Filter)] = &[
    ("default", |state, values| match values {
        [value, arguments @ ..] => filters::default(state, value, Rest(arguments.to_vec())),
        [] => Err(Error::from(ErrorKind::MissingArgument)),
    }),
    ("escape", |state, values| filters::escape(state, no_list(only(values)?)?)),
    ("length", |_, values| filters::length(only(values)?).map(Value::from)),
    ("lines", |_, values| filters::lines(only(values)?)),
    ("lower", |_, values| map(values, |text| text.to_lowercase())),
    ("trim", |_, values| map(values, |text| text.trim().to_owned())),
    ("upper", |_, values| map(values, |text| text.to_uppercase())),
];

/// A value as text.
pub(super) fn plain_text(value: &Value) -> Result<Cow<'_, str>, Error> {
    Ok(match value.as_str() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(no_list(value)?.to_string()),
    })
}

fn only(values: &[Value]) -> Result<&Value, Error> {
    match values {
        [value] => Ok(value),
        _ => Err(Error::new(ErrorKind::TooManyArguments, "this filter takes no arguments")),
    }
}

/// A value that is no list: as a text, a list is longer than its number of entries tells.
pub(super) fn no_list(value: &Value) -> Result<&Value, Error> {
    if value.as_str().is_none() && value.len().is_some() {
        let problem = "a list is no text: use {% for item in items %}";
        return Err(Error::new(ErrorKind::InvalidOperation, problem));
    }
    Ok(value)
}

/// A text in place of another, escaped if that was.
fn map(values: &[Value], change: impl Fn(&str) -> String) -> Result<Value, Error> {
    let value = only(values)?;
    let text = change(&plain_text(value)?);
    Ok(if value.is_safe() { Value::from_safe_string(text) } else { Value::from(text) })
}
