//! Workflows in a batch: how large a window they need, whether it holds them, and where their tasks go.

use super::explained::{Effort, explain_workflow};
use super::served::PlacedTasks;
use super::{BatchJob, BatchProblem};
use crate::refine::{
    Care, Refined, SizeOption, Sizing, SupportLimits, Unsold, best_size, refine_window, supporting_schedules,
};
use crate::search::{Alternatives, LimitHit, Mode, Unscheduled};
use std::collections::{BTreeMap, BTreeSet};
use walras_model::id::JobId;
use walras_model::request::{Batch, Request, Scope};
use walras_model::window::Window;
use walras_model::workflow::{Platform, Terms, Workflow};
use walras_model::{Explanation, Reason};

/// Of a workflow that is too large to be looked at closely, so many windows are: each is filled with all its tasks, while everybody waits.
const WINDOWS_PLAINLY: usize = 1;

impl BatchProblem<'_> {
    /// How closely a workflow is looked at, with its part of the work that all of them may take.
    pub(super) fn care(&self, workflow: &Workflow) -> Care {
        let workflows = self.jobs.iter().filter(|job| job.workflow.is_some()).count();
        let part = self.limits.workflow_units_max / u64::try_from(workflows).unwrap_or(u64::MAX).max(1);
        Care::within(workflow, self.offers, part)
    }

    /// Whether a job is a workflow that is too large to be looked at closely.
    pub(super) fn is_plain(&self, job: JobId) -> bool {
        let workflow = self.job(job.index()).workflow;
        workflow.is_some_and(|(workflow, _)| matches!(self.care(workflow), Care::Plainly { .. }))
    }
}

/// The batch, the request of each workflow as large as the best window for it; and the sizes that were looked at, by job.
pub(super) fn sized(problem: &BatchProblem<'_>, batch: Batch) -> (Batch, Vec<Vec<SizeOption>>) {
    let mut sizes = vec![Vec::new(); batch.requests().len()];
    if problem.jobs.iter().all(|job| job.workflow.is_none()) {
        return (batch, sizes);
    }
    let unsold = Unsold::new(problem.offers);
    let mut requests: Vec<Request> = batch.requests().to_vec();
    for (job, (request, options)) in requests.iter_mut().zip(&mut sizes).enumerate() {
        let Some((workflow, strategy)) = problem.job(job).workflow else { continue };
        workflow.ask_in(&mut request.scope);
        let care = problem.care(workflow);
        let Some(places) = unsold.places(request, most_of(workflow)) else { continue };
        let sizing = Sizing {
            bounded: (workflow, problem.job(job).nodes_max),
            offers: problem.offers,
            places: &places,
            network: problem.network,
            request,
            strategy,
            config: problem.search_of(job),
            care,
        };
        *options = sizing.options();
        // Without any that fits, the search sees the smallest; all of them say why there is no window.
        let shown = || options.iter().find(|option| option.among.is_some()).or(options.first());
        if let Some(best) = best_size(options, strategy).or_else(shown) {
            best.ask(request);
        }
    }
    (Batch::new(requests), sizes)
}

/// A workflow has no more than so many places on a node.
fn most_of(workflow: &Workflow) -> u32 {
    u32::try_from(workflow.width()).unwrap_or(u32::MAX)
}

/// So often workflows that were left without a window take another size.
const RESIZED_MAX: usize = 3;

/// A batch whose workflows have their size, with the windows that were found and hold them.
pub(super) struct Searched {
    pub(super) batch: Batch,
    /// By job: the sizes that were looked at.
    pub(super) sizes: Vec<Vec<SizeOption>>,
    pub(super) found: Alternatives,
}

/// Searches a batch. A workflow whose window others have taken, and that still has one of another size, takes that: then all are searched
/// again.
pub(super) fn searched(
    problem: &BatchProblem<'_>,
    batch: Batch,
    search: impl Fn(&Batch) -> Alternatives,
) -> Searched {
    let (mut batch, mut sizes) = sized(problem, batch);
    let mut resized = 0;
    loop {
        let mut found = search(&batch);
        let others = keep_fitting(problem, &batch, &sizes, &mut found);
        if others.is_empty() || resized == RESIZED_MAX {
            return Searched { batch, sizes, found };
        }
        resized += 1;
        let mut requests = batch.requests().to_vec();
        for OtherSize { job, best, options } in others {
            best.ask(&mut requests[job.index()]);
            sizes[job.index()] = options;
        }
        batch = Batch::new(requests);
    }
}

/// A size of window that there is for a workflow on what others have left of the one that it looked for.
pub(super) struct OtherSize {
    job: JobId,
    best: SizeOption,
    options: Vec<SizeOption>,
}

/// Leaves out the windows that do not hold their workflow. Workflows that are left without any are unscheduled, with
/// reasons over all sizes of window that they could take; those that could have one of another size are given back.
pub(super) fn keep_fitting(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    sizes: &[Vec<SizeOption>],
    found: &mut Alternatives,
) -> Vec<OtherSize> {
    if problem.jobs.iter().all(|job| job.workflow.is_none()) {
        return Vec::new();
    }
    let turns = Turns::new(problem, batch, found);
    let (mut kept, mut lost) = (BTreeSet::new(), BTreeSet::new());
    let mut counts: BTreeMap<JobId, usize> = BTreeMap::new();
    found.found.retain(|alternative| {
        let job = alternative.job;
        let count = counts.entry(job).or_default();
        *count += 1;
        if *count > WINDOWS_PLAINLY && problem.is_plain(job) {
            return false;
        }
        let holds = holds(problem, batch, job, &alternative.window);
        if holds { &mut kept } else { &mut lost }.insert(job);
        holds
    });
    let explanation = || Explanation { reasons: vec![Reason::TasksDoNotFit], ..Explanation::default() };
    let unscheduled = |job: &JobId| Unscheduled { job: *job, explanation: explanation() };
    found.unscheduled.extend(lost.difference(&kept).map(unscheduled));
    found.unscheduled.sort_by_key(|unscheduled| unscheduled.job);
    explain_over_sizes(problem, batch, sizes, &turns, found)
}

/// Gives every workflow without a window the reasons of all its sizes; gives back those that have one of another size.
fn explain_over_sizes(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    sizes: &[Vec<SizeOption>],
    turns: &Turns,
    found: &mut Alternatives,
) -> Vec<OtherSize> {
    let mut effort = Effort::default();
    let mut others_do = Vec::new();
    for Unscheduled { job, explanation } in &mut found.unscheduled {
        let BatchJob { workflow: Some((workflow, strategy)), nodes_max, .. } = problem.job(job.index())
        else {
            continue;
        };
        if explanation.reasons == [Reason::NotExamined] {
            continue;
        }
        if effort.is_spent(problem.search) || problem.is_plain(*job) {
            effort.cut_short = true;
            *explanation = Explanation { reasons: vec![Reason::NotExamined], ..Explanation::default() };
            continue;
        }
        let (unsold, others) = turns.seen_by(*job, problem);
        // Where another size would do as things are, what is said of the size that was looked for stays.
        let by_own = BatchProblem { search: problem.search_of(job.index()), ..*problem };
        if batch.request(*job).scope.nodes.is_some()
            && let Some(other) = other_size(&by_own, batch, *job, &unsold)
        {
            others_do.push(other);
            continue;
        }
        let Some(places) = unsold.places(batch.request(*job), most_of(workflow)) else { continue };
        let why = explain_workflow(
            &by_own,
            places.any(),
            batch.request(*job),
            ((workflow, nodes_max), strategy),
            &mut effort,
        );
        let Some(mut why) = why else {
            // How many nodes it takes is nobody's wish.
            explanation.smallest_change.tasks = None;
            others_do.extend(other_size(&by_own, batch, *job, &unsold));
            continue;
        };
        let fitted = sizes.get(job.index()).is_some_and(|sizes| sizes.iter().any(|size| size.fit.is_some()));
        if others && fitted {
            why.reasons.push(Reason::TakenByOthers);
        }
        *explanation = why;
    }
    if effort.cut_short {
        found.limits_hit.insert(LimitHit::Explanations);
    }
    others_do
}

/// The best size of which there is a window on what is free, where that is another than was looked for.
fn other_size(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    job: JobId,
    unsold: &Unsold<'_>,
) -> Option<OtherSize> {
    let BatchJob { workflow, nodes_max, .. } = problem.job(job.index());
    let (workflow, strategy) = workflow?;
    let known = batch.request(job);
    // Which nodes it was to be among says nothing of other sizes.
    let separate_nodes = problem.batch.request(job).scope.separate_nodes || workflow.widest() > 1;
    let scope = Scope { nodes: None, separate_nodes, ..known.scope.clone() };
    let request = Request { scope, ..known.clone() };
    let places = unsold.places(&request, most_of(workflow))?;
    let sizing = Sizing {
        bounded: (workflow, nodes_max),
        offers: problem.offers,
        places: &places,
        network: problem.network,
        request: &request,
        strategy,
        config: problem.search,
        care: problem.care(workflow),
    };
    let options = sizing.options();
    let best = best_size(&options, strategy)?.clone();
    let as_known =
        (best.size.nodes, best.size.work, &best.among) == (known.tasks, known.work, &known.scope.nodes);
    (!as_known).then_some(OtherSize { job, best, options })
}

/// What each job could still see when it looked for its first window.
struct Turns {
    /// For each window, by whom it was taken and when: its place in order of priority, or 0 where whoever could start first
    /// came first.
    taken: Vec<(usize, JobId, Window)>,
    rank: BTreeMap<JobId, usize>,
}

impl Turns {
    fn new(problem: &BatchProblem<'_>, batch: &Batch, found: &Alternatives) -> Turns {
        let rank: BTreeMap<JobId, usize> = batch.by_priority().into_iter().zip(0..).collect();
        let in_rounds = problem.search.mode == Mode::AllAlternatives;
        let mut first = BTreeSet::new();
        // In the first round, whoever ranks higher has one window each.
        let taken = found.found.iter().filter(|it| !in_rounds || first.insert(it.job)).map(|it| {
            let rank = if in_rounds { rank.get(&it.job).copied().unwrap_or(0) } else { 0 };
            (rank, it.job, it.window.clone())
        });
        Turns { taken: taken.collect(), rank }
    }

    /// What was free as this job saw it, and whether others had taken anything of it.
    fn seen_by<'a>(&self, job: JobId, problem: &BatchProblem<'a>) -> (Unsold<'a>, bool) {
        let mut unsold = Unsold::new(problem.offers);
        let own = self.rank.get(&job).copied().unwrap_or(0);
        let mut others = false;
        for (rank, owner, window) in &self.taken {
            let before = *owner != job && (*rank < own || problem.search.mode == Mode::FirstOnTheFly);
            others |= before && unsold.take(window);
        }
        (unsold, others)
    }
}

/// Whether a window holds the job's workflow, where it is one.
pub(super) fn holds(problem: &BatchProblem<'_>, batch: &Batch, job: JobId, window: &Window) -> bool {
    let workflow = problem.job(job.index()).workflow;
    workflow.is_none() || fill(problem, batch, job, window, 0).is_some()
}

/// The tasks of a workflow in a window, so that it keeps the deadline.
fn fill(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    job: JobId,
    window: &Window,
    units_max: u64,
) -> Option<Refined> {
    let (workflow, strategy) = problem.job(job.index()).workflow?;
    let effort = problem.care(workflow).effort(units_max);
    let refined =
        refine_window(workflow, problem.offers, problem.network, window, strategy, &effort).found()?;
    let deadline = batch.request(job).deadline;
    deadline.is_none_or(|deadline| refined.schedule.finish() <= deadline).then_some(refined)
}

/// Where the tasks of a workflow go in a window, and where they would go without one of its nodes.
pub(super) fn place(
    problem: &BatchProblem<'_>,
    batch: &Batch,
    job: JobId,
    window: &Window,
    units_max: u64,
) -> Option<PlacedTasks> {
    let BatchJob { workflow, .. } = problem.job(job.index());
    let (workflow, strategy) = workflow?;
    // The window was kept because it holds the tasks without improvement.
    let refined =
        fill(problem, batch, job, window, units_max).or_else(|| fill(problem, batch, job, window, 0))?;
    let mut supports = Vec::new();
    if problem.limits.supports && !problem.is_plain(job) {
        let platform = Platform::of_window(problem.offers, window, problem.network);
        let terms = Terms { earliest: Some(window.start()), deadline: Some(window.end()), budget: None };
        let limits = SupportLimits { tasks_max: problem.limits.late_tasks_max, ..SupportLimits::default() };
        supports = supporting_schedules(workflow, &platform, &terms, strategy, &refined.schedule, &limits);
    }
    Some(PlacedTasks { refined, supports })
}
