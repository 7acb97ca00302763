//! Every command that the documents show is run, and prints what they say.
//!
//! In a fenced block marked `console`, a line that starts with `$ walras` is a command; the lines up to the next
//! command are its output. A line of three dots stands for any lines.

use crate::{printed, root, walras};
use std::fs;
use std::path::{Path, PathBuf};

/// A command of a document and the output that is shown for it.
struct Shown {
    command: String,
    output: Vec<String>,
}

fn shown_commands(document: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => shown.push(Shown { command: command.to_owned(), output: Vec::new() }),
                None => shown.last_mut().expect("a command comes first").output.push(line.to_owned()),
            },
        }
    }
    shown
}

/// Whether `pattern` describes `lines`.
fn matches(pattern: &[String], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((dots, rest)) if dots == "..." => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        Some((first, rest)) => lines.first() == Some(&first.as_str()) && matches(rest, &lines[1..]),
    }
}

/// Runs a command of a document; `> FILE` at its end writes what it prints.
fn run(directory: &Path, command: &str) -> String {
    let (call, file) = match command.split_once(" > ") {
        Some((call, file)) => (call, Some(file)),
        None => (command, None),
    };
    let words: Vec<&str> = call.split_whitespace().collect();
    assert_eq!(words.first(), Some(&"walras"), "documents show only walras: {command}");
    let output = walras(directory, &words[1..]);
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    match file {
        Some(file) => {
            fs::write(directory.join(file), text).unwrap();
            String::new()
        }
        None => text,
    }
}

fn documents() -> Vec<PathBuf> {
    let mut documents = vec![root().join("README.md")];
    let inside = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    documents.extend(inside.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    documents.sort();
    documents
}

#[test]
fn every_command_shown_prints_what_is_shown() {
    let mut count = 0;
    for path in documents() {
        let directory = tempfile::tempdir().unwrap();
        for shown in shown_commands(&fs::read_to_string(&path).unwrap()) {
            let output = run(directory.path(), &shown.command);
            let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
            let pattern: Vec<String> = shown.output.iter().map(|line| line.trim_end().to_owned()).collect();
            assert!(matches(&pattern, &lines), "{}: $ {}\n{output}", path.display(), shown.command);
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} commands found");
}

#[test]
fn the_picture_in_the_readme_is_todays() {
    let directory = tempfile::tempdir().unwrap();
    printed(directory.path(), &["plan", "--example", "--gantt", "plan.svg"]);
    let today = fs::read_to_string(directory.path().join("plan.svg")).unwrap();
    let shown = fs::read_to_string(root().join("docs/images/plan.svg")).unwrap();
    assert!(today == shown, "run: walras plan --example --gantt docs/images/plan.svg");
}
