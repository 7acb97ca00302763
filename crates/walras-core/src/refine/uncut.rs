//! What tasks that are not cut in pieces need.
//!
//! **Problem.** Tasks of which none can start before `r`, and after each of which there is at least `q` to do: how long do they take,
//! at least, when each runs on one lane from its start to its end?
//!
//! **Method.** Two reasons, for every number `n` of the largest tasks of such a crowd, of which the smallest is `w`:
//! - *levels* (Liu and Liu 1974): they use `n` lanes at a time, the fastest at best;
//! - *counts*: in time `T` a lane of speed `s` ends at most ⌊T · s / w⌋ of them, so these must come to `n` over all lanes.
//!
//! Owners' tasks are left out.
//!
//! **Complexity.** At most [`SOME`]³ crowds and numbers, each O(lanes), and O(lanes · log time) for those that raise the bound.
//!
//! **Example.** Three tasks of 10 on two lanes of speed 1 take 20, although 15 would do if one could be cut in two.

use super::heads::some_of;
use walras_model::quantity::rounding;

/// So many values of `r`, of `q` and of `n` are looked at.
const SOME: usize = 24;

/// By task: the least time before it, the least time after it, and its work.
pub(super) struct Crowd<'a> {
    pub(super) heads: &'a [i64],
    pub(super) tails: &'a [i64],
    pub(super) works: &'a [i128],
}

/// A time that all tasks need, at least `so_far`.
pub(super) fn finish(crowd: &Crowd<'_>, speeds: &[i64], so_far: i64) -> i64 {
    let mut speeds: Vec<i128> = speeds.iter().map(|speed| i128::from(*speed)).collect();
    speeds.sort_unstable_by_key(|speed| -speed);
    let mut longest = so_far;
    let mut tasks: Vec<usize> = (0..crowd.works.len()).filter(|task| crowd.works[*task] > 0).collect();
    tasks.sort_by_key(|task| (-crowd.works[*task], *task));
    for head in some_of(crowd.heads, SOME) {
        tasks.retain(|task| crowd.heads[*task] >= head);
        for tail in some_of(crowd.tails, SOME) {
            let members = tasks.iter().filter(|task| crowd.tails[**task] >= tail);
            let works: Vec<i128> = members.map(|task| crowd.works[*task]).collect();
            if works.is_empty() {
                break;
            }
            let around = head.saturating_add(tail);
            longest = longest.max(around.saturating_add(needed(&works, &speeds, longest - around)));
        }
    }
    longest
}

/// How long tasks of these works take, the largest first, when that is longer than `known`.
fn needed(works: &[i128], speeds: &[i128], known: i64) -> i64 {
    let mut known = i128::from(known.max(0));
    let (mut work, mut speed) = (0, 0);
    for (one, lane) in works.iter().zip(speeds) {
        work += one;
        speed += lane;
        known = known.max(rounding::up(work, speed.max(1)));
    }
    let step = works.len().div_ceil(SOME).max(1);
    for count in (1..=works.len()).rev().step_by(step) {
        let least = works[count - 1];
        let done = |time: i128| speeds.iter().map(|speed| time * speed / least).sum::<i128>();
        let count = i128::try_from(count).unwrap_or(0);
        if done(known) >= count {
            continue;
        }
        let (mut too_short, mut enough) = (known, known.max(1));
        while done(enough) < count {
            (too_short, enough) = (enough, 2 * enough);
        }
        while enough - too_short > 1 {
            let middle = i128::midpoint(too_short, enough);
            if done(middle) < count { too_short = middle } else { enough = middle }
        }
        known = enough;
    }
    // Beyond all time: no bound is known, which is no mistake.
    i64::try_from(known).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_not_cut() {
        assert_eq!(needed(&[10, 10, 10], &[1, 1], 0), 20);
        // Six tasks on speeds 2 and 1: four and two, or what takes as long.
        assert_eq!(needed(&[10; 6], &[2, 1], 0), 20);
        // Seven of them: five on the fast lane.
        assert_eq!(needed(&[10; 7], &[2, 1], 0), 25);
        assert_eq!(needed(&[10; 7], &[2, 1], 26), 26);
    }

    #[test]
    fn few_large_tasks_use_few_lanes() {
        // Both large ones use the two fastest lanes, which the small ones would not show.
        assert_eq!(needed(&[40, 40, 1], &[4, 4, 1, 1], 0), 10);
        assert_eq!(needed(&[40, 20], &[4, 1], 0), 12);
    }

    #[test]
    fn what_comes_before_and_after_counts() {
        let crowd = Crowd { heads: &[0, 5, 5, 5], tails: &[0, 7, 7, 7], works: &[1, 10, 10, 10] };
        assert_eq!(finish(&crowd, &[1, 1], 3), 5 + 20 + 7);
        // No task has both the long way before it and the long way after it.
        let apart = Crowd { heads: &[0, 50], tails: &[70, 0], works: &[1, 1] };
        assert_eq!(finish(&apart, &[1, 1], 3), 71);
    }
}
