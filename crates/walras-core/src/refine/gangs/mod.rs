//! Workflows with tasks that take several nodes at the same time.
//!
//! **Problem.** A task may be a gang: it takes so many nodes of one site from one moment on, each for as long as the slowest of them
//! needs, and costs what all of them cost. Data between two tasks of one node each, on the same, takes no time; all other data is on its
//! way, within the site or between sites. Give every task its nodes and its time, by the strategy's goal and within the terms.
//!
//! **Method.** Plain workflows never come here. One task after the other is put where it ends first, or costs least, on what is left of the
//! nodes (`board`), in order of upward rank; then, for as long as the effort lasts, again with shaken ranks and with the one rule for some
//! tasks and the other for others. Small workflows are searched to the end (`exact`). What no schedule can beat is what the same workflow
//! cannot beat when every task takes one node for the least time that a gang with it needs (`relaxed`), and what nodes and time there are
//! for all of them. The verifier looks at every schedule before it leaves.
//!
//! **Complexity.** A list takes O(tasks × starts × lanes log lanes); at most [`STARTS_MAX`] starts of a gang are looked at on a site, and
//! at most [`WIDE_CELLS_MAX`] tasks × lanes are planned.

mod board;
mod exact;
mod relaxed;

use super::best::Fuel;
use super::checked::Question;
use super::instance::Instance;
use super::schedule::Score;
use super::strategy::Goal;
use super::{
    Collisions, NoSchedule, RefineEffort, Refined, Strategy, TaskPlacement, TaskSchedule, affordable, bound,
    least, rank,
};
use board::{Board, Rule};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use walras_model::id::TaskId;
use walras_model::outcome::Outcome;
use walras_model::quantity::{Money, Span, Time};
use walras_model::workflow::{Platform, Terms, Workflow};
use walras_random::Draws;

/// Tasks × lanes of at most this many cells are planned.
const WIDE_CELLS_MAX: usize = 2_000_000;

/// At most so many starts of a gang are looked at on one site.
const STARTS_MAX: usize = 1_000;

/// A workflow with gangs on a platform.
#[derive(Clone, Debug)]
struct Wide {
    instance: Instance,
    /// By task: how many nodes it takes.
    nodes: Vec<usize>,
    /// The lanes of each site.
    sites: Vec<Vec<usize>>,
}

/// Where a task is and when.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Gang {
    /// In order; one for each node.
    lanes: Vec<usize>,
    start: i64,
    end: i64,
}

/// Every task that has found a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Gangs(Vec<Option<Gang>>);

impl Wide {
    fn new(workflow: &Workflow, instance: Instance) -> Result<Wide, NoSchedule> {
        let (tasks, lanes) = (instance.tasks, instance.lanes);
        if tasks.saturating_mul(lanes) > WIDE_CELLS_MAX {
            return Err(NoSchedule::Size { tasks, lanes });
        }
        let mut sites = vec![Vec::new(); instance.costs.sites];
        for (lane, site) in instance.costs.site.iter().enumerate() {
            sites[*site as usize].push(lane);
        }
        let nodes = workflow.tasks().iter().map(|task| task.nodes as usize).collect();
        Ok(Wide { instance, nodes, sites })
    }

    fn mirror(&self) -> Wide {
        Wide { instance: self.instance.mirror(), ..self.clone() }
    }

    /// How long data of an edge is on its way from a gang to another.
    fn transfer(&self, flow: &super::instance::Flow, from: &[usize], to: &[usize]) -> i64 {
        let site = |lanes: &[usize]| lanes.first().map(|lane| self.instance.costs.site[*lane]);
        match (from, to) {
            ([from], [to]) => self.instance.transfer(flow, *from, *to),
            _ if site(from) == site(to) => flow.near,
            _ => flow.far,
        }
    }

    /// When the data of all tasks before this one has arrived on these lanes.
    fn ready(&self, gangs: &Gangs, task: usize, to: &[usize]) -> i64 {
        let arrives = |flow: &super::instance::Flow| {
            let from = gangs.0[flow.task as usize].as_ref()?;
            Some(from.end.saturating_add(self.transfer(flow, &from.lanes, to)))
        };
        let last = self.instance.before.of(task).iter().filter_map(arrives).max();
        last.unwrap_or(self.instance.earliest).max(self.instance.earliest)
    }

    /// How long a task takes on these lanes: as long as on the slowest.
    fn runtime(&self, task: usize, lanes: &[usize]) -> i64 {
        lanes.iter().map(|lane| self.instance.runtime(task, *lane)).max().unwrap_or(0)
    }

    /// What these lanes cost for so long.
    fn cost(&self, lanes: &[usize], millis: i64) -> i64 {
        let rates = lanes.iter().map(|lane| self.instance.costs.rate[*lane]);
        rates.map(|rate| super::instance::cost(rate, millis)).fold(0, i64::saturating_add)
    }

    fn score(&self, gangs: &Gangs, goal: Goal) -> Score {
        let missing = gangs.0.iter().filter(|gang| gang.is_none()).count();
        let (mut finish, mut cost) = (i64::MIN, 0_i64);
        let mut busy = vec![0_i64; self.instance.costs.nodes];
        for gang in gangs.0.iter().flatten() {
            finish = finish.max(gang.end);
            cost = cost.saturating_add(self.cost(&gang.lanes, gang.end - gang.start));
            for lane in &gang.lanes {
                busy[self.instance.costs.node[*lane] as usize] += gang.end - gang.start;
            }
        }
        let squares = busy.iter().map(|busy| i128::from(*busy) * i128::from(*busy)).sum();
        let (late, money) = (i128::from(finish), i128::from(cost));
        let (first, second) = match goal {
            Goal::Finish => (late, money),
            Goal::Cost => (money, late),
            Goal::Balance => (squares, late),
        };
        Score { missing, over_budget: cost.saturating_sub(self.instance.budget).max(0), first, second }
    }

    /// One task after the other, the most urgent that is ready first, each by its rule.
    fn list(&self, urgency: &[i64], rule: &mut dyn FnMut(usize) -> Rule, fuel: &mut Fuel) -> Gangs {
        let instance = &self.instance;
        let mut board = Board::new(self);
        let mut waits: Vec<usize> = (0..instance.tasks).map(|task| instance.before.of(task).len()).collect();
        let ready = (0..instance.tasks).filter(|task| waits[*task] == 0);
        let mut ready: BinaryHeap<(i64, Reverse<usize>)> =
            ready.map(|task| (urgency[task], Reverse(task))).collect();
        while let Some((_, Reverse(task))) = ready.pop() {
            board.put(self, task, rule(task), fuel);
            for flow in instance.after.of(task) {
                let next = flow.task as usize;
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push((urgency[next], Reverse(next)));
                }
            }
        }
        board.gangs
    }
}

/// The best schedule so far.
struct Best {
    gangs: Gangs,
    score: Score,
}

impl Best {
    fn offer(&mut self, wide: &Wide, goal: Goal, gangs: Gangs) -> bool {
        let score = wide.score(&gangs, goal);
        let better = score < self.score;
        if better {
            *self = Best { gangs, score };
        }
        better
    }
}

/// Places every task of a workflow with gangs; as [`super::refine`].
pub(super) fn refine(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    strategy: Strategy,
    effort: &RefineEffort,
) -> Outcome<Refined, NoSchedule> {
    let outcome = planned(workflow, platform, terms, strategy, effort);
    let found = match &outcome {
        Outcome::Optimal(refined) | Outcome::Feasible { best: refined, .. } => refined,
        Outcome::Infeasible(_) => return outcome,
    };
    match (Question { workflow, platform, terms }).violation(&found.schedule) {
        None => outcome,
        Some(violation) => Outcome::Infeasible(NoSchedule::Refuted(Box::new(violation))),
    }
}

/// A list schedule alone, where it keeps the terms; nodes need no names for it.
pub(super) fn listed(workflow: &Workflow, platform: &Platform, terms: &Terms) -> Option<TaskSchedule> {
    let effort = RefineEffort { units_max: 0, proof_units_max: 0, labels_max: 0, ..RefineEffort::default() };
    planned(workflow, platform, terms, Strategy::Asap, &effort).found().map(|refined| refined.schedule)
}

/// The same without the verifier's look.
fn planned(
    workflow: &Workflow,
    platform: &Platform,
    terms: &Terms,
    strategy: Strategy,
    effort: &RefineEffort,
) -> Outcome<Refined, NoSchedule> {
    let made = Instance::new(workflow, platform, terms).and_then(|instance| Wide::new(workflow, instance));
    let related = made.and_then(|wide| {
        let relaxed = affordable(wide.relaxed()?)?;
        Ok((wide, relaxed))
    });
    let (forward, relaxed) = match related {
        Ok(both) => both,
        Err(reason) => return Outcome::Infeasible(reason),
    };
    let mirrored = strategy == Strategy::Alap;
    let (wide, facing) = if mirrored { (&forward.mirror(), &relaxed.mirror()) } else { (&forward, &relaxed) };
    solve(wide, platform, (facing, &relaxed), strategy, effort)
}

fn solve(
    wide: &Wide,
    platform: &Platform,
    (facing, relaxed): (&Instance, &Instance),
    strategy: Strategy,
    effort: &RefineEffort,
) -> Outcome<Refined, NoSchedule> {
    let goal = strategy.goal();
    let instance = &wide.instance;
    let closely = effort.units_max > 0;
    let soonest = |relaxed: &Instance| {
        let ways = if closely { bound::finish(relaxed, true) } else { bound::quick(relaxed) };
        ways.max(wide.crowded(relaxed))
    };
    let ends = soonest(facing);
    let forward_ends = if instance.mirrored { soonest(relaxed) } else { ends };
    if ends > instance.latest || forward_ends > relaxed.latest {
        let shown = Time::from_millis(forward_ends).filter(|_| forward_ends > relaxed.latest);
        return Outcome::Infeasible(NoSchedule::TooLittleTime { bound: shown });
    }
    let mut fuel = Fuel { left: effort.units_max };
    let urgency = rank::upward(facing);
    let rules = if goal == Goal::Cost { [Rule::Cost, Rule::Finish] } else { [Rule::Finish, Rule::Cost] };
    // What has to be there is there whatever the effort.
    let listed = |rule: Rule| wide.list(&urgency, &mut |_| rule, &mut Fuel { left: u64::MAX });
    let gangs = listed(rules[0]);
    let mut best = Best { score: wide.score(&gangs, goal), gangs };
    best.offer(wide, goal, listed(rules[1]));
    let proven = exact::search(wide, facing, goal, &mut best, &mut Fuel { left: effort.units_max / 4 });
    let reached = |best: &Best| {
        let least = least(facing, goal, ends).map(|(value, _)| value);
        best.score.missing == 0
            && best.score.over_budget == 0
            && least.is_some_and(|it| best.score.first <= it)
    };
    if !proven {
        fuel.left -= effort.units_max / 4;
        let mut shaken = Shaken { draws: Draws::new(effort.seed), urgency: urgency.clone() };
        while fuel.left > 0 && !reached(&best) {
            shaken.next(wide, &urgency, goal, &mut best, &mut fuel);
        }
    }
    if best.score.missing > 0 || best.score.over_budget > 0 {
        return Outcome::Infeasible(if proven { NoSchedule::NoneExists } else { NoSchedule::NotFound });
    }
    let Some(schedule) = schedule(wide, platform, &best.gangs) else {
        return Outcome::Infeasible(NoSchedule::TooLong);
    };
    let soonest = proven && goal == Goal::Finish && !instance.mirrored;
    let lower = if soonest { schedule.finish().as_millis() } else { forward_ends };
    let refined = Refined {
        lower_bound: Span::from_millis(lower - relaxed.earliest)
            .unwrap_or(Span::ZERO)
            .min(schedule.makespan()),
        schedule,
        collisions: Collisions::default(),
        critical_makespan: None,
        labels_limit_hit: false,
        fault: None,
    };
    match least(facing, goal, ends) {
        _ if proven || reached(&best) => Outcome::Optimal(refined),
        least => Outcome::Feasible { best: refined, bound: least.map_or(0, |(_, shown)| shown) },
    }
}

/// Lists whose ranks are shaken, one after another.
struct Shaken {
    draws: Draws,
    /// The ranks of the best list so far.
    urgency: Vec<i64>,
}

impl Shaken {
    /// One more list, from the ranks as they were or from those of the best.
    fn next(&mut self, wide: &Wide, plain: &[i64], goal: Goal, best: &mut Best, fuel: &mut Fuel) {
        let from = if self.draws.below(2) == 0 { plain } else { &self.urgency };
        let widest = plain.iter().copied().max().unwrap_or(0).max(1);
        let noise = usize::try_from(widest / [2, 4, 8, 16][self.draws.below(4)]).unwrap_or(usize::MAX).max(1);
        let draws = &mut self.draws;
        let mut noisy =
            |urgency: &i64| urgency.saturating_add(i64::try_from(draws.below(noise)).unwrap_or(0));
        let urgency: Vec<i64> = from.iter().map(&mut noisy).collect();
        let (usual, other) =
            if goal == Goal::Cost { (Rule::Cost, Rule::Finish) } else { (Rule::Finish, Rule::Cost) };
        let share = [0, 1, 2, 4][self.draws.below(4)];
        let seldom = self.draws.below(3) == 0;
        let draws = &mut self.draws;
        let mut rule = |_: usize| match draws.below(8) {
            drawn if drawn < share => other,
            7 if seldom => Rule::NotHere(draws.below(wide.sites.len())),
            _ => usual,
        };
        // A list that looks at nothing would never end.
        fuel.burn(1);
        let gangs = wide.list(&urgency, &mut rule, fuel);
        if best.offer(wide, goal, gangs) {
            self.urgency = urgency;
        }
    }
}

/// The places in the vocabulary of the core; `None` beyond the range of time.
fn schedule(wide: &Wide, platform: &Platform, gangs: &Gangs) -> Option<TaskSchedule> {
    let instance = &wide.instance;
    let turned = |gang: &Gang| match instance.mirrored {
        true => Gang { lanes: gang.lanes.clone(), start: -gang.end, end: -gang.start },
        false => gang.clone(),
    };
    let all: Vec<Gang> = gangs.0.iter().map(|gang| gang.as_ref().map(turned)).collect::<Option<_>>()?;
    let before = if instance.mirrored { &instance.after } else { &instance.before };
    let mut placements = Vec::with_capacity(all.len());
    let mut others = BTreeMap::new();
    for (task, gang) in all.iter().enumerate() {
        let ways = before.of(task).iter();
        let ways = ways.map(|flow| wide.transfer(flow, &all[flow.task as usize].lanes, &gang.lanes));
        let (first, rest) = gang.lanes.split_first()?;
        let id = TaskId::from_index(task)?;
        placements.push(TaskPlacement {
            task: id,
            node: platform.lanes[*first].node,
            part: platform.lanes[*first].part,
            start: Time::from_millis(gang.start)?,
            end: Time::from_millis(gang.end)?,
            cost: Money::from_micros(wide.cost(&gang.lanes, gang.end - gang.start)),
            transfer: Span::from_millis(ways.max().unwrap_or(0))?,
        });
        if !rest.is_empty() {
            others.insert(id, rest.iter().map(|lane| platform.lanes[*lane].node).collect());
        }
    }
    let origin = if instance.mirrored { -instance.latest } else { instance.earliest };
    Some(TaskSchedule { origin: Time::from_millis(origin)?, placements, others })
}
