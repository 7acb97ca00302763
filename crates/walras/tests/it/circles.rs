//! No circle of more than two files: what a file takes from others is followed to where it is defined.
//!
//! Every `use` of a crate's own names is an arrow from the file to the file that defines the name; what a module only passes on
//! with `pub use` is followed and is no arrow itself. Two files may lean on each other; three that do want another file.

use crate::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module's path within its crate, such as `["rules", "check"]`.
type Module = Vec<String>;

/// One name that a file takes: whence, and whether it only passes it on.
struct Taken {
    path: Vec<String>,
    passed_on: bool,
}

/// The modules of a crate with what they take.
fn modules(folder: &Path, module: &Module, all: &mut BTreeMap<Module, Vec<Taken>>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().expect("names are text"));
        if path.is_dir() && name != "tests" {
            modules(&path, &[module.as_slice(), &[name]].concat(), all);
        } else if let Some(stem) = name.strip_suffix(".rs").filter(|stem| *stem != "tests") {
            let own = match stem {
                "lib" | "main" | "mod" => module.clone(),
                stem => [module.as_slice(), &[stem.to_owned()]].concat(),
            };
            let source = fs::read_to_string(&path).expect("sources are text");
            all.insert(own.clone(), taken(&source, &own));
        }
    }
}

/// What the `use` lines of a file's own part (its tests stand at the end) take from its crate.
fn taken(source: &str, own: &Module) -> Vec<Taken> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("use ") {
        let line = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = rest[line..at].to_owned();
        rest = &rest[at + 4..];
        if !(before.is_empty() || before.starts_with("pub")) {
            continue;
        }
        let Some(end) = rest.find(';') else { break };
        for path in expanded(&rest[..end].split_whitespace().collect::<Vec<_>>().join(" ")) {
            found.extend(absolute(&path, own).map(|path| Taken { path, passed_on: !before.is_empty() }));
        }
        rest = &rest[end..];
    }
    found
}

/// `a::{b, c::{d, self}}` as `a::b`, `a::c::d` and `a::c`.
fn expanded(text: &str) -> Vec<String> {
    let Some((before, inner)) = text.split_once('{') else {
        let name = text.split(" as ").next().unwrap_or(text).trim();
        return if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
    };
    let inner = inner.trim().strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let all = parts.into_iter().flat_map(|part| expanded(part.trim()));
    all.map(
        |part| {
            if part == "self" { before.trim_end_matches("::").to_owned() } else { format!("{before}{part}") }
        },
    )
    .collect()
}

/// The path from the crate's root; `None` for what other crates define.
fn absolute(path: &str, own: &Module) -> Option<Vec<String>> {
    let mut steps: Vec<String> = path.split("::").map(|step| step.trim().to_owned()).collect();
    let mut base = own.clone();
    match steps.first()?.as_str() {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while steps.get(1).is_some_and(|step| step == "super") {
                base.pop();
                steps.remove(1);
            }
            base.pop();
        }
        // A child of this module, or another crate: whoever looks it up will see.
        _ => return Some([own.as_slice(), &steps].concat()),
    }
    Some([base.as_slice(), &steps[1..]].concat())
}

/// The module that defines what a path names, through what others pass on.
fn defined(all: &BTreeMap<Module, Vec<Taken>>, path: &[String], depth: usize) -> Option<Module> {
    let known = (0..=path.len()).rev().find(|length| all.contains_key(&path[..*length]))?;
    let (module, rest) = (path[..known].to_vec(), &path[known..]);
    let Some(name) = rest.first() else { return Some(module) };
    let through = all[&module]
        .iter()
        .find(|taken| taken.path.last() == Some(name) && taken.path[..] != *path && taken.path.len() > 1);
    match through {
        Some(taken) if depth < 8 => defined(all, &taken.path, depth + 1).or(Some(module)),
        _ => Some(module),
    }
}

/// Who can be reached from a module.
fn reached<'a>(arrows: &'a BTreeMap<Module, BTreeSet<Module>>, from: &'a Module) -> BTreeSet<&'a Module> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(at) = next.pop() {
        next.extend(arrows.get(at).into_iter().flatten().filter(|to| seen.insert(*to)));
    }
    seen
}

#[test]
fn no_more_than_two_files_lean_on_each_other() {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates");
    let mut circles = Vec::new();
    for folder in crates.map(|entry| entry.unwrap().path()) {
        let mut all = BTreeMap::new();
        modules(&folder.join("src"), &Module::new(), &mut all);
        let mut arrows: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, names) in &all {
            for taken in names.iter().filter(|taken| !taken.passed_on) {
                let to = defined(&all, &taken.path, 0).filter(|to| to != module);
                // Names of other crates end at this module itself, or at the root without being one of its own.
                arrows.entry(module.clone()).or_default().extend(to);
            }
        }
        let mut counted: BTreeSet<&Module> = BTreeSet::new();
        for module in all.keys() {
            let back = |other: &&Module| reached(&arrows, other).contains(module);
            let mut circle: BTreeSet<&Module> = reached(&arrows, module).into_iter().filter(back).collect();
            circle.insert(module);
            if circle.len() > 2 && counted.insert(module) {
                counted.extend(&circle);
                let files: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
                circles.push(format!("{}: {}", name_of(&folder), files.join(", ")));
            }
        }
    }
    assert!(circles.is_empty(), "circles of more than two files:\n{}", circles.join("\n"));
}

fn name_of(folder: &Path) -> String {
    PathBuf::from(folder.file_name().expect("a crate has a name")).display().to_string()
}
