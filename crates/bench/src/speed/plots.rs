//! SVG plots with horizontal bars, readable on light and dark backgrounds.

use std::fmt::Write;

use super::configuration::{SQLITE, SYSTEMS};
use super::progress::thousands;
use super::report::Report;
use super::summary::Summary;

/// The colours of the systems, in the order of `SYSTEMS`, visible on light and dark backgrounds.
const COLOURS: [&str; SYSTEMS.len()] = ["#8c8c8c", "#1f5f9e", "#3f9b5c", "#8a6fc0", "#c77d2f"];

const WIDTH: f64 = 860.0;
const LABELS: f64 = 270.0;
const BAR: f64 = 15.0;

/// Bars with a common label.
struct Group {
    label: String,
    /// System, value and label.
    bars: Vec<(String, f64, String)>,
}

pub(crate) fn all(report: &Report) -> Vec<(&'static str, String)> {
    vec![
        ("throughput.svg", draw("Requests per second on one core (higher is better)", &throughput(report), false)),
        (
            "latency.svg",
            draw("p99 latency at half the throughput, in ms, logarithmic (lower is better)", &latency(report), true),
        ),
        ("growth.svg", draw("CPU time of a page of any list, in µs (lower is better)", &growth(report), false)),
    ]
}

fn throughput(report: &Report) -> Vec<Group> {
    let groups = report.operations.iter().map(|result| {
        let bars = SYSTEMS.iter().filter_map(|(system, _)| {
            let median = Summary::of(result.per_second(system))?.median;
            Some(((*system).to_owned(), median, thousands(median.round() as u64)))
        });
        Group { label: result.title().to_owned(), bars: bars.collect() }
    });
    groups.collect()
}

fn latency(report: &Report) -> Vec<Group> {
    let groups = report.operations.iter().map(|result| {
        let bars = SYSTEMS.iter().filter_map(|(system, _)| {
            let (_, slices) = result.open().find(|(name, _)| name == system)?;
            let median = Summary::of(slices.iter().map(|slice| slice.latency.p99))?.median;
            Some(((*system).to_owned(), median, format!("{median:.2}")))
        });
        Group { label: result.title().to_owned(), bars: bars.collect() }
    });
    groups.collect()
}

fn growth(report: &Report) -> Vec<Group> {
    let groups = report.growth.iter().filter_map(|size| {
        let cost = Summary::of(size.page_random.iter().map(|slice| slice.server_cpu))?.median;
        Some(Group { label: size.title(), bars: vec![(SQLITE.name.to_owned(), cost, format!("{cost:.1}"))] })
    });
    groups.collect()
}

fn draw(title: &str, groups: &[Group], logarithmic: bool) -> String {
    let values = || groups.iter().flat_map(|group| &group.bars).map(|(_, value, _)| *value);
    let max = values().fold(f64::MIN_POSITIVE, f64::max);
    let min = values().fold(max, f64::min);
    let room = WIDTH - LABELS - 80.0;
    let length = |value: f64| match logarithmic {
        // The shortest bar is still visible.
        true => room * (0.05 + 0.95 * (value / min).ln() / (max / min).ln().max(f64::MIN_POSITIVE)),
        false => room * value / max,
    };
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = 66.0 + bars as f64 * BAR + groups.len() as f64 * 10.0;
    let mut out = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">
<title>{title}</title>
<style>
text {{ font: 12px system-ui, sans-serif; fill: #24292f; }}
.title {{ font-size: 15px; font-weight: 600; }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3; }} }}
</style>
<text class="title" x="0" y="18">{title}</text>
"##
    );
    let mut x = 0.0;
    for ((_, title), colour) in SYSTEMS.iter().zip(COLOURS).filter(|((name, _), _)| is_drawn(groups, name)) {
        let _ = writeln!(
            out,
            r#"<rect x="{x}" y="32" width="11" height="11" fill="{colour}"/><text x="{}" y="42">{title}</text>"#,
            x + 16.0
        );
        x += 30.0 + 7.0 * title.len() as f64;
    }
    let mut y = 58.0;
    for group in groups {
        let _ = writeln!(out, r#"<text x="0" y="{}">{}</text>"#, y + 11.5, escaped(&group.label));
        for (system, value, text) in &group.bars {
            let colour = SYSTEMS.iter().position(|(name, _)| name == system).map_or("#888", |number| COLOURS[number]);
            let end = LABELS + length(*value);
            let _ = writeln!(
                out,
                r#"<rect x="{LABELS}" y="{y}" width="{:.1}" height="{}" fill="{colour}"/><text x="{:.1}" y="{}">{text}</text>"#,
                end - LABELS,
                BAR - 2.0,
                end + 6.0,
                y + 11.0
            );
            y += BAR;
        }
        y += 10.0;
    }
    out + "</svg>\n"
}

fn is_drawn(groups: &[Group], name: &str) -> bool {
    groups.iter().flat_map(|group| &group.bars).any(|(system, _, _)| system == name)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
