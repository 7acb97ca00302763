//! Capacity assignment as a policy, with the solver.

use walras_model::{Interval, NodeId, Performance, Rate, Share, Span, Time};
use walras_random::Draws;
use walras_sim::baseline::{Assigning, Method, Troubles, simulate_assigned};
use walras_sim::outage::{Failures, Outage};
use walras_sim::owners::{OwnerLoad, Owners};
use walras_sim::record::{Fate, Record, Site};
use walras_sim::workload::Job;
use walras_sites::simulated::Load;

fn sites() -> Vec<Site> {
    let site = |name: &str, nodes: u32, speed: i64, price: i64| Site {
        speed: Performance::from_millionths(speed).unwrap(),
        price: Rate::from_micros_per_second(price).unwrap(),
        ..Site::plain(name, nodes)
    };
    vec![
        site("slow", 6, 800_000, 600_000),
        site("usual", 5, 1_000_000, 1_000_000),
        site("fast", 7, 1_500_000, 2_000_000),
    ]
}

/// Jobs of one moment, more than there is room for.
fn jobs(seed: u64) -> Vec<Job> {
    let mut draws = Draws::new(seed);
    let mut span =
        |low: i64| Span::from_millis(1_000 * (low + i64::try_from(draws.below(3_000)).unwrap())).unwrap();
    let estimates: Vec<Span> = (0..12).map(|_| span(600)).collect();
    let job = |(number, estimate): (u64, Span)| Job {
        number,
        submit: Time::from_millis(0).unwrap(),
        nodes: 1 + u32::try_from((seed + number) % 4).unwrap(),
        run: estimate,
        estimate,
        user: None,
        budget: None,
        deadline: None,
    };
    (0..).zip(estimates).map(job).collect()
}

fn run(method: Method, seed: u64) -> Vec<Record> {
    with(method, Troubles { seed, ..Troubles::default() }, jobs(seed))
}

fn with(method: Method, troubles: Troubles<'_>, jobs: Vec<Job>) -> Vec<Record> {
    let rules = Assigning { method, ..Assigning::default() };
    let solver = walras_solve::solver().ok().map(|solver| solver as &dyn walras_assign::program::Solver);
    let mut records = Vec::new();
    let mut sink = |record| records.push(record);
    simulate_assigned(&sites(), rules, solver, troubles, jobs.into_iter(), &mut sink).unwrap();
    records
}

/// How many start in the first round, and what they cost.
fn first_round(records: &[Record]) -> (usize, i64) {
    let ran = || records.iter().filter_map(|record| record.ran).filter(|ran| ran.start.as_millis() == 0);
    (ran().count(), ran().map(|ran| ran.cost.as_micros()).sum())
}

#[test]
fn the_first_round_is_no_worse_by_better_methods() {
    let mut gained = 0;
    for seed in 0..20 {
        let of = |method| {
            let records = run(method, seed);
            assert_eq!(records.len(), 12, "seed {seed}: all are served in the end");
            let (served, cost) = first_round(&records);
            (served, -cost)
        };
        let (greedy, hga, lpga, exact) =
            (of(Method::Greedy), of(Method::Hga), of(Method::Lpga), of(Method::Exact));
        assert!(
            greedy <= hga && hga <= exact && lpga <= exact,
            "seed {seed}: {greedy:?} {hga:?} {lpga:?} {exact:?}"
        );
        gained += usize::from(greedy < exact);
    }
    assert!(gained > 0);
}

const METHODS: [Method; 4] = [Method::Greedy, Method::Hga, Method::Lpga, Method::Exact];

fn at(seconds: i64) -> Time {
    Time::from_millis(1_000 * seconds).unwrap()
}

/// The same jobs over three hours.
fn spread(seed: u64) -> Vec<Job> {
    let later = |(job, place): (Job, i64)| Job { submit: at(900 * place + 7), ..job };
    jobs(seed).into_iter().zip(0..).map(later).collect()
}

/// Owners who use a fifth of their nodes' time, an hour at once.
fn owner_load() -> OwnerLoad {
    OwnerLoad { share: Share::percent(20), mean: Span::from_millis(3_600_000).unwrap() }
}

fn outages(seed: u64) -> Vec<Outage> {
    let mut draws = Draws::new(seed + 99);
    let mut all = Vec::new();
    for (place, site) in (0..).zip(sites()) {
        for node in 0..site.nodes {
            let from = i64::try_from(draws.below(12_000)).unwrap();
            let until = from + 600 + i64::try_from(draws.below(3_000)).unwrap();
            all.push(Outage { site: place, node, from: at(from), until: Some(at(until)) });
        }
    }
    all
}

/// The nodes of each site that are there at a moment, and that their owner leaves alone.
fn there(seed: u64, outages: &[Outage], moment: Time) -> Vec<u32> {
    let OwnerLoad { share, mean } = owner_load();
    let now = Interval::new(moment, moment.checked_add(Span::from_millis(1).unwrap()).unwrap()).unwrap();
    let mut first = 0;
    let of = |(place, site): (u32, Site)| {
        let load = Load::new(seed + u64::from(place), share, mean).unwrap();
        let fails = |node: u32| {
            let its = outages.iter().filter(|it| (it.site, it.node) == (place, node));
            its.into_iter().any(|it| it.from <= moment && it.until.unwrap() > moment)
        };
        let free = |node: &u32| load.of(NodeId::new(first + node), now).is_empty() && !fails(*node);
        let free = u32::try_from((0..site.nodes).filter(free).count()).unwrap();
        first += site.nodes;
        free
    };
    (0..).zip(sites()).map(of).collect()
}

#[test]
fn rounds_use_nodes_that_are_there_and_that_owners_leave_alone() {
    let (mut given_up, mut late) = (0, 0);
    for seed in 0..12 {
        let (owners, outages) = (Owners::Drawn(owner_load()), outages(seed));
        let failures = Failures::Traced(outages.clone().into());
        let patience = Span::from_millis(3_000_000).filter(|_| seed % 2 == 1);
        let troubles = Troubles { owners: Some(&owners), failures: Some(&failures), patience, seed };
        for method in METHODS {
            let records = with(method, troubles, spread(seed));
            let mut numbers: Vec<u64> = records.iter().map(|record| record.job.number).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..12).collect::<Vec<u64>>(), "seed {seed}, {method:?}");
            for minute in 0..600 {
                let now = at(60 * minute);
                let there = there(seed, &outages, now);
                for (site, there) in (0..).zip(there) {
                    let runs = |it: &&Record| {
                        it.ran.is_some_and(|ran| ran.site == site && ran.start <= now && now < ran.end)
                    };
                    let used: u32 = records.iter().filter(runs).map(|it| it.job.nodes).sum();
                    assert!(used <= there, "seed {seed}, {method:?}, minute {minute}: {used} of {there}");
                }
            }
            for record in &records {
                let start = record.ran.map(|ran| ran.start.as_millis());
                assert!(start.is_none_or(|start| start % 60_000 == 0), "rounds begin with minutes");
                // Who is not served was lost too often, or lost patience.
                assert!(record.ran.is_some() || record.fate == Fate::GivenUp, "seed {seed}: {record:?}");
            }
            given_up += records.iter().filter(|record| record.fate == Fate::GivenUp).count();
            late += records.iter().filter(|it| it.wait() > Span::from_millis(60_000)).count();
            assert_eq!(records, with(method, troubles, spread(seed)), "the same again");
        }
    }
    assert!(given_up > 10 && late > 50, "{given_up} gave up, {late} waited for longer than a round");
}

#[test]
fn owners_who_use_nothing_and_nodes_that_do_not_fail_change_nothing() {
    let (owners, failures) = (Owners::Recorded(Vec::new().into()), Failures::Traced(Vec::new().into()));
    for seed in 0..20 {
        let (owners, failures) = (Some(&owners), Some(&failures));
        let none = Troubles { owners, failures, patience: Span::from_millis(1_000_000_000), seed };
        let mut among = with(Method::Greedy, none, spread(seed));
        let plain = Troubles { seed, ..Troubles::default() };
        let mut alone = with(Method::Greedy, plain, spread(seed));
        among.sort_by_key(|record| record.job.number);
        alone.sort_by_key(|record| record.job.number);
        assert_eq!(among, alone, "seed {seed}");
    }
}

/// A job that is lost as often as may be is given up, and one that no owner leaves alone for long enough is turned away.
#[test]
fn who_is_lost_too_often_or_never_left_alone_is_not_served() {
    let hours = |hours: i64| Span::from_millis(3_600_000 * hours).unwrap();
    let job = Job { run: hours(50), estimate: hours(50), nodes: 7, ..jobs(1)[0] };
    // Only the last site is wide enough. Its first node goes every ten hours.
    let often = (0..6).map(|time| {
        let from = 36_000 * time + 18_000;
        Outage { site: 2, node: 0, from: at(from), until: Some(at(from + 60)) }
    });
    let failures = Failures::Traced(often.collect());
    let troubles = Troubles { failures: Some(&failures), ..Troubles::default() };
    let fates = |troubles| with(Method::Greedy, troubles, vec![job])[0].fate;
    assert_eq!(fates(troubles), Fate::GivenUp);
    let owners = Owners::Drawn(owner_load());
    assert_eq!(fates(Troubles { owners: Some(&owners), ..Troubles::default() }), Fate::TooWide);
    let gone = (0..7).map(|node| Outage { site: 2, node, from: at(0), until: None });
    let failures = Failures::Traced(gone.collect());
    assert_eq!(fates(Troubles { failures: Some(&failures), ..Troubles::default() }), Fate::LeftOver);
}
