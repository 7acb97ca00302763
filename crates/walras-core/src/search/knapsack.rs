//! n of m items with the least total value and a total cost within a limit, proven.
//!
//! **Problem.** Given m items with value z ≥ 0 and cost c ≥ 0: choose exactly n with min Σz subject to
//! Σc ≤ S; among those, the least Σc.
//!
//! **Method.** Items than which n others are no worse by value and strictly cheaper are never part of an answer and are left
//! out, which leaves about n log(m/n). Then price the limit: for λ ≥ 0 the n items of least z + λc, less λS, bound the optimum from
//! below. The best λ is found by bisection, exactly, as a fraction p / 2²⁴; the sets met on the way that
//! keep the limit are incumbents. If bound and incumbent meet, that is the proof. Otherwise branch: items in
//! order of z + λc are taken or left, and a branch is cut off when its bound (a difference of prefix sums)
//! is no better than the incumbent. The least cost at the optimal value is the same problem with the roles of
//! value and cost exchanged.
//!
//! **Complexity.** O(m log m) to leave items out, and linear in what is left per λ, about sixty of them; the branching is exponential at worst, is bounded by a
//! number of branches, and says so when it gives up, with the bound that holds.
//!
//! Example: the values 1, 2, 9 at costs 8, 5, 1, two to be chosen, limit 7: the best value is 2 + 9 = 11.

use std::collections::BinaryHeap;
use walras_model::quantity::rounding;

/// An item that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) value: i64,
    pub(crate) cost: i64,
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Positions of the items.
    pub(crate) items: Vec<usize>,
    pub(crate) value: i128,
    pub(crate) cost: i128,
    /// No choice has a lower value; equal to `value` when proven best.
    pub(crate) bound: i128,
    /// Whether the limit played no part: these are the items of least value, then cost, then place.
    pub(crate) free: bool,
}

/// λ is a multiple of 2⁻²⁴.
pub(crate) const SCALE: i128 = 1 << 24;
/// λ stays below 2³⁶: beyond that the cost is all that counts.
const PRICE_MAX: i128 = 1 << 60;

/// The best choice of `n` items within `limit`, or `None` when there is none.
///
/// Of equal values, the least cost is found as far as `branches` allows; `bound` speaks of the value alone.
/// `branches` is what may still be spent on proofs; it is counted down. Choices of a value of at least
/// `cutoff` are of no interest: when the bound shows that there is nothing better, the answer is `None` too.
/// `price` is set to the λ that bounds best, in units of 1 / [`SCALE`], unless the limit played no part.
pub(crate) fn choose(
    items: &[Item],
    n: usize,
    limit: i128,
    cutoff: i128,
    branches: &mut u64,
    price: &mut i128,
) -> Option<Choice> {
    let kept = undominated(items, n);
    let items: Vec<Item> = kept.iter().map(|index| items[*index]).collect();
    let mut choice = choose_of(&items, n, limit, cutoff, branches, price)?;
    choice.items.iter_mut().for_each(|index| *index = kept[*index]);
    Some(choice)
}

fn choose_of(
    items: &[Item],
    n: usize,
    limit: i128,
    cutoff: i128,
    branches: &mut u64,
    price: &mut i128,
) -> Option<Choice> {
    let best = least_value(items, n, limit, cutoff, branches, price)?;
    // Among the least values the least costs come first already.
    if best.free || best.cost == 0 || best.bound < best.value {
        return Some(best);
    }
    let swapped: Vec<Item> = items.iter().map(|item| Item { value: item.cost, cost: item.value }).collect();
    match least_value(&swapped, n, best.value, best.cost, branches, &mut 0) {
        Some(cheaper) if cheaper.value < best.cost => {
            let (value, cost) = (cheaper.cost, cheaper.value);
            Some(Choice { items: cheaper.items, value, cost, bound: best.bound, free: false })
        }
        _ => Some(best),
    }
}

/// The places of the items than which fewer than `n` others are no worse by value and strictly cheaper, in order.
fn undominated(items: &[Item], n: usize) -> Vec<usize> {
    let mut order: Vec<(i64, i64, usize)> =
        items.iter().enumerate().map(|(index, item)| (item.value, item.cost, index)).collect();
    order.sort_unstable();
    // The n least costs so far, the greatest on top.
    let mut cheapest = BinaryHeap::with_capacity(n + 1);
    let mut kept = Vec::new();
    for (_, cost, index) in order {
        if cheapest.len() >= n && cheapest.peek().is_none_or(|greatest| *greatest < cost) {
            continue;
        }
        kept.push(index);
        cheapest.push(cost);
        if cheapest.len() > n {
            cheapest.pop();
        }
    }
    kept.sort_unstable();
    kept
}

/// The least value within the limit, whatever the cost.
fn least_value(
    items: &[Item],
    n: usize,
    limit: i128,
    cutoff: i128,
    branches: &mut u64,
    price_found: &mut i128,
) -> Option<Choice> {
    if n == 0 || items.len() < n || limit < 0 {
        return None;
    }
    let free = priced(items, n, limit, 0);
    if free.cost <= limit {
        return (free.value < cutoff).then_some(Choice { bound: free.value, free: true, ..free });
    }
    let (best, price, bound) = best_price(items, n, limit, free.bound)?;
    *price_found = price;
    if bound >= cutoff {
        return None;
    }
    if best.value <= bound {
        return Some(Choice { bound: best.value, ..best });
    }
    branch(items, n, limit, price, best, bound, branches)
}

/// The n items of least value + price · cost, and the bound that follows.
fn priced(items: &[Item], n: usize, limit: i128, price: i128) -> Choice {
    let mut ranked: Vec<(i128, i64, usize)> =
        (0..items.len()).map(|index| (reduced(&items[index], price), items[index].cost, index)).collect();
    if n < ranked.len() {
        ranked.select_nth_unstable(n - 1);
    }
    let chosen = &ranked[..n];
    let sum = chosen.iter().fold(0_i128, |sum, (value, ..)| sum.saturating_add(*value));
    Choice {
        items: chosen.iter().map(|(_, _, index)| *index).collect(),
        value: chosen.iter().map(|(_, _, index)| i128::from(items[*index].value)).sum(),
        cost: chosen.iter().map(|(_, cost, _)| i128::from(*cost)).sum(),
        bound: bound_of(sum, limit, price),
        free: false,
    }
}

/// An item's value + price · cost, in units of 1 / [`SCALE`].
fn reduced(item: &Item, price: i128) -> i128 {
    (i128::from(item.value) * SCALE).saturating_add(price.saturating_mul(i128::from(item.cost)))
}

/// The least whole value that a sum of reduced values allows.
pub(crate) fn bound_of(sum: i128, limit: i128, price: i128) -> i128 {
    let relaxed = sum.saturating_sub(price.saturating_mul(limit));
    rounding::up(relaxed, SCALE)
}

/// Bisects for the price at which the limit is just kept: the best choice met, the price, the best bound.
fn best_price(items: &[Item], n: usize, limit: i128, bound: i128) -> Option<(Choice, i128, i128)> {
    let mut best: Option<Choice> = None;
    let (mut bound, mut bound_price) = (bound, 0);
    let mut try_price = |price: i128| {
        let choice = priced(items, n, limit, price);
        if choice.bound > bound {
            (bound, bound_price) = (choice.bound, price);
        }
        let keeps = choice.cost <= limit;
        if keeps && best.as_ref().is_none_or(|best| (choice.value, choice.cost) < (best.value, best.cost)) {
            best = Some(choice);
        }
        keeps
    };
    let mut high = 1;
    while !try_price(high) {
        if high >= PRICE_MAX {
            break;
        }
        high = (high * 16).min(PRICE_MAX);
    }
    let mut low = high / 16;
    while high - low > (high >> 20).max(1) {
        let middle = low + (high - low) / 2;
        if try_price(middle) { high = middle } else { low = middle }
    }
    let cheapest = best.is_none().then(|| cheapest_choice(items, n)).filter(|choice| choice.cost <= limit);
    best.or(cheapest).map(|best| (best, bound_price, bound))
}

/// The n cheapest items: the only ones that can keep a limit that no price could enforce.
fn cheapest_choice(items: &[Item], n: usize) -> Choice {
    let mut ranked: Vec<usize> = (0..items.len()).collect();
    ranked.sort_unstable_by_key(|index| (items[*index].cost, items[*index].value));
    ranked.truncate(n);
    Choice {
        value: ranked.iter().map(|index| i128::from(items[*index].value)).sum(),
        cost: ranked.iter().map(|index| i128::from(items[*index].cost)).sum(),
        items: ranked,
        bound: 0,
        free: false,
    }
}

/// Depth-first branch and bound at a fixed price.
fn branch(
    items: &[Item],
    n: usize,
    limit: i128,
    price: i128,
    mut best: Choice,
    bound: i128,
    branches: &mut u64,
) -> Option<Choice> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| (reduced(&items[*index], price), items[*index].cost));
    let sorted: Vec<Item> = order.iter().map(|index| items[*index]).collect();
    let mut prefix = vec![0_i128];
    for item in &sorted {
        prefix.push(prefix[prefix.len() - 1].saturating_add(reduced(item, price)));
    }
    let cost_floor = cost_floors(&sorted);

    let mut path: Vec<usize> = Vec::with_capacity(n);
    let (mut value, mut cost, mut sum) = (0_i128, 0_i128, 0_i128);
    let mut next = 0;
    loop {
        let missing = n - path.len();
        if missing == 0 && cost <= limit && (value, cost) < (best.value, best.cost) {
            let chosen = path.iter().map(|position| order[*position]).collect();
            best = Choice { items: chosen, value, cost, bound, free: false };
            if best.value <= bound {
                break;
            }
        }
        let open = missing > 0 && next + missing <= sorted.len() && {
            let rest = prefix[next + missing].saturating_sub(prefix[next]);
            bound_of(sum.saturating_add(rest), limit, price) < best.value
                && cost + cost_floor[next] * missing as i128 <= limit
        };
        if open {
            if *branches == 0 {
                return Some(Choice { bound, ..best });
            }
            *branches -= 1;
            value += i128::from(sorted[next].value);
            cost += i128::from(sorted[next].cost);
            sum = sum.saturating_add(reduced(&sorted[next], price));
            path.push(next);
            next += 1;
        } else {
            // Leave the item that was taken last, and go on behind it.
            let Some(last) = path.pop() else { break };
            value -= i128::from(sorted[last].value);
            cost -= i128::from(sorted[last].cost);
            sum -= reduced(&sorted[last], price);
            next = last + 1;
        }
    }
    Some(Choice { bound: best.value, ..best })
}

/// The least cost among the items from each position on.
fn cost_floors(items: &[Item]) -> Vec<i128> {
    let mut floors = vec![i128::from(i64::MAX); items.len() + 1];
    for (position, item) in items.iter().enumerate().rev() {
        floors[position] = floors[position + 1].min(i128::from(item.cost));
    }
    floors
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_force(items: &[Item], n: usize, limit: i128) -> Option<(i128, i128)> {
        let mut best = None;
        for subset in 0_u32..1 << items.len() {
            if subset.count_ones() as usize != n {
                continue;
            }
            let chosen = items.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1);
            let (value, cost) = chosen.fold((0, 0), |(value, cost), (_, item)| {
                (value + i128::from(item.value), cost + i128::from(item.cost))
            });
            if cost <= limit && best.is_none_or(|best| (value, cost) < best) {
                best = Some((value, cost));
            }
        }
        best
    }

    fn items() -> impl Strategy<Value = Vec<Item>> {
        prop::collection::vec((0..40_i64, 0..40_i64), 1..12)
            .prop_map(|pairs| pairs.into_iter().map(|(value, cost)| Item { value, cost }).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn equals_brute_force(items in items(), n in 1..6_usize, limit in 0..160_i128) {
            let choice = choose(&items, n, limit, i128::MAX, &mut 1_000_000, &mut 0);
            let found = choice.as_ref().map(|choice| (choice.value, choice.cost));
            prop_assert_eq!(found, brute_force(&items, n, limit));
            if let Some(choice) = choice {
                prop_assert_eq!(choice.bound, choice.value);
                let mut distinct = choice.items.clone();
                distinct.sort_unstable();
                distinct.dedup();
                prop_assert_eq!(distinct.len(), n);
                prop_assert_eq!(choice.value, choice.items.iter().map(|i| i128::from(items[*i].value)).sum());
                prop_assert_eq!(choice.cost, choice.items.iter().map(|i| i128::from(items[*i].cost)).sum());
            }
        }

        #[test]
        fn without_branches_the_bound_still_holds(items in items(), n in 1..6_usize, limit in 0..160_i128) {
            let choice = choose(&items, n, limit, i128::MAX, &mut 0, &mut 0);
            let best = brute_force(&items, n, limit);
            prop_assert_eq!(choice.is_some(), best.is_some());
            if let (Some(choice), Some((value, _))) = (choice, best) {
                prop_assert!(choice.bound <= value && value <= choice.value && choice.cost <= limit);
            }
        }

        #[test]
        fn a_cutoff_loses_nothing_better(items in items(), n in 1..6_usize, limit in 0..160_i128, cutoff in 0..120_i128) {
            let choice = choose(&items, n, limit, cutoff, &mut 1_000_000, &mut 0);
            match brute_force(&items, n, limit) {
                Some(best) if best.0 < cutoff => {
                    prop_assert_eq!(choice.map(|choice| (choice.value, choice.cost)), Some(best));
                }
                _ => prop_assert!(choice.is_none_or(|choice| choice.value >= cutoff)),
            }
        }
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let items = vec![Item { value: i64::MAX, cost: i64::MAX }; 50];
        let choice = choose(&items, 40, 40 * i128::from(i64::MAX), i128::MAX, &mut 10, &mut 0).unwrap();
        assert_eq!(choice.cost, 40 * i128::from(i64::MAX));
        assert_eq!(choose(&items, 40, i128::from(i64::MAX), i128::MAX, &mut 10, &mut 0), None);
    }
}
