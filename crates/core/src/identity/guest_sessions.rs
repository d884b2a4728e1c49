//! Sessionids of guests that stay valid for the shopper they became: a page that was open during the login knows no
//! other.

use wishbone_storage::{Bound, Query, Read};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::tokens::{self, Regid, ShopperId};

/// Someone who logs in from more devices than this does so with the sessionid of the login.
const MOST: i64 = 50;

/// One that is to be kept.
pub(crate) struct GuestSession {
    hash: [u8; 32],
    /// Records go on showing the device that they showed before the login.
    device: String,
}

impl GuestSession {
    pub(crate) fn new(guest: &Regid, sessionid: &str) -> Self {
        let hash = tokens::session_hash(guest.store_id, sessionid);
        Self { hash, device: tokens::device(guest, sessionid) }
    }
}

/// The device of a carried sessionid, if it is one that was not revoked since.
pub(crate) struct FindGuestSession {
    pub(crate) store_id: i64,
    pub(crate) shopper: ShopperId,
    pub(crate) session_hash: [u8; 32],
    /// Of the store, and of the shopper.
    pub(crate) generations: (i64, i64),
}

impl Read for FindGuestSession {
    const NAME: &'static str = "find_carried";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<String>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (of_store, of_shopper) = self.generations;
        let args = [
            self.store_id.into(),
            (&self.shopper.0).into(),
            (&self.session_hash).into(),
            of_store.into(),
            of_shopper.into(),
        ];
        Ok(query.first(FIND.bind(&args)).await?)
    }
}

/// CheckRule the sessionids of a guest, and lets go of those that are revoked or too many.
pub(crate) async fn keep<T: wishbone_storage::Tx>(
    tx: &mut T,
    guest: &Regid,
    shopper: &ShopperId,
    generations: (i64, i64),
    sessions: &[GuestSession],
    now: Millis,
) -> Result<()> {
    let (of_store, of_shopper) = generations;
    let key = [guest.store_id.into(), (&shopper.0).into(), of_store.into(), of_shopper.into()];
    let rows: Vec<_> = sessions
        .iter()
        .map(|session| {
            let [store_id, shopper_id, of_store, of_shopper] = key;
            let (hash, device) = ((&session.hash).into(), (&session.device).into());
            [store_id, shopper_id, hash, (&guest.shopper.0).into(), device, of_store, of_shopper, now.into()]
        })
        .collect();
    let oldest = [key[0], key[1], MOST.into()];
    let mut batch: Vec<Bound<'_>> = vec![DELETE_REVOKED.bind(&key)];
    batch.extend(rows.iter().map(|row| INSERT.bind(row)));
    batch.push(DELETE_OLDEST.bind(&oldest));
    tx.execute_all(&batch).await?;
    Ok(())
}

statements! {
    FIND = "select device from carried_sessions
            where store_id = $1 and shopper_id = $2 and session_hash = $3 and store_generation = $4
              and shopper_generation = $5";
    INSERT = "insert into carried_sessions (store_id, shopper_id, session_hash, guest_id, device, store_generation,
                                            shopper_generation, created_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8)
              on conflict (store_id, shopper_id, session_hash) do update set
                guest_id = excluded.guest_id, device = excluded.device, store_generation = excluded.store_generation,
                shopper_generation = excluded.shopper_generation, created_at = excluded.created_at";
    DELETE_REVOKED = "delete from carried_sessions
                      where store_id = $1 and shopper_id = $2 and (store_generation <> $3 or shopper_generation <> $4)";
    DELETE_OLDEST = "delete from carried_sessions
                     where store_id = $1 and shopper_id = $2 and session_hash in
                       (select session_hash from carried_sessions where store_id = $1 and shopper_id = $2
                        order by created_at desc, session_hash limit 1000 offset $3)";
    pub(crate) DELETE_OF_GUEST = "delete from carried_sessions where store_id = $1 and shopper_id = $2 and guest_id = $3";
}
