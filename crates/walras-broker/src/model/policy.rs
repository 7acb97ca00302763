//! What the administrator decides: times, weights, fees.

pub use super::bad_policy::{BadPolicy, PolicyField};
pub use walras_assign::method::Method;

use super::gate::NeverMet;
pub use super::prediction_policy::{FinishBy, PredictionPolicy};
pub use super::quote_policy::QuotePolicy;
use super::sharing::SharePolicy;
use super::strategy_rule::StrategyRule;
pub use super::strategy_use::StrategyUse;
pub use super::task_start::TaskStart;
use serde::{Deserialize, Serialize};
use walras_core::SearchConfig;
use walras_core::agenda::{Late, Precedence, Until};
use walras_core::choose::VoPolicy;
use walras_core::plan::PlanScheme;
use walras_core::prefer::Calendar;
use walras_model::workflow::Network;
use walras_model::{Multiplier, Share, Span};

/// The VO's rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// How often the queue is planned.
    pub cycle_every: Span,
    /// At most so many jobs in a batch.
    pub batch_max: u32,
    /// How far ahead is planned.
    pub horizon: Span,
    /// Nothing starts sooner than this after it was planned: time for reserving.
    pub lead: Span,
    /// When jobs get what is planned for them. Policies that were set before there was a choice reserve at once.
    #[serde(default, skip_serializing_if = "Deciding::is_at_once")]
    pub deciding: Deciding,
    /// How long sites may take to say what is free.
    pub offers_within: Span,
    /// How long planning may take.
    pub plan_within: Span,
    /// How long all sites may take to prepare.
    pub prepare_within: Span,
    /// How long all sites may take to confirm.
    pub confirm_within: Span,
    /// How late a part may start, and how long after its end a site may keep silent.
    pub grace: Span,
    /// A job is tried again after so many failures that are not its own; one more, and it is given up.
    pub attempts_max: u32,
    /// And after so many times that parts of it vanished. Policies that were set before that was told apart have the usual number.
    #[serde(default = "usual_vanished_max", skip_serializing_if = "is_usual_vanished_max")]
    pub vanished_max: u32,
    /// At most so many other ways are kept ready for a job.
    pub spares_max: u32,
    /// For so many tasks of a workflow it is prepared what to do when they are late; none, as in policies that were set before that could be.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub late_tasks_max: u32,
    /// How the queue is ordered.
    pub rank: RankWeights,
    /// A job that has waited this long is served before all that have not.
    pub overdue_after: Span,
    /// How windows are searched.
    pub search: SearchConfig,
    /// How the combination is chosen.
    pub choice: VoPolicy,
    /// Whether what was chosen is improved by search. Policies that were set before there was a choice are without.
    #[serde(default = "papers", skip_serializing_if = "is_papers")]
    pub plan: PlanScheme,
    /// How many searches for one job may go into what no plan of the same jobs could cost less than; 0 for none, as in policies that
    /// were set before it could be known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bound_searches_max: u64,
    /// How hard the choice is tried.
    pub labels_max: u64,
    /// How hard workflows are improved in their windows.
    pub refine_units_max: u64,
    /// What joins nodes and sites.
    pub network: Network,
    /// Which day and hour time 0 is.
    pub calendar: Calendar,
    /// Quotes.
    pub quotes: QuotePolicy,
    /// Money.
    pub money: MoneyPolicy,
    /// How long a client's request is remembered, so that it can be repeated.
    pub repeat_within: Span,
    /// How the queue is shared between users. Policies that were set before there was a choice rank all jobs alike, and limit nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<SharePolicy>,
    /// What is made of history. Policies that were set before there was a choice say how sure a job's time is by the times of others
    /// alone, and take queues at their word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictions: Option<PredictionPolicy>,
    /// What becomes of a job that waits for what can never be.
    #[serde(default, skip_serializing_if = "NeverMet::is_usual")]
    pub never_met: NeverMet,
    /// How jobs are assigned to sites that sell capacity, once a [`cycle_every`](Policy::cycle_every); by windows, as everywhere, in policies
    /// that say nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assign: Option<Method>,
    /// What the strategies of workflows decide. In policies that were set before there was a choice, where tasks go inside a window.
    #[serde(default, skip_serializing_if = "StrategyUse::is_inside")]
    pub strategies: StrategyUse,
    /// What strategies workflows get whose users ask for none, read from the top; none in policies that were set before there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub give_strategies: Vec<StrategyRule>,
    /// When tasks of workflows start. In policies that were set before there was a choice, when that was planned.
    #[serde(default, skip_serializing_if = "TaskStart::is_planned")]
    pub task_start: TaskStart,
}

fn papers() -> PlanScheme {
    PlanScheme::Papers
}

/// Once may be a mistake of the machine's.
const fn usual_vanished_max() -> u32 {
    1
}

fn is_usual_vanished_max(count: &u32) -> bool {
    *count == usual_vanished_max()
}

pub(super) fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_papers(scheme: &PlanScheme) -> bool {
    *scheme == PlanScheme::Papers
}

/// When jobs get what is planned for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deciding {
    /// Every window is reserved as soon as it is chosen, and never moves.
    #[default]
    AtOnce,
    /// Parallel jobs are promised a latest start, a latest end and a highest price; within that their windows move until they start.
    Promise(PromisePolicy),
}

impl Deciding {
    fn is_at_once(&self) -> bool {
        *self == Deciding::AtOnce
    }
}

/// Rules for promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromisePolicy {
    /// Who is looked at first when there is room to start.
    pub order: Precedence,
    /// What the order goes by.
    #[serde(default, skip_serializing_if = "OrderBy::is_estimate")]
    pub order_by: OrderBy,
    /// How much later than planned a job is promised at the latest, as a share of its planned wait.
    pub slack: Share,
    /// But no more than this.
    pub slack_max: Span,
    /// How much more than planned a job is promised at the most, as a share of its planned cost.
    pub price_slack: Share,
    /// For so many jobs at a time it is tried whether others can make room.
    pub trials: u32,
    /// So many jobs are planned again at a time.
    pub replanned_max: u32,
    /// What a delay is worth to a job that does not say so: this multiple of what its nodes cost at the VO's middle price.
    pub value: Multiplier,
    /// What starts within this time is reserved, where its sites need so long to answer.
    pub ahead: Span,
    /// Whether it is although they answer sooner.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub early: bool,
    /// Between two plans passes at least this time.
    pub replan_every: Span,
    /// By what a promise is bounded.
    #[serde(default, skip_serializing_if = "is_planned")]
    pub until: Until,
    /// What becomes of a job that cannot end by its deadline.
    #[serde(default, skip_serializing_if = "is_refused")]
    pub late: Late,
}

/// By which run time jobs are put into order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderBy {
    /// By what they ask for.
    #[default]
    Estimate,
    /// By what is likely, where history says so.
    Prediction,
}

impl OrderBy {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
    fn is_estimate(&self) -> bool {
        *self == OrderBy::Estimate
    }
}

/// As it was before anybody could say otherwise.
fn yes() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_yes(it: &bool) -> bool {
    *it
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_planned(until: &Until) -> bool {
    *until == Until::Planned
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_refused(late: &Late) -> bool {
    *late == Late::Refused
}

impl Default for PromisePolicy {
    fn default() -> PromisePolicy {
        let span = |millis: i64| Span::from_millis(millis).expect("some days are a span");
        PromisePolicy {
            order: Precedence::Expansion,
            order_by: OrderBy::Estimate,
            slack: Share::percent(25),
            slack_max: span(7 * 86_400_000),
            price_slack: Share::NOTHING,
            trials: 8,
            replanned_max: 500,
            value: Multiplier::ONE,
            ahead: span(60_000),
            early: false,
            replan_every: span(1_000),
            until: Until::Planned,
            late: Late::Refused,
        }
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_none_of_them(count: &u32) -> bool {
    *count == 0
}

/// Rules for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoneyPolicy {
    /// The VO's share of every charge.
    pub fee: Share,
    /// How much of what was reserved and not used is given back.
    pub early_refund: Share,
    /// What a reservation that its owner breaks is worth to its user, as a share of its price.
    pub compensation: Share,
}

/// How much each aspect counts when the queue is ordered. Each aspect is a share between 0 and 1, but waiting, which
/// grows without end: so every job comes first some day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankWeights {
    /// What the job may pay, against the most that any job may.
    pub price: i64,
    /// How near its deadline is, against the horizon.
    pub deadline: i64,
    /// Failed attempts, against the most that are allowed.
    pub attempts: i64,
    /// Waiting, per horizon.
    pub waiting: i64,
    /// Priority, against the highest.
    pub priority: i64,
    /// How little its user has used, against their share.
    pub fair_share: i64,
}

impl Default for RankWeights {
    fn default() -> Self {
        RankWeights { price: 10, deadline: 20, attempts: 20, waiting: 100, priority: 30, fair_share: 20 }
    }
}

impl Policy {
    /// Whether its parts go together, and each is within its bounds.
    pub fn check(&self) -> Result<(), BadPolicy> {
        use PolicyField as Field;
        let spans = [
            (Field::CycleEvery, self.cycle_every),
            (Field::Horizon, self.horizon),
            (Field::OverdueAfter, self.overdue_after),
        ];
        let shared = self.sharing.iter().flat_map(|it| {
            [(Field::HalfLife, it.half_life), (Field::SharedAhead, it.ahead), (Field::RestMax, it.rest_max)]
        });
        if let Some((field, _)) = spans.into_iter().chain(shared).find(|(_, span)| *span == Span::ZERO) {
            return Err(BadPolicy::NoLength(field));
        }
        let Policy { lead, horizon, prepare_within, confirm_within, .. } = *self;
        // With promises, sites are given as much time as they are known to need.
        let at_once = self.deciding == Deciding::AtOnce;
        if at_once && lead.as_millis() < prepare_within.as_millis() + confirm_within.as_millis() {
            return Err(BadPolicy::LeadTooShort { lead, prepare_within, confirm_within });
        }
        if lead >= horizon {
            return Err(BadPolicy::LeadTooLong { lead, horizon });
        }
        let rank = &self.rank;
        // A job that only waits must come first some day.
        let weights = [
            (Field::RankPrice, rank.price, 0),
            (Field::RankDeadline, rank.deadline, 0),
            (Field::RankAttempts, rank.attempts, 0),
            (Field::RankWaiting, rank.waiting, 1),
            (Field::RankPriority, rank.priority, 0),
            (Field::RankFairShare, rank.fair_share, 0),
        ];
        let bad = weights.into_iter().find(|(_, weight, least)| !(*least..=1_000_000).contains(weight));
        if let Some((field, weight, least)) = bad {
            return Err(BadPolicy::BadWeight { field, weight, least });
        }
        let counts = [
            (Field::BatchMax, self.batch_max),
            (Field::OptionsMax, self.quotes.options_max),
            (Field::AlternativesMax, self.search.limits.alternatives_per_job_max),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((field, _)) => Err(BadPolicy::NoneAllowed(field)),
            None => Ok(()),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        let seconds = |seconds: i64| Span::from_millis(seconds * 1_000).expect("a few days are a span");
        let mut search = SearchConfig::default();
        search.limits.alternatives_per_job_max = 12;
        search.limits.explanation_slots_max = 20_000_000;
        Policy {
            cycle_every: seconds(60),
            batch_max: 1_000,
            horizon: seconds(7 * 86_400),
            lead: seconds(2),
            deciding: Deciding::Promise(PromisePolicy::default()),
            offers_within: seconds(10),
            plan_within: seconds(60),
            prepare_within: seconds(15),
            confirm_within: seconds(15),
            grace: seconds(30),
            attempts_max: 3,
            vanished_max: usual_vanished_max(),
            spares_max: 2,
            late_tasks_max: 8,
            rank: RankWeights::default(),
            overdue_after: seconds(172_800),
            search,
            choice: VoPolicy::default(),
            plan: PlanScheme::Papers,
            bound_searches_max: 500,
            labels_max: 2_000_000,
            refine_units_max: 2_000_000,
            network: Network::INSTANT,
            calendar: Calendar::default(),
            quotes: QuotePolicy {
                valid_for: seconds(300),
                options_max: 5,
                compensation: Share::percent(5),
                offers_age_max: seconds(120),
                held_max: 4,
                hold_fee: Share::percent(1),
                lead: seconds(60),
            },
            money: MoneyPolicy {
                fee: Share::NOTHING,
                early_refund: Share::WHOLE,
                compensation: Share::percent(10),
            },
            repeat_within: seconds(86_400),
            sharing: Some(SharePolicy::default()),
            predictions: Some(PredictionPolicy::default()),
            never_met: NeverMet::default(),
            assign: None,
            strategies: StrategyUse::default(),
            give_strategies: Vec::new(),
            task_start: TaskStart::Ready,
        }
    }
}
