//! Rows of stores that do not exist, in every table that belongs to stores; and stores without a state, which is deleted
//! first when a store is.

use wishbone_storage::{Query, Read, Sql};

use crate::error::{Error, Result};
use crate::integrity::fault::{Fault, MAX_EXAMPLES};

const MEANING: &str = "The rows are unreachable, but would belong to a new store with this id: restore a backup from before they \
                       appeared.";

const WITHOUT_STATE_MEANING: &str = "Background jobs skip the store, and changes of its products show late. Add the row \
                                     with `insert into store_states (store_id) values (…)`, and report it.";

/// Finds rows of one table whose store does not exist.
pub(crate) struct OrphanedRows {
    pub(crate) table: &'static str,
    pub(crate) sql: Sql,
}

impl Read for OrphanedRows {
    const NAME: &'static str = "check_stores";
    type Out = Option<Fault>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Option<Fault>> {
        let mut fault = Fault { kind: "store-gone", count: 0, examples: Vec::new(), meaning: MEANING };
        query
            .query_all(&[self.sql.bind(&[])], &mut |_, row| {
                let (store, rows, table) = (row.int(0)?, row.int(1)?, self.table);
                fault.count += rows;
                if fault.examples.len() < MAX_EXAMPLES {
                    fault.examples.push(format!("store {store} does not exist, but has {rows} rows in {table}"));
                }
                Ok(())
            })
            .await?;
        Ok((fault.count > 0).then_some(fault))
    }
}

/// Finds stores without a row in `store_states`.
pub(crate) struct StoresWithoutState;

impl Read for StoresWithoutState {
    const NAME: &'static str = "check_store_states";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<Fault>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Option<Fault>> {
        let stores: Vec<i64> = query.rows(WITHOUT_STATE.bind(&[])).await?;
        let examples =
            stores.iter().take(MAX_EXAMPLES).map(|store| format!("store {store} has no row in store_states"));
        let (count, examples) = (stores.len() as i64, examples.collect());
        Ok((count > 0).then_some(Fault { kind: "store-state", count, examples, meaning: WITHOUT_STATE_MEANING }))
    }
}

macro_rules! tables {
    ($($name:ident $table:literal)*) => {
        statements! {
            WITHOUT_STATE = "select s.store_id from stores s left join store_states x on x.store_id = s.store_id
                             where x.store_id is null and s.deleting_since is null";
            $($name = concat!(
                "select x.store_id, x.found from (select store_id, count(*) as found from ", $table, " group by store_id) x
                 left join stores s on s.store_id = x.store_id where s.store_id is null"
            );)*
        }
        pub(crate) const TABLES: &[OrphanedRows] = &[$(OrphanedRows { table: $table, sql: $name }),*];
    };
}

tables! {
    STORE_STATES "store_states"
    SHOPPERS "shoppers"
    LISTS "lists"
    ITEMS "items"
    PRODUCTS "products"
    SUBSCRIPTIONS "subscriptions"
    ALERT_EVENTS "alert_events"
    REFUSED_TOPICS "refused_topics"
    SHARE_LINKS "share_links"
    EDITORS "editors"
    COMMENTS "comments"
    GUEST_SESSIONS "guest_sessions"
    MERGES "merges"
    MERGED_LISTS "merged_lists"
    MERGED_ITEMS "merged_items"
    MERGED_PARTS "merged_parts"
    MERGED_COMMENTS "merged_comments"
    MAILS "mails"
    RECIPIENTS "recipients"
    MESSAGE_COUNTERS "message_counters"
    MAIL_TEMPLATES "mail_templates"
    MAIL_TEXTS "mail_texts"
    SHARES "shares"
    IDEMPOTENT_RESPONSES "idempotent_responses"
    COPIES "copies"
    UNIONS "unions"
    UNDOS "undos"
    MERGE_STEPS "merge_steps"
    LIST_STAMPS "list_stamps"
    WISHES "wishes"
    WISH_TRANSFERS "wish_transfers"
    DELETED_LISTS "deleted_lists"
    WEBHOOKS "webhooks"
    WEBHOOK_EVENTS "webhook_events"
    WEBHOOK_DELIVERIES "webhook_deliveries"
    WEBHOOK_QUEUES "webhook_queues"
}
