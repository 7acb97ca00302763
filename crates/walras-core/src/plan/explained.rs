//! Why a workflow has no window, over every size of window that it could take.
//!
//! **Problem.** A plain job asks for one size of window; a workflow could run on few nodes for long or on many for a
//! short time. What stands in its way, and the least change that would help, are those of the size that comes off best:
//! the least budget, price cap or deadline, and the highest minimum performance, with which a window of *some* size is
//! found that holds its tasks.
//!
//! **Method.** For each size, the least value with which there is a window at all is that of a plain job of this size
//! ([`crate::explain()`]). The windows that the search then finds, one after another, need not hold the tasks: transfers
//! take as long between fast nodes as between slow ones, and tasks may need what only some nodes have. As a limit is
//! relaxed, the window that is found on the same free time changes only to earlier or cheaper ones and never back, so the
//! next value at which any of them changes is found by bisection, until one holds. The least value over all sizes is the
//! answer. Every change that is named was tried.
//! A minimum performance also changes how large a window must be, so that those that nodes have are tried one by one.
//!
//! **Complexity.** A few scans for each size; more where windows do not hold the tasks. Bounded by slots read and by tasks
//! placed; what was not found by then is not named, and the result says so.

use super::BatchProblem;
use crate::explain::{Case, Sold, below, greatest};
use crate::refine::{Bounded, Care, Places, Size, Strategy, fit, sizes};
use crate::search::{Algorithm, SearchConfig, search_counting};
use crate::slots::SlotList;
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use walras_model::offer::Offers;
use walras_model::quantity::{Money, Performance, Rate, Time};
use walras_model::request::Request;
use walras_model::window::Window;
use walras_model::workflow::{Network, Workflow};
use walras_model::{Explanation, Reason, SmallestChange};

/// At most so many tasks are placed for all explanations of a batch.
const TASKS_PLACED_MAX: u64 = 500_000;
/// At most so many values of a limit are tried for one size of window.
const VALUES_MAX: u32 = 64;
/// At most so many lower performances are tried.
const PERFORMANCES_MAX: usize = 64;

/// What the explanations of a batch have taken.
#[derive(Default)]
pub(super) struct Effort {
    slots_read: u64,
    tasks_placed: u64,
    /// Whether some explanation ended at a bound.
    pub(super) cut_short: bool,
}

impl Effort {
    /// Whether nothing more is to be explained.
    pub(super) fn is_spent(&self, search: &SearchConfig) -> bool {
        self.slots_read >= search.limits.explanation_slots_max || self.tasks_placed >= TASKS_PLACED_MAX
    }
}

/// Why a workflow has no window on these places; `None` where some size has one that holds it.
pub(super) fn explain_workflow(
    problem: &BatchProblem<'_>,
    places: &Places<'_>,
    request: &Request,
    ((workflow, nodes_max), strategy): (Bounded<'_>, Strategy),
    effort: &mut Effort,
) -> Option<Explanation> {
    let slots_left = problem.search.limits.explanation_slots_max.saturating_sub(effort.slots_read);
    let tasks_left = TASKS_PLACED_MAX.saturating_sub(effort.tasks_placed);
    let case = WorkflowCase {
        places,
        offers: problem.offers,
        request,
        config: problem.search,
        network: problem.network,
        workflow,
        nodes_max,
        strategy,
        care: problem.care(workflow),
        slots_left: Cell::new(slots_left),
        tasks_left: Cell::new(tasks_left),
    };
    let explanation = case.explanation();
    effort.slots_read = effort.slots_read.saturating_add(slots_left - case.slots_left.get());
    effort.tasks_placed = effort.tasks_placed.saturating_add(tasks_left - case.tasks_left.get());
    effort.cut_short |= case.spent();
    explanation
}

/// A limit that may be relaxed, with its value as a number: more is laxer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relaxed {
    Budget,
    PriceMax,
    Deadline,
}

/// The least value of a limit that helps, and the size of window that it gives.
type Least = Option<(i64, Size)>;

/// A workflow that has no window.
struct WorkflowCase<'a> {
    places: &'a Places<'a>,
    offers: &'a Offers,
    request: &'a Request,
    config: &'a SearchConfig,
    network: Network,
    workflow: &'a Workflow,
    nodes_max: Option<u32>,
    strategy: Strategy,
    care: Care,
    slots_left: Cell<u64>,
    tasks_left: Cell<u64>,
}

impl WorkflowCase<'_> {
    fn explanation(&self) -> Option<Explanation> {
        let sizes = self.sizes(self.request.performance_min);
        if self.some_size_fits(self.request, &sizes) {
            return None;
        }
        let least = |relaxed| self.least_of_all(relaxed, &sizes);
        let (budget, price_max, deadline) =
            (least(Relaxed::Budget), least(Relaxed::PriceMax), least(Relaxed::Deadline));
        let smallest_change = SmallestChange {
            budget: budget.map(|(value, _)| Money::from_micros(value)),
            price_max: price_max.and_then(|(value, _)| Rate::from_micros_per_second(value)),
            deadline: deadline.and_then(|(value, _)| Time::from_millis(value)),
            // How many nodes a workflow takes is nobody's wish.
            tasks: None,
            performance_min: self.highest_performance_min(),
            resources: BTreeMap::new(),
        };
        if self.spent() && smallest_change == SmallestChange::default() {
            return Some(Explanation { reasons: vec![Reason::NotExamined], smallest_change });
        }
        let shown = budget.or(price_max).or(deadline).map(|(_, size)| size);
        let reasons = match shown {
            Some(size) => self.of_size(size, |case| case.limit_reasons(&smallest_change)),
            None => self.other_reasons(&sizes),
        };
        Some(Explanation { reasons, smallest_change })
    }

    fn sizes(&self, performance_min: Performance) -> Vec<Size> {
        let all = sizes(
            (self.workflow, self.nodes_max),
            self.places.seen(),
            self.network,
            performance_min,
            self.care,
        );
        all.into_iter().flatten().collect()
    }

    fn spent(&self) -> bool {
        self.slots_left.get() == 0 || self.tasks_left.get() == 0
    }

    /// What is said of a plain job of this size.
    fn of_size<T>(&self, size: Size, say: impl FnOnce(&Case<'_>) -> T) -> T {
        let request = size.asked_by(self.request);
        let case = Case {
            list: self.places.list(),
            offers: self.places.seen(),
            // A place is for one task at a time.
            sold: Sold { offers: self.places.seen(), whole: true, shared: None },
            request: &request,
            config: self.config,
            slots_read: Cell::new(0),
        };
        let said = say(&case);
        self.slots_left.set(self.slots_left.get().saturating_sub(case.slots_read.get()));
        said
    }

    /// The window that the search finds on a list for a request as large as this.
    fn window(&self, list: &SlotList, request: &Request) -> Option<Window> {
        let mut slots_read = 0;
        let found = search_counting(list, self.places.seen(), request, self.config, &mut slots_read);
        self.slots_left.set(self.slots_left.get().saturating_sub(slots_read.max(1)));
        found
    }

    fn holds(&self, request: &Request, window: &Window) -> bool {
        let tasks = u64::try_from(self.workflow.tasks().len()).unwrap_or(u64::MAX);
        self.tasks_left.set(self.tasks_left.get().saturating_sub(tasks.max(1)));
        let how = (self.strategy, self.care);
        let window = self.places.told(window);
        fit(self.workflow, self.offers, self.network, request, how, &window).is_some()
    }

    fn some_size_fits(&self, request: &Request, sizes: &[Size]) -> bool {
        sizes.iter().any(|size| {
            let asked = size.asked_by(request);
            self.windows_on_end(&asked, |_, window| window.is_some_and(|window| self.holds(&asked, window)))
        })
    }

    /// Goes through the windows of a request, one after another, with what is free before each, until `is_it` says so: whether it did.
    /// The last that it sees is none, where the search finds no more.
    fn windows_on_end(
        &self,
        request: &Request,
        mut is_it: impl FnMut(&SlotList, Option<&Window>) -> bool,
    ) -> bool {
        let mut left = Cow::Borrowed(self.places.list());
        for _ in 0..self.care.windows() {
            if self.spent() {
                return false;
            }
            let window = self.window(&left, request);
            if is_it(&left, window.as_ref()) {
                return true;
            }
            if window.is_none_or(|window| left.to_mut().subtract(&window).is_err()) {
                return false;
            }
        }
        false
    }

    fn least_of_all(&self, relaxed: Relaxed, sizes: &[Size]) -> Least {
        let mut best: Least = None;
        for size in sizes.iter().take_while(|_| !self.spent()) {
            let Some(first) = self.first_value(relaxed, *size) else { continue };
            let first = self.given(relaxed).map_or(first, |given| first.max(given.saturating_add(1)));
            let below = best.map_or(i64::MAX, |(value, _)| value);
            if let Some(value) = self.least_that_holds(relaxed, *size, first, below) {
                best = Some((value, *size));
            }
        }
        best
    }

    /// The limit that was given. Other windows are found with a lower one, and they may hold the tasks; but to ask for less is no help.
    fn given(&self, relaxed: Relaxed) -> Option<i64> {
        match relaxed {
            Relaxed::Budget => self.request.budget.map(Money::as_micros),
            Relaxed::Deadline => self.request.deadline.map(Time::as_millis),
            Relaxed::PriceMax => None,
        }
    }

    /// The least value with which there is a window of this size at all.
    fn first_value(&self, relaxed: Relaxed, size: Size) -> Option<i64> {
        self.of_size(size, |case| match relaxed {
            Relaxed::Budget => case.least_budget().map(Money::as_micros),
            Relaxed::PriceMax => case.least_price_max().map(Rate::as_micros_per_second),
            Relaxed::Deadline => case.least_deadline().map(Time::as_millis),
        })
    }

    /// The least value from `first` on and below `below` with which a window of this size is found that holds the tasks.
    fn least_that_holds(&self, relaxed: Relaxed, size: Size, first: i64, below: i64) -> Option<i64> {
        let asked = |value| relaxed.set(size.asked_by(self.request), value, self.config);
        let last = below.saturating_sub(1).min(relaxed.last(self.offers));
        let mut value = first;
        for _ in 0..VALUES_MAX {
            if value > last || self.spent() {
                return None;
            }
            let request = asked(value)?;
            let mut same_until = last;
            let held = self.windows_on_end(&request, |left, window| {
                if window.is_some_and(|window| self.holds(&request, window)) {
                    return true;
                }
                let same = |value| {
                    asked(value).is_some_and(|request| self.window(left, &request).as_ref() == window)
                };
                same_until = greatest(value, same_until, same).unwrap_or(value);
                false
            });
            if held {
                return Some(value);
            }
            // With the next value, one of the windows is another.
            value = same_until.checked_add(1)?;
        }
        None
    }

    /// The highest performance below the job's own, of those that nodes have, with which some size fits.
    fn highest_performance_min(&self) -> Option<Performance> {
        let fits = |performance_min| {
            let request = Request { performance_min, ..self.request.clone() };
            self.some_size_fits(&request, &self.sizes(performance_min))
        };
        // Windows have another size with each, so that one may do where a lower one does not.
        let slower = below(self.offers, self.request.performance_min).into_iter().rev();
        slower.take(PERFORMANCES_MAX).take_while(|_| !self.spent()).find(|performance| fits(*performance))
    }

    /// No single limit is in the way: nodes, their free time, several limits, or what windows hold.
    fn other_reasons(&self, sizes: &[Size]) -> Vec<Reason> {
        let of_nodes = sizes.iter().map(|size| self.of_size(*size, |case| case.node_reasons()));
        let of_nodes: Vec<Vec<Reason>> = of_nodes.collect();
        if of_nodes.iter().all(|reasons| !reasons.is_empty()) {
            return of_nodes.into_iter().next().unwrap_or_else(|| vec![Reason::TasksDoNotFit]);
        }
        let enough = sizes.iter().zip(&of_nodes).filter(|(_, reasons)| reasons.is_empty());
        let of_time: Vec<Vec<Reason>> =
            enough.map(|(size, _)| self.of_size(*size, |case| case.time_reasons())).collect();
        if of_time.iter().all(|reasons| !reasons.is_empty()) {
            return of_time.into_iter().flatten().min_by_key(nearness).into_iter().collect();
        }
        let unlimited = Request { budget: None, price_max: None, deadline: None, ..self.request.clone() };
        let limits = [
            self.request.budget.is_some() || self.request.price_max.is_some(),
            self.request.deadline.is_some(),
        ];
        let several = limits.iter().all(|limited| *limited) && self.some_size_fits(&unlimited, sizes);
        vec![if several { Reason::SeveralLimits } else { Reason::TasksDoNotFit }]
    }
}

/// How far a reason of free time is from a window: nodes that are missing, or else how long no slot is.
fn nearness(reason: &Reason) -> (u8, i64) {
    match reason {
        Reason::TooFewAtOnce { most, needed } => (0, i64::from(*needed) - i64::from(*most)),
        Reason::SlotsTooShort { runtime_min } => (1, runtime_min.as_millis()),
        _ => (2, 0),
    }
}

impl Relaxed {
    /// The request with another limit; `None` where the value is none.
    fn set(self, mut request: Request, value: i64, config: &SearchConfig) -> Option<Request> {
        match self {
            Relaxed::Budget => request.budget = Some(Money::from_micros(value)),
            Relaxed::PriceMax => {
                request.price_max = Some(Rate::from_micros_per_second(value)?);
                // A cap from which no budget follows that can be counted would be no limit.
                if config.algorithm != Algorithm::Alp {
                    request.budget_limit(config.budget_factor)?;
                }
            }
            Relaxed::Deadline => request.deadline = Some(Time::from_millis(value)?),
        }
        Some(request)
    }

    /// Beyond this nothing changes, or no price goes.
    fn last(self, offers: &Offers) -> i64 {
        match self {
            Relaxed::Budget | Relaxed::PriceMax => i64::MAX / 4,
            Relaxed::Deadline => offers.horizon().end().as_millis(),
        }
    }
}
