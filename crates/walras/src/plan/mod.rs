//! `walras plan`

mod made;

use crate::examples::Example;
use crate::failure::{self, Failure};
use crate::{choice, clearing, files, satisfaction, table, two_tier};
use made::{Input, Made, first_that_holds};
use std::path::{Path, PathBuf};
use walras_api::{Listed, Plan, Scenario};
use walras_core::plan::{Listing, PlanScheme};
use walras_core::{Algorithm, Mode, SearchConfig, SearchLimits};
use walras_model::{Decimal, DecimalError, Factor};

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
    let (name, scenario) = read(args)?;
    let known = |name: &&String| scenario.batch.requests().iter().any(|request| request.name == **name);
    if let Some(stranger) = args.jobs.iter().find(|name| !known(name)) {
        return Err(Failure::Input(format!("--job: the scenario has no job '{stranger}'")));
    }
    let config = config(args, &scenario);
    let beside = args.scenario.as_ref().map(|path| path.parent().unwrap_or(Path::new("")));
    let (workflows, warnings) = two_tier::read(&scenario, beside)?;
    let policy = choice::policy(&args.choice, &scenario)?;
    let input = Input { name: &name, scenario: &scenario, workflows: &workflows, warnings: &warnings };
    let made = |scheme| input.made(args, (&config, &policy), scheme);
    let (Made { sized, planned, mut plan, svg }, fault) =
        first_that_holds(args.choice.scheme(), made, |made| made.violation(&workflows))?;
    plan.fault = fault;
    let faults = plan.workflows.iter().filter_map(|planned| planned.fault.as_ref());
    for fault in plan.fault.iter().chain(faults) {
        failure::warn(fault);
    }
    if let Some((path, svg)) = args.gantt.as_ref().zip(svg) {
        files::write(path, &svg)?;
    }
    if args.json {
        drop(planned);
        files::print_json(&plan, length(&plan) <= LINES_APART_MAX)?;
    } else {
        let table = table::of_plan(&sized, &config, &planned.found, &plan, args.show);
        let prices = if args.bound.asked() { table::of_clearing(&sized, &plan) } else { String::new() };
        files::print(&(table + &table::of_workflows(&plan) + &prices))?;
    }
    if args.allow_unplaced || all_placed(&sized, &plan) { Ok(()) } else { Err(Failure::NotAll) }
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
