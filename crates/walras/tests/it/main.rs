//! The command line from outside: what it prints, what it writes, how it fails.

#![allow(clippy::unwrap_used, reason = "a test binary")]

mod assign;
mod bad_input;
mod choices;
mod circles;
mod client;
mod commands;
mod demo;
#[cfg(feature = "simulator")]
mod documents;
mod edges;
mod fetching;
mod following;
mod house;
mod journals;
mod letters;
mod licences;
mod links;
mod mutants;
#[cfg(feature = "simulator")]
mod pack;
mod planner;
#[cfg(feature = "simulator")]
mod predict;
mod preferences;
#[cfg(feature = "simulator")]
mod reproduce;
mod scripts;
#[cfg(feature = "simulator")]
mod simulate;
mod submitting;
mod vo;
mod workflows;

use assert_cmd::Command;
use std::path::Path;

/// `walras` with these arguments, in that directory.
fn walras(directory: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::cargo_bin("walras").expect("the program is built");
    command.current_dir(directory).args(arguments).output().expect("the program runs")
}

/// What it printed, when it was content. Plans and assignments that leave somebody out are told too, with exit code 1.
fn printed(directory: &Path, arguments: &[&str]) -> String {
    let output = walras(directory, arguments);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let leaves_out = matches!(arguments.first(), Some(&"plan" | &"assign")) && !out.is_empty();
    let most = i32::from(leaves_out);
    assert!(output.status.code().is_some_and(|code| code <= most), "{arguments:?} printed {out}{err}");
    out.into_owned()
}

/// The project's root.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
