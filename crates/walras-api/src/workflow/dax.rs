//! Pegasus DAX (versions 2 and 3): `job` elements with `uses` elements for files, then `child` elements with their
//! `parent` elements. The data of an edge is what the parent writes and the child reads. A job with an `argument` runs the program of its
//! `name` with the words between blanks.

use super::draft::{Draft, DraftEdge, DraftLocation, data_of, missing, refuse, work_of};
use crate::error::{ErrorKind, Position, ReadError, echo, echo_message};
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;
use walras_broker::program::TaskProgram;
use walras_model::{Data, Task};

/// The files of a job: what it reads by name, and what it writes with the size.
#[derive(Debug, Default)]
struct Files {
    reads: BTreeMap<String, Data>,
    writes: BTreeMap<String, Data>,
}

/// What has been read so far.
struct Dax<'a> {
    draft: Draft<'a>,
    files: BTreeMap<String, Files>,
    /// The job or the child that is open.
    open: Option<String>,
    /// What the jobs that state their arguments run: the name of the program, and the words.
    words: BTreeMap<String, (String, String)>,
    in_argument: bool,
    lines: Lines<'a>,
}

pub(super) fn read<'a>(bytes: &'a [u8], source: &'a str) -> Result<Draft<'a>, ReadError> {
    let syntax = |position, problem: String| ReadError {
        kind: ErrorKind::Syntax,
        ..missing(source, &DraftLocation { position, path: String::new() }, problem)
    };
    let text = std::str::from_utf8(bytes).map_err(|_| syntax(None, "is not UTF-8 text".to_owned()))?;
    let draft = Draft::new(source, source.to_owned());
    let (files, words, lines) = (BTreeMap::new(), BTreeMap::new(), Lines::new(text));
    let mut dax = Dax { draft, files, open: None, words, in_argument: false, lines };
    let mut reader = Reader::from_str(text);
    let mut depth = 0_usize;
    loop {
        let at = reader.buffer_position();
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                dax.element(&start, at)?;
                depth += 1;
            }
            Ok(Event::Empty(start)) => {
                let inside = dax.in_argument;
                dax.element(&start, at)?;
                dax.in_argument = inside;
            }
            Ok(Event::End(end)) => {
                if end.local_name().as_ref() == "argument" {
                    dax.in_argument = false;
                }
                depth = depth.saturating_sub(1);
            }
            Ok(Event::Text(text)) if dax.in_argument => dax.argument(&text.xml10_content()),
            Ok(Event::Eof) if depth > 0 => {
                let problem = "not valid XML: the file ends before all its elements are closed".to_owned();
                return Err(syntax(Some(dax.lines.position(at)), problem));
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                let position = dax.lines.position(reader.error_position());
                let problem = format!("not valid XML: {}", echo_message(&error.to_string()));
                return Err(syntax(Some(position), problem));
            }
        }
    }
    dax.fill_edges();
    dax.fill_programs();
    Ok(dax.draft)
}

impl Dax<'_> {
    fn element(&mut self, start: &BytesStart<'_>, at: u64) -> Result<(), ReadError> {
        let position = Some(self.lines.position(at));
        let element = Element { start, source: self.draft.source, position };
        match start.local_name().as_ref() {
            "adag" => {
                if let Some(name) = element.attribute("name")? {
                    self.draft.name = name;
                }
            }
            "job" => self.job(&element)?,
            "uses" => self.uses(&element)?,
            "child" => self.open = Some(element.required("ref")?),
            "parent" => self.parent(&element)?,
            // A file among the arguments.
            "file" | "filename" if self.in_argument => {
                let name = element.attribute("name")?.or(element.attribute("file")?);
                self.argument(&name.unwrap_or_default());
            }
            "argument" => self.in_argument = true,
            _ => {}
        }
        Ok(())
    }

    fn job(&mut self, element: &Element<'_>) -> Result<(), ReadError> {
        let id = element.required("id")?;
        let location = element.location(format!("job {}", echo(&id)));
        let source = self.draft.source;
        let Some(runtime) = element.attribute("runtime")? else {
            let problem = "the attribute `runtime` is missing: every job must state its run time in seconds";
            return Err(missing(source, &location, problem.to_owned()));
        };
        let (at, assumed) = ((source, &location, runtime.as_str()), (None, "no run time is assumed"));
        let work = self.draft.warnings.unless_negative(work_of(&runtime), at, assumed)?;
        let mut task = Task::new(&id, work);
        if let Some(cores) = element.attribute("cores")? {
            let wrong = "is not a number of cores: it must be a whole number from 1 on";
            let number = cores.parse().ok().filter(|cores| *cores > 0);
            task.cores = number.ok_or_else(|| refuse(source, &location, &cores, wrong))?;
        }
        self.draft.tasks.push((task, location));
        let program = element.attribute("name")?.unwrap_or_default();
        self.words.insert(id.clone(), (program, String::new()));
        self.open = Some(id);
        Ok(())
    }

    /// More of the arguments of the job that is open.
    fn argument(&mut self, text: &str) {
        if let Some((_, words)) = self.open.as_ref().and_then(|job| self.words.get_mut(job)) {
            words.push_str(text);
        }
    }

    /// What the jobs run, where they state arguments: words are what stands between blanks.
    fn fill_programs(&mut self) {
        let of_task = |(task, _): &(Task, DraftLocation)| {
            let (program, words) = self.words.get(&task.name).cloned().unwrap_or_default();
            let runs = !program.is_empty() && !words.trim().is_empty();
            let words = std::iter::once(program.as_str()).chain(words.split_whitespace());
            let files = self.files.get(&task.name);
            TaskProgram {
                command: words.filter(|_| runs).map(str::to_owned).collect(),
                inputs: files.map_or(Vec::new(), |files| files.reads.keys().cloned().collect()),
                outputs: files.map_or(Vec::new(), |files| files.writes.keys().cloned().collect()),
                ..TaskProgram::default()
            }
        };
        let programs: Vec<TaskProgram> = self.draft.tasks.iter().map(of_task).collect();
        if programs.iter().any(TaskProgram::runs) {
            self.draft.programs = programs;
        }
    }

    fn uses(&mut self, element: &Element<'_>) -> Result<(), ReadError> {
        let Some(job) = self.open.clone() else { return Ok(()) };
        let file = match element.attribute("file")? {
            Some(file) => file,
            None => element.required("name")?,
        };
        let size = match element.attribute("size")? {
            None => Data::ZERO,
            Some(size) => {
                let location = element.location(format!("job {}", echo(&job)));
                let at = (self.draft.source, &location, size.as_str());
                let assumed = (Data::ZERO, "no data is assumed");
                self.draft.warnings.unless_negative(data_of(&size), at, assumed)?
            }
        };
        let files = self.files.entry(job).or_default();
        match element.attribute("link")?.unwrap_or_default().as_str() {
            "input" => drop(files.reads.insert(file, size)),
            "output" => drop(files.writes.insert(file, size)),
            "inout" => {
                files.reads.insert(file.clone(), size);
                files.writes.insert(file, size);
            }
            _ => {}
        }
        Ok(())
    }

    fn parent(&mut self, element: &Element<'_>) -> Result<(), ReadError> {
        let from = element.required("ref")?;
        let Some(to) = self.open.clone() else {
            let problem = "is outside any `child`: a parent must stand within its child".to_owned();
            return Err(missing(
                self.draft.source,
                &element.location(format!("parent {}", echo(&from))),
                problem,
            ));
        };
        let location = element.location(format!("child {}", echo(&to)));
        self.draft.edges.push(DraftEdge { from, to, data: Data::ZERO, location });
        Ok(())
    }

    /// What the one writes and the other reads; the larger of the two sizes where they differ.
    fn fill_edges(&mut self) {
        for edge in &mut self.draft.edges {
            let (Some(from), Some(to)) = (self.files.get(&edge.from), self.files.get(&edge.to)) else {
                continue;
            };
            let read =
                |file: &String, size: Data| to.reads.get(file).map(|other| size.max(*other).as_bytes());
            let shared = from.writes.iter().filter_map(|(file, size)| read(file, *size));
            let bytes = shared.fold(0_i64, i64::saturating_add);
            edge.data = Data::from_bytes(bytes).unwrap_or(Data::ZERO);
        }
    }
}

/// An element and where it is.
struct Element<'a> {
    start: &'a BytesStart<'a>,
    source: &'a str,
    position: Option<Position>,
}

impl Element<'_> {
    fn location(&self, path: String) -> DraftLocation {
        DraftLocation { position: self.position, path }
    }

    fn attribute(&self, name: &str) -> Result<Option<String>, ReadError> {
        let wrong = |problem: String| missing(self.source, &self.location(String::new()), problem);
        for attribute in self.start.attributes() {
            let attribute = attribute.map_err(|error| wrong(echo_message(&error.to_string())))?;
            if attribute.key.as_ref() == name {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                return value
                    .map(|value| Some(value.into_owned()))
                    .map_err(|error| wrong(echo_message(&error.to_string())));
            }
        }
        Ok(None)
    }

    fn required(&self, name: &str) -> Result<String, ReadError> {
        self.attribute(name)?.ok_or_else(|| {
            let element = echo(self.start.local_name().as_ref());
            missing(self.source, &self.location(element), format!("the attribute `{name}` is missing"))
        })
    }
}

/// Lines of a text by offset; offsets must not go back.
struct Lines<'a> {
    text: &'a str,
    seen: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Lines<'a> {
        Lines { text, seen: 0, line: 1, line_start: 0 }
    }

    fn position(&mut self, offset: u64) -> Position {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(self.text.len());
        for (at, byte) in self.text.bytes().enumerate().take(offset).skip(self.seen) {
            if byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.line_start = at + 1;
            }
        }
        self.seen = self.seen.max(offset);
        let before = self.text.get(self.line_start..offset).unwrap_or_default();
        let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX).saturating_add(1);
        Position { line: self.line, column }
    }
}
