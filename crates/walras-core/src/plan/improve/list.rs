//! Plans to start from: one job after the other, each where it is best on what the others left.

use super::aim::Aim;
use super::basis::Basis;
use super::best::Best;
use super::limits::Standing;
use super::state::{Look, Place, State};
use std::cmp::Reverse;
use walras_random::Draws;

/// Puts the jobs in this order, each where it is best; what has no place stays out. `None` when the work ran out.
pub(super) fn listed(state: &mut State<'_>, order: &[usize], look: Look<'_>) -> Option<Standing> {
    for job in 0..state.places.len() {
        state.remove(job);
    }
    for job in order {
        state.insert(*job, look);
    }
    state.keep();
    (!state.effort.spent()).then(|| state.standing())
}

/// Puts those who were left out where they are best, then all others where they are chosen to be; whose place is taken by then goes where it is best.
fn completed(state: &mut State<'_>, look: Look<'_>) {
    let order = by_weight(state.basis);
    let chosen = state.places.clone();
    for job in &order {
        state.remove(*job);
    }
    for job in order.iter().filter(|job| matches!(chosen[**job], Place::Out)) {
        state.insert(*job, look);
    }
    let mut displaced = Vec::new();
    for job in order {
        let stays = match &chosen[job] {
            Place::Out => true,
            _ if state.basis.stays(job) => true,
            Place::Window(held) => state.adopt(job, &held.window),
            Place::Queue(at) => state.queue(job, state.basis.queues[job][*at].queue),
        };
        displaced.extend((!stays).then_some(job));
    }
    for job in displaced {
        state.insert(job, look);
    }
    state.keep();
}

/// Tries what was chosen with those served who were left out, then list scheduling by end and by the objective itself; the best of them and what
/// there was stays.
pub(super) fn starts(state: &mut State<'_>, best: &mut Best) {
    let basis = state.basis;
    if (0..basis.jobs()).any(|job| state.is_out(job)) {
        completed(state, Look { aim: &basis.aim, finish_max: i64::MAX, earliest: i64::MIN, noise: &[] });
        best.note(state);
    }
    let (large, ranked) = (by_size(basis), by_weight(basis));
    for (order, aim) in [(&large, Aim::FINISH), (&large, basis.aim), (&ranked, basis.aim)] {
        let look = Look { aim: &aim, finish_max: i64::MAX, earliest: i64::MIN, noise: &[] };
        if listed(state, order, look).is_none() {
            break;
        }
        best.note(state);
    }
    state.restore(&best.places);
}

/// Several orders for the least makespan, all by end.
pub(super) fn orders(basis: &Basis<'_>, count: usize, draws: &mut Draws) -> Vec<Vec<usize>> {
    let runtime = |job: usize| basis.views[job].runtime_min;
    let mut long: Vec<usize> = (0..basis.jobs()).collect();
    long.sort_by_key(|job| Reverse((runtime(*job), basis.views[*job].tasks)));
    let mut wide: Vec<usize> = (0..basis.jobs()).collect();
    wide.sort_by_key(|job| Reverse((basis.views[*job].tasks, runtime(*job))));
    let mut all = vec![by_size(basis), long, wide, by_weight(basis)];
    while all.len() < count {
        let mut order = all[all.len() % 3].clone();
        // A few neighbours change places.
        for _ in 0..order.len() {
            let at = draws.below(order.len());
            let by = 1 + draws.below(3);
            if at + by < order.len() {
                order.swap(at, at + by);
            }
        }
        all.push(order);
    }
    all
}

/// Tasks × run time, largest first.
fn by_size(basis: &Basis<'_>) -> Vec<usize> {
    let size = |job: &usize| {
        let view = &basis.views[*job];
        i128::from(view.runtime_min) * (view.tasks as i128)
    };
    let mut order: Vec<usize> = (0..basis.jobs()).collect();
    order.sort_by_key(|job| Reverse(size(job)));
    order
}

fn by_weight(basis: &Basis<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..basis.jobs()).collect();
    order.sort_by_key(|job| Reverse(basis.weights[*job]));
    order
}
