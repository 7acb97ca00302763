//! How the VO is: who spent what, how long jobs waited, and why some were not run.

use super::job::state_of_job;
use super::money::all_budgets;
use super::sold::span;
use crate::journal::FoundSale;
use crate::journal::record::Record;
use std::collections::BTreeMap;
use walras_api::Num;
use walras_api::sentence::Context;
use walras_api::service::{JobState, RefusalLine, UserLine, VoView, WaitsView, WhyKind};
use walras_broker::State;
use walras_broker::job::JobEnd;
use walras_model::{Interval, Money, Time};

/// So many users are listed at most.
const USERS_MAX: usize = 1_000;

/// What a user did.
#[derive(Clone, Copy, Debug, Default)]
struct Deeds {
    charged: i128,
    used: i64,
    done: u64,
    failed: u64,
    cancelled: u64,
    given_up: u64,
    waiting: u64,
}

/// A report that is being added up.
pub struct VoReport {
    period: Interval,
    users: BTreeMap<String, Deeds>,
    /// Milliseconds.
    waits: Vec<i64>,
    /// By reason: jobs that ended for it, and jobs that wait for it.
    reasons: BTreeMap<WhyKind, (u64, u64)>,
}

impl VoReport {
    /// Of a period.
    pub fn new(period: Interval) -> VoReport {
        VoReport { period, users: BTreeMap::new(), waits: Vec::new(), reasons: BTreeMap::new() }
    }

    fn user(&mut self, name: &str) -> &mut Deeds {
        self.users.entry(name.to_owned()).or_default()
    }

    /// Sees what somebody paid.
    pub fn see_sale(&mut self, sale: &FoundSale) {
        let used = sale.used.and_then(|used| used.intersection(self.period));
        let (settled, deeds) = (sale.at < self.period.end(), self.user(&sale.user));
        if settled {
            deeds.charged += i128::from(sale.charged.as_micros());
        }
        deeds.used =
            deeds.used.saturating_add(used.map_or(0, |used| sale.part.of_count(used.span().as_millis())));
    }

    /// Sees a job that ended in the period.
    pub fn see_ended(&mut self, Record::V1(job): &Record) {
        let deeds = self.user(&job.user);
        let why = match &job.end {
            JobEnd::Done => {
                deeds.done += 1;
                None
            }
            JobEnd::Failed(why) => {
                deeds.failed += 1;
                Some(why)
            }
            JobEnd::Cancelled => {
                deeds.cancelled += 1;
                None
            }
            JobEnd::GivenUp(why) => {
                deeds.given_up += 1;
                Some(why)
            }
        };
        if let Some(why) = why {
            self.reasons.entry(Context::nameless().why_view(why).kind).or_default().0 += 1;
        }
        if let Some(wait) = job.start.and_then(|start| start.span_since(job.queued_at)) {
            self.waits.push(wait.as_millis());
        }
    }

    /// What it comes to, with what is known now; `complete` says whether every job of the period was seen.
    pub fn view(mut self, state: &State, now: Time, complete: bool) -> VoView {
        for job in state.jobs.values().filter(|job| job.offered.is_none()) {
            let waits = !matches!(state_of_job(state, job), JobState::Running);
            if waits {
                self.user(&job.spec.user).waiting += 1;
            }
            if let Some(why) = job.why.as_ref().filter(|_| waits) {
                self.reasons.entry(Context::nameless().why_view(why).kind).or_default().1 += 1;
            }
        }
        for name in state.users.values().map(|user| &user.user.name) {
            self.users.entry(name.clone()).or_default();
        }
        let mut users: Vec<(String, Deeds)> = self.users.into_iter().collect();
        users.sort_by_key(|(_, deeds)| -deeds.charged);
        let mut refusals: Vec<RefusalLine> = self
            .reasons
            .into_iter()
            .map(|(reason, (ended, waiting))| RefusalLine { reason, ended, waiting })
            .collect();
        refusals.sort_by_key(|line| std::cmp::Reverse(line.ended + line.waiting));
        VoView {
            from: self.period.start().into(),
            until: self.period.end().into(),
            budgets: all_budgets(state, now),
            users: users.into_iter().take(USERS_MAX).map(|(name, deeds)| line(state, name, deeds)).collect(),
            waits: waits(self.waits),
            refusals,
            complete,
        }
    }
}

fn line(state: &State, name: String, deeds: Deeds) -> UserLine {
    let user = state.users.get(name.as_str()).map(|user| &user.user);
    UserLine {
        group: user.and_then(|user| user.group.clone()),
        share: user.map_or(0, |user| user.share),
        user: name,
        charged: Num::of_money(Money::from_micros(i64::try_from(deeds.charged).unwrap_or(i64::MAX))),
        used: Num::of_span(span(deeds.used)),
        done: deeds.done,
        failed: deeds.failed,
        cancelled: deeds.cancelled,
        given_up: deeds.given_up,
        waiting: deeds.waiting,
    }
}

/// Quantiles by nearest rank.
fn waits(mut millis: Vec<i64>) -> WaitsView {
    millis.sort_unstable();
    let count = millis.len();
    let rank = |tenths: usize| (count * tenths).div_ceil(10).checked_sub(1);
    let at = |tenths: usize| Some(Num::of_span(span(*millis.get(rank(tenths)?)?)));
    WaitsView {
        jobs: u64::try_from(count).unwrap_or(u64::MAX),
        median: at(5),
        ninth_tenth: at(9),
        longest: at(10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_ranked() {
        let view = waits((1..=20).rev().map(|seconds| seconds * 1_000).collect());
        let text = |number: Option<Num>| number.unwrap().to_string();
        assert_eq!((view.jobs, text(view.median), text(view.ninth_tenth)), (20, "10".into(), "18".into()));
        assert_eq!(text(view.longest), "20");
        let none = waits(Vec::new());
        assert_eq!((none.jobs, none.median, none.longest), (0, None, None));
    }
}
