//! Prices that clear a market: tâtonnement, and the bound that comes of it.
//!
//! **Problem.** Jobs want windows, each node's time can be sold once. Find prices λ ≥ 0 on cells of nodes' time such that
//!
//! L(λ) = Σ over jobs of the least of (what a window counts + the prices of its time) − Σ of all prices over what is free
//!
//! is as large as can be. Every plan in which each of the jobs has one window, and no time is sold twice, counts at least L(λ): it
//! pays for its windows at least what the first sum says, and for time no more than all prices together. That holds for
//! any prices, so what is proven rests on the search for one job and on whole numbers alone, never on how prices were found.
//!
//! **Method.** Walras' tâtonnement, which is subgradient ascent on L. Jobs are asked in blocks. A block's jobs pick their best windows at the prices of
//! the moment; then prices rise where more is wanted than there is and fall where less is, by as much as would close the gap to a
//! target if L were as steep as it looks; then the next block is asked. So a crowd never runs to one place at once. The average of the
//! prices is worth more than the last ones: it is evaluated for all jobs every few passes, and the best evaluation is kept. The
//! target is the best so far and a gap that is halved when an evaluation brings nothing. With nobody in another's way
//! nothing is wanted twice: then prices stay where they are, and what is known is final.
//!
//! **Complexity.** Bounded in searches for one job, which are counted, in seats that they look at, and in prices that are moved. Where nobody has
//! ever wanted anything the price is nothing and stays so: a step reads only the cells that somebody has wanted, and sets
//! the prices of their nodes.
//!
//! Source: L. Walras, Éléments d'économie politique pure (1874); Lagrangian relaxation with incremental subgradients (Nedić and
//! Bertsekas 2001) and averaging (Polyak and Juditsky 1992).

use super::grid::{Grid, Prices};
use super::single::{Hint, Pick, Search, Shown};
use super::want::Want;
use walras_model::quantity::rounding;

/// Jobs are asked in so many blocks.
const BLOCKS: usize = 50;
/// Prices move so often between two evaluations: every job is asked so many times.
const PASSES: usize = 3;
/// How precisely one job is priced on the way, and when it counts: v >> this may be missing.
const PRECISION_ON_THE_WAY: u32 = 8;
const PRECISION_OF_BOUNDS: u32 = 14;
/// Without prices every job's best window is found exactly.
const PRECISION_WITHOUT_PRICES: u32 = 100;
/// Excess demand is counted in parts of a cell: 2^10 are one.
const PARTS: u32 = 10;
/// A step's fraction has so many bits.
const STEP_BITS: u32 = 16;
/// All steps of a pass together would close the gap so often, were L as steep as it looks.
const STEPS_A_PASS: i128 = 2;
/// It is over when not even v >> this is looked for.
const GAP_LEAST: u32 = 13;

/// What jobs want of what is free.
pub(super) struct ClearingMarket<'a> {
    pub(super) grid: &'a Grid,
    pub(super) wants: &'a [Want],
    /// What a job gets that has a window: it rather has none than pay more. Without it, every job must have one.
    pub(super) reward: Option<i64>,
    /// What a plan that is known comes to.
    pub(super) known: i128,
}

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) searches: u64,
    pub(super) searches_max: u64,
    pub(super) looks_max: u64,
    pub(super) moves: u64,
    pub(super) moves_max: u64,
}

/// Prices, and what they prove.
#[derive(Clone, Debug)]
pub(super) struct Cleared {
    /// No plan comes to less.
    pub(super) bound: i128,
    pub(super) prices: Prices,
    /// Whether a bound on work ended it.
    pub(super) limit_hit: bool,
}

/// All jobs asked at the same prices.
struct Evaluation {
    bound: i128,
    picks: Vec<Option<Pick>>,
}

struct Asking<'a> {
    market: &'a ClearingMarket<'a>,
    search: Search,
    hints: Vec<Hint>,
    effort: &'a mut Effort,
    picks: Vec<Option<Pick>>,
    /// By cell: how many milliseconds are wanted.
    wanted: Vec<i64>,
    /// The cells that somebody has wanted, and their nodes, each once.
    known: Vec<usize>,
    nodes: Vec<usize>,
    is_known: Vec<bool>,
    is_known_node: Vec<bool>,
    /// What all picks count beside prices.
    own: i128,
}

/// The best bound that prices give; `None` when not even one evaluation is within the effort.
pub(super) fn clear(market: &ClearingMarket<'_>, effort: &mut Effort) -> Option<Cleared> {
    let cells = market.grid.free.len();
    let mut asking = Asking {
        market,
        search: Search::default(),
        hints: vec![Hint::default(); market.wants.len()],
        effort,
        picks: vec![None; market.wants.len()],
        wanted: vec![0; cells],
        known: Vec::new(),
        nodes: Vec::new(),
        is_known: vec![false; cells],
        is_known_node: vec![false; cells.checked_div(market.grid.stride()).unwrap_or(0)],
        own: 0,
    };
    let nothing = Prices::new(market.grid, &vec![0; cells]);
    let first = asking.evaluate(&nothing, PRECISION_WITHOUT_PRICES)?;
    let mut best = Cleared { bound: first.bound, prices: nothing, limit_hit: false };
    asking.adopt(first.picks);
    let mut gap = (market.known - best.bound).max(0);
    let mut prices = vec![0; cells];
    if asking.is_cleared() {
        return Some(best);
    }
    while best.bound < market.known && gap > best.bound.abs() >> GAP_LEAST {
        if asking.effort.moves >= asking.effort.moves_max {
            best.limit_hit = true;
            break;
        }
        let target = best.bound + gap;
        let mean = asking.pass(&mut prices, target);
        let mean = Prices::new(market.grid, &mean);
        let Some(evaluation) = asking.evaluate(&mean, PRECISION_OF_BOUNDS) else {
            best.limit_hit = true;
            break;
        };
        let gain = evaluation.bound - best.bound;
        if gain > 0 {
            (best.bound, best.prices) = (evaluation.bound, mean);
        }
        let enough = gain > gap >> 3;
        gap = if enough { gap.min(market.known - best.bound) } else { gap >> 1 };
    }
    Some(best)
}

impl Asking<'_> {
    /// Asks one job.
    fn ask(&mut self, job: usize, prices: &Prices, precision: u32) -> Option<Shown> {
        self.effort.searches += 1;
        self.search.best(&self.market.wants[job], prices, &mut self.hints[job], precision)
    }

    /// What prices prove; `None` when that is not within the effort.
    fn evaluate(&mut self, prices: &Prices, precision: u32) -> Option<Evaluation> {
        let mut evaluation = Evaluation { bound: -prices.of_all(self.market.grid), picks: Vec::new() };
        for job in 0..self.market.wants.len() {
            if self.spent() {
                return None;
            }
            let shown = self.ask(job, prices, precision);
            let (value, pick) = self.rather(shown);
            evaluation.bound += value?;
            evaluation.picks.push(pick);
        }
        Some(evaluation)
    }

    /// What a job comes to at least, and the window that it picks; no value where it must have a window and has none.
    fn rather(&self, shown: Option<Shown>) -> (Option<i128>, Option<Pick>) {
        match (shown, self.market.reward.map(i128::from)) {
            (None, None) => (None, None),
            (None, Some(_)) => (Some(0), None),
            (Some(shown), None) => (Some(shown.bound), Some(shown.pick)),
            (Some(shown), Some(reward)) => {
                let pick = Some(shown.pick).filter(|_| shown.value < reward);
                (Some((shown.bound - reward).min(0)), pick)
            }
        }
    }

    fn spent(&self) -> bool {
        self.effort.searches >= self.effort.searches_max || self.search.looks >= self.effort.looks_max
    }

    fn adopt(&mut self, picks: Vec<Option<Pick>>) {
        for (job, pick) in picks.into_iter().enumerate() {
            self.replace(job, pick);
        }
    }

    /// What a job wants from now on.
    fn replace(&mut self, job: usize, pick: Option<Pick>) {
        let old = std::mem::replace(&mut self.picks[job], pick.clone());
        self.count(job, old, -1);
        self.count(job, pick, 1);
    }

    fn count(&mut self, job: usize, pick: Option<Pick>, sign: i64) {
        let (market, Some(pick)) = (self.market, pick) else { return };
        let own = pick.own - market.reward.map_or(0, i128::from);
        self.own += i128::from(sign) * own;
        for seat in pick.places(&market.wants[job]) {
            if !std::mem::replace(&mut self.is_known_node[seat.node], true) {
                self.nodes.push(seat.node);
            }
            for (cell, millis) in market.grid.parts(seat.node, pick.start, pick.start + seat.runtime) {
                self.wanted[cell] = self.wanted[cell].saturating_add(sign * millis);
                if !std::mem::replace(&mut self.is_known[cell], true) {
                    self.known.push(cell);
                }
            }
        }
    }

    /// Whether nothing is wanted twice, as far as cells tell.
    fn is_cleared(&self) -> bool {
        self.wanted.iter().zip(&self.market.grid.free).all(|(wanted, free)| wanted <= free)
    }

    /// Asks every job a few times, and moves prices after each block; gives their mean.
    fn pass(&mut self, prices: &mut [i64], target: i128) -> Vec<i64> {
        let jobs = self.market.wants.len();
        let blocks = BLOCKS.min(jobs);
        let (mut sums, mut steps) = (vec![0_i128; prices.len()], 0);
        let mut now = Prices::new(self.market.grid, prices);
        for _ in 0..PASSES {
            for block in 0..blocks {
                // What was averaged by then still counts.
                if steps > 0 && self.effort.moves >= self.effort.moves_max {
                    break;
                }
                for node in &self.nodes {
                    now.set(self.market.grid, prices, *node);
                }
                self.effort.moves += (self.nodes.len() * self.market.grid.stride()) as u64;
                for job in (block..jobs).step_by(blocks) {
                    if !self.spent_on_the_way() {
                        let shown = self.ask(job, &now, PRECISION_ON_THE_WAY);
                        let (_, pick) = self.rather(shown);
                        self.replace(job, pick);
                    }
                }
                self.step(prices, target);
                steps += 1;
                self.known.iter().for_each(|cell| sums[*cell] += i128::from(prices[*cell]));
            }
        }
        sums.into_iter().map(|sum| i64::try_from(rounding::down(sum, steps.max(1))).unwrap_or(0)).collect()
    }

    /// Whether what is left is needed for the next evaluation.
    fn spent_on_the_way(&self) -> bool {
        let kept = self.market.wants.len() as u64;
        self.spent() || self.effort.searches + kept >= self.effort.searches_max
    }

    /// Moves every price by its excess demand.
    fn step(&self, prices: &mut [i64], target: i128) {
        let grid = self.market.grid;
        let beyond = |cell: usize| self.wanted[cell].saturating_sub(grid.free[cell]);
        let excess = |cell: usize| match grid.shift.checked_sub(PARTS) {
            Some(more) => beyond(cell) >> more,
            None => beyond(cell) << (PARTS - grid.shift),
        };
        let (mut norm, mut value) = (0_i128, self.own);
        for cell in self.known.iter().copied() {
            let (price, excess) = (prices[cell], excess(cell));
            value += i128::from(price) * i128::from(beyond(cell));
            if price > 0 || excess > 0 {
                norm += i128::from(excess) * i128::from(excess);
            }
        }
        if norm == 0 {
            return;
        }
        let missing = (target - value).max((target >> 10).abs()).max(1);
        let blocks = BLOCKS.min(self.market.wants.len()) as i128;
        let step = missing.saturating_mul(STEPS_A_PASS << (STEP_BITS + PARTS));
        let step = rounding::down(step, norm.saturating_mul(blocks).saturating_mul(1 << grid.shift));
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        for cell in self.known.iter().copied() {
            let moved = (i128::from(excess(cell)) * i128::from(step)) >> STEP_BITS;
            let moved = (i128::from(prices[cell]) + moved).clamp(0, grid.price_max.into());
            prices[cell] = i64::try_from(moved).unwrap_or(0);
        }
    }
}
