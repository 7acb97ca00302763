//! How large a window a workflow needs: the job tier's question, answered with the application tier's schedules.
//!
//! **Problem.** A workflow could run on few nodes for long or on many for a short time. Windows are asked for as nodes ×
//! work, and their right edge is rough: a faster node is held for a shorter time. Which sizes are worth their price?
//!
//! **Method.** For each number of nodes, list scheduling on as many nodes of the request's least performance says how
//! long the workflow takes there. A window of that length, of a moment more for every task (each is rounded up on its
//! own), and of up to twice that, is searched; the first one into which the workflow can really be placed is an option,
//! with its price and its end. Where the first window of no length holds it, later ones are looked at, one after another;
//! and where tasks need different nodes, windows of nodes of every kind that they need (`kinds`). A window of which the tasks use less is
//! looked for once more as large as they use it.
//! Of the options the strategy takes the one that ends first, or that costs least.
//!
//! **Complexity.** Numbers of nodes grow by about a third each, so there are O(log width) of them; each takes a list pass,
//! and up to five window searches and placements; where none of these holds the workflow, up to as many as [`Care`] says for each
//! length.

use super::care::Care;
use super::kinds::Kinds;
use super::length::{held_long, least_work, rounded_up, stretched};
use super::places::{Places, PlacesOf};
use super::width::{most_nodes, widths, widths_of_gangs};
use super::{NoSchedule, RefineEffort, Refined, Strategy, TaskPlacement, TaskSchedule, refine};
use crate::search::SearchConfig;
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
    /// Whether each of its places is on a node of its own, also where nodes are sold in units.
    pub separate: bool,
}

impl SizeOption {
    /// Lets a request ask for a window like this.
    pub(crate) fn ask(&self, request: &mut Request) {
        (request.tasks, request.work) = (self.size.nodes, self.size.work);
        request.scope.nodes.clone_from(&self.among);
        request.scope.separate_nodes = self.separate;
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

/// The sizes of window that a workflow could take, fewest nodes first; for each number of nodes, shortest first.
pub(crate) fn sizes(
    (workflow, nodes_max): Bounded<'_>,
    offers: &Offers,
    network: Network,
    performance_min: Performance,
    care: Care,
) -> Vec<Vec<Size>> {
    let most = most_nodes(workflow, offers).min(nodes_max.unwrap_or(u32::MAX));
    let widths = care.widths(workflow.tasks().len(), most);
    let of_width = |nodes| sizes_of(workflow, offers, network, performance_min, nodes);
    widths_of_gangs(workflow, widths, most).into_iter().filter_map(of_width).collect()
}

/// The same of one number of nodes.
fn sizes_of(
    workflow: &Workflow,
    offers: &Offers,
    network: Network,
    performance_min: Performance,
    nodes: u32,
) -> Option<Vec<Size>> {
    let least = least_work(workflow, nodes, performance_min, network)?;
    let stretched = STRETCHES.iter().filter_map(|stretch| stretched(least, *stretch));
    let mut works: Vec<Work> = stretched.chain(rounded_up(workflow, offers, least)).collect();
    works.sort_unstable();
    works.dedup();
    Some(works.into_iter().map(|work| Size { nodes, work }).collect())
}

/// A window that holds the workflow.
struct Tried {
    fit: SizeFit,
    /// The work that every node of it must offer for as long as any is used.
    used: Option<Work>,
    nodes: BTreeSet<NodeId>,
}

/// What sizes of window are looked at for.
#[derive(Clone, Copy)]
pub(crate) struct Sizing<'a> {
    /// The workflow.
    pub bounded: Bounded<'a>,
    /// What is for sale.
    pub offers: &'a Offers,
    /// The places for the workflow on it.
    pub places: &'a PlacesOf<'a>,
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
    pub(crate) fn options(&self) -> Vec<SizeOption> {
        let seen = self.places.any().seen();
        let sizes = sizes(self.bounded, seen, self.network, self.request.performance_min, self.care);
        let mut options: Vec<SizeOption> = sizes.iter().filter_map(|sizes| self.of_width(sizes)).collect();
        let lacks = options.iter().any(|option| option.fit.is_none());
        let closely = matches!(self.care, Care::Closely { .. });
        let (workflow, most) = self.bounded;
        let kinds = (lacks || closely)
            .then(|| Kinds::of(workflow, self.places.apart().seen(), self.request))
            .flatten();
        let Some(kinds) = kinds.filter(|kinds| most.is_none_or(|most| most >= kinds.least_nodes())) else {
            return options;
        };
        self.mix(&kinds, &sizes, &mut options);
        if closely {
            let widest = options.last().map_or(0, |option| option.size.nodes);
            options.extend(self.wider(&kinds, widest));
        }
        options
    }

    /// Windows of more nodes than tasks have at a time, where tasks that ask for different nodes have more of them one after the other.
    fn wider(&self, kinds: &Kinds, widest: u32) -> Vec<SizeOption> {
        let (workflow, most) = self.bounded;
        let numbers = widths(kinds.most_nodes().min(most.unwrap_or(u32::MAX)));
        let of = |nodes| {
            let sizes = sizes_of(workflow, self.offers, self.network, self.request.performance_min, nodes)?;
            let longest = self.longest().into_iter().map(|work| Size { nodes, work });
            self.mixed(kinds, sizes.into_iter().chain(longest))
        };
        numbers.into_iter().filter(|nodes| *nodes > widest).filter_map(of).collect()
    }

    /// Gives sizes of which no window holds the workflow one of nodes of every kind that its tasks need, and where it is looked at closely, those of
    /// which such a window is better. A workflow may need more kinds than it has tasks that run at a time.
    fn mix(&self, kinds: &Kinds, sizes: &[Vec<Size>], options: &mut Vec<SizeOption>) {
        let least = kinds.least_nodes();
        let longest = self.longest();
        let closely = matches!(self.care, Care::Closely { .. });
        for (sizes, option) in sizes.iter().zip(options.iter_mut()) {
            let nodes = option.size.nodes;
            if (closely || option.fit.is_none()) && nodes >= least {
                let longest = longest.iter().map(|work| Size { nodes, work: *work });
                let mixed = self.mixed(kinds, sizes.iter().copied().chain(longest));
                let is_better = |mixed: &SizeOption| key(mixed, self.strategy) < key(option, self.strategy);
                if let Some(mixed) = mixed.filter(|mixed| option.fit.is_none() || is_better(mixed)) {
                    *option = mixed;
                }
            }
        }
        if options.iter().all(|option| option.size.nodes < least) {
            let (in_turn, moved) = longest.split_at(longest.len().min(1));
            let works = in_turn
                .iter()
                .flat_map(|work| STRETCHES.iter().filter_map(move |stretch| stretched(*work, *stretch)));
            let sizes = works.chain(moved.iter().copied()).map(|work| Size { nodes: least, work });
            options.extend(self.mixed(kinds, sizes));
        }
        if options.iter().all(|option| option.fit.is_none()) {
            self.show_what_would_do(kinds, options);
        }
    }

    /// The work of the longest windows that may be needed: of all tasks in turn, and then what a fast node needs that waits for a slow one,
    /// and for data on its way from another site.
    fn longest(&self) -> Vec<Work> {
        let workflow = self.bounded.0;
        let Some(in_turn) = least_work(workflow, 1, self.request.performance_min, self.network) else {
            return Vec::new();
        };
        let moved = held_long(workflow, self.offers, self.network, self.request, in_turn);
        std::iter::once(in_turn).chain(moved).collect()
    }

    /// Where no window holds the workflow, that of nodes of every kind which no limit keeps away is the one to say something of.
    fn show_what_would_do(&self, kinds: &Kinds, options: &mut [SizeOption]) {
        let unlimited = Request { budget: None, price_max: None, deadline: None, ..self.request.clone() };
        let wide = options.iter_mut().find(|option| option.size.nodes >= kinds.least_nodes());
        if let Some(option) = wide {
            let asked = option.size.asked_by(&unlimited);
            let apart = self.places.apart();
            option.among = kinds.nodes(apart, &asked, self.config, None);
            option.separate |= apart.are_parts();
        }
    }

    /// The first of some sizes of which there is a window of nodes of every kind that holds the workflow.
    fn mixed(&self, kinds: &Kinds, sizes: impl Iterator<Item = Size>) -> Option<SizeOption> {
        let sites: Vec<Option<SiteId>> = match self.request.scope.same_site {
            true => (0..self.offers.sites().len()).map(SiteId::from_index).collect(),
            false => vec![None],
        };
        let mut tried = sizes.flat_map(|size| sites.iter().map(move |site| (size, *site)));
        tried.find_map(|(size, site)| {
            let asked = size.asked_by(self.request);
            let apart = self.places.apart();
            let among = kinds.nodes(apart, &asked, self.config, site)?;
            let separate_nodes = asked.scope.separate_nodes || apart.are_parts();
            let scope = Scope { nodes: Some(among), separate_nodes, ..self.request.scope.clone() };
            self.trimmed(apart, &Request { scope, ..asked }, 1)
        })
    }

    /// The shortest window of one number of nodes that holds the workflow, first of those that are found first.
    fn of_width(&self, sizes: &[Size]) -> Option<SizeOption> {
        let any = self.places.any();
        let first_of_all =
            |most| sizes.iter().find_map(|size| self.trimmed(any, &size.asked_by(self.request), most));
        let most = self.care.windows();
        let later = || (most > 1).then(|| first_of_all(most)).flatten();
        let separate = self.request.scope.separate_nodes;
        let none = || sizes.first().map(|size| SizeOption { size: *size, fit: None, among: None, separate });
        first_of_all(1).or_else(later).or_else(none)
    }

    /// The first of so many windows of a size that holds the workflow; on its nodes as large as its tasks use it, where that holds it for less.
    fn trimmed(&self, on: &Places<'_>, asked: &Request, most: usize) -> Option<SizeOption> {
        let Tried { fit, used, nodes } = self.tried(on, asked, most)?;
        let option = |work: Work, fit, among| {
            let size = Size { nodes: asked.tasks, work };
            SizeOption { size, fit: Some(fit), among, separate: asked.scope.separate_nodes }
        };
        let less_of = |work, scope: Scope| {
            let less = self.tried(on, &Request { work, scope, ..asked.clone() }, 1)?.fit;
            (less.cost < fit.cost && less.finish <= fit.finish).then_some(less)
        };
        let smaller = used.filter(|used| *used < asked.work).and_then(|used| {
            let anywhere =
                less_of(used, asked.scope.clone()).map(|less| option(used, less, asked.scope.nodes.clone()));
            // Others may not do for its tasks.
            let there = || {
                let scope = Scope { nodes: Some(nodes.clone()), ..asked.scope.clone() };
                less_of(used, scope).map(|less| option(used, less, Some(nodes.clone())))
            };
            anywhere.or_else(|| if on.one_each { there() } else { None })
        });
        Some(smaller.unwrap_or_else(|| option(asked.work, fit, asked.scope.nodes.clone())))
    }

    /// The first of so many windows of a size that holds the workflow.
    fn tried(&self, on: &Places<'_>, asked: &Request, most: usize) -> Option<Tried> {
        let mut left = Cow::Borrowed(on.list());
        for later in (0..most).rev() {
            let seen = on.window(&left, asked, self.config)?;
            let window = on.told(&seen);
            let how = (self.strategy, self.care);
            let found = placed(self.bounded.0, self.offers, self.network, self.request, how, &window);
            if let Some((fit, schedule)) = found {
                // All of a window is paid: what costs least uses it for the shortest time.
                let soonest = match self.strategy {
                    Strategy::Cheapest => {
                        let how = (Strategy::Asap, self.care);
                        placed(self.bounded.0, self.offers, self.network, self.request, how, &window)
                    }
                    Strategy::Asap | Strategy::Alap | Strategy::Fastest | Strategy::Balanced => None,
                };
                let schedule = soonest.map_or(schedule, |(_, soonest)| soonest);
                let used = used(self.offers, &window, &schedule);
                let nodes = window.placements().iter().map(|placement| placement.node).collect();
                return Some(Tried { fit, used, nodes });
            }
            if later > 0 {
                left.to_mut().subtract(&seen).ok()?;
            }
        }
        None
    }
}

/// The best of the options by the strategy.
pub fn best_size(options: &[SizeOption], strategy: Strategy) -> Option<&SizeOption> {
    options.iter().filter(|option| option.fit.is_some()).min_by_key(|option| key(option, strategy))
}

/// What options are compared by: nothing where no window holds the workflow.
fn key(option: &SizeOption, strategy: Strategy) -> Option<(i64, i64, u32)> {
    let fit = option.fit?;
    let (cost, finish, nodes) = (fit.cost.as_micros(), fit.finish.as_millis(), option.size.nodes);
    Some(if strategy == Strategy::Cheapest { (cost, finish, nodes) } else { (finish, cost, nodes) })
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
    how: (Strategy, Care),
    window: &Window,
) -> Option<SizeFit> {
    placed(workflow, offers, network, request, how, window).map(|(fit, _)| fit)
}

fn placed(
    workflow: &Workflow,
    offers: &Offers,
    network: Network,
    request: &Request,
    (strategy, care): (Strategy, Care),
    window: &Window,
) -> Option<(SizeFit, TaskSchedule)> {
    let effort = care.effort(0);
    let refined = refine_window(workflow, offers, network, window, strategy, &effort).found()?;
    let finish = refined.schedule.finish();
    let kept = request.deadline.is_none_or(|deadline| finish <= deadline);
    let fit = SizeFit { start: window.start(), end: window.end(), finish, cost: window.cost() };
    kept.then_some((fit, refined.schedule))
}

/// The work that every node of a window must offer for as long as any of them is used.
fn used(offers: &Offers, window: &Window, schedule: &TaskSchedule) -> Option<Work> {
    let of = |task: &TaskPlacement| {
        let millis = task.end.as_millis() - window.start().as_millis();
        schedule
            .nodes(task.task)
            .filter_map(move |node| work_for(offers.node(node).performance, millis))
            .max()
    };
    schedule.placements().iter().filter_map(of).max()
}

/// The least work that takes so long.
fn work_for(performance: Performance, millis: i64) -> Option<Work> {
    let least = i64::try_from(performance.work_in_millis(millis)).ok()?.max(1);
    let lasts = |work: &Work| work.millis_on(performance) >= i128::from(millis);
    [least, least.saturating_add(1)].into_iter().filter_map(Work::from_millis).find(lasts)
}
