//! The best assignment of a few jobs, by trying everything that could still be better.
//!
//! **Problem.** Rounds of a broker are often of a few jobs. Bounds by prices leave a gap there that only a general solver would close.
//!
//! **Method.** Depth first, jobs with the fewest places first, the cheapest place first, staying out last. A branch ends where even all
//! that is left, each at its cheapest wherever there is room now, would not be better than the best so far. Everything is counted in whole
//! numbers. Nothing is said when the steps run out.
//!
//! **Complexity.** O(places^jobs) at worst, at most `steps_max` steps of O(places).
//!
//! ```
//! use walras_assign::small::best;
//! use walras_model::market::{Choices, Instance, Pair, Serve};
//! let job = |a, b| Choices {
//!     weight: 1,
//!     pairs: vec![Pair { site: 0, takes: 1, cost: a }, Pair { site: 1, takes: 1, cost: b }],
//! };
//! let instance = Instance::new(vec![1, 1], vec![job(3, 5), job(1, 4)], Serve::Most).unwrap();
//! assert_eq!(best(&instance, 1_000).unwrap().sites, [Some(1), Some(0)]);
//! ```

use walras_model::market::{Assignment, Instance, Pair};

/// The best assignment; `None` when more steps than these would be needed to be sure.
pub fn best(instance: &Instance, steps_max: u64) -> Option<Assignment> {
    let mut order: Vec<usize> = (0..instance.jobs()).filter(|job| !instance.pairs(*job).is_empty()).collect();
    order.sort_by_key(|job| (instance.pairs(*job).len(), *job));
    let wishes = |job: &usize| {
        let mut pairs = instance.pairs(*job).to_vec();
        pairs.sort_by_key(|pair| (pair.cost, pair.site));
        pairs
    };
    let wishes: Vec<Vec<Pair>> = order.iter().map(wishes).collect();
    let mut search = Search {
        instance,
        order: &order,
        wishes: &wishes,
        room: instance.capacities().to_vec(),
        now: vec![None; instance.jobs()],
        best: (0, 0, Assignment::empty(instance.jobs())),
        steps_left: steps_max,
    };
    search.go(0, 0, 0);
    (search.steps_left > 0).then_some(search.best.2)
}

struct Search<'a> {
    instance: &'a Instance,
    order: &'a [usize],
    wishes: &'a [Vec<Pair>],
    room: Vec<u32>,
    now: Vec<Option<u32>>,
    /// Weight, cost, and where everybody goes.
    best: (u64, i64, Assignment),
    steps_left: u64,
}

impl Search<'_> {
    fn go(&mut self, depth: usize, weight: u64, cost: i64) {
        self.steps_left = self.steps_left.saturating_sub(1);
        if self.steps_left == 0 || !self.may_be_better(depth, weight, cost) {
            return;
        }
        let Some(job) = self.order.get(depth).copied() else {
            self.best = (weight, cost, Assignment { sites: self.now.clone() });
            return;
        };
        let wishes = self.wishes;
        for pair in &wishes[depth] {
            let site = pair.site as usize;
            let Some(left) = self.room[site].checked_sub(pair.takes) else { continue };
            let before = std::mem::replace(&mut self.room[site], left);
            self.now[job] = Some(pair.site);
            self.go(depth + 1, weight + u64::from(self.instance.weight(job)), cost + pair.cost);
            self.room[site] = before;
        }
        self.now[job] = None;
        self.go(depth + 1, weight, cost);
    }

    /// Whether more weight, or the same for less, can come of this.
    fn may_be_better(&self, depth: usize, mut weight: u64, mut cost: i64) -> bool {
        for (job, wishes) in self.order.iter().zip(self.wishes).skip(depth) {
            let fits = |pair: &&Pair| pair.takes <= self.room[pair.site as usize];
            if let Some(cheapest) = wishes.iter().find(fits) {
                weight += u64::from(self.instance.weight(*job));
                cost += cheapest.cost;
            }
        }
        let (most, least, _) = &self.best;
        // With more weight in reach, what it costs does not matter yet.
        weight > *most || weight == *most && cost < *least
    }
}
