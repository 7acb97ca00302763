//! Nodes' time in cells, and prices on them.
//!
//! Every node's horizon is cut into cells of one length, a power of two in milliseconds, so that the cell of a time is a shift
//! away. A price is per millisecond and the same all over a cell. With sums up to the beginning of each cell, what a stretch of
//! a node's time costs is two look-ups, however many cells it crosses.
//!
//! Prices are in units of 1 / scale micro-credits; they stay so low that a node's whole horizon costs at most [`UNITS_MAX`], so that no
//! sum of a task's cost and its prices overflows.

use walras_model::offer::Offers;
use walras_model::quantity::rounding;

/// What one task comes to, and what a node's whole horizon costs, stays below this.
pub(super) const UNITS_MAX: i64 = 1 << 60;
/// No node has more cells, and all together not more than the second.
const COLUMNS_MAX: usize = 512;
const CELLS_MAX: usize = 1 << 20;

/// The cells of all nodes.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    origin: i64,
    /// Cells are 2^shift milliseconds long.
    pub(super) shift: u32,
    /// How many cells a node has; one more, in which nothing is free, ends them.
    columns: usize,
    /// By cell, node after node: how many milliseconds are free.
    pub(super) free: Vec<i64>,
    /// No price is higher.
    pub(super) price_max: i64,
}

impl Grid {
    /// Cells of about that length, or longer ones where there would be more than so many, or than are ever made.
    pub(super) fn new(offers: &Offers, length: i64, cells_max: usize) -> Grid {
        let (origin, nodes) = (offers.horizon().start().as_millis(), offers.nodes().len());
        let horizon = offers.horizon().end().as_millis() - origin;
        let columns_max = COLUMNS_MAX.min(CELLS_MAX.min(cells_max).checked_div(nodes).unwrap_or(1)).max(2);
        let mut shift = length.min(horizon).max(1).ilog2();
        let columns = |shift: u32| usize::try_from(horizon >> shift).map_or(usize::MAX, |whole| whole + 1);
        while columns(shift) > columns_max {
            shift += 1;
        }
        let columns = columns(shift);
        let all = i128::from(horizon.max(1)) << 1;
        let price_max = i64::try_from(rounding::down(UNITS_MAX.into(), all)).unwrap_or(i64::MAX);
        let mut grid = Grid { origin, shift, columns, free: vec![0; nodes * (columns + 1)], price_max };
        for slot in offers.slots() {
            let (from, until) = (slot.start().as_millis(), slot.end().as_millis());
            for (cell, millis) in grid.parts(slot.node().index(), from, until) {
                grid.free[cell] += millis;
            }
        }
        grid
    }

    /// The cells that a stretch of a node's time lies in, each with how much of it does.
    pub(super) fn parts(
        &self,
        node: usize,
        from: i64,
        until: i64,
    ) -> impl Iterator<Item = (usize, i64)> + use<> {
        let (shift, first) = (self.shift, node * self.stride());
        let (mut at, end) = (from - self.origin, until - self.origin);
        std::iter::from_fn(move || {
            let column = at >> shift;
            let next = ((column + 1) << shift).min(end);
            let part = (at < end).then_some((first + usize::try_from(column).unwrap_or(0), next - at));
            at = next;
            part
        })
    }

    /// The same, with when each part begins and ends.
    pub(super) fn stretches(
        &self,
        node: usize,
        from: i64,
        until: i64,
    ) -> impl Iterator<Item = (usize, i64, i64)> + use<> {
        self.parts(node, from, until).scan(from, |at, (cell, millis)| {
            let from = std::mem::replace(at, *at + millis);
            Some((cell, from, *at))
        })
    }

    /// How many cells a node has, with the one that ends them.
    pub(super) fn stride(&self) -> usize {
        self.columns + 1
    }
}

/// A price on every cell.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    origin: i64,
    shift: u32,
    stride: usize,
    /// By cell: what all of the node's time before it costs, and a millisecond in it.
    cells: Vec<(i64, i64)>,
}

impl Prices {
    /// Prices by cell; what is negative counts as nothing, what is too high as the highest price there is.
    pub(super) fn new(grid: &Grid, prices: &[i64]) -> Prices {
        let cells = vec![(0, 0); prices.len()];
        let mut all = Prices { origin: grid.origin, shift: grid.shift, stride: grid.stride(), cells };
        for node in 0..prices.len().checked_div(grid.stride()).unwrap_or(0) {
            all.set(grid, prices, node);
        }
        all
    }

    /// Sets the prices of a node's cells; the same counts.
    pub(super) fn set(&mut self, grid: &Grid, prices: &[i64], node: usize) {
        let (cells, mut before) = (node * self.stride..(node + 1) * self.stride, 0);
        let of_node = prices[cells.clone()].iter().zip(&grid.free[cells.clone()]);
        for (cell, (price, free)) in self.cells[cells].iter_mut().zip(of_node) {
            let price = if *free > 0 { (*price).clamp(0, grid.price_max) } else { 0 };
            *cell = (before, price);
            before += price << grid.shift;
        }
    }

    /// What all that is free costs.
    pub(super) fn of_all(&self, grid: &Grid) -> i128 {
        let priced = self.cells.iter().zip(&grid.free).filter(|((_, price), _)| *price > 0);
        priced.map(|((_, price), free)| i128::from(*price) * i128::from(*free)).sum()
    }

    /// What a node's time costs up to a point within the horizon.
    #[inline]
    pub(super) fn until(&self, node: usize, time: i64) -> i64 {
        let at = time - self.origin;
        let column = at >> self.shift;
        let (before, price) = self.cells[node * self.stride + usize::try_from(column).unwrap_or(0)];
        before + price * (at - (column << self.shift))
    }

    /// What a millisecond of a cell costs.
    pub(super) fn price(&self, cell: usize) -> i64 {
        self.cells[cell].1
    }
}
