//! Large bodies: a client address has few at a time.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::{FutureExt, StreamExt, stream};
use wishbone_server::api::operation::{Caller, Operation};
use wishbone_server::http::router::routes;

use super::calling_from;
use crate::support::{Client, Reply, TestApp};

const LARGE: usize = (1 << 20) + 1;

/// The start of a body that never ends.
pub fn unfinished(length: usize) -> Body {
    let start = stream::once(async move { Ok::<_, std::convert::Infallible>(Bytes::from(vec![b' '; length])) });
    Body::from_stream(start.chain(stream::pending()))
}

fn call(path: &str, body: Body) -> Request<Body> {
    Request::post(path).header("content-type", "application/json").body(body).unwrap()
}

fn router_for(app: &TestApp, peer: &str) -> Router {
    calling_from(&Client::nobody(app.router.clone(), app.store.pid.clone()), peer).router
}

both_engines! {
    async fn an_address_sends_few_large_bodies_at_a_time(app: TestApp) {
        let mine = router_for(&app, "203.0.113.7");
        let takes_body = |it: &&Operation| it.method == "POST" && !matches!(it.caller, Caller::Anyone | Caller::Monitor);
        let operations: Vec<Operation> = routes().into_iter().map(|route| route.operation).collect();
        for path in operations.iter().filter(takes_body).map(|it| it.path) {
            let send = |router: &Router, body: Body| {
                let (router, request) = (router.clone(), call(path, body));
                async move { Reply::of(&router, request).await }
            };
            let mut waiting = Vec::new();
            for length in [LARGE, LARGE, LARGE, LARGE, LARGE - 1] {
                let mut body = Box::pin(send(&mine, unfinished(length)));
                assert!(body.as_mut().now_or_never().is_none(), "{path}: the body is being read");
                waiting.push(body);
            }
            // Neither one that says how long it is, nor one that does not, nor one that would be read to be discarded.
            send(&mine, Body::from(vec![b' '; LARGE])).await.fails(503, "overloaded");
            send(&mine, unfinished(LARGE)).await.fails(503, "overloaded");
            send(&mine, unfinished(6 << 20)).await.fails(503, "overloaded");
            assert_ne!(send(&mine, Body::from("{}")).await.status, 503, "{path}: a small one");
            let others = router_for(&app, "203.0.114.7");
            assert_ne!(send(&others, Body::from(vec![b' '; LARGE])).await.status, 503, "{path}: another address");
            drop(waiting.remove(0));
            assert_ne!(send(&mine, Body::from(vec![b' '; LARGE])).await.status, 503, "{path}: one has ended");
        }
    }
}
