//! Preferences of a scenario as the core's stakeholders.

use super::names::AggregationName;
use super::values::{Entries, List, Pair};
use super::wishes::{
    AccessEntry, AdministratorEntry, JobWishEntry, OriginEntry, OwnerEntry, PreferencesEntry, QueueEntry,
    QuotaEntry, SpreadEntry, UserEntry, Wanted,
};
use super::{Unique, jobs, offers, quantity};
use crate::error::{Problem, Within};
use crate::number::Number;
use crate::unit::Unit;
use std::collections::BTreeMap;
use walras_core::prefer::{
    AccessRule, Aggregation, Calendar, CollectiveWish, Criterion, Hours, JobWish, Preference,
    PreferenceError, QueueOffer, Quota, Rules, SEGMENTS_MAX, Spread, Stakeholders, User, Weighted, Who,
};
use walras_model::{Batch, Offers, SiteId, Span};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// What everybody wants.
pub(super) fn preferences(
    entry: PreferencesEntry,
    offers: &Offers,
    batch: &Batch,
    unit: Unit,
) -> Result<Stakeholders, Problem> {
    let sites = jobs::sites(offers);
    let (users, wishes) = users(entry.users, entry.jobs, batch, unit)?;
    let mut stakeholders = Stakeholders {
        users,
        jobs: wishes,
        owners: vec![None; offers.sites().len()],
        rules: vec![Rules::default(); offers.sites().len()],
        administrator: None,
        queues: Vec::new(),
        calendar: entry.origin.map(origin).transpose().in_field("origin")?.unwrap_or_default(),
        across: entry.aggregation.of(Aggregation::STAKEHOLDERS),
    };
    owners(&mut stakeholders, entry.owners, &sites, unit).in_field("owners")?;
    let administrator = entry.administrator.map(|entry| administrator(entry, unit)).transpose();
    stakeholders.administrator = administrator.in_field("administrator")?;
    stakeholders.queues = queues(entry.queues, &sites, unit).in_field("queues")?;
    Ok(stakeholders)
}

type Sites = BTreeMap<String, SiteId>;

/// Weights, ranges and segments by criterion.
fn preference(wanted: Wanted<'_>, aggregation: AggregationName, unit: Unit) -> Result<Preference, Problem> {
    let Wanted { prefers, ranges, segments } = wanted;
    let mut weighted = Vec::new();
    match prefers {
        Some(Entries(entries)) => {
            for (name, number) in entries {
                let read = criterion(name).and_then(|it| Ok(Weighted::new(it, quantity::weight(*number)?)));
                weighted.push(read.in_field(name).in_field("prefers")?);
            }
        }
        None => weighted.extend([Criterion::Cost, Criterion::Finish].map(|it| Weighted::new(it, 1))),
    }
    for (name, Pair(low, high)) in ranges.map_or(&[][..], |Entries(entries)| entries) {
        let range = range(name, *low, *high, unit, &mut weighted);
        range.in_field(name).in_field("ranges")?;
    }
    for (name, List(steps)) in segments.map_or(&[][..], |Entries(entries)| entries) {
        self::segments(name, steps, &mut weighted).in_field(name).in_field("segments")?;
    }
    Preference::new(weighted, aggregation.of(Aggregation::CRITERIA)).map_err(|error| refused(&error))
}

/// The same as a job gives it; points in time count from its submission.
pub(crate) fn preference_of(
    wanted: Wanted<'_>,
    aggregation: Option<AggregationName>,
) -> Result<Option<Preference>, Problem> {
    if wanted.prefers.is_some() {
        return preference(wanted, aggregation.unwrap_or_default(), Unit::Seconds).map(Some);
    }
    let alone = match (wanted.ranges, wanted.segments, aggregation) {
        (Some(_), _, _) => "ranges",
        (None, Some(_), _) => "segments",
        (None, None, Some(_)) => "aggregation",
        (None, None, None) => return Ok(None),
    };
    Err(Problem::new(alone, "needs `prefers` beside it")).in_field(alone)
}

fn refused(error: &PreferenceError) -> Problem {
    Problem::new("weights", format!("make no preference: {error}"))
}

fn criterion(name: &str) -> Result<Criterion, Problem> {
    let what = || format!("is not a criterion: expected {}", Criterion::names());
    name.parse().map_err(|_| Problem::new(name, what()))
}

fn range(
    name: &str,
    low: Number,
    high: Number,
    unit: Unit,
    weighted: &mut [Weighted],
) -> Result<(), Problem> {
    let it = criterion(name)?;
    let (from, to) = (value(low, &it, unit).in_item(0)?, value(high, &it, unit).in_item(1)?);
    if from >= to {
        let what = "is an empty range: the first number must be below the second";
        return Err(Problem::new(&format!("[{low}, {high}]"), what));
    }
    let entry = weighted.iter_mut().find(|entry| entry.criterion == it);
    let entry = entry.ok_or_else(|| Problem::new(name, "has a range but no weight"))?;
    entry.range = Some((from, to));
    Ok(())
}

/// How much a criterion's loss grows in each part of its range.
fn segments(name: &str, steps: &[Number], weighted: &mut [Weighted]) -> Result<(), Problem> {
    let it = criterion(name)?;
    let entry = weighted.iter_mut().find(|entry| entry.criterion == it);
    let entry = entry.ok_or_else(|| Problem::new(name, "has segments but no weight"))?;
    let steps = steps.iter().enumerate();
    let read = steps.map(|(item, step)| quantity::weight(*step).in_item(item));
    entry.segments = read.collect::<Result<Vec<i64>, Problem>>()?;
    match entry.segments.len() {
        1..=SEGMENTS_MAX if entry.segments.iter().any(|step| *step > 0) => Ok(()),
        _ => Err(Problem::new(
            name,
            "has segments that are none: expected 1 to 100 numbers, one of them above 0",
        )),
    }
}

/// A number of a criterion, in the core's integers.
fn value(number: Number, criterion: &Criterion, unit: Unit) -> Result<i64, Problem> {
    match criterion {
        _ if criterion.is_time() => quantity::time(number, unit).map(|time| time.as_millis()),
        Criterion::Cost | Criterion::Income => quantity::money(number).map(|money| money.as_micros()),
        _ => quantity::decimal(number).map(|decimal| decimal.as_millionths()),
    }
}

/// All users, and what is wanted of every job.
fn users(
    entries: List<UserEntry>,
    wishes: List<JobWishEntry>,
    batch: &Batch,
    unit: Unit,
) -> Result<(Vec<User>, Vec<JobWish>), Problem> {
    let places: BTreeMap<&str, usize> =
        batch.requests().iter().enumerate().map(|(place, request)| (request.name.as_str(), place)).collect();
    let place = |name: &str| {
        let unknown = || Problem::new(name, "is not the name of a job");
        places.get(name).copied().ok_or_else(unknown)
    };
    let mut users = Vec::new();
    let mut found: Vec<Option<JobWish>> = vec![None; batch.requests().len()];
    let mut names = Unique::new("user");
    for (index, entry) in entries.0.into_iter().enumerate() {
        names.insert(&entry.name, index).in_item(index).in_field("users")?;
        let wish = user(&mut users, &entry, unit).in_item(index).in_field("users")?;
        for (item, job) in entry.jobs.0.iter().enumerate() {
            let claimed = place(job).and_then(|place| match found[place].replace(wish.clone()) {
                None => Ok(()),
                Some(_) => Err(Problem::new(job, "is claimed twice: a job has one user")),
            });
            claimed.in_item(item).in_field("jobs").in_item(index).in_field("users")?;
        }
    }
    let mut all = Vec::with_capacity(found.len());
    for (wish, request) in found.into_iter().zip(batch.requests()) {
        all.push(match wish {
            Some(wish) => wish,
            None => {
                users.push(User { name: request.name.clone(), group: None, weight: 1_000_000 });
                JobWish { user: users.len() - 1, preference: Preference::plain(), spread: None }
            }
        });
    }
    for (index, entry) in wishes.0.into_iter().enumerate() {
        let own = job_wish(&mut all, entry, place, unit);
        own.in_item(index).in_field("jobs")?;
    }
    Ok((users, all))
}

/// Adds a user; gives what they want of their jobs.
fn user(users: &mut Vec<User>, entry: &UserEntry, unit: Unit) -> Result<JobWish, Problem> {
    let weight = quantity::weight(entry.weight).in_field("weight")?;
    users.push(User { name: entry.name.clone(), group: entry.group.clone(), weight });
    let preference = preference(entry.wanted(), entry.aggregation, unit)?;
    Ok(JobWish { user: users.len() - 1, preference, spread: None })
}

fn job_wish(
    all: &mut [JobWish],
    entry: JobWishEntry,
    place: impl Fn(&str) -> Result<usize, Problem>,
    unit: Unit,
) -> Result<(), Problem> {
    let wish = &mut all[place(&entry.name).in_field("name")?];
    if entry.prefers.is_some() {
        wish.preference = preference(entry.wanted(), entry.aggregation, unit)?;
    } else if entry.ranges.is_some() {
        return Err(Problem::new("ranges", "need `prefers` beside them")).in_field("ranges");
    } else if entry.segments.is_some() {
        return Err(Problem::new("segments", "need `prefers` beside them")).in_field("segments");
    }
    if let Some(SpreadEntry { deviation, max, error, likely }) = entry.run_time {
        let span = |number, field: &str| quantity::span(number, unit).in_field(field).in_field("run_time");
        wish.spread = Some(Spread {
            deviation: span(deviation, "deviation")?,
            max: span(max, "max")?,
            error: span(error, "error")?,
            likely: likely.map(|number| span(number, "likely")).transpose()?,
        });
    }
    Ok(())
}

fn owners(
    stakeholders: &mut Stakeholders,
    entries: List<OwnerEntry>,
    sites: &Sites,
    unit: Unit,
) -> Result<(), Problem> {
    let mut seen = std::collections::BTreeSet::new();
    for (index, entry) in entries.0.into_iter().enumerate() {
        let site = jobs::site(&entry.site, sites).in_field("site").in_item(index)?;
        if !seen.insert(site) {
            return Err(Problem::new(&entry.site, "is listed twice")).in_field("site").in_item(index);
        }
        let weight = quantity::weight(entry.weight).in_field("weight").in_item(index)?;
        if entry.prefers.is_some() {
            let preference = preference(entry.wanted(), entry.aggregation, unit).in_item(index)?;
            stakeholders.owners[site.index()] = Some(CollectiveWish { weight, preference });
        }
        let rules = rules(&entry, unit).in_item(index)?;
        stakeholders.rules[site.index()] = rules;
    }
    Ok(())
}

fn rules(entry: &OwnerEntry, unit: Unit) -> Result<Rules, Problem> {
    let mut rules = Rules::default();
    for (index, access) in entry.access.0.iter().enumerate() {
        let rule = who(access.user.as_ref(), access.group.as_ref())
            .and_then(|who| Ok(AccessRule { who, allow: access.allow, hours: hours(access)? }));
        rules.access.push(rule.in_item(index).in_field("access")?);
    }
    for (index, quota) in entry.quotas.0.iter().enumerate() {
        let read = who(quota.user.as_ref(), quota.group.as_ref())
            .and_then(|who| Ok((who, self::quota(quota, unit)?)));
        rules.quotas.push(read.in_item(index).in_field("quotas")?);
    }
    Ok(rules)
}

fn who(user: Option<&String>, group: Option<&String>) -> Result<Who, Problem> {
    match (user, group) {
        (None, None) => Ok(Who::Everybody),
        (Some(user), None) => Ok(Who::User(user.clone())),
        (None, Some(group)) => Ok(Who::Group(group.clone())),
        (Some(user), Some(_)) => {
            Err(Problem::new(user, "is given beside a group: name one of them")).in_field("user")
        }
    }
}

fn hours(entry: &AccessEntry) -> Result<Option<Hours>, Problem> {
    if entry.days.is_none() && entry.hours.is_none() {
        return Ok(None);
    }
    let days = match &entry.days {
        None => [true; 7],
        Some(List(names)) => {
            let mut days = [false; 7];
            names.iter().for_each(|name| days[name.place()] = true);
            days
        }
    };
    let (from, to) = match entry.hours {
        None => (0, DAY),
        Some(Pair(from, to)) => {
            let hour =
                |number| quantity::time(number, Unit::Seconds).map(|time| time.as_millis() * HOUR / 1_000);
            (hour(from).in_item(0).in_field("hours")?, hour(to).in_item(1).in_field("hours")?)
        }
    };
    let none =
        || Problem::new("hours", "are no time at all: from 0 to 24, the first below the second, on some day");
    Hours::new(days, from, to).ok_or_else(none).in_field("hours").map(Some)
}

fn quota(entry: &QuotaEntry, unit: Unit) -> Result<Quota, Problem> {
    match (entry.jobs, entry.node_time, entry.spend) {
        (Some(jobs), None, None) => {
            let count = quantity::whole(jobs, "a number of jobs", 0, u32::MAX.into()).in_field("jobs")?;
            Ok(Quota::Jobs(u32::try_from(count).unwrap_or(u32::MAX)))
        }
        (None, Some(time), None) => quantity::span(time, unit).in_field("node_time").map(Quota::NodeTime),
        (None, None, Some(money)) => quantity::money(money).in_field("spend").map(Quota::Spend),
        _ => Err(Problem::new("quota", "must have exactly one of jobs, node_time and spend")),
    }
}

fn administrator(entry: AdministratorEntry, unit: Unit) -> Result<CollectiveWish, Problem> {
    let weight = quantity::weight(entry.weight).in_field("weight")?;
    let preference = preference(entry.wanted(), entry.aggregation, unit)?;
    Ok(CollectiveWish { weight, preference })
}

fn queues(entries: List<QueueEntry>, sites: &Sites, unit: Unit) -> Result<Vec<QueueOffer>, Problem> {
    let mut names = Unique::new("queue");
    let mut queues = Vec::with_capacity(entries.0.len());
    for (index, entry) in entries.0.into_iter().enumerate() {
        names.insert(&entry.name, index).in_item(index)?;
        queues.push(queue(entry, sites, unit).in_item(index)?);
    }
    Ok(queues)
}

fn queue(entry: QueueEntry, sites: &Sites, unit: Unit) -> Result<QueueOffer, Problem> {
    let units = |number| quantity::whole(number, "a number of nodes", 1, u32::MAX.into());
    let units = entry.units.map(units).transpose().in_field("units")?;
    Ok(QueueOffer {
        name: entry.name,
        site: jobs::site(&entry.site, sites).in_field("site")?,
        wait: quantity::span(entry.wait, unit).in_field("wait")?,
        performance: quantity::performance(entry.performance).in_field("performance")?,
        rate: quantity::rate(entry.price, unit).in_field("price")?,
        units: units.and_then(|units| u32::try_from(units).ok()),
        watts: entry.watts.map(quantity::watts).transpose().in_field("watts")?,
        attributes: offers::attributes(entry.attributes).in_field("attributes")?,
    })
}

fn origin(entry: OriginEntry) -> Result<Calendar, Problem> {
    let hour = quantity::whole(entry.hour, "an hour of the day", 0, 23).in_field("hour")?;
    let days = i64::try_from(entry.day.place()).unwrap_or(0);
    Ok(Calendar::new(Span::from_millis(days * DAY + hour * HOUR).unwrap_or(Span::ZERO)))
}
