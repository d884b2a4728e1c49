//! Comments on the items of a list, by everyone who may edit it.

use uuid::Uuid;
use wishbone_storage::{Arg, Bound, FromRow, Query, Read, Row, Tx, Write};

use crate::decode::uuid;
use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::json::Object;
use crate::lists::access::{self, Access, ListRef, ListTarget, Right, not_found};
use crate::lists::changes::{self, ChangeKind};
use crate::lists::row::{self, ListRow};
use crate::moment::{Millis, Moment};

pub const MAX_COMMENT_LENGTH: usize = 1_000;
pub const MAX_NAME_LENGTH: usize = 100;

/// Comments per list, so that a list cannot be used to store data.
pub(crate) const MAX_COMMENTS: i64 = 1_000;

/// A comment as one caller may see it.
#[derive(Clone, Debug)]
pub struct Comment {
    pub comment_id: Uuid,
    pub variant_id: i64,
    /// The name that the author entered.
    pub name: Option<String>,
    pub text: String,
    pub created_at: Millis,
    pub is_mine: bool,
    pub is_owners: bool,
    /// The author's address, for the list's logged-in owner.
    pub email: Option<String>,
}

impl Comment {
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.uuid("id", &self.comment_id);
        object.int("epi", self.variant_id);
        object.text("text", &self.text);
        object.opt_text("fromname", self.name.as_deref());
        object.int("cts", self.created_at);
        object.flag("mine", self.is_mine);
        object.flag("byowner", self.is_owners);
        object.opt_text("cby", self.email.as_deref());
        object.close();
    }
}

/// The result of adding or deleting a comment.
#[derive(Clone, Debug)]
pub struct Commented {
    pub comment: Option<Comment>,
    pub comment_count: i64,
    pub list_version: i64,
}

pub struct AddComment {
    pub by: Shopper,
    pub list: ListTarget,
    pub variant_id: i64,
    pub name: Option<String>,
    pub text: String,
    pub moment: Moment,
}

impl Write for AddComment {
    const NAME: &'static str = "add_comment";
    type Out = Commented;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Commented> {
        // A login of the author at the same time either merges this comment, or comes first and fails this call.
        shoppers::lock_caller(tx, &self.by, self.moment.now).await?;
        let (mut list, access) = access::lock(tx, &self.by, &self.list, Right::Edit).await?;
        let key = [self.by.store_id().into(), list.list_id.as_bytes().into(), self.variant_id.into()];
        if tx.first::<i64>(ITEM.bind(&key)).await?.is_none() {
            return Err(Error::new(Code::ItemNotFound, "this variant is not in the list: add it first"));
        }
        if list.comment_count >= MAX_COMMENTS {
            let message = format!("a list can have at most {MAX_COMMENTS} comments: delete some first");
            return Err(Error::new(Code::LimitReached, message));
        }
        let comment = Comment {
            comment_id: self.moment.id(0),
            variant_id: self.variant_id,
            name: self.name.clone(),
            text: self.text.clone(),
            created_at: self.moment.after(list.updated_at),
            is_mine: true,
            is_owners: access.is_owner(),
            email: self.by.email().filter(|_| access.is_owner()).map(str::to_owned),
        };
        tx.execute(INSERT.bind(&[
            key[0],
            key[1],
            key[2],
            comment.created_at.into(),
            comment.comment_id.as_bytes().into(),
            (&self.by.id().0).into(),
            comment.name.as_ref().into(),
            (&comment.text).into(),
        ]))
        .await?;
        touch(tx, &self.by, &mut list, 1, &self.moment).await?;
        Ok(Commented { comment: Some(comment), comment_count: list.comment_count, list_version: list.version })
    }
}

/// Deletes a comment. Authors may delete their own comments, the list's owner may delete any.
pub struct DeleteComment {
    pub by: Shopper,
    pub list: ListTarget,
    pub comment: Uuid,
    pub moment: Moment,
}

impl Write for DeleteComment {
    const NAME: &'static str = "delete_comment";
    type Out = Commented;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Commented> {
        let (mut list, access) = access::lock(tx, &self.by, &self.list, Right::Read).await?;
        let key = [self.by.store_id().into(), list.list_id.as_bytes().into(), self.comment.as_bytes().into()];
        let found: Option<CommentRow> = tx.first(FIND.bind(&key)).await?;
        let comment = found.map(|row| row.seen_by(&self.by, &access, &list));
        if let Some(comment) = &comment {
            if !comment.is_mine && !access.is_owner() {
                let message =
                    "this comment belongs to another shopper: only its author or the owner of the list can delete it";
                return Err(Error::new(Code::Forbidden, message));
            }
            tx.execute(DELETE.bind(&key)).await?;
            touch(tx, &self.by, &mut list, -1, &self.moment).await?;
        }
        Ok(Commented { comment, comment_count: list.comment_count, list_version: list.version })
    }
}

/// Writes the comment count. It is part of the list's record, so the version rises.
async fn touch<T: Tx>(tx: &mut T, by: &Shopper, list: &mut ListRow, change: i64, moment: &Moment) -> Result<()> {
    list.comment_count += change;
    list.version += 1;
    list.updated_at = moment.after(list.updated_at);
    let args = [
        list.comment_count.into(),
        list.version.into(),
        list.updated_at.into(),
        by.store_id().into(),
        list.list_id.as_bytes().into(),
    ];
    tx.execute(TOUCH.bind(&args)).await?;
    changes::record(tx, by.store_id(), ChangeKind::Updated, list).await?;
    Ok(())
}

/// Fetches the comments on one item, or on all items of a list by item, oldest first.
pub struct ListComments {
    pub by: Shopper,
    pub list: ListRef,
    pub variant_id: Option<i64>,
    pub limit: i64,
    pub offset: i64,
    /// Comments whose texts are longer, all together, are left out, but for the one that exceeds it.
    pub max_bytes: usize,
}

/// The comments of a call.
#[derive(Debug)]
pub struct Comments {
    pub total: i64,
    pub comments: Vec<Comment>,
}

impl Read for ListComments {
    const NAME: &'static str = "list_comments";
    type Out = Comments;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Comments> {
        let found = self.list.find(query, &self.by).await?;
        let key = [self.by.store_id().into(), found.list_id.as_bytes().into()];
        let list: ListRow = query.first(row::FIND.bind(&key)).await?.ok_or_else(not_found)?;
        let access = Access::new(&self.by, &found, &list);
        access.require(Right::Read)?;
        let (limit, offset) = (self.limit.into(), self.offset.into());
        let variant = self.variant_id.unwrap_or_default().into();
        let (of_list, of_item) = ([key[0], key[1], limit, offset], [key[0], key[1], variant, limit, offset]);
        let (total, statement) = match self.variant_id {
            None => (list.comment_count, OF_LIST.bind(&of_list)),
            Some(_) => (query.first(COUNT.bind(&of_item[..3])).await?.unwrap_or(0), OF_ITEM.bind(&of_item)),
        };
        let (mut comments, mut bytes) = (Vec::new(), 0);
        query
            .query_all(&[statement], &mut |_, row| {
                let comment = CommentRow::from_row(row)?.seen_by(&self.by, &access, &list);
                let length = comment.text.len();
                if bytes <= self.max_bytes {
                    comments.push(comment);
                }
                bytes += length;
                Ok(())
            })
            .await?;
        Ok(Comments { total, comments })
    }
}

/// Returns all comments on one of the shopper's own lists.
pub(crate) async fn all_of_list<Q: Query>(query: &mut Q, by: &Shopper, list: &ListRow) -> Result<Vec<Comment>> {
    let args = [by.store_id().into(), list.list_id.as_bytes().into(), i64::MAX.into(), 0.into()];
    let rows: Vec<CommentRow> = query.rows(OF_LIST.bind(&args)).await?;
    Ok(rows.into_iter().map(|row| row.seen_by(by, &Access::of_owner(), list)).collect())
}

/// Returns list and id of every comment by the shopper, sorted.
pub(crate) async fn keys_by_shopper<Q: Query>(query: &mut Q, shopper: &[Arg<'_>; 2]) -> Result<Vec<(Uuid, Uuid)>> {
    let mut keys = Vec::new();
    query
        .query_all(&[BY_SHOPPER.bind(shopper)], &mut |_, row| {
            keys.push((uuid(row, 0)?, uuid(row, 1)?));
            Ok(())
        })
        .await?;
    keys.sort_unstable();
    Ok(keys)
}

/// Returns all comments by the shopper, oldest first.
pub(crate) async fn by_shopper<Q: Query>(query: &mut Q, by: &Shopper) -> Result<Vec<Comment>> {
    let shopper = [by.store_id().into(), (&by.id().0).into()];
    let found = keys_by_shopper(query, &shopper).await?;
    let keys: Vec<[Arg<'_>; 3]> =
        found.iter().map(|(list, comment)| [shopper[0], list.as_bytes().into(), comment.as_bytes().into()]).collect();
    let batch: Vec<Bound<'_>> = keys.iter().map(|key| FIND.bind(key)).collect();
    let mut comments = Vec::new();
    query
        .query_all(&batch, &mut |_, row| {
            comments.push(Comment { is_mine: true, ..CommentRow::from_row(row)?.comment });
            Ok(())
        })
        .await?;
    comments.sort_by_key(|comment| comment.created_at);
    Ok(comments)
}

struct CommentRow {
    shopper_id: Vec<u8>,
    email: Option<String>,
    comment: Comment,
}

impl FromRow for CommentRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let comment = Comment {
            comment_id: uuid(row, 0)?,
            variant_id: row.int(1)?,
            name: row.opt_text(2)?.map(str::to_owned),
            text: row.text(3)?.to_owned(),
            created_at: row.int(4)?,
            is_mine: false,
            is_owners: false,
            email: None,
        };
        Ok(Self { shopper_id: row.blob(5)?.to_owned(), email: row.opt_text(6)?.map(str::to_owned), comment })
    }
}

impl CommentRow {
    fn seen_by(self, by: &Shopper, access: &Access, list: &ListRow) -> Comment {
        let shows_addresses = access.is_owner() && by.email().is_some();
        Comment {
            is_mine: self.shopper_id == by.id().0,
            is_owners: self.shopper_id == list.shopper_id,
            email: self.email.filter(|_| shows_addresses),
            ..self.comment
        }
    }
}

macro_rules! comments {
    ($condition:literal) => {
        concat!(
            "select c.comment_id, c.variant_id, c.name, c.text, c.created_at, c.shopper_id, s.email
             from comments c left join shoppers s on s.store_id = $1 and s.shopper_id = c.shopper_id
             where c.store_id = $1 and c.list_id = $2",
            $condition
        )
    };
}

statements! {
    ITEM = "select variant_id from items where store_id = $1 and list_id = $2 and variant_id = $3";
    INSERT = "insert into comments (store_id, list_id, variant_id, created_at, comment_id, shopper_id, name, text)
              values ($1, $2, $3, $4, $5, $6, $7, $8)";
    TOUCH = "update lists set comment_count = $1, version = $2, updated_at = $3 where store_id = $4 and list_id = $5";
    FIND = comments!(" and c.comment_id = $3");
    DELETE = "delete from comments where store_id = $1 and list_id = $2 and comment_id = $3";
    COUNT = "select count(*) from comments where store_id = $1 and list_id = $2 and variant_id = $3";
    OF_ITEM = comments!(" and c.variant_id = $3 order by c.created_at, c.comment_id limit $4 offset $5");
    BY_SHOPPER = "select list_id, comment_id from comments where store_id = $1 and shopper_id = $2";
    OF_LIST = comments!(" order by c.variant_id, c.created_at, c.comment_id limit $3 offset $4");
}
