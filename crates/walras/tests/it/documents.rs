//! Every command that the documents show is run, and prints what they say.
//!
//! In a fenced block marked `console`, a line that starts with `$ ` is a command; the lines up to the next command are what
//! it prints, standard output first. Commands of a page run in one empty directory, in order, by `sh`. A page may use
//! `walras`, `curl`, `cat` and `export`; anything else fails the test, and so does a command in a block marked `sh` or `bash`,
//! which nobody would run.
//!
//! Of what is printed must agree: the lines, and in each line the words. A line of three dots stands for any lines; three
//! dots within a line stand for any characters. Dates with times count as alike.
//!
//! `walras serve ... &` runs until the page is over. The port 7878 of an example configuration is replaced by a free one, and
//! commands after it find the service at `WALRAS_URL`.
//!
//! While a page is written, `PAGE=quotes` runs the pages with that in their name only.

use crate::{printed, root};
use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

/// Commands that are shown where nobody runs them.
fn hidden_commands(document: &str) -> Vec<&str> {
    let mut hidden = Vec::new();
    let mut language = None;
    for line in document.lines() {
        match (line.strip_prefix("```"), language) {
            (Some(_), Some(_)) => language = None,
            (Some(name), None) => language = Some(name),
            (None, Some("sh" | "bash" | "shell")) if line.trim_start().starts_with("walras ") => {
                hidden.push(line)
            }
            (None, Some(name)) if name != "console" && line.starts_with("$ walras ") => hidden.push(line),
            (None, _) => {}
        }
    }
    hidden
}

/// The words of a line; a date and a time of day are one word that is like all others of their kind.
fn words(line: &str) -> String {
    let is = |word: &str, shape: &str| {
        word.len() == shape.len()
            && word
                .bytes()
                .zip(shape.bytes())
                .all(|(it, of)| if of == b'0' { it.is_ascii_digit() } else { it == of })
    };
    let word = |word: &str| {
        let plain = word.trim_matches(|it| matches!(it, '"' | ',' | ':' | '.'));
        let stamp = plain.strip_suffix('Z').map(|it| it.split('.').next().unwrap_or_default());
        let alike = is(plain, "0000-00-00") || is(plain, "00:00:00");
        match alike || stamp.is_some_and(|it| is(it, "0000-00-00T00:00:00")) {
            true => "TIME".to_owned(),
            false => word.to_owned(),
        }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// Whether a line is as its pattern says.
fn line_matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once("...") {
        None => pattern == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(end, _)| end).chain([rest.len()]);
            ends.into_iter().any(|end| line_matches(after, &rest[end..]))
        }),
    }
}

/// Whether `pattern` describes `lines`.
fn matches(pattern: &[String], lines: &[String]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((dots, rest)) if dots == "..." => (0..=lines.len()).any(|skip| matches(rest, &lines[skip..])),
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line_matches(first, line)) && matches(rest, &lines[1..])
        }
    }
}

/// A page that is being read aloud.
struct Page {
    directory: tempfile::TempDir,
    /// What was exported so far, for every command after it.
    exports: String,
    /// The services that run, the newest last, and where that is.
    services: Vec<Child>,
    address: Option<String>,
}

impl Drop for Page {
    fn drop(&mut self) {
        for service in &mut self.services {
            // It may have ended by itself, which the page's commands would have noticed.
            let _ = service.kill();
            let _ = service.wait();
        }
    }
}

impl Page {
    fn open() -> Page {
        let directory = tempfile::tempdir().unwrap();
        Page { directory, exports: String::new(), services: Vec::new(), address: None }
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let programs = cargo_bin("walras");
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", programs.parent().unwrap().display()));
        command.env("TZ", "UTC").env("XDG_CONFIG_HOME", self.directory.path()).env_remove("WALRAS_TOKEN");
        if let Some(address) = &self.address {
            command.env("WALRAS_URL", format!("http://{address}"));
        }
        command.current_dir(self.directory.path());
        command
    }

    /// Runs a command; what it prints.
    fn run(&mut self, command: &str) -> String {
        let first = command.split_whitespace().next().unwrap_or_default();
        assert!(["walras", "curl", "cat", "export"].contains(&first), "documents do not show {command}");
        if let Some(call) = command.strip_suffix(" &") {
            return self.serve(call);
        }
        if first == "export" {
            // The service is where it is, whatever the page says.
            if !command.contains("WALRAS_URL=") {
                self.exports.push_str(&format!("{command}\n"));
            }
            return String::new();
        }
        let output =
            self.command(Path::new("sh")).arg("-c").arg(format!("{}{command}", self.exports)).output();
        let output = output.unwrap();
        self.free_the_port(command);
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    }

    /// A configuration that a page has just written must not need a certain port.
    fn free_the_port(&self, command: &str) {
        let Some((_, file)) = command.split_once(" > ").filter(|(_, file)| file.ends_with(".toml")) else {
            return;
        };
        let file = self.directory.path().join(file);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("127.0.0.1:7878", "127.0.0.1:0")).unwrap();
    }

    /// Starts a service; what it says when it is there.
    fn serve(&mut self, call: &str) -> String {
        let mut words = call.split_whitespace();
        assert_eq!(
            (words.next(), words.next()),
            (Some("walras"), Some("serve")),
            "only a service stays: {call}"
        );
        let mut command = self.command(&cargo_bin("walras"));
        command.arg("serve").args(words).stdout(Stdio::piped());
        let mut service = command.spawn().unwrap();
        let lines: Vec<String> =
            BufReader::new(service.stdout.take().unwrap()).lines().take(2).map(Result::unwrap).collect();
        self.services.push(service);
        let address =
            lines.first().and_then(|line| line.split_once("://")).expect("it says where it listens").1;
        self.address = Some(address.to_owned());
        lines.join("\n")
    }

    /// What was printed, with the address that the page shows.
    fn normal(&self, text: &str) -> Vec<String> {
        let text = match &self.address {
            Some(address) => text.replace(address, "127.0.0.1:7878"),
            None => text.to_owned(),
        };
        text.lines().map(words).collect()
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
    let only = std::env::var("PAGE").unwrap_or_default();
    for path in documents().into_iter().filter(|path| path.to_string_lossy().contains(&only)) {
        let document = fs::read_to_string(&path).unwrap();
        assert_eq!(hidden_commands(&document), [""; 0], "{}: not run: use ```console", path.display());
        let mut page = Page::open();
        for shown in shown_commands(&document) {
            let output = page.run(&shown.command);
            let pattern: Vec<String> = shown.output.iter().map(|line| words(line)).collect();
            let lines = page.normal(&output);
            assert!(matches(&pattern, &lines), "{}: $ {}\n{output}", path.display(), shown.command);
            count += 1;
        }
    }
    assert!(count >= 100 || !only.is_empty(), "only {count} commands found");
}

#[test]
fn patterns_are_strict() {
    assert!(line_matches("job 1 is done, ... credits", "job 1 is done, 7.5 credits"));
    assert!(!line_matches("job 1 is done", "job 12 is done"));
    assert_eq!(words("at 2026-11-15 12:00:01  \"2026-11-15T12:00:01.5Z\","), "at TIME TIME TIME");
    assert_eq!(
        hidden_commands("```sh\nwalras jobs\n```\n```text\n$ walras jobs\n```"),
        ["walras jobs", "$ walras jobs"]
    );
}

#[test]
fn the_book_has_every_page() {
    let contents = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    for path in documents().iter().filter(|path| path.parent() == Some(&root().join("docs"))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "SUMMARY.md" || contents.contains(&format!("({name})")),
            "{name} is not in docs/SUMMARY.md"
        );
    }
}

#[test]
fn the_picture_in_the_readme_is_todays() {
    let directory = tempfile::tempdir().unwrap();
    printed(directory.path(), &["plan", "--example", "--gantt", "plan.svg"]);
    let today = fs::read_to_string(directory.path().join("plan.svg")).unwrap();
    let shown = fs::read_to_string(root().join("docs/images/plan.svg")).unwrap();
    assert!(today == shown, "run: walras plan --example --gantt docs/images/plan.svg");
}
