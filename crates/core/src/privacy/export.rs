//! Exports all data of one e-mail address as one JSON object.

use std::sync::Arc;

use wishbone_storage::{FromRow, Query, Read, Row};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::profile::{self, Profile};
use crate::items::contents;
use crate::items::encode::{item_record, shown_product};
use crate::json::{Object, array};
use crate::lists::row::ListRow;
use crate::lists::view::{Parts, View};
use crate::mail::personal_data;
use crate::merging::journal::{guests_of, guests_with_lists};
use crate::merging::pending::require_settled;
use crate::moment::Millis;
use crate::sharing::comments;
use crate::sharing::links::{self, ShareLink};
use crate::stores::admin::StoreAdmin;
use crate::tokens::ShopperId;
use crate::{lists, subscriptions, webhooks};

/// Approximate bytes of a segment of a long export.
const SEGMENT_BYTES: usize = 256 << 10;

pub struct ExportShopper {
    pub by: StoreAdmin,
    pub email: String,
    pub now: Millis,
}

impl Read for ExportShopper {
    const NAME: &'static str = "export_shopper";
    /// The object, in consecutive segments.
    type Out = Vec<Vec<u8>>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        let store_id = self.by.store_id();
        let found: Option<ExportedShopper> =
            query.first(SHOPPER.bind(&[store_id.into(), (&self.email).into()])).await?;
        let mut out = Segments::default();
        let mut head = Object::open(out.end());
        head.text("status", "success");
        head.text("email", &self.email);
        head.text("pid", &self.by.store().pid);
        head.int("exported", self.now);
        head.flag("found", found.is_some());
        let shopper = found.as_ref().map(|found| found.id);
        if let Some(shopper) = &shopper {
            require_settled(query, store_id, shopper).await?;
        }
        if let Some(found) = found {
            let ExportedShopper { id, profile, language, region, alert_digest, reminded_at } = found;
            let by = Shopper::viewed_by(&self.by, id, profile);
            let mut profile = Object::open(head.key("profile"));
            View::own(&by).write_userinfo(profile.key("userinfo"));
            profile.opt_text("language", language.as_deref());
            profile.opt_text("region", region.as_deref());
            profile.text("alertdigest", if alert_digest { "daily" } else { "off" });
            if let Some(at) = reminded_at {
                profile.int("reminded", at);
            }
            profile.close();
            head.key("lists");
            out.end().push(b'[');
            let mut count = write_lists(query, &by, 0, &mut out).await?;
            // What stayed with guests when they logged in.
            for guest in guests_with_lists(query, store_id, &id).await? {
                let profile = profile::find(query, store_id, &guest).await?;
                let by = Shopper::viewed(Arc::clone(self.by.store()), guest, profile);
                count = write_lists(query, &by, count, &mut out).await?;
            }
            out.end().push(b']');
            out.end().extend_from_slice(b",\"comments\":");
            write_comments(query, &by, &mut out).await?;
            out.end().extend_from_slice(b",\"events\":");
            write_events(query, store_id, &id, &mut out).await?;
        }
        out.end().extend_from_slice(b",\"subscriptions\":");
        let mut records = subscriptions::fetch::of_address(query, &self.by, &self.email).await?;
        if let Some(shopper) = &shopper {
            // What stayed with guests when they logged in.
            let guests = guests_of(query, store_id, shopper).await?;
            records.extend(subscriptions::fetch::of_guests(query, &self.by, &guests, &self.email).await?);
        }
        array(out.end(), &records, |out, record| out.extend_from_slice(record));
        out.end().extend_from_slice(b",\"mails\":");
        let mails = personal_data::export_mails(query, store_id, shopper.as_ref(), &self.email).await?;
        array(out.end(), &mails, |out, mail| out.extend_from_slice(mail));
        out.end().push(b'}');
        Ok(out.0)
    }
}

/// Text in segments, to avoid one growing buffer.
#[derive(Default)]
struct Segments(Vec<Vec<u8>>);

impl Segments {
    fn end(&mut self) -> &mut Vec<u8> {
        if self.0.last().is_none_or(|last| last.len() > SEGMENT_BYTES) {
            self.0.push(Vec::new());
        }
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

/// Writes the lists with all their items, comments and links, after `count` others. Returns how many there are then.
async fn write_lists<Q: Query>(query: &mut Q, by: &Shopper, count: usize, out: &mut Segments) -> Result<usize> {
    let lists = lists::fetch::all_of(query, by).await?;
    for (number, list) in lists.iter().enumerate() {
        if count + number > 0 {
            out.end().push(b',');
        }
        let mut record = Vec::new();
        let parts = Parts { contents: Some(&[]), with_rights: true, ..Parts::default() };
        let contents_end = View::own(by).write_list(&mut record, list, &parts);
        let after = record.split_off(contents_end);
        out.end().extend_from_slice(&record);
        write_items(query, by, list, out).await?;
        // More members are added before the record's closing brace.
        out.end().extend_from_slice(after.strip_suffix(b"}").unwrap_or(&after));
        out.end().extend_from_slice(b",\"comments\":");
        let comments = comments::all_of_list(query, by, list).await?;
        array(out.end(), &comments, |out, comment| comment.write(out));
        out.end().extend_from_slice(b",\"links\":");
        let links: Vec<ShareLink> = links::of_list(query, by, list).await?;
        array(out.end(), &links, write_link);
        out.end().push(b'}');
    }
    Ok(count + lists.len())
}

async fn write_items<Q: Query>(query: &mut Q, by: &Shopper, list: &ListRow, out: &mut Segments) -> Result<()> {
    let view = View::own(by);
    let all = [by.store_id().into(), list.list_id.as_bytes().into(), i64::MAX.into(), 0.into()];
    let mut is_first = true;
    query
        .query_all(&[contents::CONTENTS.bind(&all)], &mut |_, row| {
            let out = out.end();
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            view.write_item(out, list, &item_record(row)?, &shown_product(row, view.low_stock())?);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Writes the comments on other people's lists.
async fn write_comments<Q: Query>(query: &mut Q, by: &Shopper, out: &mut Segments) -> Result<()> {
    let comments = comments::by_shopper(query, by).await?;
    array(out.end(), &comments, |out, comment| comment.write(out));
    Ok(())
}

/// Writes the events that are stored for webhooks.
async fn write_events<Q: Query>(query: &mut Q, store_id: i64, shopper: &ShopperId, out: &mut Segments) -> Result<()> {
    out.end().push(b'[');
    let mut is_first = true;
    let mut write = |event: &[u8]| {
        let out = out.end();
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        out.extend_from_slice(event);
    };
    webhooks::personal_data::export(query, store_id, shopper, &mut write).await?;
    out.end().push(b']');
    Ok(())
}

fn write_link(out: &mut Vec<u8>, link: &ShareLink) {
    let mut object = Object::open(out);
    object.text("scope", link.scope.as_str());
    object.opt_text("label", link.label.as_deref());
    object.opt_text("fromname", link.owner_name.as_deref());
    object.int("cts", link.created_at);
    if let Some(at) = link.expires_at {
        object.int("expires", at);
    }
    object.close();
}

struct ExportedShopper {
    id: ShopperId,
    profile: Profile,
    language: Option<String>,
    region: Option<String>,
    alert_digest: bool,
    reminded_at: Option<Millis>,
}

impl FromRow for ExportedShopper {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        let profile = Profile {
            email: row.opt_text(1)?.map(str::to_owned),
            generation: row.int(2)?,
            first_name: row.text(3)?.to_owned(),
            last_name: row.text(4)?.to_owned(),
            accepts_marketing: row.opt_int(5)?.map(|value| value != 0),
            retired: false,
            created_at: row.int(6)?,
            updated_at: row.int(7)?,
            marketing_at: row.opt_int(8)?,
            seen_at: None,
        };
        let text = |column| Ok::<_, wishbone_storage::Error>(row.opt_text(column)?.map(str::to_owned));
        Ok(Self {
            id: ShopperId::from_slice(row.blob(0)?)?,
            profile,
            language: text(9)?,
            region: text(10)?,
            alert_digest: row.flag(11)?,
            reminded_at: row.opt_int(12)?,
        })
    }
}

statements! {
    SHOPPER = "select shopper_id, email, generation, first_name, last_name, accepts_marketing, created_at, updated_at,
                      marketing_at, language, region, alert_digest, reminded_at
               from shoppers where store_id = $1 and email = $2";
}
