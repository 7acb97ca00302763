//! Jobs of a scenario as the core's batch.

use super::values::{Entries, List, Scalar, TestSpec};
use super::wire::JobEntry;
use super::{Unique, quantity};
use crate::error::{Problem, Within, echo};
use crate::unit::Unit;
use std::collections::{BTreeMap, BTreeSet};
use walras_core::{Batch, Offers, Request, Requirement, Scope, SiteId, Test, Value};

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
    for (index, entry) in entries.into_iter().enumerate() {
        names.insert(&entry.name, index).in_item(index)?;
        requests.push(request(entry, &sites, unit).in_item(index)?);
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
    let tasks = quantity::whole(entry.tasks, "a number of tasks", 1, u32::MAX.into());
    let tasks = tasks.and_then(|tasks| {
        u32::try_from(tasks).map_err(|_| Problem::new(&tasks.to_string(), "is out of range"))
    });
    let priority = quantity::whole(entry.priority, "a priority", i64::MIN, i64::MAX);
    let time = |number| quantity::time(number, unit);
    Ok(Request {
        name: entry.name,
        tasks: tasks.in_field("tasks")?,
        work: quantity::work(entry.work, unit).in_field("work")?,
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
        requires: entry.requires.map(requires).transpose().in_field("requires")?.unwrap_or_default(),
        scope: Scope {
            same_site: entry.same_site,
            sites: entry.sites.map(|names| site_ids(names, sites)).transpose().in_field("sites")?,
        },
    })
}

/// The sites that a job names.
fn site_ids(names: List<String>, sites: &Sites) -> Result<Vec<SiteId>, Problem> {
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

fn requires(entries: Entries<TestSpec>) -> Result<Vec<Requirement>, Problem> {
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
