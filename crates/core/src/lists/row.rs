//! The list's row, its editors and its lookups.

use uuid::Uuid;
use wishbone_storage::{FromRow, Row};

use crate::decode::uuid;
use crate::moment::Millis;

pub const MAX_NAME_LENGTH: usize = 100;
pub const MAX_TYPE_LENGTH: usize = 50;
pub const WISHLIST: &str = "wl";
pub const SAVE_FOR_LATER: &str = "_saveForLater";
pub(crate) const SAVE_FOR_LATER_SHORT: &str = "sfl";

/// A row of `lists`.
#[derive(Clone, Debug)]
pub struct ListRow {
    pub list_id: Uuid,
    pub shopper_id: [u8; 16],
    pub record_id: Uuid,
    pub list_type: String,
    pub name: String,
    pub note: Option<String>,
    pub description: Option<String>,
    /// Encoded as JSON.
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
    /// The editor number of the last change; `None` is the owner.
    pub changed_by: Option<i64>,
    /// The place among the shopper's lists.
    pub ordinal: i64,
    /// True if the list moved to the shopper in a merge that can still be undone.
    pub merged: bool,
    /// Who created a wishlist, for [`crate::lists::wishes`].
    pub(crate) wished_by: Option<[u8; 16]>,
    /// Only loaded where they are shown.
    pub editors: Vec<Editor>,
}

impl FromRow for ListRow {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            list_id: uuid(row, 0)?,
            shopper_id: row.blob(1)?.try_into().map_err(wishbone_storage::Error::bug)?,
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
            ordinal: row.int(19)?,
            merged: row.flag(20)?,
            wished_by: row.opt_blob(21)?.map(<[u8; 16]>::try_from).transpose().map_err(wishbone_storage::Error::bug)?,
            editors: Vec::new(),
        })
    }
}

/// Adds a row of a statement made by [`with_editors`], which returns one row per list and editor.
pub(crate) fn collect_row(lists: &mut Vec<ListRow>, row: &dyn Row) -> wishbone_storage::Result<()> {
    let editor = Editor::from_columns(row, ListRow::COLUMNS)?;
    let is_loaded = lists.last().is_some_and(|list| list.list_id.as_bytes() == row.blob(0).unwrap_or_default());
    if !is_loaded {
        lists.push(ListRow::from_row(row)?);
    }
    if let Some(list) = lists.last_mut() {
        list.editors.extend(editor);
    }
    Ok(())
}

impl ListRow {
    const COLUMNS: usize = 22;

    pub fn is_save_for_later(&self) -> bool {
        is_save_for_later(&self.list_type)
    }
}

pub(crate) fn is_save_for_later(list_type: &str) -> bool {
    [SAVE_FOR_LATER, SAVE_FOR_LATER_SHORT].contains(&list_type)
}

/// The types that a filter by type accepts, as arguments of a statement: save-for-later lists have two. Both are empty for
/// lists of every type.
pub(crate) fn equal_types(list_type: Option<&str>) -> (&str, &str) {
    match list_type {
        Some(SAVE_FOR_LATER | SAVE_FOR_LATER_SHORT) => (SAVE_FOR_LATER, SAVE_FOR_LATER_SHORT),
        Some(list_type) => (list_type, list_type),
        None => ("", ""),
    }
}

macro_rules! columns {
    ($of:literal) => {
        $crate::lists::row::concat_columns!($of; "list_id" "shopper_id" "record_id" "type" "name" "note" "description" "properties" "public"
            "archived" "copying" "device" "item_count" "comment_count" "next_seq" "version" "created_at" "updated_at"
            "changed_by" "ordinal" "merged"; "wished_by")
    };
}
pub(crate) use columns;

macro_rules! concat_columns {
    ($of:literal; $($name:literal)*; $last:literal) => { concat!($($of, $name, ", ",)* $of, $last) };
}
pub(crate) use concat_columns;

macro_rules! with_editors {
    ($condition:expr) => {
        concat!(
            "select ",
            $crate::lists::row::columns!("l."),
            ", e.number, s.email
            from lists l left join editors e on e.store_id = $1 and e.list_id = l.list_id
                 left join shoppers s on s.store_id = $1 and s.shopper_id = e.shopper_id
            where l.store_id = $1 and ",
            $condition
        )
    };
}
pub(crate) use with_editors;

#[derive(Clone, Debug)]
pub struct Editor {
    pub number: i64,
    pub email: Option<String>,
}

impl Editor {
    /// The number of all editors who are not logged in. They get no row: with a link anyone could create thousands.
    pub(crate) const ANONYMOUS: i64 = 0;

    /// Reads two columns; `None` if the row has no editor.
    pub(crate) fn from_columns(row: &dyn Row, at: usize) -> wishbone_storage::Result<Option<Self>> {
        let Some(number) = row.opt_int(at)? else { return Ok(None) };
        Ok(Some(Self { number, email: row.opt_text(at + 1)?.map(str::to_owned) }))
    }
}

/// The id of a list, as the only column of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListId(pub(crate) Uuid);

impl FromRow for ListId {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        uuid(row, 0).map(Self)
    }
}

statements! {
    pub(crate) FIND = with_editors!("l.list_id = $2");
    pub(crate) FIND_ROW = concat!("select ", columns!(""), " from lists where store_id = $1 and list_id = $2");
    pub(crate) VERSION = "select version from lists where store_id = $1 and list_id = $2";
    pub(crate) LOCK = concat!("update lists set version = version where store_id = $1 and list_id = $2 returning ", columns!(""));
}
