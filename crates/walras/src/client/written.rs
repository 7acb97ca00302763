//! Jobs as people write them: files, standard input, a command alone; with the options that go over what they say.

use super::http::Client;
use crate::failure::Failure;
use crate::{files, workflow};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use jiff::tz::TimeZone;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use walras_api::service::{
    DIRECTIVES, Directive, Flag, JOB_BYTES_MAX, JobDraft, LeftOut, Origin, StatusView, Submitter, Takes,
    has_directives, read_script,
};
use walras_api::{Syntax, echo, read_limited};
use walras_broker::files::FILES_BYTES_MAX;
use walras_model::Time;

/// What standard input is called in errors, and a job from it without a name.
const STDIN: &str = "stdin";
/// What a command alone is called.
const WRAP: &str = "wrap";

/// How what is written is understood.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Reading {
    /// Leave out directives that are not understood, and go on
    #[arg(long)]
    pub(crate) ignore_unknown: bool,
}

/// Slurm's words as options: one for each directive of a script.
#[derive(Debug, Default)]
pub(crate) struct Options(pub(crate) Vec<Flag>);

impl Options {
    /// Whether the option of this name was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|flag| flag.name() == name)
    }
}

fn option(directive: &Directive) -> Arg {
    let arg = Arg::new(directive.name).long(directive.name).help_heading("As in #SBATCH lines");
    let arg = arg.help(directive.means.replace('`', ""));
    let arg = match directive.short {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    match directive.takes {
        Takes::Value => arg.value_name("VALUE").action(ArgAction::Set).overrides_with(directive.name),
        Takes::Either => {
            let arg = arg.value_name("VALUE").num_args(0..=1).require_equals(true);
            arg.default_missing_value("").overrides_with(directive.name)
        }
        Takes::Nothing => arg.action(ArgAction::SetTrue).overrides_with(directive.name),
    }
}

impl clap::Args for Options {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(DIRECTIVES.iter().map(option))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Options::augment_args(command)
    }
}

impl clap::FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Options, clap::Error> {
        let given = DIRECTIVES
            .iter()
            .filter(|directive| matches.value_source(directive.name) == Some(ValueSource::CommandLine));
        let flags = given.map(|directive| {
            let value = match directive.takes {
                Takes::Nothing => None,
                Takes::Value | Takes::Either => matches.get_one::<String>(directive.name).cloned(),
            };
            Flag::new(
                directive.name,
                value.filter(|value| directive.takes == Takes::Value || !value.is_empty()),
            )
        });
        Ok(Options(flags.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Options::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Something that was written, and what is handed to it.
pub(crate) struct Written {
    pub(crate) source: String,
    bytes: Vec<u8>,
    /// Beside which its workflow is looked for.
    path: PathBuf,
    arguments: Vec<String>,
}

/// A job as the service takes it, and where it comes from.
pub(crate) struct Finished {
    pub(crate) job: Value,
    pub(crate) left_out: Vec<LeftOut>,
    origin: Origin,
}

impl Finished {
    /// What the service says of it, with the place in its file that it is about.
    pub(crate) fn placed(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Input(refusal) => Failure::Input(self.origin.placed(&refusal)),
            other => other,
        }
    }
}

impl Written {
    fn read(path: &Path) -> Result<Written, Failure> {
        let (source, bytes) = if path.as_os_str() == "-" {
            let cannot = |error: std::io::Error| Failure::Input(format!("{STDIN}: cannot be read: {error}"));
            let read = read_limited(std::io::stdin().lock(), STDIN, JOB_BYTES_MAX).map_err(cannot)?;
            (STDIN.to_owned(), read.map_err(Failure::input)?)
        } else {
            (path.display().to_string(), files::read(path, JOB_BYTES_MAX)?)
        };
        Ok(Written { source, bytes, path: path.to_owned(), arguments: Vec::new() })
    }

    fn is_script(&self) -> bool {
        self.bytes.starts_with(b"#!")
    }

    /// A shell's command as a script.
    pub(crate) fn wrapped(command: &str) -> Written {
        let bytes = format!("#!/bin/sh\n{command}\n").into_bytes();
        Written { source: WRAP.to_owned(), bytes, path: PathBuf::new(), arguments: Vec::new() }
    }

    /// What words name: job files, up to a script, which gets all words that follow it.
    pub(crate) fn of_words(words: &[String], more: &[String]) -> Result<Vec<Written>, Failure> {
        let mut all = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut written = Written::read(Path::new(word))?;
            if written.is_script() {
                if let Some(next) = words.as_slice().first() {
                    must_be_an_argument(word, next)?;
                }
                written.arguments = words.by_ref().cloned().collect();
            }
            written.arguments.extend(more.iter().cloned());
            all.push(written);
        }
        Ok(all)
    }

    /// One file and what is handed to it.
    pub(crate) fn of_file(path: &Path, arguments: &[String]) -> Result<Written, Failure> {
        Ok(Written { arguments: arguments.to_vec(), ..Written::read(path)? })
    }

    /// The job as the service takes it, with what was left out, which is also said on the terminal. Times from now count from the service's
    /// clock, or from this machine's when there is no service to ask.
    pub(crate) fn finished(
        &self,
        options: &[Flag],
        reading: &Reading,
        client: Option<&Client>,
    ) -> Result<Finished, Failure> {
        let mut draft = self.draft(options, &submitter(reading))?;
        for LeftOut { line, directive, why } in draft.left_out() {
            let place = line.map_or_else(|| "options".to_owned(), |line| format!("{}:{line}", self.source));
            eprintln!("{place}: {directive} {why} and is left out");
        }
        draft.add_arguments(self.arguments.iter().cloned());
        let now = match client {
            Some(client) if draft.needs_now() => {
                client.get_patiently("/v1/status")?.view::<StatusView>()?.now.time()
            }
            _ => local_now()?,
        };
        let (left_out, origin) = (draft.left_out().to_vec(), draft.origin());
        Ok(Finished { job: draft.finish(now).map_err(Failure::input)?, left_out, origin })
    }

    /// A script, or a job file with its workflow.
    fn draft(&self, options: &[Flag], submitter: &Submitter) -> Result<JobDraft, Failure> {
        let beside = self.path.parent().unwrap_or(Path::new(""));
        if self.is_script() {
            let draft = read_script(&self.bytes, &self.source, submitter, options);
            let mut draft = draft.map_err(Failure::input)?;
            draft.bring(|name| read_beside(beside, name)).map_err(Failure::input)?;
            return Ok(draft);
        }
        let syntax = if self.source == STDIN { Ok(Syntax::Yaml) } else { Syntax::of_path(&self.path) };
        let syntax = syntax.map_err(|_| {
            let source = &self.source;
            Failure::Input(format!(
                "{source}: a job file ends in .yaml, .yml or .json, and a script begins with #!"
            ))
        })?;
        let mut draft = JobDraft::read(&self.bytes, &self.source, syntax).map_err(Failure::input)?;
        if let Some(named) = draft.workflow_file() {
            let path = self.path.parent().unwrap_or(Path::new("")).join(named);
            let (workflow, bytes) = workflow::read_runnable_file(&path)?;
            draft.set_workflow(&workflow, &path.display().to_string(), &bytes);
        }
        draft.bring(|name| read_beside(beside, name)).map_err(Failure::input)?;
        draft.set_options(options, submitter).map_err(Failure::input)?;
        Ok(draft)
    }
}

/// Words after a script are its arguments, as Slurm has it. One that is a job itself, straight after it, was more likely meant as another
/// job, which would be lost without a word.
fn must_be_an_argument(script: &str, word: &str) -> Result<(), Failure> {
    let path = Path::new(word);
    let read = if path.is_file() { files::read(path, JOB_BYTES_MAX).ok() } else { None };
    if !read.is_some_and(|bytes| is_job(&bytes, path)) {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{word} is a job itself, and words after the script {script} are its arguments: submit one after the other, or hand it to the \
         script by `walras submit {script} -- {word}`"
    )))
}

/// Whether it says of itself that it is a job: a script with directives, or a job file.
fn is_job(bytes: &[u8], path: &Path) -> bool {
    let is_file = |syntax| JobDraft::read(bytes, "", syntax).is_ok();
    has_directives(bytes) || Syntax::of_path(path).is_ok_and(is_file)
}

/// What is in a file beside the job's. A link may be followed, but not out of the directory: the job's file says what goes along, and that
/// is what is there.
fn read_beside(beside: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = beside.join(name);
    let whole = |path: &Path| if path.as_os_str().is_empty() { Path::new(".") } else { path }.canonicalize();
    if let (Ok(inside), Ok(there)) = (whole(beside), whole(&path))
        && !there.starts_with(&inside)
    {
        let what = "leads out of the directory of the job's file by a link: expected a file in it";
        return Err(format!("{} {what}", echo(name)));
    }
    // Nobody waits for what may be written into a pipe.
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return Err(format!("{} is no plain file", echo(name)));
    }
    match files::read(&path, FILES_BYTES_MAX) {
        Err(Failure::Input(why)) => Err(why),
        read => read.map_err(|_| format!("{name} cannot be read")),
    }
}

/// The job of a file alone.
pub(crate) fn finished(file: &Path, client: &Client) -> Result<Value, Failure> {
    let written = Written::of_file(file, &[])?;
    Ok(written.finished(&[], &Reading::default(), Some(client))?.job)
}

/// Whoever runs this.
fn submitter(reading: &Reading) -> Submitter {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let environment: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
    let directory = std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok());
    Submitter {
        zone: TimeZone::system(),
        environment: Some(environment),
        directory,
        ignore_unknown: reading.ignore_unknown,
    }
}

fn local_now() -> Result<Time, Failure> {
    Time::from_millis(jiff::Timestamp::now().as_millisecond())
        .ok_or_else(|| Failure::fault("this machine's clock is out of range"))
}
