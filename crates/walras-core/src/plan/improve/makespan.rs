//! The least makespan: the best of several lists, then a target a step below, over and over.
//!
//! **Method.** Several list orders, each job where it ends first. Then a target is set a step below the makespan: the jobs that
//! end after it are taken out and put back so that they end by it. A job that finds no room throws out others that are easier to
//! place, which are put back after it; whatever stays out counts as harder from then on, and goes first. When all are back, the makespan
//! is at most the target; when that takes too many tries, the step is halved. What work is left then goes into the cost, with the
//! makespan as a deadline for everybody.

use super::aim::Aim;
use super::best::Best;
use super::list::{listed, orders};
use super::neighbours::{related, search};
use super::state::{Look, State};
use walras_model::quantity::rounding;
use walras_random::Draws;

/// So many list orders are tried.
const ORDERS: usize = 24;
/// At most so many go out to let one in.
const OTHERS_MAX: usize = 3;
/// Steps, as parts of the makespan above its bound: the first, and those after all have failed.
const FIRST_STEP_PARTS: i128 = 4;
const LATER_STEP_PARTS: i128 = 16;
/// So many parts of a hundred go into the makespan, the others into the cost.
const MAKESPAN_PARTS: u64 = 85;

/// How jobs are put back below a target: by end or by cost, with costs distorted by up to so many of 1,024 parts, so that the nodes differ.
const MANNERS: [(Aim, usize); 4] =
    [(Aim::FINISH, 0), (Aim::FINISH, 400), (Aim::FINISH, 400), (Aim::COST, 400)];

/// Improves until the work runs out.
pub(super) fn least(state: &mut State<'_>, best: &mut Best, bound: i64, draws: &mut Draws) {
    for order in orders(state.basis, ORDERS, draws) {
        let look = Look { aim: &Aim::FINISH, finish_max: i64::MAX, earliest: i64::MIN, noise: &[] };
        if listed(state, &order, look).is_none() {
            break;
        }
        best.note(state);
    }
    state.restore(&best.places);
    let until = state.effort.searches_max / 100 * MAKESPAN_PARTS;
    let mut hardness = vec![0; state.places.len()];
    serve_more(state, best, &mut hardness, draws, until);
    lower(state, best, bound, &mut hardness, draws, until);
    let makespan = i64::try_from(best.standing.value[0]).unwrap_or(i64::MAX);
    let all = state.effort.searches_max;
    search(state, best, draws, makespan, all);
}

/// Tries to find room for those who are left out, at any time.
fn serve_more(state: &mut State<'_>, best: &mut Best, hardness: &mut [u64], draws: &mut Draws, until: u64) {
    let could = |job: &usize| {
        state.is_out(*job) && state.basis.views[*job].nodes_fitting >= state.basis.views[*job].tasks
    };
    let out: Vec<usize> = (0..state.places.len()).filter(could).collect();
    for job in out {
        let until = until.min(state.effort.searches + tries_max(state));
        squeeze(state, i64::MAX, vec![job], hardness, draws, until);
        best.note(state);
        state.restore(&best.places);
    }
}

fn tries_max(state: &State<'_>) -> u64 {
    60 + 4 * state.places.len() as u64
}

fn lower(
    state: &mut State<'_>,
    best: &mut Best,
    bound: i64,
    hardness: &mut [u64],
    draws: &mut Draws,
    until: u64,
) {
    let above = |best: &Best| best.standing.value[0] - i128::from(bound);
    let mut step = rounding::up(above(best), FIRST_STEP_PARTS);
    while above(best) > 0 && state.effort.searches < until && !state.effort.spent() {
        step = step.clamp(1, above(best));
        let target = i64::try_from(best.standing.value[0] - step).unwrap_or(i64::MAX);
        let late = |job: &usize| state.measure(*job).is_some_and(|it| it.finish > i128::from(target));
        let late: Vec<usize> = (0..state.places.len()).filter(late).collect();
        let tries = state.effort.searches + tries_max(state);
        if squeeze(state, target, late, hardness, draws, until.min(tries)) && best.note(state) {
            continue;
        }
        state.restore(&best.places);
        step = if step > 1 { rounding::down(step, 2) } else { rounding::up(above(best), LATER_STEP_PARTS) };
    }
    state.restore(&best.places);
}

/// Takes these jobs out and puts them back so that they end by the target, others giving way; whether all are back.
fn squeeze(
    state: &mut State<'_>,
    target: i64,
    mut out: Vec<usize>,
    hardness: &mut [u64],
    draws: &mut Draws,
    until: u64,
) -> bool {
    let jobs: Vec<usize> = (0..state.places.len()).collect();
    for job in &out {
        state.remove(*job);
    }
    let nodes = state.basis.problem.offers.nodes().len();
    while !out.is_empty() {
        if state.effort.searches >= until || state.effort.spent() {
            return false;
        }
        let (aim, noise_max) = MANNERS[draws.below(MANNERS.len())];
        let noise = (0..nodes).map(|_| i64::try_from(draws.below(noise_max)).unwrap_or(0));
        let noise: Vec<i64> = if noise_max == 0 { Vec::new() } else { noise.collect() };
        let look = Look { aim: &aim, finish_max: target, earliest: i64::MIN, noise: &noise };
        let size = |job: usize| {
            i128::from(state.basis.views[job].runtime_min) * (state.basis.views[job].tasks as i128)
        };
        let hardest = (0..out.len()).max_by_key(|place| (hardness[out[*place]], size(out[*place])));
        let Some(place) = hardest else { return true };
        let job = out.swap_remove(place);
        if state.insert(job, look) {
            continue;
        }
        hardness[job] += 1;
        let mut others = related(state, &jobs, job, 2 * (1 + draws.below(OTHERS_MAX)), draws);
        // The easier half goes out.
        others.sort_by_key(|other| hardness[*other]);
        others.truncate(others.len() - others.len() / 2);
        for other in &others {
            state.remove(*other);
        }
        if !state.insert(job, look) {
            out.push(job);
        }
        out.extend(others.into_iter().rev().filter(|other| !state.insert(*other, look)));
    }
    true
}
