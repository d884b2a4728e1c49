//! Resolves the list that a call names, by lid or by the key of a share link, and the rights of its caller.

use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{Bound, FromRow, Query, Row, Tx};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::row::{self, ListRow};
use crate::moment::Millis;
use crate::tokens::Keys;

/// The reference to a list in a call.
#[derive(Clone, Debug)]
pub struct ListRef(Reference);

#[derive(Clone, Debug)]
enum Reference {
    Id(Uuid),
    Link(LinkRef),
    /// Neither a lid nor a valid key.
    Unknown,
}

#[derive(Clone, Debug)]
struct LinkRef {
    link_id: Uuid,
    key: Arc<str>,
    /// The time of the call: links expire.
    now: Millis,
}

const LINK_PURPOSE: &[u8] = b"share link";

/// The key of a link. It is a signature, so that a stolen database contains no usable key.
pub(crate) fn link_key(keys: &Keys, store_id: i64, link_id: &Uuid) -> String {
    keys.seal(LINK_PURPOSE, &[&store_id.to_be_bytes()], link_id.as_bytes())
}

/// The link of a key, if the key is valid in this store.
pub fn link_id(keys: &Keys, by: &Shopper, key: &str) -> Option<Uuid> {
    Uuid::from_slice(&keys.unseal(LINK_PURPOSE, &[&by.store_id().to_be_bytes()], key)?).ok()
}

impl ListRef {
    /// Never fails: a text that refers to no list is reported as not found, after the other parameters are checked.
    pub fn parse(keys: &Keys, by: &Shopper, text: &str, now: Millis) -> Self {
        if let Ok(id) = Uuid::try_parse(text) {
            return Self(Reference::Id(id));
        }
        let link = link_id(keys, by, text).map(|link_id| Reference::Link(LinkRef { link_id, key: text.into(), now }));
        Self(link.unwrap_or(Reference::Unknown))
    }

    pub(crate) async fn find<Q: Query>(&self, query: &mut Q, by: &Shopper) -> Result<ResolvedList> {
        match &self.0 {
            Reference::Id(id) => Ok(ResolvedList { list_id: *id, link: None }),
            Reference::Link(link) => {
                let args = [by.store_id().into(), link.link_id.as_bytes().into()];
                link.resolve(query.first(FIND_LINK.bind(&args)).await?)
            }
            Reference::Unknown => Err(not_found()),
        }
    }

    /// Like [`Self::find`], but locks a link, so that revoking it waits for this write.
    pub(crate) async fn find_and_lock<T: Tx>(&self, tx: &mut T, by: &Shopper) -> Result<ResolvedList> {
        match &self.0 {
            Reference::Link(link) => {
                let args = [by.store_id().into(), link.link_id.as_bytes().into()];
                link.resolve(tx.first(LOCK_LINK.bind(&args)).await?)
            }
            _ => self.find(tx, by).await,
        }
    }
}

impl From<Uuid> for ListRef {
    fn from(id: Uuid) -> Self {
        Self(Reference::Id(id))
    }
}

impl LinkRef {
    fn resolve(&self, row: Option<LinkRow>) -> Result<ResolvedList> {
        match row {
            Some(row) if row.expires_at.is_none_or(|at| self.now < at) => {
                let link =
                    LinkAccess { key: Arc::clone(&self.key), may_edit: row.may_edit, owner_name: row.owner_name };
                Ok(ResolvedList { list_id: row.list_id, link: Some(link) })
            }
            _ => Err(Error::new(
                Code::ListNotFound,
                "this link has expired or was revoked: ask the owner of the list for a new one",
            )),
        }
    }
}

struct LinkRow {
    list_id: Uuid,
    may_edit: bool,
    expires_at: Option<Millis>,
    owner_name: Option<String>,
}

impl FromRow for LinkRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            may_edit: row.flag(1)?,
            expires_at: row.opt_int(2)?,
            owner_name: row.opt_text(3)?.map(str::to_owned),
        })
    }
}

/// The list that a reference leads to.
pub(crate) struct ResolvedList {
    pub(crate) list_id: Uuid,
    link: Option<LinkAccess>,
}

#[derive(Clone, Debug)]
struct LinkAccess {
    key: Arc<str>,
    may_edit: bool,
    owner_name: Option<String>,
}

/// A right on a list; each includes the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Right {
    Read,
    Edit,
    Own,
}

/// The rights of a caller on a list, and the link that they use.
#[derive(Clone, Debug)]
pub struct Access {
    is_owner: bool,
    is_public: bool,
    link: Option<LinkAccess>,
}

impl Access {
    pub(crate) fn of_owner() -> Self {
        Self { is_owner: true, is_public: false, link: None }
    }

    pub(crate) fn new(by: &Shopper, found: &ResolvedList, list: &ListRow) -> Self {
        Self { is_owner: list.shopper_id == by.id().0, is_public: list.public, link: found.link.clone() }
    }

    pub fn is_owner(&self) -> bool {
        self.is_owner
    }

    pub fn may_edit(&self) -> bool {
        self.is_owner || self.link.as_ref().is_some_and(|link| link.may_edit)
    }

    /// The key that a visitor knows the list by; `None` for its owner, and for a list known by its lid.
    pub(crate) fn key(&self) -> Option<&str> {
        self.link.as_ref().filter(|_| !self.is_owner).map(|link| &*link.key)
    }

    /// The name that the owner shows to those who use the link.
    pub(crate) fn owner_name(&self) -> Option<&str> {
        self.link.as_ref().and_then(|link| link.owner_name.as_deref())
    }

    pub(crate) fn require(&self, right: Right) -> Result<()> {
        let granted = match right {
            Right::Read => self.is_owner || self.is_public || self.link.is_some(),
            Right::Edit => self.may_edit(),
            Right::Own => self.is_owner,
        };
        if granted { Ok(()) } else { Err(forbidden(right)) }
    }
}

fn forbidden(right: Right) -> Error {
    let remedy = match right {
        Right::Read => "ask its owner to make it public or to share a link",
        Right::Edit => "ask its owner for a link with the scope edit",
        Right::Own => "use the regid of its owner",
    };
    Error::new(Code::Forbidden, format!("this list belongs to another shopper: {remedy}"))
}

pub fn not_found() -> Error {
    Error::new(Code::ListNotFound, "list not found: get the lids of a shopper with fetch-user-lists")
}

/// The list of a write, and the version that its caller expects, if any.
#[derive(Clone, Debug)]
pub struct ListTarget {
    pub list: ListRef,
    pub if_version: Option<i64>,
}

impl ListTarget {
    /// Fails if the list does not have the expected version.
    pub(crate) fn check(&self, list: &ListRow) -> Result<()> {
        match self.if_version {
            Some(expected) if expected != list.version => Err(Error::version_conflict(expected, list.version)),
            _ => Ok(()),
        }
    }
}

impl From<Uuid> for ListTarget {
    fn from(id: Uuid) -> Self {
        Self { list: id.into(), if_version: None }
    }
}

/// Locks a list on which the caller has a right.
pub(crate) async fn lock<T: Tx>(
    tx: &mut T,
    by: &Shopper,
    target: &ListTarget,
    right: Right,
) -> Result<(ListRow, Access)> {
    let found = target.list.find_and_lock(tx, by).await?;
    lock_and_read(tx, by, (target, &found), right, &[], &mut |_, _| Ok(())).await
}

/// Locks a list that was found, and runs statements about it in the same round trip. Each of them sees what was committed
/// before the list was locked.
pub(crate) async fn lock_and_read<T: Tx>(
    tx: &mut T,
    by: &Shopper,
    (target, found): (&ListTarget, &ResolvedList),
    right: Right,
    statements: &[Bound<'_>],
    visit: &mut (dyn FnMut(usize, &dyn Row) -> wishbone_storage::Result<()> + Send),
) -> Result<(ListRow, Access)> {
    let args = [by.store_id().into(), found.list_id.as_bytes().into()];
    let batch: Vec<Bound<'_>> = std::iter::once(row::LOCK.bind(&args)).chain(statements.iter().copied()).collect();
    let mut list = None;
    tx.query_all(&batch, &mut |number, row| match number.checked_sub(1) {
        None => {
            list = Some(ListRow::from_row(row)?);
            Ok(())
        }
        Some(number) => visit(number, row),
    })
    .await?;
    let list = list.ok_or_else(not_found)?;
    let access = Access::new(by, found, &list);
    access.require(right)?;
    target.check(&list)?;
    Ok((list, access))
}

statements! {
    FIND_LINK = "select list_id, may_edit, expires_at, owner_name from share_links where store_id = $1 and link_id = $2";
    LOCK_LINK = "update share_links set may_edit = may_edit where store_id = $1 and link_id = $2
                 returning list_id, may_edit, expires_at, owner_name";
}
