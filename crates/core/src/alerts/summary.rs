//! Subscriptions by variant and topic, counted for the store.

use wishbone_storage::{FromRow, Query, Read, Row};

use crate::catalog::fields::UNKNOWN;
use crate::error::{Error, Result};
use crate::json::{self, Object};
use crate::stores::admin::StoreAdmin;

/// Counts subscriptions, the most waited for first.
pub struct SummarizeSubscriptions {
    pub by: StoreAdmin,
    pub limit: i64,
}

struct Counted {
    variant_id: i64,
    topic: String,
    product_id: i64,
    waiting: i64,
    sent: i64,
    failed: i64,
    fields: Option<String>,
}

impl FromRow for Counted {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            variant_id: row.int(0)?,
            topic: row.text(1)?.to_owned(),
            product_id: row.int(2)?,
            waiting: row.int(3)?,
            sent: row.int(4)?,
            failed: row.int(5)?,
            fields: row.opt_text(6)?.map(str::to_owned),
        })
    }
}

#[derive(serde::Deserialize)]
struct Title {
    dt: String,
}

impl Read for SummarizeSubscriptions {
    const NAME: &'static str = "summarize_subscriptions";
    const SINGLE_STATEMENT: bool = true;
    /// Encoded records.
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let args = [self.by.store_id().into(), self.limit.into()];
        let rows: Vec<Counted> = query.rows(SUMMARY.bind(&args)).await?;
        rows.iter().map(encode).collect()
    }
}

fn encode(row: &Counted) -> Result<Vec<u8>> {
    let Title { dt } = json::from_members(row.fields.as_deref().unwrap_or(UNKNOWN))?;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.int("epi", row.variant_id);
    object.int("empi", row.product_id);
    object.text("dt", &dt);
    object.text("topic", &row.topic);
    object.int("waiting", row.waiting);
    object.int("sent", row.sent);
    object.int("failed", row.failed);
    object.close();
    Ok(out)
}

statements! {
    SUMMARY = "select c.variant_id, c.topic, c.product_id, c.waiting, c.sent, c.failed, coalesce(p.fields, c.given)
               from (select s.store_id, s.variant_id, s.topic, max(s.product_id) as product_id, max(s.given) as given,
                            sum(case when s.status in (0, 2) then 1 else 0 end) as waiting,
                            sum(case when s.status = 1 then 1 else 0 end) as sent,
                            sum(case when s.status = 3 then 1 else 0 end) as failed
                     from subscriptions s where s.store_id = $1 group by s.store_id, s.variant_id, s.topic
                     order by waiting desc, s.variant_id, s.topic limit $2) c
               left join products p on p.store_id = $1 and p.variant_id = c.variant_id
               order by c.waiting desc, c.variant_id, c.topic";
}
