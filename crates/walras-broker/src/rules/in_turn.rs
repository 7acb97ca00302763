//! How long a workflow takes at the least: its tasks one after the other along the longest way.
//!
//! **Problem.** Every task by itself may be short enough for what is planned ahead, and all of them in turn not. No plan ever has a window for
//! such a workflow, and who submits it should hear so at once.
//!
//! **Method.** Each task takes what it does on the fastest node that does for it, and data no time: no window is shorter. The last task's node
//! is held from the start of the window on, so that what its site holds nothing longer than is a limit to all of it.
//!
//! **Complexity.** O(nodes) for each of at most `DEMANDS_MAX` different demands, and O(tasks × demands + edges).

use crate::model::job::JobSpec;
use crate::model::site::SiteSpec;
use crate::model::state::State;
use walras_model::quantity::TIME_LIMIT;
use walras_model::workflow::Task;
use walras_model::{Attributes, Performance, SiteId, Span};

/// Tasks that make more different demands are taken to run on the fastest node that there is.
const DEMANDS_MAX: usize = 64;

/// A way through a workflow that no plan has room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The first task that ends too late.
    pub task: String,
    /// When it ends at the earliest, from the start of the workflow on.
    pub ends: Span,
    /// How long a window may be.
    pub most: Span,
}

/// The first task of a workflow that ends later than any window may on nodes that are there now.
pub(crate) fn too_long(state: &State, spec: &JobSpec) -> Option<TooLong> {
    let workflow = &spec.workflow.as_ref()?.workflow;
    let sites: Vec<&SiteSpec> = (0..state.sites.len())
        .filter_map(SiteId::from_index)
        .filter(|site| spec.request.scope.admits(*site))
        .filter_map(|site| state.site(site).filter(|site| !site.leaving).map(|site| &*site.spec))
        .collect();
    // Who runs whole jobs from a queue says nothing of how long they may be.
    if sites.iter().any(|site| site.queue().is_some()) {
        return None;
    }
    let horizon = state.policy.horizon;
    let longest = |site: &&SiteSpec| site.timing.longest.map_or(horizon, |longest| longest.min(horizon));
    let most = sites.iter().map(longest).max()?;
    let fastest = Fastest::of(&sites, spec);
    let ends = workflow.ends_in_turn(|task| fastest.takes(task));
    let late = workflow.order().iter().find(|task| ends[task.index()] >= most.as_millis())?;
    let ends = Span::from_millis(ends[late.index()].min(TIME_LIMIT))?;
    Some(TooLong { task: workflow.task(*late).name.clone(), ends, most })
}

/// How fast the fastest nodes are.
struct Fastest<'a> {
    /// Each demand once, with the fastest node that does for it.
    known: Vec<(&'a Task, Performance)>,
    /// Of all nodes that the job may use.
    of_all: Performance,
}

impl<'a> Fastest<'a> {
    fn of(sites: &[&SiteSpec], spec: &'a JobSpec) -> Fastest<'a> {
        let request = &spec.request;
        let fits = |states: &dyn Fn(&Attributes) -> bool| {
            let meets = |attributes: &Attributes| {
                request.requires.iter().all(|it| it.is_met_by(attributes)) && states(attributes)
            };
            let nodes = sites.iter().flat_map(|site| &site.nodes).filter(|node| meets(&node.attributes));
            nodes.map(|node| node.performance).max()
        };
        let of_all = fits(&|_| true).unwrap_or(Performance::ONE);
        let mut known: Vec<(&Task, Performance)> = Vec::new();
        for task in spec.workflow.iter().flat_map(|of| of.workflow.tasks()) {
            if known.len() == DEMANDS_MAX {
                break;
            }
            if !known.iter().any(|(known, _)| known.asks_like(task)) {
                known.push((task, fits(&|of| task.may_run_on(of)).unwrap_or(of_all)));
            }
        }
        Fastest { known, of_all }
    }

    /// How many milliseconds a task takes at the least.
    fn takes(&self, task: &Task) -> i64 {
        let known = self.known.iter().find(|(known, _)| known.asks_like(task));
        let performance = known.map_or(self.of_all, |(_, performance)| *performance);
        let runs = task.work.map_or(0, |work| work.millis_on(performance));
        let runs = i64::try_from(runs).unwrap_or(i64::MAX);
        task.estimates.values().map(|stated| stated.as_millis()).min().map_or(runs, |stated| stated.min(runs))
    }
}
