//! Schedules, written while they are made: no job is held longer than its place in them asks for.

use super::output::plain_name;
use super::progress::Progress;
use crate::files::Written;
use std::path::Path;
use walras_sim::record::Record;
use walras_sim::study::{Keeper, Listener, Progress as At, Schedule, Study};

/// Shows how far runs are, and writes the schedules of the first seed where there is a directory for them.
#[derive(Clone, Copy)]
pub(super) struct Listening<'a> {
    pub(super) study: &'a Study,
    pub(super) directory: Option<&'a Path>,
    pub(super) progress: &'a Progress,
}

impl Listener for Listening<'_> {
    fn over(&self, at: At<'_>) {
        self.progress.add(1, at);
    }

    fn keeper(&self, policy: usize) -> Option<Box<dyn Keeper + '_>> {
        let words = self.study.policies.get(policy)?.to_string();
        let name = self.directory?.join(format!("schedule-{}-{}", policy + 1, plain_name(&words)));
        let schedule = Schedule::new(self.study, policy);
        Some(Box::new(Writing { schedule, files: open(&name, schedule) }))
    }
}

/// A table and a trace; or why they cannot be written.
type Files = Result<(Written, Written), String>;

struct Writing<'a> {
    schedule: Schedule<'a>,
    files: Files,
}

fn open(name: &Path, schedule: Schedule<'_>) -> Files {
    let (head, comments) = schedule.heads();
    let file = |ending: &str| Written::new(&name.with_added_extension(ending));
    let (mut table, mut trace) = (file("csv")?, file("swf")?);
    table.put(&head)?;
    trace.put(&comments)?;
    Ok((table, trace))
}

impl Keeper for Writing<'_> {
    fn keep(&mut self, record: &Record) {
        let Ok((table, trace)) = &mut self.files else { return };
        let put = table.put(&self.schedule.row(record)).and_then(|()| trace.put(&self.schedule.line(record)));
        if let Err(why) = put {
            self.files = Err(why);
        }
    }

    fn finish(self: Box<Self>) -> Result<(), String> {
        let (table, trace) = self.files?;
        table.finish()?;
        trace.finish()
    }
}
