//! A dear window within a budget, where dearer is better.
//!
//! **Problem.** Of those alive at a start, N whose real costs are within the budget and that seem to cost as much as possible. Exactly,
//! that is a knapsack for every start; what is gained by it is less than what its work finds elsewhere.
//!
//! **Method.** Those alive are kept in order of what they seem to cost, dearest first. The first N neighbours in that order that are within
//! the budget are taken; then the exchange of one of them for a dearer one that gains most within the budget is made, again and again: a
//! good window, not a proven one. The N dearest, or the budget where nothing is distorted, bound what a start may come to, so that most starts need no more than that.
//!
//! **Complexity.** O(m) to join those alive; O(N) for a start that its bound excludes; O(m) and N² binary searches for each other, or up
//! to O(m·N²) where costs are distorted.
//!
//! Example: two of 9, 8, 5 and 4 within 14: 8 and 5 are the first neighbours within it; 9 takes the place of 8.

use super::single::Alive;

/// So many exchanges are made at most for each task.
const EXCHANGES_A_TASK: usize = 2;

/// See the module's documentation.
pub(super) struct Dearest {
    tasks: usize,
    /// By pool: who is alive, dearest first.
    pools: Vec<Vec<Alive>>,
}

impl Dearest {
    pub(super) fn new(tasks: usize, pools: usize) -> Dearest {
        Dearest { tasks, pools: vec![Vec::new(); pools] }
    }

    /// Takes in one that starts now, and forgets those that are no longer alive.
    pub(super) fn join(&mut self, pool: usize, alive: Alive, now: i64) {
        let all = &mut self.pools[pool];
        all.retain(|other| other.expiry >= now && other.node != alive.node);
        let at = all.partition_point(|other| other.dearness() > alive.dearness());
        all.insert(at, alive);
    }

    /// Those alive when one joined last, dearest first.
    pub(super) fn of_pool(&self, pool: usize) -> &[Alive] {
        &self.pools[pool]
    }

    /// What N of them seem to cost at most; `None` where there are fewer.
    pub(super) fn most(&self, pool: usize) -> Option<i128> {
        let dearest = self.pools[pool].get(..self.tasks)?;
        Some(dearest.iter().map(|alive| i128::from(alive.seeming)).sum())
    }
}

/// Good places of N of these, dearest first, within the budget; `None` where no N neighbours are. Where nothing is distorted, they are
/// in order of their costs as well.
pub(super) fn within(all: &[Alive], tasks: usize, cost_max: i128, is_distorted: bool) -> Option<Vec<usize>> {
    let cost = |place: usize| i128::from(all[place].cost);
    let mut sum: i128 = all.get(..tasks)?.iter().map(|alive| i128::from(alive.cost)).sum();
    let mut from = 0;
    while sum > cost_max {
        sum += i128::from(all.get(from + tasks)?.cost) - cost(from);
        from += 1;
    }
    let mut members: Vec<usize> = (from..from + tasks).collect();
    for _ in 0..EXCHANGES_A_TASK * tasks {
        let dearest_for = |at: usize| {
            let (member, most) = (members[at], cost_max - sum + cost(members[at]));
            let first = match is_distorted {
                true => 0,
                false => all[..member].partition_point(|alive| i128::from(alive.cost) > most),
            };
            let dearer = (first..member).find(|place| cost(*place) <= most && !members.contains(place))?;
            Some((all[dearer].seeming - all[member].seeming, at, dearer))
        };
        // None is dearer than one of an earlier place.
        let Some((gain, at, dearer)) = (0..tasks).filter_map(dearest_for).max() else { break };
        if gain == 0 {
            break;
        }
        sum += cost(dearer) - cost(members[at]);
        members[at] = dearer;
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_order(costs: &[(i64, i64)]) -> Vec<Alive> {
        let alive = |(node, (cost, extra)): (usize, &(i64, i64))| Alive {
            expiry: 9,
            runtime: 1,
            seeming: cost + extra,
            cost: *cost,
            rate: 1,
            node,
            piece: (0, node),
        };
        let mut dearest = Dearest::new(1, 1);
        costs.iter().enumerate().map(alive).for_each(|alive| dearest.join(0, alive, 0));
        dearest.of_pool(0).to_vec()
    }

    #[test]
    fn neighbours_give_way_to_dearer_ones() {
        let all = in_order(&[(9, 0), (8, 0), (5, 0), (4, 0)]);
        let costs = |places: Vec<usize>| places.iter().map(|place| all[*place].cost).sum::<i64>();
        assert_eq!(within(&all, 2, 14, false).map(costs), Some(14));
        assert_eq!(within(&all, 2, 13, false).map(costs), Some(13));
        assert_eq!(within(&all, 2, 8, false), None);
        assert_eq!(within(&all, 5, 99, false), None);
    }

    proptest! {
        #[test]
        fn no_single_exchange_gains_within_the_budget(
            costs in prop::collection::vec((0..30_i64, 0..5_i64), 1..12), tasks in 1..4_usize, budget in 0..90_i128, distorted in any::<bool>(),
        ) {
            let costs: Vec<_> = costs.into_iter().map(|(cost, extra)| (cost, if distorted { extra } else { 0 })).collect();
            let all = in_order(&costs);
            prop_assert!(all.is_sorted_by(|one, next| one.dearness() > next.dearness()));
            let Some(places) = within(&all, tasks, budget, distorted) else {
                let last = all.len().checked_sub(tasks).map(|from| all[from..].iter().map(|it| i128::from(it.cost)).sum::<i128>());
                prop_assert!(last.is_none_or(|cost| cost > budget));
                return Ok(());
            };
            let cost: i128 = places.iter().map(|place| i128::from(all[*place].cost)).sum();
            prop_assert!(places.len() == tasks && cost <= budget);
            // Exchanges are bounded, but no such small case needs more.
            for (member, dearer) in places.iter().flat_map(|member| (0..*member).map(move |dearer| (*member, dearer))) {
                let affordable = cost - i128::from(all[member].cost) + i128::from(all[dearer].cost) <= budget;
                prop_assert!(places.contains(&dearer) || !affordable || all[dearer].seeming == all[member].seeming);
            }
        }
    }
}
