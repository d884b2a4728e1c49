//! Failure injection: crashes and lost connections at every point of a call.

use std::collections::BTreeMap;

use super::app::TestApp;
use super::clients::Reply;
use super::raw::TABLES;

/// All tables with their rows.
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
    /// response, counted from 0. `None` if the call has fewer points: then it has succeeded.
    pub async fn break_at<T>(&self, point: usize, call: impl Future<Output = T>) -> Option<T> {
        self.fail_point.set(point);
        let out = call.await;
        (!self.fail_point.clear()).then_some(out)
    }

    /// Repeats a call of one transaction, each time with a failure at its next point. Before the commit nothing may change;
    /// after it only the response is lost, and the repetition ends.
    #[track_caller]
    pub fn break_everywhere(&self, call: impl AsyncFn() -> Reply) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move {
            let before = self.tables().await;
            for point in 0.. {
                let reply = self.break_at(point, call()).await;
                let reply = reply.unwrap_or_else(|| panic!("{caller}: the call changes nothing"));
                let is_changed = self.tables().await != before;
                let expected = if is_changed { (500, "outcome-unknown".into()) } else { (503, "overloaded".into()) };
                assert_eq!(reply.error(), expected, "{caller}: point {point}: {}", reply.text());
                if is_changed {
                    // The lost response is the last point of a call of one transaction.
                    assert!(point > 1, "{caller}: changed at point {point}");
                    break;
                }
                assert!(point < 10_000, "{caller}: the call never ends");
            }
            self.assert_sound().await;
        }
    }
}
