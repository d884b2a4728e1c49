//! Generates docs/performance.md and its plots.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::report::Report;
use super::{document, plots};

/// The generated files, relative to the documentation directory.
fn files(report: &Report) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let mut out = vec![
        (PathBuf::from("performance.md"), document::text(report)),
        (PathBuf::from("performance/latest.json"), report.to_json()?),
    ];
    out.extend(plots::all(report).into_iter().map(|(name, svg)| (Path::new("performance").join(name), svg)));
    Ok(out)
}

/// The documentation directory.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Generates the page and the plots from the results of a run.
pub(crate) fn publish(result: &Path) -> anyhow::Result<()> {
    for (path, text) in files(&Report::read(result)?)? {
        let path = docs().join(path);
        fs::create_dir_all(path.parent().context("the path has no directory")?)?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.canonicalize()?.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_plots_match_the_results() {
        let report = Report::read(&docs().join("performance/latest.json")).unwrap();
        for (path, text) in files(&report).unwrap() {
            let found = fs::read_to_string(docs().join(&path)).unwrap();
            let remedy = "cargo run --release -p bench -- report docs/performance/latest.json";
            assert!(found == text, "docs/{} does not match the results: run `{remedy}`", path.display());
        }
    }
}
