//! Large-neighbourhood search: a few jobs out, back in another order, over and over.
//!
//! **Method.** One job and up to four that share nodes or time with it are taken out. They are put back one after the other, each by
//! the exact search for one job, in one of several orders and mostly with up to 15% noise on the nodes' prices. What comes out is kept when it
//! leaves out less, or leaves out no more and its value is not worse by more than a draw that cools from about 2% of a mean job
//! to nothing; else the journal takes it back. The best ever seen is remembered.
//!
//! Where a limit on all (T*, B*) binds, windows are at times judged by a price on what the limit is of as well, so that room is made
//! for others.

use super::aim::{Aim, Form, Value};
use super::best::Best;
use super::limits::Rank;
use super::state::{Look, State};
use walras_model::quantity::rounding;
use walras_random::Draws;

/// At most so many jobs go out with the first.
const OTHERS_MAX: usize = 4;
/// So many jobs are drawn at most to find those that share something.
const DRAWN_MAX: usize = 48;
/// One of so many jobs is put back at a later start than it could have.
const WAITS_EVERY: usize = 8;
/// Noise is below so many of 1,024 parts.
const NOISE_MAX: usize = 154;
/// Now and then it is so wild that any nodes may be taken: some room is found by windows that nobody would want.
const WILD_NOISE_MAX: usize = 8_192;

/// Improves until the effort reaches `searches_until`, or there is nothing left to win.
pub(super) fn search(
    state: &mut State<'_>,
    best: &mut Best,
    draws: &mut Draws,
    finish_max: i64,
    searches_until: u64,
) {
    let mut walk = Walk::new(state, finish_max);
    if walk.jobs.is_empty() {
        return;
    }
    let from = state.effort.searches;
    while state.effort.searches < searches_until && !state.effort.spent() && !best.is_settled() {
        let span = i128::from(searches_until - from).max(1);
        let left = i128::from(searches_until - state.effort.searches);
        let heat = walk.mean.map(|mean| rounding::down(mean * left, 50 * span));
        let before = state.effort.searches;
        walk.step(state, best, draws, heat);
        // A step that searched nothing, because only queues were tried, counts as one search.
        state.effort.searches = state.effort.searches.max(before + 1);
    }
}

struct Walk {
    /// The jobs that could be anywhere at all.
    jobs: Vec<usize>,
    finish_max: i64,
    /// What a job comes to on average, by sum.
    mean: Value,
    /// The prices of time and of cost, as parts of the first sum.
    leanings: Vec<Form>,
    noise: Vec<i64>,
    out: Vec<usize>,
}

impl Walk {
    fn new(state: &State<'_>, finish_max: i64) -> Walk {
        let basis = state.basis;
        let could =
            |job: &usize| !state.is_out(*job) || basis.views[*job].nodes_fitting >= basis.views[*job].tasks;
        let jobs: Vec<usize> = (0..basis.jobs()).filter(could).collect();
        let measures: Vec<_> = jobs.iter().filter_map(|job| state.measure(*job)).collect();
        let count = i128::try_from(measures.len()).unwrap_or(i128::MAX).max(1);
        let total = |form: &Form| measures.iter().map(|measure| form.value(*measure).abs()).sum::<i128>();
        let mean = basis.aim.forms.map(|form| rounding::up(total(&form), count));
        let first = total(&basis.aim.forms[0]).max(1);
        let time = rounding::up(first, total(&Form { time: 1, ..Form::default() }).max(1));
        let cost = rounding::up(first, total(&Form { cost: 1, ..Form::default() }).max(1));
        let limits = basis.limits;
        let leanings = [
            limits.time.map(|_| Form { time, ..Form::default() }),
            limits.budget.map(|_| Form { cost, ..Form::default() }),
        ];
        let leanings = leanings.into_iter().flatten().collect();
        Walk { jobs, finish_max, mean, leanings, noise: Vec::new(), out: Vec::new() }
    }

    fn step(&mut self, state: &mut State<'_>, best: &mut Best, draws: &mut Draws, heat: Value) {
        self.out.clear();
        self.out.extend(self.jobs.iter().filter(|job| state.is_out(**job)));
        let first = if !self.out.is_empty() && draws.below(10) < 3 {
            self.out[draws.below(self.out.len())]
        } else {
            self.jobs[draws.below(self.jobs.len())]
        };
        let mut taken = related(state, &self.jobs, first, 1 + draws.below(OTHERS_MAX), draws);
        taken.push(first);
        let before = state.rank();
        for job in &taken {
            state.remove(*job);
        }
        self.order(state, &mut taken, draws);
        draw_noise(&mut self.noise, state, draws);
        let aim = self.aim(state.basis.aim, draws);
        let look = Look { aim: &aim, finish_max: self.finish_max, earliest: i64::MIN, noise: &self.noise };
        for job in &taken {
            // At times a job waits, though it need not: so that others find room before it.
            if draws.below(WAITS_EVERY) == 0 {
                let start = state.free.any_start(*job, draws);
                if start.is_some_and(|earliest| state.insert(*job, Look { earliest, ..look })) {
                    continue;
                }
            }
            // What was left out and cannot be served now costs nothing; what was served and cannot is taken back below.
            state.insert(*job, look);
        }
        if accepts(before, state.rank(), heat, draws) {
            state.keep();
            best.note(state);
        } else {
            state.undo();
        }
    }

    /// Puts what was taken out, the first one last in `taken`, into an order.
    fn order(&self, state: &State<'_>, taken: &mut [usize], draws: &mut Draws) {
        let views = &state.basis.views;
        match draws.below(4) {
            0 => taken.reverse(),
            1 => taken.sort_by_key(|job| {
                std::cmp::Reverse(i128::from(views[*job].runtime_min) * (views[*job].tasks as i128))
            }),
            _ => {
                for last in (1..taken.len()).rev() {
                    taken.swap(last, draws.below(last + 1));
                }
            }
        }
    }

    /// The aim, at times with a price on what is limited.
    fn aim(&self, aim: Aim, draws: &mut Draws) -> Aim {
        if self.leanings.is_empty() || draws.below(3) == 0 {
            return aim;
        }
        let Form { cost, time, .. } = self.leanings[draws.below(self.leanings.len())];
        let times = i128::try_from(1 + draws.below(32)).unwrap_or(1);
        aim.leaning(8, Form { cost: times * cost, time: times * time, finish: 0 })
    }
}

/// Noise on the nodes' prices, at times none and at times so much that any nodes may be taken.
pub(super) fn draw_noise(noise: &mut Vec<i64>, state: &State<'_>, draws: &mut Draws) {
    noise.clear();
    let most = match draws.below(8) {
        0..4 => return,
        4 => WILD_NOISE_MAX,
        _ => 1 + draws.below(NOISE_MAX),
    };
    let nodes = state.basis.problem.offers.nodes().len();
    noise.extend((0..nodes).map(|_| i64::try_from(draws.below(most)).unwrap_or(0)));
}

/// Up to so many jobs that share nodes with a job's window, or time, or could be in its way.
pub(super) fn related(
    state: &State<'_>,
    jobs: &[usize],
    first: usize,
    count: usize,
    draws: &mut Draws,
) -> Vec<usize> {
    let by_time = draws.below(2) == 0;
    let shares = |other: usize| {
        let Some(theirs) = state.window(other) else { return !state.is_out(other) };
        match state.window(first) {
            Some(own) if by_time => own.start() < theirs.end() && theirs.start() < own.end(),
            Some(own) => {
                let has = |node| own.placements().iter().any(|it| it.node == node);
                theirs.placements().iter().any(|it| has(it.node))
            }
            None => theirs.placements().iter().any(|it| state.basis.ranks[first].fits(it.node)),
        }
    };
    let mut found = Vec::with_capacity(count + 1);
    for _ in 0..DRAWN_MAX {
        let other = jobs[draws.below(jobs.len())];
        if found.len() == count {
            break;
        }
        if other != first && !found.contains(&other) && shares(other) {
            found.push(other);
        }
    }
    found
}

fn accepts(before: Rank, after: Rank, heat: Value, draws: &mut Draws) -> bool {
    if before.0 != after.0 {
        return after.0 < before.0;
    }
    // About exponential with mean 1, in thousandths.
    let any = draws.any();
    let draw = i128::from(any.trailing_zeros()) * 693 + i128::try_from(draws.below(693)).unwrap_or(0);
    let mut sums = before.1.iter().zip(&after.1).zip(&heat).filter(|((before, after), _)| before != after);
    sums.next().is_none_or(|((before, after), heat)| (after - before) * 1_000 <= heat * draw)
}
