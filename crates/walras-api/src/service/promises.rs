//! Rules for promises as the API carries them.

use super::setting::{set, share, span};
use crate::described::JsonSchema;
use crate::error::{Problem, Within};
use crate::number::Num;
use serde::{Deserialize, Serialize};
use walras_broker::policy::{Deciding, OrderBy, Policy, PromisePolicy};
use walras_core::agenda::{Late, Precedence, Until};
use walras_model::Multiplier;

/// When jobs get what is planned for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Decide", rename = "Deciding")]
pub enum DecideFile {
    /// Every window is reserved as soon as it is chosen, and never moves.
    AtOnce,
    /// Parallel jobs are promised a latest start, a latest end and a highest price, and planned anew within that until they start.
    Promise,
}

/// Rules for promises. Times are in seconds, shares between 0 and 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PromiseRules")]
pub struct PromisesFile {
    /// Who is looked at first when there is room to start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderFile>,
    /// By which run time they are put into order: what they ask for, or what is likely by history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_by: Option<OrderByFile>,
    /// How much later than planned a job is promised at the latest, as a share of its planned wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<Num>,
    /// But no more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack_max: Option<Num>,
    /// How much more than planned a job is promised at the most, as a share of its planned cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_slack: Option<Num>,
    /// For so many jobs at a time it is tried whether others can make room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
    /// So many jobs are planned again at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replanned_max: Option<u32>,
    /// What a delay is worth to a job that does not say so: this multiple of what its nodes cost at the VO's middle price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Num>,
    /// What starts within this time is reserved, where its sites have needed so long to answer of late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Num>,
    /// Whether it is although they answer sooner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early: Option<bool>,
    /// Between two plans passes at least this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replan_every: Option<Num>,
    /// By what a promise is bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<UntilFile>,
    /// What becomes of a job that cannot end by its deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<LateFile>,
}

/// By what a promise is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Until", rename = "Until")]
pub enum UntilFile {
    /// The window that is planned, and the slack.
    Planned,
    /// The job's deadline.
    Deadline,
    /// `slack_max` after the window that is planned at first; once nobody waits who came before, the window that is planned then, and the slack.
    First,
}

/// What becomes of a job that cannot end by its deadline, as long as it says that it will run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Late", rename = "Late")]
pub enum LateFile {
    /// It gets no window.
    Refused,
    /// It gets the window that ends first, and is promised that.
    Run,
}

impl UntilFile {
    fn until(self) -> Until {
        match self {
            UntilFile::Planned => Until::Planned,
            UntilFile::Deadline => Until::Deadline,
            UntilFile::First => Until::First,
        }
    }

    fn of(until: Until) -> UntilFile {
        match until {
            Until::Planned => UntilFile::Planned,
            Until::Deadline => UntilFile::Deadline,
            Until::First => UntilFile::First,
        }
    }
}

impl LateFile {
    fn late(self) -> Late {
        match self {
            LateFile::Refused => Late::Refused,
            LateFile::Run => Late::Run,
        }
    }

    fn of(late: Late) -> LateFile {
        match late {
            Late::Refused => LateFile::Refused,
            Late::Run => LateFile::Run,
        }
    }
}

/// Who is looked at first when there is room to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "Order", rename = "Order")]
pub enum OrderFile {
    /// The largest expansion, with short jobs ahead.
    Lxf,
    /// By wait over estimate, cubed, times nodes.
    Wfp3,
    /// Who came first.
    Fcfs,
    /// The shortest.
    Sjf,
    /// By rank.
    Rank,
}

impl OrderFile {
    fn precedence(self) -> Precedence {
        match self {
            OrderFile::Lxf => Precedence::Expansion,
            OrderFile::Wfp3 => Precedence::WaitCubed,
            OrderFile::Fcfs => Precedence::Arrival,
            OrderFile::Sjf => Precedence::Shortest,
            OrderFile::Rank => Precedence::AsGiven,
        }
    }

    fn of(precedence: Precedence) -> OrderFile {
        match precedence {
            Precedence::Expansion => OrderFile::Lxf,
            Precedence::WaitCubed => OrderFile::Wfp3,
            Precedence::Arrival => OrderFile::Fcfs,
            Precedence::Shortest => OrderFile::Sjf,
            Precedence::AsGiven => OrderFile::Rank,
        }
    }
}

/// By which run time jobs are put into order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(title = "OrderBy", rename = "OrderBy")]
pub enum OrderByFile {
    /// By what they ask for.
    Estimate,
    /// By what is likely, where history says so.
    Prediction,
}

impl OrderByFile {
    fn order_by(self) -> OrderBy {
        match self {
            OrderByFile::Estimate => OrderBy::Estimate,
            OrderByFile::Prediction => OrderBy::Prediction,
        }
    }

    fn of(order_by: OrderBy) -> OrderByFile {
        match order_by {
            OrderBy::Estimate => OrderByFile::Estimate,
            OrderBy::Prediction => OrderByFile::Prediction,
        }
    }
}

/// Sets when jobs get what is planned for them, and by which rules. Rules for promises ask for promises.
pub(super) fn change(
    policy: &mut Policy,
    decide: Option<DecideFile>,
    promises: Option<&PromisesFile>,
) -> Result<(), Problem> {
    let known = match policy.deciding {
        Deciding::Promise(rules) => Some(rules),
        Deciding::AtOnce => None,
    };
    match (decide, promises) {
        (None, None) => {}
        (Some(DecideFile::AtOnce), Some(_)) => {
            return Err(Problem::new("at-once", "does not go with promises: expected promise"))
                .in_field("decide");
        }
        (Some(DecideFile::AtOnce), None) => policy.deciding = Deciding::AtOnce,
        (Some(DecideFile::Promise), None) => policy.deciding = Deciding::Promise(known.unwrap_or_default()),
        (Some(DecideFile::Promise) | None, Some(file)) => {
            let mut rules = known.unwrap_or_default();
            file.change(&mut rules).in_field("promises")?;
            policy.deciding = Deciding::Promise(rules);
        }
    }
    Ok(())
}

/// Both as they are.
pub(super) fn of(policy: &Policy) -> (DecideFile, Option<PromisesFile>) {
    match &policy.deciding {
        Deciding::AtOnce => (DecideFile::AtOnce, None),
        Deciding::Promise(rules) => (DecideFile::Promise, Some(PromisesFile::of(rules))),
    }
}

impl PromisesFile {
    fn change(&self, rules: &mut PromisePolicy) -> Result<(), Problem> {
        set(&mut rules.order, self.order.map(OrderFile::precedence));
        set(&mut rules.order_by, self.order_by.map(OrderByFile::order_by));
        share(&mut rules.slack, self.slack.as_ref(), "slack")?;
        span(&mut rules.slack_max, self.slack_max.as_ref(), "slack_max")?;
        share(&mut rules.price_slack, self.price_slack.as_ref(), "price_slack")?;
        set(&mut rules.trials, self.trials);
        set(&mut rules.replanned_max, self.replanned_max);
        if let Some(number) = &self.value {
            let wrong = || Problem::new(number.as_str(), "is not a multiple: expected a number, 0 or more");
            rules.value =
                number.units(6).and_then(Multiplier::from_millionths).ok_or_else(wrong).in_field("value")?;
        }
        set(&mut rules.until, self.until.map(UntilFile::until));
        set(&mut rules.late, self.late.map(LateFile::late));
        span(&mut rules.ahead, self.ahead.as_ref(), "ahead")?;
        set(&mut rules.early, self.early);
        span(&mut rules.replan_every, self.replan_every.as_ref(), "replan_every")
    }

    fn of(rules: &PromisePolicy) -> PromisesFile {
        PromisesFile {
            order: Some(OrderFile::of(rules.order)),
            order_by: Some(OrderByFile::of(rules.order_by)),
            slack: Some(Num::of_millionths(rules.slack.as_millionths())),
            slack_max: Some(Num::of_span(rules.slack_max)),
            price_slack: Some(Num::of_millionths(rules.price_slack.as_millionths())),
            trials: Some(rules.trials),
            replanned_max: Some(rules.replanned_max),
            value: Some(Num::of_millionths(rules.value.as_millionths())),
            ahead: Some(Num::of_span(rules.ahead)),
            early: Some(rules.early),
            replan_every: Some(Num::of_span(rules.replan_every)),
            until: Some(UntilFile::of(rules.until)),
            late: Some(LateFile::of(rules.late)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::service::PolicyFile;
    use walras_broker::policy::{Deciding, OrderBy, Policy, PromisePolicy};
    use walras_core::agenda::{Late, Precedence, Until};
    use walras_model::{Multiplier, Share};

    fn changed(policy: &Policy, change: &str) -> Result<Policy, String> {
        let change: PolicyFile = serde_json::from_str(change).unwrap();
        change.apply(policy, "body").map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_left_out_stays_as_it_is() {
        let usual = Policy::default();
        let all = r#"{"promises": {"order": "wfp3", "slack": 0.1, "value": 2.5, "trials": 3, "until": "deadline", "late": "run", "order_by": "prediction"}}"#;
        let Deciding::Promise(rules) = changed(&usual, all).unwrap().deciding else { panic!("it promises") };
        let expected = PromisePolicy {
            order: Precedence::WaitCubed,
            order_by: OrderBy::Prediction,
            slack: Share::percent(10),
            value: Multiplier::from_millionths(2_500_000).unwrap(),
            trials: 3,
            until: Until::Deadline,
            late: Late::Run,
            ..PromisePolicy::default()
        };
        assert_eq!(rules, expected);
        let at_once = changed(&usual, r#"{"decide": "at-once"}"#).unwrap();
        assert_eq!(at_once.deciding, Deciding::AtOnce);
        // Rules for promises ask for promises.
        let again = changed(&at_once, r#"{"promises": {"trials": 1}}"#).unwrap();
        assert!(matches!(again.deciding, Deciding::Promise(rules) if rules.trials == 1));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |change: &str| changed(&Policy::default(), change).unwrap_err();
        assert_eq!(
            wrong(r#"{"promises": {"slack": 1.5}}"#),
            "body: promises.slack: 1.5 is not a share: expected a number between 0 and 1"
        );
        assert_eq!(
            wrong(r#"{"promises": {"value": -1}}"#),
            "body: promises.value: -1 is not a multiple: expected a number, 0 or more"
        );
        assert_eq!(
            wrong(r#"{"decide": "at-once", "promises": {"trials": 1}}"#),
            "body: decide: at-once does not go with promises: expected promise"
        );
    }
}
