//! Depth first over the classes that prices leave undecided: very many branches of very little work each.
//!
//! At fixed prices every candidate has a loss ([`super::whole`]). The classes that lose most by a change come first, the
//! least losses of each first; a branch ends when its losses, plus the prices of limits that can no longer be used up,
//! are too much, or when the classes to come cannot keep a limit. With two or three limits this ends long before
//! [`super::tree`] does, which bounds better and takes a hundred times as long for each branch.

use super::super::knapsack::Knapsack;
use super::incumbent::Incumbent;
use super::whole::room_below;

/// Losses at whole prices.
pub(super) struct Priced<'a> {
    pub(super) prices: &'a [i64],
    /// Class by class, one after another.
    pub(super) losses: &'a [i128],
    /// The bound of these prices, scaled.
    pub(super) bound: i128,
}

/// Looks for something better in at most so many branches; whether all that is better was ruled out.
pub(super) fn search(
    problem: &Knapsack,
    priced: &Priced<'_>,
    best: &mut Incumbent<'_>,
    branches: &mut u64,
) -> bool {
    let mut depth = Depth::new(problem, priced);
    let mut stack = vec![Frame { loss: 0, taken: depth.settled.clone(), next: 0 }];
    while let Some(place) = stack.len().checked_sub(1) {
        let Some(stage) = depth.stages.get(place) else {
            best.offer(&depth.chosen);
            stack.pop();
            continue;
        };
        let room = best.value().map_or(i128::MAX, |value| room_below(value, priced.bound));
        let frame = &mut stack[place];
        let next = stage.candidates.get(frame.next).filter(|(_, loss)| frame.loss + loss <= room);
        let Some(&(index, loss)) = next else {
            stack.pop();
            continue;
        };
        if *branches == 0 {
            return false;
        }
        *branches -= 1;
        frame.next += 1;
        let takes = &problem.classes[stage.class][index].takes;
        let taken: Vec<i128> = frame.taken.iter().zip(takes).map(|(sum, takes)| sum + takes).collect();
        let total = frame.loss + loss;
        if depth.toll(place + 1, &taken).is_some_and(|toll| total + toll <= room) {
            depth.chosen[stage.class] = index;
            stack.push(Frame { loss: total, taken, next: 0 });
        }
    }
    true
}

struct Frame {
    loss: i128,
    taken: Vec<i128>,
    next: usize,
}

/// A class that is not settled: its candidates by loss, and the least and most that it and those after it take.
struct Stage {
    class: usize,
    candidates: Vec<(usize, i128)>,
    least_to_come: Vec<i128>,
    most_to_come: Vec<i128>,
}

struct Depth<'a> {
    problem: &'a Knapsack,
    prices: &'a [i64],
    stages: Vec<Stage>,
    chosen: Vec<usize>,
    /// What the settled classes take.
    settled: Vec<i128>,
}

impl<'a> Depth<'a> {
    fn new(problem: &'a Knapsack, priced: &Priced<'a>) -> Depth<'a> {
        let mut stages: Vec<Stage> = Vec::new();
        let mut settled = vec![0; problem.limits.len()];
        let mut chosen = Vec::new();
        let mut losses = priced.losses;
        for (class, candidates) in problem.classes.iter().enumerate() {
            let (of_class, others) = losses.split_at(candidates.len());
            losses = others;
            let mut by_loss: Vec<(usize, i128)> = of_class.iter().copied().enumerate().collect();
            by_loss.sort_by_key(|(index, loss)| (*loss, *index));
            let first = by_loss.first().map_or(0, |(index, _)| *index);
            chosen.push(first);
            if by_loss.len() > 1 {
                stages.push(Stage {
                    class,
                    candidates: by_loss,
                    least_to_come: Vec::new(),
                    most_to_come: Vec::new(),
                });
            } else {
                settled.iter_mut().zip(&candidates[first].takes).for_each(|(sum, takes)| *sum += takes);
            }
        }
        // Classes that lose most by a change come first: they cut branches early.
        stages.sort_by_key(|stage| (std::cmp::Reverse(stage.candidates[1].1), stage.class));
        let mut depth = Depth { problem, prices: priced.prices, stages, chosen, settled };
        depth.sum_up();
        depth
    }

    fn sum_up(&mut self) {
        let mut to_come = (vec![0; self.problem.limits.len()], vec![0; self.problem.limits.len()]);
        for stage in self.stages.iter_mut().rev() {
            for limit in 0..self.problem.limits.len() {
                let takes =
                    |(index, _): &(usize, i128)| self.problem.classes[stage.class][*index].takes[limit];
                to_come.0[limit] += stage.candidates.iter().map(takes).min().unwrap_or(0);
                to_come.1[limit] += stage.candidates.iter().map(takes).max().unwrap_or(0);
            }
            (stage.least_to_come, stage.most_to_come) = to_come.clone();
        }
    }

    /// What the limits must still cost from a stage on; `None` when some limit cannot be kept.
    fn toll(&self, stage: usize, taken: &[i128]) -> Option<i128> {
        let mut toll = 0;
        let stage = self.stages.get(stage);
        for (limit, (sum, room)) in taken.iter().zip(&self.problem.limits).enumerate() {
            let (least, most) = stage.map_or((0, 0), |it| (it.least_to_come[limit], it.most_to_come[limit]));
            if sum + least > *room {
                return None;
            }
            toll += i128::from(self.prices[limit]) * (room - sum - most).max(0);
        }
        Some(toll)
    }
}
