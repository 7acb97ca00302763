//! Satisfaction: windows are gathered by many plans, and everybody agrees on some of them once more.
//!
//! **Problem.** How content everybody is with a plan is no sum over windows, so that no search for one job can aim at it. Two phases
//! still lose here what they lose elsewhere: the windows listed for one job stand in the way of another's.
//!
//! **Method.** Proposals come from aims that are sums, the judgement from the stakeholders.
//!
//! 1. Plans are made by cost, by end and by weights between them, each by large-neighbourhood search from the compromise that
//!    two phases found. Their windows are added to the listed ones.
//! 2. A compromise is sought among all of them, from the one there is, where windows that overlap exclude each other: for every
//!    time at which windows of several jobs want a node, at most one of them is had.
//! 3. Rounds go on from it: a few related jobs out, back in another order, each by another aim; what comes out is added, and
//!    everybody agrees again. They end when nobody gains.
//!
//! What a window is worth to a stakeholder depends on what else there is, so the old plan and the new are held against each other on one
//! scale, that of all windows gathered; the new one is taken where it serves more, or as many and its aggregate is less.
//!
//! **Complexity.** The searches are those of [`ImproveLimits`], shared out between the plans and the rounds; at most
//! [`GATHERED_MAX`] windows are added for a job, and what excludes each other is bounded by [`EXCLUSIONS_MAX`].

use super::adopt::{Given, Improved, adopted, positions};
use super::aim::{Aim, Form};
use super::basis::Basis;
use super::best::Best;
use super::exclusion::exclusions;
use super::limits::{ImproveLimits, Improvement, Standing};
use super::list;
use super::neighbours::{self, draw_noise, related};
use super::sold::Sold;
use super::state::{Effort, Look, Place, State};
use crate::plan::{BatchProblem, MadeChoice, Proven, negotiation};
use crate::prefer::{
    Compromise, CompromiseProblem, Negotiation, PreferLimits, Source, compromise_from, valued,
};
use crate::search::Alternatives;
use walras_model::id::JobId;
use walras_model::request::Batch;
use walras_model::window::{Alternative, Window};
use walras_random::Draws;

/// At most so many windows are added for a job.
const GATHERED_MAX: usize = 48;
/// At most so many windows in all are held against those that they exclude.
const EXCLUSIONS_MAX: usize = 1 << 20;
/// The shares of cost and end by which plans are made.
const SHARES: [(i128, i128); 5] = [(1, 0), (3, 1), (1, 1), (1, 3), (0, 1)];
/// So many times is agreed anew, at most.
const ROUNDS_MAX: usize = 12;
/// So many times in a row may nobody gain by it.
const STALE_MAX: usize = 3;
/// One of so many jobs is put back at a later start than it could have, so that others find room before it.
const WAITS_EVERY: usize = 8;
/// A round takes jobs out so many times for each of them, and so many times in all at least.
const STEPS: usize = 4;
const STEPS_LEAST: usize = 60;
/// At most so many go out with the first.
const OTHERS_MAX: usize = 4;
/// Work of each agreement.
const AGREEING: PreferLimits =
    PreferLimits { branches_max: 2_000, steps_max: 300_000, restarts_max: 40, seed: 1 };

/// Improves a compromise. What became of it is noted in the choice; where it is better, all that follows from that is given.
pub(super) fn improve(
    (problem, sold): (&BatchProblem<'_>, &Sold<'_>),
    batch: &Batch,
    found: &Alternatives,
    negotiation: &Negotiation,
    made: &mut MadeChoice,
) -> Option<Improved> {
    let mut basis =
        Basis::new((problem, sold), batch, &negotiation.sources, Some(negotiation), made.limits, Aim::COST);
    // Half of what other objectives take, for agreeing takes as long as searching.
    let limits = share_of(&problem.limits.improve, 2 * (SHARES.len() + 1));
    let aims = aims(found, basis.jobs());
    let mut gathered = Gathered::new(found, basis.jobs());
    let mut work = Work::default();
    for aim in aims {
        basis.aim = aim;
        let mut state = State::new(&basis, Effort::new(&limits, basis.jobs()));
        state.take_over(&gathered.all, &made.picks)?;
        let places = by_sum(&mut state, limits.seed);
        work.add(&state);
        gathered.add_places(&places);
    }
    let mut agreement = gathered.agree((problem, sold), batch, &made.picks)?;
    let mut draws = Draws::new(limits.seed);
    let mut effort = Effort::new(&limits, basis.jobs());
    let mut stale = 0;
    for _ in 0..ROUNDS_MAX {
        let mut state = State::new(&basis, effort);
        state.take_over(&gathered.all, &agreement.picks)?;
        let more = propose(&mut state, &mut gathered, &aims, &mut draws);
        effort = state.effort;
        let next = if more { gathered.agree((problem, sold), batch, &agreement.picks) } else { None };
        let changed = next.as_ref().is_some_and(|next| next.picks != agreement.picks);
        agreement = next.unwrap_or(agreement);
        stale = if changed { 0 } else { stale + 1 };
        if stale == STALE_MAX || effort.spent() {
            break;
        }
    }
    work.searches += effort.searches;
    work.limit_hit |= effort.spent();
    concluded(&basis, found, &gathered, &agreement, work, made)
}

/// What the agreement is worth beside what was chosen before, and the plan that it makes where it is better.
fn concluded(
    basis: &Basis<'_>,
    found: &Alternatives,
    gathered: &Gathered,
    agreement: &Agreement,
    work: Work,
    made: &mut MadeChoice,
) -> Option<Improved> {
    let before = valued(&agreement.problem, &positions(&agreement.sources, &made.picks)?)?;
    let improvement = Improvement {
        before: standing(&before),
        after: standing(&agreement.compromise),
        searches: work.searches,
        limit_hit: work.limit_hit,
        bound: None,
    };
    let given = |pick: &Option<Source>| match pick {
        None => Given::Nothing,
        Some(Source::Window(at)) => Given::Window(gathered.all[*at].window.clone()),
        Some(Source::Queue(queue)) => Given::Queue(*queue),
    };
    // Everybody counts alike in an agreement; nobody of higher priority is left out for its sake.
    let left_out = |picks: &[Option<Source>]| -> u128 {
        let all = picks.iter().zip(&basis.weights).filter(|(pick, _)| pick.is_none());
        all.map(|(_, weight)| u128::from(*weight)).sum()
    };
    let is_better =
        agreement.compromise.value < before.value && left_out(&agreement.picks) <= left_out(&made.picks);
    let adopted = is_better.then(|| {
        let given: Vec<Given> = agreement.picks.iter().map(given).collect();
        adopted(basis, found, made, &given, (improvement, Proven::Nothing))
    });
    let mut adopted = adopted.flatten();
    // What everybody makes of it is said on the scale on which it was agreed: that of the windows that are left is another.
    if let Some(compromise) = adopted.as_mut().and_then(|it| it.made.compromise.as_mut()) {
        compromise.losses.clone_from(&agreement.compromise.losses);
        compromise.value = agreement.compromise.value;
    }
    let noted = if adopted.is_some() { improvement.after } else { improvement.before };
    made.improvement = Some(Improvement { after: noted, ..improvement });
    adopted
}

fn standing(compromise: &Compromise) -> Standing {
    let served = compromise.picks.iter().flatten().count();
    Standing { left_out: compromise.unserved.into(), value: [compromise.value, 0, 0], served }
}

fn share_of(limits: &ImproveLimits, parts: usize) -> ImproveLimits {
    let part = |whole: u64| whole.div_ceil(parts as u64);
    ImproveLimits {
        searches_per_job_max: part(limits.searches_per_job_max),
        searches_max: part(limits.searches_max),
        slots_per_job_max: part(limits.slots_per_job_max),
        slots_max: part(limits.slots_max),
        seed: limits.seed,
    }
}

/// Cost and end in these shares, each counted in what it differs by among a job's alternatives.
fn aims(found: &Alternatives, jobs: usize) -> [Aim; SHARES.len()] {
    let mut ranges: Vec<Option<[(i128, i128); 2]>> = vec![None; jobs];
    for it in &found.found {
        let measure = super::basis::measure(&it.window);
        let (cost, finish) = (measure.cost, measure.finish);
        let range = &mut ranges[it.job.index()];
        let [costs, ends] = range.unwrap_or([(cost, cost), (finish, finish)]);
        *range = Some([(costs.0.min(cost), costs.1.max(cost)), (ends.0.min(finish), ends.1.max(finish))]);
    }
    let sum = |which: usize| -> i128 { ranges.iter().flatten().map(|it| it[which].1 - it[which].0).sum() };
    let (mut costs, mut ends) = (sum(0).max(1), sum(1).max(1));
    while costs.max(ends) > 1 << 30 {
        (costs, ends) = ((costs >> 1).max(1), (ends >> 1).max(1));
    }
    SHARES.map(|(of_cost, of_end)| {
        let first = Form { cost: of_cost * ends, time: 0, finish: of_end * costs };
        Aim { forms: [first, Form::default(), Form::default()] }
    })
}

/// The best plan by the sum that the basis aims at.
fn by_sum(state: &mut State<'_>, seed: u64) -> Vec<Place> {
    let mut best = Best { standing: state.standing(), places: state.places.clone(), floor: None };
    list::starts(state, &mut best);
    let most = state.effort.searches_max;
    neighbours::search(state, &mut best, &mut Draws::new(seed), i64::MAX, most);
    best.places
}

/// Takes a few jobs out and puts them back by other aims, over and over; whether any window came of it that was not known.
fn propose(state: &mut State<'_>, gathered: &mut Gathered, aims: &[Aim], draws: &mut Draws) -> bool {
    let views = &state.basis.views;
    let could = |job: &usize| !state.is_out(*job) || views[*job].nodes_fitting >= views[*job].tasks;
    let jobs: Vec<usize> = (0..state.basis.jobs()).filter(could).collect();
    let (mut new, mut noise) = (false, Vec::new());
    let steps = (STEPS * jobs.len()).max(STEPS_LEAST);
    for first in jobs.iter().cycle().copied().take(steps) {
        if state.effort.spent() {
            break;
        }
        let mut taken = related(state, &jobs, first, draws.below(OTHERS_MAX + 1), draws);
        taken.push(first);
        taken.reverse();
        for job in &taken {
            state.remove(*job);
        }
        draw_noise(&mut noise, state, draws);
        for job in &taken {
            let aim = &aims[draws.below(aims.len())];
            let finish_max = gathered.end_to_beat(*job, draws);
            let waits = draws.below(WAITS_EVERY) == 0;
            let start = if waits { state.free.any_start(*job, draws) } else { None };
            let earliest = start.unwrap_or(i64::MIN);
            let look = Look { aim, finish_max, earliest, noise: &noise };
            if !state.insert(*job, look) {
                state.insert(*job, Look { finish_max: i64::MAX, earliest: i64::MIN, ..look });
            }
            if let Some(window) = state.window(*job) {
                new |= gathered.add(*job, window);
            }
        }
        state.undo();
    }
    new
}

#[derive(Clone, Copy, Default)]
struct Work {
    searches: u64,
    limit_hit: bool,
}

impl Work {
    fn add(&mut self, state: &State<'_>) {
        self.searches += state.effort.searches;
        self.limit_hit |= state.effort.spent();
    }
}

/// All windows that were found, those that were listed first.
struct Gathered {
    listed: Alternatives,
    all: Vec<Alternative>,
    by_job: Vec<Vec<usize>>,
    added: Vec<usize>,
}

/// What everybody agreed on, on the scale of what there was.
struct Agreement {
    problem: CompromiseProblem,
    sources: Vec<Vec<Source>>,
    compromise: Compromise,
    picks: Vec<Option<Source>>,
}

impl Gathered {
    fn new(listed: &Alternatives, jobs: usize) -> Gathered {
        let mut by_job = vec![Vec::new(); jobs];
        for (place, it) in listed.found.iter().enumerate() {
            by_job[it.job.index()].push(place);
        }
        let all = listed.found.clone();
        let listed = Alternatives { found: Vec::new(), ..listed.clone() };
        Gathered { listed, all, by_job, added: vec![0; jobs] }
    }

    /// Adds a window; whether it is new and there is room for it.
    fn add(&mut self, job: usize, window: &Window) -> bool {
        let times = |window: &Window| -> Vec<_> {
            window.placements().iter().map(|it| (it.node, it.interval)).collect()
        };
        let own = times(window);
        let known = self.by_job[job].iter().any(|place| times(&self.all[*place].window) == own);
        let Some(id) = JobId::from_index(job).filter(|_| !known && self.added[job] < GATHERED_MAX) else {
            return false;
        };
        self.by_job[job].push(self.all.len());
        self.added[job] += 1;
        self.all.push(Alternative { job: id, window: window.clone(), bound: None });
        true
    }

    /// At times the end of a window that is known, to be undercut: what is between the cheapest and the earliest need not be best by
    /// any sum.
    fn end_to_beat(&self, job: usize, draws: &mut Draws) -> i64 {
        let known = &self.by_job[job];
        if known.is_empty() || draws.below(2) == 0 {
            return i64::MAX;
        }
        self.all[known[draws.below(known.len())]].window.end().as_millis() - 1
    }

    fn add_places(&mut self, places: &[Place]) {
        for (job, place) in places.iter().enumerate() {
            if let Place::Window(held) = place {
                self.add(job, &held.window);
            }
        }
    }

    /// The best compromise that is found from what is picked; `None` when there is nothing to agree on.
    fn agree(
        &self,
        (problem, sold): (&BatchProblem<'_>, &Sold<'_>),
        batch: &Batch,
        picks: &[Option<Source>],
    ) -> Option<Agreement> {
        let found = Alternatives { found: self.all.clone(), ..self.listed.clone() };
        let Negotiation { problem, sources, .. } = negotiation::negotiate(problem, batch, &found)?.ok()?;
        let shared = exclusions(sold.offers, &self.all, &sources, EXCLUSIONS_MAX)?;
        let problem = problem.sharing(&shared);
        let start = positions(&sources, picks)?;
        let compromise = compromise_from(&problem, &start, &AGREEING)?;
        let pick = |(sources, pick): (&Vec<Source>, &Option<usize>)| pick.map(|pick| sources[pick]);
        let picks = sources.iter().zip(&compromise.picks).map(pick).collect();
        Some(Agreement { problem, sources, compromise, picks })
    }
}
