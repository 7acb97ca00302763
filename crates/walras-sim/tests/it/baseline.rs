//! The baselines against schedulers that go second by second and know nothing of shadows, profiles or heaps.

use walras_model::{Span, Time};
use walras_random::Draws;
use walras_sim::baseline::{Discipline, Placement, Rule, simulate};
use walras_sim::record::{Record, Site};
use walras_sim::workload::Job;

/// Beyond every schedule of these tests, in seconds.
const HORIZON: usize = 500;

fn seconds(seconds: usize) -> i64 {
    i64::try_from(seconds).unwrap() * 1_000
}

fn job(number: u64, submit: usize, nodes: usize, run: usize, estimate: usize) -> Job {
    Job {
        number,
        submit: Time::from_millis(seconds(submit)).unwrap(),
        nodes: u32::try_from(nodes).unwrap(),
        run: Span::from_millis(seconds(run)).unwrap(),
        estimate: Span::from_millis(seconds(estimate)).unwrap(),
        user: None,
        budget: None,
        deadline: None,
    }
}

/// A small workload: often crowded, often with jobs of one moment, with estimates that are exact, too long or too short.
fn draw(seed: u64) -> (usize, Vec<Job>) {
    let mut draws = Draws::new(seed);
    let nodes = 1 + draws.below(8);
    let count = 1 + draws.below(14);
    let mut submit = 0;
    let mut jobs = Vec::new();
    for number in 0..count {
        submit += draws.below(6).saturating_sub(1);
        let run = 1 + draws.below(12);
        let estimate = match draws.below(4) {
            0 => run,
            1 => 1 + draws.below(12),
            _ => run + draws.below(20),
        };
        jobs.push(job(number as u64, submit, 1 + draws.below(nodes), run, estimate));
    }
    (nodes, jobs)
}

/// The same jobs in plain seconds.
#[derive(Clone, Copy, Debug)]
struct Plain {
    submit: usize,
    nodes: usize,
    lasts: usize,
    estimate: usize,
}

fn plain(jobs: &[Job]) -> Vec<Plain> {
    let whole = |millis: i64| usize::try_from(millis / 1_000).unwrap();
    let one = |job: &Job| Plain {
        submit: whole(job.submit.as_millis()),
        nodes: job.nodes as usize,
        lasts: whole(job.lasts().as_millis()),
        estimate: whole(job.estimate.as_millis()),
    };
    jobs.iter().map(one).collect()
}

/// When a job of so many nodes could start if everybody who runs stayed as long as they say: second by second.
fn could_start(now: usize, nodes: usize, wanted: usize, running: &[(usize, Plain)]) -> usize {
    let free = |at: usize| {
        let busy = running.iter().filter(|(start, job)| start + job.estimate > at);
        nodes - busy.map(|(_, job)| job.nodes).sum::<usize>()
    };
    (now..).find(|at| free(*at) >= wanted).unwrap()
}

/// Queues by definition: a job goes ahead of the first in the queue only when that one could start as early as without it.
fn by_seconds(nodes: usize, jobs: &[Job], backfills: bool, shortest: bool) -> Vec<usize> {
    let jobs = plain(jobs);
    let mut starts: Vec<Option<usize>> = vec![None; jobs.len()];
    for now in 0..HORIZON {
        let runs = |starts: &[Option<usize>]| -> Vec<(usize, Plain)> {
            let all = starts.iter().zip(&jobs).filter_map(|(start, job)| Some(((*start)?, *job)));
            all.filter(|(start, job)| start + job.lasts > now).collect()
        };
        let mut queue: Vec<usize> =
            (0..jobs.len()).filter(|it| starts[*it].is_none() && jobs[*it].submit <= now).collect();
        if shortest {
            queue.sort_by_key(|it| jobs[*it].estimate);
        }
        let mut held: Option<usize> = None;
        for it in queue {
            let running = runs(&starts);
            let free = nodes - running.iter().map(|(_, job)| job.nodes).sum::<usize>();
            let fits = jobs[it].nodes <= free;
            let may = match held {
                None => fits,
                Some(_) if !backfills => false,
                Some(head) => {
                    fits && {
                        let before = could_start(now, nodes, jobs[head].nodes, &running);
                        let with: Vec<(usize, Plain)> =
                            running.iter().copied().chain([(now, jobs[it])]).collect();
                        could_start(now, nodes, jobs[head].nodes, &with) == before
                    }
                }
            };
            if may {
                starts[it] = Some(now);
            } else {
                held = held.or(Some(it));
            }
        }
    }
    starts.into_iter().map(Option::unwrap).collect()
}

/// Conservative backfilling by definition, on an array of seconds; the promises, and the starts.
fn conservative_by_seconds(nodes: usize, jobs: &[Job]) -> (Vec<usize>, Vec<usize>) {
    let jobs = plain(jobs);
    let mut free = vec![nodes; 2 * HORIZON];
    let mut planned: Vec<Option<usize>> = vec![None; jobs.len()];
    let mut promised = vec![0; jobs.len()];
    let earliest = |free: &[usize], now: usize, job: &Plain| {
        (now..)
            .find(|start| free[*start..start + job.estimate].iter().all(|free| *free >= job.nodes))
            .unwrap()
    };
    for now in 0..HORIZON {
        let mut early = false;
        for (start, job) in planned.iter().zip(&jobs) {
            let Some(start) = start.filter(|start| start + job.lasts == now && job.lasts < job.estimate)
            else {
                continue;
            };
            free[now..start + job.estimate].iter_mut().for_each(|free| *free += job.nodes);
            early = true;
        }
        if early {
            for it in 0..jobs.len() {
                let Some(start) = planned[it].filter(|start| *start > now) else { continue };
                free[start..start + jobs[it].estimate].iter_mut().for_each(|free| *free += jobs[it].nodes);
                let again = earliest(&free, now, &jobs[it]);
                free[again..again + jobs[it].estimate].iter_mut().for_each(|free| *free -= jobs[it].nodes);
                planned[it] = Some(again);
            }
        }
        for it in (0..jobs.len()).filter(|it| jobs[*it].submit == now) {
            let start = earliest(&free, now, &jobs[it]);
            free[start..start + jobs[it].estimate].iter_mut().for_each(|free| *free -= jobs[it].nodes);
            (planned[it], promised[it]) = (Some(start), start);
        }
    }
    (promised, planned.into_iter().map(Option::unwrap).collect())
}

fn records(sites: &[Site], discipline: Discipline, placement: Placement, jobs: &[Job]) -> Vec<Record> {
    let mut records = Vec::new();
    simulate(sites, discipline, placement, jobs.iter().copied(), &mut |record| records.push(record));
    records.sort_by_key(|record| record.job.number);
    records
}

fn on_one(nodes: usize, discipline: Discipline, jobs: &[Job]) -> Vec<Record> {
    let site = Site::plain("one", u32::try_from(nodes).unwrap());
    records(&[site], discipline, Placement::FIRST, jobs)
}

fn starts(records: &[Record]) -> Vec<usize> {
    let start = |record: &Record| usize::try_from(record.ran.unwrap().start.as_millis() / 1_000).unwrap();
    records.iter().map(start).collect()
}

#[test]
fn queues_are_as_second_by_second() {
    for seed in 0..1_500 {
        let (nodes, jobs) = draw(seed);
        let cases = [
            (Discipline::Fcfs, false, false),
            (Discipline::Easy, true, false),
            (Discipline::ShortestEasy, true, true),
        ];
        for (discipline, backfills, shortest) in cases {
            let found = starts(&on_one(nodes, discipline, &jobs));
            assert_eq!(found, by_seconds(nodes, &jobs, backfills, shortest), "{discipline:?}, seed {seed}");
        }
    }
}

#[test]
fn calendars_are_as_second_by_second() {
    for seed in 0..1_500 {
        let (nodes, jobs) = draw(seed);
        let found = on_one(nodes, Discipline::Conservative, &jobs);
        let (promised, expected) = conservative_by_seconds(nodes, &jobs);
        assert_eq!(starts(&found), expected, "seed {seed}");
        let first: Vec<usize> = found
            .iter()
            .map(|it| usize::try_from(it.promised.unwrap().as_millis() / 1_000).unwrap())
            .collect();
        assert_eq!(first, promised, "seed {seed}");
    }
}

/// A larger workload, so that chunks of the profile are cut and joined.
fn crowd(seed: u64, exact: bool) -> Vec<Job> {
    let mut draws = Draws::new(seed);
    let mut submit = 0;
    let draw = |number: u64| {
        submit += draws.below(40);
        let run = 1 + draws.below(900);
        let estimate = if exact { run } else { run + draws.below(3_000) };
        job(number, submit, 1 + draws.below(20), run, estimate)
    };
    (0..800).map(draw).collect()
}

#[test]
fn nobody_starts_after_their_first_promise_and_exact_estimates_make_it_exact() {
    for seed in 0..6 {
        for exact in [false, true] {
            let records = on_one(24, Discipline::Conservative, &crowd(seed, exact));
            let promised = |record: &Record| (record.ran.unwrap().start, record.promised.unwrap());
            assert!(records.iter().map(promised).all(|(start, promised)| start <= promised));
            let kept = records.iter().map(promised).filter(|(start, promised)| start == promised).count();
            assert_eq!(kept == records.len(), exact);
        }
    }
}

#[test]
fn no_node_is_used_twice_and_no_job_is_lost() {
    for discipline in [Discipline::Fcfs, Discipline::Easy, Discipline::ShortestEasy, Discipline::Conservative]
    {
        let records = on_one(24, discipline, &crowd(9, false));
        assert_eq!(records.len(), 800);
        let mut changes: Vec<(i64, i64)> = Vec::new();
        for record in &records {
            let (ran, nodes) = (record.ran.unwrap(), i64::from(record.job.nodes));
            assert!(ran.start >= record.job.submit && ran.end - ran.start == record.job.lasts().as_millis());
            changes.extend([(ran.start.as_millis(), nodes), (ran.end.as_millis(), -nodes)]);
        }
        changes.sort_unstable();
        let most = changes
            .iter()
            .scan(0, |used, (_, by)| {
                *used += by;
                Some(*used)
            })
            .max();
        assert!(most <= Some(24), "{discipline:?}: {most:?}");
    }
}

/// A site with a speed and a price in thousandths.
fn site(name: &str, nodes: u32, speed: i64, price: i64) -> Site {
    Site {
        speed: walras_model::Performance::from_millionths(1_000 * speed).unwrap(),
        price: walras_model::Rate::from_micros_per_second(1_000 * price).unwrap(),
        ..Site::plain(name, nodes)
    }
}

#[test]
fn rules_choose_as_they_say() {
    let sites = [site("dear", 4, 1_000, 3_000), site("slow", 4, 500, 1_000), site("fast", 4, 2_000, 5_000)];
    let chosen = |rule: Rule, knows_speed: bool, jobs: &[Job]| -> Vec<u32> {
        let found = records(&sites, Discipline::Easy, Placement { rule, knows_speed }, jobs);
        found.iter().map(|record| record.ran.unwrap().site).collect()
    };
    let jobs =
        [job(1, 0, 4, 100, 100), job(2, 1, 4, 100, 100), job(3, 2, 4, 100, 100), job(4, 3, 4, 100, 100)];
    assert_eq!(chosen(Rule::FirstFit, true, &jobs), [0, 1, 2, 0]);
    // 300 credits, 200 and 250 a node; by the price of a second, the slow one again.
    assert_eq!(chosen(Rule::Cheapest, true, &jobs), [1, 1, 1, 1]);
    assert_eq!(chosen(Rule::Cheapest, false, &jobs), [1, 1, 1, 1]);
    let due = |seconds: i64| {
        let deadline = walras_model::Time::from_millis(1_000 * seconds);
        jobs.map(|job| Job { deadline, ..job })
    };
    // The slow one is in time for the first alone; the fast one is cheaper than the dear one, and in time for all others.
    assert_eq!(chosen(Rule::CheapestInTime, true, &due(250)), [1, 2, 2, 2]);
    assert_eq!(chosen(Rule::CheapestInTime, true, &jobs), [1, 1, 1, 1]);
    // Where none is in time, the one that ends first.
    assert_eq!(chosen(Rule::CheapestInTime, true, &due(3)), [2, 2, 0, 2]);
    // All are free at first; then the dear one until 100, the slow one until 201, the fast one until 52.
    assert_eq!(chosen(Rule::StartFirst, true, &jobs), [0, 1, 2, 2]);
    // It ends at 50 on the fast one, then at 100 there or at 101 on the dear one, and so on.
    assert_eq!(chosen(Rule::EndFirst, true, &jobs), [2, 2, 0, 2]);
    // Who takes all nodes for alike fills the others first.
    assert_eq!(chosen(Rule::EndFirst, false, &jobs), [0, 1, 2, 2]);
    let poor = Job { budget: Some(walras_model::Money::from_micros(900_000_000)), ..jobs[0] };
    let found =
        records(&sites, Discipline::Easy, Placement::FIRST, &[poor, Job { number: 2, nodes: 5, ..poor }]);
    assert_eq!(found[0].ran.unwrap().site, 1);
    assert_eq!(found[1].fate, walras_sim::record::Fate::TooWide);
    let none = Job { budget: Some(walras_model::Money::from_micros(1)), ..poor };
    assert_eq!(
        records(&sites, Discipline::Easy, Placement::FIRST, &[none])[0].fate,
        walras_sim::record::Fate::TooDear
    );
}
