//! Erases a person: deletes all data of one e-mail address, in steps that are small enough not to delay other writes.

use std::collections::BTreeSet;

use serde::Serialize;
use uuid::Uuid;
use wishbone_storage::{Arg, Bound, Database, FromRow, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::idempotency;
use crate::lists::changes::{self, ChangeKind, ListChange};
use crate::lists::delete;
use crate::mail::personal_data;
use crate::merging::journal;
use crate::merging::pending::require_settled;
use crate::merging::settle::settle_by_email;
use crate::moment::{Millis, Moment};
use crate::privacy::guest_expiry;
use crate::sharing::comments;
use crate::stores::admin::StoreAdmin;
use crate::subscriptions::remove;
use crate::tokens::ShopperId;
use crate::webhooks;
use crate::webhooks::personal_data::FindMentions;

/// Approximate rows that one step deletes.
const STEP_ROWS: i64 = 1_000;

/// What the deletion of a list costs besides its items and comments.
const LIST_ROWS: i64 = 10;

/// Events that one step deletes.
const STEP_EVENTS: i64 = 1_000;

/// Events that are searched at once.
const SEARCHED_EVENTS: i64 = 1_000;

/// The shopper id of an erased editor.
const ERASED_EDITOR: [u8; 16] = [0; 16];

/// The person to erase.
#[derive(Clone, Debug)]
pub struct Person {
    pub by: StoreAdmin,
    pub email: String,
    pub now: Millis,
}

/// The number of deleted rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    pub shoppers: u64,
    pub lists: u64,
    pub items: u64,
    pub comments: u64,
    pub subscriptions: u64,
    pub mails: u64,
    pub answers: u64,
    pub events: u64,
}

/// Deletes a person's lists, events and merges in several transactions, and revokes their sessions.
pub async fn erase_lists(database: &Database, person: &Person, moment: &(dyn Fn() -> Moment + Sync)) -> Result<Erased> {
    settle_by_email(database, person.by.store_id(), &person.email, moment).await?;
    let mut erased = Erased::default();
    loop {
        let step = database.write(EraseLists { person: person.clone() }).await?;
        erased.lists += step.lists;
        erased.items += step.items;
        erased.events += step.events;
        if !step.more {
            return Ok(erased);
        }
    }
}

/// Deletes some of the lists, then some of the events, then some of the merges. It can be repeated, also after a crash, until nothing is left.
struct EraseLists {
    person: Person,
}

#[derive(Default)]
struct StepResult {
    lists: u64,
    items: u64,
    events: u64,
    more: bool,
}

impl Write for EraseLists {
    const NAME: &'static str = "erase_lists";
    type Out = StepResult;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<StepResult> {
        let Some(shopper) = self.person.lock(tx).await? else { return Ok(StepResult::default()) };
        let store_id = self.person.by.store_id();
        require_settled(tx, store_id, &shopper).await?;
        journal::expire(tx, store_id, &shopper).await?;
        let mut step = StepResult::default();
        delete_lists(tx, store_id, &shopper, &mut step).await?;
        if !step.more
            && let Some(guest) = journal::guests_with_lists(tx, store_id, &shopper).await?.first()
        {
            delete_lists(tx, store_id, guest, &mut step).await?;
            step.more = true;
        }
        if !step.more {
            step.events = webhooks::personal_data::delete(tx, store_id, &shopper, STEP_EVENTS).await?;
            step.more = step.events > 0;
        }
        if !step.more {
            step.more = journal::purge_guests_of(tx, store_id, &shopper).await?;
        }
        Ok(step)
    }
}

/// Deletes the rest of a person's data, after the lists. Returns the total.
pub struct EraseShopper {
    pub person: Person,
    /// What [`erase_lists`] deleted.
    pub before: Erased,
}

impl Write for EraseShopper {
    const NAME: &'static str = "erase_shopper";
    type Out = Erased;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let Person { by, email, .. } = &self.person;
        let store_id = by.store_id();
        let (mut erased, mut changed) = (self.before, Vec::new());
        let shopper = self.person.lock(tx).await?;
        if let Some(shopper) = &shopper {
            let key = [store_id.into(), (&shopper.0).into()];
            require_settled(tx, store_id, shopper).await?;
            let mut step = StepResult::default();
            delete_lists(tx, store_id, shopper, &mut step).await?;
            if step.more || !journal::guests_with_lists(tx, store_id, shopper).await?.is_empty() {
                return Err(Error::new(Code::Overloaded, "lists were added during the erasure: call again"));
            }
            erased.lists += step.lists;
            erased.items += step.items;
            // What was written during the erasure.
            erased.events += webhooks::personal_data::delete(tx, store_id, shopper, STEP_EVENTS).await?;
            let commented = erase_comments(tx, &key).await?;
            erased.comments += commented.lists.len() as u64;
            changed = commented.changed;
            anonymize_editor(tx, &key).await?;
            while journal::purge_guests_of(tx, store_id, shopper).await? {}
            tx.execute(DELETE_SESSIONS.bind(&key)).await?;
            erased.subscriptions += tx.execute(remove::DELETE_SUBSCRIPTIONS.bind(&key)).await?;
            erased.subscriptions += tx.execute(remove::DELETE_SUBSCRIPTIONS_OF_GUESTS.bind(&key)).await?;
            erased.answers += tx.execute(DELETE_RESPONSES.bind(&key)).await?;
            tx.execute_all(&[changes::FORGET, changes::FORGET_GUESTS].map(|sql| sql.bind(&key))).await?;
            erased.shoppers += tx.execute(guest_expiry::DELETE.bind(&key)).await?;
        }
        erased.subscriptions += remove::delete_by_address(tx, store_id, email).await?;
        erased.mails += personal_data::delete_mails(tx, store_id, shopper.as_ref(), email).await?;
        changes::record_all(tx, store_id, &changed).await?;
        Ok(erased)
    }
}

/// Deletes traces of the person: stored responses to others and events of others, which may name editors and authors, and
/// deleted rows in the database's files.
pub async fn scrub(database: &Database, person: &Person) -> Result<()> {
    let (mut after, mut more) = (None, true);
    while more {
        let (store_id, address) = (person.by.store_id(), person.email.clone());
        let mentions = database.read_long(FindMentions { store_id, address, after, limit: SEARCHED_EVENTS }).await?;
        if !mentions.found.is_empty() {
            database.write(mentions.found).await?;
        }
        more = mentions.next.is_some();
        after = mentions.next;
    }
    let mut from = Some(idempotency::ResponseKey::default());
    while let Some(after) = from {
        let (store_id, address) = (person.by.store_id(), person.email.clone());
        let mentions = database.read_long(idempotency::FindMentions { store_id, address, after }).await?;
        if !mentions.found.is_empty() {
            database.write(mentions.found).await?;
        }
        from = mentions.next;
    }
    if database.purge_deleted().await? {
        return Ok(());
    }
    let message = "everything is deleted, but the files could not be scrubbed during a long read: call again";
    Err(Error::new(Code::Overloaded, message))
}

impl Person {
    /// Locks the shopper of the address, if any, and revokes all sessions.
    async fn lock<T: Tx>(&self, tx: &mut T) -> Result<Option<ShopperId>> {
        Ok(tx.first(LOCK.bind(&[self.now.into(), self.by.store_id().into(), (&self.email).into()])).await?)
    }
}

async fn delete_lists<T: Tx>(tx: &mut T, store_id: i64, shopper: &ShopperId, step: &mut StepResult) -> Result<()> {
    let mut capacity = STEP_ROWS;
    let shopper = [store_id.into(), (&shopper.0).into()];
    let lists: Vec<OwnedList> = tx.rows(LISTS.bind(&shopper)).await?;
    for OwnedList { list_id: list, items, comments } in lists {
        let cost = items + comments + LIST_ROWS;
        if cost > capacity && capacity < STEP_ROWS {
            step.more = true;
            break;
        }
        let key = [shopper[0], list.as_bytes().into()];
        if items > STEP_ROWS {
            // A list that is too long for one step: the oldest items first.
            let deleted = delete::delete_oldest_items(tx, &key, STEP_ROWS).await?;
            let deleted = deleted.ok_or_else(|| Error::internal("a list has fewer items than its count"))?;
            let count = i64::try_from(deleted).map_err(Error::internal)?;
            tx.execute(COUNT.bind(&[count.into(), key[0], key[1]])).await?;
            step.items += deleted;
            step.more = true;
            break;
        }
        step.items += delete::delete_all(tx, &key).await?;
        step.lists += 1;
        capacity -= cost;
        tx.execute(COUNT_DOWN.bind(&shopper)).await?;
    }
    Ok(())
}

/// Deletes the person's comments on other people's lists. Returns the list of each.
async fn erase_comments<T: Tx>(tx: &mut T, shopper: &[Arg<'_>; 2]) -> Result<Uncommented> {
    let mut locked = BTreeSet::new();
    // A comment may be deleted or moved to another list until its list is locked.
    let found = loop {
        let found = comments::keys_by_shopper(tx, shopper).await?;
        let unlocked: BTreeSet<Uuid> =
            found.iter().map(|(list, _)| *list).filter(|list| !locked.contains(list)).collect();
        if unlocked.is_empty() {
            break found;
        }
        let keys: Vec<[Arg<'_>; 2]> = unlocked.iter().map(|list| [shopper[0], list.as_bytes().into()]).collect();
        let batch: Vec<Bound<'_>> = keys.iter().map(|key| LOCK_LIST.bind(key)).collect();
        tx.execute_all(&batch).await?;
        locked.extend(unlocked);
    };
    let keys: Vec<[Arg<'_>; 3]> =
        found.iter().map(|(list, comment)| [shopper[0], list.as_bytes().into(), comment.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| UNCOUNT_COMMENT.bind(&key[..2])).collect();
    tx.execute_all(&batch).await?;
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| DELETE_COMMENT.bind(key)).collect();
    tx.execute_all(&batch).await?;
    let owners: Vec<Bound<'_>> = keys.iter().map(|key| changes::OWNER.bind(&key[..2])).collect();
    let mut changed = Vec::with_capacity(found.len());
    tx.query_all(&owners, &mut |number, row| {
        let owner = ShopperId::from_slice(row.blob(0)?)?.0;
        let change = ListChange { kind: ChangeKind::Updated, list_id: found[number].0, version: row.int(1)? };
        changed.push((owner, change));
        Ok(())
    })
    .await?;
    Ok(Uncommented { lists: found.into_iter().map(|(list, _)| list).collect(), changed })
}

/// The lists that have lost comments.
struct Uncommented {
    lists: Vec<Uuid>,
    /// To be recorded at the end of the write.
    changed: Vec<([u8; 16], ListChange)>,
}

/// Anonymizes the person's items and changes on other people's lists. The editor number stays in use, so that they are not
/// attributed to the next editor.
async fn anonymize_editor<T: Tx>(tx: &mut T, shopper: &[Arg<'_>; 2]) -> Result<()> {
    let edited: Vec<EditorKey> = tx.rows(EDITED.bind(shopper)).await?;
    let keys: Vec<[Arg<'_>; 4]> = edited
        .iter()
        .map(|EditorKey(list, number)| [(&ERASED_EDITOR).into(), shopper[0], list.as_bytes().into(), (*number).into()])
        .collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| ANONYMIZE_EDITOR.bind(key)).collect();
    tx.execute_all(&batch).await?;
    Ok(())
}

struct OwnedList {
    list_id: Uuid,
    items: i64,
    comments: i64,
}

impl FromRow for OwnedList {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { list_id: uuid(row, 0)?, items: row.int(1)?, comments: row.int(2)? })
    }
}

struct EditorKey(Uuid, i64);

impl FromRow for EditorKey {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(uuid(row, 0)?, row.int(1)?))
    }
}

statements! {
    LOCK = "update shoppers set generation = generation + 1, updated_at = $1 where store_id = $2 and email = $3
            returning shopper_id";
    LISTS = "select list_id, item_count, comment_count from lists where store_id = $1 and shopper_id = $2 order by ordinal";
    COUNT = "update lists set item_count = item_count - $1, version = version + 1 where store_id = $2 and list_id = $3";
    COUNT_DOWN = "update shoppers set list_count = list_count - 1 where store_id = $1 and shopper_id = $2";
    LOCK_LIST = "update lists set version = version where store_id = $1 and list_id = $2";
    UNCOUNT_COMMENT = "update lists set comment_count = comment_count - 1, version = version + 1, updated_at = updated_at + 1
                       where store_id = $1 and list_id = $2";
    DELETE_COMMENT = "delete from comments where store_id = $1 and list_id = $2 and comment_id = $3";
    EDITED = "select list_id, number from editors where store_id = $1 and shopper_id = $2";
    ANONYMIZE_EDITOR = "update editors set shopper_id = $1 where store_id = $2 and list_id = $3 and number = $4";
    DELETE_SESSIONS = "delete from guest_sessions where store_id = $1 and shopper_id = $2";
    DELETE_RESPONSES = "delete from idempotent_responses where store_id = $1 and caller = $2";
}
