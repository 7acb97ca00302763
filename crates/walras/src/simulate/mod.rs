//! `walras simulate`
//!
//! | file | what it does |
//! | --- | --- |
//! | `mod.rs` | what can be asked for, and the course of a call |
//! | `about.rs` | where a study comes from, in words |
//! | `flows.rs` | workflows as jobs |
//! | `input.rs` | jobs from traces, a model or a journal |
//! | `kinds.rs` | the sites of a journal as kinds of nodes, and when owners used them |
//! | `output.rs` | the table, and the files of `--out` |
//! | `progress.rs` | how far it is, on a terminal |
//! | `recorded.rs` | a journal as a workload |
//! | `resume.rs` | runs that an earlier call has finished |
//! | `schedule.rs` | schedules, written while they are made |
//! | `sweep.rs` | every combination of options that a file lists |
//! | `tables.rs` | sites, prices and outages from files |
//! | `words.rs` | what options say |

mod about;
mod flows;
mod input;
mod kinds;
mod output;
mod progress;
mod recorded;
mod resume;
mod schedule;
mod sweep;
mod tables;
mod words;

use crate::failure::Failure;
use crate::{cores, files};
use progress::Progress;
use std::path::{Path, PathBuf};
use walras_broker::price::Demand;
use walras_broker::wish::Wish;
use walras_model::{Multiplier, Share, Span, Time};
use walras_sim::drive::{DriveError, Wishes};
use walras_sim::owners::{OwnerLoad, Owners};
use walras_sim::record::Site;
use walras_sim::study::{Around, PolicySpec, Run, Solving, Study};
use walras_sim::workload::{Arrivals, Slice, Terms};
pub(crate) use words::multiplier;
use words::{ADMINISTRATOR, Failing, Wanted};

#[derive(Clone, clap::Args)]
pub(crate) struct Args {
    /// Traces: Standard Workload Format, or Grid Workload Format where the name has .gwf, gzip or plain; or our own .yaml
    #[arg(value_name = "TRACE", required_unless_present_any = ["synthetic", "from", "workflows"],
          conflicts_with_all = ["synthetic", "from", "workflows"])]
    traces: Vec<PathBuf>,

    /// Take workflows instead, as often as wanted: WfCommons .json, Pegasus .xml or .dax, .stg or our own .yaml, gzip or
    /// plain; or one list, a .csv with the columns workflow and submit; or one trace whose name has .gwf, with the columns
    /// WorkflowID and Dependencies
    #[arg(long = "workflow", value_name = "FILE", conflicts_with_all = ["synthetic", "from"])]
    workflows: Vec<PathBuf>,

    /// When workflows come: poisson:SECONDS, each file once and so many seconds apart on average; or
    /// poisson:SECONDS:COUNT, so many of them by chance
    #[arg(long, value_name = "RULE", requires = "workflows", value_parser = words::arrivals)]
    arrivals: Option<Arrivals>,

    /// Take jobs and sites from the journal of a service instead: what would another policy have done?
    #[arg(long, value_name = "JOURNAL", conflicts_with = "synthetic")]
    from: Option<PathBuf>,

    /// Draw so many jobs from the model of Lublin and Feitelson instead of reading a trace
    #[arg(long, value_name = "JOBS", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    synthetic: Option<u32>,

    /// The sites, as in 100 or campus:100,cloud:200:1.5:2 (name, nodes, speed, credits a second); a table of them that ends
    /// in .csv; or drawn:8x16, so many sites of so many nodes with speeds and prices as in the papers. As large as the
    /// trace's machine, without
    #[arg(long, value_name = "SPEC")]
    sites: Option<String>,

    /// A provider's price list, as often as wanted: sites whose names are types in it have its prices and speeds
    #[arg(long, value_name = "FILE.csv", requires = "sites")]
    prices: Vec<PathBuf>,

    /// A policy, as often as wanted: fcfs, easy, sjf-easy, conservative,
    /// first-fit, cheapest, cheapest-in-time, mst, mct (each with :queue=NAME,speeds=ignored), greedy, hga, lpga, exact (each with
    /// :cycle=60,batch=50) walras (with :value=1,slack=0.25,order=lxf, :search=…,objective=…,cycle=…,horizon=…,lead=…)
    /// or, with --from, recorded: the rules that the VO had
    #[arg(long = "policy", value_name = "POLICY", default_values = ["fcfs", "easy", "conservative", "walras"])]
    policies: Vec<PolicySpec>,

    /// Leave out so many jobs first
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,

    /// Take so many jobs, instead of all
    #[arg(long, value_name = "N")]
    take: Option<usize>,

    /// Let jobs come so many times as densely
    #[arg(long, value_name = "FACTOR", value_parser = words::multiplier)]
    load: Option<Multiplier>,

    /// Draw budgets: between so many times what the job costs where it is cheapest, as in 1.2-3
    #[arg(long, value_name = "LOW-HIGH", value_parser = words::range)]
    budgets: Option<(Multiplier, Multiplier)>,

    /// Draw deadlines: between so many times the estimate after the submission, as in 2-20, and an hour at least
    #[arg(long, value_name = "LOW-HIGH", value_parser = words::range)]
    deadlines: Option<(Multiplier, Multiplier)>,

    /// How often what is drawn is drawn again
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    seeds: u16,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Nodes fail, and come back: the mean hours between two failures of a node, and the hours until it is back, as in
    /// 500,2; or a table that ends in .csv, with the columns site, node, from and until
    #[arg(long, value_name = "HOURS,HOURS|FILE.csv", value_parser = words::failing)]
    failures: Option<Failing>,

    /// Owners use their nodes: the share of time in percent, and the mean hours of a use, as in 10,3
    #[arg(long, value_name = "PERCENT,HOURS", value_parser = words::share_and_hours)]
    owners: Option<(Share, Span)>,

    /// How many seconds a message to or from a site of the broker takes
    #[arg(long, value_name = "SECONDS", value_parser = words::seconds)]
    latency: Option<Span>,

    /// Users cancel a job that has not started after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = words::seconds)]
    patience: Option<Span>,

    /// The broker may give a job nodes of several sites at once
    #[arg(long)]
    across_sites: bool,

    /// So many percent of the broker's users ask for a quote first, and accept what ends first
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = words::percent)]
    quotes: Share,

    /// Owners of the broker's sites let prices follow demand between so many times their base, as in 0.5-2
    #[arg(long, value_name = "LOW-HIGH", value_parser = words::demand)]
    demand: Option<Demand>,

    /// The owner of a site, or the administrator, wants something of the broker's plans, as in campus:income=2+load=1 or
    /// administrator:finish=1, as often as wanted; weighed under objective=satisfaction
    #[arg(long, value_name = "WHO:CRITERION=WEIGHT", value_parser = words::wanted)]
    prefers: Vec<Wanted>,

    /// Let the auditor read the broker's journal along
    #[arg(long)]
    audit: bool,

    /// The timetables of the report: from so many hours after the first submission until so many, as in 24,72
    #[arg(long, value_name = "HOURS,HOURS", requires = "out", value_parser = words::interval)]
    interval: Option<(Span, Span)>,

    /// Write results.json, runs.csv, report.html, and every schedule as CSV and SWF, into this directory; what an
    /// interrupted call has left there is not run again
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Vary options by a file, as in `load: [0.9, 1.1]`: every combination has a directory in that of --out, and sweep.csv and
    /// sweep.html there compare them
    #[arg(long, value_name = "FILE", requires = "out", conflicts_with = "json")]
    sweep: Option<PathBuf>,

    /// How many runs are done side by side, instead of one for each core; results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    threads: Option<u16>,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.sweep {
        Some(file) => sweep::run(args, file),
        None => {
            let done = simulate(args, args.out.as_deref())?;
            files::print(&if args.json { done.json()? } else { done.table() })
        }
    }
}

/// A study that is over.
struct Done {
    study: Study,
    runs: Vec<Run>,
    notes: Vec<String>,
}

impl Done {
    fn json(&self) -> Result<String, Failure> {
        output::json(&self.study, &self.runs)
    }

    fn table(&self) -> String {
        output::table(&self.study, &self.runs, &self.notes)
    }
}

/// Runs a study and writes its files.
fn simulate(args: &Args, out: Option<&Path>) -> Result<Done, Failure> {
    let (mut study, notes) = study(args)?;
    if let Some(directory) = out {
        output::make(directory)?;
        let first = study.jobs.first().map_or(0, Time::as_millis);
        let interval =
            args.interval.map(|(from, until)| (first + from.as_millis(), first + until.as_millis()));
        study.timetable = Some(interval.unwrap_or_else(|| study.middle_days()));
    }
    let study = study;
    let progress = Progress::new(study.jobs.len().saturating_mul(study.pairs().len() as u64));
    let runs = resume::compare_all(&study, out, cores::threads(args.threads), &progress);
    progress.clear();
    let resume::Compared { runs, unwritten } = runs?;
    if let Some((directory, kept)) = out.zip(unwritten) {
        output::write(directory, &study, &runs, &notes)?;
        kept.finish(&runs)?;
    }
    Ok(Done { study, runs, notes })
}

/// What is to be compared, and what there is to say of it.
fn study(args: &Args) -> Result<(Study, Vec<String>), Failure> {
    let (sites, mut notes) = tables::sites(args)?;
    let slice = Slice { skip: args.skip, take: args.take, load: args.load };
    let read = if args.workflows.is_empty() { input::jobs } else { flows::read };
    let given = read(args, slice, sites)?;
    notes.extend(given.notes);
    if given.jobs.is_empty() {
        let from = args.traces.iter().chain(&args.workflows).map(|path| path.display().to_string());
        let from: Vec<String> = from.chain(notes).collect();
        return Err(Failure::Input(format!("there is no job to simulate: {}", from.join("; "))));
    }
    let drawn = args.budgets.is_some() || args.deadlines.is_some();
    let seeds = args.seed..args.seed.saturating_add(u64::from(args.seeds));
    let drawn_owners = args.owners.map(|(share, mean)| Owners::Drawn(OwnerLoad { share, mean }));
    let around = Around {
        terms: drawn.then_some(Terms { budget: args.budgets, deadline: args.deadlines, ..Terms::default() }),
        failures: tables::failures(args, &given.sites)?,
        owners: drawn_owners.or(given.vo.owners),
        latency: args.latency.unwrap_or(Span::ZERO),
        patience: args.patience,
        across_sites: args.across_sites,
        quotes: args.quotes,
        demand: args.demand,
        prices: given.vo.prices.into(),
        wishes: wishes(args, given.vo.wishes, &given.sites)?.into(),
        audit: args.audit,
    };
    notes.extend(unknown_to_baselines(args));
    let rules = given.vo.policy.as_deref();
    let policies = args.policies.iter().map(|policy| policy.clone().with_recorded(rules)).collect();
    let study = Study {
        workflows: given.workflows,
        seeds: seeds.collect(),
        around,
        input: about::words(args),
        solver: walras_solve::solver().ok().map(Solving),
        ..Study::new(given.jobs, given.sites, policies)
    };
    Ok((study, notes))
}

/// What was wanted of the VO that a journal tells of, and what is asked for here.
fn wishes(args: &Args, mut wishes: Wishes, sites: &[Site]) -> Result<Wishes, Failure> {
    for Wanted { who, preference, words } in &args.prefers {
        let wish = Wish { weight: 1, preference: preference.clone() };
        if who == ADMINISTRATOR {
            wishes.administrator = Some(wish);
        } else if sites.iter().any(|site| site.whole() == who) {
            wishes.owners.insert(who.clone(), wish);
        } else {
            return Err(Failure::Input(format!("--prefers {words}: there is no site '{who}'")));
        }
    }
    Ok(wishes)
}

/// What is asked for that only the broker's policies know of, where there are others.
fn unknown_to_baselines(args: &Args) -> Option<String> {
    let given = [
        ("--latency", args.latency.is_some()),
        ("--across-sites", args.across_sites),
        ("--quotes", args.quotes > Share::NOTHING),
        ("--demand", args.demand.is_some()),
        ("--prefers", !args.prefers.is_empty()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(option, _)| *option).collect();
    let others = args.policies.iter().filter(|policy| !policy.is_broker()).map(ToString::to_string);
    let others: Vec<String> = others.collect();
    let any = !given.is_empty() && !others.is_empty();
    any.then(|| {
        format!("the broker's policies alone know of {}, not {}", given.join(", "), others.join(", "))
    })
}

/// A broken law is a fault of Walras; a refusal may be the input's.
pub(crate) fn failed(error: &DriveError) -> Failure {
    match error {
        DriveError::Law { .. } => Failure::fault(error),
        _ => Failure::input(error),
    }
}
