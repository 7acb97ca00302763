//! Jobs from traces, a model or a journal.

use super::Args;
use super::recorded::{self, Given, Vo};
use crate::failure::Failure;
use crate::files;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walras_sim::config::ConfigError;
use walras_sim::drive::Wishes;
use walras_sim::record::Site;
use walras_sim::workload::{
    GwfJobs, HELD_MAX, InOrder, Job, JobIterator, Jobs, Merged, Model, Report, Slice, SwfJobs, Synthetic,
    Workflows, read_jobs,
};

/// The jobs, the sites, and what there is to say of them.
pub(super) fn jobs(args: &Args, slice: Slice, sites: Option<Vec<Site>>) -> Result<Given, Failure> {
    if let Some(journal) = &args.from {
        let found = recorded::read(journal)?;
        let jobs = Jobs::held(slice.of(found.jobs.iter()).collect());
        return Ok(match sites {
            None => Given { jobs, ..found },
            // What was known of the VO's own sites says nothing of others.
            Some(sites) => {
                let Vo { policy, wishes: Wishes { administrator, .. }, .. } = found.vo;
                let wishes = Wishes { administrator, ..Wishes::default() };
                let vo = Vo { policy, wishes, ..Vo::default() };
                Given { jobs, sites, vo, ..found }
            }
        });
    }
    if let Some(count) = args.synthetic {
        let sites = sites.unwrap_or_else(|| vec![Site::plain("site1", Model::default().nodes)]);
        let nodes = sites.iter().map(|site| site.nodes).max().unwrap_or(1);
        let (count, seed) = (usize::try_from(count).unwrap_or(usize::MAX), args.seed);
        let notes = vec![format!("{count} jobs of a model of a machine of {nodes} nodes, seed {seed}")];
        let model = Model { nodes, ..Model::default() };
        let draw = move |seed| -> JobIterator { Box::new(slice.of(Synthetic::new(model, seed).take(count))) };
        let jobs = Jobs::drawn(seed, draw);
        return Ok(Given { jobs, workflows: Workflows::default(), sites, notes, vo: Vo::default() });
    }
    traces(&args.traces, slice, sites)
}

/// Several traces are one workload: their jobs come as they were submitted.
fn traces(paths: &[PathBuf], slice: Slice, sites: Option<Vec<Site>>) -> Result<Given, Failure> {
    let mut notes = Vec::new();
    let mut machine = None;
    let mut sources: Vec<Source> = Vec::new();
    for path in paths {
        if is_ours(path) {
            let mut read = own(path)?;
            notes.push(format!("{}: {} jobs", path.display(), read.len()));
            read.sort_by_key(|job| job.submit);
            sources.push(Source::Held(read.into()));
            continue;
        }
        let (report, Looked { late, few }) = look(path)?;
        machine = machine.or_else(|| size_of(&report));
        notes.extend(say(path, &report, late));
        sources.push(few.map_or_else(|| Source::Trace(path.clone()), |few| Source::Held(few.into())));
    }
    let sites = sites.or_else(|| Some(vec![Site::plain("site1", machine?)]));
    let sites = sites.ok_or_else(|| {
        Failure::Input("the trace does not say how large its machine is: pass --sites".to_owned())
    })?;
    let jobs = Jobs::streamed(move || Box::new(slice.of(merged(&sources))));
    Ok(Given { jobs, workflows: Workflows::default(), sites, notes, vo: Vo::default() })
}

/// Where jobs come from, again and again.
enum Source {
    Held(Arc<[Job]>),
    Trace(PathBuf),
}

fn merged(sources: &[Source]) -> Merged {
    let open = |source: &Source| -> JobIterator {
        match source {
            Source::Held(jobs) => {
                let jobs = jobs.clone();
                Box::new((0..jobs.len()).map(move |place| jobs[place]))
            }
            // A trace that cannot be opened again has no jobs, which is noticed by their number.
            Source::Trace(path) => match files::open(path) {
                Ok(file) if is_grid(path) => Box::new(InOrder::new(GwfJobs::new(file))),
                Ok(file) => Box::new(InOrder::new(SwfJobs::new(file))),
                Err(_) => Box::new(std::iter::empty()),
            },
        }
    };
    Merged::new(sources.iter().map(open).collect())
}

/// Whether a file is one of our own.
fn is_ours(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["yaml", "yml", "json"].contains(&extension)
}

/// Whether a file is in the Grid Workload Format.
pub(super) fn is_grid(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(".gwf"))
}

/// At most so large: 64 MiB.
const OWN_BYTES_MAX: usize = 64 << 20;

fn own(path: &Path) -> Result<Vec<Job>, Failure> {
    let wrong = |problem: ConfigError| Failure::Input(format!("{}: {problem}", path.display()));
    read_jobs(&files::read_text(path, OWN_BYTES_MAX)?).map_err(wrong)
}

/// What a header says of the machine.
fn size_of(report: &Report) -> Option<u32> {
    let stated = |name| report.header(name)?.split_whitespace().next()?.parse().ok();
    stated("MaxProcs").or_else(|| stated("MaxNodes")).filter(|nodes| *nodes > 0)
}

/// What going through a trace has shown.
struct Looked {
    /// So many jobs come too late in it to be put into order.
    late: u64,
    /// Its jobs, where they are not many.
    few: Option<Vec<Job>>,
}

/// Goes through a trace, and says what it holds.
fn look(path: &Path) -> Result<(Report, Looked), Failure> {
    let file = files::open(path)?;
    let cannot = |error: &io::Error| files::cannot_read(path, error);
    let (looked, report, fault) = if is_grid(path) {
        let mut reader = GwfJobs::new(file);
        (gather(reader.by_ref()), reader.report().clone(), reader.fault().map(cannot))
    } else {
        let mut reader = SwfJobs::new(file);
        (gather(reader.by_ref()), reader.report().clone(), reader.fault().map(cannot))
    };
    fault.map_or(Ok((report, looked)), Err)
}

fn gather(jobs: impl Iterator<Item = Job>) -> Looked {
    let mut jobs = InOrder::new(jobs);
    let few: Vec<Job> = jobs.by_ref().take(HELD_MAX).collect();
    let beyond = jobs.by_ref().count();
    Looked { late: jobs.late(), few: (beyond == 0).then_some(few) }
}

/// What was read, left out and could not be.
fn say(path: &Path, report: &Report, late: u64) -> Vec<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let left = report.left_out;
    let mut notes = vec![format!(
        "{name}: {} jobs; left out: {} without a run time, {} shorter than a second, {} never started, {} without a size",
        report.jobs, left.run_unknown, left.run_short, left.never_started, left.size_unknown
    )];
    if late > 0 {
        notes.push(format!(
            "{name}: {late} jobs come so late in the file that they are submitted later than it says"
        ));
    }
    if report.bad > 0 {
        notes.push(format!("{name}: {} lines cannot be read", report.bad));
        notes.extend(report.bad_lines.iter().take(3).map(|bad| format!("{name}: {bad}")));
    }
    notes.extend(report.header("Acknowledge").map(|who| format!("{name}: thanks to {who}")));
    notes
}
