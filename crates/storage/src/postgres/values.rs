//! Arguments and columns, encoded and decoded as PostgreSQL's types.

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::error::{Error, Result};
use crate::sql::{Arg, Row};

impl ToSql for Arg<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Arg::Null => Ok(IsNull::Yes),
            // PostgreSQL infers a 32-bit type for a parameter next to an integer literal.
            Arg::Int(value) if *ty == Type::INT4 => i32::try_from(*value)?.to_sql(ty, out),
            Arg::Int(value) if *ty == Type::INT8 => value.to_sql(ty, out),
            // SQLite does not store negative zero; adding zero removes the sign.
            Arg::Double(value) if *ty == Type::FLOAT8 => (value + 0.0).to_sql(ty, out),
            Arg::Text(value) if *ty == Type::TEXT => value.to_sql(ty, out),
            Arg::Blob(value) if *ty == Type::BYTEA => value.to_sql(ty, out),
            other => Err(format!("{other:?} does not fit a parameter of type {ty}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// True if an argument can be sent as a parameter of this type.
pub(super) fn fits(arg: &Arg<'_>, ty: &Type) -> bool {
    match arg {
        Arg::Null => true,
        Arg::Int(value) => *ty == Type::INT8 || (*ty == Type::INT4 && i32::try_from(*value).is_ok()),
        Arg::Double(_) => *ty == Type::FLOAT8,
        Arg::Text(_) => *ty == Type::TEXT,
        Arg::Blob(_) => *ty == Type::BYTEA,
    }
}

impl Row for tokio_postgres::Row {
    fn opt_int(&self, column: usize) -> Result<Option<i64>> {
        if *self.columns()[column].type_() == Type::INT4 {
            return Ok(self.try_get::<_, Option<i32>>(column).map_err(Error::bug)?.map(i64::from));
        }
        self.try_get(column).map_err(Error::bug)
    }

    fn opt_double(&self, column: usize) -> Result<Option<f64>> {
        self.try_get(column).map_err(Error::bug)
    }

    fn opt_text(&self, column: usize) -> Result<Option<&str>> {
        self.try_get(column).map_err(Error::bug)
    }

    fn opt_blob(&self, column: usize) -> Result<Option<&[u8]>> {
        self.try_get(column).map_err(Error::bug)
    }
}
