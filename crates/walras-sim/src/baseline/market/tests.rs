//! The laws of a market of promises; and at one site, that it is the queue of promises.

use super::super::{Discipline, Placement, Precedence, Promising, simulate};
use super::{Market, Until, simulate_market};
use crate::record::{Fate, Record, Site};
use crate::workload::Job;
use std::collections::BTreeMap;
use walras_model::{Money, Multiplier, Performance, Rate, Span, Time};
use walras_random::Draws;

fn times(thousandths: i64) -> Multiplier {
    Multiplier::from_millionths(1_000 * thousandths).unwrap()
}

fn site(name: &str, nodes: u32, speed: i64, price: i64) -> Site {
    let speed = Performance::from_millionths(1_000 * speed).unwrap();
    let price = Rate::from_micros_per_second(1_000 * price).unwrap();
    Site { speed, price, ..Site::plain(name, nodes) }
}

fn three(nodes: u32) -> Vec<Site> {
    vec![site("slow", nodes, 800, 600), site("usual", nodes, 1_000, 1_000), site("fast", nodes, 1_500, 2_000)]
}

fn millis(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}

/// Crowded jobs with budgets and deadlines, of which some are too small and too soon.
fn draw(seed: u64, count: u64, estimate: Option<usize>) -> Vec<Job> {
    let mut draws = Draws::new(seed);
    let mut submit = 0;
    let draw = |number| {
        submit += 1_000 * draws.below(6).saturating_sub(2);
        let run = 1_000 * (1 + draws.below(30));
        let stated = estimate.unwrap_or(run + 1_000 * draws.below(40));
        let nodes = 1 + draws.below(6);
        let (budget, patience) = (500 + draws.below(2_000), draws.below(20));
        let deadline = Time::from_millis(millis(submit + stated * patience / 2));
        let terms = estimate.is_none() && draws.below(4) > 0;
        Job {
            number,
            submit: Time::from_millis(millis(submit)).unwrap(),
            nodes: u32::try_from(nodes).unwrap(),
            run: Span::from_millis(millis(run)).unwrap(),
            estimate: Span::from_millis(millis(stated)).unwrap(),
            user: None,
            budget: Some(Money::from_micros(millis(budget * stated * nodes))).filter(|_| terms),
            deadline: deadline.filter(|_| terms),
        }
    };
    (0..count).map(draw).collect()
}

fn rules(seed: u64) -> Market {
    let mut draws = Draws::new(seed ^ 0xa11);
    Market {
        value: times([0, 300, 900, 1_200][draws.below(4)]),
        until: [Until::Deadline, Until::Planned(0), Until::Planned(250)][draws.below(3)],
        precedence: [Precedence::Expansion, Precedence::WaitCubed, Precedence::Arrival][draws.below(3)],
        trials: [0, 1, 8][draws.below(3)],
    }
}

fn simulated(sites: &[Site], rules: Market, jobs: &[Job]) -> Vec<Record> {
    let mut records = Vec::new();
    simulate_market(sites, rules, jobs.iter().copied(), &mut |record| records.push(record));
    records.sort_by_key(|record| record.job.number);
    records
}

#[test]
fn promises_and_budgets_are_kept_and_no_node_is_used_twice() {
    let mut turned_away = 0;
    for seed in 0..1_000 {
        let (sites, jobs, rules) = (three(6), draw(seed, 24, None), rules(seed));
        let records = simulated(&sites, rules, &jobs);
        assert_eq!(records.iter().map(|record| record.job).collect::<Vec<_>>(), jobs, "seed {seed}");
        let mut changes: BTreeMap<u32, Vec<(i64, i64)>> = BTreeMap::new();
        for record in &records {
            let Some(ran) = record.ran else {
                assert_eq!(record.fate, Fate::TooDear);
                turned_away += 1;
                continue;
            };
            let number = record.job.number;
            assert!(record.job.submit <= ran.start, "seed {seed}, job {number}");
            assert!(ran.start <= record.promised.unwrap(), "seed {seed}, job {number}");
            assert!(record.job.budget.is_none_or(|budget| ran.cost <= budget), "seed {seed}, job {number}");
            let nodes = i64::from(record.job.nodes);
            let of = changes.entry(ran.site).or_default();
            of.extend([(ran.start.as_millis(), nodes), (ran.end.as_millis(), -nodes)]);
        }
        for (site, mut changes) in changes {
            changes.sort_unstable();
            let mut used = 0;
            for (_, change) in changes {
                used += change;
                assert!(used <= 6, "seed {seed}, site {site}");
            }
        }
        if seed % 50 == 0 {
            assert_eq!(records, simulated(&sites, rules, &jobs), "seed {seed}");
        }
    }
    assert!(turned_away > 0);
}

/// Where all say the same time, an end is promised as a start is.
#[test]
fn at_one_site_it_is_the_queue_of_promises() {
    let starts = |records: &[Record]| -> Vec<_> {
        records.iter().map(|record| (record.ran.unwrap().start, record.promised)).collect()
    };
    for seed in 0..500 {
        let (sites, jobs) = ([Site::plain("one", 6)], draw(seed, 24, Some(40_000)));
        let market = Market { until: Until::Planned(0), ..rules(seed) };
        let Market { precedence, trials, .. } = market;
        let found = simulated(&sites, market, &jobs);
        let queue = Discipline::Promise(Promising { precedence, slack: 0, trials });
        let mut expected = Vec::new();
        let mut sink = |record| expected.push(record);
        simulate(&sites, queue, Placement::FIRST, jobs.iter().copied(), &mut sink);
        expected.sort_by_key(|record| record.job.number);
        assert_eq!(starts(&found), starts(&expected), "seed {seed}");
    }
}

#[test]
fn who_values_time_pays_for_speed() {
    let jobs: Vec<Job> = draw(1, 3, Some(30_000)).into_iter().map(|job| Job { nodes: 1, ..job }).collect();
    let site_of = |value| {
        let market = Market {
            value: times(value),
            until: Until::Planned(250),
            precedence: Precedence::Expansion,
            trials: 8,
        };
        simulated(&three(6), market, &jobs).iter().map(|record| record.ran.unwrap().site).collect::<Vec<_>>()
    };
    // A second of work costs 0.75, 1 and 1.33 credits, and takes 1.25, 1 and 0.67 s.
    assert_eq!(site_of(0), [0, 0, 0]);
    assert_eq!(site_of(900), [0, 0, 0]);
    assert_eq!(site_of(1_050), [2, 2, 2]);
}
