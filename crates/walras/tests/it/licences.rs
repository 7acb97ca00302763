//! Licences of all dependencies are ones that Walras may be given away with: those that `deny.toml` allows.
//!
//! `make audit` asks cargo-deny the same and more, but that takes minutes to build and a network.

use crate::root;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// What is allowed: for all packages, and for single ones besides.
struct Allowed {
    all: Vec<String>,
    single: BTreeMap<String, Vec<String>>,
}

fn texts(value: Option<&toml::Value>) -> Vec<String> {
    let list = value.and_then(toml::Value::as_array).into_iter().flatten();
    list.filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

fn allowed() -> Allowed {
    let rules: toml::Table = fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    let licences = rules["licenses"].as_table().unwrap();
    let exceptions = licences["exceptions"].as_array().unwrap();
    let single = |it: &toml::Value| Some((it.get("crate")?.as_str()?.to_owned(), texts(it.get("allow"))));
    Allowed { all: texts(licences.get("allow")), single: exceptions.iter().filter_map(single).collect() }
}

impl Allowed {
    fn has(&self, package: &str, licence: &str) -> bool {
        let single = self.single.get(package).into_iter().flatten();
        self.all.iter().chain(single).any(|it| it == licence)
    }

    /// Whether an SPDX expression can be met: `OR` gives a choice, `AND` binds closer, and an exception (`WITH`) only
    /// gives more freedom than its licence.
    fn meets(&self, package: &str, expression: &str) -> bool {
        let words = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut rest = words.as_slice();
        self.any(package, &mut rest) && rest.is_empty()
    }

    fn any(&self, package: &str, rest: &mut &[&str]) -> bool {
        let mut met = self.every(package, rest);
        while let [word, after @ ..] = *rest
            && *word == "OR"
        {
            *rest = after;
            met |= self.every(package, rest);
        }
        met
    }

    fn every(&self, package: &str, rest: &mut &[&str]) -> bool {
        let mut met = self.one(package, rest);
        while let [word, after @ ..] = *rest
            && *word == "AND"
        {
            *rest = after;
            met &= self.one(package, rest);
        }
        met
    }

    fn one(&self, package: &str, rest: &mut &[&str]) -> bool {
        let Some((first, after)) = rest.split_first() else { return false };
        *rest = after;
        if *first == "(" {
            let met = self.any(package, rest);
            let closed = rest.split_first().filter(|(word, _)| **word == ")");
            return closed.is_some_and(|(_, after)| {
                *rest = after;
                met
            });
        }
        if let ["WITH", _, after @ ..] = *rest {
            *rest = after;
        }
        self.has(package, first)
    }
}

#[test]
fn all_licences_are_allowed() {
    let allowed = allowed();
    let arguments =
        ["metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"];
    let output = Command::new(env!("CARGO")).current_dir(root()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Only what is built: the list of packages also has those of other systems.
    let built = metadata["resolve"]["nodes"].as_array().unwrap();
    let built: Vec<&Value> = built.iter().map(|node| &node["id"]).collect();
    let packages = metadata["packages"].as_array().unwrap().iter().filter(|it| built.contains(&&it["id"]));
    let mut count = 0;
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(allowed.meets(name, licence), "{name} is under {licence:?}, which deny.toml does not allow");
        let source = package["source"].as_str().unwrap_or("crates.io");
        assert!(source.contains("crates.io"), "{name} comes from {source}");
        count += 1;
    }
    assert!(count >= 200, "only {count} packages found");
}

#[test]
fn expressions_are_understood() {
    let allowed = Allowed { all: vec!["MIT".to_owned()], single: BTreeMap::new() };
    for good in
        ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND MIT", "MIT WITH some-exception"]
    {
        assert!(allowed.meets("any", good), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT AND (GPL-3.0 OR ISC)", "(MIT", "MIT MIT"] {
        assert!(!allowed.meets("any", bad), "{bad}");
    }
}
