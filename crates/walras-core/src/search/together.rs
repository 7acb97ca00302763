//! The n of a few candidates that come to least together, of all that are alive at one time and within a budget.
//!
//! **Problem.** A stretch of time that is searched again has twenty or thirty candidates left that can be part of a window of interest. To bound
//! each of its starts by a price of the budget and to solve those that the bounds leave takes far longer than to look through what
//! candidates there are.
//!
//! **Method.** Depth first through the candidates in order of what they weigh, value and priced cost ([`super::pricing`]): one is taken when it is alive together
//! with all that are taken, and within the budget with the cheapest others. The n least weights from a place on bound what may follow,
//! as do the least values; both against the best found so far. Windows of one value are ranked by their start, cost and keys, as everywhere: so what is
//! found does not depend on the price, which only decides how long it takes.
//!
//! **Complexity.** Exponential at worst, hence within so many steps; who needs more is answered nothing.
//!
//! Example: values 1, 2 and 9 at costs 8, 5 and 1, of which the first two are never alive together: two within 10 come to 1 + 9.

use super::criterion::BestSoFar;
use super::few::{Weighed, weight_max};
use super::pricing::Item;
use walras_model::offer::SlotKey;

/// More tasks are not placed like this.
const TASKS_MAX: usize = 12;
/// Sums of a window's numbers are below this, so that none overflows.
const SUM_MAX: i64 = i64::MAX / 4;

/// What windows are looked for: of so many tasks, within a budget and of at most a value. What their members weigh together is at most
/// their value and `spent_max`, the price of the budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) tasks: usize,
    pub(super) budget: i64,
    pub(super) value_max: i64,
    pub(super) spent_max: i64,
}

/// A candidate as it is looked through, and its place among all.
#[derive(Clone, Copy, Debug)]
struct Member {
    weight: i64,
    value: i64,
    cost: i64,
    start: i64,
    expiry: i64,
    place: u32,
    /// What all before it weigh.
    before: i64,
    /// The least values and costs from it on.
    value_min: i64,
    cost_min: i64,
}

/// Stands behind all members.
const NOBODY: Member = Member {
    weight: 0,
    value: 0,
    cost: 0,
    start: 0,
    expiry: 0,
    place: 0,
    before: 0,
    value_min: 0,
    cost_min: 0,
};

/// What is taken.
#[derive(Clone, Copy, Debug)]
struct Taken {
    weight: i64,
    value: i64,
    cost: i64,
    start: i64,
    expiry: i64,
}

/// By place among the members.
type Path = [usize; TASKS_MAX];

/// What was found.
#[derive(Clone, Debug)]
pub(super) enum Together {
    Best(BestSoFar),
    /// No window is wanted: none is below this, or there is none at all.
    Beyond(Option<i64>),
}

/// The best window of these candidates, none of which starts too early; nothing when that takes more than so many steps, which are
/// counted down.
pub(super) fn least_together(all: &[Weighed<Item>], wanted: Wanted, steps: &mut u64) -> Option<Together> {
    if !(1..=TASKS_MAX).contains(&wanted.tasks) {
        return None;
    }
    if all.len() < wanted.tasks {
        return Some(Together::Beyond(None));
    }
    let mut search = Search::new(all, wanted, *steps)?;
    let none = Taken { weight: 0, value: 0, cost: 0, start: i64::MIN, expiry: i64::MAX };
    let ended = search.extend(none, 0, 0);
    *steps = search.steps;
    ended.map(|()| search.found())
}

struct Search<'a> {
    all: &'a [Weighed<Item>],
    /// In order of weight, and [`NOBODY`].
    members: Vec<Member>,
    wanted: Wanted,
    steps: u64,
    path: Path,
    /// What was passed over because it comes to too much comes to no less.
    beyond: i64,
    /// Value, start, cost and members of the best that was found.
    best: Option<((i64, i64, i64), Path)>,
}

impl<'a> Search<'a> {
    /// Nothing where sums might overflow.
    fn new(all: &'a [Weighed<Item>], wanted: Wanted, steps: u64) -> Option<Search<'a>> {
        if wanted.value_max.max(wanted.spent_max) > SUM_MAX {
            return None;
        }
        let weight_max = weight_max(all, wanted.tasks, i128::from(wanted.value_max + wanted.spent_max));
        let weight_max =
            i64::try_from(weight_max).unwrap_or(if weight_max < 0 { i64::MIN } else { i64::MAX });
        let mut beyond = i64::MAX;
        let mut order: Vec<(i64, u32)> = Vec::with_capacity(all.len());
        order.extend(
            (0..).zip(all).filter(|(_, it)| it.weight <= weight_max).map(|(place, it)| (it.weight, place)),
        );
        if order.len() < all.len() {
            // A window with another comes to more than is wanted.
            beyond = wanted.value_max + 1;
        }
        order.sort_unstable();
        let most = SUM_MAX / i64::try_from(all.len()).ok()?;
        let mut members: Vec<Member> = Vec::with_capacity(order.len() + 1);
        let (mut before, mut greatest) = (0_i64, 0);
        for (weight, place) in &order {
            let Weighed { start, expiry, of: Item { value, cost }, .. } = all[*place as usize];
            members.push(Member {
                weight: *weight,
                value,
                cost,
                start,
                expiry,
                place: *place,
                before,
                value_min: value,
                cost_min: cost,
            });
            greatest = greatest.max(*weight).max(value).max(cost);
            before = before.saturating_add(*weight);
        }
        if greatest > most {
            return None;
        }
        members.push(Member { before, value_min: most, cost_min: most, ..NOBODY });
        let (mut value_min, mut cost_min) = (most, most);
        for it in members.iter_mut().rev() {
            (value_min, cost_min) = (value_min.min(it.value_min), cost_min.min(it.cost_min));
            (it.value_min, it.cost_min) = (value_min, cost_min);
        }
        Some(Search { all, members, wanted, steps, path: [0; TASKS_MAX], beyond, best: None })
    }

    /// Tries all that may follow what is taken; nothing when there are too many steps.
    fn extend(&mut self, taken: Taken, depth: usize, from: usize) -> Option<()> {
        let missing = self.wanted.tasks - depth;
        if missing == 1 {
            return self.end(taken, from);
        }
        let others = i64::try_from(missing - 1).ok()?;
        for place in from..self.members.len().saturating_sub(missing) {
            let (it, behind) = (self.members[place], self.members[place + 1]);
            let least =
                taken.weight + (self.members[place + missing].before - it.before) - self.wanted.spent_max;
            if least > self.wanted.value_max {
                self.beyond = self.beyond.min(least);
                return Some(());
            }
            self.steps = self.steps.checked_sub(1)?;
            let (value, cost) = (taken.value + it.value, taken.cost + it.cost);
            let fits = (it.start <= taken.expiry)
                & (it.expiry >= taken.start)
                & (cost + others * behind.cost_min <= self.wanted.budget);
            if !fits {
                continue;
            }
            let least = value + others * behind.value_min;
            if least > self.wanted.value_max {
                self.beyond = self.beyond.min(least);
                continue;
            }
            self.path[depth] = place;
            let weight = taken.weight + it.weight;
            let (start, expiry) = (taken.start.max(it.start), taken.expiry.min(it.expiry));
            self.extend(Taken { weight, value, cost, start, expiry }, depth + 1, place + 1)?;
        }
        Some(())
    }

    /// Tries all that may be the last.
    fn end(&mut self, taken: Taken, from: usize) -> Option<()> {
        let depth = self.wanted.tasks - 1;
        for place in from..self.members.len() - 1 {
            let it = &self.members[place];
            let least = taken.weight + it.weight - self.wanted.spent_max;
            if least > self.wanted.value_max {
                self.beyond = self.beyond.min(least);
                return Some(());
            }
            self.steps = self.steps.checked_sub(1)?;
            let (value, cost) = (taken.value + it.value, taken.cost + it.cost);
            let fits = (it.start <= taken.expiry) & (it.expiry >= taken.start) & (cost <= self.wanted.budget);
            if !fits {
                continue;
            }
            if value > self.wanted.value_max {
                self.beyond = self.beyond.min(value);
                continue;
            }
            let rank = (value, taken.start.max(it.start), cost);
            self.path[depth] = place;
            self.meet(rank);
        }
        Some(())
    }

    /// Notes a window when it ranks before the best found so far.
    fn meet(&mut self, rank: (i64, i64, i64)) {
        let better = |(best, members): &((i64, i64, i64), Path)| {
            rank < *best || (rank == *best && self.keys(&self.path) < self.keys(members))
        };
        if self.best.as_ref().is_none_or(better) {
            self.best = Some((rank, self.path));
            self.wanted.value_max = rank.0;
        }
    }

    /// The keys of a window, in order.
    fn keys(&self, members: &Path) -> Vec<SlotKey> {
        let members = members[..self.wanted.tasks].iter().map(|place| self.members[*place].place);
        let mut keys: Vec<SlotKey> = members.map(|place| self.all[place as usize].key).collect();
        keys.sort_unstable();
        keys
    }

    fn found(&self) -> Together {
        let Some(((value, start, cost), members)) = &self.best else {
            return Together::Beyond(Some(self.beyond).filter(|beyond| *beyond < i64::MAX));
        };
        let (value, cost) = (i128::from(*value), i128::from(*cost));
        Together::Best(BestSoFar { value, start: *start, cost, keys: self.keys(members) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::pricing::SCALE;
    use proptest::prelude::*;
    use walras_model::id::NodeId;
    use walras_model::quantity::Time;

    /// Value, cost, start, and how much longer it can start.
    type Given = (i64, i64, i64, i64);
    type Rank = (i64, i64, i64, Vec<SlotKey>);

    fn candidates(given: &[Given], price: i128) -> Vec<Weighed<Item>> {
        let weighed = |(node, (value, cost, start, life)): (usize, &Given)| Weighed {
            weight: value + i64::try_from((price * i128::from(*cost)) / SCALE).unwrap(),
            // Not in the order in which they are given.
            key: SlotKey { start: Time::MIN, node: NodeId::from_index((node * 7) % 13).unwrap() },
            start: *start,
            expiry: start + life,
            of: Item { value: *value, cost: *cost },
        };
        given.iter().enumerate().map(weighed).collect()
    }

    /// Everything tried.
    fn tried(all: &[Weighed<Item>], tasks: usize, budget: i64) -> Option<Rank> {
        let mut best: Option<Rank> = None;
        for subset in (0_u32..1 << all.len()).filter(|subset| subset.count_ones() as usize == tasks) {
            let members =
                || all.iter().enumerate().filter(|(place, _)| subset >> place & 1 == 1).map(|(_, it)| it);
            let start = members().map(|it| it.start).max().unwrap();
            let cost = members().map(|it| it.of.cost).sum();
            if cost > budget || members().any(|it| it.expiry < start) {
                continue;
            }
            let mut keys: Vec<SlotKey> = members().map(|it| it.key).collect();
            keys.sort_unstable();
            let rank = (members().map(|it| it.of.value).sum(), start, cost, keys);
            if best.as_ref().is_none_or(|best| rank < *best) {
                best = Some(rank);
            }
        }
        best
    }

    fn wanted(tasks: usize, budget: i64, value_max: i64, price: i128) -> Wanted {
        let spent_max = i64::try_from(price * i128::from(budget) / SCALE).unwrap();
        Wanted { tasks, budget, value_max, spent_max }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn is_the_best_of_everything_tried(
            given in prop::collection::vec((0..9_i64, 0..9_i64, 0..6_i64, 0..6_i64), 1..11),
            tasks in 1..5_usize,
            budget in 0..30_i64,
            value_max in 0..30_i64,
            price in prop_oneof![Just(0_i128), 0..3 * SCALE],
            steps in prop_oneof![0..40_u64, Just(1_000_000)],
        ) {
            let all = candidates(&given, price);
            let best = tried(&all, tasks, budget);
            let mut left = steps;
            match least_together(&all, wanted(tasks, budget, value_max, price), &mut left) {
                Some(Together::Best(found)) => {
                    let found = (found.value, found.start, found.cost, found.keys);
                    let best = best.filter(|best| best.0 <= value_max).map(|it| (it.0.into(), it.1, it.2.into(), it.3));
                    prop_assert_eq!(Some(found), best);
                }
                Some(Together::Beyond(bound)) => match (best, bound) {
                    (Some(best), Some(bound)) => prop_assert!(value_max < bound && bound <= best.0),
                    (best, None) => prop_assert_eq!(best, None),
                    (None, Some(bound)) => prop_assert!(value_max < bound),
                },
                None => prop_assert!(steps < 1_000_000 && left == 0),
            }
        }
    }

    #[test]
    fn who_are_never_alive_together_make_no_window() {
        let all = candidates(&[(1, 8, 0, 1), (2, 5, 2, 1), (9, 1, 0, 5)], 0);
        let found = |budget, value_max| match least_together(&all, wanted(2, budget, value_max, 0), &mut 100)
        {
            Some(Together::Best(best)) => (Some(best.value), Some(best.start), None),
            Some(Together::Beyond(bound)) => (None, None, bound),
            None => unreachable!(),
        };
        assert_eq!(found(10, 20), (Some(10), Some(0), None));
        assert_eq!(found(8, 20), (Some(11), Some(2), None));
        assert_eq!(found(5, 20), (None, None, None));
        // The third one alone comes to more than 4, which is what the least other leaves.
        assert_eq!(found(10, 5).2, Some(6));
    }

    #[test]
    fn numbers_that_might_overflow_are_left_to_others() {
        let all = candidates(&[(1, i64::MAX, 0, 1), (1, 1, 0, 1)], 0);
        let any = Wanted { tasks: 2, budget: 2, value_max: SUM_MAX, spent_max: 0 };
        assert!(least_together(&all, any, &mut 100).is_none());
        assert!(least_together(&all, Wanted { tasks: 13, ..any }, &mut 100).is_none());
    }
}
