//! Mails a list on behalf of its owner.

use wishbone_storage::{Tx, Write, WriteSet};

use crate::cache::invalidation::shopper_key;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::lists::access::{Access, ListRef, Right, not_found};
use crate::lists::events::record_share;
use crate::lists::row::{self, ListRow, collect_row};
use crate::mail::limits::{ClientCounter, PerShopper, Period, Request, Window};
use crate::mail::medium::Medium;
use crate::mail::message::{ListMessage, MAX_SENDER_LENGTH, Message, MessageItem};
use crate::mail::queue::{self, NewMail};
use crate::mail::recipients::{self, Recipient};
use crate::mail::shop_url::MailedUrl;
use crate::mail::text::MailText;
use crate::moment::Moment;

/// Items in a mail; the link leads to the whole list.
const MAX_SHOWN: i64 = 20;

pub struct MailList {
    pub by: Shopper,
    /// The client address of the call, and its network.
    pub clients: Vec<ClientCounter>,
    pub list: ListRef,
    pub sender: String,
    /// The normalized address of the recipient.
    pub address: String,
    pub note: Option<String>,
    /// The domain of the message id.
    pub domain: String,
    pub moment: Moment,
}

impl Write for MailList {
    const NAME: &'static str = "mail_list";
    type Out = ListRow;
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<ListRow> {
        let (store_id, shopper, settings) = (self.by.store_id(), self.by.id(), &self.by.store().settings);
        shoppers::lock_caller(tx, &self.by, self.moment.now).await?;
        let found = self.list.find(tx, &self.by).await?;
        let key = [store_id.into(), found.list_id.as_bytes().into()];
        let mut lists = Vec::with_capacity(1);
        tx.query_all(&[row::FIND.bind(&key)], &mut |_, row| collect_row(&mut lists, row)).await?;
        let list = lists.pop().ok_or_else(not_found)?;
        Access::new(&self.by, &found, &list).require(Right::Own)?;

        let recipient = Recipient::of_address(store_id, &self.address);
        let accepts_mail = recipients::lock(tx, &recipient).await?.accepts_mail();
        let message =
            Message::List(self.message(&list, tx.rows(ITEMS.bind(&[key[0], key[1], MAX_SHOWN.into()])).await?));
        let request = Request {
            by: &self.by,
            clients: &self.clients,
            medium: Medium::Email,
            address: &self.address,
            kind: message.kind(),
            has_confirmed: false,
            per_shopper: Some(PerShopper { max: settings.mails_per_shopper, who: "a shopper may mail", what: "lists" }),
            per_recipient: Window {
                max: settings.mails_per_address,
                period: Period::Hour,
                who: "an address may receive",
                what: "lists",
            },
            now: self.moment.now,
        };
        let permit = request.admit(tx).await?;
        let mail = NewMail {
            shopper: Some(shopper),
            recipient: &recipient,
            address: &self.address,
            message,
            domain: &self.domain,
        };
        queue::queue(tx, store_id, &mail, accepts_mail, permit, &self.moment).await?;
        record_share(tx, &self.by, &list, "email", &self.moment).await?;
        Ok(list)
    }

    fn write_set(&self, _: &Self::Out) -> WriteSet {
        WriteSet::of([shopper_key(self.by.store_id(), self.by.id())])
    }
}

impl MailList {
    fn message(&self, list: &ListRow, items: Vec<MessageItem>) -> ListMessage {
        let store = self.by.store();
        let page = store.settings.list_url.as_ref().filter(|_| list.public);
        ListMessage {
            store: MailText::line(&store.name, MAX_SENDER_LENGTH),
            sender: MailText::line(&self.sender, MAX_SENDER_LENGTH),
            note: self.note.as_deref().map(MailText::lines).filter(|note| !note.is_empty()),
            list: MailText::line(&list.name, row::MAX_NAME_LENGTH),
            link: MailedUrl { shop: page.map(|page| page.replace("{lid}", &list.list_id.to_string())), given: None },
            count: list.item_count,
            items,
        }
    }
}

statements! {
    ITEMS = "select coalesce(p.fields, i.given), i.members, p.url, p.variant_id
             from items i left join products p on p.store_id = $1 and p.variant_id = i.variant_id
             where i.store_id = $1 and i.list_id = $2
             order by i.added_at desc, i.seq desc limit $3";
}
