//! Every way to run every job of a batch.
//!
//! **Problem.** For each job as many windows as there are, none overlapping another.
//!
//! **Method.** Round after round through the batch in priority order: each job searches one more window on
//! what is left, which is then cut out. A job that fails once never succeeds again, since the list only loses
//! time, and leaves the rounds. For the same reason the next earliest window of a request never starts before
//! its last one: ALP and AMP go on from there with the candidates they have gathered (see [`super::first`]), so
//! that all alternatives of a request cost about one scan. The best by a criterion may lie anywhere and is
//! searched from the head, except by start.
//!
//! The other mode serves each job once, *on the fly*: in one sweep over time, whoever can start first takes
//! its window. It is computed lazily: every job's first window is kept in a queue by start; when a job's turn
//! comes and its window has lost a slot to another, it searches again from that start. Jobs that get nothing are
//! explained on what is left in the end.
//!
//! **Complexity.** About one scan per request and round of the list's part that the request has not passed.
//!
//! Source: the scheduling scheme of Toporkov et al.

use super::config::{Algorithm, Criterion, Mode, SearchConfig};
use super::first::FirstSearch;
use super::view::View;
use super::{Found, search};
use crate::explain::explain_counting;
use crate::slots::SlotList;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use walras_model::id::JobId;
use walras_model::offer::{Offers, SlotKey};
use walras_model::quantity::Time;
use walras_model::request::Batch;
use walras_model::window::{Alternative, Window};
use walras_model::{Explanation, Reason};

/// Views of more requests × nodes than this are made anew for each search rather than kept.
const KEPT_RUNTIMES_MAX: usize = 16 << 20;
/// More gathered candidates than this, over all requests, are gathered anew rather than kept.
const KEPT_CANDIDATES_MAX: usize = if cfg!(test) { 100 } else { 8 << 20 };

/// A job for which no window was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unscheduled {
    /// Which job.
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
    let mut run = Run {
        offers,
        batch,
        config,
        list: SlotList::from_offers(offers),
        untouched: None,
        jobs: vec![Progress::default(); batch.requests().len()],
        born: Vec::new(),
        explanation_slots: 0,
        result: Alternatives::default(),
    };
    match config.mode {
        Mode::AllAlternatives => run.rounds(),
        Mode::FirstOnTheFly => run.on_the_fly(),
    }
    run.result.unscheduled.sort_by_key(|unscheduled| unscheduled.job);
    run.result
}

/// Jobs by the start of their first window, then by rank.
type ByStart = BinaryHeap<Reverse<(Time, usize, JobId)>>;

/// How far one job has come.
#[derive(Clone, Default)]
struct Progress {
    /// Its next window does not start before.
    resume: Option<Time>,
    found: u32,
    view: Option<View>,
    /// What ALP or AMP have gathered, and how many of the slots born they have seen.
    gathered: Option<(FirstSearch, usize)>,
}

struct Run<'a> {
    offers: &'a Offers,
    batch: &'a Batch,
    config: &'a SearchConfig,
    list: SlotList,
    /// The list as it was before any cut, once somebody asked.
    untouched: Option<SlotList>,
    jobs: Vec<Progress>,
    /// Slots that came into being behind cuts, in order.
    born: Vec<SlotKey>,
    /// Slots read to explain jobs without a window.
    explanation_slots: u64,
    result: Alternatives,
}

impl Run<'_> {
    fn rounds(&mut self) {
        let mut active = self.batch.by_priority();
        while !active.is_empty() {
            let mut still_active = Vec::with_capacity(active.len());
            for job in active {
                if self.limit_reached(job) {
                    self.not_examined(job);
                    continue;
                }
                match self.next_in_rounds(job) {
                    Some(found) => {
                        self.take(job, found);
                        still_active.push(job);
                    }
                    None => self.retire(job),
                }
            }
            active = still_active;
        }
    }

    fn on_the_fly(&mut self) {
        let mut queue = BinaryHeap::new();
        let mut without = Vec::new();
        for (rank, job) in self.batch.by_priority().into_iter().enumerate() {
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
        self.resume_from(job, &found.window);
        queue.push(Reverse((found.window.start(), rank, job)));
    }

    /// The job's next window after the one that it took last.
    fn next_in_rounds(&mut self, job: JobId) -> Option<Found> {
        if !matches!(self.config.algorithm, Algorithm::Alp | Algorithm::Amp) {
            return self.next_window(job);
        }
        let view = self.view(job);
        if view.tasks == 0 || view.nodes_fitting < view.tasks {
            return None;
        }
        let progress = &mut self.jobs[job.index()];
        let (mut first, seen) = match progress.gathered.take() {
            Some(gathered) => gathered,
            None => (FirstSearch::new(&self.list, &view), self.born.len()),
        };
        let window = first.next(&self.list, &view, &self.born[seen..], &mut self.result.slots_scanned);
        let kept_max = KEPT_CANDIDATES_MAX / self.jobs.len().max(1);
        let progress = &mut self.jobs[job.index()];
        if first.len() <= kept_max {
            progress.gathered = Some((first, self.born.len()));
        }
        self.keep_view(job, view);
        window.map(|window| Found { window, bound: None })
    }

    /// The job's next window on what is left, searched afresh from where the last one started.
    fn next_window(&mut self, job: JobId) -> Option<Found> {
        let view = self.view(job);
        let found = search(&self.list, self.offers, &view, self.config, &mut self.result.slots_scanned);
        self.keep_view(job, view);
        found
    }

    /// How the search sees the job; without gathered candidates it starts where the last window did.
    fn view(&mut self, job: JobId) -> View {
        let progress = &mut self.jobs[job.index()];
        let mut view = progress.view.take().unwrap_or_else(|| {
            let request = self.batch.request(job);
            View::new(self.offers, request, &self.config.algorithm, self.config.budget_factor)
        });
        if let (None, Some(resume)) = (&progress.gathered, progress.resume) {
            view.earliest = view.earliest.max(resume.as_millis());
        }
        view
    }

    fn keep_view(&mut self, job: JobId, view: View) {
        if self.offers.nodes().len() * self.batch.requests().len() <= KEPT_RUNTIMES_MAX {
            self.jobs[job.index()].view = Some(view);
        }
    }

    fn take(&mut self, job: JobId, found: Found) {
        let cut = self.list.subtract_noting(&found.window, &mut self.born);
        assert!(cut.is_ok(), "a window found on the list can be cut from it");
        self.resume_from(job, &found.window);
        self.jobs[job.index()].found += 1;
        if found.bound.is_some() {
            self.result.limits_hit.insert(LimitHit::Branches);
        }
        self.result.found.push(Alternative { job, window: found.window, bound: found.bound });
    }

    fn resume_from(&mut self, job: JobId, window: &Window) {
        let monotone = match &self.config.algorithm {
            Algorithm::Alp | Algorithm::Amp => true,
            Algorithm::Criterion(criterion) => *criterion == Criterion::Start,
        };
        if monotone {
            self.jobs[job.index()].resume = Some(window.start());
        }
    }

    fn limit_reached(&mut self, job: JobId) -> bool {
        let limits = &self.config.limits;
        let per_job = self.jobs[job.index()].found >= limits.alternatives_per_job_max;
        let in_all = self.result.found.len() >= limits.alternatives_max as usize;
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
        (progress.view, progress.gathered) = (None, None);
        if progress.found > 0 {
            return;
        }
        let explanation = self.explanation(job);
        self.result.unscheduled.push(Unscheduled { job, explanation });
    }

    /// No job is lost: one that a limit ended before it found a window is accounted for.
    fn not_examined(&mut self, job: JobId) {
        if self.jobs[job.index()].found == 0 {
            let explanation = Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() };
            self.result.unscheduled.push(Unscheduled { job, explanation });
        }
    }

    fn explanation(&mut self, job: JobId) -> Explanation {
        if self.explanation_slots > self.config.limits.explanation_slots_max {
            self.result.limits_hit.insert(LimitHit::Explanations);
            return Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() };
        }
        let request = self.batch.request(job);
        let mut explanation =
            explain_counting(&self.list, self.offers, request, self.config, &mut self.explanation_slots);
        if !self.result.found.is_empty() {
            let untouched = self.untouched.get_or_insert_with(|| SlotList::from_offers(self.offers));
            let view = View::new(self.offers, request, &self.config.algorithm, self.config.budget_factor);
            if super::has_window(untouched, &view, &mut self.explanation_slots) {
                explanation.reasons.push(Reason::TakenByOthers);
            }
        }
        explanation
    }
}
