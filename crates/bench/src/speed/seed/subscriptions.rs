//! Copies one subscription and its shopper in bulk.

use anyhow::Context;

use super::bulk::{Bulk, Cell};
use super::{postgres, sqlite};
use crate::processes::postgres::Cluster;
use crate::processes::server::DataLocation;
use crate::speed::rng::Rng;

/// Adds `count` copies of the only subscription in the database, each with an address and a shopper of its own. The
/// server must be stopped.
pub(crate) fn copy(location: &DataLocation, cluster: Option<&Cluster>, count: u64, seed: u64) -> anyhow::Result<()> {
    match cluster {
        Some(cluster) => copy_rows(&mut postgres::PostgresBulk::new(cluster), count, seed),
        None => copy_rows(&mut sqlite::SqliteBulk::open(&location.data.join("wishbone.db"))?, count, seed),
    }
}

fn copy_rows(bulk: &mut dyn Bulk, count: u64, seed: u64) -> anyhow::Result<()> {
    let (shoppers, subscriptions) = (bulk.table("shoppers")?, bulk.table("subscriptions")?);
    let template = subscriptions.rows.first().context("there is no subscription to copy")?;
    let (email, id) = (shoppers.column("email")?, &template[subscriptions.column("address")?]);
    let owner = shoppers.rows.iter().position(|shopper| shopper[email] == *id).context("the shopper does not exist")?;
    let mut rng = Rng::new(seed);
    let ids: Vec<([u8; 16], [u8; 16])> = (0..count).map(|_| (rng.uuid(), rng.uuid())).collect();
    let address = |number: usize| Cell::from(format!("waiting.{number}@example.com"));
    bulk.begin("subscriptions")?;
    bulk.load(
        &shoppers,
        &mut ids.iter().enumerate().map(|(number, (shopper, _))| {
            shoppers.like(owner, &[("shopper_id", (*shopper).into()), ("email", address(number))])
        }),
    )?;
    bulk.load(
        &subscriptions,
        &mut ids.iter().enumerate().map(|(number, (shopper, subscription))| {
            subscriptions.like(
                0,
                &[
                    ("shopper_id", (*shopper).into()),
                    ("subscription_id", (*subscription).into()),
                    ("address", address(number)),
                    // The place in line.
                    ("waiting_since", (number as u64 + 1).into()),
                ],
            )
        }),
    )?;
    bulk.finish()
}
