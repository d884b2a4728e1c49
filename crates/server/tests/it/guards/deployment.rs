//! The files in `deploy/` and the commands in the documentation name settings, metrics, ports and times that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{assert_none, crates, walk, without_tests};

fn root() -> PathBuf {
    crates().join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts of a folder by path, without its subfolders.
fn texts(folder: &str, extension: Option<&str>) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let files = entries
        .filter(|path| path.is_file() && (extension.is_none() || path.extension() == extension.map(AsRef::as_ref)));
    let names = files.map(|path| format!("{folder}/{}", path.file_name().unwrap().to_str().unwrap()));
    names.map(|path| (path.clone(), read(&path))).collect()
}

/// The words of letters, digits, `_` and `-` that start with a prefix.
fn words<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))).filter(move |word| word.starts_with(prefix))
}

/// The metrics that the sources record, and which of them are histograms.
fn recorded() -> BTreeMap<String, bool> {
    let mut metrics = BTreeMap::new();
    for source in ["server/src", "storage/src"].iter().flat_map(|folder| walk(&crates().join(folder))) {
        let text = without_tests(&std::fs::read_to_string(&source).unwrap_or_default());
        for (at, _) in text.match_indices("\"wishbone_") {
            let before = text[..at].trim_end();
            let is_recorded = ["counter!(", "gauge!(", "histogram!("].iter().any(|call| before.ends_with(call));
            if is_recorded {
                let name = text[at + 1..].split('"').next().unwrap();
                metrics.insert(name.to_owned(), before.ends_with("histogram!("));
            }
        }
    }
    assert!(metrics.len() > 15, "{metrics:?}");
    metrics
}

/// The names of metrics in a text, without the suffixes of a histogram's series.
fn named(text: &str, recorded: &BTreeMap<String, bool>) -> BTreeSet<String> {
    let name = |word: &str| {
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| word.strip_suffix(suffix));
        base.filter(|base| recorded.get(*base) == Some(&true)).unwrap_or(word).to_owned()
    };
    words(text, "wishbone_").map(name).collect()
}

/// The expressions and queries of the dashboard.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if ["expr", "query", "definition"].contains(&key.as_str()) => {
                        found.push(text.clone())
                    }
                    _ => queries(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| queries(value, found)),
        _ => {}
    }
}

#[test]
fn dashboard_alerts_and_documentation_name_the_metrics_that_exist() {
    let recorded = recorded();
    let mut findings = Vec::new();
    let dashboard: Value = serde_json::from_str(&read("deploy/grafana-dashboard.json")).unwrap();
    let mut expressions = Vec::new();
    queries(&dashboard, &mut expressions);
    let operations = read("docs/operations.md");
    let monitoring = operations.split("## Monitoring").nth(1).unwrap().split("\n## ").next().unwrap();
    let shown = named(&expressions.join("\n"), &recorded);
    let documented = named(monitoring, &recorded);
    for (place, names, must_be_complete) in [
        ("deploy/grafana-dashboard.json", &shown, true),
        ("docs/operations.md", &documented, true),
        ("deploy/prometheus-alerts.yml", &named(&read("deploy/prometheus-alerts.yml"), &recorded), false),
        ("deploy/prometheus-alerts.test.yml", &named(&read("deploy/prometheus-alerts.test.yml"), &recorded), false),
    ] {
        assert!(names.len() > 5, "{place}: {names:?}");
        let unknown = names.iter().filter(|name| !recorded.contains_key(*name));
        findings.extend(unknown.map(|name| format!("{place} names {name}, which no code records")));
        let missing = recorded.keys().filter(|name| must_be_complete && !names.contains(*name));
        findings.extend(missing.map(|name| format!("{place} does not have {name}")));
    }
    assert_none(&findings);
}

#[test]
fn every_alert_has_a_next_step_and_a_test() {
    let (rules, tests) = (read("deploy/prometheus-alerts.yml"), read("deploy/prometheus-alerts.test.yml"));
    let alerts: Vec<&str> = rules.split("- alert: ").skip(1).collect();
    assert!(alerts.len() > 5);
    let mut findings = Vec::new();
    for alert in alerts {
        let name = alert.lines().next().unwrap();
        for field in ["summary: ", "next_step: ", "severity: "] {
            if !alert.contains(field) {
                findings.push(format!("{name} has no {field}"));
            }
        }
        let fires = format!("alertname: {name}\n        exp_alerts:\n          - ");
        let is_silent = format!("alertname: {name}, exp_alerts: []");
        if !tests.contains(&fires) || !tests.contains(&is_silent) {
            findings.push(format!("deploy/prometheus-alerts.test.yml must show {name} once firing and once silent"));
        }
    }
    assert_none(&findings);
}

fn help(command: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_wishbone")).args(command).arg("--help").output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The names in a help text's list of commands.
fn commands(help: &str) -> BTreeSet<String> {
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn environment_variables_in_deployment_files_are_settings_of_the_server() {
    let known = help(&["serve"]);
    let known: BTreeSet<&str> = words(&known, "WISHBONE_").collect();
    let mut findings = Vec::new();
    let mut seen = 0;
    for (path, text) in texts("deploy", None) {
        for name in words(&text, "WISHBONE_") {
            seen += 1;
            if !known.contains(name) {
                findings.push(format!("{path} sets {name}, which `wishbone serve --help` does not have"));
            }
        }
    }
    assert!(seen > 20, "{seen}");
    assert_none(&findings);
}

#[test]
fn commands_in_deployment_files_and_documentation_have_the_options_they_use() {
    let mut files = texts("deploy", None);
    files.extend(texts("docs", Some("md")));
    files.insert("README.md".to_owned(), read("README.md"));
    let mut helps: BTreeMap<Vec<String>, String> = BTreeMap::from([(Vec::new(), help(&[]))]);
    let (mut findings, mut seen) = (Vec::new(), 0);
    for (path, text) in &files {
        // A command may continue on the next line.
        for rest in text.replace("\\\n", " ").lines().flat_map(|line| line.split("wishbone ").skip(1)) {
            let command = rest.split(['`', '#', ';', '|', ')', '>']).next().unwrap_or_default();
            let mut path_of_command: Vec<String> = Vec::new();
            let mut options = Vec::new();
            for word in command.split([' ', '=', '\'', '"', ',']) {
                if word.starts_with("--") && word.len() > 2 {
                    options.push(word);
                } else if commands(&helps[&path_of_command]).contains(word) {
                    path_of_command.push(word.to_owned());
                    let names: Vec<&str> = path_of_command.iter().map(String::as_str).collect();
                    helps.entry(path_of_command.clone()).or_insert_with(|| help(&names));
                }
            }
            if path_of_command.is_empty() {
                continue;
            }
            seen += 1;
            let known = &helps[&path_of_command];
            let unknown = options.iter().filter(|option| !words(known, "--").any(|word| word == **option));
            let name = path_of_command.join(" ");
            findings.extend(unknown.map(|option| format!("{path}: `wishbone {name}` has no {option}")));
        }
    }
    assert!(seen > 50, "{seen}");
    assert_none(&findings);
}

/// The number after a key, up to its unit.
fn number(text: &str, key: &str) -> Option<u64> {
    let value = text.split(key).nth(1)?.trim_start_matches(['"', ' ', ':']);
    value.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The last drain phases, from the sources: requests, then jobs.
fn drain_after_grace() -> u64 {
    ["crates/server/src/http/edge/listener.rs", "crates/server/src/jobs/runner.rs"]
        .map(|path| number(&read(path), "const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(").unwrap())
        .iter()
        .sum()
}

#[test]
fn service_managers_wait_longer_than_the_drain() {
    let default =
        number(&read("crates/server/src/cli/limits.rs"), "const DRAIN_GRACE: Duration = Duration::from_secs(").unwrap();
    for (path, key, setting) in [
        ("deploy/wishbone.service", "TimeoutStopSec=", "WISHBONE_DRAIN_GRACE="),
        ("deploy/compose.yaml", "stop_grace_period:", "WISHBONE_DRAIN_GRACE:"),
        ("deploy/kubernetes.yaml", "terminationGracePeriodSeconds:", "WISHBONE_DRAIN_GRACE:"),
        ("docs/deployment.md", "--stop-timeout", "WISHBONE_DRAIN_GRACE="),
    ] {
        let text = read(path);
        let waits = number(&text, key).unwrap_or_else(|| panic!("{path} has no {key}"));
        let drains = number(&text, setting).unwrap_or(default) + drain_after_grace();
        assert!(waits > drains, "{path}: {key} {waits} s is not longer than the drain, {drains} s");
    }
}

#[test]
fn the_image_is_built_from_every_crate_by_a_compiler_that_is_new_enough() {
    let (image, manifest) = (read("deploy/Dockerfile"), read("Cargo.toml"));
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let mut findings = Vec::new();
    for member in members.split(", ").map(|member| member.trim_matches('"')) {
        if !image.contains(&format!("COPY {member}/Cargo.toml {member}/\n")) {
            findings.push(format!("deploy/Dockerfile must copy {member}/Cargo.toml before it builds dependencies"));
        }
    }
    let (needed, has) = (number(&manifest, "rust-version = \"1.").unwrap(), number(&image, "FROM rust:1.").unwrap());
    if has < needed {
        findings.push(format!("deploy/Dockerfile builds with Rust 1.{has}, and Cargo.toml needs 1.{needed}"));
    }
    let tag = format!("wishbone:{}", env!("CARGO_PKG_VERSION"));
    for path in ["deploy/compose.yaml", "deploy/kubernetes.yaml"] {
        if !read(path).lines().any(|line| line.contains("image: ") && line.contains(&tag)) {
            findings.push(format!("{path} must name the image {tag}"));
        }
    }
    assert_none(&findings);
}

#[test]
fn probes_reach_the_port_of_the_server_and_the_metrics_stay_private() {
    let (image, cluster, compose) =
        (read("deploy/Dockerfile"), read("deploy/kubernetes.yaml"), read("deploy/compose.yaml"));
    let port = number(&image, "WISHBONE_LISTEN=0.0.0.0:").unwrap();
    assert_eq!(number(&read("deploy/healthcheck"), "WISHBONE_LISTEN:-0.0.0.0:"), Some(port));
    assert_eq!(number(&image, "EXPOSE"), Some(port));
    assert_eq!(number(&cluster, "name: http, containerPort:"), Some(port));
    assert_eq!(number(&read("deploy/Caddyfile"), "reverse_proxy wishbone:"), Some(port));
    let metrics = number(&cluster, "WISHBONE_METRICS_LISTEN: 0.0.0.0:").unwrap();
    assert_eq!(number(&cluster, "name: metrics, containerPort:"), Some(metrics));
    assert_eq!(number(&cluster, "prometheus.io/port"), Some(metrics));
    let published: Vec<&str> = compose.lines().filter(|line| line.trim_start().starts_with("ports:")).collect();
    assert!(matches!(published[..], [caddy] if caddy.contains("443:443") && !caddy.contains("9464")), "{published:?}");
    let service = cluster.split("kind: Service\n").nth(1).unwrap();
    assert!(!service.contains("metrics") && !service.contains("9464"), "{service}");
}
