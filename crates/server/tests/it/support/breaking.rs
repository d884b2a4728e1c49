//! Failures at every point of a call, as a crash or a lost connection would bring them.

use std::collections::BTreeMap;

use super::app::TestApp;
use super::clients::Reply;
use super::raw::TABLES;

/// Every table with its rows.
pub type Tables = BTreeMap<&'static str, Vec<String>>;

impl TestApp {
    pub async fn tables(&self) -> Tables {
        let mut out = Tables::new();
        for &table in TABLES {
            out.insert(table, self.app.database.dump(table).await.unwrap());
        }
        out
    }

    /// Makes a call whose writes fail at one point: before their n-th statement or commit, or between commit and
    /// answer, counting from 0 over all of them. `None` when they have no such point: then the call went through.
    pub async fn break_at<T>(&self, point: usize, call: impl Future<Output = T>) -> Option<T> {
        self.fail_point.set(point);
        let out = call.await;
        (!self.fail_point.clear()).then_some(out)
    }

    /// Makes a call of one transaction again and again, each time with a failure at its next point. Up to the commit
    /// nothing may change; after it all has changed, and only the answer is lost. There it stops.
    #[track_caller]
    pub fn break_everywhere(&self, call: impl AsyncFn() -> Reply) -> impl Future<Output = ()> {
        let place = std::panic::Location::caller();
        async move {
            let before = self.tables().await;
            for point in 0.. {
                let reply = self.break_at(point, call()).await;
                let reply = reply.unwrap_or_else(|| panic!("{place}: the call changes nothing"));
                let is_changed = self.tables().await != before;
                let told = if is_changed { (500, "outcome-unknown".into()) } else { (503, "overloaded".into()) };
                assert_eq!(reply.error(), told, "{place}: point {point}: {}", reply.text());
                if is_changed {
                    // The lost answer is the last point of a call that is one transaction.
                    assert!(point > 1, "{place}: changed at point {point}");
                    break;
                }
                assert!(point < 10_000, "{place}: the call never ends");
            }
            self.assert_sound().await;
        }
    }
}
