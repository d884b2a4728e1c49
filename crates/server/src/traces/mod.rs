//! Traces by OpenTelemetry: records spans and sends them to a collector.

mod collector;
pub(crate) mod tracer;
