//! Reads the state of the lists of shoppers who watch them: what tells whether something has changed.

use std::collections::HashMap;

use wishbone_storage::{Arg, Query, Read};

use crate::decode::uuid;
use crate::error::{Error, Result};
use crate::identity::caller::Shopper;
use crate::lists::changes::ListsState;
use crate::operator::Operator;

/// Shoppers whose states are read in one statement.
pub const MAX_WATCHED: usize = 64;

/// Reads the state of the caller's own lists.
pub struct ReadState {
    pub by: Shopper,
}

impl Read for ReadState {
    const NAME: &'static str = "read_lists_state";
    const SINGLE_STATEMENT: bool = true;
    type Out = ListsState;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<ListsState> {
        let (store_id, shopper_id) = self.by.fingerprint();
        let found = query.first(OF_SHOPPER.bind(&[store_id.into(), (&shopper_id).into()])).await?;
        Ok(found.unwrap_or_default())
    }
}

/// Reads the states of shoppers of one store.
pub struct ReadStates {
    pub by: Operator,
    pub store_id: i64,
    /// At most [`MAX_WATCHED`].
    pub shoppers: Vec<[u8; 16]>,
}

impl Read for ReadStates {
    const NAME: &'static str = "read_lists_states";
    const SINGLE_STATEMENT: bool = true;
    /// In the order of the input.
    type Out = Vec<ListsState>;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Self::Out> {
        // The last shopper stands for those that are missing: the statement has a fixed number of parameters.
        let Some(last) = self.shoppers.last() else { return Ok(Vec::new()) };
        let shoppers = self.shoppers.iter().chain(std::iter::repeat(last)).take(MAX_WATCHED);
        let args: Vec<Arg<'_>> = std::iter::once(self.store_id.into()).chain(shoppers.map(Into::into)).collect();
        let mut states: HashMap<[u8; 16], ListsState> = HashMap::new();
        query
            .query_all(&[OF_SHOPPERS.bind(&args)], &mut |_, row| {
                states.insert(uuid(row, 0)?.into_bytes(), ListsState::from_columns(row, 1)?);
                Ok(())
            })
            .await?;
        Ok(self.shoppers.iter().map(|shopper| states.get(shopper).cloned().unwrap_or_default()).collect())
    }
}

statements! {
    OF_SHOPPER = "select stamp, recent from list_stamps where store_id = $1 and shopper_id = $2";
    OF_SHOPPERS = "select shopper_id, stamp, recent from list_stamps
               where store_id = $1 and shopper_id in (
                $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
                $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44,
                $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65)";
}
