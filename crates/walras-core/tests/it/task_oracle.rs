//! The best task schedule by looking at all of them: every order of the tasks, every node for each.
//!
//! Any schedule, read in order of starts, is one of these with no task later. Setting the tasks again in that order may
//! move some before others; then reading and setting again moves them further still, until starts are in order. So
//! orders in which a task would start before the one set last need not be followed. A task that takes no time is in nobody's way.

use walras_model::workflow::Terms;
use walras_model::{Lane, Platform, Workflow};

/// What one complete schedule comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sums {
    pub finish: i64,
    pub cost: i64,
    /// The sum of the squares of the nodes' busy times.
    pub squares: i64,
}

struct Search<'a> {
    workflow: &'a Workflow,
    platform: &'a Platform,
    terms: &'a Terms,
    /// By lane: how long it is busy.
    load: Vec<i64>,
    /// By task: lane and end.
    placed: Vec<Option<(usize, i64)>>,
    found: Vec<Sums>,
}

/// The sums of all schedules within the terms that leave no task later than it need be.
pub fn all_schedules(workflow: &Workflow, platform: &Platform, terms: &Terms) -> Vec<Sums> {
    let placed = vec![None; workflow.tasks().len()];
    let load = vec![0; platform.lanes.len()];
    let mut search = Search { workflow, platform, terms, load, placed, found: Vec::new() };
    let idle: Vec<i64> = vec![i64::MIN; platform.lanes.len()];
    search.extend(&idle, 0, (i64::MIN, i64::MIN));
    search.found.sort_unstable();
    search.found.dedup();
    search.found
}

impl Search<'_> {
    fn extend(&mut self, busy: &[i64], cost: i64, (last, finish): (i64, i64)) {
        if self.placed.iter().all(Option::is_some) {
            let squares = self.load.iter().map(|load| load * load).sum();
            return self.found.push(Sums { finish, cost, squares });
        }
        for task in 0..self.placed.len() {
            let mut before = self.workflow.edges().iter().filter(|edge| edge.to.index() == task);
            if self.placed[task].is_some() || !before.all(|edge| self.placed[edge.from.index()].is_some()) {
                continue;
            }
            for lane in 0..self.platform.lanes.len() {
                let Some((start, length)) = self.earliest(task, lane, busy[lane]) else { continue };
                if start < last {
                    continue;
                }
                let rate = self.platform.lanes[lane].rate.as_micros_per_second();
                let cost = cost + (rate * length + 999) / 1_000;
                if self.terms.budget.is_some_and(|budget| cost > budget.as_micros()) {
                    continue;
                }
                let mut busy = busy.to_vec();
                busy[lane] = if length == 0 { busy[lane] } else { start + length };
                self.load[lane] += length;
                self.placed[task] = Some((lane, start + length));
                self.extend(&busy, cost, (start, finish.max(start + length)));
                self.placed[task] = None;
                self.load[lane] -= length;
            }
        }
    }

    fn earliest(&self, task: usize, lane: usize, behind: i64) -> Option<(i64, i64)> {
        let to = &self.platform.lanes[lane];
        let length = length(self.workflow, task, to);
        let behind = if length == 0 { i64::MIN } else { behind };
        let mut ready = behind.max(self.terms.earliest.map_or(i64::MIN, |time| time.as_millis()));
        for edge in self.workflow.edges().iter().filter(|edge| edge.to.index() == task) {
            let (from, end) = self.placed[edge.from.index()]?;
            let from = &self.platform.lanes[from];
            let network = &self.platform.network;
            let link = if from.site == to.site { network.within_site } else { network.between_sites };
            let moving = link.time_for(edge.data).unwrap().as_millis();
            ready = ready.max(end + if from.node == to.node { 0 } else { moving });
        }
        let deadline = self.terms.deadline.map_or(i64::MAX, |time| time.as_millis());
        let starts = to.free.iter().filter_map(|free| {
            let start = ready.max(free.start().as_millis());
            (start + length <= free.end().as_millis().min(deadline)).then_some(start)
        });
        Some((starts.min()?, length))
    }
}

fn length(workflow: &Workflow, task: usize, lane: &Lane) -> i64 {
    let task = &workflow.tasks()[task];
    if let Some(span) = task.estimates.get(&lane.name) {
        return span.as_millis();
    }
    task.work.map_or(0, |work| work.runtime_on(lane.performance).unwrap().as_millis())
}
