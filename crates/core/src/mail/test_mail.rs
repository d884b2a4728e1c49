//! Test mails: a store sends a mail with sample content to an address of its choice.

use wishbone_storage::{Tx, Write, WriteSet};

use crate::error::{Error, Result};
use crate::mail::message::{Message, TestMessage};
use crate::mail::queue::{self, NewMail};
use crate::mail::rate::{Period, check_rate};
use crate::mail::recipients::{self, Recipient};
use crate::moment::Moment;
use crate::stores::admin::StoreAdmin;

/// Test mails per hour and store.
pub const MAX_TESTS: i64 = 20;

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
    // Otherwise calls to different addresses could exceed the limit together.
    const SERIALIZABLE: bool = true;
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        let store_id = self.by.store_id();
        let recipient = Recipient::of_address(store_id, &self.address);
        let accepts_mail = recipients::lock(tx, &recipient).await?.accepts_mail();
        let args = [store_id.into(), (self.moment.now - Period::Hour.millis()).into()];
        let recent = tx.first(queue::TESTS_OF_STORE.bind(&args)).await?;
        check_rate(recent, MAX_TESTS, Period::Hour, "a store may send", "test mails", self.moment.now)?;
        let message = Message::Test(self.message.clone());
        let mail =
            NewMail { shopper: None, recipient: &recipient, address: &self.address, message, domain: &self.domain };
        queue::queue(tx, store_id, &mail, accepts_mail, &self.moment).await
    }

    fn write_set(&self, (): &()) -> WriteSet {
        WriteSet::nothing()
    }
}
