//! The form field `lty`.

use wishbone_core::error::Result;
use wishbone_core::lists::row::{MAX_TYPE_LENGTH, WISHLIST};

use crate::http::request::form::Form;

/// Absent, `null` and `wl` mean a wishlist; any other value is a custom type.
pub(crate) fn list_type(form: &Form) -> Result<String> {
    let given = form.text("lty", MAX_TYPE_LENGTH)?;
    Ok(given
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty() && text != "null")
        .unwrap_or_else(|| WISHLIST.to_owned()))
}

/// As `list_type`, but absent means that the caller does not name a type.
pub(crate) fn list_type_if_given(form: &Form) -> Result<Option<String>> {
    form.get("lty").map(|_| list_type(form)).transpose()
}
