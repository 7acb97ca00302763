//! n of m items with the least total value and a total cost within a limit, proven.
//!
//! **Problem.** Given m items with value z ≥ 0 and cost c ≥ 0: choose exactly n with min Σz subject to
//! Σc ≤ S; among those, the least Σc; among those, the first places: of two choices whose places are written in order, the one
//! that is less where they first differ. So there is one answer, and it stays the answer when other items go.
//!
//! **Method.** Items than which n others are no worse by value and strictly cheaper are never part of an answer and are left
//! out, which leaves about n log(m/n). Then price the limit ([`super::pricing`]), which bounds the optimum from below; the
//! choices met on the way that keep the limit are incumbents. Where bound and incumbent do not meet, branch: items in order of
//! z + λc are taken or left, and a branch is cut off when its bound (a difference of prefix sums) is no better than the
//! incumbent. Branching once more, now into all that may be equal, finds the least cost and the first places. Of items that
//! are the same, none is taken when one of an earlier place is left. Where too many choices are equal for that, the least cost
//! is the same problem with the roles of value and cost exchanged, and the places are any.
//!
//! **Complexity.** O(m log m) to leave items out, and linear in what is left per λ, about five of them; the branching is exponential at worst, is bounded by a
//! number of branches, and says so when it gives up, with the bound that holds.
//!
//! Example: the values 1, 2, 9 at costs 8, 5, 1, two to be chosen, limit 7: the best value is 2 + 9 = 11.

use super::pricing::{Choice, Item, Pricing, bound_of, is_refuted, reduced};
use std::collections::BinaryHeap;

/// So many branches are spent on finding the first of equal choices.
const TIES_TRIED_MAX: u64 = 4_000;

/// The best choice of `n` items within `limit`, or `None` when there is none.
///
/// `branches` is what may still be spent on proofs; it is counted down. Choices of a value of at least
/// `cutoff` are of no interest: when the bound shows that there is nothing better, the answer is `None` too.
/// `price` is the λ that is tried first, in units of 1 / [`SCALE`](super::pricing::SCALE), and is set to the one that bounds best, unless the limit
/// played no part.
pub(crate) fn choose(
    items: &[Item],
    n: usize,
    limit: i128,
    cutoff: i128,
    branches: &mut u64,
    price: &mut i128,
) -> Option<Choice> {
    if n == 0 || items.len() < n || is_refuted(items, n, limit, cutoff, *price) {
        return None;
    }
    if *price <= 0 {
        // Where the limit plays no part, the least values are the answer, and none of them is left out below.
        let mut pricing = Pricing::new(items, n, limit);
        let free = pricing.at(0);
        if free.value >= cutoff {
            return None;
        }
        if free.cost <= limit {
            return Some(Choice { settled: true, ..pricing.chosen(&free, free.value) });
        }
    }
    let kept = undominated(items, n, limit);
    if kept.len() < n {
        return None;
    }
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
    let mut pricing = Pricing::new(items, n, limit);
    let free = pricing.at(0);
    if free.cost <= limit {
        let choice = pricing.chosen(&free, free.value);
        return (free.value < cutoff).then_some(Choice { settled: true, ..choice });
    }
    if free.value >= cutoff {
        return None;
    }
    let cheapest = pricing.cheapest();
    if cheapest.cost > limit {
        return None;
    }
    let best = pricing.chosen(&cheapest, 0);
    let (mut best, bound) = pricing.best_price(free, cheapest, best, cutoff, price);
    if bound >= cutoff {
        return None;
    }
    let search = Branching { items, limit, price: *price };
    if best.value > bound && !search.run(Seek::Better { bound }, &mut best, branches) {
        return Some(Choice { bound: bound.min(best.value), ..best });
    }
    if best.value >= cutoff {
        return None;
    }
    best.bound = best.value;
    let granted = TIES_TRIED_MAX.min(*branches);
    let mut left = granted;
    best.settled = search.run(Seek::Equal, &mut best, &mut left);
    *branches -= granted - left;
    Some(if best.settled { best } else { cheaper(items, best, branches) })
}

/// The least cost at a value, where too many choices are equal to find the one of the first places.
fn cheaper(items: &[Item], best: Choice, branches: &mut u64) -> Choice {
    let swapped: Vec<Item> = items.iter().map(|item| Item { value: item.cost, cost: item.value }).collect();
    let mut pricing = Pricing::new(&swapped, best.items.len(), best.value);
    let mut other = Choice { value: best.cost, cost: best.value, ..best.clone() };
    let free = pricing.at(0);
    if free.cost <= best.value {
        other = pricing.chosen(&free, 0);
    } else {
        let (cheapest, mut price) = (pricing.cheapest(), 0);
        let bound;
        (other, bound) = pricing.best_price(free, cheapest, other, best.cost, &mut price);
        let search = Branching { items: &swapped, limit: best.value, price };
        if other.value > bound {
            search.run(Seek::Better { bound }, &mut other, branches);
        }
    }
    Choice { items: other.items, value: other.cost, cost: other.value, ..best }
}

/// The places of the items within the limit than which fewer than `n` others are no worse by value and strictly cheaper, in
/// order.
fn undominated(items: &[Item], n: usize, limit: i128) -> Vec<usize> {
    let affordable = items.iter().enumerate().filter(|(_, item)| i128::from(item.cost) <= limit);
    let mut order: Vec<(i64, i64, usize)> = Vec::with_capacity(items.len());
    order.extend(affordable.map(|(index, item)| (item.value, item.cost, index)));
    order.sort_unstable();
    // The n least costs so far, the greatest on top.
    let mut cheapest = BinaryHeap::with_capacity(n + 1);
    let mut kept = Vec::with_capacity(order.len());
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

/// What branching looks for.
#[derive(Clone, Copy)]
enum Seek {
    /// A choice of a lower value; none is below the bound.
    Better { bound: i128 },
    /// One of the same value that is cheaper, or of the first places.
    Equal,
}

/// Depth-first branch and bound at a fixed price.
struct Branching<'a> {
    items: &'a [Item],
    limit: i128,
    price: i128,
}

impl Branching<'_> {
    /// Betters `best` within so many branches; whether all were looked at.
    fn run(&self, seek: Seek, best: &mut Choice, branches: &mut u64) -> bool {
        let (items, price, n) = (self.items, self.price, best.items.len());
        let ranked = items.iter().enumerate();
        let mut order: Vec<(i128, i64, usize)> =
            ranked.map(|(index, item)| (reduced(item, price), item.cost, index)).collect();
        order.sort_unstable();
        let sorted: Vec<Item> = order.iter().map(|(.., index)| items[*index]).collect();
        let mut prefix = Vec::with_capacity(sorted.len() + 1);
        prefix.push(0_i128);
        for (reduced, ..) in &order {
            prefix.push(prefix[prefix.len() - 1].saturating_add(*reduced));
        }
        let cost_floor = cost_floors(&sorted);

        let mut path: Vec<usize> = Vec::with_capacity(n);
        let (mut value, mut cost, mut sum) = (0_i128, 0_i128, 0_i128);
        let mut next = 0;
        loop {
            let missing = n - path.len();
            if missing == 0 && cost <= self.limit && (value, cost) <= (best.value, best.cost) {
                let chosen = path.iter().map(|place| order[*place].2).collect();
                meet(best, chosen, value, cost);
                if matches!(seek, Seek::Better { bound } if best.value <= bound) {
                    return true;
                }
            }
            let open = missing > 0 && next + missing <= sorted.len() && {
                let rest = prefix[next + missing].saturating_sub(prefix[next]);
                self.is_hopeful(seek, best, sum.saturating_add(rest))
                    && cost + cost_floor[next] * missing as i128 <= self.limit
            };
            if open {
                if *branches == 0 {
                    return false;
                }
                *branches -= 1;
                value += i128::from(sorted[next].value);
                cost += i128::from(sorted[next].cost);
                sum = sum.saturating_add(order[next].0);
                path.push(next);
                next += 1;
            } else {
                // Leave the item that was taken last and all that are the same, and go on behind them.
                let Some(last) = path.pop() else { return true };
                value -= i128::from(sorted[last].value);
                cost -= i128::from(sorted[last].cost);
                sum -= order[last].0;
                next = last + 1;
                while sorted.get(next) == Some(&sorted[last]) {
                    next += 1;
                }
            }
        }
    }

    /// Whether choices of at least so much in reduced values may be what is looked for.
    fn is_hopeful(&self, seek: Seek, best: &Choice, least: i128) -> bool {
        match seek {
            Seek::Better { .. } => bound_of(least, self.limit, self.price) < best.value,
            Seek::Equal => bound_of(least, best.cost, self.price) <= best.value,
        }
    }
}

/// Puts a choice in the place of the best where it is better: by value, cost and places.
fn meet(best: &mut Choice, mut items: Vec<usize>, value: i128, cost: i128) {
    items.sort_unstable();
    if (value, cost, &items) < (best.value, best.cost, &best.items) {
        *best = Choice { items, value, cost, bound: best.bound, settled: false };
    }
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

    /// Value, cost and places of the best choice.
    fn brute_force(items: &[Item], n: usize, limit: i128) -> Option<(i128, i128, Vec<usize>)> {
        let mut best: Option<(i128, i128, Vec<usize>)> = None;
        for subset in 0_u32..1 << items.len() {
            if subset.count_ones() as usize != n {
                continue;
            }
            let places: Vec<usize> = (0..items.len()).filter(|index| subset >> index & 1 == 1).collect();
            let value = places.iter().map(|index| i128::from(items[*index].value)).sum();
            let cost = places.iter().map(|index| i128::from(items[*index].cost)).sum();
            let choice = (value, cost, places);
            if cost <= limit && best.as_ref().is_none_or(|best| choice < *best) {
                best = Some(choice);
            }
        }
        best
    }

    /// Items among which many choices are equal, or few.
    fn items() -> impl Strategy<Value = Vec<Item>> {
        let drawn = |most: i64| prop::collection::vec((0..most, 0..most), 1..12);
        let pairs = prop_oneof![drawn(4), drawn(40)];
        pairs.prop_map(|pairs| pairs.into_iter().map(|(value, cost)| Item { value, cost }).collect())
    }

    fn found(choice: Choice) -> (i128, i128, Vec<usize>) {
        (choice.value, choice.cost, choice.items)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn equals_brute_force(
            items in items(), n in 1..6_usize, limit in 0..160_i128, small in any::<bool>(), price in 0..1_i128 << 28,
        ) {
            let limit = if small { limit / 10 } else { limit };
            let choice = choose(&items, n, limit, i128::MAX, &mut 1_000_000, &mut price.clone());
            if let Some(choice) = &choice {
                prop_assert!(choice.settled);
                prop_assert_eq!(choice.bound, choice.value);
            }
            prop_assert_eq!(choice.map(found), brute_force(&items, n, limit));
        }

        #[test]
        fn without_branches_the_bound_still_holds(items in items(), n in 1..6_usize, limit in 0..160_i128) {
            let choice = choose(&items, n, limit, i128::MAX, &mut 0, &mut 0);
            let best = brute_force(&items, n, limit);
            prop_assert_eq!(choice.is_some(), best.is_some());
            if let (Some(choice), Some((value, ..))) = (choice, best) {
                prop_assert!(choice.bound <= value && value <= choice.value && choice.cost <= limit);
            }
        }

        #[test]
        fn a_cutoff_loses_nothing_better(items in items(), n in 1..6_usize, limit in 0..160_i128, cutoff in 0..120_i128) {
            let choice = choose(&items, n, limit, cutoff, &mut 1_000_000, &mut 0);
            match brute_force(&items, n, limit) {
                Some(best) if best.0 < cutoff => prop_assert_eq!(choice.map(found), Some(best)),
                _ => prop_assert!(choice.is_none_or(|choice| choice.value >= cutoff)),
            }
        }
    }

    #[test]
    fn where_very_many_choices_are_equal_value_and_cost_are_still_proven() {
        // Value and cost of every choice come to 120 together, and half of that is reached in thousands of ways.
        let items: Vec<Item> =
            (0..54).map(|place| Item { value: 1 + place % 9, cost: 9 - place % 9 }).collect();
        let mut branches = 200_000;
        let choice = choose(&items, 12, 60, i128::MAX, &mut branches, &mut 0).unwrap();
        assert_eq!((choice.value, choice.cost, choice.bound, choice.settled), (60, 60, 60, false));
        assert!(branches > 100_000, "{branches}");
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let items = vec![Item { value: i64::MAX, cost: i64::MAX }; 50];
        let choice = choose(&items, 40, 40 * i128::from(i64::MAX), i128::MAX, &mut 10, &mut 0).unwrap();
        assert_eq!(choice.cost, 40 * i128::from(i64::MAX));
        assert_eq!(choose(&items, 40, i128::from(i64::MAX), i128::MAX, &mut 10, &mut 0), None);
    }
}
