//! Baselines on nodes that fail, against a scheduler that goes second by second and keeps a list of nodes.

use std::collections::VecDeque;
use walras_model::{Span, Time};
use walras_random::Draws;
use walras_sim::baseline::{ATTEMPTS_MAX, Discipline, Placement, simulate, simulate_failing};
use walras_sim::outage::{Failures, Outage};
use walras_sim::record::{Fate, Record, Site};
use walras_sim::workload::Job;

const HORIZON: i64 = 600;

fn at(seconds: i64) -> Time {
    Time::from_millis(1_000 * seconds).unwrap()
}

fn span(seconds: i64) -> Span {
    Span::from_millis(1_000 * seconds).unwrap()
}

fn draw(seed: u64) -> (u32, Vec<Job>, Vec<Outage>) {
    let mut draws = Draws::new(seed);
    let mut below = |bound: usize| i64::try_from(draws.below(bound)).unwrap();
    let nodes = u32::try_from(1 + below(6)).unwrap();
    let mut submit = 0;
    let count = 1 + below(10);
    let mut jobs = Vec::new();
    for number in 0..count {
        submit += (below(6) - 1).max(0);
        let run = 1 + below(12);
        let estimate = run + below(3) * below(8);
        jobs.push(Job {
            number: u64::try_from(number).unwrap(),
            submit: at(submit),
            nodes: u32::try_from(1 + below(nodes as usize)).unwrap(),
            run: span(run),
            estimate: span(estimate),
            user: None,
            budget: None,
            deadline: None,
        });
    }
    let mut outages = Vec::new();
    for node in 0..nodes {
        let mut now = below(20);
        for _ in 0..below(4) {
            let until = now + 1 + below(15);
            outages.push(Outage { site: 0, node, from: at(now), until: Some(at(until)) });
            now = until + 1 + below(30);
        }
    }
    (nodes, jobs, outages)
}

struct Running {
    job: usize,
    ends: i64,
    stated: i64,
    nodes: Vec<u32>,
}

/// Starts by definition: the last one of each job, or none where it was given up.
fn by_seconds(
    nodes: u32,
    jobs: &[Job],
    outages: &[Outage],
    backfills: bool,
    patience: Option<i64>,
) -> Vec<Option<i64>> {
    let seconds = |millis: i64| millis / 1_000;
    let mut starts = vec![None; jobs.len()];
    let mut lost = vec![0; jobs.len()];
    let mut queue: VecDeque<usize> = VecDeque::new();
    let mut running: Vec<Running> = Vec::new();
    for now in 0..HORIZON {
        running.retain(|it| it.ends > now);
        let away = |node: u32| {
            outages.iter().any(|it| it.node == node && it.from <= at(now) && it.until.unwrap() > at(now))
        };
        for node in (0..nodes).filter(|node| away(*node)) {
            if let Some(place) = running.iter().position(|it| it.nodes.contains(&node)) {
                let struck = running.remove(place);
                starts[struck.job] = None;
                lost[struck.job] += 1;
                if lost[struck.job] < ATTEMPTS_MAX {
                    queue.push_front(struck.job);
                }
            }
        }
        queue.retain(|it| patience.is_none_or(|patience| jobs[*it].submit != at(now - patience)));
        queue.extend((0..jobs.len()).filter(|it| jobs[*it].submit == at(now)));
        let mut head: Option<usize> = None;
        for it in queue.clone() {
            let wanted = jobs[it].nodes as usize;
            let free: Vec<u32> = (0..nodes)
                .filter(|node| !away(*node) && !running.iter().any(|it| it.nodes.contains(node)))
                .collect();
            let stated = now + seconds(jobs[it].estimate.as_millis());
            let there = (0..nodes).filter(|node| !away(*node)).count();
            // When the head could start if all stayed as long as they say; never, where nodes that it needs are away.
            let could = |with: Option<(i64, usize)>, wanted: usize| {
                (now..now + HORIZON).find(|at| {
                    let stays = running.iter().map(|it| (it.stated, it.nodes.len())).chain(with);
                    let used: usize = stays.filter(|(end, _)| end > at).map(|(_, nodes)| nodes).sum();
                    there >= used + wanted
                })
            };
            let may = free.len() >= wanted
                && match head {
                    None => true,
                    Some(_) if !backfills => false,
                    Some(head) => {
                        let first = jobs[head].nodes as usize;
                        could(Some((stated, wanted)), first) == could(None, first)
                    }
                };
            if may {
                queue.retain(|other| *other != it);
                starts[it] = Some(now);
                let ends = now + seconds(jobs[it].lasts().as_millis());
                running.push(Running { job: it, ends, stated, nodes: free[..wanted].to_vec() });
            } else {
                head = head.or(Some(it));
            }
        }
    }
    starts
}

fn simulated(nodes: u32, jobs: &[Job], outages: &[Outage], discipline: Discipline) -> Vec<Record> {
    with_patience(nodes, jobs, outages, discipline, None)
}

fn with_patience(
    nodes: u32,
    jobs: &[Job],
    outages: &[Outage],
    discipline: Discipline,
    patience: Option<i64>,
) -> Vec<Record> {
    let sites = [Site::plain("one", nodes)];
    let failures = Failures::Traced(outages.to_vec().into());
    let mut records = Vec::new();
    let strikes = |begin| failures.strikes(&sites, 1, begin);
    let mut sink = |record| records.push(record);
    let patience = patience.map(span);
    let jobs = jobs.iter().copied();
    simulate_failing(&sites, discipline, Placement::FIRST, strikes, patience, jobs, &mut sink);
    records.sort_by_key(|record| record.job.number);
    records
}

#[test]
fn queues_on_nodes_that_fail_are_as_defined() {
    let mut given_up = 0;
    for seed in 0..3_000 {
        let (nodes, jobs, outages) = draw(seed);
        let patience = [None, Some(5), Some(12)][usize::try_from(seed % 3).unwrap()];
        for (discipline, backfills) in [(Discipline::Fcfs, false), (Discipline::Easy, true)] {
            let expected = by_seconds(nodes, &jobs, &outages, backfills, patience);
            let records = with_patience(nodes, &jobs, &outages, discipline, patience);
            let found: Vec<Option<i64>> =
                records.iter().map(|it| it.ran.map(|ran| ran.start.as_millis() / 1_000)).collect();
            assert_eq!(found, expected, "seed {seed}, {discipline:?}");
            given_up += records.iter().filter(|record| record.fate == Fate::GivenUp).count();
        }
    }
    assert!(given_up > 0);
}

/// A calendar that is planned anew starts nobody twice, nowhere more than there is, and all in the end.
#[test]
fn a_calendar_on_nodes_that_fail_uses_what_is_there() {
    for seed in 0..2_000 {
        let (nodes, jobs, outages) = draw(seed);
        let records = simulated(nodes, &jobs, &outages, Discipline::Conservative);
        assert_eq!(records.len(), jobs.len());
        for second in 0..HORIZON {
            let away =
                outages.iter().filter(|it| it.from <= at(second) && it.until.unwrap() > at(second)).count();
            let runs =
                |it: &&Record| it.ran.is_some_and(|ran| ran.start <= at(second) && at(second) < ran.end);
            let used: u32 = records.iter().filter(runs).map(|record| record.job.nodes).sum();
            assert!(used as usize + away <= nodes as usize, "seed {seed}, second {second}");
        }
        let served = |it: &Record| matches!(it.fate, Fate::Done | Fate::Killed | Fate::GivenUp);
        assert!(records.iter().all(served), "seed {seed}");
    }
}

#[test]
fn without_failures_nothing_is_different() {
    for seed in 0..500 {
        let (nodes, jobs, _) = draw(seed);
        for discipline in [Discipline::Easy, Discipline::ShortestEasy, Discipline::Conservative] {
            let mut plain = Vec::new();
            let mut sink = |record| plain.push(record);
            simulate(
                &[Site::plain("one", nodes)],
                discipline,
                Placement::FIRST,
                jobs.iter().copied(),
                &mut sink,
            );
            plain.sort_by_key(|record| record.job.number);
            assert_eq!(simulated(nodes, &jobs, &[], discipline), plain, "seed {seed}, {discipline:?}");
        }
    }
}

/// Who leaves lets others move up; nobody starts after their promise, or after their patience.
#[test]
fn those_who_give_up_delay_nobody() {
    let mut given_up = 0;
    for seed in 0..2_000 {
        let (nodes, jobs, _) = draw(seed);
        let records = with_patience(nodes, &jobs, &[], Discipline::Conservative, Some(6));
        assert_eq!(records.len(), jobs.len());
        for record in &records {
            assert!(!record.is_late(), "seed {seed}");
            let waited = record.wait().map(|wait| wait.as_millis());
            match record.fate {
                Fate::GivenUp => assert_eq!(waited, None),
                _ => assert!(waited.unwrap() < 6_000 || waited == Some(0), "seed {seed}: {waited:?}"),
            }
        }
        given_up += records.iter().filter(|record| record.fate == Fate::GivenUp).count();
    }
    assert!(given_up > 100);
}

#[test]
fn a_machine_that_never_returns_serves_nobody() {
    let (nodes, jobs, _) = draw(1);
    let sites = [Site::plain("one", nodes)];
    let gone = (0..nodes).map(|node| Outage { site: 0, node, from: at(0), until: None });
    let failures = Failures::Traced(gone.collect());
    let run = |discipline| {
        let mut records = Vec::new();
        let strikes = |begin| failures.strikes(&sites, 1, begin);
        let mut sink = |record| records.push(record);
        simulate_failing(
            &sites,
            discipline,
            Placement::FIRST,
            strikes,
            None,
            jobs.iter().copied(),
            &mut sink,
        );
        records
    };
    for discipline in [Discipline::Fcfs, Discipline::Easy, Discipline::Conservative] {
        let records = run(discipline);
        assert_eq!(records.len(), jobs.len());
        assert!(records.iter().all(|record| record.fate == Fate::LeftOver));
    }
}
