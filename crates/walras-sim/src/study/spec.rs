//! Policies by their words: `easy`, `mct:queue=conservative`, `walras:search=amp,objective=min-time`.

use crate::baseline::{Assigning, Discipline, Method, Placement, Rule};
use crate::drive::policy_of;
use std::fmt;
use std::str::FromStr;
use walras_broker::policy::Policy as Rules;
use walras_model::Span;

/// A policy and the words that it was asked for by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySpec {
    words: String,
    policy: Policy,
}

/// What a policy is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// A baseline.
    Baseline(Discipline, Placement),
    /// Rounds of capacity assignment.
    Assigned(Assigning),
    /// The broker with its rules.
    Broker(Box<Rules>),
    /// The broker with the rules that a VO had, which are yet to be read.
    Recorded,
}

/// What is wrong with the words for a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy '{words}': {why}")]
pub struct BadPolicy {
    /// The words.
    pub words: String,
    /// What is wrong.
    pub why: String,
}

/// All names.
const NAMES: &str = "fcfs, easy, sjf-easy, conservative, first-fit, cheapest, cheapest-in-time, mst, mct, greedy, hga, lpga, exact, walras or recorded";

impl PolicySpec {
    pub(super) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether it is the broker's.
    pub fn is_broker(&self) -> bool {
        matches!(self.policy, Policy::Broker(_) | Policy::Recorded)
    }

    /// The same, where it asks for the rules that a VO had: with these.
    pub fn with_recorded(self, rules: Option<&Rules>) -> PolicySpec {
        match (&self.policy, rules) {
            (Policy::Recorded, Some(rules)) => {
                PolicySpec { policy: Policy::Broker(Box::new(rules.clone())), ..self }
            }
            _ => self,
        }
    }
}

impl fmt::Display for PolicySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words.fmt(f)
    }
}

impl FromStr for PolicySpec {
    type Err = BadPolicy;

    fn from_str(words: &str) -> Result<PolicySpec, BadPolicy> {
        let bad = |why: String| BadPolicy { words: words.to_owned(), why };
        let policy = policy(words).map_err(bad)?;
        Ok(PolicySpec { words: words.to_owned(), policy })
    }
}

fn policy(words: &str) -> Result<Policy, String> {
    let (name, rest) = words.split_once(':').unwrap_or((words, ""));
    let mut settings = Vec::new();
    for setting in rest.split(',').filter(|setting| !setting.is_empty()) {
        settings.push(setting.split_once('=').ok_or_else(|| format!("'{setting}' is not KEY=VALUE"))?);
    }
    if words == "recorded" {
        return Ok(Policy::Recorded);
    }
    if name == "walras" {
        return policy_of(settings)
            .map(|rules| Policy::Broker(Box::new(rules)))
            .map_err(|bad| bad.to_string());
    }
    if let Some(method) = method(name) {
        let mut rules = Assigning { method, ..Assigning::default() };
        settings.into_iter().try_for_each(|(key, value)| set_assigning(&mut rules, key, value))?;
        return Ok(Policy::Assigned(rules));
    }
    let (mut discipline, rule) = match name {
        "first-fit" => (Discipline::Easy, Rule::FirstFit),
        "cheapest" => (Discipline::Easy, Rule::Cheapest),
        "cheapest-in-time" => (Discipline::Easy, Rule::CheapestInTime),
        "mst" => (Discipline::Easy, Rule::StartFirst),
        "mct" => (Discipline::Easy, Rule::EndFirst),
        _ => {
            let discipline =
                queue(name).ok_or_else(|| format!("there is no such policy: expected {NAMES}"))?;
            (discipline, Rule::EndFirst)
        }
    };
    let mut placement = Placement { rule, knows_speed: true };
    for (key, value) in settings {
        match (key, value) {
            ("queue", _) => {
                let known = || "a queue is fcfs, easy, sjf-easy or conservative".to_owned();
                discipline = queue(value).ok_or_else(known)?;
            }
            ("speeds", "known") => placement.knows_speed = true,
            ("speeds", "ignored") => placement.knows_speed = false,
            ("speeds", _) => return Err("speeds are known or ignored".to_owned()),
            _ => return Err(format!("'{key}' is not a setting of it: expected queue or speeds")),
        }
    }
    Ok(Policy::Baseline(discipline, placement))
}

/// The method of assignment of a name.
fn method(name: &str) -> Option<Method> {
    Some(match name {
        "greedy" => Method::Greedy,
        "hga" => Method::Hga,
        "lpga" => Method::Lpga,
        "exact" => Method::Exact,
        _ => return None,
    })
}

fn set_assigning(rules: &mut Assigning, key: &str, value: &str) -> Result<(), String> {
    match key {
        "cycle" => {
            let read = value.parse::<i64>().ok().filter(|seconds| (1..=86_400).contains(seconds));
            let cycle = read.and_then(|seconds| Span::from_millis(1_000 * seconds));
            rules.cycle =
                cycle.ok_or_else(|| format!("'{value}' is not a whole number of seconds up to a day"))?;
        }
        "batch" => {
            let read = value.parse::<usize>().ok().filter(|batch| (1..=10_000).contains(batch));
            rules.batch = read.ok_or_else(|| format!("'{value}' is not a number of jobs from 1 to 10000"))?;
        }
        _ => return Err(format!("'{key}' is not a setting of it: expected cycle or batch")),
    }
    Ok(())
}

/// The discipline of a name.
fn queue(name: &str) -> Option<Discipline> {
    Some(match name {
        "fcfs" => Discipline::Fcfs,
        "easy" => Discipline::Easy,
        "sjf-easy" => Discipline::ShortestEasy,
        "conservative" => Discipline::Conservative,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_policies_or_say_what_is_wrong() {
        let baseline = |words: &str| match policy(words) {
            Ok(Policy::Baseline(discipline, placement)) => {
                (discipline, placement.rule, placement.knows_speed)
            }
            other => panic!("{words}: {other:?}"),
        };
        assert_eq!(baseline("easy"), (Discipline::Easy, Rule::EndFirst, true));
        assert_eq!(
            baseline("cheapest:queue=conservative,speeds=ignored"),
            (Discipline::Conservative, Rule::Cheapest, false)
        );
        assert!("walras:search=amp,objective=min-time".parse::<PolicySpec>().unwrap().is_broker());
        let wrong = [
            "best",
            "easy:queue",
            "easy:queue=lifo",
            "easy:speeds=x",
            "mct:depth=3",
            "walras:x=1",
            "recorded:x=1",
        ];
        let recorded: PolicySpec = "recorded".parse().unwrap();
        assert_eq!(recorded.clone().with_recorded(None).policy, Policy::Recorded);
        let rules = recorded.with_recorded(Some(&Rules::default()));
        assert!(rules.to_string() == "recorded" && rules.policy == Policy::Broker(Box::default()));
        assert!(matches!(policy("lpga:cycle=30,batch=20"), Ok(Policy::Assigned(it)) if it.batch == 20));
        assert!(
            policy("hga:cycle=0").is_err()
                && policy("exact:batch=x").is_err()
                && policy("greedy:x=1").is_err()
        );
        for words in wrong {
            let error = words.parse::<PolicySpec>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("policy '{words}': ")), "{error}");
        }
    }
}
