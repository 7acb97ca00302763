//! Windows for workflows whose tasks need different nodes.
//!
//! **Problem.** To the search of windows all nodes that a job may use are alike: it takes the first, or the cheapest. Tasks may need what
//! only some of them have, one a large memory and another the data of a laboratory, so that a window of the right size holds them by
//! chance only, and on a market of many nodes never.
//!
//! **Method.** The nodes that do for a task are a *kind*; of kinds that contain each other the smaller counts. A window that has nodes of
//! every kind can run every task. How many of each follows from the work that only they can do, up to as many as have tasks at a time.
//! For each kind by itself the search says which nodes are found first, from the start of those before on; the window is then searched
//! among all of these.
//!
//! **Complexity.** A test of every node for each of at most [`DEMANDS_MAX`] different demands, and a search for each kind.

use super::places::Places;
use crate::search::{Algorithm, NO_FIT, SearchConfig, View};
use std::collections::BTreeSet;
use walras_model::id::{NodeId, SiteId};
use walras_model::offer::Offers;
use walras_model::quantity::{Factor, Work};
use walras_model::request::{Request, Scope};
use walras_model::workflow::{Task, Workflow};

/// Workflows whose tasks make more different demands are not looked at so.
const DEMANDS_MAX: usize = 64;

/// The kinds of nodes of which a workflow needs one each, smallest first.
pub(crate) struct Kinds(Vec<Kind>);

struct Kind {
    nodes: BTreeSet<NodeId>,
    /// What only they can do, in milliseconds.
    work: i128,
    /// How many of them have something to do at a time.
    width: usize,
}

impl Kinds {
    /// The kinds of nodes that a workflow needs; `None` where every node that the job may use does for all tasks, or none does for some.
    pub(crate) fn of(workflow: &Workflow, offers: &Offers, request: &Request) -> Option<Kinds> {
        let asks = |task: &Task| !task.requires.is_empty() || task.memory.is_some() || task.cores > 1;
        if !workflow.tasks().iter().any(asks) {
            return None;
        }
        let view = View::new(offers, request, &Algorithm::Amp, Factor::ONE);
        let fits = |(index, runtime): (usize, &i64)| {
            if *runtime == NO_FIT { None } else { NodeId::from_index(index) }
        };
        let all: BTreeSet<NodeId> = view.runtimes.iter().enumerate().filter_map(fits).collect();
        let mut found: Vec<Kind> = Vec::new();
        for Demand { task, work, width } in demands(workflow)? {
            let does = |node: &NodeId| task.may_run_on(&offers.node(*node).attributes);
            let nodes: BTreeSet<NodeId> = all.iter().copied().filter(does).collect();
            if nodes.is_empty() {
                return None;
            }
            if nodes.len() < all.len() {
                found.push(Kind { nodes, work, width });
            }
        }
        found.sort_by_key(|kind| kind.nodes.len());
        let mut least: Vec<Kind> = Vec::new();
        for kind in found {
            match least.iter_mut().find(|it| it.nodes.is_subset(&kind.nodes)) {
                // Whoever has the smaller one has this one too.
                Some(within) => {
                    within.work = within.work.saturating_add(kind.work);
                    within.width = within.width.saturating_add(kind.width);
                }
                None => least.push(kind),
            }
        }
        if least.is_empty() { None } else { Some(Kinds(least)) }
    }

    /// How many nodes there must be at least.
    pub(crate) fn least_nodes(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// How many nodes all kinds together have something to do for, as far as there are so many of each.
    pub(crate) fn most_nodes(&self) -> u32 {
        let each = self.0.iter().map(|kind| kind.width.min(kind.nodes.len()));
        u32::try_from(each.fold(0, usize::saturating_add)).unwrap_or(u32::MAX)
    }

    /// As many nodes as a request asks for, some of each kind; of one site, where `site` says so.
    pub(crate) fn nodes(
        &self,
        on: &Places<'_>,
        request: &Request,
        config: &SearchConfig,
        site: Option<SiteId>,
    ) -> Option<BTreeSet<NodeId>> {
        let mut chosen: BTreeSet<NodeId> = BTreeSet::new();
        let mut earliest = request.earliest;
        for (kind, tasks) in self.0.iter().zip(self.counts(request.tasks)?) {
            let here = |node: &NodeId| site.is_none_or(|site| on.seen().node(*node).site == site);
            let nodes = kind.nodes.difference(&chosen).copied().filter(here).collect();
            let scope = Scope { nodes: Some(nodes), ..request.scope.clone() };
            let asked = Request { tasks, earliest, scope, ..request.clone() };
            let window = on.window(on.list(), &asked, config)?;
            earliest = earliest.max(Some(window.start()));
            chosen.extend(window.placements().iter().map(|placement| placement.node));
        }
        Some(chosen)
    }

    /// How many nodes of each kind: one at least, and more where there is more to do for each.
    fn counts(&self, nodes: u32) -> Option<Vec<u32>> {
        let more = nodes.checked_sub(self.least_nodes())?;
        let mut counts = vec![1_u32; self.0.len()];
        for _ in 0..more {
            let room =
                self.0.iter().zip(&mut counts).filter(|(kind, count)| kind.nodes.len() > **count as usize);
            let need = |(kind, count): &(&Kind, &mut u32)| {
                (kind.width > **count as usize, kind.work / i128::from(**count))
            };
            let (_, count) = room.max_by_key(need)?;
            *count += 1;
        }
        Some(counts)
    }
}

/// What tasks of a workflow ask of a node.
struct Demand<'a> {
    /// One of those that ask for it.
    task: &'a Task,
    /// What all of them have to do, in milliseconds.
    work: i128,
    /// How many nodes they have side by side.
    width: usize,
}

/// What tasks need, each demand once; `None` where there are too many.
fn demands(workflow: &Workflow) -> Option<Vec<Demand<'_>>> {
    let mut all: Vec<Demand<'_>> = Vec::new();
    for task in workflow.tasks() {
        let work = i128::from(task.work.map_or(0, Work::as_millis));
        match all.iter().position(|known| known.task.asks_like(task)) {
            Some(place) => all[place].work = all[place].work.saturating_add(work),
            None if all.len() == DEMANDS_MAX => return None,
            None => all.push(Demand { task, work, width: 0 }),
        }
    }
    let widths = workflow.widths_by(|task| all.iter().position(|known| known.task.asks_like(task)));
    widths.into_iter().for_each(|(place, width)| all[place].width = width);
    Some(all)
}
