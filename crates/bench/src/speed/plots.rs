//! Plots as SVG, drawn by hand: horizontal bars, readable on light and dark pages.

use std::fmt::Write;

use super::progress::thousands;
use super::report::Report;
use super::spread::Spread;

/// Subjects in the order in which they are drawn, and their colours: one that is seen on white and on black.
const SERIES: [(&str, &str); 5] =
    [("limit", "#8c8c8c"), ("sqlite", "#2f81c7"), ("postgres", "#3f9b5c"), ("pgbench", "#8a6fc0"), ("raw", "#c77d2f")];

const WIDTH: f64 = 860.0;
const LABELS: f64 = 270.0;
const BAR: f64 = 15.0;

/// Bars that belong together.
struct Group {
    label: String,
    /// Subject, value, and how it is written.
    bars: Vec<(String, f64, String)>,
}

pub(crate) fn all(report: &Report) -> Vec<(&'static str, String)> {
    vec![
        ("throughput.svg", draw("Requests a second, one core (more is better)", &throughput(report), false)),
        (
            "latency.svg",
            draw("p99 at half the throughput, in ms, logarithmic (less is better)", &latency(report), true),
        ),
        (
            "growth.svg",
            draw("Processor time of a page of any list, SQLite, in µs (less is better)", &growth(report), false),
        ),
    ]
}

fn throughput(report: &Report) -> Vec<Group> {
    let groups = report.operations.iter().map(|measured| {
        let bars = SERIES.iter().filter_map(|(subject, _)| {
            let median = Spread::of(measured.per_second(subject))?.median;
            Some(((*subject).to_owned(), median, thousands(median.round() as u64)))
        });
        Group { label: measured.title.clone(), bars: bars.collect() }
    });
    groups.collect()
}

fn latency(report: &Report) -> Vec<Group> {
    let groups = report.operations.iter().map(|measured| {
        let bars = SERIES.iter().filter_map(|(subject, _)| {
            let (_, slices) = measured.open().find(|(name, _)| name == subject)?;
            let median = Spread::of(slices.iter().map(|slice| slice.latency.p99))?.median;
            Some(((*subject).to_owned(), median, format!("{median:.2}")))
        });
        Group { label: measured.title.clone(), bars: bars.collect() }
    });
    groups.collect()
}

fn growth(report: &Report) -> Vec<Group> {
    let groups = report.growth.iter().filter_map(|size| {
        let cost = Spread::of(size.page_random.iter().map(|slice| slice.server_cpu))?.median;
        Some(Group { label: size.title(), bars: vec![("sqlite".to_owned(), cost, format!("{cost:.1}"))] })
    });
    groups.collect()
}

fn draw(title: &str, groups: &[Group], logarithmic: bool) -> String {
    let values = || groups.iter().flat_map(|group| &group.bars).map(|(_, value, _)| *value);
    let most = values().fold(f64::MIN_POSITIVE, f64::max);
    let least = values().fold(most, f64::min);
    let room = WIDTH - LABELS - 80.0;
    let length = |value: f64| match logarithmic {
        // The shortest bar is still one.
        true => room * (0.05 + 0.95 * (value / least).ln() / (most / least).ln().max(f64::MIN_POSITIVE)),
        false => room * value / most,
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
    for (name, colour) in SERIES.iter().filter(|(name, _)| drawn(groups, name)) {
        let _ = writeln!(
            out,
            r#"<rect x="{x}" y="32" width="11" height="11" fill="{colour}"/><text x="{}" y="42">{name}</text>"#,
            x + 16.0
        );
        x += 90.0;
    }
    let mut y = 58.0;
    for group in groups {
        let _ = writeln!(out, r#"<text x="0" y="{}">{}</text>"#, y + 11.5, escaped(&group.label));
        for (subject, value, text) in &group.bars {
            let colour = SERIES.iter().find(|(name, _)| name == subject).map_or("#888", |(_, colour)| colour);
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

fn drawn(groups: &[Group], name: &str) -> bool {
    groups.iter().flat_map(|group| &group.bars).any(|(subject, _, _)| subject == name)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
