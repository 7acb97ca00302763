//! Help by subject, completions for shells, and the manual: all from the same description of the commands.

use crate::Cli;
use crate::failure::Failure;
use crate::files;
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use std::path::Path;

/// The commands by subject, as `walras --help` lists them. What is in none comes last.
const SUBJECTS: [(&str, &[&str]); 5] = [
    (
        "Jobs",
        &[
            "submit", "quote", "accept", "jobs", "job", "explain", "output", "history", "wait", "release",
            "cancel", "watch", "events",
        ],
    ),
    (
        "Market",
        &["offers", "sites", "account", "statement", "report", "prices", "prefer", "site", "node", "fault"],
    ),
    (
        "Administration",
        &[
            "demo", "serve", "status", "log", "policy", "cycle", "user", "token", "deposit", "budget",
            "backup", "journal",
        ],
    ),
    (
        "Planning from files",
        &[
            "plan",
            "workflow",
            "assign",
            "verify",
            "simulate",
            "pack",
            "world",
            "replay",
            "audit",
            "predict",
            "preferences",
            "reproduce",
        ],
    ),
    ("Files and shells", &["example", "schema", "completions", "man"]),
];

const AFTER: &str = "\
Exit codes: 0 all is well; 1 the answer is no, or not all: some job is not placed (but see --allow-unplaced), a \
workflow has no schedule, a plan does not hold, a job failed, a quote was not honoured, there is no such thing; \
2 the call or a file is wrong; 3 not allowed; 4 the service cannot be reached or cannot answer now; 5 and 6 a job that \
was waited for was cancelled or given up; 70 a fault of walras.

Where the service is and who asks: --url and --token-file, WALRAS_URL and WALRAS_TOKEN, or a profile in \
~/.config/walras/profile.toml, which --profile or WALRAS_PROFILE names. WALRAS_CA names the certificate of a private \
authority. A token is never given as an argument, where others would see it.";

/// The whole command line.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let list = subjects(&command);
    command
        .help_template(format!(
            "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"
        ))
        .after_help(AFTER)
}

/// A wrong call as it is told: of what there is, only that is named which may have been meant.
pub(crate) fn told(mut error: clap::Error) -> clap::Error {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let far = text(ContextKind::InvalidArg)
        .zip(text(ContextKind::SuggestedArg))
        .is_some_and(|(given, meant)| !is_near(&given, &meant));
    if far {
        error.remove(ContextKind::SuggestedArg);
    }
    error
}

/// Whether an option may be another written wrongly or in part: no more than a third of its letters are to be changed.
fn is_near(given: &str, meant: &str) -> bool {
    let name = |text: &str| text.trim_start_matches('-').split('=').next().unwrap_or_default().to_lowercase();
    let (given, meant) = (name(given), name(meant));
    let whole = given.len() >= 2 && meant.starts_with(&given);
    whole || changes(&given, &meant) * 3 <= given.chars().count().max(3)
}

/// How many letters must be put in, taken out or changed to make one word of another. O(product of their lengths).
fn changes(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut next = vec![at + 1];
        for (place, same) in other.iter().enumerate() {
            let changed = row[place] + usize::from(letter != *same);
            next.push(changed.min(row[place + 1] + 1).min(next[place] + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

/// All commands, each with its first line, by subject.
fn subjects(command: &Command) -> String {
    let all: Vec<&Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    let width = all.iter().map(|sub| sub.get_name().len()).max().unwrap_or_default();
    let line = |sub: &Command| {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        format!("  {:width$}  {about}\n", sub.get_name())
    };
    let mut text = String::new();
    for (subject, names) in SUBJECTS {
        text.push_str(&format!("{subject}:\n"));
        let found = names.iter().filter_map(|name| all.iter().find(|sub| sub.get_name() == *name));
        text.extend(found.map(|sub| line(sub)));
        text.push('\n');
    }
    let listed = |name: &str| SUBJECTS.iter().any(|(_, names)| names.contains(&name));
    let rest: String = all.iter().filter(|sub| !listed(sub.get_name())).map(|sub| line(sub)).collect();
    if !rest.is_empty() {
        text.push_str(&format!("Others:\n{rest}\n"));
    }
    text
}

/// Prints completions.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "walras", &mut script);
    files::print(&String::from_utf8_lossy(&script))
}

/// Writes the manual.
pub(crate) fn man(directory: &Path) -> Result<(), Failure> {
    let cannot = |error| Failure::Input(format!("{}: cannot be written: {error}", directory.display()));
    std::fs::create_dir_all(directory).map_err(cannot)?;
    clap_mangen::generate_to(Cli::command().after_help(AFTER), directory).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_is_listed_once() {
        let help = command().render_help().to_string();
        for sub in Cli::command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let start = format!("\n  {} ", sub.get_name());
            assert_eq!(help.matches(&start).count(), 1, "{}", sub.get_name());
        }
        assert!(!help.contains("Others:"), "every command has a subject");
    }

    #[test]
    fn every_command_has_a_page() {
        let directory = tempfile::tempdir().unwrap();
        man(&directory.path().join("man")).unwrap();
        for sub in Cli::command().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let page = directory.path().join(format!("man/walras-{}.1", sub.get_name()));
            let text = std::fs::read_to_string(&page).unwrap_or_default();
            assert!(text.contains(".TH"), "{}", page.display());
        }
        assert!(directory.path().join("man/walras-token-make.1").exists());
    }

    fn wrong(words: &[&str]) -> String {
        let call = std::iter::once("walras").chain(words.iter().copied());
        told(command().try_get_matches_from(call).unwrap_err()).to_string()
    }

    #[test]
    fn only_what_may_have_been_meant_is_suggested() {
        for (given, meant) in [
            ("--insecur", "--insecure"),
            ("--watsh", "--watch"),
            ("--columnz", "--columns"),
            ("--sta", "--state"),
        ] {
            let told = wrong(&["jobs", given]);
            assert!(told.contains(&format!("'{meant}'")), "{told}");
        }
        for given in ["--nice", "--inside", "--parsable", "--secure-mode", "--x"] {
            let told = wrong(&["jobs", given]);
            assert!(told.contains(given) && !told.contains("similar"), "{told}");
        }
    }
}
