//! Which nodes are what a job asks for, at whatever time and price: what fits none now never will while the sites and the rules stay as they are.
//!
//! A job that takes longer on a node than is planned ahead, or than its site holds anything, does not fit it: no plan has a window for it.

pub use super::in_turn::TooLong;
use super::in_turn::too_long;
use super::means::Means;
use crate::model::id::JobNumber;
use crate::model::job::{Job, JobSpec};
use crate::model::site::{NodeSpec, SiteKind, SiteSpec};
use crate::model::state::State;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_model::quantity::{MILLION, rounding};
use walras_model::workflow::Task;
use walras_model::{Attributes, Fixed, Money, Performance, Requirement, SiteId, Span, Test, Time, Work};

/// Of a workflow, so many different demands of tasks are looked at.
const DEMANDS_MAX: usize = 64;

/// The nodes of one site that fit a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fitting {
    /// The site that has them.
    pub site: SiteId,
    /// How many of its nodes fit, or tasks on them where they are sold in units; no number for a queue, which does not say how many it has.
    pub nodes: Option<u32>,
}

/// By site, the nodes that are what a job asks for; sites without any are left out, and so are those that leave. Tasks of a workflow are not looked at one by one.
pub fn fitting(state: &State, spec: &JobSpec) -> Vec<Fitting> {
    fitting_within(state, &with_asks(spec), Some(state.policy.horizon), &|_| true)
}

/// The same however long it takes.
pub fn fitting_for_ever(state: &State, spec: &JobSpec) -> Vec<Fitting> {
    fitting_within(state, &with_asks(spec), None, &|_| true)
}

/// The same job, with what the tasks of its workflow ask for in its request, for owners who keep nodes for some.
fn with_asks(spec: &JobSpec) -> Cow<'_, JobSpec> {
    let Some(of) = &spec.workflow else { return Cow::Borrowed(spec) };
    let mut spec = spec.clone();
    of.workflow.ask_in(&mut spec.request.scope);
    Cow::Owned(spec)
}

/// The same of nodes that state what somebody else wants, too.
fn fitting_within(
    state: &State,
    spec: &JobSpec,
    most: Option<Span>,
    states: &dyn Fn(&Attributes) -> bool,
) -> Vec<Fitting> {
    let request = &spec.request;
    let is_long = |site: &SiteSpec, performance: Performance| {
        let takes = request.work.runtime_on(performance);
        let over = |most: Span| takes.is_none_or(|takes| takes >= most || !site.timing.allows(takes));
        most.is_some_and(|most| spec.workflow.is_none() && over(most))
    };
    let fits = |performance: Performance, attributes: &Attributes| {
        let meets = request.requires.iter().all(|it| it.is_met_by(attributes));
        performance >= request.performance_min && meets && states(attributes)
    };
    // So many tasks fit on a node side by side, or places for those of a workflow.
    let room = |site: &SiteSpec, node: &NodeSpec| {
        let does = node.performance >= request.performance_min && states(&node.attributes);
        let units = node.units_needed(request).filter(|_| does && !is_long(site, node.performance))?;
        Some(request.scope.side_by_side(node.division.units() / units.max(1)))
    };
    let sites =
        (0..state.sites.len()).filter_map(SiteId::from_index).filter(|site| request.scope.admits(*site));
    let of = |site: SiteId| {
        let known = state.site(site).filter(|known| !known.leaving)?;
        let nodes: u64 = match &known.spec.kind {
            SiteKind::Queue(queue) if fits(queue.performance, &queue.attributes) => {
                return Some(Fitting { site, nodes: None });
            }
            SiteKind::Queue(_) => 0,
            SiteKind::Slots | SiteKind::Capacity => {
                state.nodes_of(known).filter_map(|(_, node)| room(&known.spec, node)).map(u64::from).sum()
            }
        };
        (nodes > 0).then(|| Fitting { site, nodes: Some(u32::try_from(nodes).unwrap_or(u32::MAX)) })
    };
    sites.filter_map(of).collect()
}

/// What all elements of an array cost at the least, at the least price for work that any node has in any hour, where its budget is below
/// that.
pub fn beyond_budget(state: &State, now: Time, spec: &JobSpec) -> Option<Money> {
    let (array, budget) = (spec.array.as_ref()?, spec.request.budget?);
    let element = Job::new(JobNumber::default(), &Arc::new(spec.clone()), now);
    let each = i128::from(Means::of(state, now).least(&element).as_micros());
    let all = each.checked_mul(i128::from(array.count())).and_then(|all| i64::try_from(all).ok());
    // What costs more than can be counted is beyond every budget.
    Some(all.map_or(Money::MAX, Money::from_micros)).filter(|all| budget < *all)
}

/// Why a workflow could never run, for what its tasks ask for beside what all of it does.
pub enum UnmetTask {
    /// No node does for a task: its name, and the job as that task alone would ask for it.
    Alone(String, Box<JobSpec>),
    /// Every task has its nodes, but no site has those of all of them, and a window of several nodes for a task is on one site: the first task
    /// for which none was left.
    NotOnOneSite(String),
    /// Its tasks in turn take longer than is planned ahead.
    InTurn(TooLong),
}

/// The first task of a workflow that no node does for, or that ends too late after those before it.
pub fn unmet_task(state: &State, spec: &JobSpec) -> Option<UnmetTask> {
    unmet_by_itself(state, spec).or_else(|| too_long(state, spec).map(UnmetTask::InTurn))
}

fn unmet_by_itself(state: &State, spec: &JobSpec) -> Option<UnmetTask> {
    let workflow = &spec.workflow.as_ref()?.workflow;
    let one_site = workflow.widest() > 1 || spec.request.scope.same_site;
    let mut left: Option<BTreeSet<SiteId>> = None;
    let mut met: Vec<&Task> = Vec::new();
    for task in workflow.tasks() {
        if met.iter().any(|known| asks_no_more(task, known)) {
            continue;
        }
        let alone = alone(spec, task);
        let fitting = fitting_within(state, &alone, Some(state.policy.horizon), &|of| task.may_run_on(of));
        if is_never_met(&alone, &fitting) {
            return Some(UnmetTask::Alone(task.name.clone(), Box::new(with_room(alone, task))));
        }
        if one_site {
            let wide = |it: &&Fitting| it.nodes.is_none_or(|nodes| nodes >= task.nodes);
            let sites: BTreeSet<SiteId> = fitting.iter().filter(wide).map(|it| it.site).collect();
            let both = left.map_or(sites.clone(), |left| &left & &sites);
            if both.is_empty() {
                return Some(UnmetTask::NotOnOneSite(task.name.clone()));
            }
            left = Some(both);
        }
        met.push(task);
        if met.len() == DEMANDS_MAX {
            return None;
        }
    }
    None
}

/// Whether whatever does for another task does for this one.
fn asks_no_more(task: &Task, other: &Task) -> bool {
    task.requires == other.requires
        && task.cores <= other.cores
        && task.memory <= other.memory
        && task.nodes <= other.nodes
        && (task.work <= other.work || !task.estimates.is_empty())
}

/// A job of one task; how long it takes is asked only where that follows from its work.
fn alone(spec: &JobSpec, task: &Task) -> JobSpec {
    let mut alone = JobSpec::plain(spec.user.clone(), spec.request.clone());
    let request = &mut alone.request;
    request.requires.extend(task.requires.iter().cloned());
    // What another of its tasks asks for lets this one in, too.
    request.scope.asks = spec.workflow.as_ref().map(|of| of.workflow.asks()).unwrap_or_default();
    request.tasks = task.nodes;
    request.scope.same_site |= task.nodes > 1;
    let least = || Work::from_millis(1).expect("a millisecond of work is some");
    let known = task.work.filter(|work| task.estimates.is_empty() && work.as_millis() > 0);
    request.work = known.unwrap_or_else(least);
    alone
}

/// The same with its cores and its memory as requirements, so that they are named where nobody has them.
fn with_room(mut alone: JobSpec, task: &Task) -> JobSpec {
    let mut at_least = |attribute: &str, millionths: i128| {
        let Ok(millionths) = i64::try_from(millionths) else { return };
        let test = Test::Range { min: Some(Fixed::from_millionths(millionths)), max: None };
        alone.request.requires.push(Requirement { attribute: attribute.to_owned(), test });
    };
    if task.cores > 1 {
        at_least("cores", i128::from(task.cores) * i128::from(MILLION));
    }
    if let Some(memory) = task.memory {
        // Of gigabytes, which are a thousand million bytes.
        at_least("memory_gb", rounding::up(memory.as_bytes().into(), 1_000));
    }
    alone
}

/// How many nodes the widest task of a workflow takes at once, and how many workflows of one user may have, where that is fewer.
pub fn beyond_share(state: &State, spec: &JobSpec) -> Option<(u32, u32)> {
    let widest = spec.workflow.as_ref()?.workflow.widest();
    let most = state.workflow_nodes_max(spec)?;
    (widest > most).then_some((widest, most))
}

/// Whether a job could never run on these: it needs more nodes at once than fit, together or, where it asks for that, on one site.
pub fn is_never_met(spec: &JobSpec, fitting: &[Fitting]) -> bool {
    let gang = spec.workflow.as_ref().map(|of| u64::from(of.workflow.widest()));
    let needed = gang.unwrap_or(u64::from(spec.request.tasks));
    let of = |it: &Fitting| it.nodes.map_or(u64::MAX, u64::from);
    // A queue runs all tasks of a job, or none.
    let alone = fitting.iter().map(of).max().unwrap_or(0);
    let together: u64 = fitting.iter().filter_map(|it| it.nodes).map(u64::from).sum();
    alone < needed && (spec.request.scope.same_site || gang.is_some() || together < needed)
}
