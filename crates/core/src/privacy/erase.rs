//! Forgetting a person: everything that is kept of one address goes, in steps that are small enough for others to get
//! their turn in between.

use std::collections::BTreeSet;

use serde::Serialize;
use uuid::Uuid;
use wishbone_storage::{Arg, Bound, Database, FromRow, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::idempotency;
use crate::lists::delete;
use crate::mail::queue;
use crate::merging::journal;
use crate::moment::Millis;
use crate::privacy::guest_expiry;
use crate::sharing::comments;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::remove;
use crate::tokens::ShopperId;

/// Rows that one step removes, about.
const STEP: i64 = 20_000;

/// Answers that one step looks through.
const ANSWERS: i64 = 1_000;

/// In the place of an editor who was erased.
const NOBODY: [u8; 16] = [0; 16];

/// Whom to forget.
#[derive(Clone, Debug)]
pub struct Person {
    pub by: StoreAdmin,
    pub email: String,
    pub now: Millis,
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    pub shoppers: u64,
    pub lists: u64,
    pub items: u64,
    pub comments: u64,
    pub subscriptions: u64,
    pub mails: u64,
    pub answers: u64,
}

/// Removes a person's lists, which may take several steps, and ends their sessions.
pub async fn erase_lists(database: &Database, person: &Person) -> Result<Erased> {
    let mut erased = Erased::default();
    loop {
        let step = database.write(EraseLists { person: person.clone() }).await?;
        erased.lists += step.lists;
        erased.items += step.items;
        if !step.more {
            return Ok(erased);
        }
    }
}

/// One step: repeated, also after a crash, it goes on where it was.
struct EraseLists {
    person: Person,
}

#[derive(Default)]
struct Step {
    lists: u64,
    items: u64,
    more: bool,
}

impl Write for EraseLists {
    const NAME: &'static str = "erase_lists";
    type Out = Step;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Step> {
        match self.person.lock(tx).await? {
            None => Ok(Step::default()),
            Some(shopper) => remove_lists(tx, &[self.person.by.store_id().into(), (&shopper.0).into()]).await,
        }
    }
}

/// Removes what is left of a person once the lists are gone; answers the sum of both.
pub struct EraseShopper {
    pub person: Person,
    /// What was removed before.
    pub before: Erased,
}

impl Write for EraseShopper {
    const NAME: &'static str = "erase_shopper";
    type Out = Erased;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Erased> {
        let Person { by, email, .. } = &self.person;
        let store_id = by.store_id();
        let mut erased = self.before;
        let shopper = self.person.lock(tx).await?;
        if let Some(shopper) = &shopper {
            let key = [store_id.into(), (&shopper.0).into()];
            let step = remove_lists(tx, &key).await?;
            if step.more {
                return Err(Error::new(Code::Overloaded, "new lists came in while erasing: call again"));
            }
            erased.lists += step.lists;
            erased.items += step.items;
            erased.comments += erase_comments(tx, &key).await?;
            erase_from_editors(tx, &key).await?;
            journal::forget_guests_of(tx, store_id, shopper).await?;
            tx.execute(DELETE_SESSIONS.bind(&key)).await?;
            erased.subscriptions += tx.execute(remove::DELETE_SUBSCRIPTIONS.bind(&key)).await?;
            erased.answers += tx.execute(DELETE_ANSWERS.bind(&key)).await?;
            erased.shoppers += tx.execute(guest_expiry::DELETE.bind(&key)).await?;
        }
        erased.subscriptions += remove::forget_address(tx, store_id, email).await?;
        erased.mails += queue::forget_person(tx, store_id, shopper.as_ref(), email).await?;
        Ok(erased)
    }
}

/// Leaves no trace of what was removed: in answers that are kept for others, who were told who edits their lists, and
/// in files that are ours.
pub async fn scrub(database: &Database, person: &Person) -> Result<()> {
    let mut from = Some(idempotency::PurgeCursor::default());
    while let Some(place) = from {
        let (store_id, address) = (person.by.store_id(), person.email.clone());
        from = database.write(idempotency::PurgeMentions { store_id, address, from: place, most: ANSWERS }).await?;
    }
    if database.purge_deleted().await? {
        return Ok(());
    }
    let message = "everything is deleted, but a reader kept the files from being cleaned: call again in a moment";
    Err(Error::new(Code::Overloaded, message))
}

impl Person {
    /// Locks the shopper of the address, if there is one, and ends all sessions.
    async fn lock<T: Tx>(&self, tx: &mut T) -> Result<Option<ShopperId>> {
        Ok(tx.first(LOCK.bind(&[self.now.into(), self.by.store_id().into(), (&self.email).into()])).await?)
    }
}

async fn remove_lists<T: Tx>(tx: &mut T, shopper: &[Arg<'_>; 2]) -> Result<Step> {
    let mut step = Step::default();
    let mut room = STEP;
    let lists: Vec<OwnList> = tx.rows(LISTS.bind(shopper)).await?;
    for OwnList(list, items) in lists {
        if items > room && room < STEP {
            step.more = true;
            break;
        }
        let key = [shopper[0], list.as_bytes().into()];
        if items > STEP {
            // Too long for one step: its oldest items first.
            let gone = delete::delete_oldest_items(tx, &key, STEP).await?;
            let gone = gone.ok_or_else(|| Error::internal("a list is shorter than it says"))?;
            let count = i64::try_from(gone).map_err(Error::internal)?;
            tx.execute(COUNT.bind(&[count.into(), key[0], key[1]])).await?;
            step.items += gone;
            step.more = true;
            break;
        }
        step.items += tx.execute_all(&delete::DELETE_ALL.map(|statement| statement.bind(&key))).await?[0];
        step.lists += 1;
        room -= items;
        tx.execute(COUNT_DOWN.bind(shopper)).await?;
    }
    Ok(step)
}

/// What the person said on other people's lists.
async fn erase_comments<T: Tx>(tx: &mut T, shopper: &[Arg<'_>; 2]) -> Result<u64> {
    let mut locked = BTreeSet::new();
    // Until its list is locked a comment may still be deleted, or move to another list.
    let places = loop {
        let places = comments::places(tx, shopper).await?;
        let found: BTreeSet<Uuid> =
            places.iter().map(|(list, _)| *list).filter(|list| !locked.contains(list)).collect();
        if found.is_empty() {
            break places;
        }
        let keys: Vec<[Arg<'_>; 2]> = found.iter().map(|list| [shopper[0], list.as_bytes().into()]).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| LOCK_LIST.bind(key)).collect();
        tx.execute_all(&batch).await?;
        locked.extend(found);
    };
    let keys: Vec<[Arg<'_>; 3]> =
        places.iter().map(|(list, comment)| [shopper[0], list.as_bytes().into(), comment.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| UNCOUNT_COMMENT.bind(&key[..2])).collect();
    tx.execute_all(&batch).await?;
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE_COMMENT.bind(key)).collect();
    Ok(tx.execute_all(&batch).await?.iter().sum())
}

/// Other people's lists keep the items that this person brought, but not who it was. The number stays taken: the next
/// editor must not be named for what this one did.
async fn erase_from_editors<T: Tx>(tx: &mut T, shopper: &[Arg<'_>; 2]) -> Result<()> {
    let places: Vec<Place> = tx.rows(EDITED.bind(shopper)).await?;
    let keys: Vec<[Arg<'_>; 4]> = places
        .iter()
        .map(|Place(list, number)| [(&NOBODY).into(), shopper[0], list.as_bytes().into(), (*number).into()])
        .collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FORGET_EDITOR.bind(key)).collect();
    tx.execute_all(&batch).await?;
    Ok(())
}

struct OwnList(Uuid, i64);

impl FromRow for OwnList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(uuid(row, 0)?, row.int(1)?))
    }
}

struct Place(Uuid, i64);

impl FromRow for Place {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(uuid(row, 0)?, row.int(1)?))
    }
}

statements! {
    LOCK = "update shoppers set generation = generation + 1, updated_at = $1 where store_id = $2 and email = $3
            returning shopper_id";
    LISTS = "select list_id, item_count from lists where store_id = $1 and shopper_id = $2 order by ordinal";
    COUNT = "update lists set item_count = item_count - $1, version = version + 1 where store_id = $2 and list_id = $3";
    COUNT_DOWN = "update shoppers set list_count = list_count - 1 where store_id = $1 and shopper_id = $2";
    LOCK_LIST = "update lists set version = version where store_id = $1 and list_id = $2";
    UNCOUNT_COMMENT = "update lists set comment_count = comment_count - 1, version = version + 1, updated_at = updated_at + 1
                       where store_id = $1 and list_id = $2";
    DELETE_COMMENT = "delete from comments where store_id = $1 and list_id = $2 and comment_id = $3";
    EDITED = "select list_id, number from editors where store_id = $1 and shopper_id = $2";
    FORGET_EDITOR = "update editors set shopper_id = $1 where store_id = $2 and list_id = $3 and number = $4";
    DELETE_SESSIONS = "delete from carried_sessions where store_id = $1 and shopper_id = $2";
    DELETE_ANSWERS = "delete from answers where store_id = $1 and caller = $2";
}
