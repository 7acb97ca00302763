//! The last stage: nobody waits for nothing.
//!
//! **Problem.** Plans of the same value differ in when jobs end. Sums do not see it: a job may be left at a time that was only
//! free while another stood in its way, or was listed late.
//!
//! **Method.** In order of their ends, each job is taken out and put where it is best on what the others leave, where ties go to the
//! earliest end. That is kept when the plan is better, or as good with this job's end earlier; rounds go on while
//! something moves. Every step lowers the plan's rank or the sum of ends, so it comes to rest.
//!
//! **Complexity.** At most [`ROUNDS_MAX`] searches for one job, for each job.

use super::aim::Aim;
use super::best::Best;
use super::state::{Look, State};

/// At most so many times is everybody looked at.
const ROUNDS_MAX: usize = 8;

/// Moves jobs of the best plan forward; whether any was.
pub(super) fn move_earlier(state: &mut State<'_>, best: &mut Best) -> bool {
    let jobs = state.places.len();
    state.effort.allow(ROUNDS_MAX, jobs);
    state.restore(&best.places);
    let mut moved = false;
    for _ in 0..ROUNDS_MAX {
        let mut served: Vec<(i128, usize)> =
            (0..jobs).filter_map(|job| Some((state.measure(job)?.finish, job))).collect();
        served.sort_unstable();
        let mut again = false;
        for (_, job) in served {
            again |= move_job(state, job);
        }
        moved |= again;
        if !again || state.effort.spent() {
            break;
        }
    }
    if moved {
        best.standing = state.standing();
        best.places = state.places.clone();
    }
    moved
}

/// Puts a job where it is best; whether that is better, or as good and earlier. If it is not, nothing changes.
fn move_job(state: &mut State<'_>, job: usize) -> bool {
    let Some(before) = state.measure(job) else { return false };
    let rank = state.rank();
    let basis = state.basis;
    state.keep();
    state.remove(job);
    // A makespan does not say where a single job is best: where it is cheapest, of all that ends earlier.
    let (aim, finish_max) = match basis.by_makespan() {
        true => (&Aim::COST, i64::try_from(before.finish - 1).unwrap_or(i64::MAX)),
        false => (&basis.aim, i64::MAX),
    };
    let look = Look { aim, finish_max, earliest: i64::MIN, noise: &[] };
    let placed = state.insert(job, look);
    let earlier =
        state.measure(job).is_some_and(|after| (state.rank(), after.finish) < (rank, before.finish));
    if placed && earlier {
        state.keep();
        return true;
    }
    state.undo();
    false
}
