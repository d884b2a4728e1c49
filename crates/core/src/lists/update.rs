//! Renaming, archiving and publishing lists.

use wishbone_storage::{Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::json::encode_properties;
use crate::lists::access::{self, Access, ListTarget, Right};
use crate::lists::changes::{self, ChangeKind};
use crate::lists::create::ListDetails;
use crate::lists::editors;
use crate::lists::events::{record_list, record_share};
use crate::lists::row::ListRow;
use crate::moment::Moment;
use crate::webhooks::event_type::EventType;

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
        // Editors may rename and describe a list; only its owner may archive it.
        let right = if details.archived.is_some() { Right::Own } else { Right::Edit };
        let (mut list, access) = access::lock(tx, &self.by, &self.list, right).await?;
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
        record_list(tx, &self.by, EventType::ListUpdated, &list, &self.moment).await?;
        Ok((list, access))
    }
}

/// Writes a list's changed details, and raises its version.
pub(crate) async fn save<T: Tx>(tx: &mut T, by: &Shopper, list: &mut ListRow, moment: &Moment) -> Result<()> {
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
    changes::record(tx, by.store_id(), ChangeKind::Updated, list).await
}

/// Makes a list public, that is readable by anyone who knows its lid, or private again.
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
        if list.public != self.public {
            list.public = self.public;
            list.changed_by = None;
            save(tx, &self.by, &mut list, &self.moment).await?;
            record_list(tx, &self.by, EventType::ListUpdated, &list, &self.moment).await?;
            if self.public {
                record_share(tx, &self.by, &list, "public", &self.moment).await?;
            }
        }
        Ok(list)
    }
}

statements! {
    UPDATE = "update lists set name = $1, note = $2, description = $3, properties = $4, public = $5, archived = $6,
                               updated_at = $7, version = $8, changed_by = $9
              where store_id = $10 and list_id = $11";
}
