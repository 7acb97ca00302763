//! Why no site could ever run a job, with what the nodes state instead.

use super::{counted, span_text};
use crate::error::echo;
use std::collections::BTreeMap;
use walras_broker::State;
use walras_broker::fitting::{Fitting, TooLong, UnmetTask, fitting, fitting_for_ever};
use walras_broker::job::JobSpec;
use walras_broker::site::{NodeSpec, SiteSpec};
use walras_model::{Attributes, Division, Fixed, Performance, Requirement, SiteId, Value};

/// At most so many different texts of an attribute are named, and so many attributes.
const NAMED_MAX: usize = 12;

/// One sentence for a job that fits too few nodes: what it asks for, how many have that, and what nodes state.
pub fn unmet_text(state: &State, spec: &JobSpec, fitting: &[Fitting]) -> String {
    let request = &spec.request;
    let sites: Vec<&SiteSpec> = (0..state.sites.len())
        .filter_map(SiteId::from_index)
        .filter(|site| request.scope.admits(*site))
        .filter_map(|site| state.site(site).filter(|site| !site.leaving).map(|site| &*site.spec))
        .collect();
    let mut asked: Vec<String> = request.requires.iter().map(ToString::to_string).collect();
    if request.performance_min > Performance::ONE {
        asked.push(format!("performance >= {}", request.performance_min));
    }
    let asked = if asked.is_empty() { String::new() } else { format!(" with {}", asked.join(" and ")) };
    let gang = spec.workflow.as_ref().map(|of| of.workflow.widest());
    let needed = gang.unwrap_or(request.tasks);
    let nodes_of = |fitting: &[Fitting]| fitting.iter().filter_map(|it| it.nodes).sum::<u32>();
    let there = nodes_of(fitting);
    let slow = nodes_of(&fitting_for_ever(state, spec)).saturating_sub(there);
    if slow > 0 && there.saturating_add(slow) >= needed {
        return too_long_text(state, spec, &sites, there);
    }
    let all = sites.iter().map(|site| site.nodes.len()).sum::<usize>();
    let is_divided = |site: &&SiteSpec| site.nodes.iter().any(|node| node.division.is_divided());
    // Tasks share nodes that are sold in units, so that there it is tasks that are counted.
    let apart = request.scope.separate_nodes || gang.is_some_and(|nodes| nodes > 1);
    let share = !apart && sites.iter().any(is_divided);
    let (what, has) = match share {
        true => (format!("room for {}", counted(needed, "task")), format!("there is room for {there}")),
        false if asked.is_empty() => (counted(needed, "node"), format!("there are {all}")),
        false => (counted(needed, "node"), format!("{there} of {all} nodes have that")),
    };
    let (one_site, so_many) = match request.scope.same_site || gang.is_some_and(|nodes| nodes > 1) {
        true => (" on one site", widest_site_text(state, fitting)),
        false => ("", has),
    };
    let who = widest_task_text(spec).unwrap_or_else(|| "it".to_owned());
    let mut text =
        format!("no site can ever run it: {who} needs {what}{asked}{one_site} at once, and {so_many}");
    let of_workflow = spec.workflow.iter().flat_map(|of| of.workflow.asks());
    let asked: Vec<Requirement> = request.asked().cloned().chain(of_workflow).collect();
    text.push_str(&kept_text(&sites, &asked));
    let stated = stated(&sites);
    if !stated.is_empty() {
        text.push_str(&format!("; nodes state {}", stated.join(", ")));
    }
    text
}

/// How many nodes a job cannot have because their owners keep them for others, and what these ask for.
fn kept_text(sites: &[&SiteSpec], asked: &[Requirement]) -> String {
    let nodes = sites.iter().flat_map(|site| &site.nodes).map(|node| &node.division);
    let kept: Vec<&Division> = nodes.filter(|it| !it.admits(asked)).collect();
    let mut asked: BTreeMap<&str, u64> = BTreeMap::new();
    for (resource, amount) in kept.iter().filter_map(|it| it.only_for()).flatten() {
        asked.entry(resource).and_modify(|least| *least = (*least).min(*amount)).or_insert(*amount);
    }
    if asked.is_empty() {
        return String::new();
    }
    let asked: Vec<String> = asked.iter().map(|(name, least)| format!("{name} >= {least}")).collect();
    let count = u32::try_from(kept.len()).unwrap_or(u32::MAX);
    format!("; {} kept for jobs that ask for {}", kept_nodes(count), asked.join(" or "))
}

fn kept_nodes(count: u32) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(count, "node"))
}

/// The task of a workflow that takes the most nodes at a time, where that is more than one.
fn widest_task_text(spec: &JobSpec) -> Option<String> {
    let widest = spec.workflow.as_ref()?.workflow.widest_task()?;
    (widest.nodes > 1).then(|| format!("task {}", echo(&widest.name)))
}

/// Which site has the most of what fits, and how much that is.
fn widest_site_text(state: &State, fitting: &[Fitting]) -> String {
    let most = fitting.iter().filter_map(|it| Some((it.nodes?, state.site(it.site)?)));
    // Of several that are as wide, the first.
    match most.rev().max_by_key(|(nodes, _)| *nodes) {
        Some((nodes, site)) => format!("no site has so many: {} has the most, {nodes}", site.spec.name),
        None => "no site has any".to_owned(),
    }
}

/// Why the widest task of a workflow takes more nodes than a user's workflows may have.
pub fn beyond_share_text(spec: &JobSpec, needed: u32, most: u32) -> String {
    let who = widest_task_text(spec).unwrap_or_else(|| "a task".to_owned());
    format!(
        "{who} takes {needed} nodes at once, and workflows of one user have at most {most} of all nodes \
         (sharing.workflow_nodes)"
    )
}

/// The same for a task of a workflow.
pub fn unmet_task_text(state: &State, unmet: &UnmetTask) -> String {
    match unmet {
        UnmetTask::Alone(task, alone) => {
            format!("task {task}: {}", unmet_text(state, alone, &fitting(state, alone)))
        }
        UnmetTask::NotOnOneSite(task) => format!(
            "task {task}: no site that has its nodes has those of the tasks before it, and all of them must be on one site, since a task \
             takes several nodes or the job asks for it"
        ),
        UnmetTask::InTurn(TooLong { task, ends, most }) => format!(
            "task {task}: no plan can ever have a place for it: with what it waits for it takes {} in turn on the fastest nodes that they may \
             use, and no window is longer than {}",
            span_text(*ends),
            span_text(*most)
        ),
    }
}

/// The same for one that takes longer than is planned ahead on so many of the nodes that it may use that too few are left.
fn too_long_text(state: &State, spec: &JobSpec, sites: &[&SiteSpec], left: u32) -> String {
    let request = &spec.request;
    let horizon = state.policy.horizon;
    let most = |site: &&SiteSpec| site.timing.longest.map_or(horizon, |longest| longest.min(horizon));
    let most = sites.iter().map(most).max().unwrap_or(horizon);
    let ahead = span_text(most);
    let (none, those) = match most < horizon {
        true => ("no site takes a job for longer than", "allowed there"),
        false => ("nothing is planned further ahead than", "planned ahead"),
    };
    let fits = |node: &&NodeSpec| {
        node.performance >= request.performance_min && node.units_needed(request).is_some()
    };
    let fastest = sites.iter().flat_map(|site| &site.nodes).filter(fits).map(|node| node.performance).max();
    let takes = fastest.and_then(|performance| request.work.runtime_on(performance));
    let why = match takes.filter(|_| left == 0) {
        Some(takes) => {
            format!("it takes {} on the fastest node that it may use, and {none} {ahead}", span_text(takes))
        }
        None => format!(
            "it needs {} at once, and on all but {left} of those that it may use it takes longer than the {ahead} that \
             are {those}",
            counted(request.tasks, "node")
        ),
    };
    format!("no plan can ever have a place for it: {why}")
}

/// What is known of an attribute over all nodes.
#[derive(Default)]
struct Known {
    numbers: Option<(Fixed, Fixed)>,
    texts: Vec<String>,
}

fn stated(sites: &[&SiteSpec]) -> Vec<String> {
    let mut all: BTreeMap<&str, Known> = BTreeMap::new();
    let queues = sites.iter().filter_map(|site| site.queue()).map(|queue| &queue.attributes);
    let nodes = sites.iter().flat_map(|site| &site.nodes).map(|node| &node.attributes);
    for (name, value) in nodes.chain(queues).flat_map(Attributes::iter) {
        let known = all.entry(name).or_default();
        match value {
            Value::Number(number) => {
                let (least, most) = known.numbers.unwrap_or((*number, *number));
                known.numbers = Some((least.min(*number), most.max(*number)));
            }
            Value::Text(_) | Value::Flag(_) => {
                let text = value.to_string();
                if known.texts.len() < NAMED_MAX && !known.texts.contains(&text) {
                    known.texts.push(text);
                }
            }
        }
    }
    let text = |(name, known): (&str, Known)| {
        let numbers = known.numbers.map(|(least, most)| match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        });
        let values: Vec<String> = numbers.into_iter().chain(known.texts).collect();
        format!("{name} {}", values.join(" or "))
    };
    all.into_iter().take(NAMED_MAX).map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::job::WorkflowSpec;
    use walras_broker::price::PriceRules;
    use walras_broker::site::{SiteKind, Timing};
    use walras_broker::{Broker, Input};
    use walras_core::refine::Strategy;
    use walras_model::{Division, Rate, Request, Task, Time, Work, Workflow};

    /// A broker with four nodes of four units.
    fn campus() -> Broker {
        let node = |number: u32| NodeSpec {
            name: format!("n{number}"),
            class: None,
            performance: Performance::ONE,
            watts: None,
            attributes: Attributes::new(),
            division: Division::new(4, [("cores".to_owned(), 4)].into()).unwrap(),
        };
        let site = SiteSpec {
            name: "campus".to_owned(),
            owner: "grace".to_owned(),
            kind: SiteKind::Slots,
            nodes: (0..4).map(node).collect(),
            prices: PriceRules::flat(Rate::from_micros_per_second(1_000).unwrap()),
            access: Default::default(),
            timing: Timing::NOTHING,
        };
        let mut broker = Broker::default();
        broker.handle(Time::from_millis(0).unwrap(), &Input::AddSite(Box::new(site))).unwrap();
        broker
    }

    /// Four nodes with room for four tasks each have room for sixteen, and are four nodes all the same.
    #[test]
    fn tasks_are_counted_where_they_share_nodes() {
        let broker = campus();
        let request = Request::new("wide", 17, Work::from_millis(60_000).unwrap());
        let spec = JobSpec::plain("ada".to_owned(), request);
        let text = unmet_text(broker.state(), &spec, &fitting(broker.state(), &spec));
        let expected =
            "no site can ever run it: it needs room for 17 tasks at once, and there is room for 16";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_gang_that_is_too_wide_is_named_with_the_widest_site() {
        let broker = campus();
        let work = || Work::from_millis(60_000);
        let solver = Task { nodes: 5, ..Task::new("solve", work()) };
        let workflow = Workflow::new("flow", vec![Task::new("mesh", work()), solver], vec![]).unwrap();
        let request = Request::new("flow", 1, walras_model::workflow::UNSIZED);
        let mut spec = JobSpec::plain("ada".to_owned(), request);
        spec.workflow = Some(WorkflowSpec { workflow, strategy: Strategy::Asap, programs: Vec::new() });
        let text = unmet_text(broker.state(), &spec, &fitting(broker.state(), &spec));
        let expected = "no site can ever run it: task solve needs 5 nodes on one site at once, and no site has so many: campus has \
                        the most, 4";
        assert!(text.starts_with(expected), "{text}");
        let text = beyond_share_text(&spec, 5, 2);
        assert!(
            text.starts_with("task solve takes 5 nodes at once, and workflows of one user have at most 2 ")
        );
    }
}
