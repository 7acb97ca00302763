//! Workflows as a workload: `--workflow FILE…`, with arrivals from a trace, a list or a rule.

use super::input::is_grid;
use super::recorded::{Given, Vo};
use super::{Args, words};
use crate::failure::Failure;
use crate::files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use walras_api::{WORKFLOW_BYTES_MAX, WorkflowFormat, read_limited, read_workflow_leniently};
use walras_model::{Time, Workflow};
use walras_sim::record::Site;
use walras_sim::table::Table;
use walras_sim::workload::{
    BadFlows, Job, Jobs, Listed, Slice, TracedFlow, Workflows, read_flows, read_list, rigid,
};

/// A workflow that comes.
struct Coming {
    file: PathBuf,
    submit: Time,
    listed: Option<Listed>,
}

/// The workflows, as jobs and as what they are.
pub(super) fn read(args: &Args, slice: Slice, sites: Option<Vec<Site>>) -> Result<Given, Failure> {
    let sites = sites.ok_or_else(|| Failure::Input("workflows need --sites".to_owned()))?;
    let nodes_max = sites.iter().map(|site| site.nodes).max().unwrap_or(1);
    if args.workflows.iter().any(|path| is_grid(path)) {
        return traced(args, slice, sites, nodes_max);
    }
    let mut files: BTreeMap<PathBuf, Workflow> = BTreeMap::new();
    let (mut jobs, mut workflows, mut notes) = (Vec::new(), BTreeMap::new(), Vec::new());
    for (coming, number) in coming(args)?.into_iter().zip(1_u64..) {
        if !files.contains_key(&coming.file) {
            let (workflow, told) = workflow(&coming.file)?;
            notes.extend(told);
            files.insert(coming.file.clone(), workflow);
        }
        let workflow = &files[&coming.file];
        let job = rigid(workflow, number, coming.submit, nodes_max);
        let job = job.ok_or_else(|| {
            Failure::Input(format!("{}: takes no time, or more than can be simulated", coming.file.display()))
        })?;
        let listed = |job, it: Listed| Job { user: it.user, budget: it.budget, deadline: it.deadline, ..job };
        jobs.push(coming.listed.map_or(job, |it| listed(job, it)));
        workflows.insert(number, workflow.clone());
    }
    let from = if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
    notes.push(format!("{} workflows from {from}", jobs.len()));
    let jobs = Jobs::held(slice.of(jobs.into_iter()).collect());
    Ok(Given { jobs, workflows: Workflows::new(workflows), sites, notes, vo: Vo::default() })
}

/// The workflows of a trace, which says when they came.
fn traced(args: &Args, slice: Slice, sites: Vec<Site>, nodes_max: u32) -> Result<Given, Failure> {
    let ([path], None) = (args.workflows.as_slice(), args.arrivals) else {
        return Err(Failure::Input(
            "a trace of workflows says when they came: it goes alone, without --arrivals and other files"
                .to_owned(),
        ));
    };
    let wrong = |bad: BadFlows| Failure::Input(format!("{}: {bad}", path.display()));
    let found = read_flows(files::open(path)?).map_err(wrong)?;
    let (mut jobs, mut workflows, mut timeless) = (Vec::new(), BTreeMap::new(), 0_u64);
    for (TracedFlow { workflow, submit, user }, number) in found.flows.into_iter().zip(1_u64..) {
        match rigid(&workflow, number, submit, nodes_max) {
            Some(job) => jobs.push(Job { user, ..job }),
            None => timeless += 1,
        }
        workflows.insert(number, workflow);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let notes = vec![format!(
        "{name}: {} workflows; left out: {} with a task on more than one processor, {} of which a run time is not known, {timeless} that take no time; {} dependencies are on tasks that are not there",
        jobs.len(),
        found.wide,
        found.run_unknown,
        found.missing
    )];
    let jobs = Jobs::held(slice.of(jobs.into_iter()).collect());
    Ok(Given { jobs, workflows: Workflows::new(workflows), sites, notes, vo: Vo::default() })
}

/// What comes when: from a list, or all files by a rule.
fn coming(args: &Args) -> Result<Vec<Coming>, Failure> {
    let (lists, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
        args.workflows.iter().partition(|path| words::is_table(&path.to_string_lossy()));
    match (lists.as_slice(), args.arrivals) {
        ([list], None) if files.is_empty() => listed(list),
        ([], Some(arrivals)) => {
            let drawn = arrivals.draw(files.len(), args.seed).into_iter();
            let one =
                |(submit, file): (Time, usize)| Coming { file: files[file].clone(), submit, listed: None };
            Ok(drawn.map(one).collect())
        }
        ([], None) => {
            Err(Failure::Input("workflows need --arrivals, or a list that says when each comes".to_owned()))
        }
        _ => Err(Failure::Input(
            "a list of workflows says when they come: it goes alone, without --arrivals and other files"
                .to_owned(),
        )),
    }
}

/// The workflows of a list; names of files are beside the list.
fn listed(list: &Path) -> Result<Vec<Coming>, Failure> {
    let wrong = |bad| Failure::Input(format!("{}: {bad}", list.display()));
    let beside = list.parent().unwrap_or(Path::new(""));
    let rows = read_list(Table::new(files::open(list)?)).map_err(wrong)?;
    let one = |row: Listed| Coming { file: beside.join(&row.file), submit: row.submit, listed: Some(row) };
    Ok(rows.into_iter().map(one).collect())
}

/// A workflow, plain or packed, and what had to be assumed of it.
fn workflow(path: &Path) -> Result<(Workflow, Vec<String>), Failure> {
    let name = path.to_string_lossy();
    let format = WorkflowFormat::of_path(Path::new(name.strip_suffix(".gz").unwrap_or(&name)));
    let format = format.map_err(Failure::input)?;
    let bytes = read_limited(files::open(path)?, &name, WORKFLOW_BYTES_MAX);
    let bytes = bytes.map_err(|error| files::cannot_read(path, &error))?.map_err(Failure::input)?;
    let (workflow, warnings) = read_workflow_leniently(&bytes, &name, format).map_err(Failure::input)?;
    Ok((workflow, warnings.lines()))
}
