//! Candidates of which it matters only whether N are alive.
//!
//! Dead ones are left lying until there would be N. Then they are swept out in one pass (loose), unless so few
//! are dead that the next pass would come too soon: then they are kept in order of expiry (exact) until few
//! are alive again. Either way an arrival costs O(log N) amortised, and O(1) far from N.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use walras_model::offer::SlotKey;

/// See the module's documentation.
#[derive(Clone)]
pub(crate) enum Gathering {
    Loose(Vec<(i64, SlotKey)>),
    Exact(BinaryHeap<Reverse<(i64, SlotKey)>>),
}

impl Default for Gathering {
    fn default() -> Self {
        Gathering::Loose(Vec::new())
    }
}

impl Gathering {
    /// Adds a candidate that can start until `expiry`.
    #[inline]
    pub(crate) fn join(&mut self, expiry: i64, key: SlotKey) {
        match self {
            Gathering::Loose(all) => all.push((expiry, key)),
            Gathering::Exact(all) => all.push(Reverse((expiry, key))),
        }
    }

    /// Whether `n` are alive at `now`; then no dead ones are left.
    #[inline]
    pub(crate) fn has(&mut self, n: usize, now: i64) -> bool {
        self.len() >= n && self.sweep(n, now)
    }

    /// Drops the dead.
    fn sweep(&mut self, n: usize, now: i64) -> bool {
        let alive = match self {
            Gathering::Loose(all) => {
                all.retain(|(expiry, _)| *expiry >= now);
                all.len()
            }
            Gathering::Exact(all) => {
                while all.peek().is_some_and(|Reverse((expiry, _))| *expiry < now) {
                    all.pop();
                }
                all.len()
            }
        };
        match self {
            Gathering::Loose(all) if alive < n && alive > n - n / 8 => {
                *self = Gathering::Exact(std::mem::take(all).into_iter().map(Reverse).collect());
            }
            Gathering::Exact(all) if alive < n / 2 => {
                *self = Gathering::Loose(std::mem::take(all).into_iter().map(|Reverse(it)| it).collect());
            }
            _ => {}
        }
        alive >= n
    }

    pub(crate) fn keys(&self) -> Vec<SlotKey> {
        match self {
            Gathering::Loose(all) => all.iter().map(|(_, key)| *key).collect(),
            Gathering::Exact(all) => all.iter().map(|Reverse((_, key))| *key).collect(),
        }
    }

    /// Takes candidates out that are no longer to be had, given in order.
    pub(crate) fn withdraw(&mut self, gone: &[SlotKey]) {
        match self {
            Gathering::Loose(all) => all.retain(|(_, key)| gone.binary_search(key).is_err()),
            Gathering::Exact(all) => all.retain(|Reverse((_, key))| gone.binary_search(key).is_err()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Gathering::Loose(all) => all.len(),
            Gathering::Exact(all) => all.len(),
        }
    }
}
