//! The agenda on one site of equal nodes, over time, against the same recipe second by second: without groups, steps, blocks or
//! shortcuts, and with starts instead of windows.

use super::*;
use std::cmp::Ordering;
use walras_model::id::NodeId;
use walras_model::offer::{Node, Site, Slot};
use walras_model::quantity::{Performance, Rate, Work};
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

/// A small workload: crowded, with estimates that are exact, too long or too short; never two at one moment.
fn draw(seed: u64) -> (usize, Vec<Plain>) {
    let mut draws = Draws::new(seed);
    let nodes = 1 + draws.below(8);
    let mut submit = 0;
    let count = 1 + draws.below(16);
    let jobs = (0..count).map(|_| {
        submit += 1 + draws.below(4);
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
fn rules(seed: u64) -> AgendaRules {
    let mut draws = Draws::new(seed ^ 0x5eed);
    let orders = [Precedence::Expansion, Precedence::WaitCubed, Precedence::Arrival, Precedence::Shortest];
    let slack = [0, 10, 25, 100][draws.below(4)];
    AgendaRules {
        precedence: orders[draws.below(4)],
        slack: Share::percent(slack),
        trials: [0, 1, 2, 8][draws.below(4)],
        ..AgendaRules::default()
    }
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
    rules: AgendaRules,
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
        let slack = millis(start - self.now) * self.rules.slack.as_millionths() / 1_000_000;
        let promise = millis(start) + slack;
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
                self.start(job);
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

    fn start(&mut self, job: usize) {
        self.queue.retain(|queued| queued.job != job);
        self.starts[job] = Some(self.now);
    }

    fn moment(&mut self) {
        self.replan();
        let now = self.now;
        for (job, _) in self.jobs.iter().enumerate().filter(|(_, job)| job.submit == now) {
            self.arrive(job);
        }
        self.walk();
        for queued in self.queue.clone().into_iter().filter(|queued| queued.start <= now) {
            self.start(queued.job);
        }
    }
}

/// A site on which jobs start when the agenda has them start by now.
struct ByAgenda<'a> {
    requests: &'a [Request],
    jobs: &'a [Plain],
    rules: AgendaRules,
    /// By node: until when it is taken by what its job says, in seconds.
    taken: Vec<usize>,
    /// By job: when it started, and on which nodes.
    ran: Vec<Option<(usize, Vec<usize>)>>,
    promises: Vec<Option<Promise>>,
    windows: Vec<Option<Window>>,
}

impl ByAgenda<'_> {
    fn offers(&self, now: usize) -> Offers {
        let time = |seconds: usize| Time::from_millis(millis(seconds)).unwrap();
        let until = |from: usize| Interval::new(time(from), time(2 * HORIZON)).unwrap();
        let node = |place: usize| Node {
            division: Default::default(),
            name: format!("n{place}"),
            site: SiteId::new(0),
            performance: Performance::ONE,
            watts: None,
            attributes: Default::default(),
        };
        let rate = Rate::from_micros_per_second(1_000).unwrap();
        let nodes = (0..self.taken.len()).map(node).collect();
        let slots = self.taken.iter().enumerate().filter_map(|(place, taken)| {
            Slot::new(NodeId::from_index(place).unwrap(), until((*taken).max(now)), rate)
        });
        Offers::new(until(now), vec![Site { name: "one".to_owned() }], nodes, slots.collect()).unwrap()
    }

    fn moment(&mut self, now: usize) {
        let (ran, jobs) = (&self.ran, self.jobs);
        let ended = ran.iter().zip(jobs).filter_map(|(ran, job)| ran.as_ref().map(|ran| (ran, job)));
        for ((start, nodes), job) in ended {
            if start + job.lasts() == now {
                nodes.iter().for_each(|node| self.taken[*node] = now);
            }
        }
        let offers = self.offers(now);
        let waits = |job: &usize| self.ran[*job].is_none() && jobs[*job].submit <= now;
        let order: Vec<usize> = (0..jobs.len()).filter(waits).collect();
        let waiting: Vec<Waiting<'_>> = order.iter().map(|job| self.waiting(*job)).collect();
        let at = Time::from_millis(millis(now)).unwrap();
        let problem = AgendaProblem {
            now: at,
            held: at,
            soon: at,
            offers: &offers,
            jobs: &waiting,
            funds: &[],
            admits: None,
            rules: self.rules,
        };
        let agenda = plan_agenda(&problem);
        for (job, placed) in order.into_iter().zip(agenda.placed) {
            let Placed { window, promise, renewed, .. } = placed.expect("there is room for all");
            assert!(!renewed);
            assert!(self.promises[job].is_none_or(|before| before == promise));
            self.promises[job] = Some(promise);
            if window.start() <= at {
                let nodes: Vec<usize> = window.placements().iter().map(|it| it.node.index()).collect();
                assert!(nodes.iter().all(|node| self.taken[*node] <= now));
                nodes.iter().for_each(|node| self.taken[*node] = now + jobs[job].estimate);
                self.ran[job] = Some((now, nodes));
            }
            self.windows[job] = Some(window);
        }
    }

    fn waiting(&self, job: usize) -> Waiting<'_> {
        let came = Time::from_millis(millis(self.jobs[job].submit)).unwrap();
        Waiting {
            request: &self.requests[job],
            came,
            worth: Worth { per_second: 1, from: came },
            promise: self.promises[job],
            planned: self.windows[job].clone().map(Into::into),
            payer: None,
            overdue: false,
            owner: 0,
            crowds: false,
            likely: None,
            behind: &[],
        }
    }
}

/// Somebody comes, ends, or is to start by plan.
fn happens(course: &BySeconds<'_>) -> bool {
    let ends =
        |(start, job): (&Option<usize>, &Plain)| start.is_some_and(|start| start + job.lasts() == course.now);
    course.jobs.iter().any(|job| job.submit == course.now)
        || course.starts.iter().zip(course.jobs).any(ends)
        || course.queue.iter().any(|queued| queued.start <= course.now)
}

#[test]
fn the_agenda_is_the_recipe_second_by_second() {
    let mut waited = 0;
    for seed in 0..1_500 {
        let ((nodes, jobs), rules) = (draw(seed), rules(seed));
        let request = |job: &Plain| {
            let (tasks, work) = (u32::try_from(job.nodes).unwrap(), millis(job.estimate));
            Request::new("job", tasks, Work::from_millis(work).unwrap())
        };
        let requests: Vec<Request> = jobs.iter().map(request).collect();
        let (starts, promises) = (vec![None; jobs.len()], vec![0; jobs.len()]);
        let mut course = BySeconds { nodes, jobs: &jobs, rules, now: 0, starts, promises, queue: Vec::new() };
        let mut agenda = ByAgenda {
            requests: &requests,
            jobs: &jobs,
            rules,
            taken: vec![0; nodes],
            ran: vec![None; jobs.len()],
            promises: vec![None; jobs.len()],
            windows: vec![None; jobs.len()],
        };
        for now in 0..HORIZON {
            course.now = now;
            if happens(&course) {
                course.moment();
                agenda.moment(now);
                let ran: Vec<Option<usize>> =
                    agenda.ran.iter().map(|ran| ran.as_ref().map(|(start, _)| *start)).collect();
                assert_eq!(ran, course.starts, "seed {seed}, at {now}, {rules:?}, {nodes} nodes, {jobs:?}");
            }
        }
        let promised: Vec<i64> = agenda.promises.iter().map(|it| it.unwrap().start.as_millis()).collect();
        assert_eq!(promised, course.promises, "seed {seed}");
        let late = |(start, job): &(&Option<usize>, &Plain)| start.unwrap() > job.submit;
        waited += course.starts.iter().zip(&jobs).filter(late).count();
    }
    assert!(waited > 3_000, "{waited} waited");
}
