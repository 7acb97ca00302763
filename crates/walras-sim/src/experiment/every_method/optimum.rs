//! The joint optimum: every job's site and start at once.
//!
//! **Problem.** Rigid jobs on sites of equal nodes: serve as many as can be, and among the ways to do that find the one that is
//! least by a measure that does not fall when a job ends later.
//!
//! **Method.** Take any schedule, and start the jobs of a site again in the order of their starts, each as soon as enough nodes
//! are free: none starts later than before. So it is enough to try, site after site, all sequences of jobs whose starts do not
//! fall, each started that way. Depth first; what is left out so far and the least that the others could come to, each alone on
//! an empty market, bound what can still be. Exponential: `steps_max` bounds the work, and hitting it shows in the result.

use super::market::{DrawnMarket, Got};
use super::windows::Decision;

/// What is least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Cost,
    Finish,
    Loss,
}

impl Measure {
    pub(super) const ALL: [Measure; 3] = [Measure::Cost, Measure::Finish, Measure::Loss];

    pub(super) fn name(self) -> &'static str {
        match self {
            Measure::Cost => "joint optimum of cost",
            Measure::Finish => "joint optimum of finish",
            Measure::Loss => "joint optimum of satisfaction",
        }
    }

    /// What a job adds to the measure.
    pub(super) fn of(self, market: &DrawnMarket, job: usize, got: Got) -> i128 {
        match self {
            Measure::Cost => got.cost.into(),
            Measure::Finish => (got.finish - market.start.as_millis()).into(),
            Measure::Loss => market.loss(job, got).into(),
        }
    }

    /// What a decision comes to: jobs left out, then the measure of the others.
    pub(super) fn value(self, market: &DrawnMarket, decision: &Decision) -> (usize, i128) {
        let left_out = decision.iter().filter(|got| got.is_none()).count();
        let served = decision.iter().enumerate().filter_map(|(job, got)| Some(self.of(market, job, (*got)?)));
        (left_out, served.sum())
    }
}

/// What was found.
pub(super) struct Found {
    pub(super) decision: Decision,
    /// Whether nothing is better.
    pub(super) proven: bool,
}

/// More than all jobs' measures together.
const LEFT_OUT: i128 = 1 << 80;

struct Search<'a> {
    market: &'a DrawnMarket,
    measure: Measure,
    /// By job, the least that it can add.
    least: Vec<i128>,
    now: Decision,
    best: Option<(i128, Decision)>,
    steps_left: u64,
}

/// What is known of the site that jobs are put on: when its nodes are free, and the last job's start.
struct FilledSite {
    site: usize,
    free: Vec<i64>,
    last: (i64, usize),
}

/// The least by a measure.
pub(super) fn find(market: &DrawnMarket, measure: Measure, steps_max: u64) -> Found {
    let start = market.start.as_millis();
    let alone = |job: usize| {
        let sites = 0..market.domains.len();
        let added = sites.filter_map(|site| added(market, measure, job, site, start).map(|(_, added)| added));
        added.min().unwrap_or(LEFT_OUT)
    };
    let jobs = market.jobs.len();
    let least = (0..jobs).map(alone).collect();
    let mut search =
        Search { market, measure, least, now: vec![None; jobs], best: None, steps_left: steps_max };
    let bound = search.least.iter().sum();
    search.put(&search.empty(0), 0, bound);
    let proven = search.steps_left > 0;
    Found { decision: search.best.map_or(vec![None; jobs], |(_, best)| best), proven }
}

/// What a job gets on a site from a moment on, and what it adds; nothing where its terms are broken.
fn added(market: &DrawnMarket, measure: Measure, job: usize, site: usize, start: i64) -> Option<(Got, i128)> {
    let (runtime, cost) = market.terms(job, site)?;
    let got = Got { cost, finish: start + runtime };
    let wish = &market.jobs[job];
    let kept = cost <= wish.budget.as_micros() && got.finish <= wish.deadline.as_millis();
    kept.then(|| (got, measure.of(market, job, got)))
}

impl Search<'_> {
    fn empty(&self, site: usize) -> FilledSite {
        let nodes = self.market.domains[site].nodes as usize;
        FilledSite { site, free: vec![self.market.start.as_millis(); nodes], last: (i64::MIN, 0) }
    }

    /// Tries every job that is still open next on this site, then goes on to the next site. `rest` is the least that the open
    /// jobs can add.
    fn put(&mut self, filled: &FilledSite, so_far: i128, rest: i128) {
        if self.steps_left == 0 || self.best.as_ref().is_some_and(|(best, _)| so_far + rest >= *best) {
            return;
        }
        self.steps_left -= 1;
        for job in 0..self.now.len() {
            if self.now[job].is_some() {
                continue;
            }
            let tasks = self.market.jobs[job].tasks as usize;
            let Some(start) = tasks.checked_sub(1).and_then(|last| filled.free.get(last)).copied() else {
                continue;
            };
            // Jobs that start together are put in one order.
            if (start, job) < filled.last {
                continue;
            }
            let Some((got, added)) = added(self.market, self.measure, job, filled.site, start) else {
                continue;
            };
            let mut free = filled.free.clone();
            free[..tasks].fill(got.finish);
            free.sort_unstable();
            self.now[job] = Some(got);
            let next = FilledSite { site: filled.site, free, last: (start, job) };
            self.put(&next, so_far + added, rest - self.least[job]);
            self.now[job] = None;
        }
        if filled.site + 1 < self.market.domains.len() {
            let next = self.empty(filled.site + 1);
            self.put(&next, so_far, rest);
            return;
        }
        let left_out = self.now.iter().filter(|got| got.is_none()).count();
        let value = so_far + LEFT_OUT * i128::try_from(left_out).unwrap_or(i128::MAX);
        if self.best.as_ref().is_none_or(|(best, _)| value < *best) {
            self.best = Some((value, self.now.clone()));
        }
    }
}
