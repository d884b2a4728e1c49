//! Resolves the list that a call names, by lid or by the key of a share link, and what its caller may do with it.

use std::sync::Arc;

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Row, Tx};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::row::{self, ListRow};
use crate::moment::Millis;
use crate::tokens::Keys;

/// What a call says of the list that it is about.
#[derive(Clone, Debug)]
pub struct ListRef(Name);

#[derive(Clone, Debug)]
enum Name {
    Id(Uuid),
    Link(LinkName),
    /// Neither a lid nor a key of ours.
    Unknown,
}

#[derive(Clone, Debug)]
struct LinkName {
    link_id: Uuid,
    key: Arc<str>,
    /// When it was used: links expire.
    now: Millis,
}

const LINK: &[u8] = b"share link";

/// The key of a link: signed, so that nothing has to be stored that a thief of the database could use.
pub fn link_key(keys: &Keys, by: &Shopper, link_id: &Uuid) -> String {
    keys.seal(LINK, &[&by.store_id().to_be_bytes()], link_id.as_bytes())
}

/// What a key of this store opens.
pub fn link_id(keys: &Keys, by: &Shopper, key: &str) -> Option<Uuid> {
    Uuid::from_slice(&keys.unseal(LINK, &[&by.store_id().to_be_bytes()], key)?).ok()
}

impl ListRef {
    /// Never fails: a text that names no list is not found once everything else of the call has been checked.
    pub fn parse(keys: &Keys, by: &Shopper, text: &str, now: Millis) -> Self {
        if let Ok(id) = Uuid::try_parse(text) {
            return Self(Name::Id(id));
        }
        let link = link_id(keys, by, text).map(|link_id| Name::Link(LinkName { link_id, key: text.into(), now }));
        Self(link.unwrap_or(Name::Unknown))
    }

    pub(crate) async fn find<Q: Query>(&self, query: &mut Q, by: &Shopper) -> Result<ResolvedList> {
        match &self.0 {
            Name::Id(id) => Ok(ResolvedList { list_id: *id, link: None }),
            Name::Link(name) => {
                let args = [by.store_id().into(), name.link_id.as_bytes().into()];
                name.found(query.first(FIND_LINK.bind(&args)).await?)
            }
            Name::Unknown => Err(not_found()),
        }
    }

    /// As [`Self::find`], and whoever takes the link back waits until this write is done.
    async fn find_and_hold<T: Tx>(&self, tx: &mut T, by: &Shopper) -> Result<ResolvedList> {
        match &self.0 {
            Name::Link(name) => {
                let args = [by.store_id().into(), name.link_id.as_bytes().into()];
                name.found(tx.first(HOLD_LINK.bind(&args)).await?)
            }
            _ => self.find(tx, by).await,
        }
    }
}

impl From<Uuid> for ListRef {
    fn from(id: Uuid) -> Self {
        Self(Name::Id(id))
    }
}

impl LinkName {
    fn found(&self, row: Option<LinkRow>) -> Result<ResolvedList> {
        match row {
            Some(row) if row.expires_at.is_none_or(|at| self.now < at) => {
                let link = LinkAccess { key: Arc::clone(&self.key), may_edit: row.may_edit };
                Ok(ResolvedList { list_id: row.list_id, link: Some(link) })
            }
            _ => Err(Error::new(
                Code::ListNotFound,
                "this link has expired or was taken back: ask the owner of the list for a new one",
            )),
        }
    }
}

struct LinkRow {
    list_id: Uuid,
    may_edit: bool,
    expires_at: Option<Millis>,
}

impl FromRow for LinkRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self { list_id: uuid(row, 0)?, may_edit: row.flag(1)?, expires_at: row.opt_int(2)? })
    }
}

/// Where a name leads.
pub(crate) struct ResolvedList {
    pub(crate) list_id: Uuid,
    link: Option<LinkAccess>,
}

#[derive(Clone, Debug)]
struct LinkAccess {
    key: Arc<str>,
    may_edit: bool,
}

/// What a call wants to do with a list; each right contains the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Right {
    Read,
    Edit,
    Own,
}

/// What a caller may do with a list, and by which name they know it.
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

    /// A visitor goes on using the link: the list's own lid would lead them nowhere.
    pub(crate) fn key(&self) -> Option<&str> {
        self.link.as_ref().filter(|_| !self.is_owner).map(|link| &*link.key)
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
        Right::Read => "its owner can make it public or give you a link",
        Right::Edit => "its owner can give you a link with the scope edit",
        Right::Own => "use the regid of its owner",
    };
    Error::new(Code::Forbidden, format!("this list belongs to another shopper: {remedy}"))
}

pub fn not_found() -> Error {
    Error::new(Code::ListNotFound, "no list of this store has this lid: fetch-user-lists gives the lids of a shopper")
}

/// The list that a write is about, and the version that its caller has seen, if that matters to them.
#[derive(Clone, Debug)]
pub struct ListTarget {
    pub list: ListRef,
    pub if_version: Option<i64>,
}

impl ListTarget {
    /// Refuses when the list is not as the caller has seen it.
    pub(crate) fn check(&self, list: &ListRow) -> Result<()> {
        match self.if_version {
            Some(seen) if seen != list.version => Err(Error::version_conflict(seen, list.version)),
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
    let found = target.list.find_and_hold(tx, by).await?;
    let args = [by.store_id().into(), found.list_id.as_bytes().into()];
    let list: ListRow = tx.first(row::LOCK.bind(&args)).await?.ok_or_else(not_found)?;
    let access = Access::new(by, &found, &list);
    access.require(right)?;
    target.check(&list)?;
    Ok((list, access))
}

statements! {
    FIND_LINK = "select list_id, may_edit, expires_at from share_links where store_id = $1 and link_id = $2";
    HOLD_LINK = "update share_links set may_edit = may_edit where store_id = $1 and link_id = $2
                 returning list_id, may_edit, expires_at";
}
