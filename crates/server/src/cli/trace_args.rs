//! Options for traces.

use clap::Args;

use crate::outbound::target::Target;
use crate::traces::tracer::TraceSettings;

const HEADING: &str = "Traces";

#[derive(Args)]
pub(super) struct TraceArgs {
    /// Send traces of requests and deliveries to an OpenTelemetry collector: its base URL for OTLP over HTTP, such as
    /// http://localhost:4318. Headers, such as a token, come from OTEL_EXPORTER_OTLP_HEADERS [default: no traces]
    #[arg(long, help_heading = HEADING, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    otlp_endpoint: Option<String>,

    /// Share of traces to send, from 0 to 1
    #[arg(long, help_heading = HEADING, value_name = "RATIO", env = "WISHBONE_TRACE_RATIO", default_value = "1")]
    trace_ratio: String,

    /// Name of this server in traces; more attributes come from OTEL_RESOURCE_ATTRIBUTES
    #[arg(long, help_heading = HEADING, value_name = "NAME", env = "OTEL_SERVICE_NAME", default_value = "wishbone")]
    trace_service: String,
}

impl TraceArgs {
    /// `None` without traces. Adds a sentence to `faults` for each setting that cannot be used.
    pub(super) fn check(&self, faults: &mut Vec<String>) -> Option<TraceSettings> {
        let ratio = self.trace_ratio.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
        if ratio.is_none() {
            faults.push("--trace-ratio (WISHBONE_TRACE_RATIO) must be a number from 0 to 1, such as 0.1".to_owned());
        }
        let endpoint = self.otlp_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty())?;
        if Target::parse(endpoint, true).is_err() || endpoint.contains('?') {
            let rule = "must be an http or https URL without user and password, such as http://localhost:4318";
            faults.push(format!("--otlp-endpoint (OTEL_EXPORTER_OTLP_ENDPOINT) {rule}"));
        }
        Some(TraceSettings { endpoint: endpoint.to_owned(), ratio: ratio?, service: self.trace_service.clone() })
    }
}
