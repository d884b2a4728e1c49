//! Mails that were given up.

use serde::Serialize;
use uuid::Uuid;
use wishbone_storage::{FromRow, Query, Read, Row};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::mail::queue::FAILED;
use crate::moment::Millis;
use crate::stores::admin::StoreAdmin;

/// Finds the mails of a store that were given up in the last 30 days, newest first.
pub struct FindFailedMails {
    pub by: StoreAdmin,
    pub limit: i64,
}

#[derive(Debug, Serialize)]
pub struct FailedMail {
    pub id: Uuid,
    pub kind: String,
    pub address: Option<String>,
    pub attempts: i64,
    pub problem: Option<String>,
    pub queued_at: Millis,
    pub failed_at: Millis,
}

impl FromRow for FailedMail {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self {
            id: uuid(row, 0)?,
            kind: row.text(1)?.to_owned(),
            address: row.opt_text(2)?.map(str::to_owned),
            attempts: row.int(3)?,
            problem: row.opt_text(4)?.map(str::to_owned),
            queued_at: row.int(5)?,
            failed_at: row.int(6)?,
        })
    }
}

impl Read for FindFailedMails {
    const NAME: &'static str = "find_failed_mails";
    const SINGLE_STATEMENT: bool = true;
    type Out = Vec<FailedMail>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        Ok(query.rows(OF_STORE.bind(&[self.by.store_id().into(), FAILED.into(), self.limit.into()])).await?)
    }
}

statements! {
    // Finished mails are due, to be deleted, in the order in which they were finished.
    OF_STORE = "select mail_id, kind, address, attempts, problem, created_at, updated_at from mails
                where store_id = $1 and state = $2 order by due_at desc nulls last, mail_id limit $3";
}
