//! `walras assign --rolling`: round after round, as in the paper's Algorithm 2, by the production broker.

use super::method::{self, Method, Options};
use crate::failure::Failure;
use crate::table::{aligned, counted};
use std::fmt::Write as _;
use walras_api::{GivenUpJob, RollingReport, RollingRun, RunFacts, Scenario, UnplacedItem};
use walras_assign::{Unplaced, market_of, whole_jobs};
use walras_model::market::Assignment;
use walras_model::{Batch, Factor, Money, Span, Time};
use walras_sim::generate::market::Submission;
use walras_sim::rolling::{Course, Periods, roll};

/// How far rounds are apart, and how many there are at most.
#[derive(Clone, Copy)]
pub(super) struct Rolling {
    pub(super) interval: Span,
    pub(super) rounds_max: u32,
}

/// Follows the jobs of a scenario over periods: each comes at its `earliest` start, or at the start of the horizon.
pub(super) fn follow(
    scenario: &Scenario,
    source: &str,
    method: Method,
    rolling: Rolling,
    options: &Options,
) -> Result<RollingReport, Failure> {
    if method.needs_solver() {
        walras_solve::solver().map_err(Failure::input)?;
    }
    let (offers, start) = (&scenario.offers, scenario.offers.horizon().start());
    let jobs = submissions(scenario, source)?;
    let sites: Vec<_> = offers.capacities().iter().map(|offer| offer.capacity.clone()).collect();
    let (mut iterations, mut round) = (0, 0);
    let periods = Periods { interval: rolling.interval, rounds_max: rolling.rounds_max };
    let course = roll(&sites, &jobs, periods, &mut |market, instance| {
        round += 1;
        let own = Options { round, ..*options };
        match method::assignment(method, instance, Some(market), &own) {
            Ok(found) => {
                iterations += found.iterations;
                found.assignment
            }
            // That there is a solver was asked before.
            Err(_) => Assignment::empty(instance.jobs()),
        }
    })
    .map_err(Failure::fault)?;
    Ok(report(scenario, (method, rolling, start), &jobs, &course, iterations))
}

/// The jobs as they come. What a job may still take is set when it is assigned.
fn submissions(scenario: &Scenario, source: &str) -> Result<Vec<Submission>, Failure> {
    let (offers, batch) = (&scenario.offers, &scenario.batch);
    let factor = scenario.policy.as_ref().and_then(|policy| policy.budget_factor).unwrap_or(Factor::ONE);
    let mut come = batch.requests().to_vec();
    come.iter_mut().for_each(|request| request.earliest = None);
    let market = market_of(offers, &Batch::new(come), factor);
    let market = whole_jobs(&market.map_err(|error| super::no_market(&error, source, scenario))?);
    let start = offers.horizon().start();
    let submission = |(demand, request): (&walras_model::market::Demand, &walras_model::Request)| {
        let arrival = request.earliest.and_then(|earliest| earliest.span_since(start)).unwrap_or(Span::ZERO);
        let within = demand.within.unwrap_or(Span::ZERO).as_millis() - arrival.as_millis();
        let mut demand = demand.clone();
        demand.within = None;
        Submission { arrival, deadline: Span::from_millis(within.max(0)).unwrap_or(Span::ZERO), demand }
    };
    Ok(market.jobs.iter().zip(batch.requests()).map(submission).collect())
}

fn report(
    scenario: &Scenario,
    (method, rolling, start): (Method, Rolling, Time),
    jobs: &[Submission],
    course: &Course,
    iterations: u64,
) -> RollingReport {
    let (offers, unit) = (&scenario.offers, scenario.unit);
    let name = |job: usize| scenario.batch.requests()[job].name.clone();
    let site = |site: u32| offers.sites()[offers.capacities()[site as usize].site.index()].name.as_str();
    let at = |span: Span| start.checked_add(span).unwrap_or(start);
    let run = |run: &walras_sim::rolling::Run| {
        let times = (at(run.start), at(run.end));
        let processors = jobs[run.job].demand.tasks;
        let facts = RunFacts { round: run.round, processors, times, cost: run.cost };
        RollingRun::new(&name(run.job), site(run.site), facts, unit)
    };
    let cost: Money = course.runs.iter().map(|run| run.cost).sum();
    let runs = course.runs.iter().map(run).collect();
    let given_up = |given_up: &walras_sim::rolling::GivenUp| GivenUpJob {
        job: name(given_up.job),
        round: given_up.round,
        reason: UnplacedItem::new(&Unplaced::Unfit(given_up.reason), jobs[given_up.job].demand.kind, unit),
    };
    RollingReport {
        rounds: course.rounds,
        jobs: jobs.len(),
        iterations,
        given_up: course.given_up.iter().map(given_up).collect(),
        left_over: course.left_over.iter().map(|job| name(*job)).collect(),
        ..RollingReport::new(method.reported(), rolling.interval, unit, runs, cost)
    }
}

/// The report for people.
pub(super) fn text(report: &RollingReport) -> String {
    let mut text =
        format!("{} by {}, a round every {}\n", counted(report.jobs, "job"), report.method, report.interval);
    if !report.runs.is_empty() {
        let head = ["job", "round", "processors", "start", "end", "cost", "site"].map(str::to_owned);
        let row = |run: &RollingRun| {
            [
                run.job.clone(),
                run.round.to_string(),
                run.processors.to_string(),
                run.start.to_string(),
                run.end.to_string(),
                run.cost.to_string(),
                run.site.clone(),
            ]
        };
        let rows: Vec<_> = std::iter::once(head).chain(report.runs.iter().map(row)).collect();
        let _ = write!(text, "\n{}", aligned(&rows));
    }
    let (served, jobs) = (report.served, counted(report.jobs, "job"));
    let rounds = counted(report.rounds as usize, "round");
    let _ = writeln!(text, "total: {served} of {jobs} in {rounds}, cost {}", report.cost);
    for given_up in &report.given_up {
        let GivenUpJob { job, round, reason } = given_up;
        let _ = writeln!(text, "\n{job} is given up in round {round}.\n  {}", reason.text);
    }
    for job in &report.left_over {
        let _ = writeln!(text, "\n{job} still waits after the last round.");
    }
    text
}
