//! Standard Task Graphs (Tobita and Kasahara): a line with the number of tasks, then a line a task with its number, its
//! run time, how many tasks it waits for, and which. Comments begin with `#`. Edges carry no data.

use super::draft::{Draft, DraftEdge, DraftLocation, missing, refuse, work_of};
use crate::error::{ErrorKind, Position, ReadError};
use walras_model::{Data, Task};

pub(super) fn read<'a>(bytes: &[u8], source: &'a str) -> Result<Draft<'a>, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ReadError {
        kind: ErrorKind::Syntax,
        ..missing(source, &DraftLocation::default(), "is not UTF-8 text".to_owned())
    })?;
    let mut draft = Draft::new(source, source.to_owned());
    let mut count = None;
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let position = Some(Position { line: number, column: 1 });
        match words.as_slice() {
            [] => {}
            [only] if count.is_none() && draft.tasks.is_empty() => {
                let location = DraftLocation { position, path: String::new() };
                let wrong = || refuse(source, &location, only, "is not a number of tasks");
                count = Some((only.parse::<usize>().map_err(|_| wrong())?, location.clone()));
            }
            words => add_task(&mut draft, words, position)?,
        }
    }
    check_count(&draft, count)?;
    Ok(draft)
}

fn add_task(draft: &mut Draft<'_>, words: &[&str], position: Option<Position>) -> Result<(), ReadError> {
    let path = format!("task {}", crate::error::echo(words[0]));
    let location = DraftLocation { position, path };
    let [name, runtime, count, before @ ..] = words else {
        let problem = format!(
            "{} numbers are too few: a task has its number, its run time and the number of tasks it waits for",
            words.len()
        );
        return Err(missing(draft.source, &location, problem));
    };
    let at = (draft.source, &location, *runtime);
    let work = draft.warnings.unless_negative(work_of(runtime), at, (None, "no run time is assumed"))?;
    if count.parse() != Ok(before.len()) {
        let what = format!("is not how many tasks it waits for: {} follow", before.len());
        return Err(refuse(draft.source, &location, count, &what));
    }
    for from in before {
        let edge = DraftEdge {
            from: (*from).to_owned(),
            to: (*name).to_owned(),
            data: Data::ZERO,
            location: location.clone(),
        };
        draft.edges.push(edge);
    }
    draft.tasks.push((Task::new(name, work), location));
    Ok(())
}

/// The number at the top leaves out the entry and the exit in some files.
fn check_count(draft: &Draft<'_>, count: Option<(usize, DraftLocation)>) -> Result<(), ReadError> {
    let tasks = draft.tasks.len();
    match count {
        Some((count, location)) if count != tasks && count.checked_add(2) != Some(tasks) => {
            let what = format!("is not the number of tasks: {tasks} follow");
            Err(refuse(draft.source, &location, &count.to_string(), &what))
        }
        _ => Ok(()),
    }
}
