//! `walras plan`

use crate::examples::File;
use crate::failure::{self, Failure};
use crate::{choice, clearing, cores, files, satisfaction, table, two_tier};
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walras_api::{
    Listed, Plan, PlannedChoice, Scenario, Syntax, WorkflowFormat, read_scenario, read_workflow,
};
use walras_core::choose::{Objective, VoPolicy};
use walras_core::plan::{BatchPlan, BatchProblem, Listing, PlanScheme, plan_batch};
use walras_core::prefer::Stakeholders;
use walras_core::{Algorithm, Alternatives, Mode, SearchConfig, SearchLimits};
use walras_model::{Alternative, Decimal, DecimalError, Factor, Workflow};
use walras_picture::{Only, Scene, gantt};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scenario file (.yaml, .yml or .json)
    #[arg(required_unless_present = "example")]
    scenario: Option<PathBuf>,

    /// Plan a built-in scenario instead of a file
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "federation", conflicts_with = "scenario")]
    example: Option<Example>,

    /// alp, amp or criterion=NAME, where NAME is cost, runtime, finish, start, price, node-time, energy or
    /// sum:ATTRIBUTE
    #[arg(long, value_name = "SEARCH", default_value = "amp")]
    search: Algorithm,

    /// The factor k of the budget S = k · price_max · t · tasks, greater than 0 and at most 1 [default: the
    /// policy's, else 1]
    #[arg(long, value_name = "K", value_parser = factor)]
    budget_factor: Option<Factor>,

    /// Give each job only its first window, in one sweep over time: whoever can start first does
    #[arg(long)]
    on_the_fly: bool,

    /// Stop at so many alternatives for one job
    #[arg(long, value_name = "N", default_value_t = SearchLimits::default().alternatives_per_job_max,
          value_parser = clap::value_parser!(u32).range(1..))]
    alternatives_max: u32,

    /// Search on so many threads, instead of one for each core; the plan does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,

    #[command(flatten)]
    choice: choice::ChoiceArgs,

    #[command(flatten)]
    bound: clearing::BoundArgs,

    #[command(flatten)]
    pareto: satisfaction::ParetoArgs,

    /// End with exit code 0 although some job is not placed; without it that is exit code 1
    #[arg(long)]
    allow_unplaced: bool,

    /// Print the plan as JSON (walras.plan/1): what is chosen, and how many other windows each job has
    #[arg(long)]
    json: bool,

    /// Look for every window, also where more cannot change the choice, and list all of them in JSON
    #[arg(long)]
    all: bool,

    /// Write a picture of the plan: chosen windows solid, the others as outlines
    #[arg(long, value_name = "FILE.svg")]
    gantt: Option<PathBuf>,

    /// Draw only the chosen windows
    #[arg(long, requires = "gantt", conflicts_with = "no_choice")]
    chosen_only: bool,

    /// Draw only the windows of this job; may be given several times
    #[arg(long = "job", value_name = "NAME", requires = "gantt")]
    jobs: Vec<String>,

    /// How many alternatives of each job the table shows
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "json")]
    show: usize,
}

/// The workflow that comes with the program.
const PIPELINE: &str = "pipeline.yaml";

/// Scenarios that come with the program.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Example {
    /// Three owners, twelve nodes, four hours, six jobs
    Federation,
    /// The worked example of the AMP papers
    #[value(name = "worked-example")]
    Worked,
    /// The federation with two jobs that are workflows
    TwoTier,
    /// Sites that sell capacity, beside one that sells slots
    Metabroker,
    /// The federation with preferences, owners' rules and a queue
    Preferences,
}

impl Example {
    fn text(self) -> &'static str {
        match self {
            Example::Federation => File::Federation.text(),
            Example::Worked => File::WorkedExample.text(),
            Example::TwoTier => File::TwoTier.text(),
            Example::Metabroker => File::Metabroker.text(),
            Example::Preferences => File::Preferences.text(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Example::Federation => "federation.yaml",
            Example::Worked => "worked-example.yaml",
            Example::TwoTier => "two-tier.yaml",
            Example::Metabroker => "metabroker.yaml",
            Example::Preferences => "preferences.yaml",
        }
    }

    /// The built-in workflow of that name.
    pub(crate) fn workflow(name: &str) -> Result<Workflow, Failure> {
        if name != PIPELINE {
            return Err(Failure::Fault(format!("there is no built-in workflow {name}")));
        }
        read_workflow(File::Pipeline.text().as_bytes(), name, WorkflowFormat::Yaml).map_err(Failure::fault)
    }

    pub(crate) fn scenario(self) -> Result<Scenario, Failure> {
        read_scenario(self.text().as_bytes(), self.name(), Syntax::Yaml).map_err(Failure::fault)
    }
}

/// Reads a factor such as `0.75` to the millionth.
fn factor(text: &str) -> Result<Factor, String> {
    let wrong = || format!("'{text}' is not a factor: it must be a decimal greater than 0 and at most 1");
    match Decimal::plain(text).and_then(|factor| factor.units(6)) {
        Ok(millionths) => Factor::from_millionths(millionths).ok_or_else(wrong),
        Err(DecimalError::TooFine { .. }) => {
            Err(format!("'{text}' has too many decimals: a factor is read to the millionth"))
        }
        Err(_) => Err(wrong()),
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    for path in args.gantt.iter().chain(args.pareto.picture()) {
        files::check_svg(path)?;
    }
    let (name, mut scenario) = read(args)?;
    let known = |name: &&String| scenario.batch.requests().iter().any(|request| request.name == **name);
    if let Some(stranger) = args.jobs.iter().find(|name| !known(name)) {
        return Err(Failure::Input(format!("--job: the scenario has no job '{stranger}'")));
    }
    let config = config(args, &scenario);
    let beside = args.scenario.as_ref().map(|path| path.parent().unwrap_or(Path::new("")));
    let (workflows, warnings) = two_tier::read(&scenario, beside)?;
    let policy = choice::policy(&args.choice, &scenario)?;
    let (planned, mut plan) = plan(args, &scenario, &workflows, &config, &policy)?;
    two_tier::set_sizes(&mut scenario, &workflows, &planned);
    plan.workflows = two_tier::planned(&scenario, &workflows, &planned);
    plan.warnings = warnings;
    for fault in plan.workflows.iter().filter_map(|planned| planned.fault.as_ref()) {
        failure::warn(fault);
    }
    let svg = args.gantt.as_ref().map(|path| {
        let part = part(args, &scenario, &planned.found, plan.choice.as_ref());
        let shown = |place: usize| part.as_ref().is_none_or(|(windows, _)| windows.contains(&place));
        let tasks = two_tier::pictured(&scenario, &workflows, &planned, shown);
        let only = part.as_ref().map(|(windows, reason)| Only { windows, reason });
        (path, picture(&name, &scenario, &planned.found, plan.choice.as_ref(), &tasks, only))
    });
    let plan = plan.listing(&scenario, &config, &planned.found, args.listed());
    check(&plan, &scenario, &workflows)?;
    if let Some((path, svg)) = svg {
        files::write(path, &svg)?;
    }
    if args.json {
        drop(planned);
        files::print_json(&plan, length(&plan) <= LINES_APART_MAX)?;
    } else {
        let table = table::of_plan(&scenario, &config, &planned.found, &plan, args.show);
        let prices = if args.bound.asked() { table::of_clearing(&scenario, &plan) } else { String::new() };
        files::print(&(table + &table::of_workflows(&plan) + &prices))?;
    }
    if args.allow_unplaced || all_placed(&scenario, &plan) { Ok(()) } else { Err(Failure::NotAll) }
}

/// Plans of more windows than this are printed on one line, unless somebody sees them on a terminal.
const LINES_APART_MAX: usize = 1_000;

/// How many windows a plan names.
fn length(plan: &Plan) -> usize {
    let points = plan.pareto.iter().flat_map(|front| &front.points);
    plan.alternatives.len() + points.map(|point| point.alternatives.len()).sum::<usize>()
}

impl Args {
    /// Whether everything that is found is wanted, and not only what is chosen.
    fn wants_all(&self) -> bool {
        self.all || !self.choice.wanted() || self.choice.scheme() == PlanScheme::Papers
    }

    /// Which windows are looked for: a table shows those of the first rounds, a picture all of them.
    fn listing(&self) -> Listing {
        let drawn = self.gantt.is_some() && !self.chosen_only;
        if self.wants_all() || drawn {
            return Listing::All;
        }
        let shown = if self.json { 1 } else { u32::try_from(self.show).unwrap_or(u32::MAX) };
        Listing::AsNeeded { rounds_min: shown }
    }

    /// Which windows the plan lists; the verifier sees all that a table could show.
    fn listed(&self) -> Listed {
        if self.json && !self.wants_all() { Listed::Needed } else { Listed::All }
    }
}

/// Whether every job has a chosen window or a queue; where nothing was to be chosen, whether every job has a window.
fn all_placed(scenario: &Scenario, plan: &Plan) -> bool {
    let Some(choice) = &plan.choice else { return plan.unscheduled.is_empty() };
    let queued = plan.satisfaction.as_ref().map_or(0, |satisfaction| satisfaction.queued.len());
    choice.chosen.len() + queued >= scenario.batch.requests().len()
}

/// Plans, and writes down all but the workflows.
fn plan(
    args: &Args,
    scenario: &Scenario,
    workflows: &two_tier::Workflows,
    config: &SearchConfig,
    policy: &VoPolicy,
) -> Result<(BatchPlan, Plan), Failure> {
    let jobs = two_tier::jobs(scenario, workflows);
    let by_satisfaction = policy.objective == Objective::Satisfaction;
    let asked = by_satisfaction || args.pareto.wanted();
    let plain = asked.then(|| Stakeholders::plain(&scenario.offers, &scenario.batch));
    let stakeholders = scenario.preferences.as_ref().or(plain.as_ref());
    let problem = BatchProblem {
        jobs: &jobs,
        stakeholders,
        network: scenario.network,
        choose: args.choice.wanted(),
        scheme: args.choice.scheme(),
        listing: args.listing(),
        threads: cores::threads(args.threads),
        ..BatchProblem::new(&scenario.offers, &scenario.batch, config, policy)
    };
    let planned = plan_batch(&problem);
    let mut plan = Plan::outline(scenario, config, &planned.found);
    let choice = choice::planned(scenario, policy, &planned)?;
    plan.choice =
        choice.map(|choice| clearing::bounded(&args.bound, args.json, scenario, &problem, &planned, choice));
    if let Some(stakeholders) = stakeholders {
        if scenario.preferences.is_some() || by_satisfaction {
            plan.satisfaction = satisfaction::planned(scenario, stakeholders, &planned);
        }
        plan.pareto = satisfaction::front(&args.pareto, scenario, stakeholders, &problem, &planned)?;
    }
    Ok((planned, plan))
}

/// How to search; the command line goes before the scenario's policy.
fn config(args: &Args, scenario: &Scenario) -> SearchConfig {
    let of_policy = scenario.policy.as_ref().and_then(|policy| policy.budget_factor);
    SearchConfig {
        algorithm: args.search.clone(),
        mode: if args.on_the_fly { Mode::FirstOnTheFly } else { Mode::AllAlternatives },
        budget_factor: args.budget_factor.or(of_policy).unwrap_or(Factor::ONE),
        limits: SearchLimits { alternatives_per_job_max: args.alternatives_max, ..SearchLimits::default() },
    }
}

fn read(args: &Args) -> Result<(String, Scenario), Failure> {
    match (&args.scenario, args.example) {
        (Some(path), _) => {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            Ok((name.into_owned(), files::read_scenario_file(path)?))
        }
        (None, example) => {
            let example = example.unwrap_or(Example::Federation);
            Ok((example.name().to_owned(), example.scenario()?))
        }
    }
}

/// Nothing leaves before the verifier has seen it.
fn check(plan: &Plan, scenario: &Scenario, workflows: &two_tier::Workflows) -> Result<(), Failure> {
    let claim = plan.to_claim("plan").map_err(Failure::fault)?;
    let wrong = plan.violations(&claim, scenario, workflows, "plan").map_err(Failure::fault)?;
    match wrong.first() {
        None => Ok(()),
        Some(violation) => Err(Failure::Fault(format!("the plan does not verify: {violation}"))),
    }
}

/// The windows that the picture is to show, and why not the others; `None` for all.
fn part(
    args: &Args,
    scenario: &Scenario,
    found: &Alternatives,
    choice: Option<&PlannedChoice>,
) -> Option<(Vec<usize>, &'static str)> {
    let chosen = choice.iter().flat_map(|choice| &choice.chosen).map(|chosen| chosen.alternative);
    let chosen: BTreeSet<usize> = chosen.collect();
    let reason = match (args.chosen_only, args.jobs.is_empty()) {
        (false, true) => return None,
        (true, true) => "only chosen windows are shown",
        (false, false) => "only windows of the jobs asked for are shown",
        (true, false) => "only chosen windows of the jobs asked for are shown",
    };
    let wanted = |(place, alternative): (usize, &Alternative)| {
        let of_job =
            args.jobs.is_empty() || args.jobs.contains(&scenario.batch.request(alternative.job).name);
        (of_job && (!args.chosen_only || chosen.contains(&place))).then_some(place)
    };
    Some((found.found.iter().enumerate().filter_map(wanted).collect(), reason))
}

fn picture(
    name: &str,
    scenario: &Scenario,
    found: &Alternatives,
    choice: Option<&PlannedChoice>,
    tasks: &crate::picture::TaskPicture<'_>,
    only: Option<Only<'_>>,
) -> String {
    let unit = crate::picture::time_unit(scenario.unit);
    let choice = choice.filter(|choice| choice.found());
    let chosen: Option<Vec<usize>> =
        choice.map(|choice| choice.chosen.iter().map(|chosen| chosen.alternative).collect());
    let note = choice.map(|choice| table::chosen_in_short(choice, scenario.unit));
    let scene = Scene::new(name, &scenario.offers, &scenario.batch, &found.found);
    gantt(&Scene {
        unit,
        chosen: chosen.as_deref(),
        note: note.as_deref(),
        tasks: &tasks.marks,
        arrows: &tasks.arrows,
        only,
        ..scene
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_to_the_millionth() {
        assert_eq!(factor("0.75"), Ok(Factor::from_millionths(750_000).unwrap()));
        assert_eq!(factor("1"), Ok(Factor::ONE));
        for wrong in ["0", "1.5", "-1", "", "0.0000001", "nan", "1e-1", "١"] {
            assert!(factor(wrong).is_err(), "{wrong}");
        }
    }
}
