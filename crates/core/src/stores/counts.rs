//! How much a store has, for lists of stores. Counting stops at a bound, so that it costs little for any store.

use wishbone_storage::{Query, Read};

use crate::error::{Error, Result};
use crate::operator::Operator;

/// Where counting stops. A count of this much means that there are at least as many.
pub const MAX_COUNT: i64 = 10_000;

/// Rows of a store, each at most [`MAX_COUNT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// Shoppers and guests who have saved something.
    pub shoppers: i64,
    pub lists: i64,
    pub products: i64,
    pub subscriptions: i64,
}

pub struct CountStore {
    pub by: Operator,
    pub store_id: i64,
}

impl Read for CountStore {
    const NAME: &'static str = "count_store";
    type Out = StoreCounts;
    type Error = Error;

    fn shard_key(&self) -> Option<i64> {
        Some(self.store_id)
    }

    fn needs_snapshot(&self) -> bool {
        false
    }

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<StoreCounts> {
        let args = [self.store_id.into(), MAX_COUNT.into()];
        let mut counts = [0; 4];
        let batch = [SHOPPERS, LISTS, PRODUCTS, SUBSCRIPTIONS].map(|sql| sql.bind(&args));
        query
            .query_all(&batch, &mut |number, row| {
                counts[number] = row.int(0)?;
                Ok(())
            })
            .await?;
        let [shoppers, lists, products, subscriptions] = counts;
        Ok(StoreCounts { shoppers, lists, products, subscriptions })
    }
}

macro_rules! count {
    ($table:literal) => {
        concat!("select count(*) from (select store_id from ", $table, " where store_id = $1 limit $2) counted")
    };
}

statements! {
    SHOPPERS = count!("shoppers");
    LISTS = count!("lists");
    PRODUCTS = count!("products");
    SUBSCRIPTIONS = count!("subscriptions");
}
