//! Columns with a fixed set of values: states, topics, kinds and flags. The types that read them tell which values are known.

use wishbone_storage::{Query, Read, Row, Sql};

use crate::catalog::topic::Topic;
use crate::error::{Error, Result};
use crate::integrity::fault::{Fault, MAX_EXAMPLES};
use crate::mail;
use crate::mail::medium::Medium;
use crate::mail::message::{Message, REMINDER};
use crate::merging::journal::PART_KINDS;
use crate::subscriptions::status::STATES;
use crate::webhooks;
use crate::webhooks::event_type::EventType;

const MEANING: &str = "Calls and jobs that read the rows fail or skip them. No call writes such a value: save a copy of the \
                       database, and restore the last good backup, or use the version of Wishbone that wrote it.";

/// Finds values of one column that no code knows.
pub(crate) struct UnknownValues {
    pub(crate) table: &'static str,
    pub(crate) column: &'static str,
    sql: Sql,
    values: Values,
}

#[derive(Clone, Copy)]
enum Values {
    Text(fn(&str) -> bool),
    Int(fn(i64) -> bool),
}

impl Values {
    /// The value of a row's second column, if it is unknown.
    fn unknown(self, row: &dyn Row) -> wishbone_storage::Result<Option<String>> {
        Ok(match self {
            Self::Text(is_known) => Some(row.text(1)?).filter(|text| !is_known(text)).map(|text| format!("{text:?}")),
            Self::Int(is_known) => Some(row.int(1)?).filter(|value| !is_known(*value)).map(|value| value.to_string()),
        })
    }
}

impl Read for &'static UnknownValues {
    const NAME: &'static str = "check_values";
    type Out = Option<Fault>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Option<Fault>> {
        let mut fault = Fault { kind: "unknown-value", count: 0, examples: Vec::new(), meaning: MEANING };
        let UnknownValues { table, column, sql, values } = self;
        query
            .query_all(&[sql.bind(&[])], &mut |_, row| {
                let Some(value) = values.unknown(row)? else { return Ok(()) };
                let (store, rows) = (row.int(0)?, row.int(2)?);
                fault.count += rows;
                if fault.examples.len() < MAX_EXAMPLES {
                    fault.examples.push(format!("store {store}: {rows} rows of {table} have the {column} {value}"));
                }
                Ok(())
            })
            .await?;
        Ok((fault.count > 0).then_some(fault))
    }
}

macro_rules! enumerated {
    ($($name:ident $table:literal $column:literal, $values:expr;)*) => {
        statements! {
            $($name = concat!(
                "select x.store_id, x.found, x.times from (select store_id, ", $column, " as found, count(*) as times from ",
                $table, " where ", $column, " is not null group by store_id, ", $column, ") x"
            );)*
        }
        pub(crate) const COLUMNS: &[UnknownValues] =
            &[$(UnknownValues { table: $table, column: $column, sql: $name, values: $values }),*];
    };
}

const FLAG: Values = Values::Int(|value| (0..=1).contains(&value));
const TOPIC: Values = Values::Text(|text| Topic::parse(text).is_ok());

enumerated! {
    SUBSCRIPTION_TOPIC "subscriptions" "topic", TOPIC;
    EVENT_TOPIC "alert_events" "topic", TOPIC;
    REFUSED_TOPIC "refused_topics" "topic", Values::Text(|text| text == REMINDER || Topic::parse(text).is_ok());
    SUBSCRIPTION_MEDIUM "subscriptions" "medium", Values::Text(|text| Medium::parse(text).is_ok());
    SUBSCRIPTION_STATUS "subscriptions" "status",
        Values::Int(|status| usize::try_from(status).is_ok_and(|status| status < STATES.len()));
    MAIL_KIND "mails" "kind", Values::Text(|text| Message::KINDS.contains(&text));
    MAIL_STATE "mails" "state", Values::Int(|state| mail::queue::STATES.contains(&state));
    WEBHOOK_STATE "webhooks" "state", FLAG;
    WEBHOOK_EVENT_TYPE "webhook_events" "type", Values::Int(|code| EventType::from_code(code).is_some());
    DELIVERY_STATE "webhook_deliveries" "state", Values::Int(|state| webhooks::queue::STATES.contains(&state));
    MERGED_PART_KIND "merged_parts" "kind", Values::Text(|text| PART_KINDS.contains(&text));
    LIST_PUBLIC "lists" "public", FLAG;
    LIST_ARCHIVED "lists" "archived", FLAG;
    LIST_COPYING "lists" "copying", FLAG;
    LIST_MERGED "lists" "merged", FLAG;
    MERGED_LIST_PUBLIC "merged_lists" "public", FLAG;
    MERGED_LIST_ARCHIVED "merged_lists" "archived", FLAG;
    MERGED_LIST_COPYING "merged_lists" "copying", FLAG;
    MERGED_LIST_UNARCHIVED "merged_lists" "unarchived", FLAG;
    MERGE_FILLED_NAMES "merges" "filled_names", FLAG;
    UNION_RENAMES "unions" "renames", FLAG;
    LINK_MAY_EDIT "share_links" "may_edit", FLAG;
    PRODUCT_DELETED "products" "deleted", FLAG;
    PRODUCT_IN_STOCK "products" "in_stock", FLAG;
    PRODUCT_WAS_IN_STOCK "products" "was_in_stock", FLAG;
    SUBSCRIPTION_MAILING_LIST "subscriptions" "mailing_list", FLAG;
    SUBSCRIPTION_MADE_BY "subscriptions" "made_by_shopper", FLAG;
    SHOPPER_MARKETING "shoppers" "accepts_marketing", FLAG;
    SHOPPER_DIGEST "shoppers" "alert_digest", FLAG;
}
