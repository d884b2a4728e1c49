//! Large bodies: only a store's server sends them, few at a time; and few that are too large are read to their end.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::select_all;
use futures_util::{FutureExt, StreamExt, stream};
use wishbone_core::stores::settings::Settings;
use wishbone_server::api::operation::{Caller, Operation};
use wishbone_server::http::router::routes;

use super::calling_from;
use crate::support::{Client, Reply, TestApp, TestStore};

const LARGE: usize = (1 << 20) + 1;
const TOO_LARGE: usize = (4 << 20) + 1;

/// The start of a body that never ends.
pub fn unfinished(length: usize) -> Body {
    let start = stream::once(async move { Ok::<_, std::convert::Infallible>(Bytes::from(vec![b' '; length])) });
    Body::from_stream(start.chain(stream::pending()))
}

fn blank(length: usize) -> Body {
    Body::from(vec![b' '; length])
}

fn router_for(app: &TestApp, peer: &str) -> Router {
    calling_from(&Client::nobody(app.router.clone(), app.store.pid.clone()), peer).router
}

async fn send(router: Router, path: &str, key: Option<&TestStore>, body: Body) -> Reply {
    let mut request = Request::post(path).header("content-type", "application/json");
    if let Some(store) = key {
        let key = STANDARD.encode(format!("{}:{}", store.pid, store.key));
        request = request.header("authorization", format!("Basic {key}"));
    }
    Reply::of(&router, request.body(body).unwrap()).await
}

fn operations(filter: impl Fn(&Operation) -> bool) -> Vec<&'static str> {
    routes().into_iter().map(|route| route.operation).filter(filter).map(|operation| operation.path).collect()
}

both_engines! {
    async fn a_store_sends_few_large_bodies_at_a_time_and_nobody_else_any(app: TestApp) {
        let (router, mine) = (router_for(&app, "203.0.113.7"), &app.store);
        let other = app.create_store(Settings::default()).await;
        for path in operations(|it| it.description.is_some_and(|it| it.json.is_some())) {
            // Who is nobody cannot take the places.
            send(router.clone(), path, None, unfinished(LARGE)).await.fails(401, "bad-api-key");
            let wrong = TestStore { key: "x".into(), ..mine.clone() };
            send(router.clone(), path, Some(&wrong), unfinished(LARGE)).await.fails(401, "bad-api-key");

            let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(send(router.clone(), path, Some(mine), unfinished(LARGE)))).collect();
            let is_refused = async {
                for _ in 0..1_000 {
                    tokio::task::yield_now().await;
                    let reply = send(router.clone(), path, Some(mine), blank(LARGE)).await;
                    if reply.status == 503 {
                        return reply;
                    }
                }
                panic!("{path}: there is no limit");
            };
            tokio::select! {
                _ = select_all(&mut waiting) => panic!("{path}: the body is not read"),
                reply = is_refused => {
                    reply.fails(503, "overloaded");
                }
            }
            assert_ne!(send(router.clone(), path, Some(mine), blank(LARGE - 1)).await.status, 503, "{path}: a smaller one");
            assert_ne!(send(router.clone(), path, Some(&other), blank(LARGE)).await.status, 503, "{path}: another store");
            drop(waiting.remove(0));
            assert_ne!(send(router.clone(), path, Some(mine), blank(LARGE)).await.status, 503, "{path}: one has ended");
        }
    }

    async fn few_bodies_that_are_too_large_are_read_to_their_end(app: TestApp) {
        let router = router_for(&app, "203.0.113.7");
        let takes_body = |it: &Operation| it.method == "POST" && !matches!(it.caller, Caller::Anyone | Caller::Monitor);
        for path in operations(takes_body) {
            let mut waiting: Vec<_> = (0..4).map(|_| Box::pin(send(router.clone(), path, None, unfinished(TOO_LARGE)))).collect();
            assert!(waiting.iter_mut().all(|call| call.as_mut().now_or_never().is_none()), "{path}: it is being read");
            send(router.clone(), path, None, unfinished(TOO_LARGE)).await.fails(400, "body-too-large");
            let others = router_for(&app, "203.0.114.7");
            send(others, path, None, blank(TOO_LARGE)).await.fails(400, "body-too-large");
        }
    }
}
