//! Statements on a worker of a Citus cluster, with the key as a literal. Citus then finds the shard once, when it plans the
//! statement, and keeps the plan for the shard with the prepared statement.

use tokio_postgres::types::Type;

use crate::sql::{Arg, Bound};

/// The key of an operation that runs on a worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShardKey {
    pub(super) column: &'static str,
    pub(super) value: i64,
}

impl ShardKey {
    /// Replaces the parameter that is compared with the column, if its argument is the key. Returns the text and the types
    /// of its parameters, of which the replaced one is bound as before and not used.
    pub(super) fn embed(&self, bound: &Bound<'_>) -> Option<(String, Vec<Type>)> {
        let sql = bound.sql.text();
        let comparison = format!("{} = $", self.column);
        let number = digits(&sql[sql.find(&comparison)? + comparison.len()..]);
        let index = number.parse::<usize>().ok()?.checked_sub(1)?;
        if bound.args.get(index) != Some(&Arg::Int(self.value)) {
            return None;
        }
        let mut text = String::with_capacity(sql.len() + 16);
        let mut parts = sql.split('$');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let found = digits(part);
            if found == number {
                text.push_str(&format!("'{}'", self.value));
            } else {
                text.push('$');
                text.push_str(found);
            }
            text.push_str(&part[found.len()..]);
        }
        let mut types = vec![Type::UNKNOWN; index];
        types.push(Type::INT8);
        Some((text, types))
    }
}

fn digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Sql;

    const KEY: ShardKey = ShardKey { column: "store_id", value: -42 };

    #[test]
    fn the_parameter_of_the_key_becomes_a_literal() {
        let select = Sql::new("select a from t where store_id = $1 and b = $2 and u.store_id = $1");
        let (text, types) = KEY.embed(&select.bind(&[Arg::Int(-42), Arg::Int(7)])).unwrap();
        assert_eq!(text, "select a from t where store_id = '-42' and b = $2 and u.store_id = '-42'");
        assert_eq!(types, [Type::INT8]);
        let many = Sql::new("select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 from t where store_id = $11 and a = $1");
        let mut args = [Arg::Null; 11];
        args[10] = Arg::Int(-42);
        let (text, types) = KEY.embed(&many.bind(&args)).unwrap();
        assert_eq!(text, "select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 from t where store_id = '-42' and a = $1");
        assert_eq!((types.len(), types.last()), (11, Some(&Type::INT8)));
    }

    #[test]
    fn other_statements_stay_as_they_are() {
        let select = Sql::new("select a from t where store_id = $1");
        assert!(KEY.embed(&select.bind(&[Arg::Int(7)])).is_none(), "about another key");
        assert!(KEY.embed(&Sql::new("select a from stores where pid = $1").bind(&[Arg::Int(-42)])).is_none());
        assert!(KEY.embed(&Sql::new("insert into t (store_id) values ($1)").bind(&[Arg::Int(-42)])).is_none());
    }
}
