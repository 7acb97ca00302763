//! A job on its way from a file to the service: times from now become points in time, a workflow's file becomes the
//! workflow, and everything is checked, so that an error still names the file and the line.

use super::digits::keep_digits;
use super::job::{JOB_BYTES_MAX, JOB_TAG, read_job};
use super::moments;
use super::places::{Origin, Places, WorkflowOrigin};
use super::sbatch::{LeftOut, OPTIONS, Sbatch};
use super::slurm::Flag;
use super::stamp::Stamp;
use super::stamp::moment;
use super::submitter::Submitter;
use crate::decode::Document;
use crate::error::{ErrorKind, Position, ReadError, Step, echo};
use crate::input::Syntax;
use crate::locate::path_steps;
use crate::scenario::Object;
use crate::workflow::{Runnable, runnable_json};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use walras_broker::program::is_inside;
use walras_model::Time;

/// The keys whose values are points in time.
const TIMES: [&str; 3] = ["deadline", "earliest", "delay_after"];

/// A job as a file tells it.
#[derive(Clone, Debug)]
pub struct JobDraft {
    pub(super) source: String,
    pub(super) fields: Map<String, Value>,
    pub(super) places: Places,
    pub(super) left_out: Vec<LeftOut>,
    /// The zone of times of day, where those may be given.
    pub(super) zone: Option<TimeZone>,
    /// The file of its workflow, where it names one.
    pub(super) workflow: Option<WorkflowOrigin>,
}

impl JobDraft {
    /// Reads a job file.
    ///
    /// ```
    /// use walras_api::Syntax;
    /// use walras_api::service::JobDraft;
    /// let text = "{walras: job/1, name: hello, work: 5, deadline: 2h}";
    /// let draft = JobDraft::read(text.as_bytes(), "hello.yaml", Syntax::Yaml).unwrap();
    /// assert!(draft.needs_now());
    /// let job = draft.finish(walras_model::Time::from_millis(0).unwrap()).unwrap();
    /// assert_eq!(job["deadline"], "1970-01-01T02:00:00.000Z");
    /// ```
    pub fn read(bytes: &[u8], source: &str, syntax: Syntax) -> Result<JobDraft, ReadError> {
        let document = Document::new(bytes, source, syntax, ("walras", JOB_TAG), JOB_BYTES_MAX)?;
        let Object(mut fields) = document.decode::<Object<Map<String, Value>>>()?;
        document.check_tag()?;
        keep_digits(&mut fields, &document);
        let places = Places::Document { text: document.text.to_owned(), syntax };
        let (source, left_out) = (source.to_owned(), Vec::new());
        Ok(JobDraft { source, fields, places, left_out, zone: None, workflow: None })
    }

    /// The file of its workflow, where it names one.
    pub fn workflow_file(&self) -> Option<&str> {
        self.fields.get("workflow").and_then(Value::as_str)
    }

    /// Puts the workflow in the place of its file, which is called `source` and has these bytes.
    pub fn set_workflow(&mut self, workflow: &Runnable, source: &str, bytes: &[u8]) {
        self.fields.insert("workflow".into(), runnable_json(workflow));
        self.workflow = Some(WorkflowOrigin::new(workflow, source, bytes));
    }

    /// Puts what is in the files that it lists as `inputs` in the place of their names; `read` gives what is in one, or says why it cannot.
    pub fn bring<E: std::fmt::Display>(
        &mut self,
        read: impl Fn(&str) -> Result<Vec<u8>, E>,
    ) -> Result<(), ReadError> {
        let Some(Value::Array(names)) = self.fields.get("inputs") else { return Ok(()) };
        let mut brought = Map::new();
        for (index, name) in names.iter().enumerate() {
            let key = format!("inputs[{index}]");
            let Some(name) = name.as_str() else {
                let problem = format!("{name} is not the name of a file");
                return Err(self.refuse(&key, &name.to_string(), problem));
            };
            if !is_inside(name) {
                let problem = format!(
                    "{} is not a file beside the job's: expected a relative path without . and ..",
                    echo(name)
                );
                return Err(self.refuse(&key, name, problem));
            }
            let bytes = read(name).map_err(|why| self.refuse(&key, name, why.to_string()))?;
            brought.insert(name.to_owned(), STANDARD.encode(bytes).into());
        }
        self.fields.insert("inputs".into(), brought.into());
        Ok(())
    }

    /// Adds arguments to what it runs.
    pub fn add_arguments(&mut self, arguments: impl IntoIterator<Item = String>) {
        let arguments: Vec<Value> = arguments.into_iter().map(Value::String).collect();
        match self.fields.get_mut("command") {
            Some(Value::Array(command)) => command.extend(arguments),
            // What is no list is refused with the rest.
            Some(_) => {}
            None if arguments.is_empty() => {}
            None => {
                self.fields.insert("command".into(), arguments.into());
            }
        }
    }

    /// Whether it has times that count from now.
    pub fn needs_now(&self) -> bool {
        TIMES.iter().any(|key| self.relative(key).is_some())
    }

    /// What it says that was left out.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Lets options of the command line go over what a job file says.
    pub fn set_options(&mut self, options: &[Flag], submitter: &Submitter) -> Result<(), ReadError> {
        if options.is_empty() {
            return Ok(());
        }
        let mut slurm = Sbatch::new(submitter);
        for flag in options {
            slurm.take(flag, &OPTIONS)?;
        }
        let mut keys = slurm.keys()?;
        self.fields.append(&mut keys.fields);
        keys.merge(&mut self.fields);
        self.left_out.append(&mut slurm.left_out);
        self.zone = Some(submitter.zone.clone());
        Ok(())
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        let fields = self.fields.keys().cloned().collect();
        let (source, places, workflow) = (self.source.clone(), self.places.clone(), self.workflow.clone());
        Origin { source, places, fields, workflow }
    }

    /// The job as the service takes it, or the first thing that is wrong with it.
    pub fn finish(mut self, now: Time) -> Result<Value, ReadError> {
        self.timed()?;
        self.spans()?;
        for key in TIMES {
            let Some(text) = self.relative(key).map(str::to_owned) else { continue };
            let time = moment(&text, now).or_else(|problem| self.point(&text, now).ok_or(problem));
            let time = time.map_err(|problem| self.refuse(key, &text, problem.to_string()))?;
            self.fields.insert(key.into(), Stamp::from(time).to_string().into());
        }
        let job = Value::Object(self.fields.clone());
        let text = job.to_string();
        let checked = read_job(text.as_bytes(), &self.source);
        let checked = checked.and_then(|file| file.check(&self.source));
        checked.map(|()| job).map_err(|error| {
            let error = ReadError { position: self.position(&error.path), ..error };
            match &self.workflow {
                Some(workflow) => workflow.placed(error),
                None => error,
            }
        })
    }

    /// Whether a script says how long it takes, in words that scripts have.
    fn timed(&self) -> Result<(), ReadError> {
        let is_timed =
            self.fields.contains_key("work") || self.fields.get("tasks").is_some_and(Value::is_array);
        if is_timed || matches!(self.places, Places::Document { .. }) {
            return Ok(());
        }
        let what = "it does not say how long it may run: expected a line such as `#SBATCH --time=30`, or `walras submit --time=30` (minutes)";
        let position = Some(Position { line: 1, column: 1 });
        Err(ReadError { position, ..self.refuse("work", "", what.to_owned()) })
    }

    /// Work as people say it, such as `10h`, becomes seconds: of the job, or of each task in a list.
    fn spans(&mut self) -> Result<(), ReadError> {
        let mut spans: Vec<(String, String)> = Vec::new();
        if let Some(text) = self.fields.get("work").and_then(Value::as_str) {
            spans.push(("work".to_owned(), text.to_owned()));
        }
        if let Some(tasks) = self.fields.get("tasks").and_then(Value::as_array) {
            let texts = tasks.iter().enumerate().filter_map(|(index, task)| Some((index, task.as_str()?)));
            spans.extend(texts.map(|(index, text)| (format!("tasks[{index}]"), text.to_owned())));
        }
        for (path, text) in spans {
            let seconds = seconds(&text).ok_or_else(|| {
                let what = "is not an amount of work: expected seconds, or a time such as 10h or 2h 30m";
                self.refuse(&path, &text, format!("{} {what}", echo(&text)))
            })?;
            match (path_steps(&path).get(1), self.fields.get_mut("tasks")) {
                (Some(Step::Index(index)), Some(Value::Array(tasks))) => {
                    if let Some(task) = tasks.get_mut(*index) {
                        *task = seconds;
                    }
                }
                _ => {
                    self.fields.insert(path, seconds);
                }
            }
        }
        Ok(())
    }

    /// The text of a time that is no point in time by itself.
    fn relative(&self, key: &str) -> Option<&str> {
        let text = self.fields.get(key)?.as_str()?;
        text.parse::<Stamp>().is_err().then_some(text)
    }

    /// A time of day or a day, as Slurm has them.
    fn point(&self, text: &str, now: Time) -> Option<Time> {
        let now = Timestamp::from_millisecond(now.as_millis()).ok()?;
        Time::from_millis(moments::point(text, self.zone.as_ref()?, now)?.as_millisecond())
    }

    fn refuse(&self, key: &str, value: &str, problem: String) -> ReadError {
        ReadError {
            kind: ErrorKind::Value,
            source: self.source.clone(),
            position: self.position(key),
            path: key.to_owned(),
            value: Some(echo(value)),
            problem,
        }
    }

    /// Where that field stands, when it is found.
    fn position(&self, path: &str) -> Option<Position> {
        self.places.position(path)
    }
}

/// A span as people write it, in seconds as a job file has numbers.
fn seconds(text: &str) -> Option<Value> {
    let span = text.parse::<jiff::SignedDuration>().ok().filter(|span| span.is_positive())?;
    let millis = span.subsec_millis();
    match millis {
        0 => Some(span.as_secs().into()),
        // What is written like a number is one.
        millis => serde_json::from_str(&format!("{}.{millis:03}", span.as_secs())).ok(),
    }
}

/// Reads a map in either syntax, as JSON: for requests whose shape only the service knows.
pub fn read_object(bytes: &[u8], source: &str, syntax: Syntax) -> Result<Value, ReadError> {
    let document = Document::new(bytes, source, syntax, ("walras", JOB_TAG), JOB_BYTES_MAX)?;
    let Object(mut fields) = document.decode_shape::<Object<Map<String, Value>>>()?;
    keep_digits(&mut fields, &document);
    Ok(fields.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finish(text: &str) -> Result<Value, String> {
        let draft = JobDraft::read(text.as_bytes(), "job.yaml", Syntax::Yaml).map_err(|e| e.to_string())?;
        draft.finish(Time::from_millis(0).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn errors_name_the_file_the_line_the_field_and_the_value() {
        let of = |line: &str| finish(&format!("walras: job/1\nname: a\n{line}\n")).unwrap_err();
        insta::assert_snapshot!(of("work: -3"), @"job.yaml:3:7: work: -3 is not an amount of work: it must be greater than 0");
        insta::assert_snapshot!(of("work: 3\ndeadline: soon"), @"job.yaml:4:11: deadline: soon is not a point in time: expected one such as 2026-11-15T12:30:00Z, or a time from now such as 2h");
        insta::assert_snapshot!(of("work: 3\nrequires: {mem: {min: 4, max: 2}}"), @"job.yaml:4:31: requires.mem.max: 2 is less than min, 4: no value is within such bounds");
        insta::assert_snapshot!(of("work: 3\nsites: [a, a]"), @"job.yaml:4:12: sites[1]: a is listed twice");
        insta::assert_snapshot!(of("work: 3\nsites: ['']"), @"job.yaml:4:9: sites[0]: '' is not a name for a site: it must not be empty");
        insta::assert_snapshot!(of("work: 3\nuser: ''"), @"job.yaml:4:7: user: '' is not a name for a user: it must not be empty");
        insta::assert_snapshot!(of("work: 3\ncommand: ['']"), @"job.yaml:4:10: command: '' is not a program: it must not be empty");
        insta::assert_snapshot!(of("work: 3\nearliest: 2026-11-15T12:30:00Z\ndeadline: 2026-11-15T12:30:00Z"), @"job.yaml:4:11: earliest: 2026-11-15T12:30:00.000Z is not before the `deadline`, 2026-11-15T12:30:00.000Z: nothing can run between them");
        insta::assert_snapshot!(of("work: 3\noutputs: [q/r/s, q]"), @"job.yaml:4:10: outputs: q/r/s cannot be there beside q: that would be a directory and a file");
        insta::assert_snapshot!(of("tasks: 3"), @"job.yaml:1:1: a job needs the key `work`, a list of lengths as its `tasks`, or a `workflow`");
        insta::assert_snapshot!(of("work: 3\noutput: ../x"), @"job.yaml:4:9: output: ../x is not a file in the job's directory: expected a relative path such as logs/%j.out, no dot at the begin of a name, at most 200 bytes; or /dev/null");
        insta::assert_snapshot!(of("work: 3\nscript: echo hi"), @"job.yaml:4:9: script: echo hi is not how a script begins: expected `#!` and a program");
        insta::assert_snapshot!(of("work: ["), @"job.yaml:3:7: not valid YAML: unclosed bracket '['");
        insta::assert_snapshot!(finish("walras: job/2\nname: a").unwrap_err(), @"job.yaml:1:9: walras: job/2 is not a version that is read here: expected job/1");
        insta::assert_snapshot!(finish("- 1").unwrap_err(), @"job.yaml:1:1: document: found a list, expected a map");
        insta::assert_snapshot!(of("work: 3\narray: 1-1000000000"), @"job.yaml:4:8: array: 1-1000000000 is not an array: the index 1000000000 is too high: expected at most 999999999");
        insta::assert_snapshot!(of("work: 3\narray: 0-999999"), @"job.yaml:4:8: array: 0-999999 is not an array: there are 1000000 elements or more: expected at most 100000");
        insta::assert_snapshot!(of("work: 3\narray: 1-9:0"), @"job.yaml:4:8: array: 1-9:0 is not an array: the step of 1-9:0 is 0: expected at least 1");
        insta::assert_snapshot!(of("work: 3\ntasks: 3\ntogether: false\narray: 1-9"), @"job.yaml:5:11: together: false makes an array of the tasks: expected no array besides");
        insta::assert_snapshot!(of("work: 3\ntasks: 200000\ntogether: false"), @"job.yaml:4:8: tasks: 0-199999 is not an array: there are 200000 elements or more: expected at most 100000");
        insta::assert_snapshot!(of("work: 3\narray: 9-1"), @"job.yaml:4:8: array: 9-1 is not an array: the range 9-1 is empty: its end is before its begin");
        insta::assert_snapshot!(of("work: 3\nafter: {ok: [17, x]}"), @"job.yaml:4:18: after.ok[1]: x names no job: expected a job's number, or an array's with an index after an underscore: 17 or 18_3");
        insta::assert_snapshot!(of("work: 3\nafter: {ok: [-1]}"), @"job.yaml:4:14: after.ok[0]: -1 is not a job: it must be a whole number from 1 to 1000000000000000");
        let unknown = of("work: 3\ncolour: red");
        assert!(unknown.starts_with("job.yaml:4:9: colour: `colour` is not known here"), "{unknown}");
    }

    #[test]
    fn work_is_given_as_deadlines_are() {
        let of = |line: &str| finish(&format!("walras: job/1\nname: a\n{line}\n"));
        assert_eq!(of("work: 10h").unwrap()["work"], 36_000);
        assert_eq!(of("work: 2h 30m").unwrap()["work"], 9_000);
        assert_eq!(of("work: 1.5s").unwrap()["work"], 1.5);
        assert_eq!(of("tasks: [10m, 20, 90s]").unwrap()["tasks"], serde_json::json!([600, 20, 90]));
        insta::assert_snapshot!(of("work: soon").unwrap_err(), @"job.yaml:3:7: work: soon is not an amount of work: expected seconds, or a time such as 10h or 2h 30m");
        insta::assert_snapshot!(of("work: -2h").unwrap_err(), @"job.yaml:3:7: work: -2h is not an amount of work: expected seconds, or a time such as 10h or 2h 30m");
        insta::assert_snapshot!(of("tasks: [10m, x]").unwrap_err(), @"job.yaml:3:14: tasks[1]: x is not an amount of work: expected seconds, or a time such as 10h or 2h 30m");
    }

    #[test]
    fn what_a_service_refuses_is_told_where_it_stands() {
        let text = "walras: job/1\nname: a\nwork: 1\nsites: [east,\n  nowhere]\nafter: {ok: [99]}\n";
        let origin = JobDraft::read(text.as_bytes(), "job.yaml", Syntax::Yaml).unwrap().origin();
        let told = origin.placed("body: sites[1]: nowhere is not the name of a site");
        assert_eq!(told, "job.yaml:5:3: sites[1]: nowhere is not the name of a site");
        assert_eq!(origin.placed("after.ok: 99 is no job"), "job.yaml:6:13: after.ok: 99 is no job");
        // What is not about a field, or about one that is not in the file.
        assert_eq!(origin.placed("no site can: it needs 2"), "job.yaml: no site can: it needs 2");
        assert_eq!(origin.placed("body: user: it is missing"), "job.yaml: user: it is missing");
    }

    #[test]
    fn arguments_are_added() {
        let mut draft =
            JobDraft::read(b"{walras: job/1, name: a, work: 1, command: [echo]}", "job.yaml", Syntax::Yaml)
                .unwrap();
        draft.add_arguments(["x y".to_owned()]);
        let job = draft.finish(Time::from_millis(0).unwrap()).unwrap();
        assert_eq!(job["command"], serde_json::json!(["echo", "x y"]));
    }

    #[test]
    fn a_command_that_is_no_list_is_refused_with_arguments_and_without() {
        for arguments in [vec![], vec!["x".to_owned()]] {
            let mut draft =
                JobDraft::read(b"{walras: job/1, name: a, work: 1, command: 0}", "job.yaml", Syntax::Yaml)
                    .unwrap();
            draft.add_arguments(arguments);
            assert!(draft.finish(Time::from_millis(0).unwrap()).is_err());
        }
    }
}
