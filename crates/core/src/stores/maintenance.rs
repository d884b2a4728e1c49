//! The state of the whole server, on all of its nodes: maintenance mode, and whether its database accepts writes.

use wishbone_storage::{Query, Read, Tx, Write};

use crate::error::{Error, Result};
use crate::moment::Millis;
use crate::operator::Operator;

/// True if the server is in maintenance mode.
pub struct InMaintenance;

impl Read for InMaintenance {
    const NAME: &'static str = "in_maintenance";
    const SINGLE_STATEMENT: bool = true;
    type Out = bool;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<bool> {
        Ok(query.first::<i64>(MAINTENANCE.bind(&[])).await? == Some(1))
    }
}

pub struct SetMaintenance {
    pub by: Operator,
    pub on: bool,
    pub now: Millis,
}

impl Write for SetMaintenance {
    const NAME: &'static str = "set_maintenance";
    type Out = ();
    type Error = Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<()> {
        tx.execute(SET_MAINTENANCE.bind(&[i64::from(self.on).into(), self.now.into()])).await?;
        Ok(())
    }
}

/// Writes the time, to find out whether the database accepts writes.
pub struct ProbeWrite {
    pub by: Operator,
    pub now: Millis,
}

impl Write for ProbeWrite {
    const NAME: &'static str = "probe_write";
    type Out = ();
    type Error = wishbone_storage::Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> wishbone_storage::Result<()> {
        tx.execute(PROBE.bind(&[self.now.into()])).await?;
        Ok(())
    }
}

statements! {
    // Not the value that it has: SQLite would write nothing.
    PROBE = "update server set updated_at = $1 where id = 1";
    MAINTENANCE = "select maintenance from server where id = 1";
    SET_MAINTENANCE = "update server set maintenance = $1, updated_at = $2 where id = 1";
}
