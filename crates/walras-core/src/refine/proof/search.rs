//! Whether a workflow can end within a time, by suppositions and what is learned from their failure.
//!
//! **Method** (conflict-driven search with lazily explained bounds; Ohrimenko, Stuckey and Codish 2009; Schutt and others 2013). A
//! supposition is a lane for a task, or which of two tasks goes first on a node. What follows is found out ([`super::paths`],
//! [`super::turns`], [`super::clauses`]) until nothing more does. A contradiction teaches a clause ([`super::lesson`]) that keeps the
//! search from failing so again, wherever it is; then it goes back to where the clause says something new. What is met in
//! contradictions is supposed first; the search begins anew now and then, with what was learned. When every task has a lane and an order
//! on it, starts as early as they can be are a schedule. When a contradiction needs no supposition but the end, there is none.
//!
//! Nothing that is learned depends on the end alone, unless it says so: it stays true for other ends.

use super::super::best::Fuel;
use super::super::schedule::Placed;
use super::clauses::Clauses;
use super::lesson::Tracer;
use super::load::Load;
use super::model::{Meaning, Model, Room};
use super::paths::Paths;
use super::pending::Pending;
use super::trail::{Contradiction, Fact, Trail};
use super::turns::Turns;

/// Contradictions before the first new beginning; later ones follow Luby's sequence.
const RESTART: u64 = 60;
/// So many clauses are kept before the first time that half of them are forgotten, and so many more each time.
const CLAUSES: usize = 3_000;
const CLAUSES_MORE: usize = 300;

/// What was found out about an end.
pub(super) enum Answer {
    /// No schedule ends so early.
    Refuted,
    /// One does.
    Found(Placed),
    /// The fuel is used up.
    Open,
}

/// The search, with what it has learned.
pub(super) struct Search<'a> {
    model: Model<'a>,
    pub(super) trail: Trail,
    clauses: Clauses,
    tracer: Tracer,
    paths: Paths,
    turns: Turns,
    load: Load,
    pending: Pending,
    /// Steps of the trail that were followed.
    followed: usize,
    /// By number: how often and how lately it was met in contradictions.
    weight: Vec<u64>,
    gain: u64,
    /// By number: what it was last.
    kept: Vec<bool>,
    causes: Vec<Fact>,
    clauses_max: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(model: Model<'a>, room: &Room<'_>, placed: &Placed) -> Search<'a> {
        let trail = model.trail(room);
        let mut kept = vec![false; trail.sides() / 2];
        for task in 0..model.tasks {
            if let Some(lane) = placed.lane_of(task) {
                kept[model.on(task, lane)] = true;
            }
            for other in task + 1..model.tasks {
                kept[model.before(task, other).number()] = placed.start[task] <= placed.start[other];
            }
        }
        let mut search = Search {
            clauses: Clauses::new(trail.sides()),
            tracer: Tracer::new(trail.sides()),
            paths: Paths::new(&model),
            turns: Turns::default(),
            load: Load::new(&model),
            pending: Pending::all(model.tasks, model.lanes),
            followed: 0,
            weight: vec![0; trail.sides() / 2],
            gain: 1 << 10,
            kept,
            causes: Vec::new(),
            clauses_max: CLAUSES,
            trail,
            model,
        };
        search.prefer_data();
        search.take_first_of_alike();
        search
    }

    /// Of lanes that are alike, a task may be on a later one only if one before it in the workflow is on the one before.
    fn take_first_of_alike(&mut self) {
        let alike = self.model.instance.alike();
        for (lane, other) in alike.iter().enumerate().filter_map(|(lane, other)| Some((lane, (*other)?))) {
            let mut clause = Vec::new();
            for task in self.model.instance.order.iter().map(|task| *task as usize) {
                let not_here = Fact::at_most(self.model.on(task, lane), 0);
                let mut facts = vec![not_here];
                facts.extend_from_slice(&clause);
                if clause.is_empty() {
                    // Where the first task is cannot be known yet.
                    let _cannot_fail = self.trail.learn(not_here, &[]);
                } else {
                    self.clauses.add(facts, 0);
                }
                if self.model.may(&self.trail, task, other) {
                    clause.push(Fact::at_least(self.model.on(task, other), 1));
                }
            }
        }
    }

    /// Tasks with much data to move are supposed first.
    fn prefer_data(&mut self) {
        let instance = self.model.instance;
        let moved = |task: usize| -> i64 {
            let flows = instance.before.of(task).iter().chain(instance.after.of(task));
            flows.map(|flow| flow.near.max(flow.far)).fold(instance.costs.fastest[task], i64::saturating_add)
        };
        let mut by_data: Vec<usize> = (0..self.model.tasks).collect();
        by_data.sort_by_key(|task| (moved(*task), *task));
        for (rank, task) in (1_u64..).zip(by_data) {
            for lane in 0..self.model.lanes {
                self.weight[self.model.on(task, lane)] = 16 * rank;
            }
        }
    }

    /// Whether a schedule ends within so long, when these facts follow from that. Nothing is supposed before nor after.
    pub(super) fn ask(&mut self, length: i64, follows: &[Fact], fuel: &mut Fuel) -> Answer {
        let end = Fact::at_most(self.model.end(), length);
        let (mut round, mut until) = (1, RESTART);
        loop {
            if self.trail.level() == 0 {
                if self.trail.holds(end.not()) || self.follow_everywhere(fuel).is_err() {
                    return self.refuted(end);
                }
                if self.clauses.len() > self.clauses_max {
                    self.clauses.forget(&self.trail);
                    self.clauses_max += CLAUSES_MORE;
                }
                self.trail.suppose(end);
                if follows.iter().any(|fact| self.trail.learn(*fact, &[end]).is_err()) {
                    return self.refuted(end);
                }
            }
            if self.follow(fuel).is_err() {
                if !self.learn(fuel) {
                    return self.refuted(end);
                }
                until = until.saturating_sub(1);
                continue;
            }
            if fuel.left == 0 {
                self.back_to(0);
                return Answer::Open;
            }
            if until == 0 {
                round += 1;
                until = RESTART * super::pending::luby(round);
                self.back_to(usize::from(self.clauses.len() <= self.clauses_max));
                continue;
            }
            let Some(fact) = self.next() else {
                let placed = self.placed();
                self.back_to(0);
                return Answer::Found(placed);
            };
            self.trail.suppose(fact);
        }
    }

    /// Everything ends later.
    fn refuted(&mut self, end: Fact) -> Answer {
        self.back_to(0);
        // When that contradicts what is known, no schedule is left at all, and this end is refuted as well.
        let _no_schedule_is_left = self.trail.learn(end.not(), &[]).is_err();
        Answer::Refuted
    }

    fn back_to(&mut self, level: usize) {
        self.trail.back_to(level);
        self.followed = self.followed.min(self.trail.len());
        self.pending.clear();
    }

    /// Learns from a contradiction; whether it needs more than the end.
    fn learn(&mut self, fuel: &mut Fuel) -> bool {
        let lesson = self.tracer.trace(&self.trail);
        fuel.burn(self.tracer.looked);
        self.tracer.looked = 0;
        let Some(lesson) = lesson.filter(|lesson| lesson.needs > 1) else { return false };
        for at in 0..self.tracer.met.len() {
            self.prefer(self.tracer.met[at]);
        }
        self.gain += self.gain / 16;
        self.back_to(lesson.level);
        let causes: Vec<Fact> = lesson.clause[1..].iter().map(|fact| fact.not()).collect();
        let first = lesson.clause[0];
        if !causes.is_empty() {
            self.clauses.add(lesson.clause, lesson.joined);
        }
        // It did not fail when fewer suppositions were made.
        self.trail.learn(first, &causes).is_ok()
    }

    /// What was met is supposed sooner.
    fn prefer(&mut self, number: usize) {
        let number = match self.model.meaning(number) {
            Meaning::Start { task, lane } => self.model.on(task, lane),
            Meaning::On { .. } | Meaning::Order { .. } => number,
            Meaning::End => return,
        };
        self.weight[number] += self.gain;
        if self.weight[number] > 1 << 50 {
            self.weight.iter_mut().for_each(|weight| *weight >>= 30);
            self.gain = (self.gain >> 30).max(1 << 10);
        }
    }

    /// The same, with tasks that have only one lane from the beginning.
    fn follow_everywhere(&mut self, fuel: &mut Fuel) -> Result<(), Contradiction> {
        for task in 0..self.model.tasks {
            self.model.one_lane(&mut self.trail, task, &mut self.causes)?;
        }
        self.follow(fuel)
    }

    /// Finds out what follows from what is known.
    fn follow(&mut self, fuel: &mut Fuel) -> Result<(), Contradiction> {
        let mut looked = 1;
        let outcome = self.follow_all(&mut looked);
        fuel.burn(looked);
        outcome
    }

    fn follow_all(&mut self, looked: &mut u64) -> Result<(), Contradiction> {
        let lanes = self.model.lanes as u64;
        loop {
            while self.followed < self.trail.len() {
                let step = self.trail.step(self.followed);
                self.followed += 1;
                self.clauses.follow(&mut self.trail, step, looked)?;
                self.note(step.side)?;
            }
            if let Some(task) = self.pending.forwards.pop() {
                let flows = self.model.instance.after.of(task);
                *looked += lanes * flows.len() as u64;
                for flow in flows {
                    let from = super::super::instance::Flow { task: index(task), ..*flow };
                    self.paths.forwards(&self.model, &mut self.trail, flow.task as usize, &from)?;
                }
            } else if let Some(task) = self.pending.backwards.pop() {
                let flows = self.model.instance.before.of(task);
                *looked += lanes * flows.len() as u64;
                for flow in flows {
                    let to = super::super::instance::Flow { task: index(task), ..*flow };
                    self.paths.backwards(&self.model, &mut self.trail, flow.task as usize, &to)?;
                }
            } else if let Some(lane) = self.pending.lanes.pop() {
                self.turns.follow(&self.model, &mut self.trail, lane, looked)?;
            } else {
                return self.load.follow(&self.model, &mut self.trail, looked);
            }
        }
    }

    /// What must be looked at when a side is known better.
    fn note(&mut self, side: usize) -> Result<(), Contradiction> {
        let number = side / 2;
        match self.model.meaning(number) {
            Meaning::On { task, lane } => {
                self.kept[number] = side.is_multiple_of(2);
                self.model.one_lane(&mut self.trail, task, &mut self.causes)?;
                self.pending.forwards.push(task);
                self.pending.backwards.push(task);
                self.pending.lanes.push(lane);
            }
            Meaning::Start { task, lane } => {
                if side.is_multiple_of(2) {
                    self.pending.forwards.push(task);
                } else {
                    self.pending.backwards.push(task);
                }
                self.pending.lanes.push(lane);
            }
            Meaning::Order { one, other } => {
                self.kept[number] = side.is_multiple_of(2);
                for lane in 0..self.model.lanes {
                    let sure = |task: usize| self.model.must(&self.trail, task, lane);
                    if sure(one) || sure(other) {
                        self.pending.lanes.push(lane);
                    }
                }
            }
            Meaning::End => self.model.by_the_end(&mut self.trail)?,
        }
        Ok(())
    }

    /// What to suppose next; nothing when every task has its lane and its turn.
    fn next(&self) -> Option<Fact> {
        let (model, trail) = (&self.model, &self.trail);
        let lanes = (0..model.tasks * model.lanes).filter(|on| !trail.is_known(*on));
        let orders = (0..model.lanes).flat_map(|lane| self.open_orders(lane));
        let number = lanes.chain(orders).max_by_key(|number| (self.weight[*number], usize::MAX - *number))?;
        Some(if self.kept[number] { Fact::at_least(number, 1) } else { Fact::at_most(number, 0) })
    }

    /// The pairs of tasks on a lane of which either may go first.
    fn open_orders(&self, lane: usize) -> Vec<usize> {
        let (model, trail) = (&self.model, &self.trail);
        let is_there =
            |task: &usize| model.must(trail, *task, lane) && model.instance.runtime(*task, lane) > 0;
        let there: Vec<usize> = (0..model.tasks).filter(is_there).collect();
        let pairs = there
            .iter()
            .enumerate()
            .flat_map(|(at, one)| there[at + 1..].iter().map(|other| model.before(*one, *other).number()));
        pairs.filter(|order| !trail.is_known(*order)).collect()
    }

    /// The schedule when every task has its lane and its turn.
    fn placed(&self) -> Placed {
        let (model, instance) = (&self.model, self.model.instance);
        let mut placed = Placed::new(model.tasks);
        for task in 0..model.tasks {
            if let Some(lane) = (0..model.lanes).find(|lane| model.must(&self.trail, task, *lane)) {
                let start = instance.earliest + self.trail.least(model.start(task, lane));
                placed.put(task, lane, start, start + instance.runtime(task, lane));
            }
        }
        placed
    }
}

fn index(task: usize) -> u32 {
    u32::try_from(task).unwrap_or(u32::MAX)
}
