//! Random jobs and nodes.

use super::Environment;
use crate::experiment::CycleError;
use walras_model::interval::complement;
use walras_model::{
    Attributes, Bandwidth, Data, Edge, Interval, Lane, Link, Network, NodeId, Performance, Platform, Rate,
    SiteId, Span, Task, TaskId, Time, Work, Workflow,
};
use walras_random::Stream;

/// Micro-credits per second in a credit per time unit, which is a millisecond.
const RATE_SCALE: f64 = 1e9;

/// A layered graph: every task waits for some tasks of the tier before it.
pub(super) fn job(config: &Environment, tiers: u32, stream: &mut Stream) -> Result<Workflow, CycleError> {
    let (mut tasks, mut edges): (Vec<Task>, Vec<Edge>) = (Vec::new(), Vec::new());
    let mut before: Vec<TaskId> = Vec::new();
    for tier in 0..tiers {
        let mut own = Vec::new();
        for number in 0..config.tasks_per_tier.draw(stream) {
            let id = TaskId::from_index(tasks.len()).ok_or_else(|| CycleError::law("too many tasks"))?;
            let work = Work::from_millis(i64::from(config.work.draw(stream)));
            tasks.push(Task::new(&format!("t{tier}.{number}"), work));
            let mut open = before.clone();
            for _ in 0..config.parents.draw(stream).min(u32::try_from(before.len()).unwrap_or(0)) {
                let from = open.swap_remove(stream.index(open.len()));
                let data = Data::from_bytes(i64::from(config.transfer.draw(stream))).unwrap_or(Data::ZERO);
                edges.push(Edge { from, to: id, data });
            }
            own.push(id);
        }
        before = own;
    }
    Workflow::new("job", tasks, edges)
        .map_err(|error| CycleError::law(format!("a drawn job is no workflow: {error:?}")))
}

/// Nodes with the owners' tasks on them, over a horizon that grows on demand.
pub(super) struct Nodes {
    speeds: Vec<Performance>,
    rates: Vec<Rate>,
    /// By node: the owners' tasks, in order.
    owners: Vec<Vec<Interval>>,
    /// By node: up to when owners' tasks have been drawn.
    drawn: Vec<i64>,
}

impl Nodes {
    pub(super) fn draw(
        config: &Environment,
        price: f64,
        count: u32,
        stream: &mut Stream,
    ) -> Result<Nodes, CycleError> {
        let mut nodes =
            Nodes { speeds: Vec::new(), rates: Vec::new(), owners: Vec::new(), drawn: Vec::new() };
        for _ in 0..count {
            let speed = config.performance.draw(stream);
            let performance = Performance::from_millionths(millionths(speed));
            let rate = Rate::from_micros_per_second(millionths(speed * price * RATE_SCALE / 1e6));
            let (Some(performance), Some(rate)) = (performance, rate) else {
                return Err(CycleError::law("a drawn node has no speed or price"));
            };
            nodes.speeds.push(performance);
            nodes.rates.push(rate);
            nodes.owners.push(Vec::new());
            nodes.drawn.push(-i64::from(config.owners_gap.draw(stream)));
        }
        Ok(nodes)
    }

    /// The speed of the fastest node.
    pub(super) fn fastest(&self) -> Performance {
        self.speeds.iter().copied().max().unwrap_or(Performance::ONE)
    }

    pub(super) fn count(&self) -> usize {
        self.speeds.len()
    }

    /// What is free within an interval.
    pub(super) fn platform(
        &mut self,
        config: &Environment,
        interval: Interval,
        reserved: &[(NodeId, Interval)],
        stream: &mut Stream,
    ) -> Platform {
        // Owners' tasks are drawn as far as late tasks may reach.
        let until = 2 * interval.end().as_millis() - interval.start().as_millis();
        for node in 0..self.speeds.len() {
            let kept = interval.start().as_millis() - KEPT;
            self.owners[node].retain(|taken| taken.end().as_millis() > kept);
            while self.drawn[node] < until {
                let start = self.drawn[node] + i64::from(config.owners_gap.draw(stream));
                let end = start + i64::from(config.owners_length.draw(stream));
                self.owners[node].extend(between(start, end));
                self.drawn[node] = end;
            }
        }
        let lane = |(number, node): (u32, usize)| Lane {
            part: 0,
            node: NodeId::new(number),
            name: format!("n{number}"),
            site: SiteId::new(0),
            site_name: "domain".to_owned(),
            performance: self.speeds[node],
            rate: self.rates[node],
            free: {
                let own = reserved.iter().filter(|(taken, _)| taken.index() == node).map(|(_, taken)| *taken);
                complement(interval, &self.owners[node].iter().copied().chain(own).collect::<Vec<_>>())
            },
            attributes: Attributes::new(),
        };
        // A byte takes a time unit.
        let link = Link { latency: Span::ZERO, bandwidth: Bandwidth::from_bytes_per_second(1_000) };
        let network = Network { within_site: link, between_sites: link };
        Platform { lanes: (0..).zip(0..self.speeds.len()).map(lane).collect(), network }
    }

    /// When a task that may run from a moment on begins and ends, if it waits while owners' tasks run.
    pub(super) fn around_owners(&self, node: usize, from: i64, takes: i64) -> (i64, i64) {
        let (mut began, mut now, mut left) = (None, from, takes);
        for owners in &self.owners[node] {
            let (start, end) = (owners.start().as_millis(), owners.end().as_millis());
            if end <= now {
                continue;
            }
            let free = (start - now).clamp(0, left);
            if free > 0 {
                began = began.or(Some(now));
            }
            left -= free;
            now += free;
            if left == 0 {
                break;
            }
            now = now.max(end);
        }
        (began.unwrap_or(now), now + left)
    }
}

/// So long owners' tasks are remembered: longer than any task is under way.
const KEPT: i64 = 100_000;

/// An interval in time units.
pub(super) fn between(start: i64, end: i64) -> Option<Interval> {
    Interval::new(Time::from_millis(start)?, Time::from_millis(end)?)
}

/// The longest critical path on nodes of this speed, without transfers, in time units.
pub(super) fn critical_path(job: &Workflow, speed: Performance) -> i64 {
    let mut end = vec![0_i64; job.tasks().len()];
    for id in job.order() {
        let before =
            job.edges().iter().filter(|edge| edge.to == *id).map(|edge| end[edge.from.index()]).max();
        let own =
            job.task(*id).work.and_then(|work| work.runtime_on(speed)).map_or(0, |span| span.as_millis());
        end[id.index()] = before.unwrap_or(0) + own;
    }
    end.into_iter().max().unwrap_or(0)
}

#[expect(clippy::cast_possible_truncation, reason = "drawn from checked ranges, far below 2^63")]
fn millionths(value: f64) -> i64 {
    (value * 1e6).round() as i64
}
