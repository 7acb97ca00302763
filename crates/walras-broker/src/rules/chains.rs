//! Chains that are planned ahead: jobs that have a window before what they wait for has happened.
//!
//! **Problem.** Whoever submits a chain wants to know when its last job ends, and not only when the first does. But nothing may be held
//! at a site for a job that nobody knows can run.
//!
//! **Method.** What a job is promised is the latest that it starts and ends. A job whose every condition is about jobs that are promised
//! something, or hold time, can therefore be planned from the latest of these moments on, and be promised what follows: it is planned,
//! and nothing is asked of sites before its conditions have come about. That takes a while, which its window leaves
//! ([`super::holding`]). Whoever waits for jobs of the open cycle is planned with them, behind them. Where what was promised of a job that is waited for is
//! gone, or has not come about when its followers would have to be reserved, their windows are given back and they are planned again:
//! within what they were promised, or with another promise, since what theirs rested on is gone.
//!
//! Only such jobs are planned ahead as have windows that move; nor are those that wait for their user's word, for their namesakes,
//! for another to fail, or for an array or its elements that are no jobs yet.
//!
//! **Complexity.** O(log jobs) for each condition; O(jobs) to look for those who wait, and as for a batch where users take turns.

use super::holding::Aheads;
use super::means::Means;
use super::turns::fill;
use crate::model::gate::{Condition, Dependency};
use crate::model::id::JobNumber;
use crate::model::job::{Job, Phase, Planned};
use crate::model::rank::{Aspects, Ranked};
use crate::model::reservation::{PartState, ReservedPart};
use crate::model::state::State;
use std::collections::BTreeSet;
use walras_core::choose::Objective;
use walras_model::{Span, Time};

/// A job that waits for others, and for which of those who are planned with it; and whether they must have ended.
pub(crate) struct Follower<'a> {
    pub(crate) job: &'a Job,
    pub(crate) behind: Vec<(JobNumber, bool)>,
}

/// Whether it is met by an end, and not by a start.
fn by_end(on: &Dependency) -> bool {
    on.condition != Condition::Started
}

/// Whether a job waits for others in such a way that it may have a window before.
fn is_follower(job: &Job) -> bool {
    let waits = &job.waits;
    let sure = |(_, on): &(JobNumber, Dependency)| on.condition != Condition::Failed;
    let known = !waits.on.is_empty() && waits.never.is_none() && waits.on.iter().all(sure);
    let plain = job.spec.workflow.is_none() && job.spec.search.is_none() && job.offered.is_none();
    known && !waits.held && !waits.singleton && plain
}

impl State {
    /// Whether jobs are planned before what they wait for has happened.
    pub(super) fn plans_chains(&self) -> bool {
        let quotas = || self.sites.iter().any(|site| !site.spec.access.quotas.is_empty());
        let policy = &self.policy;
        self.promises().is_some()
            && policy.assign.is_none()
            && policy.choice.objective != Objective::Satisfaction
            && !quotas()
    }

    /// Whether a job may have a window before what it waits for has happened.
    pub(crate) fn goes_ahead(&self, job: &Job) -> bool {
        is_follower(job) && self.plans_chains()
    }

    /// When a job has started, or ended, at the latest, if what it is promised is kept.
    pub(crate) fn latest_of(&self, number: JobNumber, ended: bool) -> Option<Time> {
        let job = self.jobs.get(&number).filter(|job| job.offered.is_none())?;
        let promised = job.promise.map(|promise| if ended { promise.finish } else { promise.start });
        match job.phase {
            Phase::Planned => promised,
            Phase::Reserved(reservation) => {
                let held = self.reservations.get(&reservation).filter(|it| !it.is_queue())?;
                let end = held.holds().map(|(_, hold)| hold.interval.end()).max();
                let own = if ended { end? } else { held.start() };
                // Before it has begun, it may get another window within what it is promised.
                let begun = |part: &ReservedPart| {
                    matches!(part.state, PartState::Running(_) | PartState::Ended { .. })
                };
                let open = promised.filter(|_| !held.parts.iter().any(begun));
                Some(open.map_or(own, |promised| promised.max(own)))
            }
            Phase::Waiting | Phase::Queued | Phase::Planning => None,
        }
    }

    /// When all that a job still waits for has come about at the latest; `None` where nobody knows.
    fn met_by(&self, job: &Job) -> Option<Time> {
        let mut latest = self.clock;
        for (number, on) in &job.waits.on {
            latest = latest.max(self.latest_of(*number, by_end(on))?);
        }
        Some(latest)
    }

    /// How long after what it waits for a job is planned: sites must be told of the one, and asked for the other. That is as long as
    /// anything is ever asked for before its start, however slow sites turn out to be; or what is promised would rest on how fast they answer.
    pub(crate) fn chain_lag(&self) -> Span {
        self.promises().map_or(Span::ZERO, |rules| rules.ahead)
    }

    /// From when on a job may have a window, for what it waits for. Whoever waits for what nobody knows may have none.
    pub(crate) fn follows_from(&self, job: &Job) -> Option<Time> {
        if job.waits.on.is_empty() && job.waits.never.is_none() {
            return None;
        }
        let met = Some(job).filter(|job| self.goes_ahead(job)).and_then(|job| self.met_by(job));
        Some(met.and_then(|met| met.checked_add(self.chain_lag())).unwrap_or(Time::MAX))
    }

    /// The same as far as it is known, for a job that is planned with those of whom nothing is.
    pub(crate) fn known_from(&self, job: &Job) -> Option<Time> {
        let known = job.waits.on.iter().filter_map(|(of, on)| self.latest_of(*of, by_end(on)));
        known.max()?.max(self.clock).checked_add(self.chain_lag())
    }

    /// Whether the window of a job that waits is one that it cannot have any more.
    pub(crate) fn loses_window(&self, job: &Job, plan: &Planned, aheads: Option<&Aheads>, now: Time) -> bool {
        if job.waits.is_none() {
            return false;
        }
        let met = Some(job).filter(|job| self.goes_ahead(job)).and_then(|job| self.met_by(job));
        // It is asked for when it has been heard that all has come about.
        met.zip(aheads).is_none_or(|(met, aheads)| aheads.hold_by(self, plan) < met.max(now))
    }

    /// Whether anybody waits who could be planned beside who is in the open cycle.
    pub(crate) fn has_followers(&self) -> bool {
        let waits = |job: &Job| job.phase == Phase::Waiting && is_follower(job);
        self.plans_chains() && self.jobs.values().any(|job| waits(job) && self.met_by(job).is_some())
    }

    /// Those who wait and are planned in the open cycle, in order of numbers, so that nobody comes before those they wait for. There are no more of
    /// them than can be planned again, and users take turns.
    pub(crate) fn followers(&self, now: Time) -> Vec<Follower<'_>> {
        if !self.plans_chains() {
            return Vec::new();
        }
        let planning =
            |number: &JobNumber| self.jobs.get(number).is_some_and(|job| job.phase == Phase::Planning);
        let waits = |job: &&Job| job.phase == Phase::Waiting && is_follower(job);
        let mut with: BTreeSet<JobNumber> = BTreeSet::new();
        let mut all: Vec<Follower<'_>> = Vec::new();
        for job in self.jobs.values().filter(waits) {
            let unknown = job.waits.on.iter().filter(|(of, on)| self.latest_of(*of, by_end(on)).is_none());
            let behind: Vec<_> = unknown.map(|(of, on)| (*of, by_end(on))).collect();
            if behind.iter().all(|(of, _)| planning(of) || with.contains(of)) {
                with.insert(job.number);
                all.push(Follower { job, behind });
            }
        }
        let chosen = self.in_turn(&all, now);
        // Who waits for somebody who is left out is left out as well.
        let mut with: BTreeSet<JobNumber> = BTreeSet::new();
        all.retain(|follower| {
            let number = follower.job.number;
            let stays = chosen.contains(&number)
                && follower.behind.iter().all(|(of, _)| planning(of) || with.contains(of));
            if stays {
                with.insert(number);
            }
            stays
        });
        all
    }

    /// Which of those who wait are planned now.
    fn in_turn(&self, all: &[Follower<'_>], now: Time) -> BTreeSet<JobNumber> {
        let most = self.promises().map_or(0, |rules| rules.replanned_max as usize);
        let room = if all.is_empty() { 0 } else { most.saturating_sub(self.planned().count()) };
        let Some(rules) = self.policy.sharing.filter(|_| !all.is_empty()) else {
            return all.iter().map(|follower| follower.job.number).take(room).collect();
        };
        let ranked = |follower: &Follower<'_>| Ranked {
            job: follower.job.number,
            score: 0,
            overdue: false,
            aspects: Aspects::default(),
        };
        let means = Means::of(self, now);
        let turns = fill(self, &rules, all.iter().map(ranked).collect(), &means, now).batch;
        turns.into_iter().map(|ranked| ranked.job).take(room).collect()
    }
}
