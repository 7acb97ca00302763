//! The rules of the house, held against its sources and manifests: what ARCHITECTURE.md says is absent, is.
//!
//! Each rule reads the files as they are, so that breaking it fails here even where it compiles. An exception is a line in
//! a list below, with its reason.

use crate::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// No file has more lines.
const LINES_MAX: usize = 400;

/// The one crate that may link the world of faults: the command line has `walras world`.
const MAY_LINK_WORLD: [&str; 1] = ["walras"];

/// Crates whose results follow from their arguments alone.
const PURE: [&str; 6] =
    ["walras-model", "walras-core", "walras-assign", "walras-verify", "walras-broker", "walras-audit"];

/// What a pure crate does not name: order that is not behaviour, time that is not an argument, and the world outside.
const IMPURE: [&str; 10] = [
    "HashMap",
    "HashSet",
    "Instant",
    "SystemTime",
    "File",
    "std::fs",
    "std::net",
    "std::process",
    "std::env",
    "std::io",
];

/// Crates in which no float stands beside money, time or a proof.
const WITHOUT_FLOATS: [&str; 4] = ["walras-model", "walras-verify", "walras-broker", "walras-audit"];

/// Crates that divide as they say themselves: the model names every rounding, the verifier and the auditor have their own, for
/// they must not share mistakes.
const ROUND_THEMSELVES: [&str; 3] = ["walras-model", "walras-verify", "walras-audit"];

/// What a division looks like that rounds.
const ROUNDINGS: [&str; 7] = [
    "div_ceil(",
    "div_euclid(",
    "/ MILLION",
    "/ i128::from(MILLION)",
    "/ 1_000",
    "as_micros() /",
    "as_millis() /",
];

/// Lines that round something that is no quantity, by file and a part of the line.
const NO_QUANTITY: [(&str, &str); 33] = [
    // How many pieces a list is cut into.
    ("walras-core/src/slots/mod.rs", "blocks.len()"),
    ("walras-core/src/refine/transitive.rs", "instance.tasks"),
    ("walras-core/src/refine/uncut.rs", "works.len()"),
    ("walras-core/src/refine/heads.rs", "values.len()"),
    ("walras-assign/src/genetic.rs", "genomes.len()"),
    ("walras-core/src/plan/improve/content.rs", "parts as u64"),
    ("walras-core/src/plan/improve/free.rs", "STRETCHES"),
    // How much work there is for so many jobs.
    ("walras-core/src/plan/improve/state.rs", "LATER_PARTS"),
    // How many lines a key has.
    ("walras-picture/src/chart/scatter.rs", "KEY_COLUMNS"),
    // How many nodes hold so many tasks.
    ("walras-core/src/explain.rs", "missing.div_ceil"),
    // The plain statement of the agenda that tests hold it against.
    ("walras-core/src/agenda/recipe.rs", "self.rules.slack"),
    ("walras-assign/src/exact/flow.rs", "pairs_all()"),
    // Which period of a calendar a point in time is in.
    ("walras-broker/src/rules/budgets.rs", "at.as_millis()"),
    // The last look before reserving counts again what the search has counted.
    ("walras-broker/src/rules/check.rs", "product + 999"),
    // The largest number that can still be multiplied.
    ("walras-broker/src/rules/rank.rs", "i64::MAX / MILLION"),
    // The gap that is printed of a proof.
    ("walras-api/src/plan/choice.rs", "difference * 1_000_000"),
    // Where a picture's axis begins.
    ("walras-picture/src/axis.rs", "start - base"),
    // How predictions are weighed, and how much an estimate may be off before it counts as wrong.
    ("walras-core/src/predict/score.rs", "score.sum * self.fade"),
    ("walras-core/src/predict/score.rs", "score.weight * self.fade"),
    ("walras-core/src/predict/forecast.rs", "as_millis() / 20"),
    // How many copies a budget pays for.
    ("walras-assign/src/split.rs", "each.cost.max(1)"),
    // A number that is larger than all others.
    ("walras-assign/src/exact/neighbourhood.rs", "i64::MAX / 1_000_000"),
    // Parts of settings that say how often or how early: nobody is promised or charged anything by them.
    ("walras-broker/src/model/sharing.rs", "half_life.as_millis() / STEPS"),
    ("walras-broker/src/rules/agenda.rs", "policy.horizon.as_millis() / 16"),
    ("walras-broker/src/rules/holding.rs", "rules.ahead.as_millis() / 2"),
    // How long a site took to answer, of late.
    ("walras-broker/src/machine/fold/reservation.rs", "before.as_millis() / 8"),
    // What is counted in whole seconds, as people say it.
    ("walras-broker/src/rules/limiting.rs", "self.work / 1_000"),
    ("walras-broker/src/rules/limiting.rs", "limits.node_time"),
    // Which hour of a week a point in time is in.
    ("walras-broker/src/rules/selling.rs", "since_monday_began"),
    // What is printed: how large files and memory are, percentages, satisfaction, hours.
    ("walras-api/src/sentence/why.rs", "bytes.div_ceil(1 << 20)"),
    ("walras-api/src/sentence/proof.rs", "millionths - 1"),
    ("walras-api/src/plan/satisfaction.rs", "SCALE - loss"),
    ("walras-api/src/scenario/preferences.rs", "HOUR / 1_000"),
];

/// Files in which every number is only printed, or given in hours with decimals.
const PRINTED: [&str; 2] = ["walras-api/src/sentence/files.rs", "walras-api/src/service/prices.rs"];

/// The crates' names.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("there are crates");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().expect("names are text")).collect();
    names.sort();
    names
}

/// All Rust files below a folder, by path from `crates`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(root().join("crates").join(folder)) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.map(Result::unwrap) {
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    fs::read_to_string(root().join("crates").join(path)).expect("a source is text")
}

/// What the product runs: lines with their numbers, without comments and without the tests at a file's end.
fn product_lines(path: &Path) -> Vec<(usize, String)> {
    if path
        .components()
        .any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs" | "stress")))
    {
        return Vec::new();
    }
    let text = text(path);
    let product = text.lines().take_while(|line| *line != "#[cfg(test)]");
    let code = product.map(|line| line.split("//").next().unwrap_or_default().to_owned());
    (1..).zip(code).collect()
}

/// Whether a line has this word, and not as a part of another.
fn has_word(line: &str, word: &str) -> bool {
    let joins = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(joins)
            && !line[at + word.len()..].chars().next().is_some_and(joins)
    })
}

/// Every place in these crates' products where a word stands.
fn places_of(crates: &[&str], words: &[&str]) -> Vec<String> {
    let files = crates.iter().flat_map(|name| sources(&Path::new(name).join("src")));
    let mut places = Vec::new();
    for path in files {
        for (number, line) in product_lines(&path) {
            if words.iter().any(|word| has_word(&line, word)) {
                places.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    places
}

/// Which of our crates a crate's product links.
fn links(name: &str) -> BTreeSet<String> {
    let manifest = text(&Path::new(name).join("Cargo.toml"));
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]" && line.starts_with("walras-") {
            let end = line.find([' ', '.', '=']).unwrap_or(line.len());
            found.insert(line[..end].to_owned());
        }
    }
    found
}

#[test]
fn no_file_is_too_long_to_read() {
    let long = crates().into_iter().flat_map(|name| sources(Path::new(&name))).filter_map(|path| {
        let lines = text(&path).lines().count();
        (lines > LINES_MAX).then(|| format!("{}: {lines} lines", path.display()))
    });
    assert_eq!(long.collect::<Vec<_>>(), Vec::<String>::new(), "at most {LINES_MAX} lines in a file");
}

#[test]
fn the_model_knows_nobody_and_the_verifier_the_model_alone() {
    assert_eq!(links("walras-model"), BTreeSet::new());
    assert_eq!(links("walras-verify"), BTreeSet::from(["walras-model".to_owned()]));
}

#[test]
fn no_product_links_the_world_of_faults() {
    for name in crates() {
        let linked = links(&name).contains("walras-world");
        assert!(!linked || MAY_LINK_WORLD.contains(&name.as_str()), "{name} links walras-world");
    }
}

#[test]
fn crates_do_not_go_round_in_circles() {
    let mut left: BTreeMap<String, BTreeSet<String>> =
        crates().into_iter().map(|name| (name.clone(), links(&name))).collect();
    // Who links nobody that is left can be built; when nobody can, there is a circle.
    while !left.is_empty() {
        let known: BTreeSet<String> = left.keys().cloned().collect();
        left.retain(|_, links| links.iter().any(|link| known.contains(link)));
        assert!(left.len() < known.len(), "a circle of crates: {:?}", left.keys());
    }
}

#[test]
fn nothing_pure_reads_a_clock_or_walks_a_hash_map() {
    assert_eq!(places_of(&PURE, &IMPURE), Vec::<String>::new());
}

#[test]
fn no_float_stands_beside_money_time_or_a_proof() {
    assert_eq!(places_of(&WITHOUT_FLOATS, &["f64", "f32"]), Vec::<String>::new());
    // Floats guide the search for assignments; what proves one best counts in whole numbers.
    for file in ["rates.rs", "kinds.rs", "knapsack.rs", "matching.rs", "placing.rs"] {
        let path = Path::new("walras-assign/src/exact").join(file);
        let floats = product_lines(&path).into_iter().filter(|(_, line)| has_word(line, "f64"));
        assert_eq!(floats.collect::<Vec<_>>(), Vec::new(), "{file} proves, so it counts in whole numbers");
    }
}

#[test]
fn every_rounding_has_a_name() {
    let mut wild = Vec::new();
    for name in PURE.iter().chain(&["walras-api", "walras-picture"]) {
        if ROUND_THEMSELVES.contains(name) {
            continue;
        }
        for path in sources(&Path::new(name).join("src")) {
            for (number, line) in product_lines(&path) {
                let rounds = ROUNDINGS.iter().any(|rounding| line.contains(rounding));
                let listed = |(file, part): &(&str, &str)| path == Path::new(file) && line.contains(part);
                let printed = PRINTED.iter().any(|file| path == Path::new(file));
                if rounds && !printed && !NO_QUANTITY.iter().any(listed) {
                    wild.push(format!("{}:{number}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert_eq!(wild, Vec::<String>::new(), "roundings belong into walras_model::quantity");
}

#[test]
fn every_crate_links_only_what_is_drawn_below_it() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let drawing = map.split("## The crates").nth(1).and_then(|rest| rest.split("```").nth(1)).unwrap();
    let all = crates();
    let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, line) in drawing.lines().enumerate() {
        let words = line.split_whitespace().take_while(|word| all.iter().any(|name| name == word));
        rows.extend(words.map(|name| (name, row)));
    }
    let row = |name: &str| *rows.get(name).unwrap_or_else(|| panic!("{name} is not drawn"));
    for name in &all {
        for link in links(name) {
            assert!(row(name) < row(&link), "{name} links {link}, which is not drawn below it");
        }
    }
}

#[test]
fn layers_of_the_broker_know_only_those_below_them() {
    let layers = ["machine", "rules", "plan", "model"];
    let mut upwards = Vec::new();
    for (place, layer) in layers.iter().enumerate() {
        for path in sources(&Path::new("walras-broker/src").join(layer)) {
            for (number, line) in product_lines(&path) {
                let above = layers[..place].iter().find(|above| line.contains(&format!("crate::{above}::")));
                upwards
                    .extend(above.map(|above| format!("{}:{number}: {layer} knows {above}", path.display())));
            }
        }
    }
    assert_eq!(upwards, Vec::<String>::new());
}

/// What ARCHITECTURE.md names: paths anywhere, and the modules in the first column of its tables of modules.
fn named(map: &str) -> Vec<&str> {
    let is_path = |word: &&str| {
        let plain = word.chars().all(|it| it.is_ascii_alphanumeric() || "/_-.".contains(it));
        // `walras.plan/1` is the name of a format.
        let is_format =
            word.rsplit('/').next().is_some_and(|last| last.bytes().all(|it| it.is_ascii_digit()));
        plain && (word.contains('/') || word.ends_with(".rs")) && !is_format
    };
    let mut named: Vec<&str> = map.split('`').skip(1).step_by(2).filter(is_path).collect();
    let mut modules = false;
    for line in map.lines() {
        modules = line.starts_with("| module |") || (modules && line.starts_with('|'));
        let cell = line.split('|').nth(1).filter(|_| modules);
        named.extend(cell.into_iter().flat_map(|cell| cell.split('`').skip(1).step_by(2)));
    }
    named
}

#[test]
fn the_map_names_only_what_is_there() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let files: Vec<PathBuf> = crates().into_iter().flat_map(|name| sources(Path::new(&name))).collect();
    let there = |word: &str| {
        let is_file = |path: &PathBuf| {
            path.ends_with(word)
                || path.with_extension("").ends_with(word)
                || path.parent().is_some_and(|folder| folder.ancestors().any(|it| it.ends_with(word)))
        };
        files.iter().any(is_file) || ["", "crates"].iter().any(|at| root().join(at).join(word).exists())
    };
    let named = named(&map);
    assert!(named.len() > 50, "the map names {} things: is it still read right?", named.len());
    let lost: Vec<&str> = named.into_iter().filter(|word| !there(word)).collect();
    assert_eq!(lost, Vec::<&str>::new(), "ARCHITECTURE.md names what does not exist");
}
