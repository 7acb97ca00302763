//! The mistakes that `scripts/mutants` makes can still be made: the lines that each patch takes away are where it looks for them.
//!
//! Whoever changes these lines writes the patch anew; else nobody would learn that the world is asked nothing any more.

use crate::root;
use std::fs;

/// What a patch expects of each file that it names: runs of lines that must stand there, one after another.
fn expected(patch: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut file = String::new();
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("--- a/") {
            name.clone_into(&mut file);
        } else if line.starts_with("@@") {
            found.push((file.clone(), Vec::new()));
        } else if let Some((_, lines)) = found.last_mut()
            && let Some(line) = line.strip_prefix([' ', '-'])
        {
            lines.push(line.to_owned());
        }
    }
    found
}

#[test]
fn every_mistake_can_still_be_made() {
    let mut patches = 0;
    for entry in fs::read_dir(root().join("crates/walras-world/mutants")).expect("there are mutants") {
        let path = entry.unwrap().path();
        let patch = fs::read_to_string(&path).expect("patches are text");
        let hunks = expected(&patch);
        assert!(!hunks.is_empty(), "{} changes nothing", path.display());
        for (file, lines) in hunks {
            let text = fs::read_to_string(root().join(&file)).expect("the file of a patch is there");
            let text: Vec<&str> = text.lines().collect();
            let places = text.windows(lines.len()).filter(|place| *place == lines).count();
            assert_eq!(places, 1, "{} looks in {file} for\n{}", path.display(), lines.join("\n"));
        }
        patches += 1;
    }
    assert!(patches >= 14, "only {patches} mistakes are left");
}
