//! Records spans and sends them to a collector.

use std::time::Duration;

use opentelemetry::trace::{Link, SpanKind, TraceId, TraceState, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::EnvResourceDetector;
use opentelemetry_sdk::trace::{ParentBasedSampler, SamplingDecision, SamplingResult, SdkTracerProvider, ShouldSample};
use tokio::runtime::Handle;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;
use wishbone_storage::trace::TARGET;

use crate::environment::Environment;
use crate::outbound::client::HttpClient;
use crate::traces::collector::Collector;

/// Timeout of an export. Spans that are recorded meanwhile wait, up to the limit of the queue; those beyond it are lost.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for the last export at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) struct TraceSettings {
    /// The base URL of a collector, for OTLP over HTTP.
    pub(crate) endpoint: String,
    /// The share of traces that are sent.
    pub(crate) ratio: f64,
    /// The name of this server among others.
    pub(crate) service: String,
}

pub(crate) struct Tracer(SdkTracerProvider);

impl Tracer {
    pub(crate) fn start(settings: &TraceSettings) -> anyhow::Result<Self> {
        // The operator has chosen the endpoint: it may be on this machine.
        let client = HttpClient::new(true).with_timeout(EXPORT_TIMEOUT);
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Collector::new(client, Handle::current()))
            .with_endpoint(format!("{}/v1/traces", settings.endpoint.trim_end_matches('/')))
            .with_timeout(EXPORT_TIMEOUT)
            // The next batch is a few seconds away.
            .with_retry_policy(RetryPolicy::disabled())
            .build()?;
        // A caller can mark a request as sampled, and choose its trace id, but the ratio holds for all: otherwise anyone
        // could fill the collector.
        let share = RandomShare(settings.ratio);
        let sampler = ParentBasedSampler::new(share.clone()).with_remote_parent_sampled(share);
        let provider = SdkTracerProvider::builder()
            .with_sampler(sampler)
            .with_resource(resource(&settings.service))
            .with_batch_exporter(exporter)
            .build();
        Ok(Self(provider))
    }

    /// The layer that records the spans of traces, and nothing of the log.
    pub(crate) fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("wishbone"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(Targets::new().with_target(TARGET, LevelFilter::INFO))
            .boxed()
    }

    /// Sends what was recorded last.
    pub(crate) async fn shut_down(self) {
        let sent = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(SHUTDOWN_TIMEOUT)).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::warn!("the last traces were not sent");
        }
    }
}

/// Samples a share of the traces, whatever their ids.
#[derive(Clone, Debug)]
struct RandomShare(f64);

impl ShouldSample for RandomShare {
    fn should_sample(
        &self,
        _: Option<&Context>,
        _: TraceId,
        _: &str,
        _: &SpanKind,
        _: &[KeyValue],
        _: &[Link],
    ) -> SamplingResult {
        let random = u32::from_le_bytes(Environment::Real.random());
        let is_sampled = f64::from(random) < self.0 * 2f64.powi(32);
        let decision = if is_sampled { SamplingDecision::RecordAndSample } else { SamplingDecision::Drop };
        SamplingResult { decision, attributes: Vec::new(), trace_state: TraceState::NONE }
    }
}

/// What is true of all spans. `OTEL_RESOURCE_ATTRIBUTES` overrides the rest.
fn resource(service: &str) -> Resource {
    Resource::builder_empty()
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", Environment::Real.uuid().to_string()))
        .with_detector(Box::new(EnvResourceDetector::new()))
        .with_service_name(service.to_owned())
        .build()
}
