//! The broker's rules for a simulation, from words.

use super::promises;
use crate::record::Site;
use walras_broker::policy::Policy;
use walras_broker::sharing::QueueLimits;
use walras_core::Algorithm;
use walras_core::choose::{Objective, ObjectiveName, Total};
use walras_core::plan::PlanScheme;
use walras_model::Span;

/// The broker's own rules. Nobody asks for quotes here, so offers need not be fresh while nobody waits; nor for what no plan
/// could beat.
pub(super) fn plain() -> Policy {
    let mut policy = Policy::default();
    policy.quotes.offers_age_max = span(30 * 86_400);
    // Whoever takes something here takes it at once.
    policy.quotes.lead = Span::ZERO;
    // What a trace holds was let in by the site that it was recorded on.
    if let Some(sharing) = &mut policy.sharing {
        (sharing.user, sharing.group) = (QueueLimits::NONE, QueueLimits::NONE);
    }
    policy.bound_searches_max = 0;
    policy
}

fn span(seconds: i64) -> Span {
    Span::from_millis(1_000 * seconds).expect("some days are a span")
}

/// A setting that is not known or cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}={value}: {why}")]
pub struct BadSetting {
    /// The setting's name as it was given.
    pub key: String,
    /// What it was to be.
    pub value: String,
    /// What is wrong.
    pub why: String,
}

/// Rules that differ from the broker's own in some settings, by key and value: `search` (`alp`, `amp`, `criterion=…`),
/// `objective`, `plan` (`papers`, `improved`), `alternatives`, `batch`, `bound` (searches for what no plan could beat), `spares`, `crowd`, and in seconds `cycle`, `horizon`, `lead`,
/// `overdue`; and those for promises (`decide`, `order`, `slack` and so on). A lead below thirty seconds shortens what sites may take along with it.
///
/// What rules only jobs that are decided at once implies that, where nothing is said of `decide`.
pub fn policy_of<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Policy, BadSetting> {
    let settings: Vec<(&str, &str)> = settings.into_iter().collect();
    let mut policy = plain();
    let implied = implies_at_once(&settings)?.then_some(("decide", "at-once"));
    for (key, value) in implied.into_iter().chain(settings) {
        set(&mut policy, key, value).map_err(|why| BadSetting {
            key: key.to_owned(),
            value: value.to_owned(),
            why,
        })?;
    }
    Ok(policy)
}

/// Settings that jobs which are promised something do not feel.
const AT_ONCE: [&str; 7] = ["search", "objective", "plan", "alternatives", "batch", "cycle", "bound"];

/// Whether settings make sense only where jobs are decided at once; an error where others of them do only where something is promised.
fn implies_at_once(settings: &[(&str, &str)]) -> Result<bool, BadSetting> {
    if settings.iter().any(|(key, _)| *key == "decide") {
        return Ok(false);
    }
    // Contentment is weighed for all.
    let at_once = |(key, value): &&(&str, &str)| AT_ONCE.contains(key) && *value != "satisfaction";
    let promised = |(key, _): &&(&str, &str)| promises::is_setting(key);
    match (settings.iter().find(at_once), settings.iter().find(promised)) {
        (Some((key, value)), Some((other, _))) => Err(BadSetting {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
            why: format!(
                "rules jobs that are decided at once, and {other} those that are promised something: say decide=at-once or decide=promise"
            ),
        }),
        (one, _) => Ok(one.is_some()),
    }
}

fn set(policy: &mut Policy, key: &str, value: &str) -> Result<(), String> {
    let seconds =
        || value.parse().ok().and_then(seconds).ok_or_else(|| "is not a number of seconds".to_owned());
    let count = || value.parse::<u32>().map_err(|_| "is not a whole number".to_owned());
    match key {
        "search" => policy.search.algorithm = algorithm(value)?,
        "objective" => policy.choice.objective = objective(value)?,
        "plan" => {
            policy.plan = match value {
                "papers" => PlanScheme::Papers,
                "improved" => PlanScheme::Improved,
                _ => return Err("expected papers or improved".to_owned()),
            }
        }
        "alternatives" => policy.search.limits.alternatives_per_job_max = count()?,
        "batch" => policy.batch_max = count()?,
        "bound" => policy.bound_searches_max = u64::from(count()?),
        "spares" => policy.spares_max = count()?,
        "crowd" | "shared-ahead" => match &mut policy.sharing {
            Some(sharing) if key == "crowd" => sharing.crowd = count()?,
            Some(sharing) => sharing.ahead = seconds()?,
            None => return Err("nothing is shared here".to_owned()),
        },
        "cycle" => policy.cycle_every = seconds()?,
        "horizon" => policy.horizon = seconds()?,
        "overdue" => policy.overdue_after = seconds()?,
        "lead" => {
            policy.lead = seconds()?;
            let half = Span::from_millis(policy.lead.as_millis() / 2).unwrap_or(Span::ZERO);
            policy.prepare_within = policy.prepare_within.min(half);
            policy.confirm_within = policy.confirm_within.min(half);
        }
        _ => promises::set(policy, key, value)?,
    }
    policy.check().map_err(|bad| bad.to_string())
}

pub(super) fn seconds(seconds: f64) -> Option<Span> {
    #[allow(clippy::cast_possible_truncation, reason = "within the range of time")]
    let millis = (0.0..=1e12).contains(&seconds).then_some((seconds * 1_000.0).round() as i64);
    Span::from_millis(millis?)
}

fn algorithm(value: &str) -> Result<Algorithm, String> {
    value.parse().map_err(|_| format!("'{value}' is not a search"))
}

/// An objective by its name; `weighted:cost=1+time=0.5` has weights per credit and per second, `lexicographic:finish+cost` an order.
fn objective(value: &str) -> Result<Objective, String> {
    if let Some(terms) = value.strip_prefix("weighted:") {
        let weights = terms.split('+').map(weight).collect::<Result<Vec<_>, _>>()?;
        let any = weights.iter().any(|(_, weight)| *weight > 0);
        return any.then_some(Objective::Weighted(weights)).ok_or_else(|| "weighs nothing".to_owned());
    }
    if let Some(order) = value.strip_prefix("lexicographic:") {
        return order.split('+').map(total).collect::<Result<Vec<_>, _>>().map(Objective::Lexicographic);
    }
    let name: ObjectiveName = value.parse().map_err(|_| format!("'{value}' is not an objective"))?;
    Ok(match name {
        ObjectiveName::MinTime => Objective::MinTime,
        ObjectiveName::MinCost => Objective::MinCost,
        ObjectiveName::MaxIncome => Objective::MaxIncome,
        ObjectiveName::MaxUse => Objective::MaxUse,
        ObjectiveName::MinMakespan => Objective::MinMakespan,
        ObjectiveName::Satisfaction => Objective::Satisfaction,
        ObjectiveName::Weighted | ObjectiveName::Lexicographic => {
            return Err(format!(
                "'{value}' needs weights or an order, as in weighted:cost=1+time=0.5 and lexicographic:finish+cost"
            ));
        }
    })
}

fn total(name: &str) -> Result<Total, String> {
    name.parse().map_err(|_| format!("'{name}' is not a total"))
}

/// A total, and what a micro-credit or a millisecond of it counts.
fn weight(term: &str) -> Result<(Total, i64), String> {
    let (name, number) = term.split_once('=').ok_or_else(|| format!("'{term}' is not TOTAL=WEIGHT"))?;
    let total = total(name)?;
    let of_unit = match total {
        Total::Time | Total::Finish | Total::SpareTime => 1_000,
        Total::Cost | Total::Income | Total::SpareBudget => 1,
    };
    let number = number.parse().ok().and_then(promises::millionths);
    let weight = number.and_then(|number| number.checked_mul(of_unit));
    weight
        .map(|weight| (total, weight))
        .ok_or_else(|| format!("'{term}' is not TOTAL=WEIGHT, from 0 to 1000000"))
}

/// The broker's rules, looking twice as far ahead as the longest job takes where that is longer than it would look: for a job that no plan can
/// have a place for the broker waits for ever, and the machine of a trace has run all of them. What may be planned ahead of all together reaches as
/// far: a few jobs of weeks would be all of it, and nobody who had more than others would be planned beside them.
pub fn reaching(sites: &[Site], longest: Span, policy: &Policy) -> Policy {
    let takes = sites.iter().filter_map(|site| site.takes(longest)).max();
    let longest = takes.filter(|takes| *takes >= policy.horizon);
    let horizon = longest.and_then(|takes| Span::from_millis(takes.as_millis().checked_mul(2)?));
    let mut policy = Policy { horizon: horizon.unwrap_or(policy.horizon), ..policy.clone() };
    if let Some(sharing) = &mut policy.sharing {
        sharing.ahead = sharing.ahead.max(policy.horizon);
    }
    policy
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_broker::policy::Deciding;

    #[test]
    fn settings_are_taken_or_named() {
        let policy =
            policy_of([("search", "amp"), ("objective", "min-time"), ("cycle", "30"), ("lead", "0.002")]);
        let policy = policy.unwrap();
        assert_eq!(policy.choice.objective, Objective::MinTime);
        assert_eq!((policy.cycle_every, policy.lead.as_millis()), (span(30), 2));
        assert_eq!(policy_of([]).unwrap(), plain());
        assert_eq!(policy.deciding, Deciding::AtOnce);
        let promises = |settings: &[(&'static str, &'static str)]| {
            matches!(policy_of(settings.iter().copied()).unwrap().deciding, Deciding::Promise(_))
        };
        assert!(promises(&[("objective", "satisfaction"), ("slack", "0")]));
        assert!(promises(&[("decide", "promise"), ("search", "alp")]) && promises(&[("lead", "1")]));
        let both = policy_of([("slack", "0"), ("search", "alp")]).unwrap_err();
        assert!(both.key == "search" && both.why.contains("decide=at-once"), "{both}");
        let objective = |words: &str| policy_of([("objective", words)]).map(|policy| policy.choice.objective);
        let weights = vec![(Total::Cost, 1_000_000), (Total::Finish, 500_000_000)];
        assert_eq!(objective("weighted:cost=1+finish=0.5"), Ok(Objective::Weighted(weights)));
        let order = Objective::Lexicographic(vec![Total::Finish, Total::Cost]);
        assert_eq!(objective("lexicographic:finish+cost"), Ok(order));
        for wrong in [
            "weighted",
            "weighted:",
            "weighted:cost",
            "weighted:cost=x",
            "lexicographic:beauty",
            "weighted:cost=0",
        ] {
            assert!(objective(wrong).is_err(), "{wrong}");
        }
        for (key, value) in
            [("colour", "red"), ("cycle", "x"), ("cycle", "0"), ("plan", "best"), ("search", "?")]
        {
            assert_eq!(policy_of([(key, value)]).unwrap_err().key, key);
        }
    }
}
