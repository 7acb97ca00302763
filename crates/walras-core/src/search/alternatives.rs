//! Every way to run every job of a batch.
//!
//! **Problem.** For each job as many windows as there are, none overlapping another.
//!
//! **Method.** Round after round through the batch in priority order: each job searches one more window on
//! what is left, which is then cut out. A job that fails once never succeeds again, since the list only loses
//! time, and leaves the rounds. For the same reason the next earliest window of a request never starts before
//! its last one: ALP and AMP go on from there, with the candidates they have gathered (see [`super::first`]) or, where
//! the cuts of many jobs would have to be looked through, with what reaches into the stretch of time reached. The best by a
//! criterion may lie anywhere; only stretches whose best was cut are searched again ([`super::again`]). Where windows can be
//! searched anew, jobs that follow each other search side by side ([`super::ahead`]).
//!
//! The other mode serves each job once, *on the fly*: in one sweep over time, whoever can start first takes
//! its window. It is computed lazily: every job's first window is kept in a queue by start; when a job's turn
//! comes and its window has lost a slot to another, it searches again from that start. Jobs that get nothing are
//! explained on what is left in the end.
//!
//! Where nodes are sold in units, ALP and AMP search what is free step by step ([`super::steps`]). By a criterion, jobs that take the same of every node
//! search on lists of their own, of lanes ([`super::lanes`]); what is cut from one list is cut from all.
//!
//! A job may ask for a search of its own: it then takes its turn like everybody, and is searched from the head by it.
//!
//! **Complexity.** About one scan per request and round of the list's part that the request has not passed.
//!
//! Source: the scheduling scheme of Toporkov et al.

mod why;

use super::Found;
use super::ahead::{Ahead, FoundAhead};
use super::config::{Algorithm, Mode, SearchConfig};
use super::job::{JobSearch, Problems};
use super::lanes::{Lanes, lanes_of};
use super::shared::SharedTime;
use super::steps::Steps;
use crate::slots::SlotList;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use walras_model::Explanation;
use walras_model::id::JobId;
use walras_model::offer::Offers;
use walras_model::quantity::Time;
use walras_model::request::Batch;
use walras_model::window::{Alternative, Window};
use why::not_examined;

/// A job for which no window was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unscheduled {
    /// The job, by its place in the batch.
    pub job: JobId,
    /// Why, and what would help.
    pub explanation: Explanation,
}

/// What a search over a batch found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alternatives {
    /// In the order found; they never overlap each other.
    pub found: Vec<Alternative>,
    /// Jobs that found none, in the order of the batch.
    pub unscheduled: Vec<Unscheduled>,
    /// How many slots were read.
    pub slots_scanned: u64,
    /// Which limits were hit, each once.
    pub limits_hit: BTreeSet<LimitHit>,
    /// Which windows there are beside these.
    pub beyond: Beyond,
}

/// What a search left unsearched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beyond {
    /// Nothing, but for the limits that were hit.
    #[default]
    Nothing,
    /// Windows that nobody needs: whoever asked had enough.
    Needless,
}

/// A limit that ended part of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LimitHit {
    /// Some job has as many alternatives as [`crate::search::SearchLimits::alternatives_per_job_max`] allows.
    AlternativesPerJob,
    /// There are as many alternatives as [`crate::search::SearchLimits::alternatives_max`] allows.
    Alternatives,
    /// Some criterion window is not proven best within [`crate::search::SearchLimits::branches_max`].
    Branches,
    /// Explaining jobs without a window took as many reads as [`crate::search::SearchLimits::explanation_slots_max`]
    /// allows; the others are not explained.
    Explanations,
}

/// All alternatives of a batch, by the configured search and mode.
///
/// ```
/// use walras_core::*;
/// use walras_model::*;
/// # let time = |s: i64| Time::from_millis(s * 1_000).unwrap();
/// # let horizon = Interval::new(time(0), time(60)).unwrap();
/// # let node = Node {
/// #     division: Default::default(),
/// #     name: "n1".into(), site: SiteId::new(0), performance: Performance::ONE,
/// #     watts: None, attributes: Attributes::new(),
/// # };
/// # let rate = Rate::from_micros_per_second(1_000_000).unwrap();
/// # let slot = Slot::new(NodeId::new(0), horizon, rate).unwrap();
/// # let offers = Offers::new(horizon, vec![Site { name: "a".into() }], vec![node], vec![slot]).unwrap();
/// // One node, free for 60 s; one job of 20 s: three ways to run it.
/// let batch = Batch::new(vec![Request::new("J", 1, Work::from_millis(20_000).unwrap())]);
/// let alternatives = find_alternatives(&offers, &batch, &SearchConfig::default());
/// assert_eq!(alternatives.found.len(), 3);
/// ```
pub fn find_alternatives(offers: &Offers, batch: &Batch, config: &SearchConfig) -> Alternatives {
    find_alternatives_on(offers, batch, config, 1)
}

/// The same on so many threads; what is found does not depend on how many.
pub fn find_alternatives_on(
    offers: &Offers,
    batch: &Batch,
    config: &SearchConfig,
    threads: usize,
) -> Alternatives {
    find_alternatives_each(offers, batch, config, Own::default(), threads, |_, _| false)
}

/// What jobs ask for that others do not, by place in the batch; jobs beyond the ends ask for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own<'a> {
    /// A search of their own.
    pub(crate) searches: &'a [Option<&'a SearchConfig>],
}

/// The same where jobs may have a search of their own; how all are served is the mode of `config`. It goes on until there
/// is enough: after each round `enough` sees what was found, and the jobs that may find more. What is found is always what full rounds find.
pub(crate) fn find_alternatives_each(
    offers: &Offers,
    batch: &Batch,
    config: &SearchConfig,
    own: Own<'_>,
    threads: usize,
    enough: impl FnMut(&[Alternative], &[JobId]) -> bool,
) -> Alternatives {
    let shared = offers.is_divided().then(|| SharedTime::new(offers));
    let first = earliest_only(config, own).then_some(shared.as_ref()).flatten();
    let steps = first.and_then(|shared| Steps::new(offers, shared.clone(), batch));
    let (lanes, lanes_of_job) = match &shared {
        Some(shared) if steps.is_none() => lanes_of(offers, shared, batch),
        _ => (Vec::new(), vec![Some(0); batch.requests().len()]),
    };
    let asked = (batch, config, own.searches);
    let mut run = Run {
        problems: match steps {
            Some(steps) => Problems::on_steps(offers, steps, asked),
            None => Problems::new(offers, &lanes, lanes_of_job, asked),
        },
        sold: offers,
        shared: shared.map(|shared| (shared, &lanes[..])),
        untouched: BTreeMap::new(),
        lanes_now: None,
        jobs: vec![JobSearch::default(); batch.requests().len()],
        explanation_slots: 0,
        result: Alternatives::default(),
    };
    let (searched, others): (Vec<JobId>, Vec<JobId>) =
        batch.by_priority().into_iter().partition(|job| run.problems.has_place_for(*job));
    for job in others {
        run.not_examined(job);
    }
    match config.mode {
        Mode::AllAlternatives => run.rounds(searched, threads, enough),
        Mode::FirstOnTheFly => run.on_the_fly(searched),
    }
    run.result.unscheduled.sort_by_key(|unscheduled| unscheduled.job);
    run.result
}

/// Whether every job looks for its earliest window.
fn earliest_only(config: &SearchConfig, own: Own<'_>) -> bool {
    let mut all = std::iter::once(config).chain(own.searches.iter().copied().flatten());
    all.all(|config| matches!(config.algorithm, Algorithm::Alp | Algorithm::Amp))
}

/// Jobs by the start of their first window, then by rank.
type ByStart = BinaryHeap<Reverse<(Time, usize, JobId)>>;

struct Run<'a> {
    problems: Problems<'a>,
    /// What is for sale, whether on lanes or not.
    sold: &'a Offers,
    /// Where nodes are sold in units: what is free of them and which lanes it makes; where steps are searched, what was free before any cut, and no lanes.
    shared: Option<(SharedTime, &'a [Lanes])>,
    /// The lists as they were before any cut, once somebody asked.
    untouched: BTreeMap<usize, SlotList>,
    /// Where steps are searched, the lanes that somebody without a window was last explained on: of which kind, and how many windows were found by then.
    lanes_now: Option<((usize, usize), Lanes, SlotList)>,
    jobs: Vec<JobSearch>,
    /// Slots read to explain jobs without a window.
    explanation_slots: u64,
    result: Alternatives,
}

impl Run<'_> {
    fn rounds(
        &mut self,
        mut active: Vec<JobId>,
        threads: usize,
        mut enough: impl FnMut(&[Alternative], &[JobId]) -> bool,
    ) {
        let mut ahead = Ahead::new(threads);
        while !active.is_empty() {
            let mut still_active = Vec::with_capacity(active.len());
            let mut rest = &active[..];
            while !rest.is_empty() {
                let count = if self.problems.search_anew() { ahead.count().min(rest.len()) } else { 1 };
                let (turn, others) = rest.split_at(count);
                let (mut read_ahead, mut read_again) = (0, 0);
                for it in self.search_ahead(turn, &ahead) {
                    let job = it.job;
                    self.jobs[job.index()] = it.search;
                    self.result.slots_scanned += it.slots_scanned;
                    read_ahead += it.slots_scanned;
                    if self.limit_reached(job) {
                        self.not_examined(job);
                        continue;
                    }
                    let mut found = it.found;
                    if found.as_ref().is_some_and(|found| !self.problems.of(job).holds(job, &found.window)) {
                        let read_before = self.result.slots_scanned;
                        found = self.next_window(job);
                        read_again += self.result.slots_scanned - read_before;
                    }
                    match found {
                        Some(found) => {
                            self.take(job, found);
                            still_active.push(job);
                        }
                        None => self.retire(job),
                    }
                }
                ahead.learn(read_ahead, read_again);
                rest = others;
            }
            active = still_active;
            if !active.is_empty() && enough(&self.result.found, &active) {
                self.result.beyond = Beyond::Needless;
                return;
            }
        }
    }

    /// The next windows of these jobs, as if each were the first of them.
    fn search_ahead(&mut self, turn: &[JobId], ahead: &Ahead) -> Vec<FoundAhead> {
        let mut searches: Vec<FoundAhead> = Vec::with_capacity(turn.len());
        for job in turn {
            let search = std::mem::take(&mut self.jobs[job.index()]);
            searches.push(FoundAhead { job: *job, search, found: None, slots_scanned: 0 });
        }
        ahead.search(&self.problems, &mut searches);
        searches
    }

    fn on_the_fly(&mut self, jobs: Vec<JobId>) {
        let mut queue = BinaryHeap::new();
        let mut without = Vec::new();
        for (rank, job) in jobs.into_iter().enumerate() {
            match self.next_window(job) {
                Some(found) => self.enqueue(&mut queue, rank, job, &found),
                None => without.push(job),
            }
        }
        while let Some(Reverse((start, rank, job))) = queue.pop() {
            if self.limit_reached(job) {
                self.not_examined(job);
                continue;
            }
            // Another job may have taken part of the window since it was found.
            match self.next_window(job) {
                Some(found) if found.window.start() == start => self.take(job, found),
                Some(found) => self.enqueue(&mut queue, rank, job, &found),
                None => without.push(job),
            }
        }
        for job in without {
            self.retire(job);
        }
    }

    fn enqueue(&mut self, queue: &mut ByStart, rank: usize, job: JobId, found: &Found) {
        self.jobs[job.index()].resume_from(&found.window, self.problems.of(job).config_of(job));
        queue.push(Reverse((found.window.start(), rank, job)));
    }

    /// The job's next window on what is left.
    fn next_window(&mut self, job: JobId) -> Option<Found> {
        self.jobs[job.index()].next_window(job, self.problems.of(job), &mut self.result.slots_scanned)
    }

    fn take(&mut self, job: JobId, found: Found) {
        let window = self.cut(job, found.window);
        self.jobs[job.index()].resume_from(&window, self.problems.of(job).config_of(job));
        self.jobs[job.index()].found += 1;
        if found.bound.is_some() {
            self.result.limits_hit.insert(LimitHit::Branches);
        }
        self.result.found.push(Alternative { job, window, bound: found.bound });
    }

    /// Takes a window of a job out of everything, and tells it in terms of nodes.
    fn cut(&mut self, job: JobId, window: Window) -> Window {
        let Some((shared, lanes @ [_, ..])) = &mut self.shared else {
            self.problems.of_mut(job).cut(&window);
            return window;
        };
        let told = lanes[self.problems.place_of(job)].told(&window);
        assert!(told.is_some(), "a window on lanes is one on their nodes");
        let told = told.unwrap_or(window);
        for (problem, lost) in self.problems.all.iter_mut().zip(shared.cut(&told, lanes)) {
            let parts = lost.into_iter().filter_map(|placement| Window::new(vec![placement]));
            parts.for_each(|part| problem.cut(&part));
        }
        told
    }

    fn limit_reached(&mut self, job: JobId) -> bool {
        let most = self.problems.of(job).config_of(job).limits.alternatives_per_job_max;
        let per_job = self.jobs[job.index()].found >= most;
        let in_all = self.result.found.len() >= self.problems.config.limits.alternatives_max as usize;
        if per_job {
            self.result.limits_hit.insert(LimitHit::AlternativesPerJob);
        }
        if in_all {
            self.result.limits_hit.insert(LimitHit::Alternatives);
        }
        per_job || in_all
    }

    /// A job finds no more; one that found nothing is noted, with the reasons as they are now.
    fn retire(&mut self, job: JobId) {
        let progress = &mut self.jobs[job.index()];
        progress.end();
        if progress.found > 0 {
            return;
        }
        let explanation = self.explanation(job);
        self.result.unscheduled.push(Unscheduled { job, explanation });
    }

    /// No job is lost: one that a limit ended before it found a window is accounted for.
    fn not_examined(&mut self, job: JobId) {
        if self.jobs[job.index()].found == 0 {
            self.result.unscheduled.push(Unscheduled { job, explanation: not_examined() });
        }
    }
}
