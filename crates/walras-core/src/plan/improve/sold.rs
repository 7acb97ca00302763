//! What is for sale, as every job sees it: nodes, or lanes of nodes that are sold in units.

use crate::search::{Lanes, SharedTime, lanes_of};
use walras_model::id::NodeId;
use walras_model::offer::Offers;
use walras_model::request::Batch;

/// More jobs × nodes than this, or tasks × slots than the next, are not improved.
const RUNTIMES_MAX: usize = 16 << 20;
const TAKES_MAX: u128 = 1 << 28;

/// See the module's documentation.
pub(in crate::plan) struct Sold<'a> {
    /// All that is for sale, in units where it is.
    pub(super) offers: &'a Offers,
    pub(super) lanes: Vec<Lanes>,
    /// By job: which of the lanes it sees; nothing where there would be too many.
    kinds: Vec<Option<usize>>,
}

impl<'a> Sold<'a> {
    pub(in crate::plan) fn new(offers: &'a Offers, batch: &Batch) -> Sold<'a> {
        let (lanes, kinds) = match offers.is_divided() {
            true => lanes_of(offers, &SharedTime::new(offers), batch),
            false => (Vec::new(), vec![Some(0); batch.requests().len()]),
        };
        Sold { offers, lanes, kinds }
    }

    /// The lanes that a job sees; `None` where it sees nodes, or nothing.
    pub(super) fn kind(&self, job: usize) -> Option<usize> {
        self.kinds[job].filter(|_| !self.lanes.is_empty())
    }

    pub(super) fn lanes_of(&self, job: usize) -> Option<&Lanes> {
        self.lanes.get(self.kind(job)?)
    }

    /// What a job is searched on; `None` where it is not.
    pub(super) fn seen_by(&self, job: usize) -> Option<&Offers> {
        match self.lanes_of(job) {
            Some(lanes) => Some(&lanes.offers),
            None => self.kinds[job].filter(|_| !self.offers.is_divided()).map(|_| self.offers),
        }
    }

    /// The node that each lane of a job is of; empty where it sees nodes.
    pub(super) fn owners(&self, job: usize) -> &[NodeId] {
        self.lanes_of(job).map_or(&[], Lanes::nodes)
    }

    pub(super) fn is_too_large(&self, batch: &Batch) -> bool {
        let seen = (0..batch.requests().len()).map(|job| self.seen_by(job));
        let runtimes: usize = seen.clone().flatten().map(|offers| offers.nodes().len()).sum();
        let takes = batch.requests().iter().zip(seen).map(|(request, seen)| {
            u128::from(request.tasks) * seen.map_or(0, |offers| offers.slots().len()) as u128
        });
        runtimes > RUNTIMES_MAX || takes.sum::<u128>() > TAKES_MAX
    }
}
