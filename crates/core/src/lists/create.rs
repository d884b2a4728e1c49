//! Creating lists.

use uuid::Uuid;
use wishbone_storage::{Tx, Write};

use crate::error::{Code, Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::json::encode_properties;
use crate::lists::changes::{self, ChangeKind};
use crate::lists::events::record_list;
use crate::lists::row::{ListRow, WISHLIST};
use crate::moment::Moment;
use crate::webhooks::event_type::EventType;

/// The details of a list that a caller can set; `None` leaves one as it is.
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
        let list = create(tx, &self.by, &shopper, &self.list_type, &self.details, &self.moment).await?;
        changes::record(tx, self.by.store_id(), ChangeKind::Created, &list).await?;
        record_list(tx, &self.by, EventType::ListCreated, &list, &self.moment).await?;
        Ok(list)
    }
}

/// The id of the list that a call creates.
pub(crate) fn list_id(moment: &Moment) -> Uuid {
    moment.id(0)
}

pub(crate) async fn create<T: Tx>(
    tx: &mut T,
    by: &Shopper,
    shopper: &shoppers::LockedShopper,
    list_type: &str,
    details: &ListDetails,
    moment: &Moment,
) -> Result<ListRow> {
    let max = by.store().settings.max_lists;
    if shopper.list_count >= max {
        return Err(Error::new(
            Code::LimitReached,
            format!("a shopper can have at most {max} lists: delete one first"),
        ));
    }
    let list = ListRow {
        list_id: list_id(moment),
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
        ordinal: shopper.next_list,
        merged: false,
        wished_by: (list_type == WISHLIST).then_some(by.id().0),
        editors: Vec::new(),
    };
    let (list_id, record_id) = (list.list_id.into_bytes(), list.record_id.into_bytes());
    let insert = [
        by.store_id().into(),
        (&list_id).into(),
        (&list.shopper_id).into(),
        list.ordinal.into(),
        (&record_id).into(),
        (&list.list_type).into(),
        (&list.name).into(),
        list.note.as_ref().into(),
        list.description.as_ref().into(),
        list.properties.as_ref().into(),
        list.archived.into(),
        (&list.device).into(),
        list.created_at.into(),
        list.wished_by.as_ref().into(),
    ];
    let count = [by.store_id().into(), (&by.id().0).into()];
    tx.execute_all(&[INSERT.bind(&insert), COUNT_UP.bind(&count)]).await?;
    Ok(list)
}

statements! {
    COUNT_UP = "update shoppers set list_count = list_count + 1, next_list = next_list + 1
                where store_id = $1 and shopper_id = $2";
    INSERT = "insert into lists (store_id, list_id, shopper_id, ordinal, record_id, type, name, note, description,
                                 properties, public, archived, copying, device, item_count, comment_count, next_seq,
                                 version, created_at, updated_at, wished_by)
              values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, 0, $12, 0, 0, 0, 1, $13, $13, $14)";
}
