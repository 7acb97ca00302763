//! What the service counts, for Prometheus.

#![deny(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must not compile until it is clear whether it is counted"
)]

use super::labels::{OutcomeLabel, OwnerLabel, PredictedLabel, RequestLabel, SiteLabel, StateLabel};
use super::last_plan::{LastBound, LastPlan};
use super::trouble::TroubleGauges;
use crate::view::ended::state_of_end;
use crate::view::job::state_of_job;
use crate::view::likely::calibration_views;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::sync::atomic::{AtomicI64, AtomicU64};
use std::time::Duration;
use walras_api::service::JobState;
use walras_broker::account::{Account, Purpose};
use walras_broker::decision::{PlanBound, Proof, Verdict};
use walras_broker::event::{CycleEvent, JobEvent, QuoteEvent, ReservationEvent};
use walras_broker::reservation::PartState;
use walras_broker::{Event, State};
use walras_model::{Money, Time};

type Decimal = Gauge<f64, AtomicU64>;
type Sum = Counter<f64, AtomicU64>;

/// What is counted.
pub struct Metrics {
    registry: Registry,
    jobs: Family<StateLabel, Gauge<i64, AtomicI64>>,
    ended: Family<OutcomeLabel, Counter>,
    quotes: Family<OutcomeLabel, Counter>,
    honour: Decimal,
    promises_renewed: Gauge<i64, AtomicI64>,
    cycle_seconds: Histogram,
    plan_seconds: Histogram,
    gap: Decimal,
    above_bound: Decimal,
    loss_above_bound: Decimal,
    bound_searches: Counter,
    predictions: Family<PredictedLabel, Gauge<i64, AtomicI64>>,
    predictions_held: Family<PredictedLabel, Decimal>,
    wait_predicted: Sum,
    wait_actual: Sum,
    utilisation: Family<SiteLabel, Decimal>,
    income: Family<OwnerLabel, Sum>,
    entries: Counter,
    commit_seconds: Histogram,
    requests: Family<RequestLabel, Counter>,
    request_seconds: Histogram,
    listeners: Gauge<i64, AtomicI64>,
    body_bytes: Gauge<i64, AtomicI64>,
    clock_apart: Gauge<i64, AtomicI64>,
    pub(super) troubles: TroubleGauges,
    last_plan: std::sync::Mutex<Option<LastPlan>>,
}

fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.0, 18))
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("walras"),
            jobs: Family::default(),
            ended: Family::default(),
            quotes: Family::default(),
            honour: Decimal::default(),
            promises_renewed: Gauge::default(),
            cycle_seconds: seconds(),
            plan_seconds: seconds(),
            gap: Decimal::default(),
            above_bound: Decimal::default(),
            loss_above_bound: Decimal::default(),
            bound_searches: Counter::default(),
            predictions: Family::default(),
            predictions_held: Family::default(),
            wait_predicted: Sum::default(),
            wait_actual: Sum::default(),
            utilisation: Family::default(),
            income: Family::default(),
            entries: Counter::default(),
            commit_seconds: seconds(),
            requests: Family::default(),
            request_seconds: seconds(),
            listeners: Gauge::default(),
            body_bytes: Gauge::default(),
            clock_apart: Gauge::default(),
            troubles: TroubleGauges::default(),
            last_plan: std::sync::Mutex::new(None),
        };
        metrics.honour.set(1.0);
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("jobs", "Jobs that have not ended, by state", self.jobs.clone());
        registry.register("jobs_ended", "Jobs that have ended, by outcome", self.ended.clone());
        registry.register("quotes", "Accepted quotes, kept or broken", self.quotes.clone());
        registry.register("quote_honour_ratio", "Accepted quotes that were kept", self.honour.clone());
        let renewed =
            "Promises that could not be kept and were given anew: a node, an owner or the service was away";
        registry.register("promises_renewed", renewed, self.promises_renewed.clone());
        registry.register("cycle_seconds", "From a cycle's opening to its plan", self.cycle_seconds.clone());
        registry.register("plan_seconds", "Making a plan", self.plan_seconds.clone());
        registry.register(
            "plan_gap_ratio",
            "How far the last plan is at most from the best",
            self.gap.clone(),
        );
        let above = "How far the last plan with a bound by prices costs more than it, at most";
        registry.register("plan_above_bound_ratio", above, self.above_bound.clone());
        let lost = "The same of what jobs cost and their delays are worth, where windows may move";
        registry.register("plan_loss_above_bound_ratio", lost, self.loss_above_bound.clone());
        let searches = "Searches for one job that went into such bounds";
        registry.register("plan_bound_searches", searches, self.bound_searches.clone());
        let said =
            "Predictions that can be judged: that it is likely (0.5), that nine of ten stay within (0.9)";
        registry.register("predictions", said, self.predictions.clone());
        let held = "The share of them that held; where predictions are good, it is the level";
        registry.register("predictions_held_ratio", held, self.predictions_held.clone());
        let predicted = "Sum of waits from submission to the planned start, of parts that have started";
        registry.register("wait_predicted_seconds", predicted, self.wait_predicted.clone());
        let actual = "Sum of waits from submission to the start, of the same parts";
        registry.register("wait_actual_seconds", actual, self.wait_actual.clone());
        registry.register("utilisation_ratio", "Nodes on which something runs", self.utilisation.clone());
        registry.register("income_credits", "What owners have earned", self.income.clone());
        registry.register("journal_entries", "Entries written", self.entries.clone());
        registry.register("commit_seconds", "Making a group of entries durable", self.commit_seconds.clone());
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register("http_request_seconds", "Answering a request", self.request_seconds.clone());
        registry.register("listeners", "Open event streams", self.listeners.clone());
        registry.register("body_bytes", "Bytes of requests' bodies in memory", self.body_bytes.clone());
        let apart = "By how much the machine's clock is ahead, where that is not followed; 0 where it is";
        registry.register("clock_apart_seconds", apart, self.clock_apart.clone());
        self.troubles.register(registry);
    }

    /// As Prometheus reads it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }

    pub(super) fn committed(&self, entries: usize, took: Duration) {
        if entries > 0 {
            self.entries.inc_by(u64::try_from(entries).unwrap_or(0));
            self.commit_seconds.observe(took.as_secs_f64());
        }
    }

    pub(super) fn planned(&self, seconds: f64) {
        self.plan_seconds.observe(seconds);
    }

    /// A request was answered. `path` is the route's, never the caller's.
    pub fn request(&self, method: &str, path: &str, status: u16, took: Duration) {
        let label = RequestLabel { method: method.to_owned(), path: path.to_owned(), status };
        self.requests.get_or_create(&label).inc();
        self.request_seconds.observe(took.as_secs_f64());
    }

    /// Somebody listens, or does not any more.
    pub fn listening(&self, change: i64) {
        self.listeners.inc_by(change);
    }

    /// So many bytes of bodies are in memory.
    pub fn bodies(&self, bytes: usize) {
        self.body_bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// What the last plan came to.
    pub fn last_plan(&self) -> Option<LastPlan> {
        self.last_plan.lock().ok().and_then(|last| last.clone())
    }

    /// An event that the state is about to take in.
    pub(super) fn see(&self, state: &State, now: Time, event: &Event) {
        match event {
            Event::Job(event) => self.see_job(state, event),
            Event::Quote(event) => self.see_quote(event),
            Event::Cycle(event) => self.see_cycle(state, now, event),
            Event::Reservation(event) => self.see_reservation(state, event),
            Event::Vo(_) | Event::Site(_) => {}
        }
    }

    fn see_job(&self, state: &State, event: &JobEvent) {
        match event {
            // An array counts as one.
            JobEvent::Ended { job, .. } if state.array_of(*job).is_some() => {}
            JobEvent::Ended { end, .. } => {
                self.ended.get_or_create(&outcome(state_of_end(end).text())).inc();
            }
            JobEvent::Queued { .. }
            | JobEvent::Returned { .. }
            | JobEvent::Planned { .. }
            | JobEvent::Freed(_)
            | JobEvent::Released(_)
            | JobEvent::Drawn { .. }
            | JobEvent::Cut { .. }
            | JobEvent::Offered { .. }
            | JobEvent::Withdrawn(_)
            | JobEvent::Noticed(_) => {}
        }
    }

    fn see_quote(&self, event: &QuoteEvent) {
        match event {
            QuoteEvent::Broken { .. } => {
                self.quotes.get_or_create(&outcome("broken")).inc();
            }
            QuoteEvent::Accepted { .. } | QuoteEvent::ChainAccepted { .. } => {
                self.quotes.get_or_create(&outcome("accepted")).inc();
            }
            QuoteEvent::Given { .. } | QuoteEvent::ChainGiven { .. } | QuoteEvent::Expired(_) => {}
        }
    }

    fn see_cycle(&self, state: &State, now: Time, event: &CycleEvent) {
        match event {
            CycleEvent::Decided { verdict, .. } => {
                let took = state.cycle.as_ref().map_or(0, |cycle| now - cycle.opened_at);
                self.cycle_seconds.observe(in_seconds(took));
                if let Ok(mut last) = self.last_plan.lock() {
                    let unserved = u32::try_from(verdict.unserved.len()).unwrap_or(u32::MAX);
                    let Verdict { proof, rivals, served, .. } = **verdict;
                    // What is worked out beside plans stands until it is for another.
                    let kept = last.take().and_then(|last| last.bound).filter(|bound| bound.of.is_some());
                    let kept = kept.filter(|_| state.bounds_beside());
                    let bound = verdict.bound.map(|bound| LastBound { of: None, bound }).or(kept);
                    let (assigned, satisfaction) = (verdict.assigned.clone(), verdict.satisfaction.clone());
                    *last = Some(LastPlan {
                        proof,
                        rivals,
                        bound,
                        assigned,
                        served,
                        unserved,
                        satisfaction,
                        at: now,
                        took,
                    });
                }
                if let Some(bound) = &verdict.bound {
                    self.see_bound(bound);
                }
                if let Proof::Gap(millionths) = verdict.proof {
                    self.gap.set(millionths as f64 / 1e6);
                } else {
                    self.gap.set(0.0);
                }
            }
            CycleEvent::Bounded { cycle, bound } => {
                self.see_bound(bound);
                if let Some(last) = self.last_plan.lock().ok().as_deref_mut().and_then(Option::as_mut) {
                    last.bound = Some(LastBound { of: Some(*cycle), bound: *bound });
                }
            }
            CycleEvent::Opened { .. }
            | CycleEvent::OffersReceived { .. }
            | CycleEvent::OffersChanged { .. }
            | CycleEvent::Closed { .. }
            | CycleEvent::Ended(_) => {}
        }
    }

    fn see_bound(&self, bound: &PlanBound) {
        let above = |all: Money, least: Money| {
            let (all, least) = (all.as_micros(), least.as_micros());
            if least > 0 { all as f64 / least as f64 - 1.0 } else { 0.0 }
        };
        self.above_bound.set(above(bound.cost, bound.cost_least));
        if let Some(it) = &bound.loss {
            self.loss_above_bound.set(above(it.loss, it.loss_least));
        }
        self.bound_searches.inc_by(bound.searches);
    }

    fn see_reservation(&self, state: &State, event: &ReservationEvent) {
        match event {
            ReservationEvent::PartStarted { reservation, part, at } => {
                let Some(of) = state.reservations.get(reservation) else { return };
                let queued = state.jobs.get(&of.job).map(|job| job.queued_at);
                let planned = of.parts.get(*part as usize).map(|part| part.plan.start);
                if let (Some(queued), Some(planned)) = (queued, planned) {
                    self.wait_predicted.inc_by(in_seconds(planned - queued));
                    self.wait_actual.inc_by(in_seconds(*at - queued));
                }
            }
            ReservationEvent::Closed { transaction, .. } => {
                for posting in transaction.postings.iter().filter(|it| it.purpose == Purpose::Income) {
                    if let Account::Owner(owner) = &posting.account {
                        let label = OwnerLabel { owner: owner.clone() };
                        let credits = posting.amount.as_micros().max(0) as f64 / 1e6;
                        self.income.get_or_create(&label).inc_by(credits);
                    }
                }
            }
            ReservationEvent::Asked { .. }
            | ReservationEvent::LegPrepared { .. }
            | ReservationEvent::Confirming { .. }
            | ReservationEvent::LegConfirmed { .. }
            | ReservationEvent::Held(_)
            | ReservationEvent::PartsDue { .. }
            | ReservationEvent::LegReady { .. }
            | ReservationEvent::PartEnded { .. }
            | ReservationEvent::Rescheduled { .. }
            | ReservationEvent::Files { .. }
            | ReservationEvent::LegReleased { .. } => {}
        }
    }

    /// What follows from the state as it is, before it is shown.
    pub fn observe(&self, state: &State) {
        self.clock_apart.set(crate::clock::wall_apart().unwrap_or(0) / 1_000);
        use JobState::{Held, Planned, Planning, Queued, Reserved, Reserving, Running, Waiting};
        let open = [Held, Waiting, Queued, Planning, Planned, Reserving, Reserved, Running];
        let mut counts: std::collections::BTreeMap<&str, i64> =
            open.into_iter().map(|state| (state.text(), 0)).collect();
        for job in state.jobs.values().filter(|job| job.offered.is_none()) {
            *counts.entry(state_of_job(state, job).text()).or_default() += 1;
        }
        for (name, count) in counts {
            self.jobs.get_or_create(&StateLabel { state: name.to_owned() }).set(count);
        }
        for it in calibration_views(state) {
            let levels =
                [("0.5", it.likely_said, it.likely_held), ("0.9", it.nine_in_ten_said, it.nine_in_ten_held)];
            for (level, said, held) in levels.into_iter().filter(|(_, said, _)| *said > 0) {
                let label = PredictedLabel {
                    of: it.of.text().to_owned(),
                    site: it.site.clone().unwrap_or_default(),
                    level: level.to_owned(),
                };
                self.predictions.get_or_create(&label).set(i64::try_from(said).unwrap_or(i64::MAX));
                self.predictions_held.get_or_create(&label).set(held as f64 / said as f64);
            }
        }
        let totals = &state.totals;
        self.promises_renewed.set(i64::try_from(totals.promises_renewed).unwrap_or(i64::MAX));
        let settled = totals.quotes_kept + totals.quotes_broken;
        self.honour.set(if settled == 0 { 1.0 } else { totals.quotes_kept as f64 / settled as f64 });
        let mut busy = vec![std::collections::BTreeSet::new(); state.sites.len()];
        for it in state.reservations.values() {
            for part in &it.parts {
                let node = it.hold_of(&part.plan).and_then(|hold| hold.node);
                if let (PartState::Running(_), Some(node), Some(busy)) =
                    (part.state, node, busy.get_mut(part.plan.site.index()))
                {
                    busy.insert(node);
                }
            }
        }
        for (site, busy) in state.sites.iter().zip(busy) {
            let nodes = state.nodes_of(site).count().max(1) as f64;
            let label = SiteLabel { site: site.spec.name.clone() };
            self.utilisation.get_or_create(&label).set(busy.len() as f64 / nodes);
        }
    }
}

fn outcome(outcome: &str) -> OutcomeLabel {
    OutcomeLabel { outcome: outcome.to_owned() }
}

fn in_seconds(millis: i64) -> f64 {
    millis.max(0) as f64 / 1e3
}
