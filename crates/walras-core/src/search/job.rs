//! The search of one job of a batch, on the problem that all share.

use super::again::{BestSearch, SearchInput};
use super::config::{Algorithm, SearchConfig};
use super::criterion::{sums, weights};
use super::first::{FirstSearch, first_window_since};
use super::lanes::Lanes;
use super::ranking::ranking;
use super::steps::Steps;
use super::view::{KeptView, View};
use super::{Found, search};
use crate::slots::{Segments, SlotList};
use walras_model::id::JobId;
use walras_model::offer::{Offers, SlotKey};
use walras_model::quantity::Time;
use walras_model::request::Batch;
use walras_model::window::Window;

/// Views of more requests × nodes than this are packed between searches.
const KEPT_RUNTIMES_MAX: usize = if cfg!(test) { 16 } else { 16 << 20 };
/// Views of more requests × nodes than this are made anew for each search rather than kept.
const PACKED_RUNTIMES_MAX: usize = if cfg!(test) { 40 } else { 64 << 20 };
/// More gathered candidates than this, over all requests, are gathered anew rather than kept.
const KEPT_CANDIDATES_MAX: usize = if cfg!(test) { 100 } else { 8 << 20 };
/// Over all requests, so much is kept of stretches of time.
const KEPT_STRETCHES_MAX: usize = 2 << 20;
/// ALP and AMP of more jobs gather anew for each window: to look through what the others cut meanwhile would take longer.
const RESUMED_JOBS_MAX: usize = if cfg!(test) { 2 } else { 256 };

/// What all jobs search on: the list, which only loses time.
pub(super) struct SearchProblem<'a> {
    pub(super) offers: &'a Offers,
    pub(super) batch: &'a Batch,
    /// How jobs are searched that do not ask for a search of their own, and how all are served.
    pub(super) config: &'a SearchConfig,
    /// By job: its own search; jobs beyond its end have none.
    own: &'a [Option<&'a SearchConfig>],
    pub(super) list: SlotList,
    /// The same by stretches of time, unless ALP and AMP go on with what they have gathered.
    segments: Option<Segments>,
    /// What each node adds to a sum, by id.
    weights: Vec<i64>,
    /// Slots that came into being behind cuts, in order.
    born: Vec<SlotKey>,
    /// What is free of nodes that are sold in units, where it is searched as it is; then the list is empty.
    pub(super) steps: Option<Steps<'a>>,
}

impl<'a> SearchProblem<'a> {
    pub(super) fn new(
        offers: &'a Offers,
        batch: &'a Batch,
        config: &'a SearchConfig,
        own: &'a [Option<&'a SearchConfig>],
        lanes: bool,
    ) -> SearchProblem<'a> {
        let jobs = batch.requests().len();
        let (resumed, weights) = match &config.algorithm {
            // Of lanes, others are cut than those that were found: the highest.
            Algorithm::Alp | Algorithm::Amp => (jobs <= RESUMED_JOBS_MAX && !lanes, Vec::new()),
            Algorithm::Criterion(criterion) => (false, weights(offers, criterion)),
        };
        let mut segments = (!resumed).then(|| {
            let whole = offers.whole();
            Segments::new(whole.slots(), KEPT_STRETCHES_MAX / jobs.max(1), runtime_min(offers, batch))
        });
        if let Algorithm::Criterion(criterion) = &config.algorithm
            && let Some(ranking) = ranking(offers, criterion, &weights)
        {
            segments = segments.map(|segments| segments.ranked(ranking));
        }
        let list = SlotList::from_offers(offers);
        SearchProblem { offers, batch, config, own, list, segments, weights, born: Vec::new(), steps: None }
    }

    /// The same on nodes that are sold in units as they are.
    fn on_steps(
        offers: &'a Offers,
        steps: Steps<'a>,
        (batch, config, own): (&'a Batch, &'a SearchConfig, &'a [Option<&'a SearchConfig>]),
    ) -> SearchProblem<'a> {
        SearchProblem {
            offers,
            batch,
            config,
            own,
            list: SlotList::new(Vec::new(), &[]),
            segments: None,
            weights: Vec::new(),
            born: Vec::new(),
            steps: Some(steps),
        }
    }

    /// The search that a job asks for itself.
    fn own_of(&self, job: JobId) -> Option<&'a SearchConfig> {
        self.own.get(job.index()).copied().flatten()
    }

    /// How a job is searched.
    pub(super) fn config_of(&self, job: JobId) -> &'a SearchConfig {
        self.own_of(job).unwrap_or(self.config)
    }

    /// Whether a window that was found may be searched again when others have taken part of it.
    pub(super) fn searches_anew(&self) -> bool {
        self.segments.is_some() || self.steps.is_some()
    }

    /// Whether it is known that a search would find this window now too: all its slots are still there and long enough, and
    /// all others have only lost time. It is not known of sums, which may not have been searched to the end (the search itself
    /// knows, and is quick where they were), nor of equal windows on several sites.
    pub(super) fn holds(&self, job: JobId, window: &Window) -> bool {
        if let Some(steps) = &self.steps {
            return steps.shared.holds(window);
        }
        let decided_by_rank = match &self.config_of(job).algorithm {
            Algorithm::Alp | Algorithm::Amp => true,
            Algorithm::Criterion(criterion) => !sums(criterion) && !self.batch.request(job).scope.same_site,
        };
        decided_by_rank
            && window.placements().iter().all(|placement| {
                let (start, end) = (placement.interval.start(), placement.interval.end());
                self.list.get(placement.source).is_some_and(|slot| slot.part(start, end).is_some())
            })
    }

    /// Takes a window's time out.
    pub(super) fn cut(&mut self, window: &Window) {
        if let Some(steps) = &mut self.steps {
            return steps.shared.take(window);
        }
        if let Some(segments) = &mut self.segments {
            for placement in window.placements() {
                if let Some(slot) = self.list.get(placement.source) {
                    segments.cut(*slot, placement);
                }
            }
        }
        let cut = self.list.subtract_noting(window, &mut self.born);
        assert!(cut.is_ok(), "a window found on the list can be cut from it");
    }
}

/// What the jobs of a batch search on: one list for all, or where nodes are sold in units what is free step by step, or one list for each kind of lanes.
pub(super) struct Problems<'a> {
    pub(super) config: &'a SearchConfig,
    /// Never none.
    pub(super) all: Vec<SearchProblem<'a>>,
    /// By job: which, where there is one.
    of_job: Vec<Option<usize>>,
}

impl<'a> Problems<'a> {
    /// On nodes that are sold in units as they are.
    pub(super) fn on_steps(
        offers: &'a Offers,
        steps: Steps<'a>,
        (batch, config, own): (&'a Batch, &'a SearchConfig, &'a [Option<&'a SearchConfig>]),
    ) -> Problems<'a> {
        let of_job = vec![Some(0); batch.requests().len()];
        Problems { config, all: vec![SearchProblem::on_steps(offers, steps, (batch, config, own))], of_job }
    }

    pub(super) fn new(
        offers: &'a Offers,
        lanes: &'a [Lanes],
        of_job: Vec<Option<usize>>,
        (batch, config, own): (&'a Batch, &'a SearchConfig, &'a [Option<&'a SearchConfig>]),
    ) -> Problems<'a> {
        let on = |offers| SearchProblem::new(offers, batch, config, own, !lanes.is_empty());
        let all = match lanes {
            [] => vec![on(offers)],
            lanes => lanes.iter().map(|lanes| on(&lanes.offers)).collect(),
        };
        Problems { config, all, of_job }
    }

    /// Which of all a job searches on.
    pub(super) fn place_of(&self, job: JobId) -> usize {
        self.of_job.get(job.index()).copied().flatten().unwrap_or(0)
    }

    /// Whether there is anything that a job can search on.
    pub(super) fn has_place_for(&self, job: JobId) -> bool {
        self.of_job.get(job.index()).is_some_and(Option::is_some)
    }

    /// What a job searches on.
    pub(super) fn of(&self, job: JobId) -> &SearchProblem<'a> {
        &self.all[self.place_of(job)]
    }

    /// The same, to be cut.
    pub(super) fn of_mut(&mut self, job: JobId) -> &mut SearchProblem<'a> {
        let place = self.place_of(job);
        &mut self.all[place]
    }

    /// Whether windows that were found may be searched again when others have taken part of them.
    pub(super) fn search_anew(&self) -> bool {
        self.all.iter().all(SearchProblem::searches_anew)
    }
}

/// No task of the batch takes less, in milliseconds.
fn runtime_min(offers: &Offers, batch: &Batch) -> i64 {
    let fastest = offers.nodes().iter().map(|node| node.performance).max();
    let least = batch.requests().iter().map(|request| request.work).min();
    let runtime = least.zip(fastest).and_then(|(work, performance)| work.runtime_on(performance));
    // Where there is none, no slot is long enough for anybody; all are kept.
    runtime.map_or(0, |runtime| runtime.as_millis())
}

/// How far one job has come.
#[derive(Clone, Default)]
pub(super) struct JobSearch {
    /// By ALP and AMP, its next window does not start before.
    pub(super) resume: Option<Time>,
    pub(super) found: u32,
    view: Option<KeptView>,
    /// What ALP or AMP have gathered, and how many of the slots born they have seen.
    gathered: Option<(FirstSearch, usize)>,
    /// What the search by a criterion knows of every stretch of time.
    best: BestSearch,
}

impl JobSearch {
    /// The job's next window after the one that it took last.
    pub(super) fn next_in_rounds(
        &mut self,
        job: JobId,
        problem: &SearchProblem<'_>,
        slots_scanned: &mut u64,
    ) -> Option<Found> {
        if problem.searches_anew() || problem.own_of(job).is_some() {
            return self.next_window(job, problem, slots_scanned);
        }
        let view = self.view(job, problem);
        if view.tasks == 0 || view.nodes_fitting < view.tasks {
            return None;
        }
        let (mut first, seen) = match self.gathered.take() {
            Some(gathered) => gathered,
            None => (FirstSearch::new(&problem.list, &view), problem.born.len()),
        };
        let window = first.next(&problem.list, &view, &problem.born[seen..], slots_scanned);
        if first.len() <= KEPT_CANDIDATES_MAX / problem.batch.requests().len().max(1) {
            self.gathered = Some((first, problem.born.len()));
        }
        self.keep_view(view, problem);
        window.map(|window| Found { window, bound: None })
    }

    /// The job's next window on what is left; by ALP and AMP, searched afresh from where the last one started.
    pub(super) fn next_window(
        &mut self,
        job: JobId,
        problem: &SearchProblem<'_>,
        slots_scanned: &mut u64,
    ) -> Option<Found> {
        let view = self.view(job, problem);
        if let Some(steps) = &problem.steps {
            let window = steps.earliest(job, &view, slots_scanned);
            self.keep_view(view, problem);
            return window.map(|window| Found { window, bound: None });
        }
        let possible = view.tasks > 0 && view.nodes_fitting >= view.tasks;
        let found = match (&problem.segments, &problem.config.algorithm) {
            _ if !possible => None,
            // What is kept between searches is made for the search of all: who has another one begins anew.
            _ if problem.own_of(job).is_some() => {
                search(&problem.list, problem.offers, &view, problem.config_of(job), slots_scanned)
            }
            // Between equal windows on several sites it counts which was joined first, by whatever slot.
            (Some(_), Algorithm::Criterion(_)) if view.pool_count > 1 => {
                search(&problem.list, problem.offers, &view, problem.config, slots_scanned)
            }
            (Some(segments), Algorithm::Criterion(criterion)) => {
                let branches_max = problem.config.limits.branches_max;
                let (list, weights) = (&problem.list, &problem.weights[..]);
                let input = SearchInput { list, segments, criterion, weights, branches_max };
                self.best.next(&input, &view, slots_scanned)
            }
            (Some(segments), Algorithm::Alp | Algorithm::Amp) => {
                first_window_since(&problem.list, segments, &view, slots_scanned)
                    .map(|window| Found { window, bound: None })
            }
            (None, _) => search(&problem.list, problem.offers, &view, problem.config, slots_scanned),
        };
        self.keep_view(view, problem);
        found
    }

    /// Notes where the next search begins.
    pub(super) fn resume_from(&mut self, window: &Window, config: &SearchConfig) {
        if matches!(config.algorithm, Algorithm::Alp | Algorithm::Amp) {
            self.resume = Some(window.start());
        }
    }

    /// How the search sees the job; without gathered candidates it starts where the last window did.
    fn view(&mut self, job: JobId, problem: &SearchProblem<'_>) -> View {
        let mut view = self.view.take().map(KeptView::into_view).unwrap_or_else(|| {
            let (request, config) = (problem.batch.request(job), problem.config_of(job));
            View::new(problem.offers, request, &config.algorithm, config.budget_factor)
        });
        if let (None, Some(resume)) = (&self.gathered, self.resume) {
            view.earliest = view.earliest.max(resume.as_millis());
        }
        view
    }

    fn keep_view(&mut self, view: View, problem: &SearchProblem<'_>) {
        let runtimes = problem.offers.nodes().len().saturating_mul(problem.batch.requests().len());
        self.view = if runtimes <= KEPT_RUNTIMES_MAX {
            Some(KeptView::Plain(view))
        } else {
            Some(view).filter(|_| runtimes <= PACKED_RUNTIMES_MAX).and_then(KeptView::packed)
        };
    }

    /// Forgets all but how many windows were found.
    pub(super) fn end(&mut self) {
        *self = JobSearch { found: self.found, ..JobSearch::default() };
    }
}
