//! A real response of every operation that responds in JSON. The tests record them, and check that they are up to date.

use std::sync::LazyLock;

use serde_json::Value;

/// By the id of the operation.
static SAMPLES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("samples.json")).unwrap_or_default());

pub(crate) fn of(operation: &str) -> Option<&'static Value> {
    SAMPLES.get(operation)
}
