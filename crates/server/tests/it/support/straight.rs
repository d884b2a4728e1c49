//! Direct access to the database, for states that no API call creates or shows.

use wishbone_core::integrity::check::check;
use wishbone_core::operator::Operator;
use wishbone_core::registry::MIGRATIONS;
use wishbone_storage::{Database, Options, ProgressReporter, Sql, Tx, Write};

use super::app::TestApp;

struct ExecuteSql(Sql);

impl Write for ExecuteSql {
    const NAME: &'static str = "execute sql";
    type Out = u64;
    type Error = wishbone_core::error::Error;

    async fn run<T: Tx>(&self, tx: &mut T) -> Result<u64, Self::Error> {
        Ok(tx.execute(self.0.bind(&[])).await?)
    }
}

impl TestApp {
    /// Runs a statement that must change at least one row.
    pub async fn straight(&self, sql: &'static str) {
        assert!(self.execute(sql).await > 0, "{sql}");
    }

    /// Changes the schema.
    pub async fn alter(&self, sql: &'static str) {
        self.execute(sql).await;
    }

    async fn execute(&self, sql: &'static str) -> u64 {
        let options = Options { readers: 1, pool_size: 1, ..Options::default() };
        let other = Database::open(self.location(), MIGRATIONS, &options).await.unwrap();
        other.write(ExecuteSql(Sql::new(sql))).await.unwrap()
    }

    /// Asserts that the database has no faults and no damage.
    #[track_caller]
    pub fn assert_sound(&self) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move {
            let report =
                check(&self.app.database, Operator::of_this_machine(), &ProgressReporter::none()).await.unwrap();
            assert!(report.faults.is_empty(), "{caller}: {:?}", report.faults);
            let damage = self.app.database.integrity(&ProgressReporter::none()).await.unwrap();
            assert!(damage.is_empty(), "{caller}: {damage:?}");
        }
    }
}
