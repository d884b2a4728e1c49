//! Whatever changes lists raises the stamp of their owner, which those who watch the lists compare.

use std::collections::{BTreeMap, BTreeSet};

use wishbone_core::error::Error;
use wishbone_storage::{FromRow, Query, Read, Row, Sql};

use crate::hostile::subject;
use crate::support::{TestApp, calls};

/// The lists of shoppers and of guests who are not merged, with versions, and the stamps of all.
#[derive(Debug)]
pub struct Watched {
    lists: BTreeMap<Vec<u8>, BTreeSet<(Vec<u8>, i64)>>,
    stamps: BTreeMap<Vec<u8>, i64>,
}

struct Owned(Vec<u8>, Vec<u8>, i64);

impl FromRow for Owned {
    fn from_row(row: &dyn Row) -> wishbone_storage::Result<Self> {
        Ok(Self(row.blob(0)?.to_vec(), row.blob(1)?.to_vec(), row.int(2)?))
    }
}

struct ReadWatched;

impl Read for ReadWatched {
    const NAME: &'static str = "read_watched";
    type Out = Watched;
    type Error = Error;

    async fn run<Q: Query>(&self, query: &mut Q) -> Result<Watched, Error> {
        const LISTS: Sql = Sql::new(
            "select s.shopper_id, coalesce(l.list_id, s.shopper_id), coalesce(l.version, 0)
             from shoppers s left join lists l on l.store_id = 1 and l.shopper_id = s.shopper_id
             where s.store_id = 1 and s.merged_into is null",
        );
        const STAMPS: Sql = Sql::new("select shopper_id, shopper_id, stamp from list_stamps where store_id = 1");
        let mut lists: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for Owned(owner, list, version) in query.rows(LISTS.bind(&[])).await? {
            let of_owner = lists.entry(owner).or_default();
            if version > 0 {
                of_owner.insert((list, version));
            }
        }
        let stamps = query.rows(STAMPS.bind(&[])).await?;
        Ok(Watched { lists, stamps: stamps.into_iter().map(|Owned(owner, _, stamp)| (owner, stamp)).collect() })
    }
}

impl Watched {
    pub async fn read(app: &TestApp) -> Self {
        app.app.database.read(ReadWatched).await.unwrap()
    }

    /// Fails if lists have changed and the stamp of their owner has not. Returns true if lists have changed.
    pub async fn assert_stamped(&mut self, app: &TestApp, what: &str) -> bool {
        let before = std::mem::replace(self, Self::read(app).await);
        let mut has_changed = false;
        for (owner, lists) in &self.lists {
            if before.lists.get(owner).cloned().unwrap_or_default() != *lists {
                assert!(self.stamps.get(owner) > before.stamps.get(owner), "{what}");
                has_changed = true;
            }
        }
        has_changed
    }
}

both_engines! {
    async fn every_operation_that_changes_lists_raises_the_stamp_of_their_owner(app: TestApp) {
        let mut watched = Watched::read(&app).await;
        let mut changing = BTreeSet::new();
        let paths: Vec<&str> = calls(&subject(&app, "zoe").await).iter().map(|call| call.path).collect();
        for (number, path) in paths.into_iter().enumerate() {
            let all = calls(&subject(&app, &format!("ann{number}")).await);
            watched.assert_stamped(&app, "subject").await;
            for call in all.iter().filter(|call| call.path == path) {
                call.send(&app.router).await;
                if watched.assert_stamped(&app, path).await {
                    changing.insert(path);
                }
            }
        }
        for path in ["lists/create", "lists/delete-list", "lists/update-ctx", "lists/move-items", "lists/comments/add"] {
            assert!(changing.iter().any(|changing| changing.ends_with(path)), "{path} changes nothing: {changing:?}");
        }
    }
}
