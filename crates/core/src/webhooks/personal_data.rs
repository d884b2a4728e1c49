//! Events as personal data: what a person's export has, and what their erasure deletes.

use wishbone_storage::{Query, Read, Tx, Write};

use crate::error::{Error, Result};
use crate::json::Object;
use crate::tokens::ShopperId;
use crate::webhooks::event_type::EventType;
use crate::webhooks::log::{self, EventKey};

/// Passes every stored event of a shopper to `visit`, encoded.
pub(crate) async fn export<Q: Query>(
    query: &mut Q,
    store_id: i64,
    shopper: &ShopperId,
    visit: &mut (dyn FnMut(&[u8]) + Send),
) -> Result<()> {
    query
        .query_all(&[OF_SHOPPER.bind(&[store_id.into(), (&shopper.0).into()])], &mut |_, row| {
            let mut out = Vec::new();
            let mut event = Object::open(&mut out);
            event.text("type", EventType::from_code(row.int(0)?).map_or("unknown", EventType::as_str));
            event.int("at", row.int(1)?);
            event.raw("data", row.text(2)?);
            event.close();
            visit(&out);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Deletes events of a shopper with their deliveries, at most `limit`. Returns how many.
pub(crate) async fn delete<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId, limit: i64) -> Result<u64> {
    let args = [store_id.into(), (&shopper.0).into(), limit.into()];
    let events: Vec<EventKey> = tx.rows(KEYS_OF_SHOPPER.bind(&args)).await?;
    log::delete(tx, store_id, &events).await?;
    u64::try_from(events.len()).map_err(Error::internal)
}

/// Finds events that mention an address, such as that of an editor of another person's list.
pub(crate) struct FindMentions {
    pub(crate) store_id: i64,
    pub(crate) address: String,
    /// `None` starts at the oldest event.
    pub(crate) after: Option<MentionCursor>,
    pub(crate) limit: i64,
}

pub(crate) struct MentionCursor(EventKey);

/// Events that mention the address, and where to continue.
pub(crate) struct Mentions {
    pub(crate) found: DeleteEvents,
    pub(crate) next: Option<MentionCursor>,
}

impl Read for FindMentions {
    const NAME: &'static str = "find_mentions";
    const SINGLE_STATEMENT: bool = true;
    type Out = Mentions;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Mentions> {
        let start = EventKey { at: i64::MIN, n: 0, event_id: uuid::Uuid::nil() };
        let [store_id, at, n, event_id] = self.after.as_ref().map_or(&start, |cursor| &cursor.0).args(self.store_id);
        let (mut events, mut last, mut seen) = (Vec::new(), None, 0);
        query
            .query_all(&[AFTER.bind(&[store_id, at, n, event_id, self.limit.into()])], &mut |_, row| {
                let key = EventKey::columns(row)?;
                if row.text(3)?.contains(&self.address) {
                    events.push(key);
                }
                last = Some(MentionCursor(key));
                seen += 1;
                Ok(())
            })
            .await?;
        let found = DeleteEvents { store_id: self.store_id, events };
        Ok(Mentions { found, next: last.filter(|_| seen == self.limit) })
    }
}

pub(crate) struct DeleteEvents {
    store_id: i64,
    events: Vec<EventKey>,
}

impl DeleteEvents {
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

impl Write for DeleteEvents {
    const NAME: &'static str = "delete_events";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        log::delete(tx, self.store_id, &self.events).await
    }
}

statements! {
    // Makes some of a guest's events those of the shopper that the guest is merged into.
    pub(crate) TRANSFER = "update webhook_events set shopper_id = $1
        where store_id = $2 and (at, n, event_id) in (
          select e.at, e.n, e.event_id from webhook_events e
          where e.store_id = $2 and e.shopper_id = $3 order by e.at, e.n, e.event_id limit $4)";
    OF_SHOPPER = "select type, at, data from webhook_events
                  where store_id = $1 and shopper_id = $2
                    and at in (select e.at from webhook_events e where e.store_id = $1 and e.shopper_id = $2)
                  order by at, n";
    KEYS_OF_SHOPPER = "select at, n, event_id from webhook_events where store_id = $1 and shopper_id = $2 limit $3";
    AFTER = "select at, n, event_id, data from webhook_events
             where store_id = $1 and (at, n, event_id) > ($2, $3, $4) order by at, n, event_id limit $5";
}
