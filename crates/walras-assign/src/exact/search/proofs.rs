//! What asks a general solver: all of a small problem, sets of jobs that lose little, and the pairs that still matter.

use super::super::dual::Dual;
use super::super::programme::{Ended, Sets, whole};
use super::super::reduce::promising;
use super::Search;
use crate::program::SolverEffort;
use walras_model::market::Pair;

/// Sets that lose at most the bound's part of one in so many are combined first.
const SETS_FINENESS: i64 = 4_000;
/// The share of the time left for one combination of sets.
const COMBINE_SHARE: f64 = 0.2;
/// The share of the time left for the rest as one programme.
const PROOF_SHARE: f64 = 0.3;

impl Search<'_> {
    /// Where jobs are still without a place and the problem is small, all of it as one programme.
    ///
    /// Whether that settled the matter: the best placing of all jobs, or that there is none.
    pub(super) fn place_all(&mut self) -> bool {
        if self.table.pairs_all() > self.limits.pairs_proven {
            return false;
        }
        let all: Vec<Vec<(i64, Pair)>> = (0..self.table.jobs())
            .map(|job| self.table.pairs(job).iter().map(|pair| (0, *pair)).collect())
            .collect();
        let effort = self.effort(PROOF_SHARE);
        match whole(&self.table, &all, &mut self.best, self.solver, &effort) {
            Some(i64::MAX) => self.impossible = true,
            Some(bound) if self.best.missing == 0 => self.bound = self.bound.max(bound),
            _ => {}
        }
        self.impossible || self.closed()
    }

    /// Combines sets of jobs that lose little; sets that lose more join as long as there are not too many.
    ///
    /// When all sets that lose less than the gap took part, what is best among them is best of all.
    pub(super) fn combine(&mut self) {
        let mut dual = Dual::new(&self.table, self.prices.clone());
        let widest = self.slack().min(self.bound / 50);
        let promise = promising(&self.table, &mut dual, widest);
        let mut most = (self.bound / SETS_FINENESS).min(widest);
        let mut shrinking = false;
        while !self.closed() && self.watch.seconds_left() > 0.0 {
            let all = self.best.missing == 0 && most >= self.slack();
            let task = Sets {
                table: &self.table,
                promise: &promise,
                prices: &self.prices,
                out: self.out,
                most,
                sets_max: self.limits.sets,
                effort: self.effort(COMBINE_SHARE),
            };
            match task.solve(&mut self.best, self.solver) {
                Ended::Settled if all => self.bound = self.best.cost,
                Ended::Settled if shrinking || most >= widest => return,
                Ended::Settled => most = (most * 3).min(self.slack()).min(widest),
                Ended::TooMany if most > 1 && (shrinking || most <= self.bound / SETS_FINENESS) => {
                    shrinking = true;
                    most /= 3;
                }
                Ended::TooMany | Ended::Open => return,
            }
        }
    }

    /// The effort for a programme that may have this share of the time left.
    fn effort(&self, share: f64) -> SolverEffort {
        let seconds = self.watch.seconds_left() * share;
        SolverEffort {
            seconds: seconds.is_finite().then_some(seconds),
            nodes: Some(self.limits.nodes),
            gap_absolute: 0.0,
        }
    }

    /// The rest as a programme, when it is small: pairs that no better placing can use are left out.
    pub(super) fn prove(&mut self) {
        if self.closed() {
            return;
        }
        let mut dual = Dual::new(&self.table, self.prices.clone());
        let promise = promising(&self.table, &mut dual, self.slack());
        let pairs: usize = promise.iter().map(Vec::len).sum();
        if pairs > self.limits.pairs_proven {
            return;
        }
        let effort = self.effort(PROOF_SHARE);
        if let Some(bound) = whole(&self.table, &promise, &mut self.best, self.solver, &effort) {
            self.bound = self.bound.max(bound);
        }
    }
}
