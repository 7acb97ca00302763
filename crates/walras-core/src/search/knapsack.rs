//! n of m items with the least total value and a total cost within a limit, proven.
//!
//! **Problem.** Given m items with value z ≥ 0 and cost c ≥ 0: choose exactly n with min Σz subject to
//! Σc ≤ S; among those, the least Σc; among those, the first places: of two choices whose places are written in order, the one
//! that is less where they first differ. So there is one answer, and it stays the answer when other items go.
//!
//! **Method.** Items than which n others are no worse by value and strictly cheaper are never part of an answer and are left
//! out, which leaves about n log(m/n). Then price the limit: for λ ≥ 0 the n items of least z + λc, less λS, bound the optimum from
//! below. As a function of λ that is the lower envelope of lines, one for each choice; its top is found by going again and
//! again to where the line of a choice beyond the limit meets that of one within it. λ is a fraction p / 2²⁴, so that all is
//! exact; the choices met on the way that keep the limit are incumbents. Then branch: items in order of z + λc are taken or
//! left, and a branch is cut off when its bound (a difference of prefix sums) leaves nothing better than the incumbent, and
//! nothing equal. Of items that are the same, none is taken when one of an earlier place is left.
//!
//! **Complexity.** O(m log m) to leave items out, and linear in what is left per λ, about five of them; the branching is exponential at worst, is bounded by a
//! number of branches, and says so when it gives up, with the bound that holds.
//!
//! Example: the values 1, 2, 9 at costs 8, 5, 1, two to be chosen, limit 7: the best value is 2 + 9 = 11.
//!
//! Source: the Lagrangean dual of one constraint as Kelley's cutting planes in the plane (J. E. Kelley, 1960).

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
    /// Places of the items, in order.
    pub(crate) items: Vec<usize>,
    pub(crate) value: i128,
    pub(crate) cost: i128,
    /// No choice has a lower value; equal to `value` when proven best.
    pub(crate) bound: i128,
    /// Whether it is known to be the answer: of the least value, then the least cost, then of the first places.
    pub(crate) settled: bool,
}

/// λ is a multiple of 2⁻²⁴.
pub(crate) const SCALE: i128 = 1 << 24;
/// λ stays below 2³⁶: beyond that the cost is all that counts.
const PRICE_MAX: i128 = 1 << 60;
/// So many prices are tried at most.
const PRICES_TRIED_MAX: usize = 64;

/// The best choice of `n` items within `limit`, or `None` when there is none.
///
/// `branches` is what may still be spent on proofs; it is counted down. Choices of a value of at least
/// `cutoff` are of no interest: when the bound shows that there is nothing better, the answer is `None` too.
/// `price` is the λ that is tried first, in units of 1 / [`SCALE`], and is set to the one that bounds best, unless the limit
/// played no part.
pub(crate) fn choose(
    items: &[Item],
    n: usize,
    limit: i128,
    cutoff: i128,
    branches: &mut u64,
    price: &mut i128,
) -> Option<Choice> {
    let kept = undominated(items, n, limit);
    if n == 0 || kept.len() < n {
        return None;
    }
    let items: Vec<Item> = kept.iter().map(|index| items[*index]).collect();
    let mut pricing = Pricing { items: &items, n, limit, ranked: Vec::with_capacity(items.len()) };
    let mut choice = pricing.choose(cutoff, branches, price)?;
    choice.items.iter_mut().for_each(|index| *index = kept[*index]);
    Some(choice)
}

/// The places of the items within the limit than which fewer than `n` others are no worse by value and strictly cheaper, in
/// order.
fn undominated(items: &[Item], n: usize, limit: i128) -> Vec<usize> {
    let affordable = items.iter().enumerate().filter(|(_, item)| i128::from(item.cost) <= limit);
    let mut order: Vec<(i64, i64, usize)> =
        affordable.map(|(index, item)| (item.value, item.cost, index)).collect();
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

/// The items, priced again and again.
struct Pricing<'a> {
    items: &'a [Item],
    n: usize,
    limit: i128,
    /// Reduced value, cost and place; the n least first.
    ranked: Vec<(i128, i64, usize)>,
}

/// The n items that are least at a price.
#[derive(Clone, Copy)]
struct Priced {
    value: i128,
    cost: i128,
    /// The sum of their reduced values.
    sum: i128,
}

impl Pricing<'_> {
    fn choose(&mut self, cutoff: i128, branches: &mut u64, price: &mut i128) -> Option<Choice> {
        let free = self.at(0);
        if free.cost <= self.limit {
            let choice = self.chosen(&free, free.value);
            return (free.value < cutoff).then_some(Choice { settled: true, ..choice });
        }
        if free.value >= cutoff {
            return None;
        }
        let cheapest = self.cheapest();
        if cheapest.cost > self.limit {
            return None;
        }
        let best = self.chosen(&cheapest, 0);
        let (best, bound) = self.best_price(free, cheapest, best, cutoff, price);
        if bound >= cutoff {
            return None;
        }
        Some(branch(self.items, self.limit, *price, best, bound, branches))
    }

    /// Goes to the top of the envelope: the best choice met, and the best bound.
    ///
    /// `beyond` exceeds the limit, `within` keeps it, and both are the least at some price.
    fn best_price(
        &mut self,
        mut beyond: Priced,
        mut within: Priced,
        mut best: Choice,
        cutoff: i128,
        price: &mut i128,
    ) -> (Choice, i128) {
        // Where the product with the limit is exact.
        let price_max = PRICE_MAX.min((i128::MAX >> 2) / self.limit.max(1));
        let mut top = (beyond.sum, 0);
        let mut hint = Some(*price).filter(|price| (1..=price_max).contains(price));
        for _ in 0..PRICES_TRIED_MAX {
            let guessed = hint.is_some();
            let tried = hint.take().unwrap_or_else(|| meeting(&beyond, &within).min(price_max));
            let met = self.at(tried);
            let relaxed = met.sum.saturating_sub(tried * self.limit);
            top = top.max((relaxed, tried));
            let keeps = met.cost <= self.limit;
            if keeps && (met.value, met.cost) < (best.value, best.cost) {
                best = self.chosen(&met, 0);
            }
            let no_lower = met.sum >= reduced_sum(&beyond, tried).min(reduced_sum(&within, tried));
            if rounding::up(top.0, SCALE) >= cutoff || (no_lower && !guessed) {
                break;
            }
            if keeps { within = met } else { beyond = met }
        }
        *price = top.1;
        (best, rounding::up(top.0, SCALE))
    }

    /// The n items of least value + price · cost; of those, the cheapest; of those, the first.
    fn at(&mut self, price: i128) -> Priced {
        let items = self.items;
        self.least_by(|index| (reduced(&items[index], price), items[index].cost, index))
    }

    /// The n cheapest items; of those, the least by value: nothing else keeps a limit that is lower.
    fn cheapest(&mut self) -> Priced {
        let items = self.items;
        self.least_by(|index| (i128::from(items[index].cost), items[index].value, index))
    }

    fn least_by(&mut self, rank: impl Fn(usize) -> (i128, i64, usize)) -> Priced {
        self.ranked.clear();
        self.ranked.extend((0..self.items.len()).map(rank));
        if self.n < self.ranked.len() {
            self.ranked.select_nth_unstable(self.n - 1);
        }
        let mut priced = Priced { value: 0, cost: 0, sum: 0 };
        for (rank, _, index) in &self.ranked[..self.n] {
            priced.value += i128::from(self.items[*index].value);
            priced.cost += i128::from(self.items[*index].cost);
            priced.sum = priced.sum.saturating_add(*rank);
        }
        priced
    }

    /// The choice of what was ranked last.
    fn chosen(&self, priced: &Priced, bound: i128) -> Choice {
        let mut items: Vec<usize> = self.ranked[..self.n].iter().map(|(_, _, index)| *index).collect();
        items.sort_unstable();
        Choice { items, value: priced.value, cost: priced.cost, bound, settled: false }
    }
}

/// The price at which two choices are worth the same, rounded down.
fn meeting(beyond: &Priced, within: &Priced) -> i128 {
    let (dearer, better) = (beyond.cost - within.cost, within.value - beyond.value);
    rounding::down(better.max(0).saturating_mul(SCALE), dearer.max(1))
}

/// What a choice comes to at a price.
fn reduced_sum(choice: &Priced, price: i128) -> i128 {
    (choice.value.saturating_mul(SCALE)).saturating_add(price.saturating_mul(choice.cost))
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

/// Depth-first branch and bound at a fixed price, from the best choice so far.
fn branch(
    items: &[Item],
    limit: i128,
    price: i128,
    mut best: Choice,
    bound: i128,
    branches: &mut u64,
) -> Choice {
    let n = best.items.len();
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
        if missing == 0 && cost <= limit && (value, cost) <= (best.value, best.cost) {
            let mut chosen: Vec<usize> = path.iter().map(|place| order[*place]).collect();
            chosen.sort_unstable();
            if (value, cost, &chosen) < (best.value, best.cost, &best.items) {
                best = Choice { items: chosen, value, cost, bound, settled: false };
            }
        }
        let open = missing > 0 && next + missing <= sorted.len() && {
            let rest = prefix[next + missing].saturating_sub(prefix[next]);
            let least = sum.saturating_add(rest);
            // A lower value, or the same at no higher cost.
            let hopeful =
                bound_of(least, limit, price) < best.value || bound_of(least, best.cost, price) <= best.value;
            hopeful && cost + cost_floor[next] * missing as i128 <= limit
        };
        if open {
            if *branches == 0 {
                return Choice { bound: bound.min(best.value), ..best };
            }
            *branches -= 1;
            value += i128::from(sorted[next].value);
            cost += i128::from(sorted[next].cost);
            sum = sum.saturating_add(reduced(&sorted[next], price));
            path.push(next);
            next += 1;
        } else {
            // Leave the item that was taken last and all that are the same, and go on behind them.
            let Some(last) = path.pop() else { break };
            value -= i128::from(sorted[last].value);
            cost -= i128::from(sorted[last].cost);
            sum -= reduced(&sorted[last], price);
            next = last + 1;
            while sorted.get(next) == Some(&sorted[last]) {
                next += 1;
            }
        }
    }
    Choice { bound: best.value, settled: true, ..best }
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
    fn extreme_numbers_do_not_overflow() {
        let items = vec![Item { value: i64::MAX, cost: i64::MAX }; 50];
        let choice = choose(&items, 40, 40 * i128::from(i64::MAX), i128::MAX, &mut 10, &mut 0).unwrap();
        assert_eq!(choice.cost, 40 * i128::from(i64::MAX));
        assert_eq!(choose(&items, 40, i128::from(i64::MAX), i128::MAX, &mut 10, &mut 0), None);
    }
}
