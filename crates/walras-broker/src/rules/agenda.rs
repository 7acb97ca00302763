//! Windows that are planned and not held: what they are, and what they take.

use super::budgets::funds;
use super::times::HeldTimes;
use crate::model::allocation::{Allocation, Hold};
use crate::model::job::{Job, Phase, Planned};
use crate::model::policy::{Deciding, PromisePolicy};
use crate::model::state::State;
use std::collections::{BTreeMap, BTreeSet};
use walras_core::agenda::{AgendaRules, Late, Promise, Terms};
use walras_model::{
    Interval, Money, NodeId, Performance, Placement, Rate, Request, SiteId, SlotKey, Span, Time, Window,
};

/// What begins at once begins with the next moment: what has begun can be asked of nobody.
const AT_ONCE: Span = match Span::from_millis(1) {
    Some(span) => span,
    None => panic!("a millisecond is a span"),
};

impl State {
    /// The rules for promises, where jobs are promised anything.
    pub fn promises(&self) -> Option<&PromisePolicy> {
        match &self.policy.deciding {
            Deciding::AtOnce => None,
            Deciding::Promise(rules) => Some(rules),
        }
    }

    /// Whether what no plan could beat is worked out beside plans.
    pub fn bounds_beside(&self) -> bool {
        self.promises().is_some() && self.policy.bound_searches_max > 0
    }

    /// With promises there are plans so often that what a site said so long ago, in milliseconds, is good enough.
    pub(crate) fn offers_age_max(&self) -> i64 {
        self.policy.quotes.offers_age_max.as_millis().min(self.policy.horizon.as_millis() / 16)
    }

    /// Whether a job is run even where it cannot end by its deadline: such as may have a window that moves, where the VO wants that.
    pub(crate) fn runs_late(&self, job: &Job) -> bool {
        let plain = job.spec.workflow.is_none() && job.spec.search.is_none();
        plain
            && self.promises().is_some_and(|rules| rules.late == Late::Run)
            && self.sites.iter().all(|site| site.spec.access.quotas.is_empty())
    }

    /// How long before its start something must be asked for on a site: it has to answer, and then to come up.
    pub(crate) fn lead_of(&self, site: SiteId) -> Span {
        let before = self.site(site).map_or(Span::ZERO, |site| site.spec.timing.before);
        let answering = self.answering(site);
        Span::from_millis(answering.as_millis().saturating_add(before.as_millis())).unwrap_or(answering)
    }

    /// How long a site may take to answer.
    fn answering(&self, site: SiteId) -> Span {
        let policy = &self.policy;
        if self.promises().is_none() {
            return policy.lead;
        }
        if self.site(site).is_some_and(|site| site.spec.timing.at_once) {
            return AT_ONCE;
        }
        let longest = policy.prepare_within.as_millis() + policy.confirm_within.as_millis();
        let answers = self.site(site).and_then(|site| site.answers_in);
        let needs = answers.map_or(longest, |span| span.as_millis().saturating_mul(2).min(longest));
        Span::from_millis(needs).map_or(policy.lead, |needs| needs.max(policy.lead))
    }

    /// The jobs that have a window that may still move.
    pub(crate) fn planned(&self) -> impl Iterator<Item = (&Job, &Planned)> {
        self.jobs.values().filter_map(|job| Some((job, plan_of(job)?)))
    }

    /// When a job starts and ends, and what it costs, where it is planned and nothing is held for it.
    pub fn planned_terms(&self, job: &Job) -> Option<Terms> {
        self.window_of(&job.spec.request, plan_of(job)?).map(|window| Terms::of(&window))
    }

    /// What would be reserved for a job that is planned.
    pub(crate) fn planned_allocation(&self, job: &Job) -> Option<Allocation> {
        self.allocation_of(&job.spec.request, plan_of(job)?)
    }

    /// The time that a job is planned for: node, interval, units.
    pub(crate) fn planned_times(&self, job: &Job) -> impl Iterator<Item = (NodeId, Interval, u32)> {
        let holds = plan_of(job).and_then(|plan| self.holds_of(&job.spec.request, plan));
        holds.into_iter().flatten().map(|hold| (hold.node, hold.interval, hold.units))
    }

    /// The sites on which a job is planned.
    pub fn planned_sites(&self, job: &Job) -> BTreeSet<SiteId> {
        let places = job.plan.iter().flat_map(|plan| &plan.places);
        places.filter_map(|(node, _)| self.node(*node)).map(|node| node.site).collect()
    }

    /// All time that is held, node by node; as many times as units of the node are.
    pub(crate) fn held_times(&self) -> HeldTimes {
        let mut all = HeldTimes::none(self.nodes.len());
        self.all_held().for_each(|(node, interval, units)| all.add(node, interval, units));
        all
    }

    /// All time that is held or planned, node by node; as many times as units of the node are.
    pub(crate) fn held_or_planned(&self) -> HeldTimes {
        let mut all = self.held_times();
        for (job, _) in self.planned() {
            self.planned_times(job).for_each(|(node, interval, units)| all.add(node, interval, units));
        }
        all
    }

    /// What a user can spend beside what is promised ([`State::committed`]), which may be more than there is by now.
    pub(crate) fn unpromised(&self, user: &str, now: Time, committed: &BTreeMap<&str, Money>) -> Money {
        let promised = committed.get(user).copied().unwrap_or(Money::ZERO);
        funds(self, user, now).checked_sub(promised).map_or(Money::ZERO, |left| left.max(Money::ZERO))
    }

    /// What users are promised to pay at the most for what is planned and not held.
    pub(crate) fn committed(&self) -> BTreeMap<&str, Money> {
        let mut all: BTreeMap<&str, Money> = BTreeMap::new();
        for (job, _) in self.planned() {
            let cost = job.promise.map_or(Money::ZERO, |promise| promise.cost);
            let sum = all.entry(job.spec.user.as_str()).or_insert(Money::ZERO);
            // More than can be counted is more than anybody has: the end of the range leaves nothing to spend.
            *sum = *sum + cost;
        }
        all
    }

    /// The time on nodes that a plan takes; `None` when a node is not there.
    fn holds_of(&self, request: &Request, plan: &Planned) -> Option<Vec<PlannedHold>> {
        // Most nodes are like the one before: neither its run time nor its cost is worked out again.
        let mut last: Option<(Performance, PlannedHold)> = None;
        let hold = |(node, rate): &(NodeId, Rate)| {
            let spec = self.known.node(*node)?;
            let (site, units) = (spec.site, spec.units_needed(request)?);
            let alike = last.filter(|(performance, it)| (*performance, it.rate) == (spec.performance, *rate));
            let hold = match alike {
                Some((_, alike)) => PlannedHold { node: *node, site, units, ..alike },
                None => {
                    let span = request.work.runtime_on(spec.performance)?;
                    let interval = Interval::new(plan.start, plan.start.checked_add(span)?)?;
                    PlannedHold { node: *node, site, units, interval, rate: *rate, cost: rate.cost_of(span)? }
                }
            };
            last = Some((spec.performance, hold));
            Some(hold)
        };
        plan.places.iter().map(hold).collect()
    }

    /// A plan as the planner sees it.
    pub(crate) fn window_of(&self, request: &Request, plan: &Planned) -> Option<Window> {
        let placement = |PlannedHold { node, units, interval, rate, cost, .. }: PlannedHold| {
            let source = SlotKey { start: interval.start(), node };
            Placement { node, units, interval, rate, cost, source }
        };
        Window::sharing(self.holds_of(request, plan)?.into_iter().map(placement).collect())
    }

    /// A plan as it is reserved.
    pub(crate) fn allocation_of(&self, request: &Request, plan: &Planned) -> Option<Allocation> {
        let hold = |PlannedHold { node, site, units, interval, rate, cost }: PlannedHold| {
            (site, Hold { node: Some(node), units, interval, rate, cost })
        };
        Some(Allocation::plain(self.holds_of(request, plan)?.into_iter().map(hold)))
    }
}

/// What a plan takes of one node.
#[derive(Clone, Copy)]
struct PlannedHold {
    node: NodeId,
    site: SiteId,
    units: u32,
    interval: Interval,
    rate: Rate,
    cost: Money,
}

/// Whether a promise is one to end after the deadline, which then counts no more.
pub(crate) fn is_late(request: &Request, promise: Option<Promise>) -> bool {
    request.deadline.zip(promise).is_some_and(|(deadline, promise)| promise.finish > deadline)
}

/// The window in which a job is planned.
fn plan_of(job: &Job) -> Option<&Planned> {
    job.plan.as_deref().filter(|_| job.phase == Phase::Planned)
}

impl PromisePolicy {
    /// The same for the planner.
    pub(crate) fn rules(&self) -> AgendaRules {
        AgendaRules {
            precedence: self.order,
            until: self.until,
            late: self.late,
            slack: self.slack,
            slack_max: self.slack_max,
            price_slack: self.price_slack,
            trials: self.trials,
            replanned_max: self.replanned_max,
            ..AgendaRules::default()
        }
    }
}

impl Planned {
    /// A window as it is kept.
    pub(crate) fn of(window: &Window) -> Planned {
        let place = |placement: &Placement| (placement.node, placement.rate);
        Planned { start: window.start(), places: window.placements().iter().map(place).collect() }
    }
}
