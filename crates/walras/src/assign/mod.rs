//! `walras assign`

mod method;
#[cfg(feature = "simulator")]
mod rolling;
mod table;

use crate::examples::Example;
use crate::failure::Failure;
use crate::files;
use clap::ValueEnum;
use method::{Completion, Method, Options};
use std::path::{Path, PathBuf};
use std::time::Instant;
use walras_api::{
    AssignmentNames, AssignmentReport, AssignmentRun, AssignmentStatus, ORLIB_BYTES_MAX, Scenario,
    UnplacedItem, UnplacedKind, read_orlib_gap,
};
use walras_assign::{MarketError, MarketRules, market_of, whole_jobs, why_unplaced};
use walras_model::Factor;
use walras_model::market::{Instance, InstanceError};
use walras_verify::{verify_assignment, verify_instance_assignment};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The scenario (.yaml, .yml or .json), or an instance of another format
    #[arg(required_unless_present = "example")]
    file: Option<PathBuf>,

    /// Assign the jobs of a built-in scenario instead of a file
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "metabroker", conflicts_with_all = ["file", "format"])]
    example: Option<Example>,

    /// How to find an assignment
    #[arg(long, value_name = "METHOD", default_value = "exact")]
    method: Method,

    /// By what mmc and lpga place the jobs that the relaxation cannot keep whole
    #[arg(long, value_name = "BY", default_value = "best")]
    complete: Completion,

    /// Assign round after round, so long apart (in the scenario's unit of time): jobs come at their earliest start, hold their
    /// processors until they end, and who finds no place waits for the next round. Each round by the broker that serves users
    #[arg(long, value_name = "INTERVAL", conflicts_with_all = ["format", "instance"])]
    rolling: Option<String>,

    /// With --rolling: so many rounds at most
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "rolling", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,

    /// Stop after about so many seconds with the best that was found
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    time_limit: f64,

    /// What all random draws follow from (hga, lpga)
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many threads to use; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: u16,

    /// What the file is
    #[arg(long, value_name = "FORMAT", default_value = "scenario")]
    format: Format,

    /// Which instance of an orlib-gap file that holds several, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    instance: Option<u32>,

    /// End with exit code 0 although some job is not placed; without it that is exit code 1
    #[arg(long)]
    allow_unplaced: bool,

    /// Print the assignment as JSON (walras.assignment/1)
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A scenario whose sites sell capacity
    Scenario,
    /// A generalised assignment instance of the OR-Library: every job must be placed
    OrlibGap,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is not a number of seconds"))?;
    if seconds > 0.0 && seconds <= 1e9 {
        return Ok(seconds);
    }
    Err(format!("'{text}' is not a time limit: it must be greater than 0 and at most 1000000000"))
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(interval) = &args.rolling {
        return run_rolling(args, interval);
    }
    let report = match (&args.file, args.format) {
        (Some(path), Format::OrlibGap) => assign_instance(args, path)?,
        (Some(path), Format::Scenario) => {
            assign_scenario(args, &path.display().to_string(), &files::read_scenario_file(path)?)?
        }
        (None, _) => {
            let example = args.example.unwrap_or(Example::Metabroker);
            assign_scenario(args, example.name(), &example.scenario()?)?
        }
    };
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&report).map_err(Failure::fault)?)
    } else {
        table::of_report(&report)
    };
    files::print(&text)?;
    if args.allow_unplaced || report.places_all() { Ok(()) } else { Err(Failure::NotAll) }
}

/// Round after round.
#[cfg(feature = "simulator")]
fn run_rolling(args: &Args, interval: &str) -> Result<(), Failure> {
    let (source, scenario) = match &args.file {
        Some(path) => (path.display().to_string(), files::read_scenario_file(path)?),
        None => {
            let example = args.example.unwrap_or(Example::Metabroker);
            (example.name().to_owned(), example.scenario()?)
        }
    };
    if args.method == Method::Split {
        return Err(Failure::input("--rolling: jobs run whole; choose another method than split"));
    }
    let span = scenario.unit.span_from_text(interval).filter(|span| span.as_millis() > 0);
    let Some(interval) = span else {
        return Err(Failure::Input(format!("--rolling {interval}: is not a length of time above 0")));
    };
    let rolling = rolling::Rolling { interval, rounds_max: args.rounds };
    let report = rolling::follow(&scenario, &source, args.method, rolling, &options(args))?;
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&report).map_err(Failure::fault)?)
    } else {
        rolling::text(&report)
    };
    files::print(&text)?;
    if args.allow_unplaced || report.served == report.jobs { Ok(()) } else { Err(Failure::NotAll) }
}

#[cfg(not(feature = "simulator"))]
fn run_rolling(_: &Args, _: &str) -> Result<(), Failure> {
    Err(Failure::input(crate::absent::NO_SIMULATOR))
}

/// The jobs of a scenario on the sites that sell capacity.
fn assign_scenario(args: &Args, source: &str, scenario: &Scenario) -> Result<AssignmentReport, Failure> {
    let offers = &scenario.offers;
    let factor = scenario.policy.as_ref().and_then(|policy| policy.budget_factor).unwrap_or(Factor::ONE);
    let market = market_of(offers, &scenario.batch, factor);
    let market = market.map_err(|error| no_market(&error, source, scenario))?;
    let market = if args.method == Method::Split { market } else { whole_jobs(&market) };
    let names = AssignmentNames {
        jobs: scenario.batch.requests().iter().map(|request| request.name.clone()).collect(),
        sites: offers
            .capacities()
            .iter()
            .map(|offer| offers.sites()[offer.site.index()].name.clone())
            .collect(),
        unit: Some(scenario.unit),
    };
    let instance = market.instance().map_err(|error| no_instance(&error, source, &names))?;
    let started = Instant::now();
    let found = method::run(args.method, &instance, Some(&market), &options(args)).map_err(Failure::input)?;
    let run = finished(args, started, found.iterations);
    let Some(claim) = found.claim else {
        return Err(Failure::fault("a method that may leave jobs out found no assignment"));
    };
    if let Some(violation) = verify_assignment(&claim, &market).first() {
        return Err(Failure::Fault(format!("the assignment does not verify: {violation}")));
    }
    let runtime = |job, site| market.terms(job, site).map(|terms| terms.runtime);
    let reason = |job: usize| {
        let why = why_unplaced(offers, &market, &scenario.batch.requests()[job], job);
        UnplacedItem::new(&why, market.jobs[job].kind, scenario.unit)
    };
    Ok(AssignmentReport::new(run, &claim, &names, runtime, reason))
}

/// An instance of another format.
fn assign_instance(args: &Args, path: &Path) -> Result<AssignmentReport, Failure> {
    if args.method == Method::Split {
        return Err(Failure::input("--method split: the jobs of an orlib-gap instance cannot be split"));
    }
    let instance = read_instance(args, path)?;
    let numbers = |count: usize| (1..=count).map(|number| number.to_string()).collect();
    let names = AssignmentNames {
        jobs: numbers(instance.jobs()),
        sites: numbers(instance.capacities().len()),
        unit: None,
    };
    let started = Instant::now();
    if instance.is_plainly_overfull() {
        let run = finished(args, started, 0);
        return Ok(AssignmentReport::without(run, AssignmentStatus::Infeasible, &names));
    }
    let found = method::run(args.method, &instance, None, &options(args)).map_err(Failure::input)?;
    let run = finished(args, started, found.iterations);
    let Some(claim) = found.claim.filter(|claim| claim.left_out.is_empty()) else {
        return Ok(AssignmentReport::without(run, AssignmentStatus::Unknown, &names));
    };
    if let Some(violation) = verify_instance_assignment(&claim, &instance).first() {
        return Err(Failure::Fault(format!("the assignment does not verify: {violation}")));
    }
    let nothing_left_out =
        |_| UnplacedItem { kind: UnplacedKind::NoRoom, allowed: None, needed: None, text: String::new() };
    Ok(AssignmentReport::new(run, &claim, &names, |_, _| None, nothing_left_out))
}

fn read_instance(args: &Args, path: &Path) -> Result<Instance, Failure> {
    let source = path.display().to_string();
    let bytes = files::read(path, ORLIB_BYTES_MAX)?;
    let mut instances = read_orlib_gap(&bytes, &source).map_err(Failure::input)?;
    let count = instances.len();
    let number = match args.instance {
        Some(number) => number as usize,
        None if count == 1 => 1,
        None => {
            let problem = format!("{source}: the file holds {count} instances: choose one with --instance");
            return Err(Failure::Input(problem));
        }
    };
    if number > count {
        return Err(Failure::Input(format!("--instance {number}: {source} holds {count}")));
    }
    Ok(instances.swap_remove(number - 1))
}

fn options(args: &Args) -> Options {
    Options {
        completion: args.complete,
        round: 0,
        seconds: args.time_limit,
        seed: args.seed,
        threads: usize::from(args.threads),
    }
}

fn finished(args: &Args, started: Instant, iterations: u64) -> AssignmentRun {
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    AssignmentRun { method: args.method.reported(), iterations, millis }
}

fn no_market(error: &MarketError, source: &str, scenario: &Scenario) -> Failure {
    Failure::Input(match error {
        MarketError::NoCapacity => {
            format!(
                "{source}: sites: none of them has `capacity`, which is what jobs are assigned to; see walras plan"
            )
        }
        MarketError::PriorityTooHigh { job } => format!(
            "{source}: jobs[{job}].priority: {} is too far above the lowest priority: it must be at most {} above",
            scenario.batch.requests()[*job].priority,
            u32::MAX - 1
        ),
    })
}

fn no_instance(error: &InstanceError, source: &str, names: &AssignmentNames) -> Failure {
    match error {
        InstanceError::CostOutOfRange { job } => {
            let name = names.jobs.get(*job).map_or("", String::as_str);
            Failure::Input(format!(
                "{source}: jobs: those up to {name} could cost more than {} credits together, too much to be counted",
                walras_model::market::COST_LIMIT / 1_000_000
            ))
        }
        other => Failure::Fault(format!("the market makes no instance: {other:?}")),
    }
}
