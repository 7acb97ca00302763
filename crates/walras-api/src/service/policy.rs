//! The VO's rules as the API carries them: all of them when they are read, any of them when they are changed.

use super::assign::AssignFile;
use super::giving::{self, StrategyRuleFile};
use super::network::NetworkFile;
use super::promises::{self, DecideFile, PromisesFile};
use super::quotes::QuotesFile;
use super::scheme::{PlanFile, StrategiesFile, TaskStartFile};
use super::search::{self, FinishByFile};
use super::setting::{set, share, span};
use super::sharing::{self, SharingFile};
use super::waiting::NeverMetFile;
use crate::described::JsonSchema;
use crate::error::{Problem, ReadError, Within};
use crate::number::Num;
use crate::scenario::wire::PolicyEntry;
use crate::scenario::{policy_entry, policy_of, present_object};
use serde::{Deserialize, Serialize};
use walras_broker::policy::Policy;
use walras_core::Mode;
use walras_model::{Share, Span};

/// The VO's rules. Times are in seconds, shares between 0 and 1. What is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "Policy", rename = "Policy")]
pub struct PolicyFile {
    /// How often the queue is planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_every: Option<Num>,
    /// At most so many jobs are planned at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_max: Option<u32>,
    /// How far ahead is planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizon: Option<Num>,
    /// Nothing starts sooner than this after it was planned; at least prepare_within + confirm_within where windows are reserved at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<Num>,
    /// How long sites may take to say what is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offers_within: Option<Num>,
    /// How long planning may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_within: Option<Num>,
    /// How long all sites may take to prepare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare_within: Option<Num>,
    /// How long all sites may take to confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm_within: Option<Num>,
    /// How late a part may start, and how long after its end a site may keep silent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace: Option<Num>,
    /// A job is tried again after so many failures that are not its own; one more, and it is given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts_max: Option<u32>,
    /// And after so many times that parts of it vanished, which it may have done itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vanished_max: Option<u32>,
    /// At most so many other ways are kept ready for a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spares_max: Option<u32>,
    /// For so many tasks of a workflow it is prepared what to do when they are late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_tasks_max: Option<u32>,
    /// A job that has waited this long is served before all that have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overdue_after: Option<Num>,
    /// How long a client's request is remembered, so that it can be repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat_within: Option<Num>,
    /// How the combination is chosen: as `policy` of a scenario.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "PolicyEntry")]
    pub choice: Option<PolicyEntry>,
    /// How windows are searched for quotes and what is reserved at once: alp, amp, or the best by a criterion (cost, runtime, finish,
    /// start, price, node-time, energy or sum:ATTRIBUTE).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", length(max = 220), extend("pattern" = search::PATTERN))]
    pub search: Option<String>,
    /// At most so many windows are listed for a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub alternatives_max: Option<u32>,
    /// Whether one window is found for each job, in one sweep over time, instead of alternatives to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_the_fly: Option<bool>,
    /// Whether the choice is improved by search, with windows that nobody listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFile>,
    /// By which end alternatives are judged, where a job does not say how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_by: Option<FinishByFile>,
    /// How jobs get processors of sites that sell capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assign: Option<AssignFile>,
    /// How many searches for one job may go into what no plan of the same jobs could cost less than; 0 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_searches_max: Option<u64>,
    /// When jobs get what is planned for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decide: Option<DecideFile>,
    /// What jobs are promised, and how they are planned within that.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "PromisesFile")]
    pub promises: Option<PromisesFile>,
    /// How much each aspect counts when the queue is ordered: whole numbers.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "RankFile")]
    pub rank: Option<RankFile>,
    /// Quotes.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "QuotesFile")]
    pub quotes: Option<QuotesFile>,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "MoneyFile")]
    pub money: Option<MoneyFile>,
    /// How the queue is shared between users.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "SharingFile")]
    pub sharing: Option<SharingFile>,
    /// What becomes of a job that waits for what can never be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_met: Option<NeverMetFile>,
    /// What the strategies of workflows decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategies: Option<StrategiesFile>,
    /// What strategies workflows get whose users ask for none: the first rule that fits decides. A list that is given takes the place of the
    /// whole list that was there.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "giving::present_rules")]
    #[schemars(with = "Vec<StrategyRuleFile>", length(max = 100))]
    pub give_strategies: Option<Vec<StrategyRuleFile>>,
    /// When tasks of workflows start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_start: Option<TaskStartFile>,
    /// How fast data moves between the tasks of workflows.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present_object")]
    #[schemars(with = "NetworkFile")]
    pub network: Option<NetworkFile>,
}

/// How much each aspect counts when the queue is ordered: 0 to 1000000, that of waiting at least 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "RankWeights")]
pub struct RankFile {
    /// What the job may pay.
    pub price: Option<i64>,
    /// How near its deadline is.
    pub deadline: Option<i64>,
    /// Failed attempts.
    pub attempts: Option<i64>,
    /// Waiting.
    pub waiting: Option<i64>,
    /// Priority.
    pub priority: Option<i64>,
    /// How little its user has used, against their share.
    pub fair_share: Option<i64>,
}

/// Rules for money: shares between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "MoneyRules")]
pub struct MoneyFile {
    /// The VO's share of every charge.
    pub fee: Option<Num>,
    /// How much of what was reserved and not used is given back.
    pub early_refund: Option<Num>,
    /// What a reservation that its owner breaks is worth to its user.
    pub compensation: Option<Num>,
}

impl PolicyFile {
    /// The policy with what is given here instead.
    pub fn apply(&self, policy: &Policy, source: &str) -> Result<Policy, ReadError> {
        let mut changed = policy.clone();
        self.change(&mut changed).map_err(|problem| problem.into_error(source))?;
        Ok(changed)
    }

    fn change(&self, policy: &mut Policy) -> Result<(), Problem> {
        let horizon = policy.horizon;
        span(&mut policy.cycle_every, self.cycle_every.as_ref(), "cycle_every")?;
        span(&mut policy.horizon, self.horizon.as_ref(), "horizon")?;
        span(&mut policy.lead, self.lead.as_ref(), "lead")?;
        span(&mut policy.offers_within, self.offers_within.as_ref(), "offers_within")?;
        span(&mut policy.plan_within, self.plan_within.as_ref(), "plan_within")?;
        span(&mut policy.prepare_within, self.prepare_within.as_ref(), "prepare_within")?;
        span(&mut policy.confirm_within, self.confirm_within.as_ref(), "confirm_within")?;
        span(&mut policy.grace, self.grace.as_ref(), "grace")?;
        span(&mut policy.overdue_after, self.overdue_after.as_ref(), "overdue_after")?;
        span(&mut policy.repeat_within, self.repeat_within.as_ref(), "repeat_within")?;
        set(&mut policy.batch_max, self.batch_max);
        set(&mut policy.attempts_max, self.attempts_max);
        set(&mut policy.vanished_max, self.vanished_max);
        set(&mut policy.spares_max, self.spares_max);
        set(&mut policy.late_tasks_max, self.late_tasks_max);
        if let Some(entry) = &self.choice {
            let read = policy_of(entry.clone()).in_field("choice")?;
            policy.choice = read.vo;
            if let Some(factor) = read.budget_factor {
                policy.search.budget_factor = factor;
            }
        }
        if let Some(text) = &self.search {
            policy.search.algorithm = search::algorithm(text).in_field("search")?;
        }
        set(&mut policy.search.limits.alternatives_per_job_max, self.alternatives_max);
        set(&mut policy.search.mode, self.on_the_fly.map(mode));
        set(&mut policy.plan, self.plan.map(PlanFile::scheme));
        set(&mut policy.predictions, self.finish_by.map(|it| Some(it.predictions())));
        set(&mut policy.assign, self.assign.map(AssignFile::method));
        set(&mut policy.bound_searches_max, self.bound_searches_max);
        set(&mut policy.never_met, self.never_met.map(NeverMetFile::rule));
        set(&mut policy.strategies, self.strategies.map(StrategiesFile::rule));
        set(&mut policy.task_start, self.task_start.map(TaskStartFile::rule));
        if let Some(rules) = &self.give_strategies {
            policy.give_strategies = giving::rules(rules).in_field("give_strategies")?;
        }
        self.network.as_ref().map_or(Ok(()), |it| it.change(&mut policy.network)).in_field("network")?;
        promises::change(policy, self.decide, self.promises.as_ref())?;
        sharing::change(policy, horizon, self.sharing.as_ref()).in_field("sharing")?;
        let rank = self.rank.unwrap_or_default();
        set(&mut policy.rank.price, rank.price);
        set(&mut policy.rank.deadline, rank.deadline);
        set(&mut policy.rank.attempts, rank.attempts);
        set(&mut policy.rank.waiting, rank.waiting);
        set(&mut policy.rank.priority, rank.priority);
        set(&mut policy.rank.fair_share, rank.fair_share);
        self.quotes.as_ref().map_or(Ok(()), |it| it.change(policy)).in_field("quotes")?;
        self.money.as_ref().map_or(Ok(()), |it| it.change(policy)).in_field("money")
    }

    /// All of a policy.
    pub fn of(policy: &Policy) -> PolicyFile {
        let seconds = |span: Span| Some(Num::of_span(span));
        let share = |share: Share| Some(Num::of_millionths(share.as_millionths()));
        let rank = &policy.rank;
        let (decide, promises) = promises::of(policy);
        PolicyFile {
            decide: Some(decide),
            promises,
            sharing: sharing::of(policy),
            cycle_every: seconds(policy.cycle_every),
            batch_max: Some(policy.batch_max),
            horizon: seconds(policy.horizon),
            lead: seconds(policy.lead),
            offers_within: seconds(policy.offers_within),
            plan_within: seconds(policy.plan_within),
            prepare_within: seconds(policy.prepare_within),
            confirm_within: seconds(policy.confirm_within),
            grace: seconds(policy.grace),
            attempts_max: Some(policy.attempts_max),
            vanished_max: Some(policy.vanished_max),
            spares_max: Some(policy.spares_max),
            late_tasks_max: Some(policy.late_tasks_max),
            overdue_after: seconds(policy.overdue_after),
            repeat_within: seconds(policy.repeat_within),
            choice: Some(policy_entry(&policy.choice, policy.search.budget_factor)),
            search: Some(policy.search.algorithm.to_string()),
            alternatives_max: Some(policy.search.limits.alternatives_per_job_max),
            on_the_fly: Some(policy.search.mode == Mode::FirstOnTheFly),
            plan: Some(PlanFile::of(policy.plan)),
            finish_by: policy.predictions.map(FinishByFile::of),
            assign: Some(AssignFile::of(policy.assign)),
            bound_searches_max: Some(policy.bound_searches_max),
            never_met: Some(NeverMetFile::of(policy.never_met)),
            network: Some(NetworkFile::of(&policy.network)),
            strategies: Some(StrategiesFile::of(policy.strategies)),
            task_start: Some(TaskStartFile::of(policy.task_start)),
            give_strategies: Some(policy.give_strategies.iter().map(StrategyRuleFile::of).collect()),
            rank: Some(RankFile {
                price: Some(rank.price),
                deadline: Some(rank.deadline),
                attempts: Some(rank.attempts),
                waiting: Some(rank.waiting),
                priority: Some(rank.priority),
                fair_share: Some(rank.fair_share),
            }),
            quotes: Some(QuotesFile::of(&policy.quotes)),
            money: Some(MoneyFile {
                fee: share(policy.money.fee),
                early_refund: share(policy.money.early_refund),
                compensation: share(policy.money.compensation),
            }),
        }
    }
}

fn mode(on_the_fly: bool) -> Mode {
    if on_the_fly { Mode::FirstOnTheFly } else { Mode::AllAlternatives }
}

impl MoneyFile {
    fn change(&self, policy: &mut Policy) -> Result<(), Problem> {
        share(&mut policy.money.fee, self.fee.as_ref(), "fee")?;
        share(&mut policy.money.early_refund, self.early_refund.as_ref(), "early_refund")?;
        share(&mut policy.money.compensation, self.compensation.as_ref(), "compensation")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walras_core::choose::{LeaveOut, Limit, Objective, Total};
    use walras_model::{Factor, Money};

    #[test]
    fn as_much_is_shared_ahead_as_is_planned_unless_somebody_says_otherwise() {
        let after = |policy: &Policy, change: &str| {
            let file: PolicyFile = serde_json::from_str(change).unwrap();
            file.apply(policy, "policy").unwrap()
        };
        let days = |policy: &Policy| policy.sharing.unwrap().ahead.as_millis() / 86_400_000;
        let usual = Policy::default();
        assert_eq!(days(&usual), 7);
        let far = after(&usual, r#"{"horizon": 2592000}"#);
        assert_eq!(days(&far), 30);
        assert_eq!(days(&after(&far, r#"{"horizon": 86400}"#)), 30);
        assert_eq!(days(&after(&usual, r#"{"horizon": 2592000, "sharing": {"ahead": 86400}}"#)), 1);
        let near = after(&usual, r#"{"sharing": {"ahead": 86400}}"#);
        assert_eq!(days(&after(&near, r#"{"horizon": 2592000}"#)), 1);
    }

    #[test]
    fn every_objective_can_be_shown_and_set() {
        let objectives = [
            Objective::MinTime,
            Objective::Satisfaction,
            Objective::Lexicographic(vec![Total::SpareTime, Total::Cost]),
            Objective::Weighted(vec![(Total::Income, 3), (Total::SpareTime, 1_000)]),
        ];
        for objective in objectives {
            let mut policy = Policy::default();
            policy.choice.objective = objective;
            policy.choice.time_limit = Limit::Given(Span::from_millis(1_500).unwrap());
            policy.choice.budget_limit = Limit::Given(Money::from_micros(2_000_001));
            policy.choice.leave_out = LeaveOut::Never;
            policy.search.budget_factor = Factor::from_millionths(750_000).unwrap();
            policy.search.algorithm = "criterion=sum:noise".parse().unwrap();
            policy.search.limits.alternatives_per_job_max = 3;
            policy.search.mode = Mode::FirstOnTheFly;
            let text = serde_json::to_string(&PolicyFile::of(&policy)).unwrap();
            let shown: PolicyFile = serde_json::from_str(&text).unwrap();
            assert_eq!(shown, PolicyFile::of(&policy), "{text}");
            assert_eq!(shown.apply(&Policy::default(), "policy").unwrap(), policy, "{text}");
        }
    }

    #[test]
    fn a_choice_that_is_none_is_refused_when_it_is_read() {
        let read = |text: &str| serde_json::from_str::<PolicyFile>(text).unwrap_err().to_string();
        let unknown = read(r#"{"choice": {"objective": "best"}}"#);
        assert!(unknown.starts_with("unknown variant `best`, expected one of `min-time`"), "{unknown}");
        assert!(read(r#"{"choice": 3}"#).contains("expected a map"));
    }

    #[test]
    fn what_is_shown_can_be_set() {
        let mut policy = Policy::default();
        policy.choice.objective = Objective::Weighted(vec![(Total::Cost, 1), (Total::Time, 500)]);
        let text = serde_json::to_string(&PolicyFile::of(&policy)).unwrap();
        let shown: PolicyFile = serde_json::from_str(&text).unwrap();
        assert_eq!(shown.apply(&Policy::default(), "policy").unwrap(), policy);
    }

    #[test]
    fn a_change_names_what_is_wrong() {
        let change: PolicyFile = serde_json::from_str(r#"{"money": {"fee": 1.5}}"#).unwrap();
        let error = change.apply(&Policy::default(), "body").unwrap_err().to_string();
        assert_eq!(error, "body: money.fee: 1.5 is not a share: expected a number between 0 and 1");
        let change: PolicyFile = serde_json::from_str(r#"{"lead": 0.0005}"#).unwrap();
        assert!(change.apply(&Policy::default(), "body").is_err());
    }
}
