//! A shared list as the page behind its share link shows it, and as a mail leads to it.

use serde::Deserialize;
use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::json;
use crate::lists::access::link_key;
use crate::lists::row::{self, ListRow};
use crate::mail::customization::{MailContext, load};
use crate::mail::message::{MAX_SENDER_LENGTH, MessageItem};
use crate::mail::text::MailText;
use crate::moment::Millis;
use crate::stores::record;
use crate::tokens::Keys;

const PURPOSE: &[u8] = b"shared page";

/// Items on a page.
const PAGE: i64 = 24;

/// A share link, as the caller of the page that it leads to.
#[derive(Clone, Copy, Debug)]
pub struct SharedLink {
    store_id: i64,
    link_id: Uuid,
}

impl SharedLink {
    pub fn new(store_id: i64, link_id: Uuid) -> Self {
        Self { store_id, link_id }
    }

    /// The token in the address of the page. Unlike the key, it says which store it is of.
    pub fn token(&self, keys: &Keys) -> String {
        keys.seal(PURPOSE, &[], &[&self.store_id.to_be_bytes()[..], self.link_id.as_bytes()].concat())
    }

    pub fn of_token(keys: &Keys, token: &str) -> Option<Self> {
        let body = keys.unseal(PURPOSE, &[], token)?;
        let (store_id, link_id) = body.split_first_chunk()?;
        Some(Self { store_id: i64::from_be_bytes(*store_id), link_id: Uuid::from_slice(link_id).ok()? })
    }

    /// The key of the link, which calls take in place of a lid.
    pub fn key(&self, keys: &Keys) -> String {
        link_key(keys, self.store_id, &self.link_id)
    }
}

/// Finds the store of a link, and how its pages look.
pub struct FindSharedContext {
    pub by: SharedLink,
}

impl Read for FindSharedContext {
    const NAME: &'static str = "find_shared_context";
    /// `None` if the store does not exist.
    type Out = Option<MailContext>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let store_id = self.by.store_id;
        let Some(store) = query.first(record::BY_ID.bind(&[store_id.into()])).await? else { return Ok(None) };
        Ok(Some(MailContext { store, language: None, customization: load(query, store_id).await? }))
    }
}

/// The place of an item in the list: newest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub added_at: Millis,
    pub seq: i64,
}

impl Place {
    /// Before all items.
    pub const START: Self = Self { added_at: i64::MAX, seq: i64::MAX };
}

/// A page of a shared list. All texts are untrusted.
#[derive(Clone, Debug)]
pub struct SharedList {
    pub name: MailText,
    /// The name that the owner shows.
    pub owner: Option<MailText>,
    pub note: Option<MailText>,
    pub count: i64,
    pub items: Vec<SharedItem>,
    /// The place of the last item, if there are more.
    pub next: Option<Place>,
}

#[derive(Clone, Debug)]
pub struct SharedItem {
    pub item: MessageItem,
    pub note: Option<MailText>,
    place: Place,
}

#[derive(Deserialize)]
struct Noted {
    note: Option<String>,
}

impl FromRow for SharedItem {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let place = Place { added_at: row.int(4)?, seq: row.int(5)? };
        let Noted { note } = json::from_members(row.text(1)?).map_err(wishbone_storage::Error::bug)?;
        Ok(Self { item: MessageItem::from_row(row)?, note: note.as_deref().and_then(visible), place })
    }
}

/// A text on several lines, if there is something to see.
fn visible(text: &str) -> Option<MailText> {
    Some(MailText::lines(text)).filter(|text| !text.is_empty())
}

/// Finds a page of the list that a link leads to.
pub struct FindSharedList {
    pub by: SharedLink,
    /// The last item of the page before.
    pub after: Place,
    pub now: Millis,
}

impl Read for FindSharedList {
    const NAME: &'static str = "find_shared_list";
    /// `None` if the link has expired or was revoked.
    type Out = Option<SharedList>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let SharedLink { store_id, link_id } = self.by;
        let link: Option<Link> = query.first(LINK.bind(&[store_id.into(), link_id.as_bytes().into()])).await?;
        let Some(link) = link.filter(|link| link.expires_at.is_none_or(|at| self.now < at)) else { return Ok(None) };
        let key = [store_id.into(), link.list_id.as_bytes().into()];
        let Some(list) = query.first::<ListRow>(row::FIND_ROW.bind(&key)).await? else { return Ok(None) };
        let Place { added_at, seq } = self.after;
        // One more than are shown tells whether there are more.
        let args = [key[0], key[1], added_at.into(), seq.into(), (PAGE + 1).into()];
        let mut items: Vec<SharedItem> = query.rows(ITEMS.bind(&args)).await?;
        let shown = usize::try_from(PAGE).unwrap_or(usize::MAX);
        let has_more = items.len() > shown;
        items.truncate(shown);
        Ok(Some(SharedList {
            name: MailText::line(&list.name, row::MAX_NAME_LENGTH),
            owner: link.owner_name.map(|name| MailText::line(&name, MAX_SENDER_LENGTH)),
            note: list.note.as_deref().and_then(visible),
            count: list.item_count,
            next: items.last().filter(|_| has_more).map(|last| last.place),
            items,
        }))
    }
}

struct Link {
    list_id: Uuid,
    expires_at: Option<Millis>,
    owner_name: Option<String>,
}

impl FromRow for Link {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let owner_name = row.opt_text(2)?.map(str::to_owned);
        Ok(Self { list_id: uuid(row, 0)?, expires_at: row.opt_int(1)?, owner_name })
    }
}

statements! {
    LINK = "select list_id, expires_at, owner_name from share_links where store_id = $1 and link_id = $2";
    ITEMS = "select coalesce(p.fields, i.given), i.members, p.url, p.variant_id, i.added_at, i.seq
             from items i left join products p on p.store_id = $1 and p.variant_id = i.variant_id
             where i.store_id = $1 and i.list_id = $2 and (i.added_at, i.seq) < ($3, $4)
             order by i.added_at desc, i.seq desc limit $5";
}
