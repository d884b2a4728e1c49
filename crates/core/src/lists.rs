//! Lists: made, renamed, archived, deleted and fetched by the shopper who owns them.

use uuid::Uuid;
use wishbone_store::{Arg, FromRow, Query, Read, Row, Sql, Tx, Write};

use crate::access::{self, Access, ListTarget, Right};
use crate::caller::Shopper;
use crate::editors::{self, Editor};
use crate::items::NewestItems;
use crate::kept::{about_list, about_shopper};
use crate::record::{Parts, View, encode_properties};
use crate::words::KnownWords;
use crate::{Code, Error, Millis, Moment, Result, copies, shares, shoppers};

pub const LONGEST_NAME: usize = 100;
pub const LONGEST_TYPE: usize = 50;
pub const WISHLIST: &str = "wl";
pub const SAVE_FOR_LATER: &str = "_saveForLater";
const SAVE_FOR_LATER_SHORT: &str = "sfl";

/// A list as it is kept.
#[derive(Clone, Debug)]
pub struct ListRow {
    pub list_id: Uuid,
    pub shopper_id: [u8; 16],
    pub record_id: Uuid,
    pub list_type: String,
    pub name: String,
    pub note: Option<String>,
    pub description: Option<String>,
    /// Encoded.
    pub properties: Option<String>,
    pub public: bool,
    pub archived: bool,
    pub copying: bool,
    pub device: String,
    pub item_count: i64,
    pub comment_count: i64,
    pub next_seq: i64,
    pub version: i64,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// The number of the editor who changed it last; `None` is its owner.
    pub changed_by: Option<i64>,
    /// Who besides its owner has changed it; not known of a list that was only locked.
    pub editors: Vec<Editor>,
}

impl FromRow for ListRow {
    fn from_row(row: &dyn Row) -> wishbone_store::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            shopper_id: row.blob(1)?.try_into().map_err(wishbone_store::Error::bug)?,
            record_id: uuid(row, 2)?,
            list_type: row.text(3)?.to_owned(),
            name: row.text(4)?.to_owned(),
            note: row.opt_text(5)?.map(str::to_owned),
            description: row.opt_text(6)?.map(str::to_owned),
            properties: row.opt_text(7)?.map(str::to_owned),
            public: row.flag(8)?,
            archived: row.flag(9)?,
            copying: row.flag(10)?,
            device: row.text(11)?.to_owned(),
            item_count: row.int(12)?,
            comment_count: row.int(13)?,
            next_seq: row.int(14)?,
            version: row.int(15)?,
            created_at: row.int(16)?,
            updated_at: row.int(17)?,
            changed_by: row.opt_int(18)?,
            editors: Vec::new(),
        })
    }
}

/// A list comes in several rows when several people have edited it.
pub(crate) fn gather(lists: &mut Vec<ListRow>, row: &dyn Row) -> wishbone_store::Result<()> {
    let editor = Editor::from_columns(row, ListRow::COLUMNS)?;
    let known = lists.last().is_some_and(|list| list.list_id.as_bytes() == row.blob(0).unwrap_or_default());
    if !known {
        lists.push(ListRow::from_row(row)?);
    }
    if let Some(list) = lists.last_mut() {
        list.editors.extend(editor);
    }
    Ok(())
}

pub(crate) fn uuid(row: &dyn Row, column: usize) -> wishbone_store::Result<Uuid> {
    Uuid::from_slice(row.blob(column)?).map_err(wishbone_store::Error::bug)
}

impl ListRow {
    const COLUMNS: usize = 19;

    pub fn is_save_for_later(&self) -> bool {
        is_save_for_later(&self.list_type)
    }
}

pub(crate) fn is_save_for_later(list_type: &str) -> bool {
    [SAVE_FOR_LATER, SAVE_FOR_LATER_SHORT].contains(&list_type)
}

/// What a caller says of a list; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct ListDetails {
    pub name: Option<String>,
    pub note: Option<String>,
    pub description: Option<String>,
    pub properties: Option<serde_json::Map<String, serde_json::Value>>,
    pub archived: Option<bool>,
}

impl ListDetails {
    pub fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.note.is_none()
            && self.description.is_none()
            && self.properties.is_none()
            && self.archived.is_none()
    }
}

pub struct CreateList {
    pub by: Shopper,
    pub list_type: String,
    pub details: ListDetails,
    pub moment: Moment,
}

impl Write for CreateList {
    const NAME: &'static str = "create_list";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let shopper = shoppers::lock_caller(tx, &self.by, self.moment.now).await?;
        tx.touches_only(&[about_shopper(self.by.store_id(), self.by.id())]);
        create(tx, &self.by, &shopper, &self.list_type, &self.details, &self.moment).await
    }
}

pub(crate) async fn create<T: Tx>(
    tx: &mut T,
    by: &Shopper,
    shopper: &shoppers::LockedShopper,
    list_type: &str,
    details: &ListDetails,
    moment: &Moment,
) -> Result<ListRow> {
    let most = by.store().settings.max_lists;
    if shopper.list_count >= most {
        return Err(Error::new(
            Code::LimitReached,
            format!("a shopper of this store can have {most} lists: delete one first"),
        ));
    }
    let list = ListRow {
        list_id: moment.id(0),
        shopper_id: by.id().0,
        record_id: moment.id(1),
        list_type: list_type.to_owned(),
        name: details.name.clone().unwrap_or_default(),
        note: details.note.clone().filter(|note| !note.is_empty()),
        description: details.description.clone().filter(|text| !text.is_empty()),
        properties: details.properties.as_ref().map(encode_properties),
        public: false,
        archived: details.archived.unwrap_or(false),
        copying: false,
        device: by.device().to_owned(),
        item_count: 0,
        comment_count: 0,
        next_seq: 0,
        version: 1,
        created_at: moment.now,
        updated_at: moment.now,
        changed_by: None,
        editors: Vec::new(),
    };
    let (list_id, record_id) = (list.list_id.into_bytes(), list.record_id.into_bytes());
    let insert = [
        by.store_id().into(),
        (&list_id).into(),
        (&list.shopper_id).into(),
        shopper.next_list.into(),
        (&record_id).into(),
        (&list.list_type).into(),
        (&list.name).into(),
        list.note.as_ref().into(),
        list.description.as_ref().into(),
        list.properties.as_ref().into(),
        list.archived.into(),
        (&list.device).into(),
        list.created_at.into(),
    ];
    let count = [by.store_id().into(), (&by.id().0).into()];
    tx.execute_all(&[INSERT.bind(&insert), COUNT_UP.bind(&count)]).await?;
    Ok(list)
}

pub struct UpdateList {
    pub by: Shopper,
    pub list: ListTarget,
    pub details: ListDetails,
    pub moment: Moment,
}

impl Write for UpdateList {
    const NAME: &'static str = "update_list";
    type Out = (ListRow, Access);
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<Self::Out> {
        let details = &self.details;
        // Editors may name and describe a list; to put it away is its owner's.
        let right = if details.archived.is_some() { Right::Own } else { Right::Edit };
        let (mut list, access) = access::lock(tx, &self.by, &self.list, right).await?;
        tx.touches_only(&[about_list(self.by.store_id(), &list.list_id)]);
        if let Some(name) = &details.name {
            list.name.clone_from(name);
        }
        if let Some(note) = &details.note {
            list.note = Some(note.clone()).filter(|note| !note.is_empty());
        }
        if let Some(description) = &details.description {
            list.description = Some(description.clone()).filter(|text| !text.is_empty());
        }
        if let Some(properties) = &details.properties {
            list.properties = Some(encode_properties(properties));
        }
        if let Some(archived) = details.archived {
            list.archived = archived;
        }
        list.changed_by = editors::number(tx, &self.by, &access, &list.list_id).await?;
        save(tx, &self.by, &mut list, &self.moment).await?;
        Ok((list, access))
    }
}

/// Keeps what was changed of a list's own row.
async fn save<T: Tx>(tx: &mut T, by: &Shopper, list: &mut ListRow, moment: &Moment) -> Result<()> {
    list.updated_at = moment.after(list.updated_at);
    list.version += 1;
    tx.execute(UPDATE.bind(&[
        (&list.name).into(),
        list.note.as_ref().into(),
        list.description.as_ref().into(),
        list.properties.as_ref().into(),
        list.public.into(),
        list.archived.into(),
        list.updated_at.into(),
        list.version.into(),
        list.changed_by.into(),
        by.store_id().into(),
        list.list_id.as_bytes().into(),
    ]))
    .await?;
    Ok(())
}

/// Lets anyone who knows the lid read a list, or takes that back.
pub struct MarkPublic {
    pub by: Shopper,
    pub list: ListTarget,
    pub public: bool,
    pub moment: Moment,
}

impl Write for MarkPublic {
    const NAME: &'static str = "mark_public";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let (mut list, _) = access::lock(tx, &self.by, &self.list, Right::Own).await?;
        tx.touches_only(&[about_list(self.by.store_id(), &list.list_id)]);
        if list.public != self.public {
            list.public = self.public;
            list.changed_by = None;
            save(tx, &self.by, &mut list, &self.moment).await?;
        }
        Ok(list)
    }
}

pub struct DeleteList {
    pub by: Shopper,
    pub list: ListTarget,
    pub moment: Moment,
}

impl Write for DeleteList {
    const NAME: &'static str = "delete_list";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let (store_id, shopper) = (self.by.store_id(), &self.by.id().0);
        // The shopper before the list, as everywhere: two orders of locks would wait for each other.
        tx.execute(COUNT_DOWN.bind(&[store_id.into(), shopper.into()])).await?;
        let (list, _) = access::lock(tx, &self.by, &self.list, Right::Own).await?;
        // Who duplicates a list and deletes the old one at once has all of it in the new one.
        copies::finish_from(tx, store_id, &list, self.moment.now).await?;
        let args = [store_id.into(), list.list_id.as_bytes().into()];
        tx.execute_all(&DELETE_ALL.map(|statement| statement.bind(&args))).await?;
        Ok(list)
    }
}

/// The caller's lists, oldest first, as encoded records without contents.
pub struct FetchUserLists {
    pub by: Shopper,
    pub include_archived: bool,
}

impl Read for FetchUserLists {
    const NAME: &'static str = "fetch_user_lists";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let args = [self.by.store_id().into(), (&self.by.id().0).into(), self.include_archived.into()];
        let mut lists = Vec::new();
        query.query_all(&[OF_SHOPPER.bind(&args)], &mut |_, row| gather(&mut lists, row)).await?;
        let view = View::own(&self.by);
        let parts = Parts { people_as_null: true, ..Parts::default() };
        Ok(lists
            .iter()
            .map(|list| {
                let mut out = Vec::new();
                view.write_list(&mut out, list, &parts);
                out
            })
            .collect())
    }
}

/// The caller's lists, oldest first, each with its newest items, as encoded records. Two statements,
/// however many lists there are.
pub struct FetchLists {
    pub by: Shopper,
    pub list_type: Option<String>,
    pub include_archived: bool,
    /// What need not be looked up.
    pub words: Option<KnownWords>,
}

impl Read for FetchLists {
    const NAME: &'static str = "fetch_lists";
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let args = [self.by.store_id().into(), (&self.by.id().0).into(), self.include_archived.into()];
        let mut lists = Vec::new();
        let mut newest = NewestItems::new(View::own(&self.by), self.words.as_ref());
        query
            .query_all(&[OF_SHOPPER.bind(&args), newest.statement(&args)], &mut |number, row| match number {
                0 => gather(&mut lists, row),
                _ => newest.visit(&lists, row),
            })
            .await?;
        let newest = newest.finish(query, self.by.store_id()).await?;
        let wanted = |(_, list): &(usize, &ListRow)| match self.list_type.as_deref() {
            None => true,
            Some(SAVE_FOR_LATER | SAVE_FOR_LATER_SHORT) => list.is_save_for_later(),
            Some(list_type) => list.list_type == list_type,
        };
        let view = View::own(&self.by);
        Ok(lists
            .iter()
            .enumerate()
            .filter(wanted)
            .map(|(number, list)| {
                let mut out = Vec::new();
                let parts = Parts {
                    contents: Some(newest.get(number).map_or(&[], Vec::as_slice)),
                    with_userinfo: true,
                    with_rights: true,
                    people_as_null: false,
                };
                view.write_list(&mut out, list, &parts);
                out
            })
            .collect())
    }
}

/// All lists of a shopper, archived ones too, oldest first.
pub(crate) async fn all_of<Q: Query>(query: &mut Q, by: &Shopper) -> Result<Vec<ListRow>> {
    let args = [by.store_id().into(), (&by.id().0).into(), true.into()];
    let mut lists = Vec::new();
    query.query_all(&[OF_SHOPPER.bind(&args)], &mut |_, row| gather(&mut lists, row)).await?;
    Ok(lists)
}

/// The caller's save-for-later list: the oldest of that type that is not archived, else the oldest.
pub(crate) async fn find_save_for_later<Q: Query>(query: &mut Q, by: &Shopper) -> Result<Option<ListRow>> {
    let args = [by.store_id().into(), (&by.id().0).into(), SAVE_FOR_LATER.into(), SAVE_FOR_LATER_SHORT.into()];
    let mut lists: Vec<ListRow> = Vec::new();
    query.query_all(&[SAVED.bind(&args)], &mut |_, row| gather(&mut lists, row)).await?;
    let chosen = lists.iter().position(|list| !list.archived).unwrap_or(0);
    Ok((!lists.is_empty()).then(|| lists.swap_remove(chosen)))
}

macro_rules! columns {
    ($of:literal) => {
        concat_columns!($of; "list_id" "shopper_id" "record_id" "type" "name" "note" "description" "properties" "public"
            "archived" "copying" "device" "item_count" "comment_count" "next_seq" "version" "created_at" "updated_at"
            ; "changed_by")
    };
}

macro_rules! concat_columns {
    ($of:literal; $($name:literal)*; $last:literal) => { concat!($($of, $name, ", ",)* $of, $last) };
}

macro_rules! with_editors {
    ($condition:literal) => {
        concat!(
            "select ",
            columns!("l."),
            ", e.number, s.email
            from lists l left join editors e on e.store_id = l.store_id and e.list_id = l.list_id
                 left join shoppers s on s.store_id = e.store_id and s.shopper_id = e.shopper_id
            where l.store_id = $1 and ",
            $condition
        )
    };
}

/// Deletes the oldest items of a list that is too long for one transaction; answers how many, or `None` where it is not.
pub(crate) async fn delete_oldest_items<T: Tx>(tx: &mut T, list: &[Arg<'_>; 2], most: i64) -> Result<Option<u64>> {
    let mut edge = None;
    tx.query_all(&[EDGE.bind(&[list[0], list[1], most.into()])], &mut |_, row| {
        edge = Some((row.int(0)?, row.int(1)?));
        Ok(())
    })
    .await?;
    let Some((added_at, seq)) = edge else { return Ok(None) };
    Ok(Some(tx.execute(DELETE_BEFORE.bind(&[list[0], list[1], added_at.into(), seq.into()])).await?))
}

/// Everything that goes with a list, its items first.
pub(crate) const DELETE_ALL: [Sql; 7] =
    [DELETE_ITEMS, DELETE_EDITORS, DELETE_COMMENTS, DELETE_LINKS, copies::FINISH, shares::DELETE_OF_LIST, DELETE];

statements! {
    pub(crate) FIND = with_editors!("l.list_id = $2");
    pub(crate) LOCK = concat!("update lists set version = version where store_id = $1 and list_id = $2 returning ", columns!(""));
    OF_SHOPPER = with_editors!("l.shopper_id = $2 and (l.archived = 0 or $3 = 1) order by l.ordinal");
    SAVED = with_editors!("l.shopper_id = $2 and l.type in ($3, $4) order by l.ordinal");
    COUNT_UP = "update shoppers set list_count = list_count + 1, next_list = next_list + 1
                where store_id = $1 and shopper_id = $2";
    COUNT_DOWN = "update shoppers set list_count = list_count - 1 where store_id = $1 and shopper_id = $2";
    INSERT = "insert into lists (store_id, list_id, shopper_id, ordinal, record_id, type, name, note, description,
                                 properties, public, archived, copying, device, item_count, comment_count, next_seq,
                                 version, created_at, updated_at)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, 0, $12, 0, 0, 0, 1, $13, $13)";
    UPDATE = "update lists set name = $1, note = $2, description = $3, properties = $4, public = $5, archived = $6,
                               updated_at = $7, version = $8, changed_by = $9
              where store_id = $10 and list_id = $11";
    EDGE = "select added_at, seq from items where store_id = $1 and list_id = $2 order by added_at, seq limit 1 offset $3";
    DELETE_BEFORE = "delete from items where store_id = $1 and list_id = $2 and (added_at, seq) < ($3, $4)";
    DELETE_ITEMS = "delete from items where store_id = $1 and list_id = $2";
    DELETE_EDITORS = "delete from editors where store_id = $1 and list_id = $2";
    DELETE_COMMENTS = "delete from comments where store_id = $1 and list_id = $2";
    DELETE_LINKS = "delete from share_links where store_id = $1 and list_id = $2";
    pub(crate) DELETE = "delete from lists where store_id = $1 and list_id = $2";
}
