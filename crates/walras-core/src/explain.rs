//! Why a job has no window, and the smallest single change that would give it one.
//!
//! **Problem.** A user whose job fits nowhere wants to know what stands in the way and what to change: the
//! least budget, the earliest deadline that can be met, the largest number of tasks, the highest minimum
//! performance, or the most memory or GPUs that gives a window, each with everything else left as it is.
//!
//! **Method.** Each change is itself a search on the same list. Budget: the cheapest window without the
//! budget. Price cap under ALP: the window whose dearest slot is cheapest. Deadline: the window that ends
//! first without the deadline. Tasks, performance and amounts (`explain/lesser.rs`): feasibility only grows as they fall, so bisection over
//! plain searches finds the limit. Every answer is exact.
//!
//! **Complexity.** A few scans, plus one for each step of the bisections.

mod cheaper;
mod lesser;

pub use cheaper::{Cheaper, Taken, cheaper};
pub(crate) use lesser::lessen;

use crate::search::{
    Algorithm, Candidate, Criterion, SearchConfig, Selector, SharedTime, View, best_by, has_window, scan,
    states,
};
use crate::slots::SlotList;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::ControlFlow;
use walras_model::offer::{Node, Offers};
use walras_model::quantity::{Fixed, MILLION, Money, Performance, Rate, Span, Time, rounding};
use walras_model::request::Request;
use walras_model::window::Window;
use walras_model::{Explanation, Reason, Requirement, SmallestChange, Test};

/// Why `request` has no window on `list`, and the least changes that would give it one.
///
/// Call it only for a request without a window.
pub fn explain(list: &SlotList, offers: &Offers, request: &Request, config: &SearchConfig) -> Explanation {
    explain_counting(list, (offers, Sold { offers, whole: true, shared: None }), request, config, &mut 0)
}

/// The nodes as their owners sell them: where they are sold in units, a search is on lanes of them.
#[derive(Clone, Copy)]
pub(crate) struct Sold<'a> {
    pub(crate) offers: &'a Offers,
    /// Whether a task takes a node whole all the same.
    pub(crate) whole: bool,
    /// What is free of them, where they are searched on lanes.
    pub(crate) shared: Option<&'a SharedTime>,
}

impl Sold<'_> {
    /// How many tasks that require this have room on a node side by side, whomever it is kept for.
    fn room(&self, node: &Node, requires: &[Requirement]) -> u32 {
        let units = node.units_of_all(requires);
        units.map_or(0, |units| if self.whole { 1 } else { node.division.units() / units.max(1) })
    }
}

/// The same, counting the slots read.
pub(crate) fn explain_counting(
    list: &SlotList,
    (offers, sold): (&Offers, Sold<'_>),
    request: &Request,
    config: &SearchConfig,
    slots_read: &mut u64,
) -> Explanation {
    let case = Case { list, offers, sold, request, config, slots_read: Cell::new(*slots_read) };
    let explanation = case.explanation();
    *slots_read = case.slots_read.get();
    explanation
}

/// A request that has no window.
pub(crate) struct Case<'a> {
    pub(crate) list: &'a SlotList,
    pub(crate) offers: &'a Offers,
    pub(crate) sold: Sold<'a>,
    pub(crate) request: &'a Request,
    pub(crate) config: &'a SearchConfig,
    pub(crate) slots_read: Cell<u64>,
}

impl Case<'_> {
    fn explanation(&self) -> Explanation {
        let case = self;
        let smallest_change = SmallestChange {
            budget: case.least_budget(),
            price_max: case.least_price_max(),
            deadline: case.least_deadline(),
            tasks: case.most_tasks(),
            performance_min: case.highest_performance_min(),
            resources: case.less_of_each(),
        };
        let mut reasons = case.node_reasons();
        if reasons.is_empty() {
            reasons = case.time_reasons();
        }
        if reasons.is_empty() {
            reasons = case.limit_reasons(&smallest_change);
        }
        Explanation { reasons, smallest_change }
    }

    fn view(&self, request: &Request) -> View {
        View::new(self.offers, request, &self.config.algorithm, self.config.budget_factor)
    }

    fn has_window(&self, change: impl FnOnce(&mut Request)) -> bool {
        let mut request = self.request.clone();
        change(&mut request);
        self.counting(|slots_read| has_window(self.list, &self.view(&request), slots_read))
    }

    /// Adds what a search reads to the count.
    fn counting<T>(&self, search: impl FnOnce(&mut u64) -> T) -> T {
        let mut slots_read = self.slots_read.get();
        let found = search(&mut slots_read);
        self.slots_read.set(slots_read);
        found
    }

    fn best_by(&self, view: &View, criterion: &Criterion) -> Option<Window> {
        self.counting(|slots_read| best_by(self.list, self.offers, view, criterion, slots_read))
    }

    pub(crate) fn is_alp(&self) -> bool {
        self.config.algorithm == Algorithm::Alp
    }

    /// The budget that binds, if any does.
    pub(crate) fn budget(&self) -> Option<Money> {
        if self.is_alp() {
            return self.request.budget;
        }
        self.request.budget_limit(self.config.budget_factor)
    }

    pub(crate) fn least_budget(&self) -> Option<Money> {
        self.budget()?;
        let mut view = self.view(self.request);
        view.budget = i64::MAX;
        self.best_by(&view, &Criterion::Cost).map(|window| window.cost())
    }

    pub(crate) fn least_price_max(&self) -> Option<Rate> {
        self.request.price_max?;
        if self.is_alp() {
            let mut view = self.view(self.request);
            view.rate_max = i64::MAX;
            let window = self.best_by(&view, &Criterion::Price)?;
            let slots = window.placements().iter().filter_map(|placement| self.list.get(placement.source));
            let user = self.request.user.as_deref();
            return slots.map(|slot| self.offers.rate_for(slot, user)).max();
        }
        match self.request.budget {
            Some(_) => None,
            None => self.price_max_for(self.least_budget()?),
        }
    }

    /// The least price cap from which a budget of at least `needed` follows.
    ///
    /// S = floor(k · tasks · p) ≥ needed for the price p = ceil(C · t) of one task.
    fn price_max_for(&self, needed: Money) -> Option<Rate> {
        let share = i128::from(self.request.tasks) * i128::from(self.config.budget_factor.as_millionths());
        let price = rounding::up(i128::from(needed.as_micros()) * i128::from(MILLION), share);
        let runtime = self.request.work.millis_on(self.request.performance_min);
        let rate = i64::try_from(rounding::down((price - 1) * 1_000, runtime) + 1).ok()?;
        Rate::from_micros_per_second(rate)
    }

    pub(crate) fn least_deadline(&self) -> Option<Time> {
        self.request.deadline?;
        let mut view = self.view(self.request);
        view.deadline = Time::MAX.as_millis();
        self.best_by(&view, &Criterion::Finish).map(|window| window.end())
    }

    fn most_tasks(&self) -> Option<u32> {
        let fits = |tasks| self.has_window(|request| request.tasks = tasks);
        greatest(1, i64::from(self.request.tasks) - 1, |tasks| u32::try_from(tasks).is_ok_and(fits))
            .and_then(|tasks| u32::try_from(tasks).ok())
    }

    fn highest_performance_min(&self) -> Option<Performance> {
        let fits =
            |performance: Performance| self.has_window(|request| request.performance_min = performance);
        let own = self.request.performance_min;
        let budget_follows =
            !self.is_alp() && self.request.budget.is_none() && self.request.price_max.is_some();
        if budget_follows {
            // A lower minimum also raises the budget: any value may be the first that fits.
            let fits = |millionths| Performance::from_millionths(millionths).is_some_and(fits);
            return greatest(1, own.as_millionths() - 1, fits).and_then(Performance::from_millionths);
        }
        highest_below(self.offers, own, fits)
    }

    /// Too few nodes, whatever time it is: whatever by itself leaves too few is named, and then all together.
    pub(crate) fn node_reasons(&self) -> Vec<Reason> {
        let request = self.request;
        let fitting = count_u32(self.view(request).nodes_fitting);
        if fitting >= request.tasks {
            return Vec::new();
        }
        let sold = self.sold;
        let performance_min = request.performance_min;
        let room_for =
            |node: &Node, requires: &[Requirement]| request.scope.side_by_side(sold.room(node, requires));
        let room = |node: &Node, fits: bool| if fits { room_for(node, &[]) } else { 0 };
        let mut reasons = Vec::new();
        if let Some((nodes, needed)) = self.short(|node| room(node, node.performance >= performance_min)) {
            reasons.push(Reason::TooSlow { performance_min, nodes, needed });
        }
        for requirement in &request.requires {
            let alone = std::slice::from_ref(requirement);
            if let Some((nodes, needed)) = self.short(|node| room_for(node, alone)) {
                reasons.push(Reason::RequirementUnmet { requirement: requirement.clone(), nodes, needed });
            }
        }
        let admits = |node: &Node| node.division.admits(request.asked());
        if let Some((nodes, needed)) = self.short(|node| room(node, admits(node))) {
            reasons.push(Reason::KeptForOthers { asked: self.asked_elsewhere(), nodes, needed });
        }
        if let Algorithm::Criterion(criterion) = &self.config.algorithm
            && let Some((nodes, needed)) = self.short(|node| room(node, states(node, criterion)))
        {
            reasons.push(Reason::CriterionUnstated { criterion: criterion.to_string(), nodes, needed });
        }
        let config = self.config;
        let nodes = View::new(sold.offers, request, &config.algorithm, config.budget_factor).nodes_fitting;
        let theirs = sold.offers.nodes().iter().filter(|node| admits(node));
        let most = theirs.map(|node| room_for(node, &request.requires)).max();
        let (nodes, needed) = with_more(count_u32(nodes), request.tasks - fitting, most.unwrap_or(0));
        reasons.push(Reason::TooFewNodes { nodes, needed });
        reasons
    }

    /// The least that tasks must ask for where they have no place as they are.
    fn asked_elsewhere(&self) -> Vec<Requirement> {
        let mut least: BTreeMap<&str, u64> = BTreeMap::new();
        let nodes = self.sold.offers.nodes().iter().map(|node| &node.division);
        for division in nodes.filter(|it| !it.admits(self.request.asked())) {
            for (resource, asked) in division.only_for().into_iter().flatten() {
                least.entry(resource).and_modify(|least| *least = (*least).min(*asked)).or_insert(*asked);
            }
        }
        least.into_iter().map(|(resource, asked)| at_least(resource, asked)).collect()
    }

    /// How many nodes have room for tasks, and how many would have to, where there is too little.
    fn short(&self, room: impl Fn(&Node) -> u32) -> Option<(u32, u32)> {
        let rooms = || self.sold.offers.nodes().iter().map(&room).filter(|room| *room > 0);
        let all: u64 = rooms().map(u64::from).sum();
        let missing = u64::from(self.request.tasks).checked_sub(all).filter(|missing| *missing > 0)?;
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        Some(with_more(count_u32(rooms().count()), missing, rooms().max().unwrap_or(0)))
    }

    /// Enough nodes, but never enough time on them, at any price and by any deadline.
    pub(crate) fn time_reasons(&self) -> Vec<Reason> {
        let mut view = self.view(self.request);
        (view.budget, view.rate_max, view.deadline) = (i64::MAX, i64::MAX, Time::MAX.as_millis());
        let most = self.counting(|slots_read| most_at_once(self.list, &view, slots_read));
        let needed = self.request.tasks;
        if most >= needed {
            return Vec::new();
        }
        match Span::from_millis(view.runtime_min) {
            Some(runtime_min) if most == 0 => vec![Reason::SlotsTooShort { runtime_min }],
            _ => vec![Reason::TooFewAtOnce { most, needed }],
        }
    }

    /// There are windows, but none within the job's limits.
    pub(crate) fn limit_reasons(&self, change: &SmallestChange) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let (Some(budget), Some(needed)) = (self.budget(), change.budget) {
            reasons.push(Reason::BudgetTooSmall { budget, needed });
        }
        if let (true, Some(price_max), Some(needed)) =
            (self.is_alp(), self.request.price_max, change.price_max)
        {
            reasons.push(Reason::PriceCapTooLow { price_max, needed });
        }
        if let (Some(deadline), Some(needed)) = (self.request.deadline, change.deadline) {
            reasons.push(Reason::DeadlineTooEarly { deadline, needed });
        }
        if reasons.is_empty() {
            reasons.push(Reason::SeveralLimits);
        }
        reasons
    }
}

/// The greatest of `low..=high` that fits, where everything below one that fits does too.
pub(crate) fn greatest(low: i64, high: i64, fits: impl Fn(i64) -> bool) -> Option<i64> {
    if low > high || !fits(low) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    Some(low)
}

/// The performances below `own` that nodes have, the least first.
pub(crate) fn below(offers: &Offers, own: Performance) -> Vec<Performance> {
    let mut slower: Vec<Performance> = offers.nodes().iter().map(|node| node.performance).collect();
    slower.retain(|performance| *performance < own);
    slower.sort_unstable();
    slower.dedup();
    slower
}

/// The highest performance below `own` that fits, of those that nodes have; all below one that fits do too.
fn highest_below(
    offers: &Offers,
    own: Performance,
    fits: impl Fn(Performance) -> bool,
) -> Option<Performance> {
    let slower = below(offers, own);
    let last = i64::try_from(slower.len()).ok()? - 1;
    let at = |index: i64| usize::try_from(index).ok().and_then(|index| slower.get(index)).copied();
    greatest(0, last, |index| at(index).is_some_and(&fits)).and_then(at)
}

/// The most candidates of one pool that are ever alive at once.
fn most_at_once(list: &SlotList, view: &View, slots_read: &mut u64) -> u32 {
    /// Counts what is alive, by pool.
    struct Most<'a> {
        view: &'a View,
        pools: Vec<BinaryHeap<Reverse<i64>>>,
        most: usize,
    }
    impl Selector for Most<'_> {
        fn join(&mut self, candidate: Candidate<'_>) -> ControlFlow<()> {
            let pool = &mut self.pools[self.view.pool_of(candidate.slot.node().index())];
            while pool.peek().is_some_and(|Reverse(expiry)| *expiry < candidate.start) {
                pool.pop();
            }
            pool.push(Reverse(candidate.expiry));
            self.most = self.most.max(pool.len());
            ControlFlow::Continue(())
        }
    }
    // With one task, nothing is passed over for being too few.
    let view = View { tasks: 1, ..view.clone() };
    let mut most = Most { view: &view, pools: vec![BinaryHeap::new(); view.pool_count], most: 0 };
    scan(list, &view, &mut most, slots_read);
    count_u32(most.most)
}

fn at_least(resource: &str, amount: u64) -> Requirement {
    let millionths = i64::try_from(amount).unwrap_or(i64::MAX).saturating_mul(MILLION);
    let min = Some(Fixed::from_millionths(millionths));
    Requirement { attribute: resource.to_owned(), test: Test::Range { min, max: None } }
}

/// So many nodes, and how many they would be with room for some more tasks, on nodes like the one that has room for most.
fn with_more(nodes: u32, missing: u32, most: u32) -> (u32, u32) {
    (nodes, nodes.saturating_add(missing.div_ceil(most.max(1))))
}

fn count_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
