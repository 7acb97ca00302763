//! Jobs of a scenario as the core's batch.

use super::WorkflowJob;
use super::names::KindName;
use super::values::{Entries, List, Scalar, TaskSpec, TestSpec};
use super::wire::JobEntry;
use super::{Unique, quantity};
use crate::error::{Problem, Within, echo};
use crate::number::Number;
use crate::unit::Unit;
use std::collections::{BTreeMap, BTreeSet};
use walras_core::refine::Strategy;
use walras_model::{
    Batch, Fixed, Node, Offers, Request, Requirement, Scope, SiteId, Test, Value, Work, amount_asked,
};

/// The sites by name.
type Sites = BTreeMap<String, SiteId>;

/// The batch of all jobs, in the order of the file.
pub(super) fn batch(entries: Vec<JobEntry>, offers: &Offers, unit: Unit) -> Result<Batch, Problem> {
    requests(entries, offers, unit).in_field("jobs").map(Batch::new)
}

fn requests(entries: Vec<JobEntry>, offers: &Offers, unit: Unit) -> Result<Vec<Request>, Problem> {
    if entries.is_empty() {
        return Err(Problem::new("[]", "is an empty list: there must be at least one job"));
    }
    let sites = sites(offers);
    let mut names = Unique::new("job");
    let mut requests = Vec::with_capacity(entries.len());
    let is_counted =
        |name: &str| offers.nodes().iter().any(|node| node.division.resources().contains_key(name));
    for (index, entry) in entries.into_iter().enumerate() {
        names.insert(&entry.name, index).in_item(index)?;
        let taken: Vec<String> =
            entry.resources.iter().flat_map(|all| &all.0).map(|(name, _)| name.clone()).collect();
        let request = request(entry, &sites, unit).in_item(index)?;
        amounts(&request.requires, is_counted).in_item(index)?;
        sold(&request.requires, &taken, offers).in_item(index)?;
        requests.push(request);
    }
    Ok(requests)
}

/// All sites by name.
pub(super) fn sites(offers: &Offers) -> Sites {
    let names = offers.sites().iter().enumerate();
    names.filter_map(|(index, site)| Some((site.name.clone(), SiteId::from_index(index)?))).collect()
}

/// The site of that name.
pub(super) fn site(name: &str, sites: &Sites) -> Result<SiteId, Problem> {
    sites.get(name).copied().ok_or_else(|| unknown_site(name, sites))
}

fn request(entry: JobEntry, sites: &Sites, unit: Unit) -> Result<Request, Problem> {
    let (tasks, work) = match entry.workflow {
        Some(_) => unsized_tasks(&entry.tasks, entry.work)?,
        None => tasks(entry.tasks, entry.work, unit)?,
    };
    let user = entry.user.map(|user| quantity::name(&user, "a user").map(|()| user));
    let priority = quantity::whole(entry.priority, "a priority", i64::MIN, i64::MAX);
    let time = |number| quantity::time(number, unit);
    Ok(Request {
        name: entry.name,
        user: user.transpose().in_field("user")?,
        tasks,
        work,
        performance_min: quantity::performance(entry.performance_min).in_field("performance_min")?,
        price_max: entry
            .price_max
            .map(|number| quantity::rate(number, unit))
            .transpose()
            .in_field("price_max")?,
        budget: entry.budget.map(quantity::budget).transpose().in_field("budget")?,
        deadline: entry.deadline.map(time).transpose().in_field("deadline")?,
        earliest: entry.earliest.map(time).transpose().in_field("earliest")?,
        priority: priority.in_field("priority")?,
        requires: needs(entry.requires, entry.resources)?,
        scope: Scope {
            same_site: same_site(entry.same_site, entry.kind)?,
            separate_nodes: entry.separate_nodes,
            sites: entry.sites.map(|names| site_ids(names, sites)).transpose().in_field("sites")?,
            ..Scope::default()
        },
    })
}

/// By job: its workflow, where it is one.
pub(super) fn workflows(entries: &[JobEntry]) -> Result<Vec<Option<WorkflowJob>>, Problem> {
    let mut workflows = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        workflows.push(workflow_job(entry).in_item(index).in_field("jobs")?);
    }
    Ok(workflows)
}

fn workflow_job(entry: &JobEntry) -> Result<Option<WorkflowJob>, Problem> {
    let strategy = strategy(entry.strategy.as_deref(), entry.workflow.is_some(), Fastest::Nowhere)?;
    let of = |file: &String| WorkflowJob { file: file.clone(), strategy: strategy.unwrap_or(Strategy::Asap) };
    Ok(entry.workflow.as_ref().map(of))
}

/// Whether a workflow may be placed as fast as its budget pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fastest {
    /// It has a budget.
    Paid,
    /// It has none.
    Unpaid,
    /// Not in plans from files.
    Nowhere,
}

/// The rule by which the tasks of a workflow are placed; no other job may have one, and `fastest` only one with a budget.
pub(crate) fn strategy(
    name: Option<&str>,
    workflow: bool,
    fastest: Fastest,
) -> Result<Option<Strategy>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let what = match fastest {
        Fastest::Nowhere => "is not a strategy here: expected asap, alap, cheapest or balanced",
        Fastest::Paid | Fastest::Unpaid => {
            "is not a strategy: expected asap, alap, cheapest, balanced, or fastest with a budget"
        }
    };
    let strategy: Strategy = name.parse().map_err(|_| Problem::new(name, what)).in_field("strategy")?;
    if strategy.needs_budget() {
        let what = match fastest {
            Fastest::Paid => None,
            Fastest::Unpaid => Some("needs a `budget`, within which it is as fast as can be"),
            Fastest::Nowhere => Some(what),
        };
        what.map_or(Ok(()), |what| Err(Problem::new(name, what))).in_field("strategy")?;
    }
    if workflow {
        return Ok(Some(strategy));
    }
    Err(Problem::new(name, "is given without `workflow`: only workflows have strategies"))
        .in_field("strategy")
}

/// The size of a workflow's window is decided when its tasks are known, so the job must not say it.
pub(crate) fn unsized_tasks(tasks: &TaskSpec, work: Option<Number>) -> Result<(u32, Work), Problem> {
    if let Some(work) = work {
        let what = "is given beside `workflow`: a job has either `work` or a workflow, not both";
        return Err(Problem::new(&work.to_string(), what)).in_field("work");
    }
    let given = match tasks {
        TaskSpec::Count(Number::Unsigned(1)) => return Ok((1, walras_model::workflow::UNSIZED)),
        TaskSpec::Count(count) => count.to_string(),
        TaskSpec::Lengths(_) => "a list".to_owned(),
    };
    let what = "is given beside `workflow`: how many nodes a workflow gets follows from its tasks";
    Err(Problem::new(&given, what)).in_field("tasks")
}

/// How many tasks there are, and the work of each. All nodes are held until the longest task of a list has ended.
pub(crate) fn tasks(spec: TaskSpec, work: Option<Number>, unit: Unit) -> Result<(u32, Work), Problem> {
    match (spec, work) {
        (TaskSpec::Count(count), Some(work)) => Ok((
            quantity::count(count, "a number of tasks", u32::MAX).in_field("tasks")?,
            quantity::work(work, unit).in_field("work")?,
        )),
        (TaskSpec::Count(_), None) => Err(Problem::new(
            "a job",
            "needs the key `work`, a list of lengths as its `tasks`, or a `workflow`",
        )),
        (TaskSpec::Lengths(_), Some(work)) => {
            let what = "is given beside a list of `tasks`, which says the work of each task";
            Err(Problem::new(&work.to_string(), what)).in_field("work")
        }
        (TaskSpec::Lengths(lengths), None) => longest(&lengths.0, unit).in_field("tasks"),
    }
}

fn longest(lengths: &[Number], unit: Unit) -> Result<(u32, Work), Problem> {
    let mut longest = None;
    for (index, length) in lengths.iter().enumerate() {
        longest = longest.max(Some(quantity::work(*length, unit).in_item(index)?));
    }
    let empty = || Problem::new("[]", "is an empty list: a job has at least one task");
    let count = u32::try_from(lengths.len())
        .map_err(|_| Problem::new(&lengths.len().to_string(), "tasks are too many"))?;
    Ok((count, longest.ok_or_else(empty)?))
}

/// Whether all tasks must be on one site, which may be said in two ways.
fn same_site(same_site: Option<bool>, kind: Option<KindName>) -> Result<bool, Problem> {
    match (same_site, kind) {
        (Some(_), Some(_)) => {
            let what = "is given beside `same_site`, which says the same: give one of them";
            Err(Problem::new("`kind`", what)).in_field("kind")
        }
        (Some(same_site), None) => Ok(same_site),
        (None, kind) => Ok(kind == Some(KindName::SingleSite)),
    }
}

/// The sites that a job names.
pub(crate) fn site_ids(names: List<String>, sites: &Sites) -> Result<Vec<SiteId>, Problem> {
    if names.0.is_empty() {
        return Err(Problem::new("[]", "is an empty list: a job must be allowed on at least one site"));
    }
    let mut ids = Vec::with_capacity(names.0.len());
    let mut seen = BTreeSet::new();
    for (index, name) in names.0.iter().enumerate() {
        let id = site(name, sites);
        let id = id.in_item(index)?;
        if !seen.insert(id) {
            return Err(Problem::new(name, "is listed twice")).in_item(index);
        }
        ids.push(id);
    }
    Ok(ids)
}

/// How many known sites an error lists.
const SITES_LISTED_MAX: usize = 5;

fn unknown_site(name: &str, sites: &Sites) -> Problem {
    let mut known: Vec<String> = sites.keys().take(SITES_LISTED_MAX).map(|name| echo(name)).collect();
    if let Some(more @ 1..) = sites.len().checked_sub(SITES_LISTED_MAX) {
        known.push(format!("and {more} more"));
    }
    Problem::new(name, format!("is not the name of a site: known are {}", known.join(", ")))
}

/// What a job or a task requires of its nodes.
pub(crate) fn requires(entries: Entries<TestSpec>) -> Result<Vec<Requirement>, Problem> {
    let mut seen = BTreeSet::new();
    let mut requirements = Vec::with_capacity(entries.0.len());
    for (attribute, spec) in entries.0 {
        let checked = quantity::name(&attribute, "an attribute").and_then(|()| test(spec));
        let test = checked.in_field(&attribute)?;
        if !seen.insert(attribute.clone()) {
            let problem = Problem::new(&attribute, "is there twice: give all its tests in one");
            return Err(problem).in_field(&attribute);
        }
        requirements.push(Requirement { attribute, test });
    }
    Ok(requirements)
}

/// What every node must satisfy, and what each task takes of it.
pub(crate) fn needs(
    tests: Option<Entries<TestSpec>>,
    resources: Option<Entries<Number>>,
) -> Result<Vec<Requirement>, Problem> {
    let mut all = tests.map(requires).transpose().in_field("requires")?.unwrap_or_default();
    for (attribute, amount) in resources.into_iter().flat_map(|entries| entries.0) {
        let least = quantity::name(&attribute, "a resource").and_then(|()| quantity::resource(amount));
        let least = least.and_then(|least| match all.iter().any(|known| known.attribute == attribute) {
            false => Ok(least),
            true => Err(Problem::new(
                &attribute,
                "is there twice: a job asks once for each, in `resources` or `requires`",
            )),
        });
        let min = Some(least.in_field(&attribute).in_field("resources")?);
        all.push(Requirement { attribute, test: Test::Range { min, max: None } });
    }
    Ok(all)
}

/// Whether what jobs ask of resources that nodes count is something: 0 of them is no use of a node, and less is nothing at all. At least 0 is.
pub(crate) fn amounts(requires: &[Requirement], is_counted: impl Fn(&str) -> bool) -> Result<(), Problem> {
    for requirement in requires {
        let Some(amount) = amount_asked(&requirement.test) else { continue };
        let least = if matches!(requirement.test, Test::Range { .. }) { 0 } else { 1 };
        if amount.as_millionths() < least && requirement.attribute.split('|').any(&is_counted) {
            let what = "is not an amount of a resource, which some nodes count: it must be greater than 0";
            let problem = Problem::new(&amount.to_string(), what);
            return Err(problem).in_field(&requirement.attribute).in_field("requires");
        }
    }
    Ok(())
}

/// Whether some node has as much as a task takes of it, of all that is counted and all that jobs take: what never fits is told at once, with the most there is.
fn sold(requires: &[Requirement], taken: &[String], offers: &Offers) -> Result<(), Problem> {
    for requirement in requires {
        let Some(amount) = amount_asked(&requirement.test) else { continue };
        let is_taken = taken.contains(&requirement.attribute);
        let names = || requirement.attribute.split('|');
        let counts = |node: &Node| names().any(|name| node.division.resources().contains_key(name));
        let meets = |node: &Node| node.division.meets(requirement, &node.attributes);
        let nodes = || offers.nodes().iter();
        if nodes().any(meets) || !(is_taken || nodes().any(counts)) {
            continue;
        }
        // What is counted is stated too.
        let stated = |node: &Node| names().filter_map(|name| number(node.attributes.get(name)?)).max();
        let what = match nodes().filter_map(stated).max() {
            Some(most) => format!("is more than any node has: the largest has {most}"),
            None => "is asked of a resource that nobody sells: no node has it".to_owned(),
        };
        let field = if is_taken { "resources" } else { "requires" };
        let problem = Problem::new(&amount.to_string(), what);
        return Err(problem).in_field(&requirement.attribute).in_field(field);
    }
    Ok(())
}

fn number(value: &Value) -> Option<Fixed> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Text(_) | Value::Flag(_) => None,
    }
}

fn test(spec: TestSpec) -> Result<Test, Problem> {
    match spec {
        TestSpec::Equals(scalar) => quantity::value(scalar).map(Test::Equals),
        TestSpec::OneOf { values, keyed: false } => one_of(values),
        TestSpec::OneOf { values, keyed: true } => one_of(values).in_field("in"),
        TestSpec::Range { min, max } => {
            let least = min.map(quantity::decimal).transpose().in_field("min")?;
            let most = max.map(quantity::decimal).transpose().in_field("max")?;
            match (least, most) {
                (Some(least), Some(most)) if least > most => {
                    let what = format!("is less than min, {least}: no value is within such bounds");
                    Err(Problem::new(&most.to_string(), what)).in_field("max")
                }
                _ => Ok(Test::Range { min: least, max: most }),
            }
        }
    }
}

fn one_of(values: List<Scalar>) -> Result<Test, Problem> {
    if values.0.is_empty() {
        return Err(Problem::new("[]", "is an empty list: no value is one of none"));
    }
    let values: Result<Vec<Value>, Problem> = values
        .0
        .into_iter()
        .enumerate()
        .map(|(index, scalar)| quantity::value(scalar).in_item(index))
        .collect();
    values.map(Test::OneOf)
}
