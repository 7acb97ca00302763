//! Branch and bound: job by job, the best options first; what cannot become better than the best is cut off.

use super::best::Best;
use super::state::{Model, Pick, State};

/// Whether everything better than `best` was ruled out within so many branches.
pub(super) fn prove(model: &Model<'_>, best: &mut Best, branches_max: u64) -> bool {
    let mut state = State::new(model);
    let order = order(model, &mut state);
    let options: Vec<Vec<usize>> = order.iter().map(|job| by_loss(model, *job)).collect();
    let mut next = vec![0; order.len() + 1];
    let (mut depth, mut branches) = (0, 0);
    if state.value() >= best.value {
        return true;
    }
    loop {
        let Some(&job) = order.get(depth) else {
            best.offer(&state);
            depth = match depth.checked_sub(1) {
                Some(depth) => depth,
                None => return true,
            };
            continue;
        };
        state.set(job, Pick::Open);
        // After the last option comes leaving the job out, then going back.
        let place = next[depth];
        if place > options[depth].len() {
            match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return true,
            }
            continue;
        }
        next[depth] += 1;
        let pick = options[depth].get(place).map_or(Pick::Out, |option| Pick::Option(*option));
        if let Pick::Option(option) = pick
            && !state.fits(job, option)
        {
            continue;
        }
        if branches == branches_max {
            return false;
        }
        branches += 1;
        state.set(job, pick);
        if state.value() < best.value {
            depth += 1;
            next[depth] = 0;
        }
    }
}

/// Jobs with options, those with the most to lose first; those without any are left out at once.
fn order(model: &Model<'_>, state: &mut State<'_>) -> Vec<usize> {
    let jobs = &model.problem.jobs;
    let mut order = Vec::with_capacity(jobs.len());
    for (index, job) in jobs.iter().enumerate() {
        if job.options.is_empty() {
            state.set(index, Pick::Out);
        } else {
            order.push(index);
        }
    }
    let stake = |job: &usize| {
        let entry = &jobs[*job];
        let worst = entry.options.iter().map(|option| option.loss).max().unwrap_or(0);
        model.problem.weights[entry.user] * (worst - model.least_loss[*job])
    };
    order.sort_by_key(|job| (std::cmp::Reverse(stake(job)), *job));
    order
}

fn by_loss(model: &Model<'_>, job: usize) -> Vec<usize> {
    let options = &model.problem.jobs[job].options;
    let mut order: Vec<usize> = (0..options.len()).collect();
    order.sort_by_key(|option| options[*option].loss);
    order
}
