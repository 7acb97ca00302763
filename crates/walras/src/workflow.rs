//! `walras workflow`

mod nodes;
mod table;

use crate::failure::{self, Failure};
use crate::{files, picture};
use nodes::Nodes;
use std::path::{Path, PathBuf};
use walras_api::{
    BaselineResult, Figures, MONEY_DECIMALS, PlannedSupport, ReadError, ReadWarnings, Runnable, TaskPlan,
    Unit, WORKFLOW_BYTES_MAX, WorkflowFormat, read_runnable, read_workflow_leniently,
};
use walras_core::refine::{
    Baseline, RefineEffort, Refined, Strategy, SupportLimits, baseline, refine, supporting_schedules,
    task_claim,
};
use walras_model::workflow::Terms;
use walras_model::{Platform, Workflow};
use walras_verify::tasks::verify_tasks;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The workflow: .yaml (workflow/1), .json (WfCommons), .xml or .dax (Pegasus) or .stg
    workflow: PathBuf,

    /// A scenario file, whose nodes and free time are used; or `COUNT[xPERFORMANCE][@PRICE]` with commas between groups
    /// and slashes between sites, such as 4,2x2.5@3/8x1@0.5
    #[arg(long, value_name = "SPEC")]
    nodes: String,

    /// asap, alap, cheapest, fastest or balanced
    #[arg(long, value_name = "STRATEGY", default_value = "asap")]
    strategy: Strategy,

    /// When the last task must have ended
    #[arg(long, value_name = "TIME")]
    deadline: Option<String>,

    /// What all tasks together may cost, in credits
    #[arg(long, value_name = "CREDITS")]
    budget: Option<String>,

    #[command(flatten)]
    network: nodes::NetworkArgs,

    /// Units of work for improvement; 0 leaves the critical jobs method as it is
    #[arg(long, value_name = "UNITS", default_value_t = RefineEffort::default().units_max)]
    effort: u64,

    /// Units of work for the proof that nothing ends sooner, for workflows of at most 64 tasks where improvement leaves that open
    #[arg(long, value_name = "UNITS", default_value_t = RefineEffort::default().proof_units_max)]
    proof: u64,

    /// What the improvement's choices follow from
    #[arg(long, value_name = "N", default_value_t = RefineEffort::default().seed)]
    seed: u64,

    /// Also prepare schedules for a node that is lost and a task that is late
    #[arg(long)]
    supports: bool,

    /// Also show what HEFT, CPOP, PEFT and DBCS give
    #[arg(long)]
    baselines: bool,

    /// Print the schedule as JSON (walras.tasks/1)
    #[arg(long)]
    json: bool,

    /// Write a picture of the schedule
    #[arg(long, value_name = "FILE.svg")]
    gantt: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.gantt {
        files::check_svg(path)?;
    }
    let (workflow, warnings) = read_file(&args.workflow)?;
    let deadline = || terms(args, Unit::Seconds).ok()?.deadline;
    let nodes = nodes::read(&args.nodes, &workflow, args.network.network()?, deadline)?;
    let terms = terms(args, nodes.unit)?;
    let effort = RefineEffort {
        units_max: args.effort,
        proof_units_max: args.proof,
        seed: args.seed,
        ..RefineEffort::default()
    };
    let outcome = refine(&workflow, &nodes.platform, &terms, args.strategy, &effort);
    let mut plan = TaskPlan::new(&workflow, &nodes.platform, args.strategy, nodes.unit, &outcome);
    plan.warnings = warnings;
    if args.baselines {
        plan.baselines = Baseline::ALL.map(|kind| baseline_result(kind, &workflow, &nodes, &terms)).to_vec();
    }
    if let Some(fault) = &plan.fault {
        failure::warn(fault);
    }
    if let Some(refined) = outcome.found() {
        check(&refined, &workflow, &nodes.platform, &terms)?;
        if args.supports {
            plan.supports = supports(args.strategy, &refined, &workflow, &nodes, &terms);
        }
        if let Some(path) = &args.gantt {
            let network = nodes.platform.network;
            let svg = picture::of_tasks(&workflow, &nodes.offers, network, nodes.unit, &refined.schedule);
            files::write(path, &svg)?;
        }
    }
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&plan).map_err(Failure::fault)?)
    } else {
        table::of_plan(&plan)
    };
    files::print(&text)?;
    if plan.reason.is_some() { Err(Failure::NotAll) } else { Ok(()) }
}

/// Reads a workflow; the file's extension tells the format. What had to be assumed is told, and given back.
pub(crate) fn read_file(path: &Path) -> Result<(Workflow, Vec<String>), Failure> {
    let (format, bytes) = written(path)?;
    read_by(path, format, &bytes, read_workflow_leniently)
}

/// The same with what its tasks run, and with the file as it stands.
pub(crate) fn read_runnable_file(path: &Path) -> Result<(Runnable, Vec<u8>), Failure> {
    let (format, bytes) = written(path)?;
    let (runnable, _) = read_by(path, format, &bytes, read_runnable)?;
    Ok((runnable, bytes))
}

/// A file and its format.
fn written(path: &Path) -> Result<(WorkflowFormat, Vec<u8>), Failure> {
    let format = WorkflowFormat::of_path(path).map_err(Failure::input)?;
    Ok((format, files::read(path, WORKFLOW_BYTES_MAX)?))
}

/// What reads a workflow out of bytes, with what the file is called.
type Reader<T> = fn(&[u8], &str, WorkflowFormat) -> Result<(T, ReadWarnings), ReadError>;

fn read_by<T>(
    path: &Path,
    format: WorkflowFormat,
    bytes: &[u8],
    read: Reader<T>,
) -> Result<(T, Vec<String>), Failure> {
    let (workflow, warnings) = read(bytes, &path.display().to_string(), format).map_err(Failure::input)?;
    let warnings = warnings.lines();
    for warning in &warnings {
        eprintln!("walras: warning: {warning}");
    }
    Ok((workflow, warnings))
}

fn terms(args: &Args, unit: Unit) -> Result<Terms, Failure> {
    let missing = |what: &str| {
        let name = args.strategy;
        Err(Failure::Input(format!(
            "--strategy {name} needs --{what}: without it there is nothing to keep to"
        )))
    };
    if args.strategy.needs_deadline() && args.deadline.is_none() {
        return missing("deadline");
    }
    if args.strategy.needs_budget() && args.budget.is_none() {
        return missing("budget");
    }
    let wrong = |option: &str, text: &str, what: &str, decimals: u32| {
        let expected = format!("a number, not negative, of at most {decimals} decimals and within range");
        Failure::Input(format!("{option}: '{text}' is not {what}: it must be {expected}"))
    };
    let no_time = |text: &str| wrong("--deadline", text, "a time", unit.time_decimals());
    let deadline = args.deadline.as_ref().map(|text| {
        let span = unit.span_from_text(text).ok_or_else(|| no_time(text))?;
        walras_model::Time::from_millis(span.as_millis()).ok_or_else(|| no_time(text))
    });
    let budget = args.budget.as_ref().map(|text| {
        let no_money = || wrong("--budget", text, "an amount of credits", MONEY_DECIMALS);
        unit.money_from_text(text).ok_or_else(no_money)
    });
    Ok(Terms { earliest: None, deadline: deadline.transpose()?, budget: budget.transpose()? })
}

/// Nothing leaves before the verifier has seen it.
fn check(refined: &Refined, workflow: &Workflow, platform: &Platform, terms: &Terms) -> Result<(), Failure> {
    let claim = task_claim(&refined.schedule, workflow, platform);
    match verify_tasks(&claim, workflow, platform, terms).first() {
        None => Ok(()),
        Some(violation) => Err(Failure::Fault(format!("the schedule does not verify: {violation}"))),
    }
}

fn baseline_result(kind: Baseline, workflow: &Workflow, nodes: &Nodes, terms: &Terms) -> BaselineResult {
    let schedule = baseline(workflow, &nodes.platform, terms, kind);
    let figures = Figures(nodes.unit);
    BaselineResult {
        name: kind.name(),
        makespan: schedule.as_ref().map(|schedule| figures.span(schedule.makespan())),
        cost: schedule.as_ref().map(|schedule| figures.money(schedule.cost())),
    }
}

fn supports(
    strategy: Strategy,
    refined: &Refined,
    workflow: &Workflow,
    nodes: &Nodes,
    terms: &Terms,
) -> Vec<PlannedSupport> {
    let limits = SupportLimits::default();
    let supports =
        supporting_schedules(workflow, &nodes.platform, terms, strategy, &refined.schedule, &limits);
    let planned =
        supports.iter().map(|support| PlannedSupport::new(support, workflow, &nodes.platform, nodes.unit));
    planned.collect()
}
