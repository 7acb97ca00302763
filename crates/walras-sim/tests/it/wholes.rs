//! Sites with several kinds of nodes, and what their owners are known to have used.

use std::collections::BTreeMap;
use walras_broker::price::{Blackout, PriceRules};
use walras_model::{Interval, Multiplier, Performance, Rate, Span, Time};
use walras_sim::baseline::{Discipline, Placement, simulate};
use walras_sim::drive::{Setup, drive};
use walras_sim::owners::Owners;
use walras_sim::record::{Fate, Record, Site};
use walras_sim::study::{PriceList, Study, compare, metrics, sites_of};
use walras_sim::workload::{Job, Jobs};

fn at(seconds: i64) -> Time {
    Time::from_millis(1_000 * seconds).unwrap()
}

fn span(seconds: i64) -> Span {
    Span::from_millis(1_000 * seconds).unwrap()
}

/// Two slow nodes and two that are twice as fast, three times as dear, of one site.
fn kinds() -> Vec<Site> {
    sites_of("campus/old:2,campus/new:2:2:3", &PriceList::default(), 1).unwrap()
}

fn job(number: u64, nodes: u32, run: i64) -> Job {
    let (run, estimate) = (span(run), span(2 * run));
    Job { number, submit: at(0), nodes, run, estimate, user: None, budget: None, deadline: None }
}

fn run(setup: &Setup, jobs: &[Job]) -> (Vec<Record>, BTreeMap<String, f64>) {
    let mut records = Vec::new();
    let course = drive(setup, jobs.iter().copied(), &mut |record| records.push(record)).unwrap();
    let income = metrics(&records, &setup.sites, Some(&course)).income;
    (records, income)
}

fn setup() -> Setup {
    Setup { audit: true, ..Setup::new(kinds()) }
}

#[test]
fn a_job_has_nodes_of_several_kinds_at_one_site() {
    let (records, income) = run(&setup(), &[job(1, 3, 100)]);
    let ran = records[0].ran.unwrap();
    // It ends when its slow nodes do; each node costs what its kind costs, for as long as it takes there.
    let lasts = (ran.end - ran.start) / 1_000;
    assert_eq!((records[0].fate, lasts), (Fate::Done, 100));
    let cost = ran.cost.as_micros() / 1_000_000;
    assert!(cost == 2 * 100 + 150 || cost == 100 + 2 * 150, "{cost}");
    assert_eq!(income, BTreeMap::from([("campus".to_owned(), cost as f64)]));
    // Where only alike nodes can be given, nobody has three; two are a queue of their own.
    let mut records = Vec::new();
    let jobs = [job(1, 3, 100), job(2, 2, 100)];
    let sink = &mut |record| records.push(record);
    simulate(&kinds(), Discipline::Easy, Placement::FIRST, jobs.into_iter(), sink);
    assert_eq!(records.iter().map(|it| it.fate).collect::<Vec<_>>(), [Fate::TooWide, Fate::Done]);
    let income = metrics(&records, &kinds(), None).income["campus"];
    assert!((income - 200.0).abs() < 1e-9, "{income}");
}

#[test]
fn kinds_of_a_site_stand_together() {
    let wrong = sites_of("a/x:2,b:2,a/y:2", &PriceList::default(), 1).unwrap_err();
    assert_eq!(wrong.to_string(), "the kinds of nodes of site 'a' must stand one after the other");
}

#[test]
fn what_owners_used_is_not_given_to_anybody() {
    let used = |from, until| vec![Interval::new(at(from), at(until)).unwrap()];
    // The new nodes are used from the beginning on, one of the old ones from 100 on.
    let uses = vec![vec![vec![], used(100, 1_000)], vec![used(0, 500), used(0, 700)]];
    let setup = Setup { owners: Some(Owners::Recorded(uses.into())), ..setup() };
    let begins = |nodes, run| {
        let (records, _) = run_one(&setup, job(1, nodes, run));
        records[0].ran.unwrap().start.as_millis() / 1_000
    };
    assert_eq!(begins(1, 100), 0);
    // By their estimates of twice as long: two old nodes are free for 100 s only, an old and a new one from 500 on.
    assert_eq!(begins(2, 40), 0);
    assert_eq!(begins(2, 60), 500);
    assert_eq!(begins(3, 60), 700);
    assert_eq!(begins(4, 60), 1_000);
}

fn run_one(setup: &Setup, job: Job) -> (Vec<Record>, BTreeMap<String, f64>) {
    run(setup, &[job])
}

#[test]
fn the_broker_knows_what_else_owners_ask() {
    let base = Rate::from_micros_per_second(1).unwrap();
    let double = Multiplier::from_millionths(2_000_000).unwrap();
    let blackout = Blackout::Once(Interval::new(at(0), at(7_200)).unwrap());
    let rules = PriceRules { weekdays: vec![double; 7], blackouts: vec![blackout], ..PriceRules::flat(base) };
    let prices = BTreeMap::from([("campus".to_owned(), rules)]);
    let setup = Setup { prices: prices.into(), ..setup() };
    let (records, _) = run(&setup, &[job(1, 4, 100)]);
    let ran = records[0].ran.unwrap();
    assert_eq!(ran.start, at(7_200));
    // The base prices are those of the kinds of nodes.
    assert_eq!(ran.cost.as_micros(), 2 * 1_000_000 * (2 * 100 + 2 * 150));
}

#[test]
fn whole_sites_go_through_a_study() {
    let policies = ["mct", "walras", "cheapest:queue=conservative"].map(|words| words.parse().unwrap());
    let jobs: Vec<Job> =
        (1..40).map(|number| job(number, 1 + u32::try_from(number % 2).unwrap(), 60)).collect();
    let study = Study::new(Jobs::held(jobs), kinds(), policies.to_vec());
    let runs = compare(&study, 1, &()).unwrap();
    for run in &runs {
        assert_eq!(run.metrics.fates["done"], 39, "{}", run.policy);
        let paid = run.metrics.income["campus"];
        assert!((paid - run.metrics.cost).abs() < 1e-6 && run.metrics.income.len() == 1);
    }
    let speed = Performance::from_millionths(2_000_000).unwrap();
    assert_eq!((kinds()[1].speed, kinds()[1].whole()), (speed, "campus"));
}
