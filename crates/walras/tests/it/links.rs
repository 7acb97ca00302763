//! Links in the documents lead somewhere: to files that are there, and to headings that they have.

use crate::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All documents: those in the root, in `docs/`, and the crates' own.
fn documents() -> Vec<PathBuf> {
    let mut places = vec![root().to_owned(), root().join("docs")];
    places.extend(fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()));
    let inside = |place: PathBuf| fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<PathBuf> = places.into_iter().flat_map(inside).collect();
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    documents.sort();
    documents
}

/// The lines of a document outside of fenced blocks.
fn prose(document: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line);
        }
    }
    lines
}

/// What is between `](` and `)`, outside of code.
fn links(document: &str) -> Vec<String> {
    let plain = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let of_line = |line: &str| {
        let line = plain(line);
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        targets.map(|(target, _)| target.to_owned()).collect::<Vec<_>>()
    };
    prose(document).into_iter().flat_map(of_line).collect()
}

/// A heading's name in addresses, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.map(|it| if it == ' ' { '-' } else { it.to_ascii_lowercase() }).collect()
}

fn anchors(document: &str) -> BTreeSet<String> {
    let headings = prose(document).into_iter().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// What is wrong with a link of a document.
fn wrong(document: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
    let target = match file {
        "" => document.to_owned(),
        file => document.parent().unwrap().join(file),
    };
    if !target.exists() {
        return Some(format!("{}: {link}: there is no such file", document.display()));
    }
    let heading = heading?;
    let text = fs::read_to_string(&target).unwrap();
    let missing = !anchors(&text).contains(heading);
    missing.then(|| format!("{}: {link}: there is no such heading", document.display()))
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    let mut all = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let links = links(&text);
        count += links.len();
        all.extend(links.iter().filter_map(|link| wrong(&document, link)));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(count >= 100, "only {count} links found");
}

/// The book is made of `docs/` alone: a page that is linked from another must be in it.
#[test]
fn the_book_does_not_leave_its_directory() {
    for document in documents().iter().filter(|path| path.parent() == Some(&root().join("docs"))) {
        for link in links(&fs::read_to_string(document).unwrap()) {
            let leaves = link.starts_with("../") && link.contains(".md");
            assert!(!leaves, "{}: {link} is not in the book", document.display());
        }
    }
}

#[test]
fn headings_and_links_are_found() {
    assert_eq!(anchor("What `walras.toml` says: all of it"), "what-walrastoml-says-all-of-it");
    assert_eq!(links("[a](b.md#c) `[not](this)` ![d](e.svg)\n```\n[nor](that)\n```"), ["b.md#c", "e.svg"]);
    assert!(wrong(&root().join("README.md"), "docs/nothing.md").is_some());
    assert!(wrong(&root().join("README.md"), "docs/quickstart.md#nothing").is_some());
}
