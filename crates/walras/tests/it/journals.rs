//! Worlds, journals, replays and audits.

use crate::{printed, walras};
use std::fs;
use std::path::Path;

/// A journal in a directory of its own.
fn journal(seed: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["world", "--seed", seed, "--jobs", "4", "--minutes", "20", "--journal", "j.jsonl"];
    printed(directory.path(), &arguments);
    directory
}

/// The journal with a change to one of its lines.
fn changed(directory: &Path, change: impl Fn(&str) -> Option<String>) {
    let path = directory.join("j.jsonl");
    let mut done = false;
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().map(|line| match change(line).filter(|_| !done) {
        Some(changed) => {
            done = true;
            changed
        }
        None => line.to_owned(),
    });
    let lines: Vec<String> = lines.collect();
    assert!(done, "no line was changed");
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

#[test]
fn a_journal_replays_to_the_same_bytes_and_audits_clean() {
    let directory = journal("3");
    let replayed = printed(directory.path(), &["replay", "j.jsonl"]);
    assert!(replayed.starts_with("identical: ") && replayed.ends_with("every byte the same\n"), "{replayed}");
    let audited = printed(directory.path(), &["audit", "j.jsonl"]);
    assert!(audited.ends_with("clean: every promise was kept\n"), "{audited}");
    let json: serde_json::Value =
        serde_json::from_str(&printed(directory.path(), &["audit", "j.jsonl", "--json"])).unwrap();
    assert_eq!((&json["schema"], &json["clean"]), (&"walras.audit/1".into(), &true.into()));
    // The first cycle in which something was planned.
    let text = fs::read_to_string(directory.path().join("j.jsonl")).unwrap();
    let decided = text.lines().find(|line| line.contains("\"decided\"")).expect("something was planned");
    let entry: serde_json::Value = serde_json::from_str(decided).unwrap();
    let cycle = entry["input"]["decided"]["cycle"].to_string();
    let planned = printed(directory.path(), &["replay", "j.jsonl", "--cycle", &cycle]);
    assert_eq!(planned, format!("identical: cycle {cycle} comes to the same plan\n"));
}

fn path_of(directory: &tempfile::TempDir) -> std::path::PathBuf {
    directory.path().join("j.jsonl")
}

#[test]
fn entries_are_counted_without_the_line_that_names_the_format() {
    let directory = journal("3");
    let text = fs::read_to_string(path_of(&directory)).unwrap();
    let forged = text.lines().position(|line| line.contains("\"deposited\"")).unwrap();
    changed(directory.path(), |line| {
        line.contains("\"deposited\"").then(|| line.replacen("\"amount\":", "\"amount\":1", 1))
    });
    let output = walras(directory.path(), &["audit", "j.jsonl"]);
    let said = String::from_utf8(output.stdout).unwrap();
    // The first line is the header, so that the line with this index from 0 is the entry with this number from 1.
    assert!(said.starts_with(&format!("entry {forged}: ")), "{said}");
}

#[test]
fn no_world_is_no_number_of_worlds() {
    let directory = tempfile::tempdir().unwrap();
    let output = walras(directory.path(), &["world", "--seeds", "0"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_forged_amount_is_found_by_both() {
    let directory = journal("3");
    changed(directory.path(), |line| {
        line.contains("\"deposited\"").then(|| line.replacen("\"amount\":", "\"amount\":1", 1))
    });
    for command in ["replay", "audit"] {
        let output = walras(directory.path(), &[command, "j.jsonl"]);
        assert_eq!(output.status.code(), Some(1), "{command}");
    }
}

#[test]
fn what_is_no_journal_is_refused_with_its_line() {
    let directory = journal("3");
    let complaint = |arguments: &[&str]| {
        let output = walras(directory.path(), arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
        error
    };
    let path = directory.path().join("j.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 10]).unwrap();
    let last = whole.lines().count();
    let expected = format!("walras: j.jsonl:{last}:1: the journal ends in the middle of a line\n");
    assert_eq!(complaint(&["audit", "j.jsonl"]), expected);
    fs::write(&path, whole.replacen("walras.journal/2", "walras.journal/9", 1)).unwrap();
    let wrong = "walras: j.jsonl:1:1: format: walras.journal/9 is not a journal that is understood here: expected \
                 walras.journal/2\n";
    assert_eq!(complaint(&["replay", "j.jsonl"]), wrong);
    fs::write(&path, whole.replacen("\"at\":0", "\"at\":true", 1)).unwrap();
    assert!(complaint(&["replay", "j.jsonl"]).starts_with("walras: j.jsonl:2:1: at: invalid type: boolean"));
    // What nobody understands is in no check: it must not be called identical.
    for (from, to, path) in [
        ("{\"at\":0,", "{\"note\":\"x\",\"at\":0,", "note"),
        ("\"cycle_every\":", "\"colour\":1,\"cycle_every\":", "input.set-policy.colour"),
    ] {
        fs::write(path_of(&directory), whole.replacen(from, to, 1)).unwrap();
        for command in ["replay", "audit"] {
            let said = complaint(&[command, "j.jsonl"]);
            let expected = format!("walras: j.jsonl:2:1: {path}: is not known here");
            assert!(said.starts_with(&expected), "{said}");
        }
    }
    fs::write(&path, "").unwrap();
    assert!(complaint(&["audit", "j.jsonl"]).contains("this is no journal"));
    assert!(complaint(&["replay", "nowhere"]).contains("nowhere: cannot be read"));
    fs::write(&path, whole).unwrap();
    assert!(complaint(&["replay", "j.jsonl", "--cycle", "99999"]).contains("no plan of cycle 99999"));
}

#[test]
fn several_worlds_can_be_lived_through_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let text = printed(directory.path(), &["world", "--seeds", "3", "--jobs", "3", "--minutes", "10"]);
    assert!(
        text.starts_with("3 worlds from seed 1: ") && text.ends_with("every promise was kept\n"),
        "{text}"
    );
    let calm =
        printed(directory.path(), &["world", "--no-faults", "--jobs", "3", "--minutes", "10", "--json"]);
    let calm: serde_json::Value = serde_json::from_str(&calm).unwrap();
    assert_eq!((&calm["kills"], &calm["broken"]), (&0.into(), &serde_json::Value::Null));
}

/// Journals that were written once and must be read for ever: to the same bytes, to the same decisions, and clean.
#[test]
fn golden_journals_are_read_replayed_and_audited() {
    let golden = crate::root().join("crates/walras-world/golden");
    let mut count = 0;
    for entry in fs::read_dir(&golden).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let mut reader = walras_api::JournalReader::new(text.as_bytes(), "golden").unwrap();
        let mut written = Vec::new();
        let mut writer = walras_api::JournalWriter::new(&mut written).unwrap();
        while let Some(entry) = reader.entry().unwrap() {
            writer.entry(&entry).unwrap();
        }
        writer.finish().unwrap();
        assert!(written == text.as_bytes(), "{} is not written as it was", path.display());
        let name = path.to_str().unwrap();
        let replayed = printed(&golden, &["replay", name]);
        assert!(replayed.ends_with("every byte the same\n"), "{name}: {replayed}");
        let audited = printed(&golden, &["audit", name]);
        assert!(audited.ends_with("clean: every promise was kept\n"), "{name}: {audited}");
        count += 1;
    }
    assert!(count >= 4, "only {count} golden journals were found");
}
