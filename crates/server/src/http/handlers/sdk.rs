//! The client script, the same as a module, the parts that it loads on demand, and its type definitions, built and
//! committed in `sdk/dist`.

use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use flate2::Compression;

use crate::http::response::compression::compress;
use crate::http::response::headers::RESOURCE_POLICY;
use crate::http::response::shared_text::SharedText;

/// Files, each compressed on first use.
macro_rules! files {
    ($($handler:ident = $name:literal, $media_type:expr;)*) => {$(
        pub(crate) async fn $handler() -> impl IntoResponse {
            static FILE: LazyLock<SharedText> =
                LazyLock::new(|| SharedText::new(include_str!(concat!("../../../../../sdk/dist/", $name))));
            file($media_type, &FILE)
        }
    )*};
}

/// The package for npm, which `build.rs` has made of the same files.
pub(crate) async fn package() -> impl IntoResponse {
    static PACKAGE: LazyLock<Bytes> = LazyLock::new(|| {
        let archive: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wishbone-sdk.tar"));
        compress([archive], Compression::best()).into()
    });
    let headers = [
        (CONTENT_TYPE, "application/gzip"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (headers, [(RESOURCE_POLICY, "cross-origin")], PACKAGE.clone())
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

files! {
    script = "wishbone.js", JAVASCRIPT;
    module = "wishbone.mjs", JAVASCRIPT;
    elements = "wishbone-elements.mjs", JAVASCRIPT;
    live = "wishbone-live.mjs", JAVASCRIPT;
    legacy = "wishbone-legacy.mjs", JAVASCRIPT;
    types = "wishbone.d.ts", "text/plain; charset=utf-8";
}

/// Loadable from any origin. An hour of caching lets a fix reach every shop within a morning.
fn file(media_type: &'static str, text: &SharedText) -> impl IntoResponse {
    let headers =
        [(CONTENT_TYPE, media_type), (CACHE_CONTROL, "public, max-age=3600"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (headers, [(RESOURCE_POLICY, "cross-origin")], text.clone())
}
