//! Why a job has no window, and what would help.

use super::choice::amount_text;
use super::{Context, Setting, counted, credits};
use crate::described::JsonSchema;
use crate::service::Stamp;
use serde::{Deserialize, Serialize};
use walras_broker::State;
use walras_broker::account::Account;
use walras_broker::job::{JobSpec, Why};
use walras_model::{Explanation, Fixed, Money, Reason, SmallestChange};

/// What limits the money that a job may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoneyLimit {
    /// Its own budget.
    #[default]
    OfJob,
    /// What its user has, or may spend in this period.
    OfUser,
    /// The part of an array's budget that each of its elements has.
    OfElement,
}

impl MoneyLimit {
    /// Which of them an explanation is about.
    pub fn of(state: &State, spec: &JobSpec, explanation: &Explanation) -> MoneyLimit {
        let own = spec.request.budget_limit(state.policy.search.budget_factor);
        let short = explanation.reasons.iter().find_map(|reason| match reason {
            Reason::BudgetTooSmall { budget, needed } => {
                own.is_none_or(|own| *budget < own).then_some(*needed)
            }
            _ => None,
        });
        let Some(needed) = short else { return MoneyLimit::OfJob };
        // Whoever has enough for an element is limited by what the array may cost.
        let has = state.books.balance(&Account::User(spec.user.clone()));
        let by_part = spec.array.is_some() && own.is_some() && has >= needed;
        if by_part { MoneyLimit::OfElement } else { MoneyLimit::OfUser }
    }

    /// The same of any reason; only one that fits nowhere is about money.
    pub fn of_why(state: &State, spec: &JobSpec, why: &Why) -> MoneyLimit {
        match why {
            Why::NoFit(explanation) => MoneyLimit::of(state, spec, explanation),
            _ => MoneyLimit::OfJob,
        }
    }
}

/// What to change so that a job fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The job's budget.
    Budget,
    /// What its user can spend.
    Funds,
    /// The most that it pays for a node's time.
    PriceMax,
    /// Its deadline.
    Deadline,
    /// How many nodes it needs at once.
    Tasks,
    /// The least performance of its nodes.
    PerformanceMin,
    /// How much of something, such as memory or GPUs, it takes of every node.
    Resource,
}

/// A change that alone would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to change.
    pub kind: ChangeKind,
    /// To what, as a phrase such as `a budget of 900 credits`.
    pub text: String,
    /// Of what it takes so much, where it is that.
    pub resource: Option<(String, Fixed)>,
}

impl Context<'_> {
    /// What stands in the way of a job, in one sentence.
    pub fn reason(&self, reason: &Reason) -> String {
        match (reason, self.setting) {
            (Reason::BudgetTooSmall { budget, needed }, _) if self.limit == MoneyLimit::OfUser => {
                let short = credits(needed.checked_sub(*budget).unwrap_or(*needed));
                let (budget, needed) = (credits(*budget), credits(*needed));
                format!(
                    "The user can spend {budget} now, by account and budgets, which is {short} short of \
                     the cheapest window, which costs {needed}."
                )
            }
            (Reason::BudgetTooSmall { budget, needed }, _) if self.limit == MoneyLimit::OfElement => {
                let short = credits(needed.checked_sub(*budget).unwrap_or(*needed));
                let (budget, needed) = (credits(*budget), credits(*needed));
                format!(
                    "Each element may cost {budget}, its part of the array's budget, which is {short} short of \
                     the cheapest window, which costs {needed}."
                )
            }
            (Reason::DeadlineTooEarly { deadline, needed }, Setting::Service) => {
                let (deadline, needed) = (Stamp::from(*deadline), Stamp::from(*needed));
                format!("The deadline {deadline} is too early: the first window ends at {needed}.")
            }
            (Reason::NotExamined, Setting::Service) => {
                "The reason was not looked for: there were no offers yet, or too many jobs without a window."
                    .to_owned()
            }
            (other, _) => super::reason_text(other, self.unit()),
        }
    }

    /// What all elements need where one needs so much, if it is an array's budget that each has a part of.
    pub(super) fn whole_budget(&self, budget: Money) -> Money {
        let array = self.job.and_then(|job| job.array.as_ref());
        let elements = array.filter(|_| self.limit == MoneyLimit::OfElement).map_or(1, |it| it.count());
        budget.as_micros().checked_mul(elements.into()).map_or(budget, Money::from_micros)
    }

    /// Each change that alone would help.
    pub fn changes(&self, change: &SmallestChange) -> Vec<Change> {
        let SmallestChange { budget, price_max, deadline, tasks, performance_min, resources } = change;
        let say = |kind, text| Change { kind, text, resource: None };
        let symbol = self.unit().symbol();
        let all = [
            budget.map(|it| self.whole_budget(it)).map(|it| match self.limit {
                MoneyLimit::OfJob | MoneyLimit::OfElement => {
                    say(ChangeKind::Budget, format!("a budget of {}", credits(it)))
                }
                MoneyLimit::OfUser => {
                    say(ChangeKind::Funds, format!("{} that the user can spend", credits(it)))
                }
            }),
            price_max.map(|it| {
                let rate = self.unit().rate_text(it);
                say(ChangeKind::PriceMax, format!("a price_max of {rate} credits per {symbol}"))
            }),
            deadline.map(|it| say(ChangeKind::Deadline, format!("a deadline of {}", self.moment(it)))),
            tasks.map(|it| say(ChangeKind::Tasks, counted(it, "task"))),
            performance_min.map(|it| say(ChangeKind::PerformanceMin, format!("a performance_min of {it}"))),
        ];
        let amounts = resources.iter().map(|(name, amount)| Change {
            kind: ChangeKind::Resource,
            text: amount_text(name, *amount),
            resource: Some((name.clone(), *amount)),
        });
        all.into_iter().flatten().chain(amounts).collect()
    }

    /// The first reason of an explanation, and all that would help.
    pub(super) fn no_fit(&self, explanation: &Explanation) -> String {
        let reason = explanation.reasons.first().map(|reason| self.reason(reason));
        let reason = reason.unwrap_or_else(|| "No window fits.".to_owned());
        let changes: Vec<String> =
            self.changes(&explanation.smallest_change).into_iter().map(|it| it.text).collect();
        match changes.as_slice() {
            [] => reason,
            [only] => format!("{reason} This would do: {only}."),
            _ => format!("{reason} Any of these would do: {}.", changes.join("; ")),
        }
    }
}
