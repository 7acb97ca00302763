//! Cycles: from the batch to the plan.

use crate::model::cycle::Cycle;
use crate::model::decision::Verdict;
use crate::model::event::CycleEvent;
use crate::model::id::JobNumber;
use crate::model::job::{Phase, Why};
use crate::model::sharing::Tally;
use crate::model::site::Free;
use crate::model::state::State;
use std::collections::BTreeSet;
use std::sync::Arc;
use walras_model::{SiteId, Time};

/// After every cycle, this much of what users have used still counts: 31 of 32 parts.
const FADING: i64 = 32;

/// On how many nodes something is free.
fn nodes_in(free: &Free) -> usize {
    match free {
        Free::Slots(times) => {
            let mut nodes: Vec<_> = times.iter().map(|time| time.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.len()
        }
        Free::Capacity(count) => *count as usize,
        Free::Queue { units, .. } => *units as usize,
    }
}

impl State {
    pub(super) fn fold_cycle(&mut self, event: &CycleEvent) {
        match event {
            CycleEvent::Opened { cycle, batch, asked, until, demand } => {
                assert!(*cycle > self.last.cycle, "the number {cycle} was given to a cycle before");
                self.last.cycle = *cycle;
                self.unsettled = false;
                self.new_cycle(demand);
                for ranked in batch {
                    self.set_phase(ranked.job, Phase::Planning);
                }
                self.cycle = Some(Arc::new(Cycle {
                    number: *cycle,
                    opened_at: self.clock,
                    batch: batch.clone(),
                    unanswered: asked.iter().copied().collect(),
                    closed_at: None,
                    until: *until,
                }));
            }
            CycleEvent::OffersReceived { site, free, .. } => self.offered(*site, free),
            CycleEvent::OffersChanged { site, change, .. } => {
                let free = self.changed_free(*site, change);
                let free = free.expect("a site's offers change, and it has said nothing before");
                self.offered(*site, &Arc::new(Free::Slots(free)));
            }
            CycleEvent::Closed { until, .. } => {
                let clock = self.clock;
                let cycle = self.open_cycle();
                (cycle.closed_at, cycle.until) = (Some(clock), *until);
            }
            CycleEvent::Decided { verdict, .. } => {
                self.remember_content(verdict);
                if let Some(cycle) = self.cycle.as_deref().filter(|_| verdict.assigned.is_some()) {
                    self.assigned_at = cycle.opened_at;
                }
                self.end_cycle(None);
                for unserved in &verdict.unserved {
                    self.job_returned(unserved.job, &unserved.why);
                }
            }
            // It is kept in the journal, for people.
            CycleEvent::Bounded { .. } => {}
            CycleEvent::Ended(_) => self.end_cycle(Some(&Why::NotPlanned)),
        }
    }

    fn offered(&mut self, site: SiteId, free: &Arc<Free>) {
        let clock = self.clock;
        let site_state = self.known_site(site);
        let before = site_state.free.as_ref().map_or(0, |(_, before)| nodes_in(before));
        site_state.free = Some((clock, Arc::clone(free)));
        if nodes_in(free) > before {
            self.help();
        }
        self.open_cycle().unanswered.remove(&site);
    }

    fn open_cycle(&mut self) -> &mut Cycle {
        Arc::make_mut(self.cycle.as_mut().expect("a cycle goes on and none is open"))
    }

    /// Demand moves, usage fades, and requests that are too old to be repeated are forgotten.
    fn new_cycle(&mut self, demand: &[walras_model::Multiplier]) {
        assert_eq!(demand.len(), self.sites.len(), "a cycle has a demand factor for every site");
        for (place, factor) in demand.iter().enumerate() {
            if self.sites.get(place).is_some_and(|site| site.demand != *factor) {
                let site = SiteId::from_index(place).expect("there are no more sites than ids");
                self.known_site(site).demand = *factor;
            }
        }
        let fades: Vec<Arc<str>> = self
            .users
            .iter()
            .filter(|(_, it)| it.usage / FADING != 0)
            .map(|(name, _)| name.clone())
            .collect();
        for name in fades {
            if let Some(user) = self.users.get_mut(&name) {
                user.usage -= user.usage / FADING;
            }
        }
        let forget = self.clock.as_millis() - self.policy.repeat_within.as_millis();
        let old = self.requests.iter().filter(|(_, it)| it.at.as_millis() < forget);
        for key in old.map(|(key, _)| Arc::clone(key)).collect::<Vec<_>>() {
            self.requests.remove(&key);
            self.tally_down(&key.by, Tally::KEY);
        }
    }

    fn end_cycle(&mut self, why: Option<&Why>) {
        let cycle = self.cycle.take().expect("a cycle ends and none is open");
        for ranked in &cycle.batch {
            let planning = self.jobs.get(&ranked.job).is_some_and(|job| job.phase == Phase::Planning);
            match why.filter(|_| planning) {
                Some(why) => self.job_returned(ranked.job, why),
                None if planning => self.set_phase(ranked.job, Phase::Queued),
                None => {}
            }
        }
        // A cycle that would begin after the end of time never does.
        self.next_cycle_at = cycle.opened_at.checked_add(self.policy.cycle_every).unwrap_or(Time::MAX);
    }

    /// How content everybody is with a plan stays with the jobs that it serves.
    fn remember_content(&mut self, verdict: &Verdict) {
        let Some(cycle) = self.cycle.clone().filter(|_| !verdict.satisfaction.is_empty()) else { return };
        let content = Arc::new(verdict.satisfaction.clone());
        let unserved: BTreeSet<JobNumber> = verdict.unserved.iter().map(|it| it.job).collect();
        for ranked in cycle.batch.iter().filter(|ranked| !unserved.contains(&ranked.job)) {
            if let Some(job) = self.jobs.get_mut(&ranked.job) {
                job.content = Some(Arc::clone(&content));
            }
        }
    }

    fn set_phase(&mut self, number: JobNumber, phase: Phase) {
        let job = self.jobs.get_mut(&number);
        let job = job.unwrap_or_else(|| panic!("a cycle plans job {number}, which is not there"));
        job.phase = phase;
    }
}
