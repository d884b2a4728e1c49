//! Imports go one way: a module imports only from modules declared before it, so that there are no cycles between files
//! or folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{assert_none, crates, walk, without_tests};

/// The folders of the server, from the ground up. `http` stands around `app`, so its order is not that of `lib.rs`.
const SERVER: &[&str] = &[
    "environment",
    "supervisor",
    "shutdown",
    "limit_key",
    "slot_limiter",
    "long_reads",
    "live",
    "spans",
    "api",
    "http/clients",
    "http/response",
    "http/edge",
    "demo",
    "outage",
    "outbound",
    "traces",
    "mail",
    "sms",
    "webhooks",
    "pacing",
    "reachable_stores",
    "worker_limiter",
    "write_quotas",
    "background_payers",
    "visit_buffer",
    "app",
    "http/request",
    "http/handlers",
    "http",
    "jobs",
    "cli",
];

/// A crate's modules by path (`lists/row`), with their place in the order and their imports.
struct Modules {
    order: BTreeMap<String, Vec<usize>>,
    imports: BTreeMap<String, BTreeSet<String>>,
}

impl Modules {
    fn read(name: &str, layers: Option<&[&str]>) -> Self {
        let source = crates().join(name).join("src");
        let mut order = BTreeMap::new();
        declared(&source, "lib.rs", "", &[], &mut order);
        if let Some(layers) = layers {
            for (module, rank) in &mut order {
                let around = (0..layers.len()).filter(|i| is_within(module, layers[*i]));
                let deepest = around.max_by_key(|i| layers[*i].len());
                rank.insert(0, deepest.unwrap_or_else(|| panic!("{name}: {module} is in no layer of the list")));
            }
            for layer in layers {
                assert!(
                    order.keys().any(|module| is_within(module, layer)),
                    "{name} has no {layer}: take it off the list"
                );
            }
        }
        let mut imports = BTreeMap::new();
        for module in order.keys() {
            let text = std::fs::read_to_string(source.join(format!("{module}.rs"))).unwrap();
            let found = imported(&without_tests(&text), module);
            let targets = found.into_iter().filter_map(|path| longest(&path, &order)).filter(|it| it != module);
            imports.insert(module.clone(), targets.collect());
        }
        assert!(imports.values().map(BTreeSet::len).sum::<usize>() > order.len() / 2, "{name}: imports were not found");
        Self { order, imports }
    }

    fn findings(&self, name: &str) -> Vec<String> {
        let mut findings = Vec::new();
        for (module, imports) in &self.imports {
            for import in imports.iter().filter(|import| self.order[*import] > self.order[module]) {
                let cycle = self.path(import, module);
                let closes = cycle.map_or(String::new(), |path| format!(", and closes a cycle: {}", path.join(" → ")));
                findings.push(format!("{name}/src/{module}.rs imports {import}, which is declared after it{closes}"));
            }
        }
        findings
    }

    /// How one module imports another, if it does, over others.
    fn path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut paths = vec![vec![from.to_owned()]];
        let mut seen = BTreeSet::from([from.to_owned()]);
        while let Some(path) = paths.pop() {
            for next in &self.imports[path.last()?] {
                let mut longer = path.clone();
                longer.push(next.clone());
                if next == to {
                    return Some(longer);
                }
                if seen.insert(next.clone()) {
                    paths.insert(0, longer);
                }
            }
        }
        None
    }
}

fn is_within(module: &str, folder: &str) -> bool {
    module == folder || module.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Gathers the modules that a file declares, and those below them, each with its place.
fn declared(source: &Path, file: &str, prefix: &str, rank: &[usize], order: &mut BTreeMap<String, Vec<usize>>) {
    let text = std::fs::read_to_string(source.join(file)).unwrap();
    let code = without_tests(&text);
    let names = code.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    for (place, name) in names.enumerate() {
        let (module, rank) = (format!("{prefix}{name}"), [rank, &[place]].concat());
        let folder = format!("{module}/mod.rs");
        if source.join(&folder).exists() {
            declared(source, &folder, &format!("{module}/"), &rank, order);
        } else {
            order.insert(module, rank);
        }
    }
}

/// Every path that begins with `crate` or `super`, as segments below the crate's root.
fn imported(code: &str, module: &str) -> Vec<Vec<String>> {
    let code: String =
        code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let parent: Vec<String> = module.split('/').map(str::to_owned).collect();
    let mut out = Vec::new();
    for (start, base) in [("crate::", Vec::new()), ("super::", parent[..parent.len() - 1].to_vec())] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if !(before.is_alphanumeric() || before == '_' || before == ':' || before == '$') {
                leaves(&code[at + start.len()..], &base, &mut out);
            }
        }
    }
    out
}

/// The paths of a use tree.
fn leaves(text: &str, base: &[String], out: &mut Vec<Vec<String>>) {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let mut path = base.to_vec();
    path.extend(text[..end].split("::").filter(|part| !part.is_empty()).map(str::to_owned));
    if !(text[..end].is_empty() || text[..end].ends_with("::")) || !text[end..].starts_with('{') {
        out.push(path);
        return;
    }
    let mut depth = 0;
    let mut from = end + 1;
    for (i, c) in text[end..].char_indices() {
        let at = end + i;
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || (c == '}' && depth == 0) {
            leaves(text[from..at].trim_start(), &path, out);
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
}

/// The module that a path leads to: its longest beginning that is a file.
fn longest(path: &[String], order: &BTreeMap<String, Vec<usize>>) -> Option<String> {
    (1..=path.len()).rev().map(|length| path[..length].join("/")).find(|module| order.contains_key(module))
}

#[test]
fn every_module_imports_only_from_modules_declared_before_it() {
    let mut findings = Vec::new();
    for (name, layers) in [("storage", None), ("core", None), ("server", Some(SERVER))] {
        findings.extend(Modules::read(name, layers).findings(name));
    }
    assert_none(&findings);
}

#[test]
fn an_upward_import_is_found_with_its_cycle() {
    let order =
        BTreeMap::from([("a/x".to_owned(), vec![0, 0]), ("a/y".to_owned(), vec![0, 1]), ("b".to_owned(), vec![1])]);
    let read = |module: &str, code: &str| -> BTreeSet<String> {
        imported(code, module).iter().filter_map(|path| longest(path, &order)).collect()
    };
    let imports = BTreeMap::from([
        ("a/x".to_owned(), read("a/x", "use crate::{\n    b::{Deep, self},\n};\nuse std::fmt; // crate::a::y")),
        ("a/y".to_owned(), read("a/y", "use super::x::Thing;")),
        ("b".to_owned(), read("b", "fn f() { crate::a::y::call() }")),
    ]);
    assert_eq!(imports["a/x"], BTreeSet::from(["b".to_owned()]));
    let findings = Modules { order, imports }.findings("core");
    assert_eq!(findings, ["core/src/a/x.rs imports b, which is declared after it, and closes a cycle: b → a/y → a/x"]);
}

#[test]
fn a_folder_says_what_it_holds_and_holds_no_code_itself() {
    let mut findings = Vec::new();
    for name in ["core", "server"] {
        for entry in walk(&crates().join(name).join("src")) {
            if !entry.ends_with("mod.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&entry).unwrap();
            let is_declaration = |line: &&str| line.is_empty() || line.starts_with("//!") || line.ends_with(';');
            if !text.starts_with("//! ") {
                findings.push(format!("{} does not say what the folder holds", entry.display()));
            }
            if let Some(line) = text.lines().find(|line| !is_declaration(line) || line.contains("use ")) {
                findings.push(format!("{} holds code: {line}", entry.display()));
            }
        }
    }
    assert_none(&findings);
}
