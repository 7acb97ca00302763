//! Periods: no job is lost, none runs twice, waits count.

use walras_assign::greedy::{self, Ranking};
use walras_assign::program::SolverEffort;
use walras_assign::{Unfit, mmc};
use walras_model::Span;
use walras_model::market::{Assignment, Capacity, CapacityMarket, Instance};
use walras_random::Purpose;
use walras_sim::generate::market::{Bell, MarketGenerator, Submission};
use walras_sim::rolling::{Course, GivenUp, Periods, RollError, roll};
use walras_solve::Highs;

fn by_price(market: &CapacityMarket, instance: &Instance) -> Assignment {
    greedy::assign(instance, &Ranking::by_price(market, instance))
}

fn periods(rounds_max: u32) -> Periods {
    Periods { interval: Span::from_millis(50_000).unwrap(), rounds_max }
}

fn drawn(cycle: u32, sites: usize, slack: f64) -> (Vec<Capacity>, Vec<Submission>) {
    // Jobs come over ten minutes, so that rounds overlap.
    let generator = MarketGenerator { arrivals: 600.0, interval: 600.0, ..MarketGenerator::default() };
    let sites = generator.draw_sites(sites, &mut Purpose::Sites.stream(3, cycle)).unwrap();
    let jobs = generator.draw_jobs(Bell(slack, 0.2), &mut Purpose::Jobs.stream(3, cycle)).unwrap();
    (sites, jobs)
}

/// Every job is in one list, once.
fn check_nothing_is_lost(course: &Course, jobs: usize) {
    let mut seen: Vec<usize> = course.runs.iter().map(|run| run.job).collect();
    seen.extend(course.given_up.iter().map(|given_up| given_up.job));
    seen.extend(&course.left_over);
    seen.sort_unstable();
    assert_eq!(seen, (0..jobs).collect::<Vec<_>>());
}

/// Runs keep deadlines, waits included, and never hold more than a site has.
fn check_runs(course: &Course, sites: &[Capacity], jobs: &[Submission]) {
    for run in &course.runs {
        let job = &jobs[run.job];
        assert!(job.arrival <= run.start);
        assert_eq!(run.start.as_millis(), i64::from(run.round) * 50_000);
        assert!(run.end.as_millis() <= job.arrival.as_millis() + job.deadline.as_millis());
        assert!(job.demand.budget.is_none_or(|budget| run.cost <= budget));
        let beside = course
            .runs
            .iter()
            .filter(|other| other.site == run.site && other.start <= run.start && run.start < other.end);
        let held: u32 = beside.map(|other| jobs[other.job].demand.tasks).sum();
        assert!(held <= sites[run.site as usize].processors);
    }
}

#[test]
fn no_job_is_lost_and_each_runs_once() {
    for cycle in 0..30 {
        let (sites, jobs) = drawn(cycle, 3 + cycle as usize % 7, 100.0 * f64::from(1 + cycle % 9));
        let course = roll(&sites, &jobs, periods(200), &mut by_price).unwrap();
        check_nothing_is_lost(&course, jobs.len());
        check_runs(&course, &sites, &jobs);
        assert!(course.left_over.is_empty(), "who cannot be served is given up in the end");
    }
}

#[test]
fn any_method_can_be_rolled() {
    let (sites, jobs) = drawn(1, 6, 900.0);
    let course = roll(&sites, &jobs, periods(200), &mut |market, instance| {
        mmc::assign(instance, &Ranking::by_price(market, instance), &Highs, &SolverEffort::UNLIMITED)
    });
    let course = course.unwrap();
    check_nothing_is_lost(&course, jobs.len());
    check_runs(&course, &sites, &jobs);
}

#[test]
fn waits_count_in_deadlines() {
    // One site for one job at a time, and two equal jobs: the second waits for the first, if its deadline allows.
    let (mut sites, mut jobs) = drawn(1, 1, 500.0);
    sites[0].processors = 4;
    jobs.truncate(2);
    for job in &mut jobs {
        job.arrival = Span::ZERO;
        job.demand.tasks = 4;
        job.demand.budget = None;
        job.demand.work = walras_model::Work::from_millis(100_000).unwrap();
    }
    sites[0].speed = walras_model::Performance::ONE;
    let course = |deadline: i64| {
        jobs[1].deadline = Span::from_millis(deadline).unwrap();
        jobs[0].deadline = Span::from_millis(150_000).unwrap();
        roll(&sites, &jobs, periods(50), &mut by_price).unwrap()
    };
    let mut course = course;
    let late = course(250_000);
    assert_eq!(late.runs.iter().map(|run| (run.job, run.round)).collect::<Vec<_>>(), [(0, 1), (1, 3)]);
    let too_late = course(249_999);
    assert_eq!(too_late.runs.len(), 1);
    assert!(matches!(too_late.given_up[..], [GivenUp { job: 1, round: 3, reason: Unfit::TooLate { .. } }]));
}

#[test]
fn limits_and_bad_methods_show() {
    let (sites, jobs) = drawn(2, 4, 900.0);
    let short = roll(&sites, &jobs, periods(2), &mut by_price).unwrap();
    assert_eq!(short.rounds, 2);
    assert!(!short.left_over.is_empty());
    check_nothing_is_lost(&short, jobs.len());
    let overfull = roll(&sites, &jobs, periods(200), &mut |_, instance| Assignment {
        sites: vec![Some(0); instance.jobs()],
    });
    assert!(matches!(overfull, Err(RollError::Unfitting { .. })));
}
