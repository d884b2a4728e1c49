//! Share links: a link lets its holder view a list, or edit its items, until it expires or is revoked. The key of a link is
//! accepted in place of a lid (see [`crate::lists::access`]).

use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::access::{self, Access, ListRef, ListTarget, Right, not_found};
use crate::lists::events::record_share;
use crate::lists::row::{self, ListRow};
use crate::moment::{Millis, Moment};

/// Links per list, few enough to be returned without paging.
pub(crate) const MAX_LINKS: i64 = 100;
pub const MAX_LABEL_LENGTH: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    View,
    Edit,
}

impl Scope {
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "view" => Ok(Self::View),
            "edit" => Ok(Self::Edit),
            _ => Err(Error::invalid("scope", "must be view or edit")),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Edit => "edit",
        }
    }
}

#[derive(Clone, Debug)]
pub struct ShareLink {
    pub link_id: Uuid,
    pub scope: Scope,
    /// The owner's note, such as the name of the recipient.
    pub label: Option<String>,
    /// The name that the owner shows to those who open the link.
    pub owner_name: Option<String>,
    pub expires_at: Option<Millis>,
    pub created_at: Millis,
}

impl FromRow for ShareLink {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            link_id: uuid(row, 0)?,
            scope: if row.flag(1)? { Scope::Edit } else { Scope::View },
            label: row.opt_text(2)?.map(str::to_owned),
            expires_at: row.opt_int(3)?,
            created_at: row.int(4)?,
            owner_name: row.opt_text(5)?.map(str::to_owned),
        })
    }
}

pub struct CreateShareLink {
    pub by: Shopper,
    pub list: ListTarget,
    pub scope: Scope,
    pub label: Option<String>,
    pub owner_name: Option<String>,
    pub expires_at: Option<Millis>,
    pub moment: Moment,
}

impl Write for CreateShareLink {
    const NAME: &'static str = "create_share_link";
    type Out = ShareLink;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ShareLink> {
        let (list, _) = access::lock(tx, &self.by, &self.list, Right::Own).await?;
        let link = ShareLink {
            link_id: self.moment.id(0),
            scope: self.scope,
            label: self.label.clone(),
            owner_name: self.owner_name.clone(),
            expires_at: self.expires_at,
            created_at: self.moment.now,
        };
        if !insert(tx, &self.by, &list, &link).await? {
            let message =
                format!("a list can have at most {MAX_LINKS} links: revoke some first with share-links/revoke");
            return Err(Error::new(Code::LimitReached, message));
        }
        record_share(tx, &self.by, &list, "link", &self.moment).await?;
        Ok(link)
    }
}

/// Adds a link to a list that is locked. False if it has too many, of which none has expired: those make room.
pub(crate) async fn insert<T: Tx>(tx: &mut T, by: &Shopper, list: &ListRow, link: &ShareLink) -> Result<bool> {
    let key = [by.store_id().into(), list.list_id.as_bytes().into()];
    let is_full = tx.first::<i64>(COUNT.bind(&key)).await?.unwrap_or(0) >= MAX_LINKS;
    if is_full && tx.execute(DELETE_EXPIRED.bind(&[key[0], key[1], link.created_at.into()])).await? == 0 {
        return Ok(false);
    }
    tx.execute(INSERT.bind(&[
        key[0],
        key[1],
        link.link_id.as_bytes().into(),
        (link.scope == Scope::Edit).into(),
        link.label.as_ref().into(),
        link.expires_at.into(),
        link.created_at.into(),
        link.owner_name.as_ref().into(),
    ]))
    .await?;
    Ok(true)
}

/// Lists the links of a list of the caller, oldest first.
pub struct ListShareLinks {
    pub by: Shopper,
    pub list: ListRef,
}

impl Read for ListShareLinks {
    const NAME: &'static str = "list_share_links";
    type Out = Vec<ShareLink>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let list = own_list(query, &self.by, &self.list).await?;
        of_list(query, &self.by, &list).await
    }
}

pub(crate) async fn of_list<Q: Query>(query: &mut Q, by: &Shopper, list: &ListRow) -> Result<Vec<ShareLink>> {
    let key = [by.store_id().into(), list.list_id.as_bytes().into()];
    Ok(query.rows(OF_LIST.bind(&key)).await?)
}

/// The links to revoke.
#[derive(Clone, Debug)]
pub enum LinkSelection {
    All,
    One(Uuid),
}

pub struct RevokeShareLinks {
    pub by: Shopper,
    pub list: ListTarget,
    pub links: LinkSelection,
}

impl Write for RevokeShareLinks {
    const NAME: &'static str = "revoke_share_links";
    /// The number of revoked links.
    type Out = u64;
    type Error = Error;

    /// Does not lock the list: a write through a link locks the link before the list.
    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64> {
        let list = own_list(tx, &self.by, &self.list.list).await?;
        self.list.check(&list)?;
        let key = [self.by.store_id().into(), list.list_id.as_bytes().into()];
        Ok(match &self.links {
            LinkSelection::All => tx.execute(DELETE_ALL.bind(&key)).await?,
            LinkSelection::One(link) => tx.execute(DELETE.bind(&[key[0], key[1], link.as_bytes().into()])).await?,
        })
    }
}

async fn own_list<Q: Query>(query: &mut Q, by: &Shopper, list: &ListRef) -> Result<ListRow> {
    let found = list.find(query, by).await?;
    let key = [by.store_id().into(), found.list_id.as_bytes().into()];
    let row: ListRow = query.first(row::FIND_ROW.bind(&key)).await?.ok_or_else(not_found)?;
    Access::new(by, &found, &row).require(Right::Own)?;
    Ok(row)
}

statements! {
    COUNT = "select count(*) from share_links where store_id = $1 and list_id = $2";
    INSERT = "insert into share_links (store_id, list_id, link_id, may_edit, label, expires_at, created_at, owner_name)
              values ($1, $2, $3, $4, $5, $6, $7, $8)";
    OF_LIST = "select link_id, may_edit, label, expires_at, created_at, owner_name from share_links
               where store_id = $1 and list_id = $2 order by created_at, link_id";
    DELETE = "delete from share_links where store_id = $1 and list_id = $2 and link_id = $3";
    DELETE_EXPIRED = "delete from share_links where store_id = $1 and list_id = $2 and expires_at <= $3";
    DELETE_ALL = "delete from share_links where store_id = $1 and list_id = $2";
}
