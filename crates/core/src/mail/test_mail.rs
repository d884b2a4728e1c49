//! Test mails: a store sends a mail with sample content to an address of its choice.

use wishbone_storage::{Tx, Write};

use crate::error::{Error, Result};
use crate::mail::limits::Permit;
use crate::mail::message::{Message, TestMessage};
use crate::mail::queue::{self, NewMail};
use crate::mail::recipients::{self, Recipient};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;

pub struct SendTestMail {
    pub by: StoreAdmin,
    /// The normalized address of the recipient.
    pub address: String,
    pub message: TestMessage,
    /// The domain of the message id.
    pub domain: String,
    pub moment: Moment,
}

impl Write for SendTestMail {
    const NAME: &'static str = "send_test_mail";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let store_id = self.by.store_id();
        let recipient = Recipient::of_address(store_id, &self.address);
        let accepts_mail = recipients::lock(tx, &recipient).await?.accepts_mail();
        let permit = Permit::of_test(tx, &self.by, self.moment.now).await?;
        let message = Message::Test(self.message.clone());
        let mail =
            NewMail { shopper: None, recipient: &recipient, address: &self.address, message, domain: &self.domain };
        queue::queue(tx, store_id, &mail, accepts_mail, permit, &self.moment).await
    }
}
