//! Typed clients for tests: an app with one store, its admin, its shoppers and its guests.

mod app;
mod breaking;
mod calls;
pub mod certificates;
mod clients;
pub mod collector;
mod described;
mod odd;
#[macro_use]
pub mod process;
pub mod proxy;
mod raw;
pub mod receiver;
mod seed;
pub mod smtp;
mod straight;
mod tokens;

pub use app::{Engine, NOW, TestApp, TestStore, is_on_citus};
pub use calls::{Call, Kind, Subject, calls};
pub use clients::{Admin, Client, Reply, encode, encode_form, epis, item, until_accepted};
pub use odd::{BYTES, NUMBERS, SHAPES, TEXTS, arbitrary_json, arbitrary_product, values};
pub use raw::{FORM, JSON, TABLES, send};
pub use seed::{Random, property, runner, seed};
pub use tokens::{login_token, sign};

/// One test body, run on SQLite and on PostgreSQL.
macro_rules! both_engines {
    ($(async fn $name:ident($app:ident: TestApp) $body:block)*) => {
        $(
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                async fn body($app: $crate::support::TestApp) $body

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn sqlite() {
                    body($crate::support::TestApp::start($crate::support::Engine::Sqlite).await).await;
                }

                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn postgres() {
                    body($crate::support::TestApp::start($crate::support::Engine::Postgres).await).await;
                }
            }
        )*
    };
}
