//! Sessionids of guests that stay valid for the shopper after a login: a page that was open during the login has no other.

use wishbone_storage::{Bound, Query, Read};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::tokens::{self, Regid, ShopperId};

/// Sessions per shopper. The oldest are deleted; those devices use the sessionid that the login returned.
const MAX_SESSIONS: i64 = 50;

/// A session to be stored.
pub(crate) struct GuestSession {
    hash: [u8; 32],
    /// The device that records showed before the login, and show after it.
    device: String,
}

impl GuestSession {
    pub(crate) fn new(guest: &Regid, sessionid: &str) -> Self {
        let hash = tokens::session_hash(guest.store_id, sessionid);
        Self { hash, device: tokens::device(guest, sessionid) }
    }
}

/// Finds the device of a guest's sessionid that was not revoked.
pub(crate) struct FindGuestSession {
    pub(crate) store_id: i64,
    pub(crate) shopper: ShopperId,
    pub(crate) session_hash: [u8; 32],
    /// The generations of the store and of the shopper.
    pub(crate) generations: (i64, i64),
}

impl Read for FindGuestSession {
    const NAME: &'static str = "find_guest_session";
    const SINGLE_STATEMENT: bool = true;
    type Out = Option<String>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let (store_generation, shopper_generation) = self.generations;
        let args = [
            self.store_id.into(),
            (&self.shopper.0).into(),
            (&self.session_hash).into(),
            store_generation.into(),
            shopper_generation.into(),
        ];
        Ok(query.first(FIND.bind(&args)).await?)
    }
}

/// Stores the sessionids of a guest, and deletes those that are revoked or too many.
pub(crate) async fn save<T: wishbone_storage::Tx>(
    tx: &mut T,
    guest: &Regid,
    shopper: &ShopperId,
    generations: (i64, i64),
    sessions: &[GuestSession],
    now: Millis,
) -> Result<()> {
    let (store_generation, shopper_generation) = generations;
    let key = [guest.store_id.into(), (&shopper.0).into(), store_generation.into(), shopper_generation.into()];
    let rows: Vec<_> = sessions
        .iter()
        .map(|session| {
            let [store_id, shopper_id, store_generation, shopper_generation] = key;
            let (hash, device) = ((&session.hash).into(), (&session.device).into());
            [
                store_id,
                shopper_id,
                hash,
                (&guest.shopper.0).into(),
                device,
                store_generation,
                shopper_generation,
                now.into(),
            ]
        })
        .collect();
    let oldest = [key[0], key[1], MAX_SESSIONS.into()];
    let mut batch: Vec<Bound<'_>> = vec![DELETE_REVOKED.bind(&key)];
    batch.extend(rows.iter().map(|row| INSERT.bind(row)));
    batch.push(DELETE_OLDEST.bind(&oldest));
    tx.execute_all(&batch).await?;
    Ok(())
}

statements! {
    FIND = "select device from guest_sessions
            where store_id = $1 and shopper_id = $2 and session_hash = $3 and store_generation = $4
              and shopper_generation = $5";
    INSERT = "insert into guest_sessions (store_id, shopper_id, session_hash, guest_id, device, store_generation,
                                            shopper_generation, created_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8)
              on conflict (store_id, shopper_id, session_hash) do update set
                guest_id = excluded.guest_id, device = excluded.device, store_generation = excluded.store_generation,
                shopper_generation = excluded.shopper_generation, created_at = excluded.created_at";
    DELETE_REVOKED = "delete from guest_sessions
                      where store_id = $1 and shopper_id = $2 and (store_generation <> $3 or shopper_generation <> $4)";
    DELETE_OLDEST = "delete from guest_sessions
                     where store_id = $1 and shopper_id = $2 and session_hash in
                       (select session_hash from guest_sessions where store_id = $1 and shopper_id = $2
                        order by created_at desc, session_hash limit 1000 offset $3)";
    pub(crate) DELETE_OF_GUEST = "delete from guest_sessions where store_id = $1 and shopper_id = $2 and guest_id = $3";
}
