//! Promises against the same recipe second by second, which knows nothing of profiles; and the laws that it must keep.

use super::super::{Discipline, Placement, Precedence, Promising, simulate};
use crate::record::{Record, Site};
use crate::workload::Job;
use std::cmp::Ordering;
use walras_model::{Span, Time};
use walras_random::Draws;

/// Beyond every schedule of the small workloads, in seconds.
const HORIZON: usize = 500;

#[derive(Clone, Copy, Debug)]
struct Plain {
    submit: usize,
    nodes: usize,
    run: usize,
    estimate: usize,
}

impl Plain {
    fn lasts(&self) -> usize {
        self.run.min(self.estimate)
    }
}

/// A small workload: crowded, often with jobs of one moment, with estimates that are exact, too long or too short.
fn draw(seed: u64) -> (usize, Vec<Plain>) {
    let mut draws = Draws::new(seed);
    let nodes = 1 + draws.below(8);
    let mut submit = 0;
    let count = 1 + draws.below(16);
    let jobs = (0..count).map(|_| {
        submit += draws.below(6).saturating_sub(2);
        let run = 1 + draws.below(12);
        let estimate = match draws.below(4) {
            0 => run,
            1 => 1 + draws.below(12),
            _ => run + draws.below(20),
        };
        Plain { submit, nodes: 1 + draws.below(nodes), run, estimate }
    });
    let jobs = jobs.collect();
    (nodes, jobs)
}

/// Some rules, different for neighbouring seeds.
fn rules(seed: u64) -> Promising {
    let mut draws = Draws::new(seed ^ 0x5eed);
    let precedence = [Precedence::Expansion, Precedence::WaitCubed, Precedence::Arrival][draws.below(3)];
    let (slack, trials) = ([0, 100, 250, 1_000][draws.below(4)], [0, 1, 2, 8][draws.below(4)]);
    Promising { precedence, slack, trials }
}

/// A job of a plan, in milliseconds where it is promised and in seconds where it is planned.
#[derive(Clone, Copy, Debug)]
struct Queued {
    job: usize,
    promise: i64,
    start: usize,
}

/// The recipe on jobs in seconds.
struct BySeconds<'a> {
    nodes: usize,
    jobs: &'a [Plain],
    rules: Promising,
    now: usize,
    starts: Vec<Option<usize>>,
    promises: Vec<i64>,
    queue: Vec<Queued>,
}

fn millis(seconds: usize) -> i64 {
    i64::try_from(seconds).unwrap() * 1_000
}

impl BySeconds<'_> {
    /// Those who run now, each from its start for as long as it says.
    fn running(&self) -> Vec<(usize, usize)> {
        let started = self.starts.iter().enumerate().filter_map(|(job, start)| Some((job, (*start)?)));
        started.filter(|(job, start)| start + self.jobs[*job].lasts() > self.now).collect()
    }

    /// The earliest start of a job beside others that have theirs.
    fn earliest(&self, job: usize, others: &[(usize, usize)]) -> usize {
        let free = |at: usize| {
            let there =
                others.iter().filter(|(job, start)| (*start..start + self.jobs[*job].estimate).contains(&at));
            self.nodes - there.map(|(job, _)| self.jobs[*job].nodes).sum::<usize>()
        };
        let fits = |start: &usize| {
            (*start..start + self.jobs[job].estimate).all(|at| free(at) >= self.jobs[job].nodes)
        };
        (self.now..).find(fits).unwrap()
    }

    /// All of a queue one after the other beside those who have their starts; or nothing, if that breaks a promise.
    fn anew(&self, mut beside: Vec<(usize, usize)>, queue: &[Queued]) -> Option<Vec<Queued>> {
        let mut planned = Vec::new();
        for queued in queue {
            let start = self.earliest(queued.job, &beside);
            beside.push((queued.job, start));
            planned.push(Queued { start, ..*queued });
        }
        planned.iter().all(|queued| millis(queued.start) <= queued.promise).then_some(planned)
    }

    fn by_promise(&self) -> Vec<Queued> {
        let mut queue = self.queue.clone();
        queue.sort_by_key(|queued| (queued.promise, queued.job));
        queue
    }

    fn by_start(&self) -> Vec<Queued> {
        let mut queue = self.queue.clone();
        queue.sort_by_key(|queued| (queued.start, queued.job));
        queue
    }

    /// Everybody's place but one's.
    fn without(&self, job: usize) -> Vec<(usize, usize)> {
        let planned = self.queue.iter().map(|queued| (queued.job, queued.start));
        self.running().into_iter().chain(planned).filter(|(other, _)| *other != job).collect()
    }

    fn replan(&mut self) {
        if let Some(queue) = self.anew(self.running(), &self.by_promise()) {
            self.queue = queue;
            return;
        }
        for queued in self.by_start() {
            let start = self.earliest(queued.job, &self.without(queued.job));
            self.queue.iter_mut().find(|other| other.job == queued.job).unwrap().start = start;
        }
    }

    fn arrive(&mut self, job: usize) {
        let start = self.earliest(job, &self.without(job));
        let promise = millis(start) + millis(start - self.now) * i64::from(self.rules.slack) / 1_000;
        self.promises[job] = promise;
        self.queue.push(Queued { job, promise, start });
    }

    fn first(&self, one: usize, other: usize) -> Ordering {
        let value = |job: usize| {
            let (wait, time) = ((self.now - self.jobs[job].submit) as u128, self.jobs[job].estimate as u128);
            match self.rules.precedence {
                Precedence::Expansion => ((wait + time).pow(2), time.pow(3)),
                Precedence::WaitCubed => (wait.pow(3) * self.jobs[job].nodes as u128, time.pow(3)),
                Precedence::Arrival | Precedence::AsGiven => (1, 1),
                Precedence::Shortest => (1, time),
            }
        };
        let ((up, down), (other_up, other_down)) = (value(one), value(other));
        (other_up * down).cmp(&(up * other_down)).then(one.cmp(&other))
    }

    fn run(&mut self, job: usize) {
        self.queue.retain(|queued| queued.job != job);
        self.starts[job] = Some(self.now);
    }

    fn walk(&mut self) {
        let mut order: Vec<usize> = self.queue.iter().map(|queued| queued.job).collect();
        order.sort_by(|one, other| self.first(*one, *other));
        let mut trials = 0;
        for job in order {
            let used: usize = self.running().iter().map(|(other, _)| self.jobs[*other].nodes).sum();
            if used + self.jobs[job].nodes > self.nodes {
                continue;
            }
            if self.earliest(job, &self.without(job)) == self.now {
                self.run(job);
            } else if trials < self.rules.trials {
                trials += 1;
                let others = |queue: Vec<Queued>| -> Vec<Queued> {
                    queue.into_iter().filter(|queued| queued.job != job).collect()
                };
                let beside: Vec<(usize, usize)> =
                    self.running().into_iter().chain([(job, self.now)]).collect();
                let by_promise = self.anew(beside.clone(), &others(self.by_promise()));
                let by_start = self.anew(beside, &others(self.by_start()));
                if let Some(queue) = by_promise.or(by_start) {
                    self.queue = queue;
                    self.starts[job] = Some(self.now);
                }
            }
        }
    }

    fn moment(&mut self) {
        let comes = |job: &Plain| job.submit == self.now;
        let ends =
            |(start, job): (&Option<usize>, &Plain)| start.map(|start| start + job.lasts()) == Some(self.now);
        let due = self.queue.iter().any(|queued| queued.start <= self.now);
        if !(due || self.jobs.iter().any(comes) || self.starts.iter().zip(self.jobs).any(ends)) {
            return;
        }
        self.replan();
        let now = self.now;
        for (job, _) in self.jobs.iter().enumerate().filter(|(_, job)| job.submit == now) {
            self.arrive(job);
        }
        self.walk();
        for queued in self.queue.clone().into_iter().filter(|queued| queued.start <= now) {
            self.run(queued.job);
        }
    }
}

/// The starts in seconds and the promises in milliseconds.
fn by_seconds(nodes: usize, jobs: &[Plain], rules: Promising) -> (Vec<i64>, Vec<i64>) {
    let (starts, promises) = (vec![None; jobs.len()], vec![0; jobs.len()]);
    let mut course = BySeconds { nodes, jobs, rules, now: 0, starts, promises, queue: Vec::new() };
    for now in 0..HORIZON {
        course.now = now;
        course.moment();
    }
    (course.starts.into_iter().map(|start| millis(start.unwrap())).collect(), course.promises)
}

fn simulated(nodes: usize, jobs: &[Plain], rules: Promising) -> Vec<Record> {
    let span = |seconds: usize| Span::from_millis(millis(seconds)).unwrap();
    let jobs = jobs.iter().zip(0..).map(|(job, number)| Job {
        number,
        submit: Time::from_millis(millis(job.submit)).unwrap(),
        nodes: u32::try_from(job.nodes).unwrap(),
        run: span(job.run),
        estimate: span(job.estimate),
        user: None,
        budget: None,
        deadline: None,
    });
    let site = Site::plain("one", u32::try_from(nodes).unwrap());
    let mut records = Vec::new();
    simulate(&[site], Discipline::Promise(rules), Placement::FIRST, jobs, &mut |record| records.push(record));
    records.sort_by_key(|record| record.job.number);
    records
}

fn starts(records: &[Record]) -> Vec<i64> {
    records.iter().map(|record| record.ran.unwrap().start.as_millis()).collect()
}

fn promises(records: &[Record]) -> Vec<i64> {
    records.iter().map(|record| record.promised.unwrap().as_millis()).collect()
}

/// Everybody runs, not before they came and not after their promise, and nobody on nodes that others are on.
fn check_laws(nodes: usize, jobs: &[Plain], records: &[Record], what: &str) {
    assert_eq!(records.len(), jobs.len(), "{what}");
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for (record, job) in records.iter().zip(jobs) {
        let ran = record.ran.unwrap();
        assert!(millis(job.submit) <= ran.start.as_millis(), "{what}");
        assert!(ran.start <= record.promised.unwrap(), "{what}: job {}", record.job.number);
        assert_eq!(ran.end - ran.start, millis(job.lasts()), "{what}");
        let width = i64::try_from(job.nodes).unwrap();
        changes.extend([(ran.start.as_millis(), width), (ran.end.as_millis(), -width)]);
    }
    changes.sort_unstable();
    let mut used = 0;
    for (_, change) in changes {
        used += change;
        assert!(used <= i64::try_from(nodes).unwrap(), "{what}");
    }
}

#[test]
fn the_recipe_is_as_second_by_second() {
    for seed in 0..3_000 {
        let ((nodes, jobs), rules) = (draw(seed), rules(seed));
        let found = simulated(nodes, &jobs, rules);
        check_laws(nodes, &jobs, &found, &format!("seed {seed}"));
        let (expected, promised) = by_seconds(nodes, &jobs, rules);
        assert_eq!(starts(&found), expected, "seed {seed}, {rules:?}, {nodes} nodes, {jobs:?}");
        assert_eq!(promises(&found), promised, "seed {seed}");
    }
}

/// A workload in which many wait, so that the profile's chunks are cut and joined.
fn crowd(seed: u64, exact: bool) -> Vec<Plain> {
    let mut draws = Draws::new(seed);
    let mut submit = 0;
    let draw = |_| {
        submit += draws.below(80);
        let run = 1 + draws.below(900);
        let estimate = if exact { run } else { run + draws.below(3_000) };
        Plain { submit, nodes: 1 + draws.below(20), run, estimate }
    };
    (0..600).map(draw).collect()
}

#[test]
fn laws_hold_where_many_wait_and_a_second_run_is_the_same() {
    for seed in 0..8 {
        let rules = rules(seed);
        let jobs = crowd(seed, seed % 2 == 0);
        let found = simulated(24, &jobs, rules);
        check_laws(24, &jobs, &found, &format!("seed {seed}, {rules:?}"));
        assert_eq!(found, simulated(24, &jobs, rules), "seed {seed}");
    }
}

/// Who has nothing to give away and is served in turn gets what was planned: a promise is a start when estimates are exact.
#[test]
fn without_slack_and_with_exact_estimates_everybody_starts_when_promised() {
    let rules = Promising { precedence: Precedence::Arrival, slack: 0, trials: 8 };
    for seed in 0..6 {
        let found = simulated(24, &crowd(seed, true), rules);
        assert_eq!(starts(&found), promises(&found), "seed {seed}");
    }
}

#[test]
fn slack_is_what_lets_short_jobs_go_ahead() {
    let job = |submit, nodes, run| Plain { submit, nodes, run, estimate: run };
    // A long job runs; one as wide as the machine is planned for 100. A short one of a node would end at 120.
    let jobs = [job(0, 3, 100), job(1, 4, 50), job(2, 1, 118)];
    let with = |slack, trials| {
        starts(&simulated(4, &jobs, Promising { precedence: Precedence::Expansion, slack, trials }))
    };
    assert_eq!(with(0, 8), [0, 100_000, 150_000]);
    // By 25% of 99 s the wide one may start at 124.75 s.
    assert_eq!(with(250, 8), [0, 120_000, 2_000]);
    assert_eq!(with(250, 0), [0, 100_000, 150_000]);
}
