//! As many jobs as places, each job on one place, at the least cost: the linear assignment problem.
//!
//! Shortest augmenting paths with potentials, one job after another (Jonker and Volgenant, 1987, in the plain form), in
//! time n³.

/// What a job that may not go somewhere costs there.
pub(super) const BARRED: i64 = i64::MAX;

/// The place of each job, and what all cost together; none where some job finds no place that it may have.
///
/// `cost(job, place)` is [`BARRED`], or so far below it that `n` of them can be added.
pub(super) fn match_all(n: usize, cost: impl Fn(usize, usize) -> i64) -> Option<(i64, Vec<usize>)> {
    let mut rows = vec![0_i64; n];
    // Place 0 is where a path begins; the places themselves count from 1.
    let mut columns = vec![0_i64; n + 1];
    let mut taken: Vec<Option<usize>> = vec![None; n + 1];
    for job in 0..n {
        taken[0] = Some(job);
        let mut at = 0;
        let mut least = vec![BARRED; n + 1];
        let mut from = vec![0; n + 1];
        let mut done = vec![false; n + 1];
        while let Some(holder) = taken[at] {
            done[at] = true;
            let (mut step, mut next) = (BARRED, None);
            for place in 1..=n {
                if done[place] {
                    continue;
                }
                let price = cost(holder, place - 1);
                if price != BARRED && price - rows[holder] - columns[place] < least[place] {
                    least[place] = price - rows[holder] - columns[place];
                    from[place] = at;
                }
                if least[place] < step {
                    (step, next) = (least[place], Some(place));
                }
            }
            let next = next?;
            for place in 0..=n {
                if done[place] {
                    columns[place] -= step;
                    if let Some(holder) = taken[place] {
                        rows[holder] += step;
                    }
                } else if least[place] != BARRED {
                    least[place] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            taken[at] = taken[from[at]];
            at = from[at];
        }
    }
    let mut places = vec![0; n];
    let mut sum = 0;
    for (place, job) in taken.into_iter().skip(1).enumerate() {
        let job = job?;
        places[job] = place;
        sum += cost(job, place);
    }
    Some((sum, places))
}

#[cfg(test)]
mod tests {
    use super::{BARRED, match_all};
    use proptest::prelude::*;

    /// The least cost over all ways to place the jobs from `job` on, on places that are free.
    fn least(n: usize, costs: &[i64], job: usize, used: u32) -> Option<i64> {
        if job == n {
            return Some(0);
        }
        let place = |place: usize| {
            let cost = costs[job * n + place];
            if used & (1 << place) != 0 || cost == BARRED {
                return None;
            }
            Some(cost + least(n, costs, job + 1, used | (1 << place))?)
        };
        (0..n).filter_map(place).min()
    }

    proptest! {
        #[test]
        fn matches_as_well_as_every_way_tried(
            n in 1_usize..6,
            draws in prop::collection::vec(prop_oneof![4 => 0_i64..40, 1 => Just(BARRED)], 25),
        ) {
            let matched = match_all(n, |job, place| draws[job * n + place]);
            prop_assert_eq!(matched.as_ref().map(|(cost, _)| *cost), least(n, &draws, 0, 0));
            if let Some((cost, places)) = matched {
                let mut sorted = places.clone();
                sorted.sort_unstable();
                prop_assert_eq!(sorted, (0..n).collect::<Vec<_>>());
                let sum: i64 = places.iter().enumerate().map(|(job, place)| draws[job * n + place]).sum();
                prop_assert_eq!(sum, cost);
            }
        }
    }
}
