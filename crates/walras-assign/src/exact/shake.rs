//! Shaking: a job is forced elsewhere, those it displaces find new places, and the surroundings settle again.
//!
//! Chains alone end in a placing that no short chain improves; a shake leads out of it, and is kept when what settles is
//! better, or hardly worse. Chance comes from a seed, so that runs repeat.

use super::placing::{NONE, Placing};
use super::table::Table;
use walras_random::Draws;

/// Shakes without a better placing after which the search goes back to the best.
const PATIENCE: u32 = 800;
const DEPTH: usize = 2;

/// Shakes `best` until the work is used up or `stop` says so; jobs that are `hot` more often than others.
///
/// A placing that is worse than the best by at most one part in `fineness` is gone on from.
pub(super) fn shake(
    core: &Table,
    hot: &[usize],
    fineness: i64,
    best: &mut Placing,
    dice: &mut Draws,
    work: &mut u64,
    stop: &dyn Fn(&Placing) -> bool,
) {
    let mut current = best.clone();
    let mut before = best.clone();
    let mut stale = 0;
    let mut turns = 0_u32;
    while *work > 0 && !(turns.is_multiple_of(16) && stop(best)) {
        turns += 1;
        before.copy(&current);
        let any = hot.is_empty() || dice.below(4) == 0;
        let job = if any { dice.below(core.jobs()) } else { hot[dice.below(hot.len())] };
        let touched = disturb(core, job, &mut current, dice, work);
        current.settle(core, touched, DEPTH, work);
        if current.beats(best) {
            best.copy(&current);
            stale = 0;
            continue;
        }
        stale += 1;
        let allowed = best.cost + best.cost / fineness.max(1);
        if stale > PATIENCE {
            current.copy(best);
            stale = 0;
        } else if current.missing > best.missing || current.cost > allowed {
            std::mem::swap(&mut current, &mut before);
        }
    }
}

/// Forces a job to another of its pairs; gives the jobs that were touched.
fn disturb(core: &Table, job: usize, placing: &mut Placing, dice: &mut Draws, work: &mut u64) -> Vec<usize> {
    let pairs = core.pairs(job);
    // Cheap pairs are likelier: the less of two draws.
    let pick = dice.below(pairs.len()).min(dice.below(pairs.len()));
    let pair = pairs[pick];
    let mut touched = vec![job];
    if placing.sites[job] != NONE {
        let home = placing.take(job).site;
        touched.extend(placing.at(home as usize).iter().take(8).map(|other| *other as usize));
    }
    while placing.room(pair.site as usize) < i64::from(pair.takes) {
        let there = placing.at(pair.site as usize);
        if there.is_empty() {
            break;
        }
        let other = there[dice.below(there.len())] as usize;
        placing.take(other);
        touched.push(other);
    }
    if placing.room(pair.site as usize) >= i64::from(pair.takes) {
        placing.put(job, &pair);
    }
    for other in touched.clone().into_iter().rev() {
        if placing.sites[other] == NONE {
            placing.move_one(core, other, DEPTH, work);
            let site = placing.sites[other];
            if site != NONE {
                touched.extend(placing.at(site as usize).iter().take(8).map(|near| *near as usize));
            }
        }
    }
    touched
}
