//! A plan while it is made: who is where, what is left, and who may move.

mod ahead;
mod behind;
mod displaced;

use super::calendar::{Calendar, Groups};
use super::nodes::{Seeking, is_same, spot_of, windows};
use super::search::{Wanted, Within, budget_of};
use super::spot::Spot;
use super::{
    Agenda, AgendaProblem, AgendaRules, Claim, Late, Placed, Promise, PromiseLimits, Terms, Until, Waiting,
};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use walras_model::interval::Interval;
use walras_model::offer::{Offers, Slot};
use walras_model::quantity::{Money, Performance, Span, Time};

/// Somebody who waits, and what the searches need of it.
struct Entry<'a> {
    waiting: &'a Waiting<'a>,
    /// Made when it is first looked for.
    wanted: OnceCell<Wanted>,
    spot: Option<Spot>,
    promise: Option<Promise>,
    renewed: bool,
    /// It starts soon before others, and stays where it is.
    fixed: bool,
}

/// A plan of some, and what it leaves free.
struct Plan {
    free: Calendar,
    spots: Vec<(usize, Spot)>,
    /// Those of them who cannot have what they were promised.
    broken: Vec<usize>,
}

/// See the module's documentation.
pub(super) struct Course<'a> {
    problem: &'a AgendaProblem<'a>,
    groups: Groups,
    entries: Vec<Entry<'a>>,
    /// What everybody's windows leave free.
    left: Calendar,
    /// The performance of the fastest node.
    fastest: Option<Performance>,
    searches: u64,
    steps_read: u64,
}

impl<'a> Course<'a> {
    pub(super) fn new(problem: &'a AgendaProblem<'a>) -> Course<'a> {
        let groups = Groups::new(problem.offers);
        let mut left = Calendar::new(&groups);
        let mut entries = Vec::with_capacity(problem.jobs.len());
        for waiting in problem.jobs {
            let planned = waiting.planned.as_deref().filter(|_| waiting.promise.is_some());
            let spot = planned.and_then(|window| spot_of(&groups, waiting.worth, window));
            let spot = spot.filter(|spot| spot.is_free(&left));
            if let Some(spot) = &spot {
                spot.take(&mut left);
            }
            let promise = waiting.promise;
            let wanted = OnceCell::new();
            entries.push(Entry { waiting, wanted, spot, promise, renewed: false, fixed: false });
        }
        let fastest = problem.offers.nodes().iter().map(|node| node.performance).max();
        Course { problem, groups, entries, left, fastest, searches: 0, steps_read: 0 }
    }

    /// Everybody planned.
    pub(super) fn run(mut self) -> Agenda {
        let movable = self.movable();
        self.settle(&movable);
        self.place_displaced();
        let (within, funds) = self.place_newcomers();
        self.go_ahead();
        self.keep_after_all();
        self.place_behind(within, funds);
        self.make_firm();
        let limit_hit = self.is_spent();
        Agenda { placed: self.placed(), searches: self.searches, steps_read: self.steps_read, limit_hit }
    }

    fn is_spent(&self) -> bool {
        self.steps_read >= self.problem.rules.steps_max
    }

    /// Who may be planned again: those who are planned first, in order of promise.
    fn movable(&self) -> Vec<usize> {
        let promised = |place: &usize| self.may_move(*place);
        let all: Vec<usize> = (0..self.entries.len()).filter(promised).collect();
        // Who has no spot is first; what is planned far ahead is in nobody's way now.
        let mut order = self.in_turn(self.by_start(&all));
        order.truncate(self.problem.rules.replanned_max as usize);
        order.sort_by_key(|place| {
            let entry = &self.entries[*place];
            (!entry.waiting.overdue, entry.promise.map(|promise| promise.start), entry.waiting.came)
        });
        order
    }

    /// What somebody must have: what it was promised, and no later than it is planned where it is overdue.
    fn bound(&self, place: usize) -> Within {
        let entry = &self.entries[place];
        let promise = within(entry.promise);
        match entry.spot.as_ref().filter(|_| entry.waiting.overdue && entry.promise.is_some()) {
            Some(spot) => Within {
                start: promise.start.min(spot.start),
                finish: promise.finish.min(spot.finish),
                ..promise
            },
            None => promise,
        }
    }

    /// The same with owners taking turns, where there are more than can be planned again.
    fn in_turn(&self, order: Vec<usize>) -> Vec<usize> {
        if order.len() <= self.problem.rules.replanned_max as usize {
            return order;
        }
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let turn = |place: usize| {
            let count = counts.entry(self.entries[place].waiting.owner).or_default();
            *count += 1;
            (*count, place)
        };
        let mut turns: Vec<(usize, usize)> = order.into_iter().map(turn).collect();
        turns.sort_by_key(|(turn, _)| *turn);
        turns.into_iter().map(|(_, place)| place).collect()
    }

    /// The same in order of where they are planned.
    fn by_start(&self, movable: &[usize]) -> Vec<usize> {
        let mut order = movable.to_vec();
        order.sort_by_key(|place| {
            let entry = &self.entries[*place];
            (entry.spot.as_ref().map(|spot| spot.start), entry.waiting.came)
        });
        order
    }

    /// What is free without the spots of these.
    fn without(&self, movable: &[usize]) -> Calendar {
        let mut free = self.left.clone();
        for spot in movable.iter().filter_map(|place| self.entries[*place].spot.as_ref()) {
            spot.release(&mut free);
        }
        free
    }

    fn search(&mut self, free: &Calendar, place: usize, within: Within) -> Option<Spot> {
        let nodes = self.problem.offers.nodes();
        let admits = self.problem.admits.map(|admits| {
            move |slot: &Slot, at: Interval| admits(place, nodes[slot.node().index()].site, at)
        });
        let admits = admits.as_ref().map(|admits| admits as &dyn Fn(&Slot, Interval) -> bool);
        self.searches += 1;
        let wanted = self.entries[place].wanted(self.problem.offers, &self.groups);
        wanted.best(free, within, admits, &self.groups, &mut self.steps_read)
    }

    /// The same on what all leave free.
    fn search_left(&mut self, place: usize, within: Within) -> Option<Spot> {
        self.on_left(|course, left| course.search(left, place, within))
    }

    /// Looks for something on what all leave free.
    fn on_left(&mut self, look: impl FnOnce(&mut Self, &Calendar) -> Option<Spot>) -> Option<Spot> {
        let left = std::mem::replace(&mut self.left, Calendar::empty());
        let found = look(self, &left);
        self.left = left;
        found
    }

    /// Plans these in this order, each at its best within its promise; `None` where that cannot be. Who has lost its spot, and with it what it
    /// was promised, keeps its turn: it ends as soon as the others allow.
    fn plan(&mut self, mut free: Calendar, order: &[usize]) -> Option<Plan> {
        let mut spots = Vec::with_capacity(order.len());
        let mut broken = Vec::new();
        for place in order {
            if self.is_spent() {
                return None;
            }
            let mut found = self.search(&free, *place, self.bound(*place));
            if found.is_none() && self.entries[*place].spot.is_none() {
                broken.push(*place);
                found = self.search_again(&free, *place);
            }
            let found = found?;
            // Where what it has is as good, it stays.
            let before = self.entries[*place].spot.as_ref().filter(|before| before.key() <= found.key());
            let spot = before.filter(|before| before.is_free(&free)).cloned().unwrap_or(found);
            spot.take(&mut free);
            spots.push((*place, spot));
        }
        Some(Plan { free, spots, broken })
    }

    fn adopt(&mut self, plan: Plan) {
        for (place, spot) in plan.spots {
            self.entries[place].spot = Some(spot);
        }
        for place in plan.broken {
            self.entries[place].renewed = true;
            self.promise_anew(place, i64::MAX);
        }
        self.left = plan.free;
    }

    /// Plans all again by promise; where that breaks one, each moves only where that is better.
    fn settle(&mut self, movable: &[usize]) {
        if movable.is_empty() {
            return;
        }
        if let Some(plan) = self.plan(self.without(movable), movable) {
            return self.adopt(plan);
        }
        for place in self.by_start(movable) {
            if self.is_spent() {
                return;
            }
            let bound = self.bound(place);
            self.move_if(place, bound, |found, before| found < before);
        }
    }

    /// Moves somebody to its best spot beside all others, if that is good enough compared with where it is.
    fn move_if(
        &mut self,
        place: usize,
        within: Within,
        good: impl Fn((i128, i64), (i128, i64)) -> bool,
    ) -> bool {
        let Some(before) = self.entries[place].spot.take() else { return false };
        before.release(&mut self.left);
        let found = self.search_left(place, within).filter(|found| good(found.key(), before.key()));
        let moves = found.is_some();
        let spot = found.unwrap_or(before);
        spot.take(&mut self.left);
        self.entries[place].spot = Some(spot);
        moves
    }

    /// Gives what is left to those who come after them: time, and money.
    fn place_newcomers(&mut self) -> (Within, Vec<i64>) {
        let mut within = Within::ANY;
        let mut funds: Vec<i64> = self.problem.funds.iter().map(|funds| funds.as_micros()).collect();
        for place in 0..self.entries.len() {
            let Waiting { promise, behind, .. } = self.entries[place].waiting;
            if promise.is_some() || !behind.is_empty() || self.is_spent() {
                continue;
            }
            let payer = self.entries[place].waiting.payer.filter(|payer| *payer < funds.len());
            let cost = payer.map_or(i64::MAX, |payer| funds[payer]);
            let within_funds = Within { cost, ..within };
            let found = self.search_left(place, within_funds);
            let found = found.or_else(|| self.search_late(place, within_funds));
            if found.is_none() && self.entries[place].waiting.overdue {
                let wanted = self.entries[place].wanted(self.problem.offers, &self.groups);
                let now = self.problem.now.as_millis();
                let kept = wanted.free_for_good(&self.left, &self.groups, now, cost);
                within.finish = within.finish.min(kept.unwrap_or(i64::MAX));
            }
            self.put(place, found, cost);
            if let Some((payer, promise)) = payer.zip(self.entries[place].promise) {
                funds[payer] = funds[payer].saturating_sub(promise.cost.as_micros());
            }
        }
        (within, funds)
    }

    /// Where somebody ends first who cannot end by its deadline, if such are run; its deadline then counts no more.
    fn search_late(&mut self, place: usize, within: Within) -> Option<Spot> {
        let Waiting { request, worth, .. } = self.entries[place].waiting;
        if self.problem.rules.late == Late::Refused || request.deadline.is_none() {
            return None;
        }
        let wanted = Wanted::new(&self.groups, self.problem.offers, request, *worth).without_deadline();
        let soonest = wanted.ending_first();
        let before = std::mem::replace(&mut self.entries[place].wanted, OnceCell::from(soonest));
        let mut found = self.search_left(place, within);
        if let Some(spot) = &mut found {
            spot.score = worth.score(spot.cost, spot.finish);
        }
        self.entries[place].wanted = if found.is_some() { OnceCell::from(wanted) } else { before };
        found
    }

    /// Puts somebody where there is room, with a promise where it has none that holds.
    fn put(&mut self, place: usize, found: Option<Spot>, funds: i64) {
        let entry = &mut self.entries[place];
        let Some(spot) = found else {
            entry.promise = None;
            return;
        };
        spot.take(&mut self.left);
        entry.spot = Some(spot);
        if entry.promise.is_none() || entry.renewed {
            self.promise_anew(place, funds);
        }
    }

    /// Promises somebody what it has.
    fn promise_anew(&mut self, place: usize, funds: i64) {
        let entry = &mut self.entries[place];
        let Some(spot) = &entry.spot else { return };
        let limits = PromiseLimits {
            deadline: entry.waiting.request.deadline,
            funds: Money::from_micros(budget_of(entry.waiting.request).min(funds)),
            shortest: entry.wanted.get().and_then(Wanted::shortest),
        };
        entry.promise = Some(self.problem.rules.promise(self.problem.now, terms(spot), limits));
    }

    /// Where promises wait for that, whoever came first of those who do not start soon is promised what is planned for it.
    fn make_firm(&mut self) {
        let (now, soon) = (self.problem.now, self.problem.soon.as_millis());
        if self.problem.rules.until != Until::First {
            return;
        }
        let waits =
            self.entries.iter_mut().filter(|it| it.spot.as_ref().is_some_and(|spot| spot.start > soon));
        let Some(first) = waits.min_by_key(|entry| entry.waiting.came) else { return };
        if let Some((promise, spot)) = first.promise.as_mut().zip(first.spot.as_ref()) {
            let rules = AgendaRules { until: Until::Planned, ..self.problem.rules };
            *promise = promise.and(rules.promise(now, terms(spot), PromiseLimits::NONE));
        }
    }

    /// Everybody with their nodes.
    fn placed(&self) -> Vec<Option<Placed>> {
        let groups = &self.groups;
        let mut places = Vec::new();
        let mut seeking = Vec::new();
        for (place, entry) in self.entries.iter().enumerate() {
            if let Some(spot) = &entry.spot {
                places.push(place);
                let Waiting { request, planned, .. } = entry.waiting;
                seeking.push(Seeking { spot, before: planned.as_deref(), request });
            }
        }
        let mut placed = vec![None; self.entries.len()];
        for (place, window) in places.into_iter().zip(windows(self.problem.offers, groups, &seeking)) {
            let entry = &self.entries[place];
            placed[place] = entry.promise.zip(window).map(|(promise, window)| Placed {
                changed: entry.waiting.promise != Some(promise)
                    || entry.waiting.planned.as_deref().is_none_or(|planned| !is_same(planned, &window)),
                window,
                promise,
                renewed: entry.renewed,
            });
        }
        placed
    }
}

impl Entry<'_> {
    fn wanted(&self, offers: &Offers, groups: &Groups) -> &Wanted {
        let Waiting { request, worth, .. } = self.waiting;
        self.wanted.get_or_init(|| {
            let wanted = Wanted::new(groups, offers, request, *worth);
            let late = request.deadline.zip(self.promise).is_some_and(|(by, promise)| promise.finish > by);
            if late { wanted.without_deadline() } else { wanted }
        })
    }

    fn claim(&self) -> Claim {
        let request = self.waiting.request;
        Claim {
            came: self.waiting.came.as_millis(),
            estimate: self.waiting.likely.map_or(request.work.as_millis(), Span::as_millis),
            nodes: request.tasks,
        }
    }
}

/// A spot as its user sees it.
fn terms(spot: &Spot) -> Terms {
    let at = |millis: i64| Time::from_millis(millis).unwrap_or(Time::MAX);
    Terms {
        start: at(spot.start),
        finish: at(spot.finish),
        cost: Money::from_micros(i64::try_from(spot.cost).unwrap_or(i64::MAX)),
    }
}

/// What a promise leaves.
fn within(promise: Option<Promise>) -> Within {
    promise.map_or(Within::ANY, |promise| Within {
        start: promise.start.as_millis(),
        finish: promise.finish.as_millis(),
        cost: promise.cost.as_micros(),
    })
}
