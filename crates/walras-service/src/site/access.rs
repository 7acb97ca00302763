//! Rules of access and quotas, as a configuration gives them.

use super::amount::Amount;
use serde::Deserialize;
use walras_core::prefer::{AccessRule, Hours, Quota, Rules, Who};
use walras_model::{Money, Span};

const HOUR: i64 = 3_600_000;
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// One rule. The first that applies decides; where there are rules, those to whom none applies are refused.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessConfig {
    /// One user; with neither a user nor a group, everybody.
    pub user: Option<String>,
    /// All users of a group.
    pub group: Option<String>,
    /// Whether it allows or refuses.
    #[serde(default = "yes")]
    pub allow: bool,
    /// On which days: `mon` to `sun`; on all, without.
    pub days: Option<Vec<String>>,
    /// From which hour of the day; 0 without.
    pub from: Option<u8>,
    /// Until which hour; 24 without.
    pub to: Option<u8>,
}

/// What some may get together in one cycle: exactly one of the three.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotaConfig {
    /// One user; with neither a user nor a group, everybody.
    pub user: Option<String>,
    /// All users of a group.
    pub group: Option<String>,
    /// So many jobs.
    pub jobs: Option<u32>,
    /// So many seconds on nodes.
    pub node_seconds: Option<u32>,
    /// So much money, in credits.
    pub credits: Option<Amount>,
}

const fn yes() -> bool {
    true
}

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{list}[{place}]: {problem}")]
pub struct BadRule {
    /// The list that it is in.
    pub list: &'static str,
    /// Its place there.
    pub place: usize,
    /// What is wrong with it.
    pub problem: String,
}

/// The rules, or what is wrong with them.
pub fn rules(access: &[AccessConfig], quotas: &[QuotaConfig]) -> Result<Rules, BadRule> {
    let mut rules = Rules::default();
    for (place, rule) in access.iter().enumerate() {
        let within = |problem: String| BadRule { list: "access", place, problem };
        let who = who(rule.user.as_ref(), rule.group.as_ref()).map_err(within)?;
        rules.access.push(AccessRule { who, allow: rule.allow, hours: hours(rule).map_err(within)? });
    }
    for (place, quota) in quotas.iter().enumerate() {
        let within = |problem: String| BadRule { list: "quotas", place, problem };
        let who = who(quota.user.as_ref(), quota.group.as_ref()).map_err(within)?;
        rules.quotas.push((who, most(quota).map_err(within)?));
    }
    Ok(rules)
}

fn who(user: Option<&String>, group: Option<&String>) -> Result<Who, String> {
    match (user, group) {
        (None, None) => Ok(Who::Everybody),
        (Some(user), None) => Ok(Who::User(user.clone())),
        (None, Some(group)) => Ok(Who::Group(group.clone())),
        (Some(_), Some(_)) => Err("expected a user or a group, not both".to_owned()),
    }
}

fn hours(rule: &AccessConfig) -> Result<Option<Hours>, String> {
    if rule.days.is_none() && rule.from.is_none() && rule.to.is_none() {
        return Ok(None);
    }
    let mut days = [rule.days.is_none(); 7];
    for day in rule.days.iter().flatten() {
        let place = DAYS.iter().position(|name| name == day);
        let place = place.ok_or_else(|| format!("days: '{day}' is no day: expected {}", DAYS.join(", ")))?;
        days[place] = true;
    }
    let (from, to) = (rule.from.unwrap_or(0), rule.to.unwrap_or(24));
    let hours = Hours::new(days, HOUR * i64::from(from), HOUR * i64::from(to));
    hours.map(Some).ok_or_else(|| format!("from {from} to {to}: expected 0 <= from < to <= 24, and a day"))
}

fn most(quota: &QuotaConfig) -> Result<Quota, String> {
    match (quota.jobs, quota.node_seconds, &quota.credits) {
        (Some(jobs), None, None) => Ok(Quota::Jobs(jobs)),
        (None, Some(seconds), None) => {
            Ok(Quota::NodeTime(Span::from_millis(1_000 * i64::from(seconds)).unwrap_or(Span::ZERO)))
        }
        (None, None, Some(credits)) => Ok(Quota::Spend(Money::from_micros(credits.millionths("credits")?))),
        _ => Err("expected one of jobs, node_seconds and credits".to_owned()),
    }
}
