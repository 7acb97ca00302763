//! The window of one stretch of time whose worst task is best: the shortest, or that of the least price.
//!
//! **Problem.** Of all starts in a stretch, and at each of them, n of the m candidates alive whose costs are within the budget, such that the
//! greatest of their bottlenecks (run times, or prices) is least; of those, the earliest start; of those, the cheapest.
//!
//! **Method.** Most stretches have no window within the budget at all, which the n cheapest at each start show ([`super::few`]). At the
//! other starts the bottleneck is found by bisection: the more may join, the less the n cheapest come to.
//!
//! **Complexity.** That of [`super::few`], and O(m log m) for each start with a window within the budget.
//!
//! Example: two of the costs 3, 4 and 8 at the prices 9, 5 and 2, at one start. Within 11 the best worst price is 9, for 5 and 2 cost 12;
//! within 12 it is 5.

use super::criterion::BestSoFar;
use super::few::{Few, Weighed};
use super::view::View;

/// The best of these candidates, which weigh what they cost; none starts before `from`.
pub(super) fn least_worst(view: &View, all: Vec<Weighed<i64>>, from: i64) -> Option<BestSoFar> {
    let budget = i128::from(view.budget);
    least_of(&Few::within(view.tasks, all, budget), view.tasks, from, budget)
}

fn least_of(few: &Few<i64>, tasks: usize, from: i64, budget: i128) -> Option<BestSoFar> {
    let mut starts = Vec::new();
    few.least_sums(from, budget, |start, _| starts.push(start));
    starts.dedup();
    let mut best: Option<BestSoFar> = None;
    for start in starts {
        let below = best.as_ref().map_or(i128::MAX, |best| best.value);
        best = at_start(few, tasks, start, budget, below).or(best);
    }
    best
}

/// The best at a start whose bottleneck is below a value.
fn at_start(few: &Few<i64>, tasks: usize, start: i64, budget: i128, below: i128) -> Option<BestSoFar> {
    // In order of cost.
    let alive: Vec<&Weighed<i64>> = few.alive_at(start).filter(|it| i128::from(it.of) < below).collect();
    let cheapest = |most: i64| alive.iter().filter(move |it| it.of <= most).take(tasks);
    let cost = |most: i64| {
        let (count, sum) =
            cheapest(most).fold((0, 0), |(count, sum), it| (count + 1, sum + i128::from(it.weight)));
        (count == tasks).then_some(sum)
    };
    let mut bottlenecks: Vec<i64> = alive.iter().map(|it| it.of).collect();
    bottlenecks.sort_unstable();
    let worst = bottlenecks.partition_point(|most| cost(*most).is_none_or(|cost| cost > budget));
    let worst = *bottlenecks.get(worst)?;
    let keys = cheapest(worst).map(|it| it.key).collect();
    Some(BestSoFar { value: i128::from(worst), start, cost: cost(worst)?, keys })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use walras_model::id::NodeId;
    use walras_model::offer::SlotKey;
    use walras_model::quantity::Time;

    type Given = (i64, i64, i64, i64);

    fn few(tasks: usize, budget: i64, given: &[Given]) -> (Few<i64>, i128) {
        let weighed = |(node, (weight, of, start, life)): (usize, &Given)| Weighed {
            weight: *weight,
            key: SlotKey { start: Time::MIN, node: NodeId::from_index(node).unwrap() },
            start: *start,
            expiry: start + life,
            of: *of,
        };
        (Few::within(tasks, given.iter().enumerate().map(weighed).collect(), budget.into()), budget.into())
    }

    /// Every start, every bottleneck.
    fn tried(tasks: usize, budget: i64, given: &[Given]) -> Option<(i64, i64, i64)> {
        let mut best = None;
        for start in given.iter().map(|it| it.2) {
            for worst in given.iter().map(|it| it.1) {
                let alive = given.iter().filter(|it| it.2 <= start && start <= it.2 + it.3 && it.1 <= worst);
                let mut costs: Vec<i64> = alive.map(|it| it.0).collect();
                costs.sort_unstable();
                let cost: i64 = costs.iter().take(tasks).sum();
                if costs.len() >= tasks && cost <= budget {
                    best = best.into_iter().chain([(worst, start, cost)]).min();
                }
            }
        }
        best
    }

    #[test]
    fn a_larger_budget_buys_a_better_worst_price() {
        let given = [(3, 9, 0, 1), (4, 5, 0, 1), (8, 2, 0, 1)];
        let worst = |budget| {
            let (few, budget) = few(2, budget, &given);
            least_of(&few, 2, 0, budget).map(|best| best.value)
        };
        assert_eq!([worst(6), worst(7), worst(11), worst(12)], [None, Some(9), Some(9), Some(5)]);
    }

    proptest! {
        #[test]
        fn is_the_best_that_there_is(
            tasks in 1..4_usize,
            given in prop::collection::vec((0..9_i64, 0..9_i64, 0..9_i64, 0..9_i64), 1..12),
            budget in 0..30_i64,
        ) {
            let (few, budget_all) = few(tasks, budget, &given);
            let found = least_of(&few, tasks, 0, budget_all);
            let expected = tried(tasks, budget, &given);
            let expected = expected.map(|(worst, start, cost)| (i128::from(worst), start, i128::from(cost)));
            prop_assert_eq!(found.as_ref().map(|it| (it.value, it.start, it.cost)), expected);
            prop_assert!(found.is_none_or(|it| it.keys.len() == tasks));
        }
    }
}
