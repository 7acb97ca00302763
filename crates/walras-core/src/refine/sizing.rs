//! How large a window a workflow needs: the job tier's question, answered with the application tier's schedules.
//!
//! **Problem.** A workflow could run on few nodes for long or on many for a short time. Windows are asked for as nodes ×
//! work, and their right edge is rough: a faster node is held for a shorter time. Which sizes are worth their price?
//!
//! **Method.** For each number of nodes, list scheduling on as many nodes of the request's least performance says how
//! long the workflow takes there. A window of that length, of a moment more for every task (each is rounded up on its
//! own), and of up to twice that, is searched; the first one into which the workflow can really be placed is an option,
//! with its price and its end. Where the first window of no length holds it, later ones are looked at, one after another;
//! and where tasks need different nodes, windows of nodes of every kind that they need (`kinds`).
//! Of the options the strategy takes the one that ends first, or that costs least.
//!
//! **Complexity.** Numbers of nodes grow by about a third each, so there are O(log width) of them; each takes a list pass,
//! and up to five window searches and placements; where none of these holds the workflow, up to [`WINDOWS_MAX`] for each
//! length.

use super::kinds::Kinds;
use super::length::{held_long, least_work, rounded_up, stretched};
use super::{NoSchedule, RefineEffort, Refined, Strategy, refine};
use crate::search::{SearchConfig, find_window};
use crate::slots::SlotList;
use std::borrow::Cow;
use std::collections::BTreeSet;
use walras_model::id::{NodeId, SiteId};
use walras_model::offer::Offers;
use walras_model::outcome::Outcome;
use walras_model::quantity::{Money, Performance, Time, Work};
use walras_model::request::{Request, Scope};
use walras_model::window::Window;
use walras_model::workflow::Terms;
use walras_model::workflow::{Network, Platform, Workflow};

/// Windows are tried at these multiples of the least length, in hundredths.
const STRETCHES: [i64; 4] = [100, 125, 160, 200];

/// Of one size, so many windows are looked at for one that holds the workflow, or fewer, so that no more than so many tasks are placed in
/// vain.
const WINDOWS_MAX: usize = 64;
const TASKS_PLACED_MAX: usize = 2_000;

/// A window's size as a request states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many nodes at once.
    pub nodes: u32,
    /// For how long: work of each node.
    pub work: Work,
}

impl Size {
    /// The request for a window of this size.
    pub(crate) fn asked_by(self, request: &Request) -> Request {
        Request { tasks: self.nodes, work: self.work, ..request.clone() }
    }
}

/// How closely a workflow is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Every size, by every method.
    Closely {
        /// Of each size so many windows at the most, one after another, until one holds it.
        windows: usize,
    },
    /// List schedules alone, and only so many sizes as can be looked at in so many units of work; one at least.
    Plainly {
        /// A unit is about one look at one task on one node.
        units: u64,
    },
}

/// Looking at a size closely takes about so many units for each task on each node, over all methods and lengths of window;
/// looking plainly so many.
const CLOSE_UNITS: u64 = 160;
const PLAIN_UNITS: u64 = 8;

impl Care {
    /// Closely, if that takes no more than so many units, at as many windows as they suffice for; plainly within them otherwise.
    pub fn within(workflow: &Workflow, offers: &Offers, units: u64) -> Care {
        let nodes: u64 = widths(most_nodes(workflow, offers)).into_iter().map(u64::from).sum();
        let tasks = u64::try_from(workflow.tasks().len()).unwrap_or(u64::MAX);
        let all = tasks.saturating_mul(nodes).saturating_mul(CLOSE_UNITS);
        if all > units {
            return Care::Plainly { units };
        }
        let within = usize::try_from(units / all.max(1)).unwrap_or(usize::MAX);
        let placed = TASKS_PLACED_MAX / workflow.tasks().len().max(1);
        Care::Closely { windows: within.min(placed).clamp(1, WINDOWS_MAX) }
    }

    /// How many windows of one size are looked at, one after another.
    pub(crate) fn windows(self) -> usize {
        match self {
            Care::Closely { windows } => windows,
            Care::Plainly { .. } => 1,
        }
    }

    /// How hard one window is tried.
    pub(crate) fn effort(self, units_max: u64) -> RefineEffort {
        match self {
            Care::Closely { .. } => RefineEffort { units_max, proof_units_max: 0, ..RefineEffort::default() },
            Care::Plainly { .. } => {
                RefineEffort { units_max: 0, proof_units_max: 0, labels_max: 0, ..RefineEffort::default() }
            }
        }
    }

    /// The numbers of nodes that are looked at: all, or every other, and so on, the most among them, until there is work enough for
    /// them; where there is not even enough for one, the most nodes for which there is.
    fn widths(self, tasks: usize, most: u32) -> Vec<u32> {
        let mut all = widths(most);
        let Care::Plainly { units } = self else { return all };
        let tasks = u64::try_from(tasks).unwrap_or(u64::MAX).max(1);
        let nodes_max = units / tasks.saturating_mul(PLAIN_UNITS).max(1);
        while all.len() > 1 && all.iter().copied().map(u64::from).sum::<u64>() > nodes_max {
            let mut keep = all.len().is_multiple_of(2);
            all.retain(|_| {
                keep = !keep;
                keep
            });
        }
        let most = u32::try_from(nodes_max).unwrap_or(u32::MAX).max(1);
        all.iter_mut().for_each(|width| *width = (*width).min(most));
        all
    }
}

fn most_nodes(workflow: &Workflow, offers: &Offers) -> u32 {
    u32::try_from(workflow.width().min(offers.nodes().len())).unwrap_or(u32::MAX)
}

/// A workflow, and how many nodes it may have at the most where somebody says so.
pub type Bounded<'a> = (&'a Workflow, Option<u32>);

/// A size and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeOption {
    /// The size.
    pub size: Size,
    /// The first window of that size into which the workflow goes; `None` when there is none.
    pub fit: Option<SizeFit>,
    /// Among which nodes that is searched, where tasks need different ones.
    pub among: Option<BTreeSet<NodeId>>,
}

impl SizeOption {
    /// Lets a request ask for a window like this.
    pub(crate) fn ask(&self, request: &mut Request) {
        (request.tasks, request.work) = (self.size.nodes, self.size.work);
        request.scope.nodes.clone_from(&self.among);
    }
}

/// A window that holds the workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeFit {
    /// When the window starts.
    pub start: Time,
    /// When its last node is given back.
    pub end: Time,
    /// When the last task ends in it.
    pub finish: Time,
    /// What the window costs.
    pub cost: Money,
}

/// Numbers of nodes worth trying: 1, 2, 3, 4, 6, 8, 11, 15 … up to `most`, which is always there.
fn widths(most: u32) -> Vec<u32> {
    let mut widths = Vec::new();
    let mut next = 1_u32;
    while next < most {
        widths.push(next);
        next = next.saturating_add((next / 3).max(1));
    }
    widths.push(most.max(1));
    widths
}

/// The same for a workflow with tasks that take several nodes: no fewer than the widest of them takes.
fn widths_of_gangs(workflow: &Workflow, mut widths: Vec<u32>, most: u32) -> Vec<u32> {
    let widest = workflow.widest();
    if widest > 1 {
        widths.iter_mut().for_each(|width| *width = (*width).max(widest));
        widths.retain(|width| *width <= most);
        widths.dedup();
    }
    widths
}

/// The sizes of window that a workflow could take, fewest nodes first; for each number of nodes, shortest first.
pub(crate) fn sizes(
    (workflow, nodes_max): Bounded<'_>,
    offers: &Offers,
    network: Network,
    performance_min: Performance,
    care: Care,
) -> Vec<Vec<Size>> {
    let of_width = |nodes| {
        let least = least_work(workflow, nodes, performance_min, network)?;
        let stretched = STRETCHES.iter().filter_map(|stretch| stretched(least, *stretch));
        let mut works: Vec<Work> = stretched.chain(rounded_up(workflow, offers, least)).collect();
        works.sort_unstable();
        works.dedup();
        Some(works.into_iter().map(|work| Size { nodes, work }).collect())
    };
    let most = most_nodes(workflow, offers).min(nodes_max.unwrap_or(u32::MAX));
    let widths = care.widths(workflow.tasks().len(), most);
    widths_of_gangs(workflow, widths, most).into_iter().filter_map(of_width).collect()
}

/// What sizes of window are looked at for.
#[derive(Clone, Copy, Debug)]
pub struct Sizing<'a> {
    /// The workflow.
    pub bounded: Bounded<'a>,
    /// What is for sale.
    pub offers: &'a Offers,
    /// What joins nodes and sites.
    pub network: Network,
    /// Everything but tasks and work.
    pub request: &'a Request,
    /// How tasks are placed.
    pub strategy: Strategy,
    /// How windows are searched.
    pub config: &'a SearchConfig,
    /// How closely is looked.
    pub care: Care,
}

impl Sizing<'_> {
    /// All sizes worth trying, fewest nodes first, with what comes of each on what is free.
    pub fn options(&self, list: &SlotList) -> Vec<SizeOption> {
        let sizes = sizes(self.bounded, self.offers, self.network, self.request.performance_min, self.care);
        let mut options: Vec<SizeOption> =
            sizes.iter().filter_map(|sizes| self.of_width(list, sizes)).collect();
        if options.iter().any(|option| option.fit.is_none()) {
            self.mix(list, &sizes, &mut options);
        }
        options
    }

    /// Gives sizes of which no window holds the workflow one of nodes of every kind that its tasks need. A workflow may need more kinds
    /// than it has tasks that run at a time.
    fn mix(&self, list: &SlotList, sizes: &[Vec<Size>], options: &mut Vec<SizeOption>) {
        let (workflow, most) = self.bounded;
        let Some(kinds) = Kinds::of(workflow, self.offers, self.request) else { return };
        let least = kinds.least_nodes();
        if most.is_some_and(|most| most < least) {
            return;
        }
        let in_turn = least_work(workflow, 1, self.request.performance_min, self.network);
        // A fast node waits for a slow one, and for data on its way from another site.
        let held = |work| held_long(workflow, self.offers, self.network, self.request, work);
        let moved = in_turn.map(held).unwrap_or_default();
        let longest = |nodes| in_turn.into_iter().chain(moved.clone()).map(move |work| Size { nodes, work });
        for (sizes, option) in sizes.iter().zip(options.iter_mut()) {
            let nodes = option.size.nodes;
            if option.fit.is_none() && nodes >= least {
                let mixed = self.mixed(list, &kinds, sizes.iter().copied().chain(longest(nodes)));
                *option = mixed.unwrap_or_else(|| option.clone());
            }
        }
        if options.iter().all(|option| option.size.nodes < least) {
            let works = in_turn
                .into_iter()
                .flat_map(|work| STRETCHES.iter().filter_map(move |stretch| stretched(work, *stretch)));
            let sizes = works.chain(moved.clone()).map(|work| Size { nodes: least, work });
            options.extend(self.mixed(list, &kinds, sizes));
        }
        if options.iter().all(|option| option.fit.is_none()) {
            self.show_what_would_do(list, &kinds, options);
        }
    }

    /// Where no window holds the workflow, that of nodes of every kind which no limit keeps away is the one to say something of.
    fn show_what_would_do(&self, list: &SlotList, kinds: &Kinds, options: &mut [SizeOption]) {
        let unlimited = Request { budget: None, price_max: None, deadline: None, ..self.request.clone() };
        let wide = options.iter_mut().find(|option| option.size.nodes >= kinds.least_nodes());
        if let Some(option) = wide {
            let asked = option.size.asked_by(&unlimited);
            option.among = kinds.nodes(list, self.offers, &asked, self.config, None);
        }
    }

    /// The first of some sizes of which there is a window of nodes of every kind that holds the workflow.
    fn mixed(&self, list: &SlotList, kinds: &Kinds, sizes: impl Iterator<Item = Size>) -> Option<SizeOption> {
        let sites: Vec<Option<SiteId>> = match self.request.scope.same_site {
            true => (0..self.offers.sites().len()).map(SiteId::from_index).collect(),
            false => vec![None],
        };
        let mut tried = sizes.flat_map(|size| sites.iter().map(move |site| (size, *site)));
        tried.find_map(|(size, site)| {
            let asked = size.asked_by(self.request);
            let among = kinds.nodes(list, self.offers, &asked, self.config, site)?;
            let scope = Scope { nodes: Some(among.clone()), ..self.request.scope.clone() };
            let fit = self.tried(list, &Request { scope, ..asked }, 1)?;
            Some(SizeOption { size, fit: Some(fit), among: Some(among) })
        })
    }

    /// The shortest window of one number of nodes that holds the workflow, first of those that are found first.
    fn of_width(&self, list: &SlotList, sizes: &[Size]) -> Option<SizeOption> {
        let first_of_all = |most| {
            let mut fits = sizes.iter().map(|size| SizeOption {
                size: *size,
                fit: self.tried(list, &size.asked_by(self.request), most),
                among: None,
            });
            fits.find(|option| option.fit.is_some())
        };
        let most = self.care.windows();
        let later = || (most > 1).then(|| first_of_all(most)).flatten();
        let none = || sizes.first().map(|size| SizeOption { size: *size, fit: None, among: None });
        first_of_all(1).or_else(later).or_else(none)
    }

    /// The first of so many windows of a size that holds the workflow.
    fn tried(&self, list: &SlotList, asked: &Request, most: usize) -> Option<SizeFit> {
        let mut left = Cow::Borrowed(list);
        for later in (0..most).rev() {
            let window = find_window(&left, self.offers, asked, self.config).found()?;
            let how = (self.strategy, self.care);
            let fit = fit(self.bounded.0, self.offers, self.network, self.request, how, &window);
            if fit.is_some() {
                return fit;
            }
            if later > 0 {
                left.to_mut().subtract(&window).ok()?;
            }
        }
        None
    }
}

/// The best of the options by the strategy.
pub fn best_size(options: &[SizeOption], strategy: Strategy) -> Option<&SizeOption> {
    let fits = options.iter().filter_map(|option| Some((option, option.fit?)));
    let best = fits.min_by_key(|(option, fit)| {
        let (cost, finish, nodes) = (fit.cost.as_micros(), fit.finish.as_millis(), option.size.nodes);
        if strategy == Strategy::Cheapest { (cost, finish, nodes) } else { (finish, cost, nodes) }
    });
    best.map(|(option, _)| option)
}

/// Places a workflow into a window. The deadline is the request's; the budget has been spent on the window.
pub fn refine_window(
    workflow: &Workflow,
    offers: &Offers,
    network: Network,
    window: &Window,
    strategy: Strategy,
    effort: &RefineEffort,
) -> Outcome<Refined, NoSchedule> {
    let platform = Platform::of_window(offers, window, network);
    let terms = Terms { earliest: Some(window.start()), deadline: Some(window.end()), budget: None };
    refine(workflow, &platform, &terms, strategy, effort)
}

/// What a window makes of a workflow; `None` where it does not hold it by the request's deadline.
pub(crate) fn fit(
    workflow: &Workflow,
    offers: &Offers,
    network: Network,
    request: &Request,
    (strategy, care): (Strategy, Care),
    window: &Window,
) -> Option<SizeFit> {
    let effort = care.effort(0);
    let refined = refine_window(workflow, offers, network, window, strategy, &effort).found()?;
    let finish = refined.schedule.finish();
    let kept = request.deadline.is_none_or(|deadline| finish <= deadline);
    kept.then(|| SizeFit { start: window.start(), end: window.end(), finish, cost: window.cost() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_by_a_third() {
        assert_eq!(widths(1), [1]);
        assert_eq!(widths(7), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(widths(20), [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 20]);
    }

    #[test]
    fn fewer_sizes_are_looked_at_with_less_work_and_always_one() {
        let plainly = |units: u64| Care::Plainly { units }.widths(10, 20);
        assert_eq!(Care::Closely { windows: 1 }.widths(10, 20), widths(20));
        assert_eq!(plainly(80 * 89), widths(20));
        assert_eq!(plainly(80 * 88), [1, 3, 5, 8, 13, 20]);
        assert_eq!(plainly(80 * 49), [3, 8, 20]);
        assert_eq!(plainly(80 * 28), [3, 20]);
        assert_eq!(plainly(80 * 22), [20]);
        assert_eq!(plainly(80 * 19), [19]);
        assert_eq!(plainly(0), [1]);
    }
}
