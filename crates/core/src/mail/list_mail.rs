//! Mails a list on behalf of its owner.

use uuid::Uuid;
use wishbone_storage::{Tx, Write};

use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::identity::shoppers;
use crate::lists::access::{self, ListTarget, Right, not_found};
use crate::lists::events::record_share;
use crate::lists::row::{self, ListRow, collect_row};
use crate::mail::limits::{ClientCounter, PerShopper, Period, Request, Window};
use crate::mail::medium::Medium;
use crate::mail::message::{ListMessage, MAX_SENDER_LENGTH, Message, MessageItem};
use crate::mail::queue::{self, NewMail};
use crate::mail::recipients::{self, Recipient};
use crate::mail::shop_url::MailedUrl;
use crate::mail::text::MailText;
use crate::moment::{DAY, Millis, Moment};
use crate::sharing::links::{self, MAX_LABEL_LENGTH, Scope, ShareLink};

/// Items in a mail; the link leads to the whole list.
const MAX_SHOWN: i64 = 20;

/// How long the link in a mail is valid. Links that are never revoked must not fill up the list's for good.
const LINK_VALIDITY: Millis = 365 * DAY;

pub struct MailList {
    pub by: Shopper,
    /// The client address of the call, and its network.
    pub clients: Vec<ClientCounter>,
    pub list: ListTarget,
    pub sender: String,
    /// The name that the owner shows to those who open the link.
    pub owner_name: Option<String>,
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
        let (locked, _) = access::lock(tx, &self.by, &self.list, Right::Own).await?;
        let key = [store_id.into(), locked.list_id.as_bytes().into()];
        let mut lists = Vec::with_capacity(1);
        tx.query_all(&[row::FIND.bind(&key)], &mut |_, row| collect_row(&mut lists, row)).await?;
        let list = lists.pop().ok_or_else(not_found)?;

        let recipient = Recipient::of_address(store_id, &self.address);
        let state = recipients::lock_chosen(tx, &recipient, Medium::Email, &self.address).await?;
        let link = self.link();
        let items = tx.rows(ITEMS.bind(&[key[0], key[1], MAX_SHOWN.into()])).await?;
        let is_linked = links::insert(tx, &self.by, &list, &link).await?;
        let message = Message::List(self.message(&list, is_linked.then_some(link.link_id), items));
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
        queue::queue(tx, store_id, &mail, state.accepts_mail(), permit, &self.moment).await?;
        record_share(tx, &self.by, &list, "email", &self.moment).await?;
        Ok(list)
    }
}

impl MailList {
    /// A link of the recipient's own, so that it can be revoked without the others.
    fn link(&self) -> ShareLink {
        ShareLink {
            link_id: self.moment.part(1).id(0),
            scope: Scope::View,
            label: Some(masked(&self.address)),
            owner_name: self.owner_name.clone(),
            expires_at: Some(self.moment.now + LINK_VALIDITY),
            created_at: self.moment.now,
        }
    }

    /// Without a link, if the list has too many: the mail shows its items all the same.
    fn message(&self, list: &ListRow, link_id: Option<Uuid>, items: Vec<MessageItem>) -> ListMessage {
        ListMessage {
            store: MailText::line(&self.by.store().name, MAX_SENDER_LENGTH),
            sender: MailText::line(&self.sender, MAX_SENDER_LENGTH),
            note: self.note.as_deref().map(MailText::lines).filter(|note| !note.is_empty()),
            list: MailText::line(&list.name, row::MAX_NAME_LENGTH),
            link_id,
            link: MailedUrl::default(),
            count: list.item_count,
            items,
        }
    }
}

/// Tells the owner of a list to whom a link was mailed. The address itself is stored with the mail, and deleted with it.
fn masked(address: &str) -> String {
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let start = local.chars().next().map(String::from).unwrap_or_default();
    format!("{start}…@{domain}").chars().take(MAX_LABEL_LENGTH).collect()
}

statements! {
    ITEMS = "select coalesce(p.fields, i.given), i.members, p.url, p.variant_id
             from items i left join products p on p.store_id = $1 and p.variant_id = i.variant_id
             where i.store_id = $1 and i.list_id = $2
             order by i.added_at desc, i.seq desc limit $3";
}
