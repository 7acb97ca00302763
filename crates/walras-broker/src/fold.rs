//! Events into state: nothing is decided here, only written down.

mod reservation;

use crate::account::{Account, Purpose};
use crate::budget::BudgetUse;
use crate::event::{Event, RequestKey};
use crate::id::JobNumber;
use crate::input::Answer;
use crate::job::{Job, JobEnd, JobSpec, Phase, Why};
use crate::notice;
use crate::sabotage::{Sabotage, sabotaged};
use crate::site::SiteSpec;
use crate::state::{Cycle, NodeState, Quote, SiteState, State, UserState};
use std::collections::BTreeSet;
use walras_model::{Money, Multiplier, SiteId, Time};

/// After every cycle, this much of what users have used still counts: 31 of 32 parts.
const FADING: i64 = 32;

impl State {
    /// Takes in what has happened.
    pub(crate) fn fold(&mut self, now: Time, event: &Event) {
        self.clock = self.clock.max(now);
        self.version += 1;
        match event {
            Event::PolicySet(policy) => self.policy = (**policy).clone(),
            Event::UserSet(user) => self.user_set(user),
            Event::SiteAdded(spec) => self.site_added(spec),
            Event::PricesSet { site, prices } => {
                if let Some(state) = self.sites.get_mut(site.index()) {
                    state.spec.prices = prices.clone();
                    state.demand =
                        prices.demand.map_or(Multiplier::ONE, |it| state.demand.clamp(it.min, it.max));
                }
            }
            Event::BudgetSet { spender, budget: Some(budget) } => {
                self.budgets.insert(spender.clone(), BudgetUse::new(*budget, self.clock));
            }
            Event::BudgetSet { spender, budget: None } => {
                self.budgets.remove(spender);
            }
            Event::Deposited { key, account, transaction } => {
                self.books.post(transaction);
                let amount = i64::try_from(transaction.sum(account, Purpose::Deposit)).unwrap_or(i64::MAX);
                self.remember(key, Answer::Deposited(Money::from_micros(amount)));
            }
            Event::JobQueued { job, key, spec } => self.job_queued(*job, key, spec),
            Event::JobReturned { job, why } => self.job_returned(*job, why),
            Event::JobEnded { job, end } => self.job_ended(*job, end),
            Event::NodeLost { node, at } | Event::NodeBack { node, at } => {
                if let Some(state) = self.nodes.get_mut(node.index()) {
                    state.lost = matches!(event, Event::NodeLost { .. });
                    state.since = *at;
                }
            }
            Event::NodeTaken { node, interval } => {
                let clock = self.clock;
                if let Some(state) = self.nodes.get_mut(node.index()) {
                    state.taken.retain(|taken| taken.end() > clock);
                    state.taken.push(*interval);
                }
            }
            Event::SiteLost { site, at } => self.site_changed(*site, *at, true),
            Event::SiteBack { site, at } => self.site_changed(*site, *at, false),
            Event::Noticed(notice) => {
                self.notices.remove(notice);
            }
            Event::QuoteGiven { .. }
            | Event::QuoteAccepted { .. }
            | Event::QuoteBroken { .. }
            | Event::QuoteExpired(_) => self.fold_quote(event),
            Event::CycleOpened { .. }
            | Event::OffersReceived { .. }
            | Event::CycleClosed { .. }
            | Event::CycleDecided { .. }
            | Event::CycleEnded(_) => self.fold_cycle(event),
            _ => self.fold_reservation(event),
        }
        notice::take_note(self, event);
    }

    fn remember(&mut self, key: &RequestKey, answer: Answer) {
        self.requests.insert(key.clone(), (answer, self.clock));
    }

    fn user_set(&mut self, user: &crate::input::User) {
        self.books.open(Account::User(user.name.clone()), user.lowest);
        let number = i64::try_from(self.users.len()).unwrap_or(i64::MAX);
        let entry = self.users.entry(user.name.clone());
        let state = entry.or_insert_with(|| UserState { user: user.clone(), number, usage: 0 });
        state.user = user.clone();
    }

    fn site_added(&mut self, spec: &SiteSpec) {
        let first_node = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let site = SiteId::from_index(self.sites.len()).unwrap_or(SiteId::new(0));
        self.nodes.extend(spec.nodes.iter().map(|_| NodeState {
            site,
            lost: false,
            since: Time::MIN,
            taken: Vec::new(),
        }));
        self.books.open(Account::Owner(spec.owner.clone()), Money::ZERO);
        self.sites.push(SiteState {
            spec: spec.clone(),
            first_node,
            free: None,
            demand: Multiplier::ONE,
            lost: false,
            since: Time::MIN,
        });
    }

    fn site_changed(&mut self, site: SiteId, at: Time, lost: bool) {
        if let Some(state) = self.sites.get_mut(site.index()) {
            (state.lost, state.since) = (lost, at);
            state.free = None;
        }
        if let Some(cycle) = self.cycle.as_mut().filter(|_| lost) {
            cycle.unanswered.remove(&site);
        }
    }

    fn job_queued(&mut self, number: JobNumber, key: &RequestKey, spec: &JobSpec) {
        self.last.job = self.last.job.max(number);
        self.remember(key, Answer::Job(number));
        let job = Job {
            number,
            spec: spec.clone(),
            queued_at: self.clock,
            phase: Phase::Queued,
            attempts: 0,
            returns: 0,
            why: None,
            done: BTreeSet::new(),
            spent: Money::ZERO,
            fences: BTreeSet::new(),
            spares: Vec::new(),
        };
        self.jobs.insert(number, job);
    }

    fn job_returned(&mut self, number: JobNumber, why: &Why) {
        if let Some(job) = self.jobs.get_mut(&number) {
            job.phase = Phase::Queued;
            job.returns = job.returns.saturating_add(1);
            job.why = Some(why.clone());
            job.spares.clear();
        }
    }

    fn job_ended(&mut self, number: JobNumber, end: &JobEnd) {
        notice::of_end(self, number, end);
        self.jobs.remove(&number);
        let count = match end {
            JobEnd::Done => &mut self.totals.done,
            JobEnd::Failed(_) => &mut self.totals.failed,
            JobEnd::Cancelled => &mut self.totals.cancelled,
            JobEnd::GivenUp(_) => &mut self.totals.given_up,
        };
        *count += 1;
    }

    fn fold_quote(&mut self, event: &Event) {
        match event {
            Event::QuoteGiven { quote, key, spec, options, until, why } => {
                self.last.quote = self.last.quote.max(*quote);
                self.remember(key, Answer::Quote(*quote));
                let given = Quote {
                    spec: (**spec).clone(),
                    options: options.clone(),
                    until: *until,
                    why: why.clone(),
                };
                self.quotes.insert(*quote, given);
            }
            Event::QuoteAccepted { quote, key, job, reservation, .. } => {
                self.quotes.remove(quote);
                self.remember(key, Answer::Accepted { job: *job, reservation: *reservation });
            }
            Event::QuoteBroken { quote, key, why, compensation, transaction, .. } => {
                self.quotes.remove(quote);
                self.books.post(transaction);
                self.totals.quotes_broken += 1;
                self.remember(key, Answer::Broken { why: why.clone(), compensation: *compensation });
            }
            Event::QuoteExpired(quote) => {
                self.quotes.remove(quote);
            }
            _ => {}
        }
    }

    fn fold_cycle(&mut self, event: &Event) {
        match event {
            Event::CycleOpened { cycle, batch, asked, until, demand } => {
                self.last.cycle = self.last.cycle.max(*cycle);
                self.new_cycle(demand);
                for ranked in batch {
                    self.set_phase(ranked.job, Phase::Planning);
                }
                self.cycle = Some(Cycle {
                    number: *cycle,
                    opened_at: self.clock,
                    batch: batch.clone(),
                    unanswered: asked.iter().copied().collect(),
                    closed_at: None,
                    until: *until,
                });
            }
            Event::OffersReceived { site, free, .. } => {
                if let Some(state) = self.sites.get_mut(site.index()) {
                    state.free = Some((self.clock, free.clone()));
                }
                if let Some(cycle) = &mut self.cycle {
                    cycle.unanswered.remove(site);
                }
            }
            Event::CycleClosed { until, .. } => {
                if let Some(cycle) = &mut self.cycle {
                    (cycle.closed_at, cycle.until) = (Some(self.clock), *until);
                }
            }
            Event::CycleDecided { verdict, .. } => {
                self.end_cycle(None);
                for unserved in &verdict.unserved {
                    if sabotaged(Sabotage::LoseUnserved) {
                        self.jobs.remove(&unserved.job);
                    }
                    self.job_returned(unserved.job, &unserved.why);
                }
            }
            Event::CycleEnded(_) => self.end_cycle(Some(&Why::NotPlanned)),
            _ => {}
        }
    }

    /// Demand moves, usage fades, and requests that are too old to be repeated are forgotten.
    fn new_cycle(&mut self, demand: &[Multiplier]) {
        for (site, factor) in self.sites.iter_mut().zip(demand) {
            site.demand = *factor;
        }
        for user in self.users.values_mut() {
            user.usage -= user.usage / FADING;
        }
        let forget = self.clock.as_millis() - self.policy.repeat_within.as_millis();
        self.requests.retain(|_, (_, at)| at.as_millis() >= forget);
    }

    fn end_cycle(&mut self, why: Option<&Why>) {
        let Some(cycle) = self.cycle.take() else { return };
        for ranked in &cycle.batch {
            let planning = self.jobs.get(&ranked.job).is_some_and(|job| job.phase == Phase::Planning);
            match why.filter(|_| planning) {
                Some(why) => self.job_returned(ranked.job, why),
                None if planning => self.set_phase(ranked.job, Phase::Queued),
                None => {}
            }
        }
        self.next_cycle_at = cycle.opened_at.checked_add(self.policy.cycle_every).unwrap_or(Time::MAX);
    }

    fn set_phase(&mut self, job: JobNumber, phase: Phase) {
        if let Some(job) = self.jobs.get_mut(&job) {
            job.phase = phase;
        }
    }
}
