//! Strategies that the VO's rules give: the first rule that fits a workflow, whose user asks for none, decides; nothing else does.
//!
//! Time O(rules + tasks) for each job and quote.

use crate::Auditor;
use crate::finding::FindingKind;
use crate::look::Look;
use walras_broker::job::JobSpec;
use walras_broker::strategy_rule::{StrategyBy, StrategyRule};
use walras_core::refine::Strategy;

/// A week, a day, in milliseconds.
const WEEK: i128 = 7 * DAY;
const DAY: i128 = 86_400_000;

/// Whether what a job's event says is what was asked for, whoever has given it a strategy.
pub(crate) fn is_asked(said: &JobSpec, asked: &JobSpec) -> bool {
    match (said.strategy_by, asked.strategy_by) {
        (StrategyBy::Rule(_), StrategyBy::Nobody) => {
            let mut given = asked.clone();
            given.strategy_by = said.strategy_by;
            if let (Some(given), Some(said)) = (&mut given.workflow, &said.workflow) {
                given.strategy = said.strategy;
            }
            given == *said
        }
        (StrategyBy::Rule(_) | StrategyBy::Nobody | StrategyBy::User, _) => said == asked,
    }
}

impl Auditor {
    /// A job is submitted, or asked a quote for: the strategy that it has is by the rules of then.
    pub(crate) fn strategy_given(&self, look: &mut Look<'_>, spec: &JobSpec) {
        let Some(workflow) = &spec.workflow else { return };
        if spec.strategy_by == StrategyBy::User {
            return;
        }
        let rules = self.policy.give_strategies.iter().zip(0..);
        let first = rules.into_iter().find(|(rule, _)| self.speaks_of(look, rule, spec));
        let expected = match first {
            Some((rule, place)) => (StrategyBy::Rule(place), rule.strategy),
            None => (StrategyBy::Nobody, Strategy::Asap),
        };
        if expected != (spec.strategy_by, workflow.strategy) {
            look.report(FindingKind::WrongStrategy { job: spec.request.name.clone(), expected: expected.1 });
        }
    }

    fn speaks_of(&self, look: &Look<'_>, rule: &StrategyRule, spec: &JobSpec) -> bool {
        let group = self.users.get(&spec.user).and_then(|user| user.group.as_deref());
        let budget = spec.request.budget.map(|budget| i128::from(budget.as_micros()) * 1_000);
        let tasks = spec.workflow.iter().flat_map(|it| it.workflow.tasks());
        let work = tasks.filter_map(|task| Some(i128::from(task.work?.as_millis()) * i128::from(task.nodes)));
        let work: i128 = work.sum();
        let elements = spec.array.as_ref().map_or(1, |array| i128::from(array.count().max(1)));
        let due = |rate: walras_model::Rate| {
            i128::from(rate.as_micros_per_second()).saturating_mul(work.saturating_mul(elements))
        };
        let in_time = rule.hours.is_none_or(|hours| {
            let monday = i128::from(self.policy.calendar.since_monday_began(look.now).as_millis());
            let (days, from, to) = hours.parts();
            let (from, to) = (i128::from(from), i128::from(to));
            let length = if from < to { to - from } else { DAY - from + to };
            (0..)
                .zip(days)
                .any(|(day, begins)| begins && (monday - (day * DAY + from)).rem_euclid(WEEK) < length)
        });
        let enough = rule.budget_from.is_none_or(|rate| budget.is_some_and(|budget| budget >= due(rate)));
        let little = rule.budget_below.is_none_or(|rate| budget.is_some_and(|budget| budget < due(rate)));
        let possible = (spec.request.deadline.is_some() || !rule.strategy.needs_deadline())
            && (budget.is_some() || !rule.strategy.needs_budget());
        rule.who.names(&spec.user, group) && in_time && enough && little && possible
    }
}
