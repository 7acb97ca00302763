//! Every reader, fed with mutated seeds: a bounded part of what `cargo fuzz` does without end.

#![allow(clippy::unwrap_used, reason = "a test binary")]

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use std::fs;
use std::path::{Path, PathBuf};
use walras_fuzz::READERS;

/// So many mutated files for every reader.
const CASES: u32 = 256;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn seeds(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("seeds").join(name)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// One change of a file: so many bytes at that place become these.
type Edit = (Index, usize, Vec<u8>);

/// Fragments that mean something in one format or another, or nearly do, and bytes that mean nothing.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "",
        "-1",
        "0",
        "1e999",
        ".nan",
        "-.inf",
        "9223372036854775808",
        "-9223372036854775809",
        "0.0000001",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        ": ",
        ",",
        "\n",
        "  - ",
        "\t",
        "&a ",
        "*a",
        "<<: *a",
        "!!int ",
        "---\n",
        "null",
        "true",
        "[[",
        "]]",
        "= ",
        "#",
        "#SBATCH ",
        "--time=",
        "<",
        ">",
        "/>",
        "&amp;",
        "&#0;",
        "<![CDATA[",
        ";",
        "\u{0}",
        "\u{1b}",
        "\u{202e}",
        "2h",
        "2026-02-30",
        "24:61:61",
        "name",
        "workflow: ",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(|it| it.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn mutate(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for (at, length, replacement) in edits {
        let at = at.index(bytes.len() + 1);
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, replacement.iter().copied());
    }
    bytes
}

#[test]
fn seeds_are_accepted() {
    for (name, reader) in READERS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for path in seeds {
            assert!(reader(&fs::read(&path).unwrap()), "{} is refused", path.display());
        }
    }
}

#[test]
fn mutated_seeds_are_read_or_refused() {
    for (name, reader) in READERS {
        let seeds: Vec<Vec<u8>> = seeds(name).iter().map(|path| fs::read(path).unwrap()).collect();
        let edits = prop::collection::vec((any::<Index>(), 0_usize..12, fragment()), 1..5);
        let files = (prop::sample::select(seeds), edits).prop_map(|(seed, edits)| mutate(seed, &edits));
        let mut runner = TestRunner::new(ProptestConfig::with_cases(CASES));
        let tried = runner.run(&files, |bytes| {
            reader(&bytes);
            Ok(())
        });
        tried.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn anything_is_read_or_refused() {
    let mut runner = TestRunner::new(ProptestConfig::with_cases(CASES));
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let tried = runner.run(&bytes, |bytes| {
        READERS.iter().for_each(|(_, reader)| {
            reader(&bytes);
        });
        Ok(())
    });
    tried.unwrap();
}

#[test]
fn every_reader_has_a_target() {
    let targets = root().join("../../fuzz/fuzz_targets");
    let manifest = fs::read_to_string(root().join("../../fuzz/Cargo.toml")).unwrap();
    for (name, _) in READERS {
        assert!(targets.join(format!("{name}.rs")).exists(), "fuzz/fuzz_targets/{name}.rs is missing");
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name} is not in fuzz/Cargo.toml");
    }
    assert_eq!(fs::read_dir(targets).unwrap().count(), READERS.len());
}
