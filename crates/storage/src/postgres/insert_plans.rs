//! Plans of inserts on a worker of a Citus cluster. Citus finds the shard of inserted values when it runs the statement.
//! Some versions then keep the plan for the shard with the generic plan and use it again. Others make one with every run
//! and keep them all, so there inserts have custom plans.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio_postgres::Client;

/// Before the first insert of a transaction.
pub(super) const USE_CUSTOM_PLANS: &str = "set local plan_cache_mode = force_custom_plan";

const FIND_VERSION: &str = "select citus_version()";

/// How the sessions of a pool plan inserts.
#[derive(Default)]
pub(super) struct InsertPlans {
    are_custom: AtomicBool,
}

impl InsertPlans {
    pub(super) fn are_custom(&self) -> bool {
        self.are_custom.load(Ordering::Relaxed)
    }

    /// Finds out what a new session needs. If it needs custom plans, all sessions use them from then on: during a fail-over
    /// some may be on servers of other versions.
    pub(super) async fn choose(&self, client: &Client) {
        let version = client.query_one(FIND_VERSION, &[]).await.and_then(|row| row.try_get::<_, String>(0));
        if !version.is_ok_and(|version| are_reused(&version)) {
            self.are_custom.store(true, Ordering::Relaxed);
        }
    }
}

/// True for an insert of given values.
pub(super) fn inserts_values(sql: &str) -> bool {
    sql.starts_with("insert into ") && sql.contains(" values (")
}

/// True if a release is known to use plans of inserts again, by its source. A build of another commit, which names it as
/// its `gitref`, has the number of the release before.
fn are_reused(version: &str) -> bool {
    let number = version.strip_prefix("Citus ").unwrap_or_default();
    let number: Vec<u32> = number.split(['.', ' ']).map_while(|part| part.parse().ok()).collect();
    let is_known = matches!(
        number[..],
        [11, 2, 0..=2]
            | [11, 3, 0..=1]
            | [12, 0, 0..=1]
            | [12, 1, 0..=10]
            | [13, 0, 0..=5]
            | [13, 1, 0..=1]
            | [13, 2, 0]
    );
    is_known && !version.contains("gitref")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserts_of_values_are_told_apart() {
        assert!(inserts_values("insert into t (a)\n              values ($1) on conflict do nothing"));
        assert!(!inserts_values("insert into t (a) select a from u where store_id = $1"));
        assert!(!inserts_values("select 1 from t where store_id = $1"));
    }

    #[test]
    fn only_releases_that_were_checked_reuse_plans() {
        let are_reused = |number: &str| are_reused(&format!("Citus {number} on x86_64-pc-linux-gnu, compiled by gcc"));
        for number in ["11.2.0", "12.1.10", "13.0.5", "13.1.1", "13.2.0"] {
            assert!(are_reused(number), "{number}");
        }
        for number in ["11.1.7", "12.1.11", "13.0.6", "13.2.1", "13.2.2", "13.2", "13.2devel", "14.0.0", "14.1.0", ""] {
            assert!(!are_reused(number), "{number}");
        }
        assert!(!super::are_reused(
            "Citus 13.2.0 on x86_64-pc-linux-gnu, compiled by gcc gitref: release-13.2(sha: 1234)"
        ));
    }
}
